"""What the service does for itself, in one process at a time: old rows go, and the audit log is anchored."""

from __future__ import annotations

from datetime import timedelta

import structlog

from app.gate.anchoring import anchor_due
from app.gate.gate import Gate
from app.keys import CanaryKey, UpkeepKey
from app.store import audit, work
from app.store.prune import BATCH, prune_all
from app.store.work import Mark
from app.store.worker import Outcome, Sleep

log = structlog.get_logger(__name__)

PRIORITY = -3  # nobody waits for it
MORE = timedelta(seconds=1)


def upkeep_mark(delay: timedelta = timedelta(0)) -> Mark:
    """The mark that starts it; the key never parks and sets its own next time."""
    return Mark(str(UpkeepKey()), delay=delay, priority=PRIORITY, periodic=True, news=False)


def canary_mark(delay: timedelta = timedelta(0)) -> Mark:
    """The same of canary tickets, which `app.tickets.canaries` runs."""
    return Mark(str(CanaryKey()), delay=delay, priority=PRIORITY, periodic=True, news=False)


async def upkeep(gate: Gate) -> Outcome:
    """Rows that are older than the settings say go, in bounded batches; where there are more it comes back soon."""
    gone = await prune_all(gate.database, gate.keep)
    async with gate.database.transaction() as connection:
        gone["audit_log"] = await audit.prune(connection, gate.keep.audit, BATCH)
    await anchor_due(gate)
    if any(gone.values()):
        log.info("old rows are gone", **{table: count for table, count in gone.items() if count})
    return Sleep(MORE if max(gone.values()) >= BATCH else work.AHEAD)
