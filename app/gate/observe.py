"""Reading a pull request into an observation: GitHub's one document, git, runs, people, and the store. Reads only.

All reads must speak of one head. What moves in between raises `Moved`, and the attempt starts again from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.gate import people, reviews
from app.gate.analysis import judged_difference
from app.gate.baselines import read_baselines
from app.gate.changes import Changes, read_changes, unread_changes
from app.gate.comment_approvals import Said, approvals_in_reviews, read_comment_approvals, with_comments
from app.gate.dependencies import read_dependency_updates
from app.gate.effects import EVIDENCE, REVIEW
from app.gate.gate import Gate
from app.gate.git import GitFailed, GitObjects
from app.gate.listed import stamp_of
from app.gate.listing import foreign_check_runs, own_runs
from app.gate.memory import Memory, as_written, recall
from app.gate.names import RepositoryName
from app.gate.observation import Observation, Queued
from app.gate.other_ci import with_builds
from app.gate.owners import read_owners
from app.gate.passing import read_passing_paths
from app.gate.policy_facts import with_policy_facts
from app.gate.remembered import remembered_analysis
from app.gate.reports import with_reports_by_all
from app.gate.runs import read_runs
from app.gate.sessions import with_session
from app.gate.snapshots import build_snapshot
from app.gate.stacks import with_layers_below
from app.gate.target import Target, read_target
from app.gate.through_apps import without_words_of_apps
from app.gate.tickets import with_ticket
from app.gate.verifications import read_verifications
from app.gate.workflows import read_workflow_files
from app.github import graph
from app.github.models import HeadCommit
from app.github.pull_models import PullRequest, PullState
from app.judge.asking import with_opinions
from app.keys import PullKey
from app.store import landings
from app.store.pulls import PullRow
from checks.branches import BRANCHES
from checks.ci_jobs import merged_into
from checks.runs import Verification, WorkflowFile, WorkflowRun
from checks.snapshot import CommitPath, Snapshot, Stack
from checks.tampering.alteration import Analysis
from checks.unread import Unread
from policies.queue_section import Queue
from policies.routing import Standing
from policies.rules import asks_for_owners

MOST_BASES = 100  # commits of the target that one head's logs may name


class Moved(RuntimeError):
    """The pull request moved while it was read."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at an open pull request: what GitHub's document, the target and the store say."""

    key: PullKey
    repository: RepositoryName
    state: PullState
    head: HeadCommit
    target: Target
    memory: Memory

    @property
    def pull(self) -> PullRequest:
        return self.state.pull


async def read_state(gate: Gate, key: PullKey, repository: RepositoryName) -> PullState:
    """GitHub's one document. Raises NotFound when the pull request is gone."""
    client = gate.client(key.installation_id)
    return await graph.pull_state(client, repository.owner, repository.name, key.number)


async def look(gate: Gate, key: PullKey, repository: RepositoryName, state: PullState) -> Look:
    """The cheap half of observing: who, where to, and what we know already. Raises Moved, NoTarget."""
    head = state.pull.head_commit
    if head is None:
        raise Moved(f"{key}: GitHub's list of commits does not show the head yet")
    target = await read_target(gate, key.installation_id, repository, state)
    memory = await recall(gate, key, seen(key, state.pull, gate.app_id))
    if target.gated:
        vouched = {one.comment_id for one in memory.comment_approvals}
        state = await without_words_of_apps(gate.client(key.installation_id), repository, state, vouched)
    return Look(key, repository, state, head, target, memory)


def seen(key: PullKey, pull: PullRequest, own_app_id: int) -> PullRow:
    """A pull request as the store remembers it. A fork's branch is kept apart from one of the same name here."""
    prefix = "fork:" if pull.is_cross_repository else ""
    return PullRow(
        key.repository_id,
        key.number,
        key.installation_id,
        pull.head_ref_oid,
        f"{prefix}{BRANCHES}{pull.head_ref_name}",
        BRANCHES + pull.base_ref_name,
        pull.state == "OPEN",
        head_repository_id=pull.head_repository.database_id if pull.head_repository else None,
        changed_at=stamp_of(pull, own_app_id),
        target_sha=pull.base_ref.target.oid if pull.base_ref else None,
    )


async def observe(gate: Gate, seen: Look) -> Observation:
    """Everything that the verdict rests on. Raises Moved and GitHub's errors."""
    if not seen.target.gated:
        return _observation(gate, seen, _snapshot(gate, seen, unread_changes("the branch is not gated")))
    objects = await _objects(gate, seen)
    changes = await _changes(objects, seen)
    snapshot = replace(
        _snapshot(gate, seen, changes),
        analysis=await _analysis(gate, seen, objects, changes),
        passing_paths=await _passing_paths(objects, seen, changes),
        stack=await _stack(gate, seen, objects),
    )
    said = await _said_in_comments(gate, seen, snapshot)
    observation = _observation(gate, seen, await _completed(gate, seen, objects, snapshot, said))
    return replace(observation, probation_passed=await _probation_passed(gate, seen), unanswered=said.unanswered)


