"""Who is told when: quiet hours, storms, full days, the next person, and the morning's list."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from policies.errors import InvalidPolicyError
from policies.load import load
from policies.tickets.escalation import Cause
from policies.tickets.escalation_digest import Item, digest_day, digest_text, minutes_for, reading_order, sized
from policies.tickets.escalation_pushes import Hours, Plan, Push, PushRules, Waiting, people_for, plan, rules_of
from policies.tickets.words import Language
from tests.policies.build import presets

TOKYO = Hours(ZoneInfo("Asia/Tokyo"))
RULES = PushRules(TOKYO)
MONDAY_NOON = datetime(2026, 11, 30, 3, tzinfo=UTC)  # 12:00 in Tokyo
NIGHT = datetime(2026, 11, 30, 14, tzinfo=UTC)  # 23:00 there
SATURDAY = datetime(2026, 11, 28, 3, tzinfo=UTC)
FAILED = Waiting(7, Cause.REPEATED_FAILURE, "push", ("ada", "bob"), MONDAY_NOON)
HOUR = timedelta(hours=1)


def test_the_first_person_is_told_once() -> None:
    told = plan([FAILED], [], RULES, MONDAY_NOON)
    assert told == Plan((Push("ada", Cause.REPEATED_FAILURE, (7,), MONDAY_NOON),))
    for minutes in range(240):
        assert not plan([FAILED], told.pushes, RULES, MONDAY_NOON + timedelta(minutes=minutes)).pushes


def test_after_four_hours_of_work_the_next_person_is_told_and_then_nobody() -> None:
    first = plan([FAILED], [], RULES, MONDAY_NOON).pushes
    second = plan([FAILED], first, RULES, MONDAY_NOON + 4 * HOUR).pushes
    assert [push.person for push in second] == ["bob"]
    assert not plan([FAILED], [*first, *second], RULES, MONDAY_NOON + 30 * HOUR).pushes


def test_nights_and_weekends_are_no_working_hours() -> None:
    evening = datetime(2026, 11, 27, 9, tzinfo=UTC)  # Friday 18:00 in Tokyo
    one = replace(FAILED, since=evening)
    first = plan([one], [], RULES, evening).pushes
    assert not plan([one], first, RULES, SATURDAY).pushes
    monday = datetime(2026, 11, 29, 23, tzinfo=UTC)  # 08:00 in Tokyo
    assert not plan([one], first, RULES, monday + timedelta(minutes=119)).pushes
    assert plan([one], first, RULES, monday + timedelta(minutes=120)).pushes


def test_a_critical_one_goes_on_after_half_an_hour() -> None:
    one = replace(FAILED, critical=True)
    first = plan([one], [], RULES, MONDAY_NOON).pushes
    assert not plan([one], first, RULES, MONDAY_NOON + timedelta(minutes=29)).pushes
    assert plan([one], first, RULES, MONDAY_NOON + timedelta(minutes=30)).pushes[0].person == "bob"


@pytest.mark.parametrize("moment", [NIGHT, SATURDAY])
@pytest.mark.parametrize("cause", Cause)
def test_only_a_stop_that_is_not_confirmed_breaks_the_quiet(moment: datetime, cause: Cause) -> None:
    pushes = plan([replace(FAILED, cause=cause, since=moment, critical=True)], [], RULES, moment).pushes
    assert bool(pushes) == (cause is Cause.STOP_UNCONFIRMED)


def test_two_hundred_tickets_with_one_cause_are_one_message() -> None:
    storm = [replace(FAILED, ticket=number) for number in range(200)]
    (push,) = plan(storm, [], RULES, MONDAY_NOON).pushes
    assert push.tickets == tuple(range(200))


def test_a_storm_that_comes_drop_by_drop_is_one_message_an_hour() -> None:
    sent: list[Push] = []
    for minute in range(121):
        now = MONDAY_NOON + timedelta(minutes=minute)
        open_now = [replace(FAILED, ticket=number, since=MONDAY_NOON) for number in range(minute + 1)]
        sent += plan(open_now, sent, RULES, now).pushes
    assert [(push.person, len(push.tickets)) for push in sent] == [("ada", 1), ("ada", 60), ("ada", 60)]


def test_a_full_day_joins_the_digest_and_is_counted() -> None:
    earlier = [Push("ada", Cause.DATA_MIGRATION, (100 + n,), MONDAY_NOON - HOUR) for n in range(12)]
    assert plan([FAILED], earlier, RULES, MONDAY_NOON) == Plan((), held=(7,))
    assert plan([FAILED], earlier[1:], RULES, MONDAY_NOON).pushes
    yesterday = [replace(push, at=push.at - 24 * HOUR) for push in earlier]
    assert plan([FAILED], yesterday, RULES, MONDAY_NOON).pushes


def test_a_persons_day_is_one_over_all_repositories() -> None:
    assert plan([FAILED], [], RULES, MONDAY_NOON, {"ada": 12}).held == (7,)
    assert plan([FAILED], [], RULES, MONDAY_NOON, {"ada": 11, "bob": 12}).pushes


def test_a_login_is_the_same_however_it_is_spelled() -> None:
    told = plan([replace(FAILED, people=("ADA", "bob"))], [], RULES, MONDAY_NOON, {"ada": 12})
    assert told == Plan((), held=(7,))
    earlier = [Push("Ada", Cause.REPEATED_FAILURE, (7,), MONDAY_NOON)]
    assert plan([FAILED], earlier, RULES, MONDAY_NOON + 4 * HOUR).pushes[0].person == "bob"
    assert not plan([replace(FAILED, ticket=8)], earlier, RULES, MONDAY_NOON).pushes


def test_the_rules_are_those_of_the_policy() -> None:
    pushes = load(
        "version: 1\nticket: {pushes: {zone: Asia/Tokyo, days: [sat, sun], daily: 3}}", presets()
    ).ticket.pushes
    rules = rules_of(pushes)
    assert rules.hours == Hours(ZoneInfo("Asia/Tokyo"), time(8), time(20), frozenset({5, 6}))
    assert (rules.daily, rules.again, rules.critical, rules.together) == (3, 4 * HOUR, HOUR / 2, HOUR)


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ("zone: Mars/Olympus", "no time zone"),
        ("zone: ../../etc/passwd", "no name of a time zone"),
        ("begins: '20:00'", "`ends` is not after `begins`"),
        ("ends: '24:00'", "no time of a day"),
        ("days: []", "days"),
        ("on_call: ['a b']", "on_call"),
    ],
)
def test_hours_that_are_none_are_refused(said: str, because: str) -> None:
    with pytest.raises(InvalidPolicyError, match=because):
        load(f"version: 1\nticket: {{pushes: {{{said}}}}}", presets())


def test_the_last_message_of_a_day_is_for_what_cannot_wait() -> None:
    earlier = [Push("ada", Cause.DATA_MIGRATION, (100 + n,), MONDAY_NOON - HOUR) for n in range(11)]
    stop = replace(FAILED, ticket=8, cause=Cause.STOP_UNCONFIRMED)
    told = plan([FAILED, stop], earlier, RULES, MONDAY_NOON)
    assert [push.cause for push in told.pushes] == [Cause.STOP_UNCONFIRMED]
    assert told.held == (7,)


def test_what_the_digest_tells_is_not_pushed_nor_is_anything_without_people() -> None:
    assert plan([replace(FAILED, way="digest")], [], RULES, MONDAY_NOON) == Plan()
    assert plan([replace(FAILED, people=())], [], RULES, MONDAY_NOON) == Plan()


def test_a_ticket_that_comes_up_anew_is_told_anew() -> None:
    before = [Push("ada", Cause.REPEATED_FAILURE, (7,), MONDAY_NOON - 3 * HOUR)]
    assert plan([FAILED], before, RULES, MONDAY_NOON).pushes[0].person == "ada"


@pytest.mark.parametrize("cause", [Cause.REPEATED_FAILURE, Cause.STOP_UNCONFIRMED])
def test_a_clock_that_was_ahead_keeps_nobody_silent(cause: Cause) -> None:
    """It told of this ticket and of another one, a month from now."""
    one = replace(FAILED, cause=cause, people=("ada", "bob"))
    ahead = [Push("ada", cause, (one.ticket, 99), MONDAY_NOON + timedelta(days=30))]
    assert [push.person for push in plan([one], ahead, RULES, MONDAY_NOON).pushes] == ["bob"]
    other = replace(one, ticket=8)
    assert [push.person for push in plan([other], ahead, RULES, MONDAY_NOON).pushes] == ["ada"]


def test_the_accepter_is_asked_before_owners_and_those_on_call() -> None:
    assert people_for("Ada", ["bob", "ada"], ["eve", "Bob"]) == ("Ada", "bob", "eve")
    assert people_for(None, [], ["eve"]) == ("eve",)


def test_hours_are_counted_as_they_pass_when_clocks_change() -> None:
    """Berlin's clocks go back from 03:00 to 02:00 on 25 October 2026 and forward on 29 March (EU rule)."""
    hours = Hours(ZoneInfo("Europe/Berlin"), time(0), time(4), frozenset(range(7)))
    autumn, spring = datetime(2026, 10, 24, 20, tzinfo=UTC), datetime(2026, 3, 28, 20, tzinfo=UTC)
    assert hours.worked(autumn, autumn + 12 * HOUR) == 5 * HOUR
    assert hours.worked(spring, spring + 12 * HOUR) == 3 * HOUR
    with pytest.raises(ValueError, match="must end after"):
        Hours(ZoneInfo("UTC"), time(20), time(8))


