"""Reconciling one merge group: find every member, judge each anew, rebuild the tree, and always report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from structlog.contextvars import bind_contextvars

from app.gate.apply import Applier
from app.gate.auditing import group_judged
from app.gate.baselines import read_group_baselines
from app.gate.deciding import Decided, record_news
from app.gate.gate import Gate
from app.gate.git import GitFailed, GitObjects
from app.gate.listing import foreign_check_runs, own_runs
from app.gate.measures import note_verdict
from app.gate.members import (
    JudgedMember,
    accepted_paths,
    check_members_unmoved,
    frozen_because,
    judge_members,
    members_policy,
    record_members,
)
from app.gate.mirror import MissingObjects
from app.gate.names import RepositoryName
from app.gate.observation import GroupObservation
from app.gate.other_ci import with_builds
from app.gate.outputs import first_look_at_group, outputs_of_group
from app.gate.plan import plan_group
from app.gate.policies import policy_at
from app.gate.rebuild import rebuild_tree
from app.gate.reports import with_reports_by_all
from app.gate.runs import read_runs
from app.gate.workflows import read_workflow_files
from app.github import graph
from app.github.counts import counting
from app.github.models import HeadCommit, TargetCommit
from app.github.pull_models import QueuedEntry
from app.keys import GroupKey
from app.store import audit, check_runs, pulls
from app.store.pulls import GroupRow
from app.store.work import Lease
from app.store.worker import Done, Outcome, Retry, Sleep
from checks.branches import BRANCHES
from checks.finding import Status
from checks.group_snapshot import GroupMember, GroupSnapshot, TreeRebuild
from checks.snapshot import Repository
from checks.unread import Unread
from policies.load import PolicyState
from policies.merge_group import evaluate_group
from policies.verdict import GroupVerdict, Node

ERRORED_AGAIN = timedelta(seconds=15)
PENDING_AGAIN = timedelta(minutes=2)
LOOKS_FOR_NEW = 20  # at a group that was never shown; a minute and a quarter
LOOKS_FOR_SHOWN = 3


@dataclass(frozen=True, slots=True)
class GroupLook:
    """What is known of a group before its members are judged. `chain` runs from the group's base to this entry."""

    key: GroupKey
    repository: RepositoryName
    head: HeadCommit
    tip: TargetCommit
    chain: tuple[QueuedEntry, ...] | None  # None: not in the queue any more
    row: GroupRow | None
    own: tuple[check_runs.CheckRun, ...]
    landed: bool


async def reconcile_group(gate: Gate, lease: Lease, key: GroupKey) -> Outcome:
    """Both check runs stand on the group's head before anything slow begins: silence would stall the queue."""
    bind_contextvars(head=key.head_sha)
    repository = await gate.repository(key.installation_id, key.repository_id)
    applier = Applier(gate, lease, key.installation_id, repository)
    seen = await _look(gate, key, repository)
    empty = _observation(gate, seen, _snapshot(gate, seen, Unread("not read"), Unread("not read")))
    if seen.chain is None and (again := _look_again(seen, empty)) is not None:
        return Sleep(again)
    if seen.chain is None:
        gone = GroupVerdict(key.head_sha, key.target_ref, _gone("evidence"), _gone("review"))
        await applier.apply(plan_group(empty, gone, outputs_of_group(gone)))
        gate.forget(key)
        return Done()
    first = first_look_at_group(empty)
    if first:
        await applier.apply(first)
        seen = await _look(gate, key, repository)
    return await _judge(gate, applier, seen)


def _look_again(seen: GroupLook, observation: GroupObservation) -> timedelta | None:
    """How long to wait before a group that the queue does not show is believed to be gone.

    The listing can lag behind the event that a group was made, and an entry vanishes a moment before its merge shows.
    """
    without = seen.row.looks_without if seen.row else 0
    if seen.landed or without >= (LOOKS_FOR_NEW if not observation.own_runs else LOOKS_FOR_SHOWN):
        return None
    return timedelta(seconds=min(2 * without, 4))


def _gone(name: str) -> Node:
    return Node(name, Status.FAILED, "The group is not in the queue any more.")