async def _probation_passed(gate: Gate, seen: Look) -> bool:
    """By every policy that judges: the longest probation of all."""
    queues = [policy.queue for policy in seen.target.policy.policies]
    return all([await _lets_enqueue(gate, seen, queue) for queue in queues])


async def _lets_enqueue(gate: Gate, seen: Look, queue: Queue) -> bool:
    if queue.enqueue != "probation":
        return queue.enqueue == "on"
    async with gate.database.transaction() as connection:
        proven = await landings.proven(connection, seen.repository.id, queue.probation.days)
    return proven >= queue.probation.pull_requests


def _snapshot(gate: Gate, seen: Look, changes: Changes) -> Snapshot:
    snapshot = build_snapshot(gate.now(), seen.key, seen.state, seen.head, seen.target, changes)
    changed_at = seen.pull.base_changed_at
    # When its own base changed GitHub tells, so that only the runs before that do not count.
    others = [each for each in seen.memory.other_bases if each != seen.key.number or changed_at is None]
    return replace(
        snapshot,
        check_runs=foreign_check_runs(seen.head, gate.app_id),
        head_seen_at=seen.memory.row.head_seen_at,
        seen_runs=seen.memory.seen_runs,
        shared_head=tuple(others),
        base_changed_at=changed_at,
    )


async def _said_in_comments(gate: Gate, seen: Look, snapshot: Snapshot) -> Said:
    memory, bundle = seen.memory, reviews.bundle_now(snapshot)
    known, codes = memory.comment_approvals, memory.codes
    return await read_comment_approvals(
        gate, seen.repository.id, seen.pull, known, codes, bundle, memory.row.head_seen_at
    )


async def _completed(gate: Gate, seen: Look, objects: GitObjects | Unread, snapshot: Snapshot, said: Said) -> Snapshot:
    """The snapshot with what costs requests: runs, reviews, pusher, rights."""
    client, repository = gate.client(seen.key.installation_id), seen.repository
    bundle = reviews.bundle_now(snapshot)
    pusher = await people.pusher(client, repository, seen.pull, seen.memory.pushes)
    runs = await read_runs(gate, client, repository, seen.head)
    policy = seen.target.policy.policy
    runs = await with_reports_by_all(gate, client, repository, runs, seen.target.policy)
    check_runs = await with_builds(gate, repository.id, snapshot.check_runs, policy, seen.head.oid)
    verifications = await read_verifications(gate, client, repository, seen.head.oid)
    given = await reviews.read_reviews(gate, repository.id, seen.pull, seen.memory.reviews, bundle)
    listed = seen.pull.reviews.nodes if seen.pull.reviews else ()
    snapshot = replace(
        snapshot,
        head=replace(snapshot.head, pusher=pusher),
        earlier_pushers=await people.earlier_pushers(gate.database, snapshot),
        runs=runs,
        check_runs=check_runs,
        baselines=await read_baselines(gate, seen.key.installation_id, repository.id, seen.target, runs),
        tested_bases=await _tested_bases(objects, seen, _named_bases(runs, verifications)),
        verifications=verifications,
        gate_login=await gate.github.login() if verifications else None,
        workflows=await _workflows(objects, seen),
        reviews=with_comments(
            given,
            (*said.reviews, *approvals_in_reviews(given, listed, seen.memory.codes)),
            (seen.head.oid, snapshot.base_ref, bundle.digest),
        ),
        approval_codes={each.code: each.verdict_key for each in seen.memory.codes},
    )
    snapshot = await with_ticket(gate, await with_session(gate, snapshot))
    snapshot = await with_opinions(gate, seen.key.installation_id, seen.target.policy, snapshot)
    snapshot = await with_policy_facts(gate, seen.key, seen.pull, seen.target.policy, objects, snapshot)
    updates = await read_dependency_updates(objects, snapshot, policy)
    held_up = _held_up(gate, seen)
    native = await people.native_reviews(client, repository, seen.target.ref) if held_up else None
    snapshot = replace(snapshot, dependency_updates=updates, native_reviews=native)
    if any(map(asks_for_owners, seen.target.policy.policies)):
        snapshot = replace(snapshot, codeowners=await read_owners(client, repository, objects, snapshot))
    return await people.with_rights(client, repository, snapshot, seen.target.policy, seen.pull)


def _held_up(gate: Gate, seen: Look) -> bool:
    """Whether GitHub does not let it merge although our checks are green."""
    shown = own_runs(seen.head, gate.app_id, seen.memory.own_runs)
    green = {run.name for run in shown if run.conclusion == "success"}
    return seen.pull.merge_state_status == "BLOCKED" and green >= {EVIDENCE, REVIEW}


