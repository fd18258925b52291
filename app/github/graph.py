"""Typed GraphQL reads. A connection is followed beyond its first page only when GitHub counts more than it sent."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import Field

from app.github import documents
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.github.models import CheckRun, CheckSuite, Comment, Connection, HeadCommit, MaybeHead, Model, PullCommit
from app.github.pull_models import (
    BranchTip,
    HeadNode,
    MaybeBranch,
    OpenPull,
    PullHead,
    PullRequest,
    PullState,
    QueuedEntry,
    Repository,
    Review,
)
from app.github.rest_models import Listing

T = TypeVar("T")

MOST_PAGES = 5
"""Follow-up pages of one connection; what is still missing then shows as an incomplete connection."""


class _Cost(Model):
    cost: int


class _PullRepository(Repository):
    pull_request: PullRequest | None


class _PullAnswer(Model):
    rate_limit: _Cost | None
    repository: _PullRepository | None


async def pull_state(client: GitHubClient, owner: str, name: str, number: int) -> PullState:
    """Everything about one pull request, in one request when its lists fit into the first pages.

    Raises NotFound when the pull request, or the repository for this App, does not exist. Reads of one answer are
    consistent; follow-up pages may be newer, so compare `head_ref_oid` with a later `pull_head`.
    """
    variables = {"owner": owner, "name": name, "number": number}
    answer = await client.graphql(
        documents.PULL_STATE, variables, purpose="read:pull", repository=name, model=_PullAnswer
    )
    if answer.repository is None or answer.repository.pull_request is None:
        raise NotFound("GraphQL PullState", f"{owner}/{name} has no pull request {number} that this App may see")
    pull = await _whole_pull(client, owner, name, answer.repository.pull_request)
    repository = Repository.model_validate(answer.repository.model_dump(exclude={"pull_request"}))
    return PullState(repository=repository, pull=pull, cost=answer.rate_limit.cost if answer.rate_limit else 0)


async def _whole_pull(client: GitHubClient, owner: str, name: str, pull: PullRequest) -> PullRequest:
    changed: dict[str, Any] = {}
    if not pull.commits.complete:
        changed["commits"] = await _forward(
            client, name, documents.MORE_COMMITS, {"pull": pull.id}, pull.commits, PullCommit
        )
    if pull.reviews is not None and not pull.reviews.complete:
        changed["reviews"] = await _backward(
            client, name, documents.MORE_REVIEWS, {"pull": pull.id}, pull.reviews, Review
        )
    if not pull.comments.complete:
        changed["comments"] = await _backward(
            client, name, documents.MORE_COMMENTS, {"pull": pull.id}, pull.comments, Comment
        )
    head = pull.head_commit
    if head is not None and not head.complete:
        node = HeadNode(commit=await _whole_commit(client, owner, name, head))
        changed["head"] = pull.head.model_copy(update={"nodes": (node,)})
    return pull.model_copy(update=changed) if changed else pull


async def _whole_commit(client: GitHubClient, owner: str, name: str, commit: HeadCommit) -> HeadCommit:
    """The commit with all its check suites and their check runs."""
    suites = commit.check_suites
    if suites is None:
        return commit
    if not suites.complete:
        variables = {"owner": owner, "name": name, "sha": commit.oid}
        suites = await _forward(client, name, documents.MORE_SUITES, variables, suites, CheckSuite)
    whole = tuple([await _whole_suite(client, name, suite) for suite in suites.nodes])
    return commit.model_copy(update={"check_suites": suites.model_copy(update={"nodes": whole})})


async def _whole_suite(client: GitHubClient, name: str, suite: CheckSuite) -> CheckSuite:
    runs = suite.check_runs
    if runs is None or runs.complete:
        return suite
    runs = await _forward(client, name, documents.MORE_CHECK_RUNS, {"suite": suite.id}, runs, CheckRun)
    return suite.model_copy(update={"check_runs": runs})


async def _forward(
    client: GitHubClient, name: str, document: str, variables: dict[str, Any], start: Connection[T], item: type[T]
) -> Connection[T]:
    """`start` with the pages after it."""
    nodes, page = list(start.nodes), start
    for _ in range(MOST_PAGES):
        if not page.page_info.has_next_page or page.page_info.end_cursor is None:
            break
        page = await _page(client, name, document, {**variables, "cursor": page.page_info.end_cursor}, item)
        nodes += page.nodes
    return start.model_copy(update={"nodes": tuple(nodes), "total_count": page.total_count})


async def _backward(
    client: GitHubClient, name: str, document: str, variables: dict[str, Any], start: Connection[T], item: type[T]
) -> Connection[T]:
    """`start`, which holds the newest, with the pages before it; oldest first."""
    nodes, page = list(start.nodes), start
    for _ in range(MOST_PAGES):
        if not page.page_info.has_previous_page or page.page_info.start_cursor is None:
            break
        page = await _page(client, name, document, {**variables, "cursor": page.page_info.start_cursor}, item)
        nodes = [*page.nodes, *nodes]
    return start.model_copy(update={"nodes": tuple(nodes), "total_count": page.total_count})


async def _page(
    client: GitHubClient, name: str, document: str, variables: dict[str, Any], item: type[T]
) -> Connection[T]:
    answer = await client.graphql(document, variables, purpose="read:more", repository=name, model=_Holder)
    found = answer.node or (answer.repository or {}).get("object") or {}
    if "page" not in found:
        raise NotFound(
            f"GraphQL {document.split('(')[0].strip()}", "the object that was read a moment ago is gone; read again"
        )
    model: type[Connection[T]] = Connection[item]  # type: ignore[valid-type]  # pydantic makes the model of this item's type here
    return model.model_validate(found["page"])


class _Holder(Model):
    node: dict[str, Any] | None = None
    repository: dict[str, Any] | None = None


class _HeadRepository(Model):
    pull_request: PullHead | None


class _HeadAnswer(Model):
    repository: _HeadRepository | None


async def pull_head(client: GitHubClient, owner: str, name: str, number: int) -> PullHead:
    """The small re-read before something is posted. Raises NotFound."""
    variables = {"owner": owner, "name": name, "number": number}
    answer = await client.graphql(
        documents.PULL_HEAD, variables, purpose="read:head", repository=name, model=_HeadAnswer
    )
    if answer.repository is None or answer.repository.pull_request is None:
        raise NotFound("GraphQL PullHead", f"{owner}/{name} has no pull request {number} that this App may see")
    return answer.repository.pull_request


class _ObjectRepository(Model):
    object: MaybeHead


class _ObjectAnswer(Model):
    repository: _ObjectRepository | None


async def commit_state(client: GitHubClient, owner: str, name: str, sha: str) -> HeadCommit:
    """A commit with its tree, parents, workflow files and all check suites; for heads of merge groups.

    Raises NotFound when there is no such commit.
    """
    variables = {"owner": owner, "name": name, "sha": sha}
    answer = await client.graphql(
        documents.COMMIT_STATE, variables, purpose="read:commit", repository=name, model=_ObjectAnswer
    )
    commit = answer.repository.object if answer.repository else None
    if commit is None:
        raise NotFound("GraphQL CommitState", f"{owner}/{name} has no commit {sha[:64]} that this App may see")
    return commit if commit.complete else await _whole_commit(client, owner, name, commit)


class _RefRepository(Model):
    ref: MaybeBranch


class _RefAnswer(Model):
    repository: _RefRepository | None


async def branch_tip(client: GitHubClient, owner: str, name: str, ref: str) -> BranchTip | None:
    """The tip of a branch (`refs/heads/…`) with policy and workflows, as `pull_state` gives it for the base.

    None when there is no such branch. For the base of a stack. Raises NotFound when the repository is not there.
    """
    variables = {"owner": owner, "name": name, "ref": ref}
    answer = await client.graphql(
        documents.BRANCH_TIP, variables, purpose="read:branch", repository=name, model=_RefAnswer
    )
    if answer.repository is None:
        raise NotFound("GraphQL BranchTip", f"this App may not see {owner}/{name}")
    return answer.repository.ref


class CodeownersError(Model):
    """A line (from 1) of the file at `path`, and where in `source` (from 1) it is wrong. `kind` is GitHub's word."""

    line: int
    column: int
    kind: str
    source: str
    path: str


