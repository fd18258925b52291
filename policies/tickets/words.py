"""What people read on tickets, in the three languages that a policy may choose.

One table: the first line for each state, which says where the ticket is and what comes next, and a few headings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from policies.tickets.states import State

Language = Literal["en", "ja", "zh"]


@dataclass(frozen=True, slots=True)
class Words:
    """`states` holds the verdict and the next step of each state; the rest are headings and short sentences."""

    states: Mapping[State, tuple[str, str]]
    ready: tuple[str, str]
    unready: tuple[str, str]
    edited: str
    held: str
    paused: str
    brake: str
    limits: str
    minutes: str
    attempts: str
    worst: str
    overlaps: str
    questions: str
    agent: str
    pull: str
    snapshot: str


_S = State
ENGLISH = Words(
    states={
        _S.DRAFT: ("Not accepted", "Somebody with write permission comments `/accept`."),
        _S.WAITING: ("Waiting for an agent", "Nothing to do: an agent takes it when there is a place."),
        _S.RUNNING: ("An agent works on it", "Nothing to do; `/status` says how far it is."),
        _S.VERIFYING: ("Its pull request is being checked", "Nothing to do: the checks come to an end by themselves."),
        _S.VERIFY_FAILED: ("Its checks failed", "Nothing to do: it goes back to an agent."),
        _S.MERGEABLE: ("Its evidence passed", "Who is still asked stands in the pull request's `mergegate/review`."),
        _S.QUEUED: ("In the merge queue", "Nothing to do."),
        _S.MERGED: ("Merged", "Nothing to do."),
        _S.SETTLED: ("Merged and kept", "Nothing to do."),
        _S.REVERTED: ("Merged and taken back", "Write a new ticket if it is still wanted."),
        _S.NEEDS_HUMAN: ("It needs a person", "Answer below, or comment `/retry`, `/limit …` or `/stop`."),
        _S.STOPPING: ("Being stopped: its token is dead", "This comment says when it is certain that nothing goes on."),
        _S.STOPPED: ("Stopped", "Comment `/retry` or `/accept` to let an agent have it again."),
        _S.CAP_HIT: ("Stopped at a limit", "Comment `/limit …` and `/retry`, or leave it."),
        _S.CANCELLED: ("Cancelled", "Open the issue again to write it anew."),
    },
    ready=("Ready: an agent can finish it without a reply", "Somebody with write permission comments `/accept`."),
    unready=("Not ready: {} to repair", "Edit the issue; this comment follows."),
    edited="The issue was edited after it was accepted. That changes nothing until it is accepted again.",
    held="Held by {}: its pull request stays out of the queue until `/unhold`.",
    paused="Paused: no new attempt begins until `/resume`.",
    brake="{} pulled the brake: no ticket of this repository is given to an agent.",
    limits="Limits",
    minutes="minutes",
    attempts="attempts",
    worst="At the worst {} USD for this ticket, {} USD with all accepted ones.",
    overlaps="May change the same files as",
    questions="Questions",
    agent="Agent",
    pull="Pull request",
    snapshot="Accepted",
)
JAPANESE = Words(
    states={
        _S.DRAFT: ("未承認", "書き込み権限のある人が `/accept` とコメントします。"),
        _S.WAITING: ("エージェント待ち", "操作は不要です。空きができるとエージェントが引き受けます。"),
        _S.RUNNING: ("エージェントが作業中", "操作は不要です。進み具合は `/status` で分かります。"),
        _S.VERIFYING: ("プルリクエストを検査中", "操作は不要です。検査は自動で終わります。"),
        _S.VERIFY_FAILED: ("検査に失敗", "操作は不要です。エージェントに戻ります。"),
        _S.MERGEABLE: ("証拠の検査に合格", "誰の承認が必要かはプルリクエストの `mergegate/review` にあります。"),
        _S.QUEUED: ("マージキューの中", "操作は不要です。"),
        _S.MERGED: ("マージ済み", "操作は不要です。"),
        _S.SETTLED: ("マージ済み・定着", "操作は不要です。"),
        _S.REVERTED: ("マージ後に取り消し", "まだ必要なら新しいチケットを書いてください。"),
        _S.NEEDS_HUMAN: (
            "人の判断が必要",
            "質問に答えるか、`/retry`、`/limit …`、`/stop` とコメントします。",
        ),
        _S.STOPPING: ("停止中：トークンは無効", "何も続いていないことが確かになると、このコメントに出ます。"),
        _S.STOPPED: ("停止済み", "再開するには `/retry` か `/accept` とコメントしてください。"),
        _S.CAP_HIT: ("上限に達して停止", "`/limit …` と `/retry` で再開できます。"),
        _S.CANCELLED: ("取り消し", "書き直すには課題を再度開いてください。"),
    },
    ready=("準備完了：返答なしで最後まで作業できます", "書き込み権限のある人が `/accept` とコメントします。"),
    unready=("準備不足：修正 {} 件", "課題を編集してください。このコメントも更新されます。"),
    edited="承認後に課題が編集されました。もう一度承認するまで何も変わりません。",
    held="{} が保留中：`/unhold` までキューに入りません。",
    paused="一時停止中：`/resume` まで新しい試行は始まりません。",
    brake="{} が全体を停止しました。このリポジトリのチケットはエージェントに渡りません。",
    limits="上限",
    minutes="分",
    attempts="回",
    worst="最悪の場合、このチケットで {} USD、承認済み全体で {} USD。",
    overlaps="同じファイルを変更しうるチケット",
    questions="質問",
    agent="エージェント",
    pull="プルリクエスト",
    snapshot="承認",
)
CHINESE = Words(
    states={
        _S.DRAFT: ("未接受", "请有写权限的人评论 `/accept`。"),
        _S.WAITING: ("等待代理", "无需操作：有空位时代理会领取。"),
        _S.RUNNING: ("代理正在处理", "无需操作；进度见 `/status`。"),
        _S.VERIFYING: ("正在检查拉取请求", "无需操作：检查会自动结束。"),
        _S.VERIFY_FAILED: ("检查未通过", "无需操作：会退回给代理。"),
        _S.MERGEABLE: ("证据已通过", "还需要谁批准，见拉取请求的 `mergegate/review`。"),
        _S.QUEUED: ("在合并队列中", "无需操作。"),
        _S.MERGED: ("已合并", "无需操作。"),
        _S.SETTLED: ("已合并并稳定", "无需操作。"),
        _S.REVERTED: ("合并后被撤销", "如仍需要，请写新的工单。"),
        _S.NEEDS_HUMAN: ("需要人来决定", "回答下面的问题，或评论 `/retry`、`/limit …`、`/stop`。"),
        _S.STOPPING: ("正在停止：令牌已失效", "确认没有任何操作在继续时，会写在这里。"),
        _S.STOPPED: ("已停止", "评论 `/retry` 或 `/accept` 可重新交给代理。"),
        _S.CAP_HIT: ("达到上限而停止", "可评论 `/limit …` 和 `/retry`，或保持不动。"),
        _S.CANCELLED: ("已取消", "重新打开问题即可改写。"),
    },
    ready=("已就绪：代理无需答复即可完成", "请有写权限的人评论 `/accept`。"),
    unready=("未就绪：需修正 {} 处", "请编辑问题；本评论会随之更新。"),
    edited="接受之后问题被编辑过。再次接受之前不会有任何变化。",
    held="{} 已暂缓：在 `/unhold` 之前不会进入队列。",
    paused="已暂停：在 `/resume` 之前不会开始新的尝试。",
    brake="{} 拉下了总闸：本仓库的工单不会交给代理。",
    limits="上限",
    minutes="分钟",
    attempts="次",
    worst="最坏情况：本工单 {} USD，所有已接受的共 {} USD。",
    overlaps="可能修改相同文件的工单",
    questions="问题",
    agent="代理",
    pull="拉取请求",
    snapshot="接受",
)
WORDS: Mapping[Language, Words] = {"en": ENGLISH, "ja": JAPANESE, "zh": CHINESE}
