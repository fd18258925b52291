"""Order and states of lists of pull requests and issues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from tests.github.state import Issue, PullRequest

Record = TypeVar("Record", PullRequest, Issue)


def pull_state(pull: PullRequest) -> str:
    """`PullRequestState`."""
    if pull.merged_at is not None:
        return "MERGED"
    return pull.issue.state.upper()


def ordered(records: Sequence[Record], order: dict[str, str] | None) -> list[Record]:
    """By `IssueOrder`; without one by number, as GitHub lists them."""
    field = (order or {}).get("field", "CREATED_AT")
    down = (order or {}).get("direction", "ASC") == "DESC"
    return sorted(records, key=lambda record: _key(record, field), reverse=down)


def _key(record: Any, field: str) -> tuple[Any, ...]:
    issue: Issue = record.issue if isinstance(record, PullRequest) else record
    first: Any = {"UPDATED_AT": issue.updated_at, "COMMENTS": len(issue.comments)}.get(field, issue.created_at)
    return first, issue.number
