"""The week's numbers against a table whose numbers were counted by hand, ticket by ticket, in the comments."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from policies.tickets import rates
from policies.tickets.metrics import Metrics, measure
from policies.tickets.rates import Drift, Pushes, Ratio, Reruns
from policies.tickets.records import (
    Act,
    ActKind,
    Asked,
    Canary,
    Change,
    History,
    PullSpan,
    Push,
    Raised,
    Records,
    Stretch,
    histories,
)
from policies.tickets.states import Event, Position, State, step
from policies.tickets.waits import Stops, Waits, percentile, review_waits, stop_times
from policies.tickets.week import Week, read_week, week_of

E = Event
WEEK = Week(date(2026, 11, 23), UTC)
LATER = datetime(2027, 1, 1, tzinfo=UTC)
TO_AGENT = [(E.ACCEPTED, 0, 8, 0), (E.CLAIMED, 0, 9, 0)]  # event, day and hour of the week, attempt
TWO_BEFORE = [(E.ACCEPTED, -14, 0, 0), (E.CLAIMED, -14, 0, 0), (E.SUBMITTED, -14, 0, 1)]


def at(day: int, hour: float) -> datetime:
    return datetime(2026, 11, 23, tzinfo=UTC) + timedelta(days=day, hours=hour)


def changes(number: int, *happened: tuple[Event, int, float, int]) -> tuple[Change, ...]:
    """As the table of states makes them; each must be allowed where it stands."""
    found, position = [], Position(State.DRAFT)
    for event, day, hour, attempt in happened:
        after = step(position, event)
        assert after is not None, (number, position, event)
        found.append(Change(number, position.state, after.state, event, attempt, at(day, hour)))
        position = after
    return tuple(found)


def stretch(number: int, attempt: int, ended: datetime | None, outcome: Event | None, cost: str | None) -> Stretch:
    return Stretch(number, attempt, 1, ended, outcome, None if cost is None else Decimal(cost))


TABLE = Records(
    changes=(
        # 1: passes at once, waits half an hour for ada's approval, merged. Nobody touched it.
        *changes(1, *TO_AGENT, (E.SUBMITTED, 0, 12, 1), (E.PASSED, 0, 13, 1), (E.MERGED, 0, 14, 1)),
        # 2: fails once, bob says something, passes the second time, merged without an approval.
        *changes(
            2,
            *(*TO_AGENT, (E.SUBMITTED, 0, 11, 1), (E.FAILED, 0, 12, 1), (E.RESUMED, 0, 12, 1)),
            *((E.SUBMITTED, 1, 9, 2), (E.PASSED, 1, 10, 2), (E.ENQUEUED, 1, 11, 2), (E.MERGED, 1, 12, 2)),
        ),
        # 3: asks, is answered after five hours, fails, has no attempt left: waits since Wednesday, 10 o'clock.
        *changes(
            3,
            *(*TO_AGENT, (E.ASKED, 1, 9, 1), (E.ANSWERED, 1, 14, 1), (E.SUBMITTED, 2, 9, 1)),
            *((E.FAILED, 2, 10, 1), (E.EXHAUSTED, 2, 10, 1)),
        ),
        # 4: stopped by ada; 3 seconds after the gate read it, 5 after she wrote it.
        *changes(4, *TO_AGENT, (E.STOP, 2, 12, 1), (E.CONFIRMED, 2, 12 + 3 / 3600, 1)),
        # 5: reaches a limit.
        *changes(5, *TO_AGENT, (E.CAP, 3, 10, 1), (E.CONFIRMED, 3, 10, 1)),
        # 6: closed before anybody took it.
        *changes(6, (E.ACCEPTED, 3, 8, 0), (E.CANCEL, 3, 9, 0), (E.CONFIRMED, 3, 9, 0)),
        # 7: two weeks ago, passed, sent back by a person, passed, merged, reverted after four days.
        *changes(
            7,
            *(*TWO_BEFORE, (E.PASSED, -14, 1, 1), (E.REJECTED, -14, 2, 1), (E.RESUMED, -14, 2, 1)),
            *((E.SUBMITTED, -13, 0, 2), (E.PASSED, -13, 1, 2), (E.MERGED, -13, 2, 2), (E.REVERTED, -9, 2, 2)),
        ),
        # 8: two weeks ago, reverted after fifteen days and an hour.
        *changes(8, *TWO_BEFORE, (E.PASSED, -14, 1, 1), (E.MERGED, -14, 1, 1), (E.REVERTED, 1, 2, 1)),
        # 9: two weeks ago, and it stands.
        *changes(9, *TWO_BEFORE, (E.PASSED, -14, 1, 1), (E.MERGED, -14, 1, 1)),
        # 10: fails, and cyd lets it through.
        *changes(10, *TO_AGENT, (E.SUBMITTED, 4, 9, 1), (E.FAILED, 4, 10, 1)),
        # 11: a stop that nothing confirms.
        *changes(11, *TO_AGENT, (E.STOP, 6, 12, 1)),
        # 12: ends after the week.
        *changes(12, *TO_AGENT, (E.STOP, 7, 0, 1), (E.CONFIRMED, 7, 1, 1)),
    ),
    stretches=(
        stretch(1, 1, at(0, 13), E.PASSED, "2.00"),
        stretch(2, 1, at(0, 12), E.FAILED, "1.50"),
        stretch(2, 2, at(1, 10), E.PASSED, "2.50"),
        stretch(3, 1, at(1, 9), E.ASKED, "1.00"),
        stretch(3, 1, at(2, 10), E.FAILED, None),
        stretch(4, 1, at(2, 12), E.STOP, "0.75"),
        stretch(5, 1, at(3, 10), E.CAP, "10.00"),
        stretch(9, 1, at(-14, 1), E.PASSED, "99.00"),
        stretch(11, 1, None, None, "7.00"),
        stretch(12, 1, at(7, 0), E.STOP, "7.00"),
    ),
    asked=(
        Asked(3, "missing_information", "f1", at(1, 9)),
        Asked(3, "missing_information", "f1", at(1, 10)),
        Asked(5, "permission_expansion", "f2", at(3, 9)),
        Asked(9, "data_migration", "f3", at(-14, 0)),
        Asked(12, "data_migration", "f4", at(7, 0)),
    ),
    acts=(
        Act(1, ActKind.APPROVAL, "ada", at(0, 13.5)),
        Act(2, ActKind.OTHER, "bob", at(0, 20)),
        Act(3, ActKind.OTHER, "ada", at(1, 14)),
        Act(4, ActKind.STOP, "ada", at(2, 12 - 2 / 3600)),
        Act(10, ActKind.OVERRIDE, "cyd", at(4, 11)),
    ),
    approved_by_people=frozenset({1}),
    pulls=(
        PullSpan(101, at(0, 12), at(0, 14)),
        PullSpan(102, at(-3, 0), None, (at(1, 0), at(2, 0))),
        PullSpan(103, at(-3, 0), at(0, 0), (at(-2, 0),)),  # conflicted in the week before
        PullSpan(104, at(-3, 0), at(-1, 0), (at(-2, 0),)),  # closed before
        PullSpan(105, at(7, 0), None),  # opened after
    ),
    pushes=(
        Push((2, 3), "Ada", at(1, 9)),  # answered after five hours
        Push((5,), "ada", at(1, 22)),  # never
        Push((2,), "bob", at(-1, 21)),  # before the week
        Push((10,), "bob", at(4, 10)),  # by somebody else
    ),
    canaries=(Canary(at(0, 0), True), Canary(at(1, 0), False), Canary(at(6, 0), True), Canary(at(-1, 0), False)),
    raised=(
        Raised(1, at(0, 9), 1.5),
        Raised(2, at(1, 9), 4.0),
        Raised(3, at(1, 9), 2.0),
        Raised(3, at(1, 9), None),
        Raised(9, at(-9, 0), 9.0),
    ),
)
COUNTED_BY_HAND = Metrics(
    week="2026-W48",
    ended=5,  # 1, 2, 4, 5, 6
    completed=2,  # 1, 2
    questions=Ratio(2, 2),  # f1, f2
    reruns=Reruns(Ratio(1, 5), {"verification": 1}),  # 2
    conflicts=Ratio(1, 3),  # 102 of 101, 102, 103
    review_wait=Waits(2, 2.75, 5.0, 5.5, 1, 110.0, 1),  # 0.5 (1) and 5 (3); 3 from Wed 10:00 to the end: 4 d 14 h
    reverts=Ratio(1, 3),  # 7 of 7, 8, 9
    escalations=Ratio(1, 5),  # 5
    escalated_by={"permission_expansion": 1},
    cap_hits=Ratio(2, 6),  # 3 and 5 of 1, 2, 2, 3, 4, 5
    zero_touch=Ratio(1, 2),  # 1
    first_pass=Ratio(1, 2),  # 1 of 1, 2
    cost=Ratio(Decimal("17.75"), 2),  # 2 + 1.5 + 2.5 + 1 + 0.75 + 10
    unknown_costs=1,  # 3
    false_passes=Ratio(3, 4),  # both of 7, that of 8, not that of 9
    overruled=Ratio(1, 2),  # 10 of 1, 10
    stops=Stops(1, 5.0, 1),  # 4; 11
    canaries=Ratio(2, 3),
    pushes=Pushes(
        {("ada", date(2026, 11, 24)): 2, ("bob", date(2026, 11, 27)): 1},
        Ratio(1, 3),
    ),
    cap_drift=Drift(3, 2.0, 1),
)


@pytest.mark.parametrize("name", [each.name for each in fields(Metrics)])
def test_each_number_is_the_one_that_was_counted_by_hand(name: str) -> None:
    assert getattr(measure(TABLE, WEEK, LATER), name) == getattr(COUNTED_BY_HAND, name)


def test_what_happens_after_the_week_changes_nothing() -> None:
    later = changes(3, *TO_AGENT, (E.ASKED, 8, 0, 1), (E.STOP, 9, 0, 1))[2:]
    acts = (Act(3, ActKind.OTHER, "ada", at(8, 0)), Act(11, ActKind.APPROVAL, "ada", at(8, 0)))
    gone = Change(11, State.STOPPING, State.STOPPED, E.CONFIRMED, 1, at(8, 0))
    again = replace(TABLE, changes=(*TABLE.changes, *later, gone), acts=(*TABLE.acts, *acts))
    assert measure(again, WEEK, LATER) == COUNTED_BY_HAND


def test_nothing_that_happened_is_no_zero_and_nothing_recorded_is_no_nothing() -> None:
    empty = measure(Records(), WEEK, LATER)
    ratios = (
        *(empty.questions, empty.reruns.rate, empty.reverts, empty.escalations, empty.cap_hits, empty.zero_touch),
        *(empty.first_pass, empty.cost, empty.false_passes, empty.overruled),
    )
    assert [each.value for each in ratios] == [None] * 10
    assert (empty.review_wait.median, empty.review_wait.p90, empty.stops.p95) == (None, None, None)
    assert (empty.conflicts, empty.canaries, empty.pushes, empty.cap_drift) == (None,) * 4
    quiet = measure(Records(pulls=(), canaries=(), pushes=(), raised=()), WEEK, LATER)
    assert (quiet.conflicts, quiet.canaries, quiet.cap_drift) == (Ratio(0, 0), Ratio(0, 0), Drift(0, None))
    assert quiet.pushes == Pushes({}, Ratio(0, 0))


def one(records: Records) -> History:
    (ticket,) = histories(records)
    return ticket


CANCELLED = (E.CANCEL, 3, 0, 2), (E.CONFIRMED, 3, 0, 2)
AGAIN = (*TO_AGENT, (E.SUBMITTED, 1, 0, 1), (E.PASSED, 1, 1, 1))


@pytest.mark.parametrize(
    ("happened", "first", "second", "cause"),
    [
        ((*TO_AGENT, (E.RELEASED, 1, 0, 1), *CANCELLED), stretch(1, 1, at(1, 0), E.RELEASED, None), None, "infra"),
        (
            (*TO_AGENT, (E.RELEASED, 1, 0, 1), *CANCELLED),
            stretch(1, 1, at(1, 0), E.RELEASED, None),
            replace(stretch(1, 2, at(3, 0), E.CANCEL, None), revision=2),
            "redirect",
        ),
        (
            (*AGAIN, (E.ENQUEUED, 1, 1, 1), (E.DEQUEUED, 1, 2, 1), (E.SUBMITTED, 1, 3, 1), *CANCELLED),
            stretch(1, 1, at(1, 1), E.PASSED, None),
            stretch(1, 2, at(3, 0), E.CANCEL, None),
            "conflict",
        ),
        ((*AGAIN, (E.SUBMITTED, 1, 3, 1), *CANCELLED), stretch(1, 1, at(1, 1), E.PASSED, None), None, "other"),
        ((*TO_AGENT, *CANCELLED), None, None, "other"),
    ],
)
def test_a_rerun_has_one_cause(
    happened: tuple[tuple[Event, int, float, int], ...], first: Stretch | None, second: Stretch | None, cause: str
) -> None:
    stretches = tuple(each for each in (first, second) if each is not None)
    ticket = one(Records(changes(1, *happened), stretches))
    assert rates.reruns([ticket], WEEK) == Reruns(Ratio(1, 1), {cause: 1})


@pytest.mark.parametrize(
    ("following", "expected"),
    [
        ((), Ratio(0, 0)),  # it still waits
        (((E.ANSWERED, 2, 0, 1),), Ratio(0, 0)),  # it goes on
        (((E.RELEASED, 2, 0, 1),), Ratio(0, 1)),
        (((E.CAP, 2, 0, 1),), Ratio(1, 1)),
    ],
)
def test_a_question_ends_an_attempt_only_when_no_answer_follows(
    following: tuple[tuple[Event, int, float, int], ...], expected: Ratio
) -> None:
    happened = changes(1, *TO_AGENT, (E.ASKED, 1, 0, 1), *following)
    ticket = one(Records(happened, (stretch(1, 1, at(1, 0), E.ASKED, None),)))
    assert rates.cap_hits([ticket], WEEK) == expected


def test_attempts_that_ran_out_count_as_an_escalation() -> None:
    ticket = one(Records(changes(1, *TO_AGENT, (E.EXHAUSTED, 1, 0, 1))))
    assert rates.escalations(ticket, WEEK) == {"repeated_failure"}
    assert rates.escalations(ticket, WEEK.before(1)) == frozenset()


def test_what_was_never_accepted_was_not_left_alone() -> None:
    ticket = one(Records(changes(1, (E.MERGED, 1, 0, 0))))
    assert not rates.is_untouched(ticket)
    assert not rates.is_untouched(one(Records(changes(1, *TO_AGENT))))


SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(("late", "reverted"), [(timedelta(0), True), (SECOND, False)])
def test_a_revert_counts_up_to_fourteen_days_after_the_merge(late: timedelta, reverted: bool) -> None:
    merged = changes(1, *TWO_BEFORE, (E.PASSED, -14, 1, 1), (E.MERGED, -14, 1, 1))
    back = Change(1, State.MERGED, State.REVERTED, E.REVERTED, 1, merged[-1].at + timedelta(days=14) + late)
    assert rates.is_reverted(one(Records((*merged, back)))) is reverted


@pytest.mark.parametrize(
    ("acted", "part"), [(at(1, 0), 1), (at(2, 0), 1), (at(1, 0) - SECOND, 0), (at(2, 0) + SECOND, 0)]
)
def test_an_act_follows_a_push_within_a_day(acted: datetime, part: int) -> None:
    found = rates.pushes([Push((1,), "ada", at(1, 0))], [Act(1, ActKind.OTHER, "ada", acted)], WEEK)
    assert found.actionable == Ratio(part, 1)


@pytest.mark.parametrize(
    ("moment", "merged"),
    [(at(0, 0) - SECOND, 0), (at(0, 0), 1), (at(7, 0) - SECOND, 1), (at(7, 0), 0)],
)
def test_a_week_has_its_first_moment_and_not_its_last(moment: datetime, merged: int) -> None:
    happened = (Change(1, State.QUEUED, State.MERGED, E.MERGED, 1, moment),)
    found = measure(Records(happened), WEEK, LATER)
    assert (found.completed, found.ended) == (merged, merged)


def test_what_is_merged_a_second_time_was_completed_the_first_time() -> None:
    happened = (
        Change(1, State.QUEUED, State.MERGED, E.MERGED, 1, at(-7, 0)),
        Change(1, State.QUEUED, State.MERGED, E.MERGED, 1, at(0, 0)),
    )
    found = measure(Records(happened), WEEK, LATER)
    assert (found.completed, found.ended) == (0, 1)


def test_a_person_who_sends_back_what_passed_overrules_it() -> None:
    ticket = one(Records(changes(1, *TO_AGENT, (E.SUBMITTED, 1, 0, 1), (E.PASSED, 1, 1, 1), (E.REJECTED, 1, 2, 1))))
    assert rates.overruled([ticket], WEEK) == Ratio(1, 1)
    assert rates.overruled([ticket], WEEK.before(1)) == Ratio(0, 0)
    unjudged = one(Records(changes(1, *TO_AGENT), acts=(Act(1, ActKind.APPROVAL, "ada", at(1, 0)),)))
    assert rates.overruled([unjudged], WEEK) == Ratio(0, 0)


def test_a_ticket_that_went_on_by_itself_waited_for_nobody() -> None:
    ticket = one(
        Records(
            changes(1, *TO_AGENT, (E.ASKED, 1, 0, 1), (E.ANSWERED, 1, 5, 1)),
            acts=(Act(1, ActKind.OTHER, "ada", at(1, 6)),),
        )
    )
    assert review_waits([ticket], WEEK, LATER) == Waits(0, None, None, 0, 0, None, 0)


def test_while_the_week_lasts_what_waits_is_as_old_as_it_is_now() -> None:
    ticket = one(Records(changes(1, *TO_AGENT, (E.ASKED, 1, 0, 1))))
    assert review_waits([ticket], WEEK, at(1, 6)) == Waits(0, None, None, 0, 1, 6.0, 1)


def test_a_stop_of_the_week_before_is_not_told_again() -> None:
    ticket = one(Records(changes(1, *TO_AGENT, (E.STOP, 0, 10, 1), (E.CONFIRMED, 0, 11, 1))))
    assert stop_times([ticket], WEEK) == Stops(1, 3600.0, 0)
    assert stop_times([ticket], WEEK.before(-1)) == Stops(0, None, 0)


# Nearest rank by the definition of NIST's handbook and others: the ceil(share * n)-th of the sorted values.
@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([], 0.9, None), ([7], 0.9, 7), (range(10, 0, -1), 0.9, 9), (range(1, 12), 0.9, 10), (range(1, 21), 0.95, 19)],
)
def test_percentiles_are_values_that_occurred(values: list[int], share: float, expected: int | None) -> None:
    assert percentile(values, share) == expected


# ISO 8601 weeks, as `date -d 2026-11-23 +%G-W%V` has them: 2026 has 53.
@pytest.mark.parametrize(
    ("written", "monday"),
    [("2026-W48", date(2026, 11, 23)), ("2026-W01", date(2025, 12, 29)), ("2026-W53", date(2026, 12, 28))],
)
def test_weeks_are_those_of_iso_8601(written: str, monday: date) -> None:
    week = read_week(written, UTC)
    assert (week.monday, week.name) == (monday, written)


@pytest.mark.parametrize("written", ["", "2026-48", "2026-W5", "2026-W٤٨", "1969-W01", "9999-W52", " 2026-W48"])
def test_another_form_is_refused_with_the_right_one(written: str) -> None:
    with pytest.raises(ValueError, match="like 2026-W48"):
        read_week(written, UTC)


@pytest.mark.parametrize("written", ["2025-W53", "2026-W00"])
def test_a_week_that_the_year_does_not_have_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="has no week"):
        read_week(written, UTC)


def test_a_week_is_the_zones_and_as_long_as_its_clocks_make_it() -> None:
    tokyo = Week(date(2026, 11, 23), ZoneInfo("Asia/Tokyo"))
    assert tokyo.begins == datetime(2026, 11, 22, 15, tzinfo=UTC)
    berlin = Week(date(2026, 10, 19), ZoneInfo("Europe/Berlin"))  # summer time ends on Sunday, 25 October
    assert berlin.ends - berlin.begins == timedelta(days=7, hours=1)
    assert (berlin.holds(berlin.begins), berlin.holds(berlin.ends)) == (True, False)


def test_a_moment_is_in_the_week_of_the_zones_day() -> None:
    late_on_sunday = datetime(2026, 11, 22, 16, tzinfo=UTC)
    assert (week_of(late_on_sunday, UTC).name, week_of(late_on_sunday, ZoneInfo("Asia/Tokyo")).name) == (
        "2026-W47",
        "2026-W48",
    )
