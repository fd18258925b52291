"""The serial queue of one branch: one look decides the one next move, which is made, and then it is looked at again.

One worker a queue. The rows in the store are the queue; what was begun on GitHub is written there before, so that
whoever dies in between is followed by one who sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import assert_never

import structlog

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.policies import policy_at
from app.gate.queue_state import read_frozen, serial_in_force
from app.gate.serial_trial import CannotTry, Trial, judge_trial, plan_trial, publish
from app.github import graph, writes
from app.github.errors import NotFound
from app.github.models import TargetCommit
from app.keys import PullKey, QueueKey
from app.store import serial, work
from app.store.work import Lease, Mark
from app.store.worker import Done, Outcome, Retry, Sleep
from checks.branches import BRANCHES
from checks.finding import Status
from policies.load import PolicyState
from policies.serial import Await, Build, Entry, Idle, Judge, Refuse, TakeBack, next_move
from policies.serial_words import failure_of
from policies.verdict import GroupVerdict

log = structlog.get_logger(__name__)

AT_ONCE = timedelta(milliseconds=100)
AGAIN = timedelta(seconds=2)
LONGEST_SLEEP = timedelta(minutes=1)
ERRORED_AGAIN = timedelta(seconds=15)
ERRORED_LIMIT = timedelta(minutes=30)
UNDER_TRIAL = ("trying", "turn")  # states in which the trial's branch is needed
OTHERS = -1  # priority of showing others their new place


@dataclass(frozen=True, slots=True)
class SerialQueue:
    """The queue at this look."""

    gate: Gate
    lease: Lease
    key: QueueKey
    repository: RepositoryName
    tip: TargetCommit
    state: PolicyState

    async def check_lease(self) -> None:
        """Before anything is written. Raises Retry."""
        await _check_lease(self.gate, self.lease)


async def _check_lease(gate: Gate, lease: Lease) -> None:
    if not await work.holds(gate.database, lease):
        raise Retry(timedelta(seconds=1), "the lease was lost")


async def reconcile_queue(gate: Gate, lease: Lease, key: QueueKey) -> Outcome:
    """Raises GitHub's errors and Retry."""
    repository = await gate.repository(key.installation_id, key.repository_id)
    async with gate.database.transaction() as connection:
        entries = await serial.of_target(connection, key.repository_id, key.ref)
    if not entries:
        return Done()
    client = gate.client(key.installation_id)
    branch = await graph.branch_tip(client, repository.owner, repository.name, key.ref)
    if branch is None:
        return await _without_target(gate, lease, key, repository, entries)
    state = await policy_at(gate, key.installation_id, repository, key.ref, branch.target)
    queue = SerialQueue(gate, lease, key, repository, branch.target, state)
    await _clear_away(gate, lease, key, repository, entries)
    async with gate.database.transaction() as connection:
        in_force = await serial_in_force(connection, repository.id, queue.state)
    return await _move(queue, entries) if in_force else await _wake(queue, entries)


async def _without_target(
    gate: Gate, lease: Lease, key: QueueKey, repository: RepositoryName, entries: Sequence[Entry]
) -> Outcome:
    """The target was deleted or renamed: GitHub closes its pull requests or gives them another base, and each leaves by
    its own look. Branches of trials go at once."""
    over = [replace(entry, state="waiting") if entry.state in UNDER_TRIAL else entry for entry in entries]
    await _clear_away(gate, lease, key, repository, over)
    async with gate.database.transaction() as connection:
        left = [entry for entry in await serial.of_target(connection, key.repository_id, key.ref) if entry.active]
        await work.mark(connection, [Mark(str(_key_of(entry))) for entry in left])
    return Sleep(LONGEST_SLEEP) if left else Done()


async def _wake(queue: SerialQueue, entries: Sequence[Entry]) -> Outcome:
    """The policy has no serial queue any more: each pull request leaves by itself."""
    await _mark_pulls(queue, [entry for entry in entries if entry.active])
    return Done()


async def _clear_away(
    gate: Gate, lease: Lease, key: QueueKey, repository: RepositoryName, entries: Sequence[Entry]
) -> None:
    """Branches of trials that are over, and then the rows of those that have left. Raises Retry."""
    client = gate.client(key.installation_id)
    for entry in entries:
        if entry.trial_ref and entry.state not in UNDER_TRIAL:
            await _check_lease(gate, lease)
            await writes.delete_branch(client, repository.owner, repository.name, entry.trial_ref)
            async with gate.database.transaction() as connection:
                await serial.forget_branch(connection, entry)
    async with gate.database.transaction() as connection:
        gone = [entry.number for entry in entries if entry.state == "gone"]
        await serial.clear_away(connection, key.repository_id, gone)


