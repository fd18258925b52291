"""From what happened in a repository to the runs it may start: which commit, which tree, which filters.

https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tests.github.actions.triggers import Occasion, starts
from tests.github.actions.workflow_file import WorkflowFile
from tests.github.errors import ApiError, not_found
from tests.github.events import ZERO, DomainEvent, MergeGroupChanged, PullRequestChanged, RefUpdated
from tests.github.git import EMPTY_TREE, Git
from tests.github.state import PullRequest, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

FOLDER = ".github/workflows"
MAXIMUM_INPUTS = 25
# https://docs.github.com/actions/how-tos/manage-workflow-runs/skip-workflow-runs
SKIP_MARKS = ("[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]")


@dataclass(frozen=True)
class Start:
    """Everything a new run is made of, before it is known which workflows want it.

    `head_sha` is what the API reports; `checkout_sha` is what jobs check out and where the workflow files are read.
    """

    repository: Repository
    occasion: Occasion
    head_sha: str
    head_branch: str | None
    checkout_sha: str
    checkout_ref: str
    actor: str
    title: str = ""
    pull_numbers: tuple[int, ...] = ()
    head_repository_id: int | None = None
    change: tuple[str, str] | None = None  # the two trees or commits whose difference path filters judge
    inputs: dict[str, str] = field(default_factory=dict)
    context: dict[str, str] = field(default_factory=dict)
    payload: dict[str, Any] = field(default_factory=dict)


async def of(github: SimulatedGitHub, event: DomainEvent) -> list[Start]:
    """The runs that `event` may start, none for most events."""
    start: Start | None = None
    if isinstance(event, RefUpdated):
        start = await _of_push(github, event)
    elif isinstance(event, PullRequestChanged):
        start = await _of_pull_request(github, event)
    elif isinstance(event, MergeGroupChanged) and event.action == "checks_requested":
        start = await _of_merge_group(github, event)
    return [start] if start else []


async def workflow_blobs(github: SimulatedGitHub, start: Start) -> list[tuple[str, str]]:
    """Path and blob id of the workflow files of the commit that will be checked out, in order of path."""
    entries = await github.git(start.repository).tree(start.checkout_sha, path=f"{FOLDER}/")
    return [(e.path, e.sha) for e in entries if e.type == "blob" and e.path.endswith((".yml", ".yaml"))]


async def triggers(github: SimulatedGitHub, start: Start, workflow: WorkflowFile) -> bool:
    """Whether the workflow wants this start; what was changed is looked up only where a filter asks."""
    occasion = start.occasion
    if start.change and {"paths", "paths-ignore"} & set(workflow.on.get(occasion.event, {})):
        changes = await github.git(start.repository).diff(*start.change)
        occasion = replace(occasion, paths=tuple(change.path for change in changes))
    return starts(workflow.on, occasion)


async def of_dispatch(
    github: SimulatedGitHub, repository: Repository, path: str, ref: str, inputs: dict[str, str], actor: str
) -> tuple[Start, bytes]:
    """A run started by hand, and the text of its workflow file.

    ApiError 422 for an unknown ref, 404 when the file is not in that tree.
    """
    git = github.git(repository)
    name = ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    full = f"refs/heads/{name}" if await git.rev_parse(f"refs/heads/{name}") else f"refs/tags/{name}"
    sha = await git.rev_parse(full, "commit")
    if sha is None:
        raise ApiError(422, f"No ref found for: {ref}")
    text = await git.read_file(sha, path)
    if text is None:
        raise not_found()
    start = Start(
        repository=repository,
        occasion=Occasion("workflow_dispatch"),
        head_sha=sha,
        head_branch=name,
        checkout_sha=sha,
        checkout_ref=full,
        actor=actor,
        inputs=inputs,
        payload={"inputs": inputs, "ref": full, "repository": {"full_name": repository.full_name}},
    )
    return start, text


def with_inputs(start: Start, workflow: WorkflowFile) -> Start:
    """`start` with the declared defaults filled in; ApiError 422 for a wrong set of inputs or a missing trigger."""
    filters = workflow.on.get("workflow_dispatch")
    if filters is None:
        raise ApiError(422, "Workflow does not have 'workflow_dispatch' trigger")
    declared = filters.get("inputs") or {}
    unexpected = sorted(set(start.inputs) - set(declared))
    if unexpected:
        raise ApiError(422, f"Unexpected inputs provided: {unexpected}")
    if len(start.inputs) > MAXIMUM_INPUTS:
        raise ApiError(422, f"At most {MAXIMUM_INPUTS} inputs may be given")
    defaults = {name: _default(name, rule or {}, start.inputs) for name, rule in declared.items()}
    return replace(start, inputs=defaults | start.inputs)


def _default(name: str, rule: dict[str, Any], given: dict[str, str]) -> str:
    if rule.get("required") is True and "default" not in rule and name not in given:
        raise ApiError(422, f"Required input '{name}' not provided")
    value = rule.get("default", "")
    return str(value).lower() if isinstance(value, bool) else str(value)


async def _of_push(github: SimulatedGitHub, event: RefUpdated) -> Start | None:
    tag = event.ref.removeprefix("refs/tags/") if event.ref.startswith("refs/tags/") else None
    if event.deleted or (event.branch is None and tag is None):
        return None
    git = github.git(event.repository)
    message = (await git.commit(event.after)).message
    if _says_skip(message):
        return None
    return Start(
        repository=event.repository,
        occasion=Occasion("push", branch=event.branch, tag=tag),
        change=(await _before(git, event), event.after),
        head_sha=event.after,
        head_branch=event.branch or tag,
        checkout_sha=event.after,
        checkout_ref=event.ref,
        actor=event.actor,
        title=message.split("\n", 1)[0],
        payload={
            "ref": event.ref,
            "before": event.before,
            "after": event.after,
            "repository": {"full_name": event.repository.full_name},
        },
    )


async def _of_pull_request(github: SimulatedGitHub, event: PullRequestChanged) -> Start | None:
    repository, pull = event.repository, event.pull
    git = github.git(repository)
    merge_ref = f"refs/pull/{pull.number}/merge"
    test_merge = await git.rev_parse(merge_ref, "commit")
    if test_merge is None:
        return None  # documented: no run while the pull request has a conflict
    if _says_skip((await git.commit(pull.head_sha)).message):
        return None
    own = pull.head_repository_id == repository.id
    fork_point = await git.merge_base(pull.base_sha, pull.head_sha)
    return Start(
        repository=repository,
        occasion=Occasion("pull_request", event.action, _target(repository, pull)),
        change=(fork_point, pull.head_sha) if fork_point else None,
        head_sha=pull.head_sha,
        head_branch=pull.head_ref,
        checkout_sha=test_merge,
        checkout_ref=merge_ref,
        actor=event.actor,
        title=pull.issue.title,
        pull_numbers=(pull.number,) if own else (),
        head_repository_id=pull.head_repository_id,
        context=_pull_context(pull),
        payload=_pull_payload(event),
    )


def _target(repository: Repository, pull: PullRequest) -> str:
    """The branch that filters speak of: every layer of a stack counts as aimed at the stack's base."""
    stack = repository.stacks.get(pull.stack_id or 0)
    return stack.base_ref if stack else pull.base_ref


