"""Performing what was planned for the serial queue. Every change of a row wakes whoever must look at it next."""

from __future__ import annotations

from datetime import timedelta
from typing import assert_never

import structlog

from app.gate.effects import HoldTurn, JoinQueue, LeaveQueue, MergeNow, OfQueue, ReleaseTurn, TakeRequeue
from app.gate.enqueue import settled_request
from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.github import graph, reads, writes
from app.github.client import GitHubClient
from app.github.errors import Conflict, NotFound, NotMergeable, Refused
from app.keys import PullKey, QueueKey
from app.store import pulls, requeues, serial, work
from app.store.database import Connection
from app.store.requeues import DoneRequeue
from app.store.work import Mark
from app.store.worker import Retry
from policies.serial import Entry
from policies.squash import CommitMessage

log = structlog.get_logger(__name__)

SOON = timedelta(milliseconds=500)
REFUSED = "GitHub does not let the gate merge it: {}"


async def in_queue(gate: Gate, installation_id: int, repository: RepositoryName, effect: OfQueue) -> None:
    """Raises Retry when the turn is over or something moved, and GitHub's errors."""
    match effect:
        case MergeNow():
            await merge_now(gate, installation_id, repository, effect)
        case TakeRequeue():
            await _take(gate, installation_id, repository, effect)
        case JoinQueue() | LeaveQueue() | HoldTurn() | ReleaseTurn():
            async with gate.database.transaction() as connection:
                await _change(gate, connection, installation_id, repository.id, effect)
        case _:
            assert_never(effect)


async def _change(
    gate: Gate,
    connection: Connection,
    installation_id: int,
    repository_id: int,
    effect: JoinQueue | LeaveQueue | HoldTurn | ReleaseTurn,
) -> None:
    pull = str(PullKey(installation_id, repository_id, effect.number))
    if isinstance(effect, HoldTurn):
        if not await serial.hold(connection, repository_id, effect.number, effect.head_sha):
            raise Retry(SOON, "its turn in the queue is over")
        return
    if isinstance(effect, JoinQueue):
        await serial.join(connection, _entry(gate, installation_id, repository_id, effect))
    elif isinstance(effect, LeaveQueue):
        await serial.leave(connection, repository_id, effect.number, gate.now())
    else:
        await serial.release(connection, repository_id, effect.number, effect.sha)
    queue = str(QueueKey(installation_id, repository_id, effect.target_ref))
    await work.mark(connection, [Mark(pull), Mark(queue)])


def _entry(gate: Gate, installation_id: int, repository_id: int, join: JoinQueue) -> Entry:
    now = gate.now()
    return Entry(
        repository_id,
        join.number,
        installation_id,
        join.target_ref,
        join.head_sha,
        join.asked_by,
        now,
        now,
        priority=int(join.jump),
        despite_freeze=join.despite_freeze,
    )


async def _take(gate: Gate, installation_id: int, repository: RepositoryName, take: TakeRequeue) -> None:
    """Stored before it is acknowledged, so that it is carried out once. It also asks the native queue again."""
    done = DoneRequeue(
        repository.id,
        take.comment_id,
        take.number,
        take.head_sha,
        take.login,
        take.jump,
        take.despite_freeze,
        take.refused,
        gate.now(),
    )
    async with gate.database.transaction() as connection:
        await requeues.save(connection, done)
        if take.refused is None:
            await pulls.save_enqueued(connection, repository.id, take.number, None, None)
        await work.mark(connection, [Mark(str(PullKey(installation_id, repository.id, take.number)))])
    client = gate.client(installation_id)
    try:
        word = "+1" if take.refused is None else "-1"
        await writes.react(client, repository.owner, repository.name, take.comment_id, word)
    except NotFound:
        log.info("the comment is gone", comment=take.comment_id)


async def merge_now(gate: Gate, installation_id: int, repository: RepositoryName, merge: MergeNow) -> None:
    """Read first, also after an attempt whose answer was lost; then merge exactly what was tried.

    GitHub's merge takes an expected head and no expected target, so the target is read right before.
    """
    client = gate.client(installation_id)
    now = await graph.pull_head(client, repository.owner, repository.name, merge.number)
    if now.state == "MERGED":
        return
    tip = now.base_ref.target.oid if now.base_ref and now.base_ref.target else None
    if (now.state, now.head_ref_oid, tip) != ("OPEN", merge.expected_head, merge.target_sha):
        raise Retry(SOON, "the pull request or its target moved right before the merge")
    async with gate.database.transaction() as connection:
        if not await serial.hold(connection, repository.id, merge.number, merge.expected_head):
            raise Retry(SOON, "its turn in the queue is over")
    try:
        pull = await reads.pull(client, repository.owner, repository.name, merge.number)
        await (_merge if pull.stack is None else _merge_layer)(client, repository, merge)
    except (Conflict, NotMergeable) as moved:
        raise Retry(timedelta(seconds=2), f"GitHub did not merge it: {moved.because}") from moved
    except Refused as refused:
        await _refuse(gate, installation_id, repository, merge, REFUSED.format(refused.because))
    async with gate.database.transaction() as connection:
        await work.mark(connection, [Mark(str(PullKey(installation_id, repository.id, merge.number)), delay=SOON)])


async def _merge(client: GitHubClient, repository: RepositoryName, merge: MergeNow) -> None:
    await writes.merge(
        client,
        repository.owner,
        repository.name,
        merge.number,
        sha=merge.expected_head,
        method=merge.method,
        commit=_commit(merge),
    )


async def _merge_layer(client: GitHubClient, repository: RepositoryName, merge: MergeNow) -> None:
    """The lowest layer of a stack; only the asynchronous merge API takes it."""
    answer = await writes.merge_async(
        client,
        repository.owner,
        repository.name,
        merge.number,
        sha=merge.expected_head,
        action="direct_merge",
        method=merge.method,
        commit=_commit(merge),
    )
    if answer.foreign:
        raise Retry(timedelta(seconds=30), "another merge request for this pull request is pending")
    done = await settled_request(client, repository, merge.number, answer.merge)
    if done.status != "merged":
        raise Retry(timedelta(seconds=5), f"GitHub has not merged it: {done.details.message}")


def _commit(merge: MergeNow) -> CommitMessage | None:
    return None if merge.title is None else CommitMessage(merge.title, merge.body or "")


async def _refuse(gate: Gate, installation_id: int, repository: RepositoryName, merge: MergeNow, reason: str) -> None:
    async with gate.database.transaction() as connection:
        entry = await serial.find(connection, repository.id, merge.number)
        if entry is not None:
            await serial.refuse(connection, entry, reason, gate.now())
        queue = QueueKey(installation_id, repository.id, merge.target_ref)
        await work.mark(connection, [Mark(str(queue))])
