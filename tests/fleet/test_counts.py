"""That the counts of a night find what is wrong: rows as they must never be, and numbers counted by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from tests.fleet.log import Changed, Held, Log, Tried
from tests.fleet.recount import recount, verbs_of
from tests.fleet.traffic import most_within
from tests.fleet.truths import _histories, _in_work

SIX = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return SIX + timedelta(minutes=minutes)


def changed(number: int, minutes: float, words: str, attempt: int = 1) -> Changed:
    before, event, after = words.split()
    return Changed(number, before, after, event, attempt, at(minutes))


def held(number: int, state: str) -> Held:
    return Held(number, state, None, None, None, None)


MERGED = [
    changed(1, 0, "draft accepted waiting", 0),
    changed(1, 5, "waiting claimed running"),
    changed(1, 30, "running submitted verifying"),
    changed(1, 36, "verifying passed mergeable"),
    changed(1, 40, "mergeable merged merged"),
]
STOPPED = [
    changed(2, 0, "draft accepted waiting", 0),
    changed(2, 6, "waiting claimed running"),
    changed(2, 14, "running submitted verifying"),
    changed(2, 20, "verifying failed verify_failed"),
    changed(2, 20, "verify_failed resumed running", 2),
    changed(2, 50, "running stop stopping", 2),
    changed(2, 51, "stopping confirmed stopped", 2),
]
TRIES = [
    Tried(1, 1, at(5), at(6), at(36), "passed", Decimal("1.50"), "hard"),
    Tried(2, 1, at(6), at(7), at(20), "failed", Decimal("0.40"), "hard"),
    Tried(2, 2, at(20), at(20), at(50), "stop", None, "hard"),
]


def log(*more: Changed, states: tuple[str, str] = ("merged", "stopped")) -> Log:
    tickets = {number: held(number, state) for number, state in enumerate(states, start=1)}
    changes = sorted([*MERGED, *STOPPED, *more], key=lambda one: one.at)
    said = [(2, "／stop now\r\n", "ada", at(49.5)), (1, "/status", "ada", at(10))]
    return Log(changes, TRIES, tickets, [(2, "missing_information", "x", at(12))], said)


def test_the_numbers_of_two_tickets() -> None:
    assert recount(log()) == {
        "ended": 2,
        "completed": 1,
        "questions": (1, 1),
        "reruns": (1, 2),
        "cap_hits": (0, 3),
        "first_pass": (1, 2),
        "zero_touch": (1, 1),
        "escalations": (0, 2),
        "cost": (Decimal("1.90"), 1),
        "unknown_costs": 1,
        "stops": (1, 90.0),
        "waiting": 0,
    }


def test_a_state_that_does_not_follow_from_the_log_is_found() -> None:
    assert list(_histories(log())) == []
    assert list(_histories(log(states=("merged", "running")))) == ["#2 is running, its log says stopped"]
    wrong = list(_histories(log(changed(1, 60, "waiting claimed running"))))
    assert wrong == ["#1 was merged and left waiting", "#1 is merged, its log says running"]
    assert list(_histories(log(changed(2, 60, "stopped passed mergeable")))) == [
        "#2 went from stopped to mergeable",
        "#2 is stopped, its log says mergeable",
    ]


def test_one_in_work_too_many_is_found() -> None:
    assert list(_in_work(log(), 2)) == []
    assert list(_in_work(log(), 1)) == [f"#2 was claimed at {at(6)} while 1 were in work"]


def test_writes_are_counted_in_any_stretch() -> None:
    moments = [at(0), at(0.5), at(0.9), at(1.0), at(1.6)]
    assert most_within(moments, timedelta(minutes=1)) == 3
    assert most_within(moments, timedelta(hours=1)) == 5
    assert most_within([], timedelta(hours=1)) == 0


def test_verbs_as_phones_write_them() -> None:
    assert verbs_of("\r\n／Stop now\r\n\r\nThanks / all!") == {"stop"}
