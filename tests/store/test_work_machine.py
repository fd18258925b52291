"""A state machine of the work table against a simple model, with the clock under the test's control.

Time passes by moving every stored time back, which is what the database's clock moving forward looks like. The model
keeps times as intervals, because the back-off has jitter: what may be due may be claimed, what must be due must be.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from app.store import work
from app.store.database import Database
from app.store.work import Lease, Mark

EXAMPLES = 2000 if os.environ.get("MERGEGATE_SOAK") == "1" else 70
KEYS = st.sampled_from(["a", "b"])
SLACK = 0.9  # seconds that a step may really take
T = TypeVar("T")


@dataclass
class Row:
    """What the model knows of a key; times in seconds from now, `due` as the earliest and latest it may be."""

    due: tuple[float, float]
    priority: int
    periodic: bool
    generation: int = 1
    claimed: int | None = None
    lease: Lease | None = None
    lease_left: float = 0.0
    attempts: int = 0
    parked: bool = False
    rounds: int = 0
    seen: int = 0  # marks that the attempt began after


def worn(row: Row) -> bool:
    return row.attempts >= 12 and not row.periodic and row.claimed == row.generation


def may_be_claimed(row: Row) -> bool:
    free = row.lease is None or row.lease_left <= SLACK or row.lease_left > 8
    return not row.parked and free and (row.due[0] <= SLACK or row.due[1] > 600)


def must_be_claimed(row: Row) -> bool:
    free = row.lease is None or row.lease_left <= 0 or row.lease_left > 8 + SLACK
    return not row.parked and free and (row.due[1] <= 0 or row.due[0] > 600)


class WorkMachine(RuleBasedStateMachine):
    database: Database
    runner: asyncio.Runner

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, Row] = {}
        self.lost: list[Lease] = []
        self.marks = {"a": 0, "b": 0}  # marks so far
        self.finished = {"a": 0, "b": 0}  # marks that a finished attempt had seen
        self.do(self.database.query("delete from work"))

    def do(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(coroutine)

    @rule(
        key=KEYS,
        delay=st.sampled_from([0, 0, 5, 900]),
        priority=st.integers(0, 3),
        news=st.booleans(),
        periodic=st.sampled_from([False, False, True]),
    )
    def mark(self, key: str, delay: int, priority: int, news: bool, periodic: bool) -> None:
        async def marked() -> None:
            async with self.database.transaction() as connection:
                await work.mark(connection, [Mark(key, timedelta(seconds=delay), priority, news, periodic)])

        self.do(marked())
        self.marks[key] += 1
        due = float(min(delay, 600))
        row = self.rows.get(key)
        if row is None:
            self.rows[key] = Row((due, due), priority, periodic)
            return
        row.generation += 1
        row.due = (min(row.due[0], due), min(row.due[1], due))
        row.priority = max(row.priority, priority)
        row.periodic |= periodic
        if news:
            row.attempts = 0
            row.parked = False

    @rule()
    def claim(self) -> None:
        lease = self.do(work.claim(self.database))
        self.note_parked(must=lease is None)
        if lease is None:
            assert not [key for key, row in self.rows.items() if must_be_claimed(row)]
            return
        row = self.rows[lease.key]
        assert may_be_claimed(row), f"{lease.key} was claimed while {row}"
        self.lose(row)
        row.attempts += 1
        assert (lease.attempts, lease.generation) == (row.attempts, row.generation)
        row.claimed, row.lease, row.lease_left = row.generation, lease, 8.0
        row.seen = self.marks[lease.key]
        row.due = self.back_off(row.attempts)

    def note_parked(self, must: bool) -> None:
        """Keys that came to no end twelve times are parked when it would be their turn again, and only then."""
        found = {row[0] for row in self.do(self.database.query("select key from work where parked"))}
        for key, row in self.rows.items():
            if not worn(row) or row.parked:
                continue
            if key in found:
                assert may_be_claimed(row)
                self.lose(row)
                row.parked, row.due = True, self.back_off(row.attempts + 1)
            else:
                assert not (must and must_be_claimed(row))

    def lose(self, row: Row) -> None:
        if row.lease is not None:
            self.lost.append(row.lease)
        row.lease = None

    @staticmethod
    def back_off(attempts: int) -> tuple[float, float]:
        longest = min(600.0, 2.0 ** (attempts - 1))
        return longest / 2 - SLACK, longest

    def pace(self, row: Row) -> tuple[float, float]:
        wait = min(5.0, 0.25 * 2**row.rounds)
        row.rounds += 1
        return wait - SLACK, wait

    def holders(self) -> list[Row]:
        return [row for row in self.rows.values() if row.lease is not None]

    @precondition(lambda self: self.holders())
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from(self.holders()))
        lease = self.own(row)
        assert self.do(work.finish(self.database, lease))
        self.finished[lease.key] = row.seen
        row.lease = None
        if row.generation == row.claimed:
            del self.rows[lease.key]
            return
        row.attempts = 0
        row.due = self.pace(row)

    @precondition(lambda self: self.holders())
    @rule(data=st.data(), after=st.sampled_from([None, None, 3, 7200]))
    def fail(self, data: st.DataObject, after: int | None) -> None:
        row = data.draw(st.sampled_from(self.holders()))
        wanted = None if after is None else timedelta(seconds=after)
        assert self.do(work.fail(self.database, self.own(row), "boom", wanted))
        row.lease = None
        if row.generation != row.claimed:
            row.due = self.pace(row)
            return
        row.rounds = 0
        row.parked = row.attempts >= 12 and not row.periodic
        exact = float(min(after, 600)) if after is not None else 0.0
        row.due = self.back_off(row.attempts) if after is None else (exact - SLACK, exact)

    @precondition(lambda self: self.holders())
    @rule(data=st.data(), seconds=st.sampled_from([0, 30, 7200]))
    def sleep(self, data: st.DataObject, seconds: int) -> None:
        row = data.draw(st.sampled_from(self.holders()))
        assert self.do(work.sleep(self.database, self.own(row), timedelta(seconds=seconds)))
        row.lease, row.attempts = None, 0
        if row.generation != row.claimed:
            row.due = self.pace(row)
            return
        row.rounds = 0
        exact = float(min(seconds, 600))
        row.due = (exact - SLACK, exact)

    @precondition(lambda self: self.holders())
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from(self.holders()))
        assert self.do(work.release(self.database, self.own(row)))
        row.lease, row.attempts, row.due = None, max(row.attempts - 1, 0), (0.0, 0.0)

    @precondition(lambda self: self.holders())
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from(self.holders()))
        assert self.do(work.renew(self.database, self.own(row)))
        row.lease_left = 8.0

    @precondition(lambda self: self.lost)
    @rule(data=st.data())
    def a_worker_that_lost_its_lease_does_nothing(self, data: st.DataObject) -> None:
        lost = data.draw(st.sampled_from(self.lost))
        for attempt in (
            work.finish(self.database, lost),
            work.fail(self.database, lost, "late"),
            work.sleep(self.database, lost, timedelta(0)),
            work.release(self.database, lost),
            work.renew(self.database, lost),
            work.holds(self.database, lost),
        ):
            assert not self.do(attempt)

    @precondition(lambda self: any(row.attempts for row in self.rows.values()))
    @rule()
    def many_attempts_were_made(self) -> None:
        """Eleven real failures of a key would take more steps than there are."""
        self.do(self.database.query("update work set attempts = attempts + 11 where attempts > 0"))
        for row in self.rows.values():
            row.attempts += 11 if row.attempts else 0

    @rule(seconds=st.sampled_from([1, 10, 700, -3600]))
    def time_passes(self, seconds: int) -> None:
        """Or the clock is set back an hour."""
        moved = timedelta(seconds=-seconds)
        self.do(
            self.database.query(
                "update work set due_at = due_at + %s, leased_until = leased_until + %s", (moved, moved)
            )
        )
        for row in self.rows.values():
            row.due = (row.due[0] - seconds, row.due[1] - seconds)
            row.lease_left -= seconds

    @invariant()
    def the_table_is_as_the_model_says(self) -> None:
        columns = "key, priority, periodic, generation, claimed, attempts, parked, rounds, lease"
        found = {row[0]: row[1:] for row in self.do(self.database.query(f"select {columns} from work"))}
        expected = {
            key: (
                row.priority,
                row.periodic,
                row.generation,
                row.claimed,
                row.attempts,
                row.parked,
                row.rounds,
                row.lease.id if row.lease else None,
            )
            for key, row in self.rows.items()
        }
        assert found == expected

    @invariant()
    def no_mark_is_lost(self) -> None:
        """A key that is gone was finished by an attempt that began after its last mark."""
        for key, marks in self.marks.items():
            assert key in self.rows or self.finished[key] == marks

    def own(self, row: Row) -> Lease:
        assert row.lease is not None
        return row.lease


def test_the_work_table_behaves_like_its_model(database_url: str) -> None:
    with asyncio.Runner() as runner:
        opened = Database.open(database_url, Path("/nonexistent"))
        database = runner.run(opened.__aenter__())
        try:
            WorkMachine.database, WorkMachine.runner = database, runner
            run_state_machine_as_test(
                WorkMachine,
                settings=settings(
                    max_examples=EXAMPLES,
                    stateful_step_count=25,
                    deadline=None,
                    database=None,
                    derandomize=EXAMPLES < 1000,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            runner.run(opened.__aexit__(None, None, None))
