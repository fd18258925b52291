"""That the counts of a night find what is wrong: rows as they must never be, and numbers counted by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from tests.fleet.log import Changed, Held, Log, Tried
from tests.fleet.recount import recount, verbs_of
from tests.fleet.traffic import most_within
from tests.fleet.truths import _days, _histories, _in_work, _pushes, _spending, _times
from tests.github.state import Comment
from tests.tickets.litellm import Held as Key
from tests.tickets.litellm import LiteLlm

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


SPENT = (("a", 1, "3.00"), ("b", 1, "0.50"), ("c", 2, "0.40"))


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
        "raised": (0, None),
        "waiting": 0,
    }


def test_limits_are_raised_when_they_become_higher_than_they_were() -> None:
    words = ("/limit cost=2", "/limit cost=6\nReason: x", "/limit minutes=60 attempts=4\nReason: x", "/limit cost=6")
    found = recount(replace(log(), said=[(2, each, "ada", at(9)) for each in words]))
    assert found["raised"] == (2, (0.6 + 4 / 3) / 2)


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


def night_of(**more: Any) -> Any:
    """As much of a night as the checks look at."""
    seen = SimpleNamespace(spent=more.get("spent", []))
    return SimpleNamespace(seen=seen, plan=SimpleNamespace(agents=1), town=SimpleNamespace(**more))


def test_spending_beyond_the_cap_and_what_the_store_does_not_know_are_found() -> None:
    keys = {name: Key(Decimal(cost), "1h", {"ticket": number}, Decimal(cost)) for name, number, cost in SPENT}
    found = list(_spending(night_of(litellm=LiteLlm(keys=keys)), log()))
    assert found == ["#1 spent 3.50 of 3", "#1 spent 3.50, of which the store knows 1.50"]


def test_a_day_has_so_many_attempts_and_dollars() -> None:
    night = night_of(spent=[(at(10), 1, Decimal("1.50")), (at(30), 2, Decimal("0.40"))])
    assert list(_days(night, log(), 3, Decimal(2))) == []
    assert list(_days(night, log(), 2, Decimal(1))) == [
        "3 attempts began on 2026-11-30, of 2",
        "1.90 USD were spent on 2026-11-30 of 1",
    ]


def test_time_beyond_the_limit_is_found() -> None:
    night = night_of(clock=SimpleNamespace(now=at(600)))
    assert list(_times(night, log())) == []
    endless = Tried(1, 2, at(40), at(40), None, None, None, "hard")
    assert list(_times(night, replace(log(), tries=[*TRIES, endless]))) == ["#1 took 9:50:00 of 110 minutes"]


def test_whoever_is_woken_or_told_too_often_is_found() -> None:
    def comments(hour: int, count: int) -> Any:
        at_hour = SIX.replace(hour=hour)
        said = [Comment(n, "gate", "A question.\n\n@ada", at_hour, at_hour) for n in range(count)]
        issue = SimpleNamespace(comments=said)
        return night_of(shop=SimpleNamespace(issues={1: issue}), app=SimpleNamespace(bot_login="gate"))

    assert list(_pushes(comments(9, 12))) == []
    assert list(_pushes(comments(9, 13))) == ["ada was told 13 times on 2026-11-30"]
    assert [words.partition(":")[0] for words in _pushes(comments(3, 1))] == ["ada was woken at 2026-11-30 03"]


def test_writes_are_counted_in_any_stretch() -> None:
    moments = [at(0), at(0.5), at(0.9), at(1.0), at(1.6)]
    assert most_within(moments, timedelta(minutes=1)) == 3
    assert most_within(moments, timedelta(hours=1)) == 5
    assert most_within([], timedelta(hours=1)) == 0


def test_verbs_as_phones_write_them() -> None:
    assert verbs_of("\r\n／Stop now\r\n\r\nThanks / all!") == {"stop"}