def _item(ticket: int, risk: str = "low", *, uncertain: bool = False, minutes: int = 3) -> Item:
    return Item(ticket, risk, MONDAY_NOON, minutes, uncertain)


def test_the_digest_reads_uncertain_grave_and_old_first() -> None:
    items = [
        _item(1, "critical"),
        _item(2),
        replace(_item(3), since=MONDAY_NOON - HOUR),
        _item(4, uncertain=True),
        _item(5, "high", uncertain=True),
        _item(6, "never heard of", uncertain=True),
    ]
    assert [one.ticket for one in reading_order(items)] == [6, 5, 4, 1, 3, 2]


def test_the_digest_is_twenty_minutes_long_and_holds_the_first_at_least() -> None:
    assert len(sized([_item(number) for number in range(50)])) == 6
    assert [one.ticket for one in sized([_item(1, minutes=90), _item(2)])] == [1]


def test_the_digest_says_how_much_it_is_and_what_is_left_out() -> None:
    items = [_item(number) for number in range(1, 9)]
    items[7] = replace(items[7], uncertain=True, cause=Cause.DATA_MIGRATION)
    lines = digest_text(items, "en").splitlines()
    assert lines[0] == "**Good morning: 8 for you, about 18 minutes**"
    assert lines[2:4] == ["1. #8 · it changes stored data · low · uncertain", "2. #1 · Mergeable · low"]
    assert lines[-1] == "and 2 more"
    assert digest_text(items[:1], "en").splitlines()[-1] == "1. #1 · Mergeable · low"


