"""Keys that stand for others: a branch, a commit, a repository, an installation, the clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import structlog

from app.gate.gate import Gate
from app.gate.gated_sessions import end_gated_sessions
from app.gate.names import RepositoryName
from app.gate.policies import ORGANIZATION_REPOSITORY
from app.gate.target import BRANCHES
from app.gate.upkeep import upkeep_mark
from app.github import graph, installations
from app.github.errors import InstallationGone
from app.github.pull_models import OpenPull
from app.keys import BranchKey, CommitKey, GroupKey, InstallationKey, Key, PullKey, QueueKey, RepositoryKey, ResyncKey
from app.store import deliveries, pulls, repositories, serial, verifications, work
from app.store.pulls import PullRow
from app.store.work import Mark
from app.store.worker import Done, Outcome, Sleep

log = structlog.get_logger(__name__)

BRANCH_MOVED = -1  # priority: many pull requests, none of them waiting for this
RESYNC = -2
MOST_REDELIVERIES = 50  # at one resync; the next one goes on


async def fan_out_branch(gate: Gate, key: BranchKey) -> Outcome:
    """A branch moved: pull requests into it and out of it, and its serial queue.

    A branch of the organisation's `.github` repository may hold everybody's policy.
    """
    async with gate.database.transaction() as connection:
        rows = await pulls.open_pulls_of_branch(connection, key.repository_id, key.ref)
        marks = [Mark(str(_pull(row)), priority=BRANCH_MOVED) for row in rows]
        if await serial.of_target(connection, key.repository_id, key.ref):
            marks.append(Mark(str(QueueKey(key.installation_id, key.repository_id, key.ref))))
        repository = await repositories.find(connection, key.repository_id)
        if repository is not None and repository.name == ORGANIZATION_REPOSITORY:
            gate.shared.organizations.clear()
            marks.append(Mark(str(InstallationKey(key.installation_id)), priority=BRANCH_MOVED))
        await work.mark(connection, marks)
    if repository is not None and key.ref == f"{BRANCHES}{repository.default_branch}":
        # The policy may have changed with it.
        name = await gate.repository(key.installation_id, key.repository_id)
        await end_gated_sessions(gate, key.installation_id, name)
    return Done()


async def fan_out_commit(gate: Gate, key: CommitKey) -> Outcome:
    """Something ran on a commit: pull requests and merge groups whose head it is, or whose verifier runs are on it,
    and serial queues that try it."""
    async with gate.database.transaction() as connection:
        heads = [key.sha, *await verifications.open_heads_at(connection, key.repository_id, key.sha)]
        rows = [row for head in heads for row in await pulls.open_pulls_with_head(connection, key.repository_id, head)]
        group = await pulls.find_group(connection, key.repository_id, key.sha)
        keys: list[Key] = [_pull(row) for row in rows]
        if group is not None:
            keys.append(GroupKey(group.installation_id, group.repository_id, group.head_sha, group.target_ref))
        tried = await serial.of_trial(connection, key.repository_id, key.sha)
        keys += [QueueKey(entry.installation_id, entry.repository_id, entry.target_ref) for entry in tried]
        await work.mark(connection, [Mark(str(each)) for each in keys])
    return Done()


def _pull(row: PullRow) -> PullKey:
    return PullKey(row.installation_id, row.repository_id, row.number)


async def fan_out_repository(gate: Gate, key: RepositoryKey) -> Outcome:
    """Everything open in a repository, whether a webhook ever told of it or not."""
    repository = await gate.repository(key.installation_id, key.repository_id)
    await end_gated_sessions(gate, key.installation_id, repository)
    client = gate.client(key.installation_id)
    listing = await graph.open_pulls(client, repository.owner, repository.name)
    if not listing.complete:
        log.warning("more open pull requests than are listed", repository=repository.full_name)
    async with gate.database.transaction() as connection:
        known = await pulls.open_pulls(connection, key.repository_id)
        queues = {entry.target_ref for entry in await serial.of_repository(connection, key.repository_id)}
    numbers = sorted({pull.number for pull in listing.items} | {row.number for row in known})
    keys: list[Key] = [PullKey(key.installation_id, key.repository_id, number) for number in numbers]
    keys += [QueueKey(key.installation_id, key.repository_id, ref) for ref in sorted(queues)]
    keys += await _groups(gate, key, repository, listing.items)
    async with gate.database.transaction() as connection:
        await work.mark(connection, [Mark(str(each), priority=RESYNC, news=False) for each in keys])
    return Done()


async def _groups(gate: Gate, key: RepositoryKey, repository: RepositoryName, listed: Sequence[OpenPull]) -> list[Key]:
    """Groups in the queues of the branches that open pull requests target."""
    client = gate.client(key.installation_id)
    found: list[Key] = []
    for branch in sorted({pull.base_ref_name for pull in listed}):
        entries = await graph.queue_entries(client, repository.owner, repository.name, branch)
        found += [
            GroupKey(key.installation_id, key.repository_id, entry.head_commit.oid, BRANCHES + branch)
            for entry in (entries.items if entries else ())
            if entry.head_commit is not None
        ]
    return found


async def fan_out_installation(gate: Gate, key: InstallationKey) -> Outcome:
    """Every repository of an installation; one that was removed or suspended only stops its own work."""
    client = gate.client(key.installation_id)
    try:
        listing = await installations.repositories(client)
    except InstallationGone as gone:
        log.info("installation gone", installation=key.installation_id, because=gone.because)
        await gate.github.forget(key.installation_id)
        return Done()
    rows = [
        repositories.Repository(
            each.id, key.installation_id, each.full_name.partition("/")[0], each.name, each.default_branch or None
        )
        for each in listing.items
    ]
    async with gate.database.transaction() as connection:
        await repositories.save(connection, rows)
        keys = [RepositoryKey(key.installation_id, row.repository_id) for row in rows]
        await work.mark(connection, [Mark(str(each), priority=RESYNC, news=False) for each in keys])
    return Done()


async def resync(gate: Gate, interval: timedelta, *, webhooks: bool) -> Outcome:
    """Look at every installation, ask for lost deliveries again, and come back after the interval."""
    if webhooks:
        await _ask_again(gate)
    listing = await installations.installations(gate.github.app)
    keys = [InstallationKey(each.id) for each in listing.items if each.suspended_at is None]
    async with gate.database.transaction() as connection:
        await work.mark(connection, [Mark(str(each), priority=RESYNC, news=False) for each in keys])
        # An older version beside this one, in an upgrade, ends the keys that it does not know.
        await work.mark(connection, [upkeep_mark(work.AHEAD)])
    return Sleep(interval)


async def _ask_again(gate: Gate) -> None:
    """Deliveries that GitHub could not hand over and that never came otherwise. GitHub itself never tries again."""
    listing = await installations.deliveries(gate.github.app, most=2)
    delivered = {each.guid for each in listing.items if 200 <= each.status_code < 300}
    lost = {each.guid: each.id for each in listing.items if each.guid not in delivered}
    async with gate.database.transaction() as connection:
        missing = await deliveries.unknown(connection, list(lost))
    for guid in missing[:MOST_REDELIVERIES]:
        log.info("asking for a lost delivery again", delivery=guid)
        await installations.redeliver(gate.github.app, lost[guid])


def clock_mark() -> Mark:
    """The mark that starts the clock; the key never parks and sets its own next time."""
    return Mark(str(ResyncKey()), periodic=True, news=False)
