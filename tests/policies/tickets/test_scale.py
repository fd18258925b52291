"""When more tickets may be in work. The steps and conditions are written out here; nothing unknown raises anything."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from policies.ticket_section import TicketScale
from policies.tickets.metrics import Metrics, measure
from policies.tickets.rates import Ratio
from policies.tickets.records import Records
from policies.tickets.scale import Decision, decide, no_room
from policies.tickets.waits import Waits
from policies.tickets.week import Week

RULES = TicketScale(enforced=True, cap_hits=0.1, reverts=0.05, unproven=20)
LOOSE = TicketScale(enforced=False, cap_hits=1.0, reverts=1.0, unproven=1000)
GOOD = replace(
    measure(Records(), Week(date(2026, 11, 23), UTC), datetime(2027, 1, 1, tzinfo=UTC)),
    questions=Ratio(4, 10),
    review_wait=Waits(5, 2.0, 4.0, 12.0, 0, None, 0),
    cap_hits=Ratio(1, 10),
    reverts=Ratio(1, 20),
    canaries=Ratio(5, 5),
)


def decided(step: int = 2, this: Metrics = GOOD, before: Metrics = GOOD, *, proven: bool = True) -> Decision:
    return decide(step, this, before, proven=proven, rules=(RULES, LOOSE))


@pytest.mark.parametrize(("step", "higher"), [(2, 5), (5, 20), (20, 50), (50, 200), (200, 500), (500, 1000)])
def test_a_good_week_is_one_step(step: int, higher: int) -> None:
    assert decided(step) == Decision(higher, raised=True, because=())


def test_there_is_a_highest_step() -> None:
    assert decided(1000) == Decision(1000, raised=False, because=("1000 is the highest step",))


@pytest.mark.parametrize(
    ("changed", "because"),
    [
        ({"questions": Ratio(5, 10)}, "questions per completed ticket rose from 0.40 to 0.50"),
        ({"questions": Ratio(0, 0)}, "questions per completed ticket: n/a in this week"),
        (
            {"review_wait": Waits(5, 2.5, 4.0, 12.0, 0, None, 0)},
            "median hours until a person looked rose from 2.00 to 2.50",
        ),
        (
            {"review_wait": Waits(0, None, None, 0, 1, 300.0, 0)},
            "median hours until a person looked: n/a in this week",
        ),
        (
            {"review_wait": Waits(5, 2.0, 4.0, 12.0, 3, 9.0, 3)},
            "3 of the week's results wait for a first look",
        ),
        ({"cap_hits": Ratio(11, 100)}, "attempts ended by a limit: 11 of 100, more than 10%"),
        ({"cap_hits": Ratio(0, 0)}, "attempts ended by a limit: n/a, there was none to count"),
        ({"reverts": Ratio(2, 20)}, "reverts of two weeks ago: 2 of 20, more than 5%"),
        ({"reverts": Ratio(0, 0)}, "reverts of two weeks ago: n/a, there was none to count"),
        ({"canaries": Ratio(4, 5)}, "limits stopped 4 of 5 canary tickets"),
        ({"canaries": Ratio(0, 0)}, "no canary ticket ran, so that nobody knows whether limits stop work"),
        ({"canaries": None}, "no canary ticket ran, so that nobody knows whether limits stop work"),
    ],
)
def test_each_condition_alone_keeps_the_step(changed: dict[str, object], because: str) -> None:
    assert decided(this=replace(GOOD, **changed)) == Decision(2, raised=False, because=(because,))  # type: ignore[arg-type]


def test_the_first_week_has_nothing_to_be_compared_with() -> None:
    nothing = measure(Records(), Week(date(2026, 11, 16), UTC), datetime(2027, 1, 1, tzinfo=UTC))
    assert decided(before=nothing).because == (
        "questions per completed ticket: n/a in the week before",
        "median hours until a person looked: n/a in the week before",
    )


def test_where_nothing_waited_for_a_person_no_wait_has_risen() -> None:
    calm = replace(GOOD, review_wait=Waits(0, None, None, 0, 0, None, 0))
    assert decided(this=calm).raised


def test_more_than_twenty_only_after_the_probation() -> None:
    assert decided(5, proven=False).step == 20
    assert decided(20, proven=False) == Decision(
        20, raised=False, because=("more than 20 only after the probation of `queue.probation`",)
    )


def test_a_step_holds_where_the_policy_says_so() -> None:
    assert no_room((RULES,), 2, 1) is None
    assert no_room((LOOSE,), 2, 900) is None
    assert (no_room((LOOSE, RULES), 2, 2) or "").startswith("2 of 2 tickets are in work, the step")
