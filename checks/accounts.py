"""Accounts on GitHub with their permissions, and what they did to a pull request: commits, comments, reviews."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from checks.unread import Unread


class Permission(IntEnum):
    """A person's permission on a repository, in GitHub's words and order."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5


@dataclass(frozen=True, slots=True)
class Account:
    """A GitHub account. `type` is GitHub's word: `User`, `Bot`, `Organization`, `Mannequin`; unknown words are kept."""

    login: str
    id: int | None = None
    type: str = "User"

    @property
    def is_bot(self) -> bool:
        return self.type != "User" or self.login.endswith("[bot]")


@dataclass(frozen=True, slots=True)
class CommitIdentity:
    """Author or committer of a commit. `account` is None when GitHub maps the e-mail address to nobody."""

    name: str
    email: str
    account: Account | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    oid: str
    message: str  # at most the first 8 KiB
    author: CommitIdentity
    committer: CommitIdentity
    signature_valid: bool = False
    signed_by_github: bool = False  # web-flow and GitHub's own agents


@dataclass(frozen=True, slots=True)
class Comment:
    id: int
    author: Account
    body: str
    created_at: datetime
    edited_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """A review with what was true when it was delivered.

    `commit` and `base_ref` are as delivered (GitHub may re-bind the commit later). `bundle_digest` and
    `ticket_digest` are those shown to the reviewer; Unread when that is not known any more.
    """

    id: int
    author: Account
    state: str  # APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING; unknown words are kept
    commit: str
    submitted_at: datetime
    base_ref: str | Unread
    bundle_digest: str | Unread | None
    ticket_digest: str | Unread | None
    comment: bool = False  # a comment that approves, as people at a phone write it, instead of a review
    given: str | None = None  # the state as it was first seen, before any dismissal; None: not known
    dismissed_by: str | None = None  # login; None: not dismissed, or not known by whom
    at_head: bool | None = None  # whether `commit` was the head when this was given; None: not known


@dataclass(frozen=True, slots=True)
class Override:
    """A person's demand that this head is let through in spite of what the policy says, with their reason."""

    author: Account
    reason: str  # at most 1,000 characters
    commit: str  # the head that it was given on
    given_at: datetime
    comment_id: int