class _Codeowners(Model):
    errors: tuple[CodeownersError, ...]


class _OwnedRepository(Model):
    codeowners: _Codeowners | None


class _OwnedAnswer(Model):
    repository: _OwnedRepository | None


async def codeowners_errors(client: GitHubClient, owner: str, name: str, ref: str) -> tuple[CodeownersError, ...]:
    """What GitHub finds wrong in CODEOWNERS of a branch (`refs/heads/…`): lines, and owners whom it does not know."""
    variables = {"owner": owner, "name": name, "ref": ref}
    answer = await client.graphql(
        documents.CODEOWNERS, variables, purpose="read:owners", repository=name, model=_OwnedAnswer
    )
    if answer.repository is None:
        raise NotFound("GraphQL Codeowners", f"this App may not see {owner}/{name}")
    return answer.repository.codeowners.errors if answer.repository.codeowners else ()


class _Queue(Model):
    entries: Connection[QueuedEntry] | None


class _QueueRepository(Model):
    merge_queue: _Queue | None


class _QueueAnswer(Model):
    repository: _QueueRepository | None


async def queue_entries(client: GitHubClient, owner: str, name: str, branch: str) -> Listing[QueuedEntry] | None:
    """The merge queue of a branch (short name), front first; None when the branch has no queue.

    Raises NotFound when the repository is not there.
    """
    entries: list[QueuedEntry] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        variables = {"owner": owner, "name": name, "branch": branch, "cursor": cursor}
        answer = await client.graphql(
            documents.QUEUE_ENTRIES, variables, purpose="read:queue", repository=name, model=_QueueAnswer
        )
        if answer.repository is None:
            raise NotFound("GraphQL QueueEntries", f"this App may not see {owner}/{name}")
        queue = answer.repository.merge_queue
        if queue is None or queue.entries is None:
            return None
        entries += queue.entries.nodes
        if not queue.entries.page_info.has_next_page:
            return Listing(items=tuple(entries), complete=len(entries) >= queue.entries.total_count)
        cursor = queue.entries.page_info.end_cursor
    return Listing(items=tuple(entries), complete=False)


PULLS = 100  # open pull requests on a page
MOST_LISTS = 200
"""Pages of them; the seconds that they take must fit into one attempt."""


class _PullsRepository(Model):
    pulls: Connection[OpenPull] = Field(alias="pullRequests")


class _PullsAnswer(Model):
    repository: _PullsRepository | None


async def open_pulls(client: GitHubClient, owner: str, name: str) -> Listing[OpenPull]:
    """The open pull requests of a repository, oldest first, up to 20,000. Raises NotFound."""
    pulls: list[OpenPull] = []
    cursor: str | None = None
    for _ in range(MOST_LISTS):
        variables = {"owner": owner, "name": name, "cursor": cursor}
        answer = await client.graphql(
            documents.OPEN_PULLS, variables, purpose="read:pulls", repository=name, model=_PullsAnswer
        )
        if answer.repository is None:
            raise NotFound("GraphQL OpenPulls", f"this App may not see {owner}/{name}")
        page = answer.repository.pulls
        pulls += page.nodes
        if not page.page_info.has_next_page:
            return Listing(items=tuple(pulls), complete=len(pulls) >= page.total_count)
        cursor = page.page_info.end_cursor
    return Listing(items=tuple(pulls), complete=False)
