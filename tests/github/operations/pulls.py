"""Opening, editing, closing and drafting pull requests; who is asked to review them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.github.errors import ApiError, invalid
from tests.github.events import PullRequestChanged
from tests.github.operations import mergeable
from tests.github.state import BaseChange, Issue, PullRequest, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


def new_number(repository: Repository) -> int:
    """Issues and pull requests share one row of numbers."""
    number = repository.next_number
    repository.next_number += 1
    return number


def head_repository(github: SimulatedGitHub, repository: Repository, head: str) -> tuple[Repository, str]:
    """Splits `owner:branch` or `branch`; a foreign owner means their fork. ApiError 422 when there is none."""
    owner, colon, branch = head.rpartition(":")
    if not colon or owner == repository.owner:
        return repository, branch
    for candidate in github.world.repositories.values():
        if candidate.owner == owner and candidate.fork_of == repository.id:
            return candidate, branch
    raise invalid("PullRequest", "head", "invalid")


async def open_pull(
    github: SimulatedGitHub,
    repository: Repository,
    *,
    head: str,
    base: str,
    title: str,
    body: str | None,
    author: str,
    draft: bool = False,
) -> PullRequest:
    """Opens a pull request from `head` (`branch` or `owner:branch`); ApiError 422 as GitHub words it."""
    source, branch = head_repository(github, repository, head)
    head_sha = await github.git(source).rev_parse(f"refs/heads/{branch}")
    base_sha = await github.git(repository).rev_parse(f"refs/heads/{base}")
    _check_ends(head_sha, base_sha)
    assert head_sha is not None and base_sha is not None
    _refuse_second(repository, source, branch, base)
    if source.id != repository.id:
        await github.git(repository).fetch(source.git, f"refs/heads/{branch}", f"refs/forks/{source.id}/{branch}")
    if await github.git(repository).is_ancestor(head_sha, base_sha):
        raise _custom(f"No commits between {base} and {branch}")
    now = github.world.now()
    issue = Issue(github.world.new_id(), new_number(repository), title, body, author, created_at=now, updated_at=now)
    pull = PullRequest(github.world.new_id(), issue, source.id, branch, head_sha, base, base_sha, draft=draft)
    repository.issues[issue.number] = issue
    repository.pulls[issue.number] = pull
    await mergeable.renew_references(github, repository, pull)
    await github.publish(PullRequestChanged(repository, pull, "opened", author))
    return pull


def _check_ends(head_sha: str | None, base_sha: str | None) -> None:
    if head_sha is None:
        raise invalid("PullRequest", "head", "invalid")
    if base_sha is None:
        raise invalid("PullRequest", "base", "invalid")


def _custom(message: str) -> ApiError:
    return ApiError(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": message}])


def _refuse_second(repository: Repository, source: Repository, branch: str, base: str) -> None:
    for pull in repository.pulls.values():
        if pull.issue.state != "open":
            continue
        if (pull.head_repository_id, pull.head_ref, pull.base_ref) == (source.id, branch, base):
            raise _custom(f"A pull request already exists for {source.owner}:{branch}.")


async def edit_pull(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    actor: str,
    *,
    title: str | None = None,
    body: str | None = None,
    base: str | None = None,
) -> None:
    """Changes what is given and publishes one `edited` with the old values; a new base is judged at once."""
    changes: dict[str, Any] = {}
    issue = pull.issue
    if title is not None and title != issue.title:
        changes["title"] = {"from": issue.title}
        issue.title = title
    if body is not None and body != (issue.body or ""):
        changes["body"] = {"from": issue.body or ""}
        issue.body = body
    if base is not None and base != pull.base_ref:
        changes["base"] = await _retarget(github, repository, pull, base, actor)
    if changes:
        issue.updated_at = github.world.now()
        await github.publish(PullRequestChanged(repository, pull, "edited", actor, changes))


async def _retarget(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, base: str, actor: str
) -> dict[str, Any]:
    tip = await github.git(repository).rev_parse(f"refs/heads/{base}")
    if tip is None:
        raise invalid("PullRequest", "base", "invalid")
    changed = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
    world = github.world
    pull.base_changes.append(BaseChange(world.new_id(), pull.base_ref, base, actor, world.now()))
    pull.base_ref, pull.base_sha = base, tip
    await mergeable.renew_references(github, repository, pull)
    return changed


async def close_pull(github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: str) -> None:
    if pull.issue.state == "closed":
        return
    _close(github, pull, actor)
    await github.publish(PullRequestChanged(repository, pull, "closed", actor))


def _close(github: SimulatedGitHub, pull: PullRequest, actor: str) -> None:
    now = github.world.now()
    pull.issue.state, pull.issue.closed_at, pull.issue.closed_by = "closed", now, actor
    pull.issue.updated_at = now
    pull.auto_merge = None


async def mark_merged(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: str, commit: str
) -> None:
    """Records a merge that has already landed as `commit`, and publishes `closed`."""
    if pull.base_sha == commit:  # the base had moved to the merge before it was recorded
        pull.base_sha = (await github.git(repository).commit(commit)).parents[0]
    _close(github, pull, actor)
    pull.merged_at, pull.merged_by, pull.merge_commit_sha = github.world.now(), actor, commit
    await github.publish(PullRequestChanged(repository, pull, "closed", actor))


async def reopen_pull(github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: str) -> None:
    """ApiError 422 when the pull request is merged or its branch is gone."""
    if pull.issue.state == "open":
        return
    source = github.world.repositories.get(pull.head_repository_id or 0)
    tip = await github.git(source).rev_parse(f"refs/heads/{pull.head_ref}") if source else None
    if pull.merged_at is not None or tip is None:
        raise _custom("state cannot be changed. The pull request cannot be reopened.")
    pull.issue.state, pull.issue.closed_at, pull.issue.closed_by = "open", None, None
    pull.head_sha, pull.issue.updated_at = tip, github.world.now()
    await mergeable.renew_references(github, repository, pull)
    await github.publish(PullRequestChanged(repository, pull, "reopened", actor))


async def set_draft(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: str, *, draft: bool
) -> None:
    if pull.draft == draft:
        return
    pull.draft, pull.issue.updated_at = draft, github.world.now()
    action = "converted_to_draft" if draft else "ready_for_review"
    await github.publish(PullRequestChanged(repository, pull, action, actor))


async def request_reviewers(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    actor: str,
    users: Sequence[str] = (),
    teams: Sequence[str] = (),
) -> None:
    """ApiError 422 for the author, and for whom the repository does not know; one event for each new request."""
    _check_reviewers(github, repository, pull, users, teams)
    for login in users:
        if login not in pull.requested_reviewers:
            pull.requested_reviewers.append(login)
            extra = {"requested_reviewer": login}
            await github.publish(PullRequestChanged(repository, pull, "review_requested", actor, extra=extra))
    for slug in teams:
        if slug not in pull.requested_teams:
            pull.requested_teams.append(slug)
            extra = {"requested_team": slug}
            await github.publish(PullRequestChanged(repository, pull, "review_requested", actor, extra=extra))


def _check_reviewers(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, users: Sequence[str], teams: Sequence[str]
) -> None:
    if pull.issue.user in users:
        raise ApiError(422, "Review cannot be requested from pull request author.")
    unknown_user = any(login not in github.world.accounts for login in users)
    unknown_team = any(slug not in repository.teams for slug in teams)
    if unknown_user or unknown_team:
        message = "Reviews may only be requested from collaborators. One or more of the users or teams you specified "
        raise ApiError(422, f"{message}is not a collaborator of the {repository.full_name} repository.")


async def remove_requested_reviewers(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    actor: str,
    users: Sequence[str] = (),
    teams: Sequence[str] = (),
) -> None:
    for kind, asked, names in (
        ("requested_reviewer", pull.requested_reviewers, users),
        ("requested_team", pull.requested_teams, teams),
    ):
        for name in [n for n in names if n in asked]:
            asked.remove(name)
            event = PullRequestChanged(repository, pull, "review_request_removed", actor, extra={kind: name})
            await github.publish(event)
