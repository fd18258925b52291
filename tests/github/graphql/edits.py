"""Who edited a text last, and when: `editor` and `lastEditedAt`, which only GraphQL shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.github.events import CommentChanged, DomainEvent, IssueChanged, PullRequestChanged
from tests.github.state import Comment, Issue

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


def attach(github: SimulatedGitHub) -> None:
    async def note(event: DomainEvent) -> None:
        text = edited_text(event)
        if text is not None and isinstance(event, PullRequestChanged | IssueChanged | CommentChanged):
            text.body_edited_at, text.body_edited_by = github.world.now(), event.actor

    github.listeners.append(note)


def edited_text(event: DomainEvent) -> Issue | Comment | None:
    """The record whose body this event changed."""
    if not isinstance(event, PullRequestChanged | IssueChanged | CommentChanged):
        return None
    if event.action != "edited" or "body" not in event.changes:
        return None
    if isinstance(event, CommentChanged):
        return event.comment
    return event.pull.issue if isinstance(event, PullRequestChanged) else event.issue
