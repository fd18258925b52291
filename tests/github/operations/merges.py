"""Landing pull requests: the commits that merge, squash and rebase make, and what follows on the records.

https://docs.github.com/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.github.auth import Actor
from tests.github.errors import ApiError
from tests.github.git import Git, Person
from tests.github.operations import mergeable
from tests.github.operations.pulls import edit_pull, mark_merged
from tests.github.operations.pushes import update_ref
from tests.github.state import PullRequest, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

METHODS = ("merge", "squash", "rebase")
HEAD_MODIFIED = "Head branch was modified. Review and try the merge again."
BASE_MODIFIED = "Base branch was modified. Review and try the merge again."
NOT_MERGEABLE = "Pull Request is not mergeable"
DRAFT = "Pull Request is still a draft"
WORKFLOWS = ".github/workflows/"


@dataclass(frozen=True)
class Message:
    """Title and body of the commit; None means GitHub's default for the method."""

    title: str | None = None
    body: str | None = None


def check_basics(pull: PullRequest, expected_head: str | None) -> None:
    """What is looked at first: open, not a draft, at the expected head. ApiError 405 or 409."""
    if pull.issue.state == "closed":
        raise ApiError(405, NOT_MERGEABLE)
    if pull.draft:
        raise ApiError(405, DRAFT)
    if expected_head is not None and expected_head != pull.head_sha:
        raise ApiError(409, HEAD_MODIFIED)


async def check_workflows_permission(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: Actor
) -> None:
    """ApiError 403 when an App without the `workflows` permission would land a change of a workflow file."""
    if not actor.is_bot or actor.permissions.get("workflows") == "write":
        return
    git = github.git(repository)
    base = await git.merge_base(pull.base_sha, pull.head_sha)
    changes = await git.diff(base, pull.head_sha) if base else []
    touched = [c.path for c in changes if c.path.startswith(WORKFLOWS) or (c.previous_path or "").startswith(WORKFLOWS)]
    if touched:
        message = (
            f"refusing to allow a GitHub App to create or update workflow `{touched[0]}` without `workflows` permission"
        )
        raise ApiError(403, message)


async def merged_commit(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    base: str,
    method: str,
    person: Person,
    message: Message = Message(),
) -> str | None:
    """The commit that landing `pull` on the commit `base` by `method` gives; None when they conflict. Moves no ref."""
    git = github.git(repository)
    if method == "rebase":
        return await _replayed(github, git, pull, base)
    tree = await git.merge_tree(base, pull.head_sha)
    if tree is None:
        return None
    parents = [base, pull.head_sha] if method == "merge" else [base]
    text = _message(repository, pull, method, message)
    now = github.world.now()
    commit = await git.commit_tree(tree, parents, text, person, at=now, committer=mergeable.WEB_FLOW)
    repository.verified_commits.add(commit)
    return commit


async def land(
    github: SimulatedGitHub,
    repository: Repository,
    landing: Sequence[tuple[PullRequest, str]],
    actor: str,
    *,
    branch: str,
    expected: str,
    activity_type: str = "pr_merge",
) -> None:
    """Move `branch` to the last commit and mark each pull request merged by its own commit.

    ApiError 405 when the branch is not at `expected` any more; nothing has happened then.
    """
    await move_branch(github, repository, branch, landing[-1][1], actor, expected=expected, activity_type=activity_type)
    for pull, commit in landing:
        await mark_merged(github, repository, pull, actor, commit)
    for pull, _commit in landing:
        await leave_stack(github, repository, pull, actor)


async def move_branch(
    github: SimulatedGitHub,
    repository: Repository,
    branch: str,
    commit: str,
    actor: str,
    *,
    expected: str,
    activity_type: str,
) -> None:
    """ApiError 405 when the branch is not at `expected` any more."""
    try:
        await update_ref(
            github,
            repository,
            f"refs/heads/{branch}",
            commit,
            actor,
            expected=expected,
            activity_type=activity_type,
        )
    except ApiError as error:
        raise ApiError(405, BASE_MODIFIED) from error


def person_of(github: SimulatedGitHub, login: str) -> Person:
    account = github.world.accounts.get(login)
    if account is None:
        return Person(login, f"{login}@users.noreply.github.com")
    return Person(account.name or login, account.email or f"{account.id}+{login}@users.noreply.github.com")


def _message(repository: Repository, pull: PullRequest, method: str, message: Message) -> str:
    if method == "merge":
        title = message.title or f"Merge pull request #{pull.number} from {repository.owner}/{pull.head_ref}"
        default = {"PR_TITLE": pull.issue.title, "PR_BODY": pull.issue.body, "BLANK": ""}
        body = message.body if message.body is not None else default[repository.merge_commit_message]
    else:
        title = message.title or f"{pull.issue.title} (#{pull.number})"
        default = {"PR_BODY": pull.issue.body, "COMMIT_MESSAGES": "", "BLANK": ""}
        body = message.body if message.body is not None else default[repository.squash_merge_commit_message]
    return f"{title}\n\n{body}".rstrip() + "\n"


async def _replayed(github: SimulatedGitHub, git: Git, pull: PullRequest, base: str) -> str | None:
    """Each commit of the pull request on top of the last, by three-way merge; None at the first conflict."""
    tip = base
    for sha in await git.commits("--reverse", f"{base}..{pull.head_sha}"):
        commit = await git.commit(sha)
        if len(commit.parents) != 1:
            return None  # GitHub does not rebase merge commits
        tree = await _three_way(github, git, commit.parents[0], tip, sha)
        if tree is None:
            return None
        committer = mergeable.WEB_FLOW
        tip = await git.commit_tree(
            tree, [tip], commit.message + "\n", commit.author, at=github.world.now(), committer=committer
        )
    return tip


async def _three_way(github: SimulatedGitHub, git: Git, base: str, ours: str, theirs: str) -> str | None:
    """git 2.39's merge-tree takes no base, so three commits are made that have the wanted base in common."""
    now, who = github.world.now(), mergeable.WEB_FLOW
    trees = [(await git.commit(sha)).tree for sha in (base, ours, theirs)]
    root = await git.commit_tree(trees[0], [], "base", who, at=now)
    left, right = [await git.commit_tree(tree, [root], "side", who, at=now) for tree in trees[1:]]
    return await git.merge_tree(left, right)


async def leave_stack(github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: str) -> None:
    """The layer above a merged bottom layer aims at the stack's base from now on."""
    stack = repository.stacks.get(pull.stack_id or 0)
    if stack is None:
        return
    stack.pulls = [number for number in stack.pulls if number != pull.number]
    pull.stack_id = None
    above = [repository.pulls[number] for number in stack.pulls]
    if above and above[0].issue.state == "open" and above[0].base_ref != stack.base_ref:
        await edit_pull(github, repository, above[0], actor, base=stack.base_ref)
    if len(above) < 2:
        for last in above:
            last.stack_id = None
        del repository.stacks[stack.id]
