"""What a delivery tells that must not be lost: who pushed, what a review was about, which comment approves. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.intake import payloads
from checks.approval_code import approved_word
from checks.branches import BRANCHES
from checks.bundle import BundleSource, bundle_digest, find_blocks
from checks.commands import LONGEST, read_commands


@dataclass(frozen=True, slots=True)
class PushFact:
    """Who moved a ref, as the delivery said."""

    ref: str
    before: str
    after: str
    sender: payloads.AccountPayload


@dataclass(frozen=True, slots=True)
class BaseFact:
    """Which base a pull request aimed at with this head, as the delivery said; it may have changed since."""

    pull_number: int
    head_sha: str
    base_ref: str  # full ref
    head_repository_id: int | None


@dataclass(frozen=True, slots=True)
class ReviewFact:
    """A review as delivered: the commit and base it was given for, and the bundle its reader saw in the body.

    `bundle_digest` is the empty text when the body held no bundle.
    """

    pull_number: int
    review_id: int
    reviewer: payloads.AccountPayload
    state: str  # upper case
    commit_id: str
    base_ref: str  # full ref
    bundle_digest: str
    submitted_at: datetime
    dismissed_by: str | None = None  # login, where this tells of a dismissal
    at_head: bool | None = None  # whether `commit_id` was the head when it was given; None where this came later


@dataclass(frozen=True, slots=True)
class ApprovalFact:
    """A new comment on a pull request whose first line approves `word`, by a person's own hand."""

    pull_number: int
    comment_id: int
    author: payloads.AccountPayload
    word: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class CommandFact:
    """A new comment or review by a person whose first line is a command, as it was delivered.

    `number` is the issue's or pull request's; `body` is cut to what is looked at.
    """

    source: Literal["comment", "review"]
    number: int
    comment_id: int
    author: payloads.AccountPayload
    body: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class CommentGone:
    """A comment was edited or deleted: what its first line said when it was new counts no more."""

    comment_id: int


def push_fact(event: str, envelope: payloads.Envelope, body: payloads.Body) -> PushFact | None:
    if envelope.sender is None:
        return None
    if event == "push":
        moved = body.read(payloads.PushEvent)
        return PushFact(moved.ref, moved.before, moved.after, envelope.sender)
    if event == "pull_request" and envelope.action == "synchronize":
        return _synchronize_fact(body.read(payloads.PullRequestEvent), envelope.sender)
    return None


def _synchronize_fact(event: payloads.PullRequestEvent, sender: payloads.AccountPayload) -> PushFact:
    """A push to a fork is delivered only this way."""
    head = event.pull_request.head
    return PushFact(BRANCHES + head.ref, event.before or "", event.after or head.sha, sender)


def base_fact(event: str, body: payloads.Body) -> BaseFact | None:
    if event != "pull_request":
        return None
    pull_request = body.read(payloads.PullRequestEvent).pull_request
    head, base_ref = pull_request.head, BRANCHES + pull_request.base.ref
    return BaseFact(pull_request.number, head.sha, base_ref, head.repo.id if head.repo else None)


def review_fact(event: str, action: str | None, body: payloads.Body) -> ReviewFact | None:
    if event != "pull_request_review":
        return None
    delivered = body.read(payloads.ReviewEvent)
    review, reviewed = delivered.review, delivered.pull_request
    if review.user is None or review.commit_id is None or review.submitted_at is None:
        return None
    return ReviewFact(
        reviewed.number,
        review.id,
        review.user,
        review.state.upper(),
        review.commit_id,
        BRANCHES + reviewed.base.ref,
        _body_digest(reviewed.body or ""),
        review.submitted_at,
        delivered.sender.login if action == "dismissed" and delivered.sender is not None else None,
        review.commit_id == reviewed.head.sha if action == "submitted" else None,
    )


def comment_fact(event: str, action: str | None, body: payloads.Body) -> ApprovalFact | CommentGone | None:
    if event != "issue_comment" or action not in ("created", "edited", "deleted"):
        return None
    delivered = body.read(payloads.CommentEvent)
    comment = delivered.comment
    if action != "created":
        return CommentGone(comment.id)
    word = approved_word(comment.body or "")
    if word is None or delivered.issue.pull_request is None or comment.user is None or comment.user.type != "User":
        return None
    if comment.performed_via_github_app is not None:
        return None
    return ApprovalFact(delivered.issue.number, comment.id, comment.user, word, comment.created_at)


def command_fact(
    event: str, action: str | None, body: payloads.Body, own_app_ids: frozenset[int]
) -> CommandFact | None:
    """Nothing for an edit, a bot, or an App that writes in a person's name. Our own pages do that for who pressed."""
    if (event, action) == ("pull_request_review", "submitted"):
        return _said_in_review(body.read(payloads.ReviewEvent))
    if (event, action) != ("issue_comment", "created"):
        return None
    delivered = body.read(payloads.CommentEvent)
    comment, via = delivered.comment, delivered.comment.performed_via_github_app
    if via is not None and via.id not in own_app_ids:
        return None
    return _command("comment", delivered, delivered.issue.number, comment, comment.created_at)


def _said_in_review(delivered: payloads.ReviewEvent) -> CommandFact | None:
    review = delivered.review
    if review.submitted_at is None:
        return None
    return _command("review", delivered, delivered.pull_request.number, review, review.submitted_at)


def _command(
    source: Literal["comment", "review"],
    delivered: payloads.Envelope,
    number: int,
    said: payloads.CommentPayload | payloads.ReviewPayload,
    at: datetime,
) -> CommandFact | None:
    sender, author, body = delivered.sender, said.user, said.body or ""
    if sender is None or author is None or sender.type != "User" or sender.id != author.id or not read_commands(body):
        return None
    return CommandFact(source, number, said.id, sender, body[:LONGEST], at)


def _body_digest(body: str) -> str:
    blocks = find_blocks(body)
    return bundle_digest(BundleSource(blocks[0].text, blocks[0].first_line)) if blocks else ""
