"""Trying a merge: a commit that git makes of the target's tip and a head, on a branch of the gate's own, and its runs.

The commit never lands: GitHub makes its own when the pull request is merged, and `landing` compares the trees. It is
judged as a merge group of one member is, by the runs of the event `push` on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.gate.auditing import group_judged
from app.gate.baselines import read_group_baselines
from app.gate.deciding import Decided, record_news
from app.gate.gate import Gate
from app.gate.git import GitFailed, GitObjects
from app.gate.listing import foreign_check_runs
from app.gate.members import JudgedMember, accepted_paths, judge_member, record_members
from app.gate.mirror import PushRefused
from app.gate.names import RepositoryName
from app.gate.other_ci import with_builds
from app.gate.policies import policy_at
from app.gate.reports import with_reports_by_all
from app.gate.runs import read_runs
from app.gate.workflows import read_workflow_files
from app.github import graph
from app.github.counts import counting
from app.github.models import HeadCommit, TargetCommit
from app.keys import PullKey, QueueKey
from app.store import audit
from checks.branches import BRANCHES
from checks.group_snapshot import GroupSnapshot, TreeRebuild
from checks.runs import WorkflowFile
from checks.snapshot import Repository
from checks.unread import Unread
from policies.load import PolicyState
from policies.merge_group import evaluate_group
from policies.serial import Entry
from policies.verdict import GroupVerdict

PREFIX = f"{BRANCHES}mergegate/queue/"
MESSAGE = "Merge pull request {} into {}\n\nMade by the gate to run the workflows on it; this commit never lands.\n"


class CannotTry(RuntimeError):
    """The merge cannot be tried; the message says why and what to do, for whoever opened the pull request."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A commit to be tried. `ref` is the branch to make for it; empty where the head itself is tried."""

    sha: str
    ref: str


async def plan_trial(gate: Gate, repository: RepositoryName, entry: Entry, tip: str) -> Trial:
    """Make the commit, here only. Raises CannotTry, MissingObjects, GitFailed."""
    objects = await gate.mirrors.objects(
        entry.installation_id,
        repository,
        refs=(entry.target_ref, f"refs/pull/{entry.number}/head"),
        oids=(tip, entry.head_sha),
    )
    branch = entry.target_ref.removeprefix(BRANCHES)
    merge = await objects.merge(tip, entry.head_sha)
    if merge.conflict:
        raise CannotTry(f"It conflicts with `{branch}`. Merge or rebase `{branch}` into the branch and push.")
    if merge.tree is None:
        raise CannotTry(f"Its merge is not determined ({merge.because}). Merge `{branch}` into the branch and push.")
    message = MESSAGE.format(entry.number, branch)
    sha = await objects.commit_tree(merge.tree, (tip, entry.head_sha), message, int(gate.now().timestamp()))
    if await _changes_workflows(objects, sha, tip):
        return await _own_head(objects, entry, tip)
    return Trial(sha, f"{PREFIX}{branch}/pr-{entry.number}-{sha[:12]}")


async def _changes_workflows(objects: GitObjects, sha: str, tip: str) -> bool:
    files = await read_workflow_files(objects, sha, tip)
    return isinstance(files, Unread) or any(file.head_oid != file.target_oid for file in files)


async def _own_head(objects: GitObjects, entry: Entry, tip: str) -> Trial:
    """No App of ours may push a workflow file. A head that holds the target's tip is its own merge, tried already."""
    if await objects.is_ancestor(tip, entry.head_sha):
        return Trial(entry.head_sha, "")
    branch = entry.target_ref.removeprefix(BRANCHES)
    raise CannotTry(
        f"It changes workflow files, which the gate may not push. Merge `{branch}` into the branch; then its own runs "
        "are those of the merge, and a person merges it in its turn."
    )


async def publish(gate: Gate, repository: RepositoryName, entry: Entry, trial: Trial) -> None:
    """Push the branch. Raises CannotTry where GitHub's rules refuse it, GitFailed."""
    if not trial.ref:
        return
    try:
        await gate.mirrors.push(entry.installation_id, repository, trial.sha, trial.ref)
    except PushRefused as refused:
        branches = trial.ref.removeprefix(BRANCHES).rpartition("/")[0]
        raise CannotTry(
            f"GitHub refuses the gate's branch `{branches}/…`: {refused}. Ask an administrator to let the gate push it."
        ) from refused


