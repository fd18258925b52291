"""Keys that stand for others: a branch, a commit, a repository, an installation, the clock."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import structlog

from app.gate.gate import Gate
from app.gate.gated_sessions import end_gated_sessions
from app.gate.listed import priorities
from app.gate.policies import ORGANIZATION_REPOSITORY
from app.gate.redelivery import ask_again
from app.gate.tickets import marks_of_repository
from app.gate.upkeep import canary_mark, upkeep_mark
from app.github import graph, installations
from app.github.errors import InstallationGone
from app.github.installation_models import Installation
from app.github.pull_models import OpenPull
from app.github.rest_models import Listing
from app.keys import (
    BranchKey,
    CommitKey,
    GroupKey,
    InstallationKey,
    Key,
    PullKey,
    QueueKey,
    RepositoryKey,
    ResyncKey,
    RulesKey,
)
from app.priorities import BRANCH_MOVED, CHANGED, GROUP, NEWS, RESYNC, priority_of
from app.store import pulls, repositories, serial, verifications, work
from app.store.pulls import PullRow, Stamps
from app.store.work import Mark
from app.store.worker import Done, Outcome, Sleep
from checks.branches import BRANCHES

log = structlog.get_logger(__name__)

LANDED = timedelta(seconds=3)
"""GitHub's record of how a push was judged by the rules comes a moment after the push."""
PAGE_EVERY = timedelta(seconds=9)
PAGE_EVERY_POLLING = timedelta(seconds=4)
"""How long the resync rests for each page that the lists of an installation take: 400 pages an hour, of two points, are
a sixth of the smallest budget. Without webhooks nothing else tells of anything, and it is a third."""
UNCHANGED_AN_HOUR = 300
"""Pull requests of a repository without a sign of change that are looked at all the same."""


async def fan_out_branch(gate: Gate, key: BranchKey) -> Outcome:
    """A branch moved: pull requests into it and out of it, and its serial queue.

    A branch of the organisation's `.github` repository may hold everybody's policy.
    """
    async with gate.database.transaction() as connection:
        rows = await pulls.open_pulls_of_branch(connection, key.repository_id, key.ref)
        marks = [Mark(str(_pull(row)), priority=BRANCH_MOVED) for row in rows]
        if await serial.of_target(connection, key.repository_id, key.ref):
            marks.append(Mark(str(QueueKey(key.installation_id, key.repository_id, key.ref)), priority=GROUP))
        repository = await repositories.find(connection, key.repository_id)
        if repository is not None and repository.name == ORGANIZATION_REPOSITORY:
            gate.shared.organizations.clear()
            marks.append(Mark(str(InstallationKey(key.installation_id))))
        if repository is not None and key.ref == f"{BRANCHES}{repository.default_branch}":
            marks.append(_rules(key))
        await work.mark(connection, marks)
    if repository is not None and key.ref == f"{BRANCHES}{repository.default_branch}":
        # The policy may have changed with it.
        await end_gated_sessions(
            gate, key.installation_id, await gate.repository(key.installation_id, key.repository_id)
        )
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
        await work.mark(connection, [Mark(str(each), priority=priority_of(each)) for each in keys])
    return Done()


def _rules(key: BranchKey | RepositoryKey) -> Mark:
    rules = RulesKey(key.installation_id, key.repository_id)
    return Mark(str(rules), delay=LANDED, priority=RESYNC, news=False)


def _pull(row: PullRow) -> PullKey:
    return PullKey(row.installation_id, row.repository_id, row.number)


async def fan_out_repository(gate: Gate, key: RepositoryKey, *, news: bool = True, webhooks: bool = True) -> Outcome:
    """Pull requests and merge groups of a repository, whether a webhook ever told of them or not.

    With `news` about the repository itself: everything that is open. Else, for the resync: what a listing shows to
    have changed, and some of the rest in turn; where lists take many pages they are read the more seldom.
    """
    repository = await gate.repository(key.installation_id, key.repository_id)
    await end_gated_sessions(gate, key.installation_id, repository)
    async with gate.database.transaction() as connection:
        await work.mark(connection, [_rules(key)])
        since, pages = await repositories.since_listing(connection, key.repository_id)
    rest = (pages - 1) * (PAGE_EVERY if webhooks else PAGE_EVERY_POLLING)
    if not news and since is not None and since < rest:
        return Done()
    listing = await graph.open_pulls(gate.client(key.installation_id), repository.owner, repository.name)
    if not listing.complete:
        log.warning("more open pull requests than are listed", repository=repository.full_name)
    async with gate.database.transaction() as connection:
        known = {row.number: row for row in await pulls.open_stamps(connection, key.repository_id)}
        found = _everything(listing, known) if news else _changed(gate, listing, known, webhooks=webhooks, since=since)
        queues = {entry.target_ref for entry in await serial.of_repository(connection, key.repository_id)}
        keys: list[Key] = [QueueKey(key.installation_id, key.repository_id, ref) for ref in sorted(queues)]
        keys += _groups(key, listing)
        marks = [Mark(str(each), priority=priority_of(each), news=news) for each in keys]
        marks += [_look(key, number, found[number], news=news) for number in sorted(found)]
        await repositories.save_listing(connection, key.repository_id, math.ceil(len(listing.items) / graph.PULLS))
        await work.mark(connection, marks)
    tickets = await marks_of_repository(gate, key, webhooks=webhooks)
    async with gate.database.transaction() as connection:
        await work.mark(connection, [replace(each, priority=RESYNC) for each in tickets])
    return Done()


