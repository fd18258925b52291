"""Headings and answers of the ticket form in English, Japanese and Chinese."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Literal

FieldName = Literal[
    "goal",
    "allowed_paths",
    "forbidden_paths",
    "done_when",
    "verify",
    "risk",
    "migration",
    "submit",
    "max_minutes",
    "max_attempts",
    "max_cost",
    "depends_on",
    "pool",
    "unsure",
]

HEADINGS: Mapping[FieldName, tuple[str, ...]] = {
    "goal": ("Goal", "目的", "目標", "ゴール", "目标"),
    "allowed_paths": ("Allowed paths", "変更してよいパス", "許可するパス", "允许的路径", "允许修改的路径"),
    "forbidden_paths": ("Forbidden paths", "変更してはいけないパス", "禁止するパス", "禁止的路径", "禁止修改的路径"),
    "done_when": ("Done when", "完了条件", "完成条件"),
    "verify": ("Verification commands", "検証コマンド", "验证命令"),
    "risk": ("Risk level", "リスク", "リスクレベル", "风险", "风险等级"),
    "migration": (
        "Touches stored data or schema",
        "保存データやスキーマの変更",
        "データ移行",
        "涉及已存数据或结构",
        "数据迁移",
    ),
    "submit": ("Submission format", "提出形式", "提交格式"),
    "max_minutes": ("Time limit (minutes)", "制限時間（分）", "时间限制（分钟）"),
    "max_attempts": ("Attempts", "試行回数", "尝试次数"),
    "max_cost": ("Cost limit (USD)", "費用上限（USD）", "费用上限（USD）"),
    "depends_on": ("Depends on", "依存する課題", "依存", "依赖"),
    "pool": ("Agent or pool", "エージェント", "担当エージェント", "代理", "代理或代理池"),
    "unsure": ("When information is missing", "情報が足りないとき", "信息不足时"),
}
# Drop-downs: what the form shows, to the word that is kept.
ANSWERS: Mapping[FieldName, Mapping[str, str]] = {
    "risk": {
        "low": "low",
        "medium": "medium",
        "high": "high",
        "critical": "critical",
        "低": "low",
        "中": "medium",
        "高": "high",
        "重大": "critical",
        "严重": "critical",
    },
    "migration": {"no": "no", "yes": "yes", "いいえ": "no", "はい": "yes", "否": "no", "是": "yes"},
    "submit": {"standard": "standard", "batch-row": "batch-row", "標準": "standard", "标准": "standard"},
    "unsure": {
        "stop and ask": "stop",
        "best effort in draft": "draft",
        "止めて質問する": "stop",
        "ドラフトで最善を尽くす": "draft",
        "停下来询问": "stop",
        "在草稿中尽力": "draft",
    },
}


def folded(text: str) -> str:
    """Text as it is compared: width, case and blanks do not matter."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


FIELD_OF: Mapping[str, FieldName] = {folded(word): name for name, words in HEADINGS.items() for word in words}
ANSWER_OF: Mapping[FieldName, Mapping[str, str]] = {
    name: {folded(shown): kept for shown, kept in answers.items()} for name, answers in ANSWERS.items()
}