@dataclass(frozen=True, slots=True)
class Tried:
    """`unfinished` are names of workflows that still run; then nothing else was looked at."""

    verdict: GroupVerdict | None
    unfinished: tuple[str, ...] = ()


async def judge_trial(gate: Gate, key: QueueKey, repository: RepositoryName, entry: Entry, tip: TargetCommit) -> Tried:
    """What the runs on the trial say, and whether its pull request still stands. Raises GitHub's errors, NotFound while
    GitHub does not show the commit."""
    client = gate.client(key.installation_id)
    sha = entry.trial_sha or entry.head_sha
    head = await graph.commit_state(client, repository.owner, repository.name, sha)
    event = "push" if entry.trial_ref else "pull_request"
    running = _unfinished(head, event)
    if running:
        return Tried(None, running)
    with counting(str(key)) as tally:
        state = await policy_at(gate, key.installation_id, repository, key.ref, tip)
        pull = PullKey(key.installation_id, key.repository_id, entry.number)
        member = await judge_member(gate, pull, repository, entry.head_sha, entry.target_ref)
        snapshot = await _snapshot(gate, key, repository, entry, head, state, event, member)
    verdict = evaluate_group(state, snapshot)
    async with gate.database.transaction() as connection:
        await record_members(connection, key, (member,))
        decided = Decided(snapshot, state, verdict, requests=tally.counts)
        if await record_news(connection, key, decided) is not None:
            await audit.append(connection, [group_judged(key, verdict)])
    return Tried(verdict)


def _unfinished(head: HeadCommit, event: str) -> tuple[str, ...]:
    suites = head.check_suites.nodes if head.check_suites else ()
    runs = [(suite, suite.workflow_run) for suite in suites if suite.workflow_run is not None]
    return tuple(
        run.workflow.name if run.workflow else "a workflow"
        for suite, run in runs
        if run.event == event and suite.status != "COMPLETED"
    )


async def _snapshot(
    gate: Gate,
    key: QueueKey,
    repository: RepositoryName,
    entry: Entry,
    head: HeadCommit,
    state: PolicyState,
    event: str,
    member: JudgedMember,
) -> GroupSnapshot:
    client = gate.client(key.installation_id)
    runs = await read_runs(gate, client, repository, head)
    runs = await with_reports_by_all(gate, client, repository, runs, state, (event,))
    base = entry.trial_base or ""
    rebuild, workflows = await _by_git(gate, repository, entry, head, base)
    start = GroupSnapshot(
        Repository(repository.id, repository.owner, repository.name, BRANCHES + (repository.default_branch or "")),
        head.oid,
        base,
        key.ref,
        (member.member,),
        rebuild,
        runs,
        workflows,
        gate.now(),
        head_seen_at=entry.since,
        accepted_changes=accepted_paths((member,)),
        event=event,
    )
    before = await read_group_baselines(gate, repository.id, key.ref, base, runs)
    listed = foreign_check_runs(head, gate.app_id)
    others = await with_builds(gate, repository.id, listed, state.policy, head.oid)
    return replace(start, check_runs=others, baselines=before)


async def _by_git(
    gate: Gate, repository: RepositoryName, entry: Entry, head: HeadCommit, base: str
) -> tuple[TreeRebuild | Unread, tuple[WorkflowFile, ...] | Unread]:
    """The tree that git makes now, against that of the commit which GitHub shows; and the workflow files of both."""
    try:
        objects = await gate.mirrors.objects(
            entry.installation_id,
            repository,
            refs=(entry.target_ref, f"refs/pull/{entry.number}/head", *([entry.trial_ref] if entry.trial_ref else [])),
            oids=(base, entry.head_sha, head.oid),
        )
        merge = await objects.merge(base, entry.head_sha)
        if merge.tree is None:
            return Unread(merge.because), Unread(merge.because)
        return TreeRebuild(head.tree.oid, merge.tree), await read_workflow_files(objects, head.oid, base)
    except GitFailed as wrong:
        return Unread(str(wrong)), Unread(str(wrong))