async def _look(gate: Gate, key: GroupKey, repository: RepositoryName) -> GroupLook:
    client = gate.client(key.installation_id)
    branch = key.target_ref.removeprefix(BRANCHES)
    entries = await graph.queue_entries(client, repository.owner, repository.name, branch)
    if entries is not None and not entries.complete:
        raise Retry(timedelta(seconds=5), "GitHub's list of queue entries is cut")
    head = await graph.commit_state(client, repository.owner, repository.name, key.head_sha)
    tip = await graph.branch_tip(client, repository.owner, repository.name, key.target_ref)
    if tip is None:
        raise Retry(timedelta(seconds=30), f"{key.target_ref} does not exist")
    chain = chain_to(entries.items if entries else (), key.head_sha)
    async with gate.database.transaction() as connection:
        await pulls.note_group(connection, _new_row(key))
        await pulls.note_group_look(connection, key.repository_id, key.head_sha, shown=chain is not None)
        row = await pulls.find_group(connection, key.repository_id, key.head_sha)
        own = await check_runs.of_head(connection, key.repository_id, key.head_sha)
    landed = chain is None and await _has_landed(gate, key, repository, tip.target.oid)
    return GroupLook(key, repository, head, tip.target, chain, row, tuple(own), landed)


def _new_row(key: GroupKey) -> GroupRow:
    return GroupRow(key.repository_id, key.head_sha, key.installation_id, key.target_ref)


async def _has_landed(gate: Gate, key: GroupKey, repository: RepositoryName, tip: str) -> bool:
    """A group lands as the very commit that was judged; others may have landed on top of it since."""
    if tip == key.head_sha:
        return True
    objects = await gate.mirrors.objects(key.installation_id, repository, refs=(key.target_ref,), oids=(tip,))
    return await objects.has(key.head_sha) and await objects.is_ancestor(key.head_sha, tip)


def chain_to(entries: Sequence[QueuedEntry], head_sha: str) -> tuple[QueuedEntry, ...] | None:
    """The entries from the branch's tip up to the one whose group head this is; each builds on the one before."""
    by_head = {entry.head_commit.oid: entry for entry in entries if entry.head_commit is not None}
    chain: list[QueuedEntry] = []
    entry = by_head.get(head_sha)
    while entry is not None and entry not in chain:
        chain.insert(0, entry)
        entry = by_head.get(entry.base_commit.oid) if entry.base_commit else None
    return tuple(chain) or None


async def _judge(gate: Gate, applier: Applier, seen: GroupLook) -> Outcome:
    with counting(str(seen.key)) as tally:
        found = await _observed(gate, seen)
    observation = _observation(gate, seen, found.snapshot)
    verdict = evaluate_group(found.policy, found.snapshot)
    effects = plan_group(observation, verdict, outputs_of_group(verdict))
    statuses = {verdict.evidence.status, verdict.review.status}
    if (effects and statuses == {Status.PASSED}) or Status.ERRORED in statuses:
        # A green group lands at once; and what could not be judged may have landed meanwhile.
        await check_members_unmoved(gate, found.judged)
    await applier.apply(effects)
    decided = Decided(found.snapshot, found.policy, verdict, effects, tally.counts)
    await _remember(gate, seen, observation, decided, found.judged)
    return _outcome(verdict)


@dataclass(frozen=True, slots=True)
class _Found:
    """All that the verdict on a group rests on."""

    snapshot: GroupSnapshot
    policy: PolicyState
    judged: tuple[JudgedMember, ...] | Unread


async def _observed(gate: Gate, seen: GroupLook) -> _Found:
    chain = seen.chain or ()
    await _note_entries(gate, seen.key, chain)
    objects = await _objects(gate, seen)
    judged = await judge_members(gate, seen.key, seen.repository, chain, objects)
    members = judged if isinstance(judged, Unread) else tuple(one.member for one in judged)
    rebuild = (
        objects if isinstance(objects, Unread) else await rebuild_tree(objects, seen.head, chain, members, seen.tip.oid)
    )
    snapshot = replace(_snapshot(gate, seen, members, rebuild), accepted_changes=accepted_paths(judged))
    snapshot = replace(snapshot, frozen=frozen_because(judged))
    policy = members_policy(judged, seen.key.target_ref) or await policy_at(
        gate, seen.key.installation_id, seen.repository, seen.key.target_ref, seen.tip
    )
    return _Found(await _with_runs(gate, seen, objects, snapshot, policy), policy, judged)


def _outcome(verdict: GroupVerdict) -> Outcome:
    """An open group is looked at again though no webhook tells of it: silence would stall the whole queue."""
    statuses = (verdict.evidence.status, verdict.review.status)
    if Status.ERRORED in statuses:
        return Sleep(ERRORED_AGAIN)
    return Sleep(PENDING_AGAIN) if Status.PENDING in statuses else Done()