async def _move(queue: SerialQueue, entries: Sequence[Entry]) -> Outcome:
    gate, policy = queue.gate, queue.state.policy.queue
    frozen = await read_frozen(gate, gate.client(queue.key.installation_id), queue.repository, queue.state.policies)
    limit = timedelta(minutes=policy.turn_minutes)
    move = next_move(entries, queue.tip.oid, gate.now(), limit, is_frozen=frozen is not None)
    log.debug("serial queue", key=str(queue.key), move=type(move).__name__)
    match move:
        case Idle():
            return Sleep(LONGEST_SLEEP) if frozen is not None else Done()
        case Build(entry):
            return await _build(queue, entry)
        case Judge(entry):
            return await _judge(queue, entry)
        case Await(entry, until):
            return await _watch_turn(queue, entry, until)
        case TakeBack(entry):
            return await _take_back(queue, entry)
        case Refuse(entry, reason):
            return await _refuse(queue, entry, reason)
        case _:
            assert_never(move)


async def _watch_turn(queue: SerialQueue, entry: Entry, until: datetime) -> Outcome:
    """The check outlives its reasons by no more than a look: in the turn a run on the trial may be started again, and
    end otherwise."""
    try:
        tried = await judge_trial(queue.gate, queue.key, queue.repository, entry, queue.tip)
    except NotFound:  # somebody deleted the branch, and GitHub forgot its commit
        return await _take_back(queue, entry)
    status = Status.PENDING if tried.verdict is None else _status(tried.verdict)
    if status is Status.FAILED and tried.verdict is not None:
        return await _failed(queue, entry, tried.verdict)
    if status is Status.PENDING:
        return await _take_back(queue, entry)
    await _mark_pulls(queue, [entry])
    return Sleep(min(until - queue.gate.now(), LONGEST_SLEEP))


async def _take_back(queue: SerialQueue, entry: Entry) -> Outcome:
    async with queue.gate.database.transaction() as connection:
        await serial.take_back(connection, entry, queue.gate.now())
        await work.mark(connection, [Mark(str(_pull(queue, entry)))])
    return Sleep(AT_ONCE)


async def _refuse(queue: SerialQueue, entry: Entry, reason: str) -> Outcome:
    log.info("refused by the serial queue", key=str(queue.key), number=entry.number, reason=reason)
    async with queue.gate.database.transaction() as connection:
        await serial.refuse(connection, entry, reason, queue.gate.now())
    await _mark_all(queue)
    return Sleep(AT_ONCE)


async def _build(queue: SerialQueue, entry: Entry) -> Outcome:
    """The row says what is being made before the branch is pushed."""
    client, repository = queue.gate.client(queue.key.installation_id), queue.repository
    now = await graph.pull_head(client, repository.owner, repository.name, entry.number)
    if (now.state, now.head_ref_oid) != ("OPEN", entry.head_sha):
        await _mark_pulls(queue, [entry])  # its own look takes it out
        return Sleep(AGAIN)
    try:
        trial = await plan_trial(queue.gate, queue.repository, entry, queue.tip.oid)
    except CannotTry as cannot:
        return await _refuse(queue, entry, str(cannot))
    await queue.check_lease()
    begun = replace(entry, trial_base=queue.tip.oid, trial_sha=trial.sha, trial_ref=trial.ref)
    async with queue.gate.database.transaction() as connection:
        taken = await serial.begin_trial(connection, begun, queue.gate.now())
    await _mark_all(queue)
    return await _publish(queue, begun, trial) if taken else Sleep(AT_ONCE)


async def _publish(queue: SerialQueue, entry: Entry, trial: Trial) -> Outcome:
    try:
        await publish(queue.gate, queue.repository, entry, trial)
    except CannotTry as cannot:
        return await _refuse(queue, entry, str(cannot))
    return Sleep(AGAIN)


