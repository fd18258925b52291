"""`mergegate report`, from a real database whose week `tests.tickets.test_history` counts by hand."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from pathlib import Path

import pytest

from app.store import repositories
from app.store.database import Database
from app.store.repositories import Repository
from app.store.tickets import steps
from policies.tickets.scale import Decision
from tests.cli.clones import command
from tests.tickets.rows import REPOSITORY
from tests.tickets.test_history import write_week


async def _fill(url: str) -> None:
    async with Database.open(url, Path("/nonexistent")) as database, database.transaction() as connection:
        await repositories.save(connection, [Repository(REPOSITORY, 1, "acme", "shop")])
        await write_week(connection)
        await steps.save(connection, REPOSITORY, date(2026, 11, 23), Decision(2, raised=False, because=("no canary",)))


def report(url: str, *options: str) -> tuple[int, str, str]:
    done = command("report", *options, MERGEGATE_DATABASE_URL=url)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_week_for_people_for_programs_and_for_a_spreadsheet(database_url: str) -> None:
    asyncio.run(_fill(database_url))
    code, said, wrong = report(database_url, "acme/shop", "--week", "2026-W48")
    assert code == 0, wrong
    lines = said.splitlines()
    assert lines[:2] == [
        "2026-W48: 1 merged of 2 that ended, 1 waiting for a person; 2 tickets may be in work at a time, not raised.",
        "  not more, because: no canary",
    ]
    assert "Cost per merged ticket: ≥ 3.50 USD (3.5 of 1), before n/a" in lines
    assert "Canary tickets that were stopped: not recorded" in lines
    _, said, _ = report(database_url, "acme/shop", "--week", "2026-W48", "--plan", "50", "--cap", "8")
    assert said.splitlines()[-1].startswith("50 tickets like this week's: at least 175.00 USD, and 0.00 USD in reserve")
    _, said, _ = report(database_url, "acme/shop", "--week", "2026-W48", "--json")
    value = json.loads(said)
    assert (value["week"], value["before"]["week"]) == ("2026-W48", "2026-W47")
    assert value["metrics"]["stop_latency_p95"]["value"] == pytest.approx(72.0)
    assert value["scale"] == {"step": 2, "raised": False, "because": ["no canary"]}
    _, said, _ = report(database_url, "acme/shop", "--week", "2026-W48", "--csv")
    assert "2026-W48,first_pass_rate,0,0.0,1,share\n" in said
    assert "2026-W48,revert_rate,n/a,0.0,0,share\n" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("acme/shop", "--week", "2026-48"), "A week is written as year and number, like 2026-W48."),
        (("acme/shop", "--zone", "../etc/passwd"), "is no time zone. Write one like UTC or Asia/Tokyo."),
        (("acme",), "names no repository"),
    ],
)
def test_what_cannot_be_read_is_said_with_what_to_write(options: tuple[str, ...], said: str) -> None:
    code, out, wrong = report("postgresql://nobody@127.0.0.1:1/none", *options)
    assert (code, out) == (2, "")
    assert said in wrong
