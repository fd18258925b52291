"""Narrow models of webhook payloads: the fields the gate uses, everything else ignored.

Webhook payloads are not versioned by our API header and gain fields at any time, so only used fields are required
(https://docs.github.com/en/webhooks/webhook-events-and-payloads).
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from pydantic import ConfigDict

from app.json_model import JsonModel


class Narrow(JsonModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class AccountPayload(Narrow):
    id: int
    login: str
    type: str = "User"


class RepositoryPayload(Narrow):
    id: int
    name: str
    full_name: str
    default_branch: str = "main"

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]


class InstallationPayload(Narrow):
    id: int


class Envelope(Narrow):
    """What nearly every delivery to an App has."""

    action: str | None = None
    repository: RepositoryPayload | None = None
    installation: InstallationPayload | None = None
    sender: AccountPayload | None = None


class BranchPayload(Narrow):
    ref: str
    sha: str


class HeadRepositoryPayload(Narrow):
    id: int


class HeadPayload(BranchPayload):
    repo: HeadRepositoryPayload | None = None  # None: the fork was deleted


class PullPayload(Narrow):
    number: int
    head: HeadPayload
    base: BranchPayload


class PullRequestEvent(Envelope):
    before: str | None = None
    after: str | None = None
    pull_request: PullPayload


class ReviewedPull(PullPayload):
    body: str | None = None


class ReviewPayload(Narrow):
    id: int
    user: AccountPayload | None = None
    state: str
    body: str | None = None
    commit_id: str | None = None
    submitted_at: datetime | None = None


class ReviewEvent(PullRequestEvent):
    pull_request: ReviewedPull
    review: ReviewPayload


class IssuePayload(Narrow):
    number: int
    pull_request: dict[str, object] | None = None


class IssueEvent(Envelope):
    issue: IssuePayload


class AppPayload(Narrow):
    id: int


class CommentPayload(Narrow):
    id: int
    user: AccountPayload | None = None
    body: str | None = None
    created_at: datetime
    performed_via_github_app: AppPayload | None = None


class CommentEvent(IssueEvent):
    comment: CommentPayload


class CommitPayload(Narrow):
    head_sha: str
    app: AppPayload | None = None


class CheckRunEvent(Envelope):
    check_run: CommitPayload


class CheckSuiteEvent(Envelope):
    check_suite: CommitPayload


class WorkflowRunEvent(Envelope):
    workflow_run: CommitPayload


class WorkflowJobEvent(Envelope):
    workflow_job: CommitPayload


class StatusEvent(Envelope):
    sha: str


class MergeGroupPayload(Narrow):
    head_sha: str
    base_ref: str  # full ref


class MergeGroupEvent(Envelope):
    merge_group: MergeGroupPayload


class PushEvent(Envelope):
    ref: str
    before: str
    after: str


class AddedRepository(Narrow):
    id: int


class InstallationRepositoriesEvent(Envelope):
    repositories_added: tuple[AddedRepository, ...] = ()


Payload = TypeVar("Payload", bound=Narrow)

# The model from which rules and facts of an event can be had at once; every one of them is an Envelope.
WIDEST: dict[str, type[Envelope]] = {
    "check_run": CheckRunEvent,
    "check_suite": CheckSuiteEvent,
    "issue_comment": CommentEvent,
    "issues": IssueEvent,
    "merge_group": MergeGroupEvent,
    "pull_request": PullRequestEvent,
    "pull_request_review": ReviewEvent,
    "push": PushEvent,
    "status": StatusEvent,
    "workflow_job": WorkflowJobEvent,
    "workflow_run": WorkflowRunEvent,
}


class Body:
    """The JSON of one delivery, which is parsed once where one model holds all that is asked for."""

    __slots__ = ("_raw", "_seen")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._seen: list[Narrow] = []

    def read(self, model: type[Payload]) -> Payload:
        """Raises ValidationError for what is no JSON, or lacks a field of the model."""
        for seen in self._seen:
            if isinstance(seen, model):
                return seen
        found = model.model_validate_json(self._raw)
        self._seen.append(found)
        return found