def _pull_context(pull: PullRequest) -> dict[str, str]:
    event = "event.pull_request"
    return {
        "head_ref": pull.head_ref,
        "base_ref": pull.base_ref,
        "ref_name": f"{pull.number}/merge",
        "event.number": str(pull.number),
        f"{event}.number": str(pull.number),
        f"{event}.head.sha": pull.head_sha,
        f"{event}.head.ref": pull.head_ref,
        f"{event}.base.sha": pull.base_sha,
        f"{event}.base.ref": pull.base_ref,
        f"{event}.draft": str(pull.draft).lower(),
    }


def _pull_payload(event: PullRequestChanged) -> dict[str, Any]:
    pull = event.pull
    return {
        "action": event.action,
        "number": pull.number,
        "pull_request": {
            "number": pull.number,
            "title": pull.issue.title,
            "body": pull.issue.body,
            "draft": pull.draft,
            "user": {"login": pull.issue.user},
            "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": {"id": pull.head_repository_id}},
            "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": {"id": event.repository.id}},
        },
        "repository": {"full_name": event.repository.full_name},
        "sender": {"login": event.actor},
    }


async def _of_merge_group(github: SimulatedGitHub, event: MergeGroupChanged) -> Start | None:
    entry = event.entry
    if entry.group_sha is None or entry.group_ref is None or entry.base_sha is None:
        return None
    group = {
        "head_sha": entry.group_sha,
        "head_ref": entry.group_ref,
        "base_sha": entry.base_sha,
        "base_ref": f"refs/heads/{event.branch}",
    }
    commit = await github.git(event.repository).commit(entry.group_sha)
    return Start(
        repository=event.repository,
        occasion=Occasion("merge_group", "checks_requested", event.branch),
        head_sha=entry.group_sha,
        head_branch=entry.group_ref.removeprefix("refs/heads/"),
        checkout_sha=entry.group_sha,
        checkout_ref=entry.group_ref,
        actor=entry.enqueuer,
        title=commit.message.split("\n", 1)[0],
        context={f"event.merge_group.{key}": value for key, value in group.items()},
        payload={"action": event.action, "merge_group": group, "repository": {"full_name": event.repository.full_name}},
    )


def _says_skip(message: str) -> bool:
    return any(mark in message for mark in SKIP_MARKS)


async def _before(git: Git, event: RefUpdated) -> str:
    """What a push is compared with: the old tip, or for a new branch the parent of the new one."""
    if event.before != ZERO:
        return event.before
    parents = (await git.commit(event.after)).parents
    return parents[0] if parents else EMPTY_TREE