async def _note_entries(gate: Gate, key: GroupKey, chain: Sequence[QueuedEntry]) -> None:
    """Before the group can be refused: afterwards nothing shows any more that an entry was ours."""
    entries = [(entry.pull_request.number, entry.id) for entry in chain if entry.pull_request is not None]
    async with gate.database.transaction() as connection:
        await pulls.note_entries(connection, key.repository_id, entries)


async def _objects(gate: Gate, seen: GroupLook) -> GitObjects | Unread:
    numbers = [entry.pull_request.number for entry in seen.chain or () if entry.pull_request]
    try:
        return await gate.mirrors.objects(
            seen.key.installation_id,
            seen.repository,
            refs=(seen.key.target_ref, *_group_refs(seen), *(f"refs/pull/{number}/head" for number in numbers)),
            oids=(seen.key.head_sha, seen.tip.oid),
        )
    except (GitFailed, MissingObjects) as wrong:
        return Unread(f"git could not fetch the group: {wrong}")


def _group_refs(seen: GroupLook) -> list[str]:
    """`gh-readonly-queue/<base>/pr-<n>-<sha>`: the SHA is the entry's base, not a head."""
    branch = seen.key.target_ref.removeprefix(BRANCHES)
    last = (seen.chain or ())[-1:]
    return [
        f"{BRANCHES}gh-readonly-queue/{branch}/pr-{entry.pull_request.number}-{entry.base_commit.oid}"
        for entry in last
        if entry.pull_request and entry.base_commit
    ]


def _snapshot(
    gate: Gate, seen: GroupLook, members: tuple[GroupMember, ...] | Unread, rebuild: TreeRebuild | Unread
) -> GroupSnapshot:
    chain = seen.chain or ()
    base = chain[0].base_commit.oid if chain and chain[0].base_commit else seen.tip.oid
    name = seen.repository
    return GroupSnapshot(
        Repository(name.id, name.owner, name.name, BRANCHES + (name.default_branch or "")),
        seen.key.head_sha,
        base,
        seen.key.target_ref,
        members,
        rebuild,
        Unread("not read"),
        Unread("not read"),
        gate.now(),
        head_seen_at=seen.row.first_seen_at if seen.row else None,
    )


async def _with_runs(
    gate: Gate, seen: GroupLook, objects: GitObjects | Unread, snapshot: GroupSnapshot, policy: PolicyState
) -> GroupSnapshot:
    client = gate.client(seen.key.installation_id)
    runs = await read_runs(gate, client, seen.repository, seen.head)
    runs = await with_reports_by_all(gate, client, seen.repository, runs, policy, ("merge_group",))
    workflows = (
        objects if isinstance(objects, Unread) else await read_workflow_files(objects, seen.head.oid, seen.tip.oid)
    )
    listed = foreign_check_runs(seen.head, gate.app_id)
    others = await with_builds(gate, seen.repository.id, listed, policy.policy, seen.head.oid)
    before = await read_group_baselines(gate, seen.repository.id, seen.key.target_ref, snapshot.base_sha, runs)
    return replace(snapshot, runs=runs, workflows=workflows, check_runs=others, baselines=before)


def _observation(gate: Gate, seen: GroupLook, snapshot: GroupSnapshot) -> GroupObservation:
    since = seen.row.errored_since if seen.row else {}
    return GroupObservation(
        snapshot,
        in_queue=seen.chain is not None,
        landed=seen.landed,
        own_runs=own_runs(seen.head, gate.app_id, seen.own),
        errored_since={name: datetime.fromisoformat(moment) for name, moment in since.items()},
    )


async def _remember(
    gate: Gate,
    seen: GroupLook,
    observation: GroupObservation,
    decided: Decided,
    judged: tuple[JudgedMember, ...] | Unread,
) -> None:
    verdict = decided.verdict
    known = observation.errored_since or {}
    now = observation.snapshot.observed_at
    nodes = {"mergegate/evidence": verdict.evidence, "mergegate/review": verdict.review}
    errored = {name: known.get(name, now).isoformat() for name, node in nodes.items() if node.status is Status.ERRORED}
    async with gate.database.transaction() as connection:
        await pulls.save_group_errors(connection, seen.key.repository_id, seen.key.head_sha, errored)
        await record_members(connection, seen.key, () if isinstance(judged, Unread) else judged)
        decision = await record_news(connection, seen.key, decided)
        if decision is not None:
            await audit.append(connection, [group_judged(seen.key, verdict)])
    note_verdict(verdict, decision=decision)
