"""Tickets as Prometheus sees them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from app.store import repositories
from app.store.database import Database
from app.store.repositories import Repository
from app.store.tickets import canaries, steps
from app.web.ticket_metrics import ticket_metrics
from policies.tickets.canary import Ran
from policies.tickets.scale import Decision
from tests.tickets.rows import REPOSITORY

pytestmark = pytest.mark.anyio


async def test_tickets_are_counted_by_repository_and_state(database: Database) -> None:
    async with database.transaction() as connection:
        await repositories.save(connection, [Repository(REPOSITORY, 1, "acme", "shop")])
        await steps.save(connection, REPOSITORY, date(2026, 11, 16), Decision(5, raised=True, because=()))
        await steps.save(connection, REPOSITORY, date(2026, 11, 9), Decision(2, raised=False, because=()))
        await connection.execute(
            "insert into tickets (repository_id, number, installation_id, title, state, since) values "
            "(42, 1, 1, 'x', 'running', now()), (42, 2, 1, 'x', 'needs_human', now() - interval '2 hours'), "
            "(42, 3, 1, 'x', 'needs_human', now() - interval '1 hour'), (43, 1, 1, 'x', 'running', now()), "
            "(-1, 1, -1, 'a canary', 'running', now())"
        )
        await connection.execute(
            "insert into ticket_raises (repository_id, number, what, was, became, usual, raised_by, because, at) "
            "values (42, 1, 'cost', 8, 15, 10, 'ada', 'x', now()), (42, 2, 'cost', 8, 40, 10, 'ada', 'x', now()), "
            "(42, 2, 'minutes', 90, 240, 120, 'ada', 'x', now()), "
            "(42, 2, 'path', null, null, null, 'ada', 'x', now()), "
            "(42, 2, 'cost', 8, 50, 10, 'ada', 'x', now() - interval '7 days')"
        )
    shown = {
        (sample.name, *sample.labels.values()): sample.value
        for family in await ticket_metrics(database)
        for sample in family.samples
    }
    assert 7200 <= shown.pop(("mergegate_tickets_oldest_needs_human_seconds", "acme/shop")) < 7300
    assert shown == {
        ("mergegate_tickets", "acme/shop", "running"): 1,
        ("mergegate_tickets", "acme/shop", "needs_human"): 2,
        ("mergegate_tickets", "43", "running"): 1,
        ("mergegate_tickets_step", "acme/shop"): 5,
        ("mergegate_tickets_step", "43"): 2,
        ("mergegate_tickets_limits_raised", "acme/shop", "cost"): 2,
        ("mergegate_tickets_limits_raised", "acme/shop", "minutes"): 1,
        ("mergegate_tickets_limits_raised", "acme/shop", "path"): 1,
        ("mergegate_tickets_cap_drift", "acme/shop"): 2.0,  # of 1.5, 4 and 2
    }


async def test_a_missed_canary_shows_until_somebody_lets_work_begin(database: Database) -> None:
    ran = datetime(2026, 11, 30, tzinfo=UTC)

    async def shown() -> dict[str, float]:
        found = [sample for family in await ticket_metrics(database) for sample in family.samples]
        return {sample.name: sample.value for sample in found if sample.name.startswith("mergegate_canary")}

    assert await shown() == {}
    async with database.transaction() as connection:
        await canaries.record(connection, Ran("stop", passed=False, seen="x"), ran)
    assert await shown() == {"mergegate_canary_missed": 1, "mergegate_canary_timestamp_seconds": ran.timestamp()}
    async with database.transaction() as connection:
        await canaries.lift(connection, "ada", "x", ran)
    assert (await shown())["mergegate_canary_missed"] == 0
