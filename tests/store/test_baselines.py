"""Baselines and reports as they are kept between looks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.store import baselines, ci_reports, ci_runs
from app.store.baselines import Row
from app.store.ci_runs import CiRun
from app.store.database import Database

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
MAIN = "refs/heads/main"
ROW = Row("ci.yml", 5, NOON, {"tests": 9})


async def test_what_stood_for_a_branch_at_a_moment(database: Database) -> None:
    async with database.transaction() as connection:
        later = replace(ROW, run_id=4, since=NOON + timedelta(hours=1), facts={"tests": 10})
        assert await baselines.save(connection, 2, MAIN, later)
        assert await baselines.save(connection, 2, MAIN, ROW)
        for place in ((3, MAIN, "ci.yml"), (2, "refs/heads/x", "ci.yml"), (2, MAIN, "e2e.yml")):
            assert await baselines.before(connection, *place, NOON) is None
        found = [
            await baselines.before(connection, 2, MAIN, "ci.yml", NOON + timedelta(minutes=minutes))
            for minutes in (-1, 0, 59, 60, 999)
        ]
    assert found == [None, {"tests": 9}, {"tests": 9}, {"tests": 10}, {"tests": 10}]


async def test_a_run_is_written_down_once(database: Database) -> None:
    async with database.transaction() as connection:
        assert await baselines.save(connection, 2, MAIN, ROW)
        assert not await baselines.save(connection, 2, MAIN, replace(ROW, since=NOON + timedelta(1), facts={}))
        assert await baselines.before(connection, 2, MAIN, "ci.yml", NOON) == {"tests": 9}


async def test_the_oldest_of_many_are_forgotten(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "KEPT", 2)
    async with database.transaction() as connection:
        assert await baselines.save(connection, 2, MAIN, replace(ROW, workflow="e2e.yml"))
        for hour in (2, 0, 1):
            row = replace(ROW, run_id=hour, since=NOON + timedelta(hours=hour), facts=hour)
            assert await baselines.save(connection, 2, MAIN, row)
        moments = [NOON + timedelta(hours=hour) for hour in range(3)]
        found = [await baselines.before(connection, 2, MAIN, "ci.yml", moment) for moment in moments]
        assert found == [None, 1, 2]
        assert await baselines.before(connection, 2, MAIN, "e2e.yml", NOON) == {"tests": 9}


async def test_the_commit_that_was_looked_at_last(database: Database) -> None:
    async with database.transaction() as connection:
        assert await baselines.looked_at(connection, 2, MAIN) is None
        for sha in ("a" * 40, "b" * 40):
            await baselines.note_look(connection, 2, MAIN, sha)
        assert await baselines.looked_at(connection, 2, MAIN) == "b" * 40
        assert await baselines.looked_at(connection, 3, MAIN) is None


RUN = CiRun(2, 900, 1, "2026-05-04T03:00:00Z", {"head_sha": "a" * 40})


async def test_reports_are_kept_with_their_run_and_by_their_patterns(database: Database) -> None:
    async with database.transaction() as connection:
        await ci_reports.save(connection, 2, (900, 1), "x", [])
        assert await ci_reports.find(connection, 2, (900, 1), "x") is None, "the run itself is not kept"
        await ci_runs.save(connection, RUN)
        assert await ci_reports.find(connection, 2, (900, 1), "x") is None
        await ci_reports.save(connection, 2, (900, 1), "x", [{"passed": 3}])
        assert await ci_reports.find(connection, 2, (900, 1), "x") == [{"passed": 3}]
        for run, by in (((900, 1), "y"), ((900, 2), "x"), ((901, 1), "x")):
            assert await ci_reports.find(connection, 2, run, by) is None


async def test_no_reports_are_not_the_same_as_none_read(database: Database) -> None:
    async with database.transaction() as connection:
        await ci_runs.save(connection, RUN)
        await ci_reports.save(connection, 2, (900, 1), "x", [])
        assert await ci_reports.find(connection, 2, (900, 1), "x") == []


async def test_a_run_that_changed_has_its_reports_read_anew(database: Database) -> None:
    async with database.transaction() as connection:
        await ci_runs.save(connection, RUN)
        await ci_reports.save(connection, 2, (900, 1), "x", [1])
        await ci_runs.save(connection, replace(RUN, updated_at="2026-05-04T04:00:00Z"))
        assert await ci_reports.find(connection, 2, (900, 1), "x") is None


async def test_the_runs_on_a_commit_at_their_newest_attempts(database: Database) -> None:
    async with database.transaction() as connection:
        for run_id, attempt in ((901, 1), (900, 1), (900, 2)):
            facts = {"head_sha": "a" * 40, "n": f"{run_id}.{attempt}"}
            await ci_runs.save(connection, replace(RUN, run_id=run_id, attempt=attempt, facts=facts))
        await ci_runs.save(connection, replace(RUN, run_id=902, facts={"head_sha": "b" * 40}))
        await ci_reports.save(connection, 2, (900, 2), "x", [1])
        found = await ci_reports.runs_on(connection, 2, "a" * 40)
        assert [(facts["n"], reports) for facts, reports in found] == [("900.2", [1]), ("901.1", None)]
        assert await ci_reports.runs_on(connection, 3, "a" * 40) == []
