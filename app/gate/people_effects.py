"""What the gate may do towards people: acknowledge a command, ask for reviews, take such a request back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerComment:
    """React to a comment, once; `content` is GitHub's word: `+1`, `confused`."""

    comment_id: int
    content: str


@dataclass(frozen=True, slots=True)
class AskReviewers:
    """Request reviews of these (`@login`, `organisation/team`), each of whom is notified."""

    number: int
    reviewers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WithdrawRequests:
    """Take requests of the gate's own back."""

    number: int
    reviewers: tuple[str, ...]


OfPeople = AnswerComment | AskReviewers | WithdrawRequests