async def _judge(queue: SerialQueue, entry: Entry) -> Outcome:
    try:
        tried = await judge_trial(queue.gate, queue.key, queue.repository, entry, queue.tip)
    except NotFound:
        # Whoever began this trial died before the branch was pushed, or GitHub does not show it yet.
        await queue.check_lease()
        return await _publish(queue, entry, Trial(entry.trial_sha or "", entry.trial_ref))
    if tried.verdict is None:
        return await _unfinished(queue, entry, f"still run: {', '.join(tried.unfinished)}")
    status = _status(tried.verdict)
    if status is Status.PASSED:
        return await _give_turn(queue, entry)
    if status is Status.FAILED:
        return await _failed(queue, entry, tried.verdict)
    if status is Status.ERRORED:
        return await _errored(queue, entry, tried.verdict)
    return await _unfinished(queue, entry, "have not begun")


def _status(verdict: GroupVerdict) -> Status:
    both = (verdict.evidence.status, verdict.review.status)
    return next(one for one in (Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED) if one in both)


async def _give_turn(queue: SerialQueue, entry: Entry) -> Outcome:
    """Whoever had the turn before may still be green; their own look takes that back, and wakes this queue."""
    async with queue.gate.database.transaction() as connection:
        given = await serial.give_turn(connection, entry, queue.gate.now())
        entries = await serial.of_target(connection, queue.key.repository_id, queue.key.ref)
        holders = [] if given else [one for one in entries if one.held_sha is not None or one.state == "turn"]
        await work.mark(connection, [Mark(str(_pull(queue, one))) for one in (entry, *holders)])
    return Sleep(LONGEST_SLEEP)


async def _failed(queue: SerialQueue, entry: Entry, verdict: GroupVerdict) -> Outcome:
    """A pull request that does not stand any more leaves by its own look; what fails here is its merge."""
    if any(finding.status is Status.FAILED for finding in verdict.review.findings) or _fell(verdict):
        await _mark_pulls(queue, [entry])
        return await _unfinished(queue, entry, "are not looked at while its own checks are red")
    return await _refuse(queue, entry, failure_of(verdict, entry, queue.key.ref.removeprefix(BRANCHES)))


def _fell(verdict: GroupVerdict) -> bool:
    return any(
        finding.status is Status.FAILED and finding.check.startswith("members") for finding in verdict.evidence.findings
    )


async def _errored(queue: SerialQueue, entry: Entry, verdict: GroupVerdict) -> Outcome:
    """What cannot be read of a trial whose branch somebody took away is read of another one."""
    if entry.trial_ref and not await _stands(queue, entry):
        return await _take_back(queue, entry)
    now = queue.gate.now()
    since = entry.errored_since or now
    if now - since >= ERRORED_LIMIT:
        return await _refuse(queue, entry, failure_of(verdict, entry, queue.key.ref.removeprefix(BRANCHES)))
    async with queue.gate.database.transaction() as connection:
        await serial.note_errored(connection, entry, since)
    return Sleep(ERRORED_AGAIN)


async def _stands(queue: SerialQueue, entry: Entry) -> bool:
    client, repository = queue.gate.client(queue.key.installation_id), queue.repository
    branch = await graph.branch_tip(client, repository.owner, repository.name, entry.trial_ref)
    return branch is not None and branch.target.oid == entry.trial_sha


async def _unfinished(queue: SerialQueue, entry: Entry, what: str) -> Outcome:
    minutes = queue.state.policy.queue.checks_minutes
    left = entry.since + timedelta(minutes=minutes) - queue.gate.now()
    if left > timedelta(0):
        return Sleep(min(left, LONGEST_SLEEP))
    return await _refuse(queue, entry, f"No answer within {minutes} minutes: the workflows on its merge {what}.")


async def _mark_all(queue: SerialQueue) -> None:
    """Everybody's place is another."""
    async with queue.gate.database.transaction() as connection:
        entries = await serial.of_target(connection, queue.key.repository_id, queue.key.ref)
    await _mark_pulls(queue, entries)


async def _mark_pulls(queue: SerialQueue, entries: Sequence[Entry]) -> None:
    async with queue.gate.database.transaction() as connection:
        await work.mark(connection, [Mark(str(_pull(queue, entry)), priority=OTHERS) for entry in entries])


def _pull(queue: SerialQueue, entry: Entry) -> PullKey:
    return PullKey(queue.key.installation_id, queue.key.repository_id, entry.number)


def _key_of(entry: Entry) -> PullKey:
    return PullKey(entry.installation_id, entry.repository_id, entry.number)
