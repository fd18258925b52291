"""What the gate may do towards people: acknowledge a command, ask for reviews, take such a request back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerComment:
    """React to a comment, once; `content` is GitHub's word: `+1`, `confused`."""

    comment_id: int
    content: str


OfPeople = AnswerComment
