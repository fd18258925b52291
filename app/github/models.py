"""Parts of what the GraphQL documents answer, as narrow frozen models: people, commits, files, checks.

Unknown keys are ignored and enum values stay text, because GitHub adds both without notice. Times carry their offset.
Field names are GitHub's in snake case; source: https://docs.github.com/graphql/reference.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

from pydantic import AwareDatetime, BeforeValidator, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from app.json_model import JsonModel

T = TypeVar("T")


class Model(JsonModel):
    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True)


class PageInfo(Model):
    has_next_page: bool = False
    end_cursor: str | None = None
    has_previous_page: bool = False
    start_cursor: str | None = None


class Connection(Model, Generic[T]):
    """A list that GitHub serves in pages; `complete` says whether all of it is here."""

    total_count: int
    nodes: tuple[T, ...]
    page_info: PageInfo = PageInfo()

    @field_validator("nodes", mode="before")
    @classmethod
    def _without_nulls(cls, nodes: Any) -> Any:
        """GitHub puts null where an element could not be read; `complete` is false then."""
        return [node for node in nodes or () if node is not None]

    @property
    def complete(self) -> bool:
        return len(self.nodes) >= self.total_count


class Actor(Model):
    """A user, bot, mannequin, organisation or enterprise account. Match people by `database_id`, never by login."""

    type: str = Field(alias="__typename")
    login: str
    database_id: int | None = None


class Label(Model):
    name: str


class Comment(Model):
    """A comment of the conversation; `author` is None for a deleted account.

    `through_app`: an App wrote it in its author's name, or nobody knows yet. GraphQL never says so.
    """

    id: str
    full_database_id: int
    author: Actor | None
    body: str
    created_at: AwareDatetime
    last_edited_at: AwareDatetime | None
    is_minimized: bool
    viewer_did_author: bool
    through_app: bool = False

    @property
    def is_persons_word(self) -> bool:
        """Whether a person wrote it and nobody changed it since: who edits a comment, and to what, is anybody's."""
        is_person = self.author is not None and self.author.type == "User"
        return is_person and self.last_edited_at is None and not self.through_app


class Account(Model):
    login: str
    database_id: int | None = None


class GitActor(Model):
    """Author or committer as the commit says it; `user` only when GitHub knows the address."""

    email: str | None
    name: str | None
    user: Account | None


class Signature(Model):
    is_valid: bool
    state: str
    signer: Account | None
    was_signed_by_git_hub: bool = Field(alias="wasSignedByGitHub")


class Oid(Model):
    oid: str


class Commit(Model):
    oid: str
    message: str
    author: GitActor | None
    committer: GitActor | None
    signature: Signature | None
    parents: Connection[Oid]


class PullCommit(Model):
    commit: Commit


class Blob(Model):
    """A file. `text` is None for binary content; a truncated blob must be treated as not readable."""

    oid: str
    text: str | None = None
    byte_size: int
    is_truncated: bool
    is_binary: bool | None = None


def _having(key: str) -> BeforeValidator:
    """An inline fragment leaves `{}` of an object of another type; that reads as None."""
    return BeforeValidator(lambda value: value if not isinstance(value, dict) or key in value else None)


MaybeBlob = Annotated[Blob | None, _having("byteSize")]


class BlobEntry(Model):
    """A file in a tree. `mode` is the decimal of git's octal mode: 33188 is 100644, 40960 is a symbolic link."""

    name: str
    oid: str
    mode: int
    type: str
    object: MaybeBlob = None


class Tree(Model):
    oid: str
    entries: tuple[BlobEntry, ...] | None = None


MaybeTree = Annotated[Tree | None, _having("entries")]


class FileEntry(Model):
    """What stands at one path of a commit. `object` is None when it is not a file (a folder, a submodule)."""

    oid: str
    mode: int
    type: str
    object: MaybeBlob = None


class FolderEntry(Model):
    """A folder at one path of a commit; `object.entries` is None when the path is not a folder."""

    oid: str
    mode: int
    type: str
    object: MaybeTree = None


class PathEntry(Model):
    oid: str
    type: str


class TargetCommit(Model):
    """The tip of a target branch with what steers the gate there: policy, workflows (with text), local actions."""

    oid: str
    tree: Oid
    policy: FileEntry | None
    workflows: FolderEntry | None
    actions: PathEntry | None


class HeadCommit(Model):
    """A judged commit: its tree, parents, the workflow files it brings (ids only) and its check suites."""

    oid: str
    tree: Oid
    parents: Connection[Oid]
    committed_date: AwareDatetime
    workflows: FolderEntry | None
    actions: PathEntry | None
    check_suites: Connection[CheckSuite] | None

    @property
    def complete(self) -> bool:
        """Whether every suite and every check run is here."""
        suites = self.check_suites
        return suites is not None and suites.complete and all(suite.complete for suite in suites.nodes)


MaybeHead = Annotated[HeadCommit | None, _having("oid")]


class App(Model):
    database_id: int | None
    slug: str


class RunFile(Model):
    path: str


class Workflow(Model):
    database_id: int | None = None
    name: str


class WorkflowRun(Model):
    database_id: int
    event: str
    run_number: int
    updated_at: AwareDatetime
    file: RunFile | None
    workflow: Workflow


class CheckRun(Model):
    id: str
    database_id: int
    name: str
    status: str
    conclusion: str | None
    external_id: str | None
    title: str | None
    started_at: AwareDatetime | None
    completed_at: AwareDatetime | None
    details_url: str | None = None


class CheckSuite(Model):
    """Suites of GitHub Actions carry `workflow_run`; `app` is None when GitHub no longer knows it."""

    id: str
    database_id: int
    app: App | None
    status: str
    conclusion: str | None
    updated_at: AwareDatetime
    workflow_run: WorkflowRun | None
    check_runs: Connection[CheckRun] | None

    @property
    def complete(self) -> bool:
        return self.check_runs is not None and self.check_runs.complete
