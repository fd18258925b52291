"""Webhook bodies: what GitHub says about each domain event.

A builder turns one event into messages; `builder(EventType)` registers it. Modules that own other records (checks,
Actions, rulesets, the queue) register theirs in the same way. The `installation` key is added for each App on sending.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tests.github import serialize_issues, serialize_pulls
from tests.github.events import (
    CommentChanged,
    DomainEvent,
    IssueChanged,
    LabelChanged,
    PullRequestChanged,
    ReviewCommentCreated,
    ReviewSubmitted,
)
from tests.github.serialize import Json, label, label_named, simple_user, team
from tests.github.serialize_repositories import owner_of_payload, repository
from tests.github.state import Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


@dataclass(frozen=True)
class Message:
    """One webhook before it is addressed.

    It goes to every App that subscribes to `event` and is installed on `repository` (or in `organization`); `only_app`
    names the one App that gets it, and `installation_id` the one installation, subscribed or not.
    """

    event: str
    body: Json
    repository: Repository | None = None
    organization: str | None = None
    only_app: int | None = None
    installation_id: int | None = None

    @property
    def action(self) -> str | None:
        action: str | None = self.body.get("action")
        return action


E = TypeVar("E", bound=DomainEvent)
Builder = Callable[["SimulatedGitHub", Any], Awaitable[list[Message]]]
BUILDERS: dict[type[DomainEvent], Builder] = {}


def builder(kind: type[E]) -> Callable[[Callable[[SimulatedGitHub, E], Awaitable[list[Message]]]], Builder]:
    """Registers the function as the builder for events of this type."""

    def register(function: Callable[[SimulatedGitHub, E], Awaitable[list[Message]]]) -> Builder:
        BUILDERS[kind] = function
        return function

    return register


async def messages_for(github: SimulatedGitHub, event: DomainEvent) -> list[Message]:
    found = BUILDERS.get(type(event))
    return await found(github, event) if found else []


def envelope(github: SimulatedGitHub, repo: Repository, actor: str) -> Json:
    """The keys that every repository event ends with."""
    world = github.world
    return {
        "repository": repository(world, repo),
        **owner_of_payload(world, repo),
        "sender": simple_user(world, actor),
    }


def message(github: SimulatedGitHub, event: str, repo: Repository, actor: str, body: Json) -> Message:
    return Message(event, body | envelope(github, repo, actor), repo)


@builder(PullRequestChanged)
async def pull_request_changed(github: SimulatedGitHub, event: PullRequestChanged) -> list[Message]:
    body: Json = {
        "action": event.action,
        "number": event.pull.number,
        "pull_request": await serialize_pulls.pull_full(github, event.repository, event.pull, judged=False),
        **({"changes": event.changes} if event.changes or event.action == "edited" else {}),
        **_expanded(github, event.repository, event.extra),
    }
    return [message(github, "pull_request", event.repository, event.actor, body)]


def _expanded(github: SimulatedGitHub, repo: Repository, extra: dict[str, Any]) -> Json:
    """Names of labels, people and teams become objects."""
    world, body = github.world, dict(extra)
    for key in ("assignee", "requested_reviewer"):
        if isinstance(body.get(key), str):
            body[key] = simple_user(world, body[key])
    if isinstance(body.get("label"), str):
        body["label"] = label_named(world, repo, body["label"])
    slug = body.get("requested_team")
    if isinstance(slug, str) and (found := world.teams.get((repo.owner, slug))):
        body["requested_team"] = team(world, found)
    return body


@builder(ReviewSubmitted)
async def review_submitted(github: SimulatedGitHub, event: ReviewSubmitted) -> list[Message]:
    review = serialize_pulls.review(github.world, event.repository, event.pull, event.review)
    body: Json = {
        "action": event.action,
        "review": review | {"state": event.review.state.lower(), "updated_at": review.get("submitted_at")},
        "pull_request": await serialize_pulls.pull_simple(github, event.repository, event.pull),
        **({"changes": {}} if event.action == "edited" else {}),
    }
    return [message(github, "pull_request_review", event.repository, event.actor, body)]


@builder(ReviewCommentCreated)
async def review_comment_created(github: SimulatedGitHub, event: ReviewCommentCreated) -> list[Message]:
    body: Json = {
        "action": "created",
        "comment": serialize_pulls.review_comment(github.world, event.repository, event.pull, event.comment),
        "pull_request": await serialize_pulls.pull_simple(github, event.repository, event.pull),
    }
    return [message(github, "pull_request_review_comment", event.repository, event.actor, body)]


@builder(IssueChanged)
async def issue_changed(github: SimulatedGitHub, event: IssueChanged) -> list[Message]:
    body: Json = {
        "action": event.action,
        "issue": serialize_issues.issue(github.world, event.repository, event.issue),
        **({"changes": event.changes} if event.changes or event.action == "edited" else {}),
        **_expanded(github, event.repository, event.extra),
    }
    return [message(github, "issues", event.repository, event.actor, body)]


@builder(CommentChanged)
async def comment_changed(github: SimulatedGitHub, event: CommentChanged) -> list[Message]:
    body: Json = {
        "action": event.action,
        **({"changes": event.changes} if event.action == "edited" else {}),
        "issue": serialize_issues.issue(github.world, event.repository, event.issue),
        "comment": serialize_issues.comment(github.world, event.repository, event.issue, event.comment),
    }
    return [message(github, "issue_comment", event.repository, event.actor, body)]


@builder(LabelChanged)
async def label_changed(github: SimulatedGitHub, event: LabelChanged) -> list[Message]:
    body: Json = {"action": event.action, "label": label(github.world, event.repository, event.label)}
    if event.action == "edited":
        body["changes"] = {}
    return [message(github, "label", event.repository, event.actor, body)]