def _look(key: RepositoryKey, number: int, priority: int, *, news: bool) -> Mark:
    """What is known and has changed since is news too, whoever tells of it: a key that was given up is tried again."""
    name = str(PullKey(key.installation_id, key.repository_id, number))
    return Mark(name, priority=priority, news=news or priority == CHANGED)


def _everything(listing: Listing[OpenPull], known: Mapping[int, Stamps]) -> dict[int, int]:
    return dict.fromkeys([*(pull.number for pull in listing.items), *known], BRANCH_MOVED)


def _changed(
    gate: Gate, listing: Listing[OpenPull], known: Mapping[int, Stamps], *, webhooks: bool, since: timedelta | None
) -> dict[int, int]:
    return priorities(
        listing.items,
        known,
        gate.app_id,
        complete=listing.complete,
        every_change_is_told=webhooks,
        unchanged=UNCHANGED_AN_HOUR if since is None else _turns(since),
    )


def _turns(since: timedelta) -> int:
    """How many unchanged pull requests have their turn after that time."""
    return math.ceil(UNCHANGED_AN_HOUR * min(since / timedelta(hours=1), 1.0))


def _groups(key: RepositoryKey, listing: Listing[OpenPull]) -> list[GroupKey]:
    """Groups that entries of the queues are tried with."""
    return [
        GroupKey(key.installation_id, key.repository_id, entry.head_commit.oid, BRANCHES + pull.base_ref_name)
        for pull in listing.items
        if (entry := pull.merge_queue_entry) is not None and entry.head_commit is not None
    ]


async def fan_out_installation(gate: Gate, key: InstallationKey, *, news: bool = True) -> Outcome:
    """Every repository of an installation; one that was removed or suspended only stops its own work.

    News may be a change of permissions: tokens are minted anew, and what was parked for a missing one is tried again.
    """
    client = gate.client(key.installation_id)
    if news:
        client.forget_tokens()
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
    priority = NEWS if news else RESYNC
    async with gate.database.transaction() as connection:
        await repositories.save(connection, rows)
        keys = [RepositoryKey(key.installation_id, row.repository_id) for row in rows]
        await work.mark(connection, [Mark(str(each), priority=priority, news=news) for each in keys])
    return Done()


async def resync(gate: Gate, interval: timedelta, *, webhooks: bool) -> Outcome:
    """Look at every installation, ask for lost deliveries again, and come back after the interval."""
    listing = await installations.installations(gate.github.app)
    for each in listing.items:
        if not _serves(gate, each):
            log.warning("an installation is ignored", account=_login(each), because="it is not in MERGEGATE_ACCOUNTS")
    keys = [InstallationKey(each.id) for each in listing.items if each.suspended_at is None and _serves(gate, each)]
    async with gate.database.transaction() as connection:
        await work.mark(connection, [Mark(str(each), priority=RESYNC, news=False) for each in keys])
        # An older version beside this one, in an upgrade, ends the keys that it does not know.
        await work.mark(connection, [upkeep_mark(work.AHEAD), canary_mark(work.AHEAD)])
    if webhooks:
        await ask_again(gate)
    return Sleep(interval)


def _serves(gate: Gate, installation: Installation) -> bool:
    return gate.github.identity.serves(_login(installation))


def _login(installation: Installation) -> str | None:
    return None if installation.account is None else installation.account.login


def clock_mark() -> Mark:
    """The mark that starts the clock; the key never parks and sets its own next time."""
    return Mark(str(ResyncKey()), periodic=True, news=False)
