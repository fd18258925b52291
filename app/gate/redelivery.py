"""Deliveries that GitHub could not hand over, asked for again: GitHub itself never tries a second time.

Correctness does not rest on them, because the resync compares every open pull request; but who pushed, and what a
comment said when it was written, is told by deliveries alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import structlog

from app.gate.gate import Gate
from app.github import installations
from app.github.errors import RateLimited
from app.github.installation_models import Delivery
from app.intake.events import CI_EVENTS
from app.store import deliveries

log = structlog.get_logger(__name__)

MOST_REDELIVERIES = 50  # at one resync; the next one goes on
OVERLAP = timedelta(minutes=15)  # before what was searched last: a delivery is listed when its attempt has ended


async def ask_again(gate: Gate) -> None:
    """Search back to where the last search began, and ask for what never arrived; what tells facts comes first.

    Waiting for request budget ends it early, and the next search begins at the same place.
    """
    async with gate.database.transaction() as connection:
        until = await deliveries.searched_until(connection)
    try:
        since = None if until is None else until - OVERLAP
        listing = await installations.deliveries(gate.github.app, since=since, keep=tells)
        if not listing.complete:
            log.warning("more deliveries than are searched", kept=len(listing.items))
        done = await _ask_for(gate, lost(listing.items))
    except RateLimited as limited:
        log.info("lost deliveries wait for request budget", because=limited.because)
        return
    if done and listing.items:
        async with gate.database.transaction() as connection:
            await deliveries.save_searched_until(connection, max(each.delivered_at for each in listing.items))


async def _ask_for(gate: Gate, missing: Sequence[Delivery]) -> bool:
    """Whether all of them were asked for."""
    async with gate.database.transaction() as connection:
        unknown = set(await deliveries.unknown(connection, [each.guid for each in missing]))
    wanted = [each for each in missing if each.guid in unknown]
    for each in wanted[:MOST_REDELIVERIES]:
        log.info("asking for a lost delivery again", delivery=each.guid, webhook_event=each.event)
        await installations.redeliver(gate.github.app, each.id)
    return len(wanted) <= MOST_REDELIVERIES


def lost(attempts: Sequence[Delivery]) -> list[Delivery]:
    """One attempt of each delivery that none of the attempts handed over, the oldest first, those of CI last.

    A second attempt that this server refused (4xx) would be refused again.
    """
    over = {each.guid for each in attempts if _handed_over(each) or (each.redelivery and _refused(each))}
    first = {each.guid: each for each in attempts if each.guid not in over}
    return sorted(first.values(), key=lambda each: (each.event in CI_EVENTS, each.delivered_at))


def tells(attempt: Delivery) -> bool:
    """Whether `lost` needs to know of it: not of those that arrived the first time, which are nearly all."""
    return attempt.redelivery or not _handed_over(attempt)


def _handed_over(attempt: Delivery) -> bool:
    return 200 <= attempt.status_code < 300


def _refused(attempt: Delivery) -> bool:
    return 400 <= attempt.status_code < 500
