"""Independent judges in the week's numbers: what they cost, their wrong passes, and people who decide otherwise."""

from __future__ import annotations

from decimal import Decimal

from checks.opinions import Word
from policies.tickets.metrics import Metrics, measure
from policies.tickets.rates import Ratio
from policies.tickets.records import Act, ActKind, Judgement, Records
from policies.tickets.states import Event
from tests.policies.tickets.test_metrics import LATER, TO_AGENT, TWO_BEFORE, WEEK, at, changes

E = Event
MERGED = (*TO_AGENT, (E.SUBMITTED, 0, 12, 1), (E.PASSED, 0, 13, 1), (E.MERGED, 1, 0, 1))
RIPE = (*TWO_BEFORE, (E.PASSED, -14, 4, 1))


def said(number: int, word: Word, day: int, hour: float, cost: str | None = "0.5") -> Judgement:
    return Judgement(number, word, at(day, hour), None if cost is None else Decimal(cost))


def found(
    *happened: tuple[tuple[Event, int, float, int], ...], judged: tuple[Judgement, ...], **more: object
) -> Metrics:
    each = tuple(one for number, events in enumerate(happened, 1) for one in changes(number, *events))
    return measure(Records(each, judgements=judged, **more), WEEK, LATER)  # type: ignore[arg-type]


def test_what_judges_cost_is_part_of_what_a_merged_ticket_costs() -> None:
    judged = (said(1, "pass", 0, 13), said(1, "fail", 0, 13, None), said(1, "pass", -1, 0), said(1, "pass", 7, 0))
    metrics = found(MERGED, judged=judged)
    assert (metrics.cost, metrics.unknown_costs) == (Ratio(Decimal("0.5"), 1), 1)


def test_a_pass_is_wrong_when_its_head_was_sent_back_or_its_merge_reverted() -> None:
    reverted = (*RIPE, (E.MERGED, -13, 0, 1), (E.REVERTED, -2, 0, 1))
    sent_back = (
        *(*RIPE, (E.REJECTED, -14, 6, 1), (E.RESUMED, -14, 7, 1), (E.SUBMITTED, -14, 8, 2), (E.PASSED, -14, 9, 2)),
        (E.MERGED, -13, 0, 2),
    )
    judged = (
        *(said(1, "pass", -14, 5), said(1, "pass", -14, 5.5), said(1, "fail", -14, 5)),  # two that were wrong
        *(said(2, "pass", -14, 5), said(2, "pass", -14, 10), said(2, "cannot_tell", -14, 5)),  # one wrong, one right
        said(1, "pass", 7, 0),  # after the week
    )
    assert found(reverted, sent_back, judged=judged).judge_false_passes == Ratio(3, 4)


def test_a_revert_after_the_week_is_not_known_in_it() -> None:
    later = (*RIPE, (E.MERGED, -13, 0, 1), (E.REVERTED, 7, 0, 1))
    assert found(later, judged=(said(1, "pass", -14, 5),)).judge_false_passes == Ratio(0, 1)


def test_a_person_who_decides_otherwise_overrules_what_was_said_last() -> None:
    approval = (Act(1, ActKind.APPROVAL, "ada", at(0, 20)),)
    no = said(1, "fail", 0, 13)
    assert found(MERGED, judged=(no,), acts=approval).judge_overruled == Ratio(1, 1)
    assert found(MERGED, judged=(no, said(1, "pass", 0, 14)), acts=approval).judge_overruled == Ratio(0, 1)
    assert found(MERGED, judged=(no, said(1, "pass", 0, 21)), acts=approval).judge_overruled == Ratio(1, 1)
    assert found(MERGED, judged=(no,)).judge_overruled == Ratio(0, 0)


def test_one_that_cannot_tell_is_overruled_by_nobody() -> None:
    approval = (Act(1, ActKind.APPROVAL, "ada", at(0, 20)),)
    assert found(MERGED, judged=(said(1, "cannot_tell", 0, 13),), acts=approval).judge_overruled == Ratio(0, 0)


def test_a_decision_of_another_week_is_not_of_this_one() -> None:
    early = (Act(1, ActKind.APPROVAL, "ada", at(-1, 0)),)
    assert found(MERGED, judged=(said(1, "fail", -2, 0),), acts=early).judge_overruled == Ratio(0, 0)


def test_without_judges_there_is_no_number() -> None:
    metrics = found(MERGED, judged=())
    assert (metrics.judge_false_passes.value, metrics.judge_overruled.value) == (None, None)
