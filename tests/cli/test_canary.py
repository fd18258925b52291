"""`mergegate canary`, from a real database."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.canary import NothingMissed, commands
from app.local.clone import CannotLook
from app.store import audit
from app.store.database import Database
from app.store.tickets import canaries
from policies.tickets.canary import Ran

TIME, COST = (Ran("time", passed=True, seen="it was stopped"), Ran("cost", passed=False, seen="it ran \x1b[31m on"))


def canary(*options: str, url: str) -> Result:
    return CliRunner().invoke(commands, options, env={"MERGEGATE_DATABASE_URL": url})


def store(url: str, *found: Ran) -> None:
    async def write() -> None:
        async with Database.open(url, Path("/nonexistent")) as database, database.transaction() as connection:
            for ran in found:
                await canaries.record(connection, ran, datetime.now(UTC))

    asyncio.run(write())


def lifted(url: str) -> object:
    async def read() -> object:
        async with Database.open(url, Path("/nonexistent")) as database, database.transaction() as connection:
            found = await audit.newest(connection, "configuration", None, "missed canary lifted")
        return None if found is None else found.entry.data

    return asyncio.run(read())


def test_what_was_missed_comes_first_and_a_named_person_lifts_it(database_url: str) -> None:
    store(database_url, TIME, COST)
    shown = canary("list", url=database_url)
    assert shown.exit_code == 1
    first, cost, time = shown.output.splitlines()
    assert first.startswith("The canary of the cost limit was not stopped (it ran") and "\x1b" not in shown.output
    assert cost.startswith("  cost did NOT hold") and time.startswith("  time held")
    assert canary("lift", "the clock", url=database_url).exit_code == 2, "it needs a name"
    assert canary("lift", "--by", "ada", "the clock", url=database_url).output.startswith("Work may begin again.")
    assert lifted(database_url) == {"by": "ada", "because": "the clock", "limit": "cost", "seen": COST.seen}
    after = canary("list", "--json", url=database_url)
    assert (after.exit_code, json.loads(after.output)["missed"]) == (0, None)
    again = canary("lift", "--by", "ada", "once more", url=database_url)
    assert isinstance(again.exception, NothingMissed)


def test_before_the_first_one_there_is_nothing_to_say(database_url: str) -> None:
    store(database_url)
    assert canary("list", url=database_url).output == "No canary ticket has run yet.\n"
    store(database_url, TIME)
    assert canary("list", url=database_url).output.startswith("No missed stop holds up work.\n  time held")
    for by, why in ((" ", "x"), ("ada", " "), ("ada", "x" * 1_001)):
        assert isinstance(canary("lift", "--by", by, why, url=database_url).exception, NothingMissed)


def test_without_a_database_it_cannot_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MERGEGATE_DATA", str(tmp_path))
    assert isinstance(canary("list", url="").exception, CannotLook)
