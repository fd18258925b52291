"""`mergegate status`, from a real database."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from app.keys import PullKey
from app.store import work
from app.store.database import Database
from app.store.work import Mark
from tests.cli.clones import command

UNCHANGED_LOOK = "pull:1:2:3"


def status(*options: str, url: str = "", data: str = "") -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    done = command("status", *options, MERGEGATE_DATABASE_URL=url, MERGEGATE_DATA=data)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


async def _fill(url: str, *statements: str) -> None:
    async with Database.open(url, Path("/nonexistent")) as database:
        async with database.transaction() as connection:
            await work.mark(connection, [Mark(str(PullKey(1, 2, number))) for number in (11, 12)])
            await work.mark(connection, [Mark(UNCHANGED_LOOK, priority=-360)])
        for statement in statements:
            await database.query(statement)


LATE = "update work set due_at = now() - interval '10 minutes'"
PARKED = (
    "update work set parked = true, attempts = 12, last_error = E'Refused: \\x1b[31mchecks=write' "
    "where key = 'pull:1:2:12'"
)


def test_a_calm_gate(database_url: str) -> None:
    asyncio.run(_fill(database_url))
    code, said, wrong = status(url=database_url)
    assert code == 0, wrong
    assert said.splitlines()[0] == "All is well: nothing waits."
    assert "Work: 3 due, 0 in work, 0 later, 0 given up." in said
    assert "Last delivery never" in said
    assert "Canary tickets tried every limit: never." in said
    assert len(said.splitlines()) <= 24


def test_where_no_worker_has_ever_run_nothing_is_well(database_url: str) -> None:
    """As with the address of another database than the service's."""
    asyncio.run(_fill(database_url, "delete from work"))
    code, said, wrong = status(url=database_url)
    assert code == 1, wrong
    assert said.splitlines()[0] == "No worker has ever run here."
    assert "MERGEGATE_DATABASE_URL as the service has it" in said


def test_trouble_comes_first_with_what_to_do(database_url: str) -> None:
    asyncio.run(_fill(database_url, LATE, PARKED))
    code, said, wrong = status(url=database_url)
    assert code == 1, wrong
    lines = said.splitlines()
    assert lines[0] == "Work has waited for 10 minutes; 1 given up after 12 attempts."
    assert "Is a worker running" in lines[1]
    assert "pull:1:2:12: Refused:" in said
    assert "\x1b" not in said


def test_a_missed_stop_is_trouble(database_url: str) -> None:
    missed = "insert into canaries (limit_name, passed, seen, took, ran_at) values ('cost', false, 'it ran', 0, now())"
    asyncio.run(_fill(database_url, missed))
    code, said, _ = status(url=database_url)
    assert (code, said.splitlines()[0]) == (1, "The canary of the cost limit was not stopped (it ran).")


def test_canaries_that_rest_too_long_are_trouble(database_url: str) -> None:
    ran = "insert into canaries (limit_name, passed, seen, took, ran_at) values ('cost', true, 'x', 0, {})"
    asyncio.run(_fill(database_url, ran.format("now() - interval '49 hours'")))
    code, said, _ = status(url=database_url)
    assert (code, said.splitlines()[0]) == (1, "Canary tickets have not run for 2 days.")


def test_a_look_that_only_makes_sure_may_wait(database_url: str) -> None:
    asyncio.run(_fill(database_url, LATE + f" where key = '{UNCHANGED_LOOK}'"))
    assert status(url=database_url)[0] == 0


def test_for_programs(database_url: str) -> None:
    asyncio.run(_fill(database_url, PARKED))
    code, said, _ = status("--json", url=database_url)
    value = json.loads(said)
    assert (code, value["well"]) == (1, False)
    assert [each["key"] for each in value["parked"]] == ["pull:1:2:12"]
    assert (value["work"]["due"], value["work"]["parked"], value["open_pulls"]) == (2, 1, 0)


@pytest.mark.parametrize("url", ["", "postgresql://nobody:hunter2@127.0.0.1:1/none"])
def test_a_gate_that_cannot_be_read(url: str, tmp_path: Path) -> None:
    """Neither is well, nor is it trouble of the gate's."""
    code, said, wrong = status(url=url, data=str(tmp_path))
    assert (code, said) == (2, "")
    assert "hunter2" not in wrong
    assert "Traceback" not in wrong
