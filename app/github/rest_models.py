"""What the REST calls answer (version 2026-03-10), as narrow frozen models of the fields that are used.

Unknown keys are ignored and enum values stay text, because GitHub adds both without notice. Times carry their offset.
Only what GitHub always sends is required; the rest has a default that says "not told".
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

from pydantic import AwareDatetime, BeforeValidator, ConfigDict, Field

from app.json_model import JsonModel

T = TypeVar("T")


class Model(JsonModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Listing(Model, Generic[T]):
    """All pages of a list; `complete` is false when the page limit cut it or GitHub counted more than it sent."""

    items: tuple[T, ...]
    complete: bool


class Account(Model):
    """A user, bot or organisation; match by `id`, never by login."""

    id: int
    login: str
    type: str = "User"


class AppRef(Model):
    id: int
    slug: str = ""


class RepositoryRef(Model):
    id: int
    full_name: str = ""


class StackBase(Model):
    ref: str
    sha: str | None


class Stack(Model):
    """A stack of pull requests as one of them shows it. `base` is the branch that every layer is judged against."""

    base: StackBase
    id: int | None = None
    number: int | None = None
    size: int | None = None
    position: int | None = None


class LayerHead(Model):
    sha: str


class Layer(Model):
    """A pull request of a stack as the stack shows it."""

    number: int
    state: str
    head: LayerHead


class Layers(Model):
    """A stack's pull requests, from the bottom."""

    pull_requests: tuple[Layer, ...]


class PullEnd(Model):
    """Head or base. `repo` is None when the fork was deleted."""

    ref: str
    sha: str
    repo: RepositoryRef | None = None


class Pull(Model):
    """A pull request by REST. `mergeable` is None while GitHub has not computed it."""

    id: int
    node_id: str
    number: int
    state: str
    title: str
    user: Account | None
    draft: bool = False
    merged: bool = False
    merged_at: AwareDatetime | None = None
    mergeable: bool | None = None
    mergeable_state: str = ""
    updated_at: AwareDatetime
    head: PullEnd
    base: PullEnd
    stack: Stack | None = None


class CheckOutput(Model):
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations_count: int = 0


class SuiteRef(Model):
    id: int


class CheckRun(Model):
    id: int
    name: str
    head_sha: str
    external_id: str | None = None
    status: str
    conclusion: str | None
    started_at: AwareDatetime | None = None
    completed_at: AwareDatetime | None = None
    output: CheckOutput = CheckOutput()
    app: AppRef | None = None
    check_suite: SuiteRef | None = None
    html_url: str | None = None


class CheckRunPage(Model):
    total_count: int
    check_runs: tuple[CheckRun, ...]


class Permission(Model):
    """`permission` is the old word (admin, write, read, none), `role_name` the role, custom ones included."""

    permission: str
    role_name: str = ""
    user: Account | None = None


class Member(Model):
    """Somebody in the list of a team's members."""

    login: str


class Membership(Model):
    """A team membership; only `state` "active" is one."""

    state: str
    role: str = ""


class Activity(Model):
    """A change of a ref: who moved it from `before` to `after`. Forks' pushes are not in the list."""

    id: int
    ref: str
    before: str
    after: str
    timestamp: AwareDatetime
    activity_type: str
    actor: Account | None


class GitObject(Model):
    sha: str
    type: str


class GitRef(Model):
    ref: str
    object: GitObject


class Sha(Model):
    sha: str


class GitIdentity(Model):
    name: str | None = None
    email: str | None = None
    date: AwareDatetime | None = None


class Verification(Model):
    verified: bool
    reason: str = ""


class CommitDetail(Model):
    message: str
    tree: Sha
    author: GitIdentity | None
    committer: GitIdentity | None
    verification: Verification | None = None


Somebody = Annotated[Account | None, BeforeValidator(lambda value: value or None)]
"""An account; GitHub also sends `{}` for "nobody known"."""


class Commit(Model):
    sha: str
    commit: CommitDetail
    author: Somebody = None
    committer: Somebody = None
    parents: tuple[Sha, ...]


class DiffFile(Model):
    filename: str
    status: str
    additions: int
    deletions: int
    previous_filename: str | None = None
    sha: str | None = None


class Comparison(Model):
    """Three-dot comparison. GitHub ends `files` at 300 and `commits` at 250 without a word."""

    status: str
    ahead_by: int
    behind_by: int
    total_commits: int
    merge_base_commit: Sha
    commits: tuple[Commit, ...] = ()
    files: tuple[DiffFile, ...] | None = None


class Content(Model):
    """A file by the contents API; `content` is Base64 text when `encoding` is "base64" and absent over 1 MB."""

    type: str
    path: str
    sha: str
    size: int
    encoding: str | None = None
    content: str | None = None
    target: str | None = None


class Rule(Model):
    """An effective rule of a branch; `parameters` stays open because GitHub adds to it."""

    type: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    ruleset_source_type: str | None = None
    ruleset_source: str | None = None
    ruleset_id: int | None = None


class MergeDetails(Model):
    """Pending: all but `sha`; merged: `sha` and `message`; enqueued and failed: `message`."""

    message: str = ""
    uuid: str | None = None
    merge_method: str | None = None
    merge_action: str | None = None
    expected_head_sha: str | None = None
    bypass_rules: bool | None = None
    sha: str | None = None


class AsyncMerge(Model):
    """State of an asynchronous merge request: pending, merged, enqueued (final for the request) or failed."""

    status: str
    details: MergeDetails = MergeDetails()


class AsyncMergeAnswer(Model):
    """Answer to a submission. `foreign` is true for 409: `merge` then describes somebody else's pending request."""

    merge: AsyncMerge
    foreign: bool


class Merged(Model):
    sha: str | None = None
    merged: bool
    message: str = ""


class IssueComment(Model):
    id: int
    node_id: str = ""
    user: Account | None
    body: str | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    html_url: str = ""
    performed_via_github_app: AppRef | None = None

    def is_of(self, app_id: int) -> bool:
        """Whether the App wrote it as itself; it also writes for people, in their names."""
        if self.user is None or self.user.type != "Bot" or self.performed_via_github_app is None:
            return False
        return self.performed_via_github_app.id == app_id


class OpenIssue(Model):
    """An issue as the list shows it; pull requests are in that list too, and have `pull_request`."""

    number: int
    title: str
    pull_request: dict[str, Any] | None = None


class Label(Model):
    name: str


class Reaction(Model):
    id: int
    content: str


class RuleSuite(Model):
    """How GitHub's rules judged one push or merge."""

    id: int
    before_sha: str
    after_sha: str
    ref: str
    actor_id: int | None = None
    actor_name: str | None = None
    pushed_at: AwareDatetime | None = None
    result: str
    rule_evaluations: tuple[dict[str, Any], ...] | None = None
