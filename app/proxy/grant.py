"""What a session may do: the one description that git routes, the API slice and the words of refusals read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Right(StrEnum):
    """One thing beyond reading that a session can be granted."""

    PUSH = "push"  # create the branch and move it forward
    FORCE = "force"  # move it to a commit that does not contain the old one
    DELETE = "delete"
    PULL_REQUEST = "pull_request"  # open and edit the pull request of its branch
    COMMENT = "comment"  # on its own pull request and ticket


@dataclass(frozen=True, slots=True)
class Grant:
    """A session's grant as it stood when the request began."""

    session: int
    installation_id: int
    repository_id: int
    owner: str
    repository: str
    branch: str  # a full ref, `refs/heads/agent/…`
    base: str  # the full ref of the branch that its pull request targets
    ticket: int | None  # the number
    agent: str
    operator: str | None  # login of the person who answers for the agent
    rights: frozenset[Right]
    expires_at: datetime