def _named_bases(runs: tuple[WorkflowRun, ...] | Unread, verifications: tuple[Verification, ...]) -> set[str]:
    """Commits that logs name as what the head was merged into, and those of verifier runs."""
    known = () if isinstance(runs, Unread) else runs
    verified = {one.run.head_sha for one in verifications if isinstance(one.run, WorkflowRun)}
    logged = {base for run in known for job in run.jobs if (base := merged_into(job)) is not None}
    return {one.target_sha for one in verifications} | verified | logged


async def _tested_bases(objects: GitObjects | Unread, seen: Look, named: set[str]) -> frozenset[str]:
    """Those of the named commits that the target's history holds.

    A layer of a stack is tested on the layer below; that says the same as long as the head holds all of it.
    """
    if isinstance(objects, Unread):
        return frozenset()
    within = [seen.target.tip.oid, *([seen.head.oid] if seen.target.stack else [])]
    return frozenset([base for base in sorted(named)[:MOST_BASES] if await _is_within(objects, base, within)])


async def _is_within(objects: GitObjects, base: str, commits: Sequence[str]) -> bool:
    """Whether one of the commits, which are here, is `base` or has it in its history."""
    if base in commits:
        return True
    if not await objects.has(base):
        return False
    return any([await objects.is_ancestor(base, commit) for commit in commits])


async def _objects(gate: Gate, seen: Look) -> GitObjects | Unread:
    try:
        return await gate.mirrors.objects(
            seen.key.installation_id,
            seen.repository,
            refs=(seen.target.ref, f"refs/pull/{seen.key.number}/head"),
            oids=(seen.head.oid, seen.target.tip.oid),
        )
    except GitFailed as wrong:
        return Unread(f"git could not fetch the commits: {wrong}")


async def _stack(gate: Gate, seen: Look, objects: GitObjects | Unread) -> Stack | None:
    client = gate.client(seen.key.installation_id)
    return await with_layers_below(client, seen.repository, seen.key.number, seen.head.oid, seen.target.stack, objects)


async def _changes(objects: GitObjects | Unread, seen: Look) -> Changes:
    if isinstance(objects, Unread):
        return unread_changes(objects.because)
    return await read_changes(objects, seen.target.tip.oid, seen.head.oid)


async def _analysis(gate: Gate, seen: Look, objects: GitObjects | Unread, changes: Changes) -> Analysis | Unread:
    judged = judged_difference(changes, seen.target.tip.oid, seen.head.oid)
    if isinstance(judged, Unread):
        return judged
    if isinstance(objects, Unread):
        return objects
    return await remembered_analysis(gate.database, seen.repository.id, objects, judged)


async def _passing_paths(objects: GitObjects | Unread, seen: Look, changes: Changes) -> tuple[CommitPath, ...] | Unread:
    if isinstance(objects, Unread):
        return objects
    return await read_passing_paths(objects, changes.merge_base, seen.head.oid, changes.diff)


async def _workflows(objects: GitObjects | Unread, seen: Look) -> tuple[WorkflowFile, ...] | Unread:
    if isinstance(objects, Unread):
        return objects
    return await read_workflow_files(objects, seen.head.oid, seen.target.tip.oid)


def _observation(gate: Gate, seen: Look, snapshot: Snapshot) -> Observation:
    pull, memory = seen.pull, seen.memory
    row = memory.row
    return Observation(
        snapshot=snapshot,
        node_id=pull.id,
        merge_state=pull.merge_state_status,
        has_queue=pull.merge_queue is not None,
        own_runs=own_runs(seen.head, gate.app_id, memory.own_runs),
        queued=_queued(pull, row),
        enqueued_before=row.enqueued_entry if row.enqueued_head == seen.head.oid else None,
        notices=memory.notices,
        abandoned_runs=tuple((run.head_sha, as_written(run)) for run in memory.abandoned),
        siblings=memory.siblings,
        freezes_sessions=any(policy.agents.freeze for policy in seen.target.policy.policies),
        requests=_requests(seen),
        errored_since={name: datetime.fromisoformat(since) for name, since in row.errored_since.items()},
    )


def _requests(seen: Look) -> Standing | None:
    listed, memory = seen.pull.review_requests, seen.memory
    if listed is None or not listed.complete:
        return None
    asked = [one.requested_reviewer for one in listed.nodes if one.requested_reviewer is not None]
    people = {f"@{one.login.casefold()}" for one in asked if one.login is not None}
    teams = {f"{seen.repository.owner}/{one.slug}".casefold() for one in asked if one.slug is not None}
    just_now = {reviewer for reviewer, recent in memory.asked.items() if recent}
    return Standing(frozenset(people | teams | just_now), frozenset(memory.asked), loads=memory.loads)


def _queued(pull: PullRequest, row: PullRow) -> Queued | None:
    entry = pull.merge_queue_entry
    if entry is None:
        return None
    return Queued(entry.id, entry.state, row.enqueued_head if entry.id == row.enqueued_entry else None)