def test_a_question_of_no_cause_reads_as_one_and_not_as_a_result() -> None:
    one = replace(_item(1, uncertain=True), asks=True)
    assert digest_text([one], "en").splitlines()[-1] == "1. #1 · Needs you · low · uncertain"


@pytest.mark.parametrize(
    ("now", "since", "day"),
    [
        (datetime(2026, 11, 29, 23, 0, tzinfo=UTC), SATURDAY, date(2026, 11, 30)),  # Monday 08:00 in Tokyo
        (datetime(2026, 11, 29, 22, 59, tzinfo=UTC), SATURDAY, None),
        (datetime(2026, 11, 30, 2, 59, tzinfo=UTC), SATURDAY, date(2026, 11, 30)),
        (MONDAY_NOON, SATURDAY, None),  # four hours late
        (datetime(2026, 11, 27, 23, 0, tzinfo=UTC), SATURDAY - 9 * HOUR, None),  # Saturday
        (datetime(2026, 11, 29, 23, 5, tzinfo=UTC), datetime(2026, 11, 29, 23, 0, tzinfo=UTC), None),  # just made
        (datetime(2026, 11, 29, 23, 0, tzinfo=UTC), None, None),  # no board
    ],
)
def test_the_digest_is_due_in_the_morning_of_working_days(
    now: datetime, since: datetime | None, day: date | None
) -> None:
    assert digest_day(TOKYO, time(8), since, now) == day


def test_what_is_graver_takes_longer_to_read() -> None:
    assert [minutes_for(risk, asks=False) for risk in ("low", "medium", "high", "critical", "?")] == [2, 4, 8, 12, 12]
    assert minutes_for("critical", asks=True) == 3


@pytest.mark.parametrize("language", get_args(Language))
def test_an_empty_digest_is_one_line(language: Language) -> None:
    assert digest_text([], language).count("\n") == 0
