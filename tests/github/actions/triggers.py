"""Which `on:` filters let an event start a workflow.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#on
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

DEFAULT_TYPES = {
    "pull_request": ("opened", "synchronize", "reopened"),
    "merge_group": ("checks_requested",),
}


@dataclass(frozen=True)
class Occasion:
    """An event as the filters see it: `branch` is the pushed branch or the base branch, `paths` the changed files."""

    event: str
    action: str | None = None
    branch: str | None = None
    tag: str | None = None
    paths: tuple[str, ...] | None = None  # None: not known, so path filters let it through


def starts(on: dict[str, dict[str, Any]], occasion: Occasion) -> bool:
    filters = on.get(occasion.event)
    if filters is None:
        return False
    return _type_matches(filters, occasion) and _ref_matches(filters, occasion) and _paths_match(filters, occasion)


def glob_matches(pattern: str, text: str) -> bool:
    """GitHub's filter patterns: `*` stays within a folder, `**` does not, `?`, `+` and `[...]` are as in patterns."""
    return re.fullmatch(_translated(pattern), text, re.DOTALL) is not None


def _translated(pattern: str) -> str:
    parts, index = [], 0
    while index < len(pattern):
        if pattern.startswith("**/", index):
            parts.append("(?:.*/)?")
            index += 3
        elif pattern.startswith("**", index):
            parts.append(".*")
            index += 2
        elif pattern[index] == "[" and (end := pattern.find("]", index)) > 0:
            parts.append(f"[{re.escape(pattern[index + 1 : end]).replace(chr(92) + '-', '-')}]")
            index = end + 1
        else:
            letter = pattern[index]
            parts.append({"*": "[^/]*", "?": "?", "+": "+"}.get(letter) or re.escape(letter))
            index += 1
    return "".join(parts)


def _last_word(patterns: Sequence[str], text: str) -> bool:
    """Whether the last pattern that matches is a positive one (`!` makes a pattern negative)."""
    verdict = False
    for pattern in patterns:
        negative = pattern.startswith("!")
        if glob_matches(pattern.removeprefix("!"), text):
            verdict = not negative
    return verdict


def _type_matches(filters: dict[str, Any], occasion: Occasion) -> bool:
    if occasion.action is None:
        return True
    wanted = filters.get("types", DEFAULT_TYPES.get(occasion.event, (occasion.action,)))
    return occasion.action in ([wanted] if isinstance(wanted, str) else wanted)


def _ref_matches(filters: dict[str, Any], occasion: Occasion) -> bool:
    branch_keys, tag_keys = {"branches", "branches-ignore"} & set(filters), {"tags", "tags-ignore"} & set(filters)
    if occasion.tag is not None:
        return _listed(filters, "tags", occasion.tag) if tag_keys else not branch_keys
    if occasion.branch is None:
        return True
    return _listed(filters, "branches", occasion.branch) if branch_keys else not tag_keys


def _listed(filters: dict[str, Any], key: str, text: str) -> bool:
    if key in filters:
        return _last_word(_patterns(filters[key]), text)
    return not _last_word(_patterns(filters[f"{key}-ignore"]), text)


def _paths_match(filters: dict[str, Any], occasion: Occasion) -> bool:
    if occasion.paths is None:
        return True
    if "paths" in filters:
        return any(_last_word(_patterns(filters["paths"]), path) for path in occasion.paths)
    if "paths-ignore" in filters:
        return any(not _last_word(_patterns(filters["paths-ignore"]), path) for path in occasion.paths)
    return True


def _patterns(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]
