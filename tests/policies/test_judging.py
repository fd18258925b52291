"""The opinion of an independent judge sends what would pass to a person, and does nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.finding import Finding, Status
from checks.opinions import Opinion, Opinions, Word
from checks.snapshot import Risk, Snapshot, Ticket
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.judging import ANSWERS_WITHIN, judged, subject_id
from policies.verdict import JudgeOrder, Verdict
from tests.policies.build import ADA, BEA, NOW, approval, person_snapshot, snapshot, state
from tests.policies.test_form_of_findings import CHANGES

PLAIN = "version: 1\n"
JUDGED = PLAIN + "judge: {low: [one], medium: [one], high: [one, two], critical: [two, one], calls: 3, cost: 2.5}\n"
BOTH = frozenset({"one", "two"})
PASSED, PENDING = Status.PASSED, Status.PENDING


def opinion(of: Snapshot, judge: str = "one", said: Word | None = "pass", **changes: Any) -> Opinion:
    subject = subject_id(of, judge)
    assert subject is not None
    start = Opinion(subject, judge, NOW, said, ("It drops a check.",), "sha256:" + "a" * 64)
    return replace(start, **changes)


def given_by(of: Snapshot, *opinions: Opinion, **changes: Any) -> Snapshot:
    return replace(of, opinions=replace(Opinions(opinions, BOTH), **changes))


def judge(of: Snapshot, policy: str = JUDGED) -> Verdict:
    return evaluate(state(policy), of, gated=True)


def finding(verdict: Verdict) -> Finding:
    (found,) = (each for each in verdict.evidence.findings if each.check == "judge")
    return found


def test_a_judge_is_asked_once_everything_else_has_passed() -> None:
    verdict = judge(given_by(snapshot()))
    assert verdict.judges == (JudgeOrder("one", 3, 2.5),)
    assert (verdict.evidence.status, verdict.review.status) == (PENDING, PASSED)
    assert "looks at it" in verdict.evidence.reason and not verdict.needs_person


@pytest.mark.parametrize("changes", [{"body": ""}, {"draft": True}, {"runs": ()}])
def test_none_is_asked_before(changes: dict[str, Any]) -> None:
    verdict = judge(given_by(snapshot(**changes)))
    assert verdict.judges == ()
    assert finding(verdict).status is Status.SKIPPED


def test_one_that_has_nothing_against_it_lets_the_evidence_stand() -> None:
    verdict = judge(given_by(snapshot(), opinion(snapshot())))
    assert (verdict.status, verdict.judges) == (PASSED, ())


@pytest.mark.parametrize(("said", "words"), [("fail", "says no"), ("cannot_tell", "cannot tell")])
def test_any_other_word_is_for_a_person(said: Word, words: str) -> None:
    verdict = judge(given_by(snapshot(), opinion(snapshot(), said=said)))
    assert (verdict.evidence.status, verdict.review.status, verdict.needs_person) == (PASSED, PENDING, True)
    assert any(f"The judge `one` {words}: It drops a check." == each.reason for each in verdict.review.findings)


def test_what_a_judge_sends_to_a_person_the_person_settles() -> None:
    verdict = judge(given_by(snapshot(reviews=(approval(ADA),)), opinion(snapshot(), said="fail")))
    assert verdict.status is PASSED


def test_a_judge_without_reasons_is_quoted_with_none() -> None:
    verdict = judge(given_by(snapshot(), opinion(snapshot(), said="fail", reasons=())))
    assert "says no: it gives no reason." in verdict.review.reason or verdict.needs_person


def test_one_that_does_not_answer_is_waited_for_and_then_not() -> None:
    asked = opinion(snapshot(), said=None, asked_at=NOW - ANSWERS_WITHIN)
    early = judge(given_by(snapshot(), replace(asked, asked_at=asked.asked_at + timedelta(seconds=1))))
    assert (early.evidence.status, early.judges, early.needs_person) == (PENDING, (), False)
    late = judge(given_by(snapshot(), asked))
    assert (late.evidence.status, late.review.status, late.needs_person) == (PASSED, PENDING, True)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (None, "which this server does not have"),
        (Opinions(judges=frozenset({"two"})), "which this server does not have"),
        (Opinions(judges=BOTH, calls=3), "the day's 3 calls of judges are used up"),
        (Opinions(judges=BOTH, cost=2.5), "the day's 2.5 USD for judges are used up"),
    ],
)
def test_one_that_cannot_be_asked_leaves_it_to_a_person(known: Opinions | None, words: str) -> None:
    verdict = judge(snapshot(opinions=known))
    assert (verdict.evidence.status, verdict.review.status, verdict.judges) == (PASSED, PENDING, ())
    assert any(words in each.reason for each in verdict.review.findings)


def test_the_day_may_be_used_to_its_last_call() -> None:
    assert judge(given_by(snapshot(), calls=2, cost=2.49)).judges


@pytest.mark.parametrize(
    "changes",
    [
        {"head": replace(snapshot().head, sha="f" * 40)},
        {"merge_base": "e" * 40},
        {"ticket": Ticket("7", "sha256:other")},
        {"number": 13},
    ],
)
def test_an_opinion_is_about_one_head_one_base_and_one_ticket(changes: dict[str, Any]) -> None:
    stale, now = opinion(snapshot()), snapshot(**changes)
    assert subject_id(now, "one") != stale.id
    assert finding(judge(given_by(now, stale))).status is not PASSED, "what was said before counts for nothing"


def test_another_judges_opinion_is_its_own() -> None:
    assert subject_id(snapshot(), "one") != subject_id(snapshot(), "two")


def test_where_there_is_no_pull_request_nobody_is_asked() -> None:
    assert subject_id(snapshot(number=None), "one") is None
    assert subject_id(snapshot(merge_base=Unread("no")), "one") is None
    verdict = judge(given_by(snapshot(number=None, reviews=())))
    assert (finding(verdict).status, verdict.judges) == (PENDING, ())
    assert "on a pull request only" in finding(verdict).reason


def test_two_judges_are_asked_where_the_policy_names_two() -> None:
    rules = state(JUDGED).policy.judge
    assert [rules.at(risk) for risk in Risk] == [("one",), ("one",), ("one", "two"), ("two", "one")]
    of = given_by(snapshot(), opinion(snapshot(), "two", "fail"))
    findings, orders = judged(rules, rules.at(Risk.CRITICAL), of, ready=True)
    assert [(each.status, each.needs_person) for each in findings] == [(PENDING, True), (PENDING, False)]
    assert [order.judge for order in orders] == ["one"]


def test_people_are_not_judged_by_models() -> None:
    verdict = judge(given_by(person_snapshot()))
    assert verdict.judges == () and not any(each.check == "judge" for each in verdict.findings)


OPINIONS = st.builds(
    lambda judge, said, age: (judge, said, age),
    st.sampled_from(["one", "two"]),
    st.sampled_from(["pass", "fail", "cannot_tell", None]),
    st.sampled_from([timedelta(0), ANSWERS_WITHIN]),
)
PULLS = st.builds(
    lambda changes, reviews: snapshot(**{"reviews": reviews} | changes),
    st.sampled_from(list(CHANGES.values())),
    st.sampled_from([(), (approval(ADA),), (approval(ADA), approval(BEA, id=6))]),
)
ORDER = (Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED)


@settings(deadline=None)
@given(PULLS, st.lists(OPINIONS, max_size=3), st.sets(st.sampled_from(["one", "two"])))
def test_no_opinion_makes_anything_green_or_red(
    of: Snapshot, said: list[tuple[str, Word | None, timedelta]], judges: set[str]
) -> None:
    """Against the same pull request under the same policy without judges: no status is better, none is failed or
    errored that was not, and what a judge has said differs by what a person settles alone."""
    opinions = tuple(Opinion(subject_id(of, name) or "none", name, NOW - age, word, ("x",)) for name, word, age in said)
    without, both = judge(of, PLAIN), judge(replace(of, opinions=Opinions(opinions, frozenset(judges))))
    assert ORDER.index(both.status) <= ORDER.index(without.status)
    for plain, held in ((without.evidence, both.evidence), (without.review, both.review)):
        assert held.status is plain.status or (plain.status, held.status) == (PASSED, PENDING)
    mine = [each for each in both.findings if each.check == "judge"]
    assert not any(each.status in (Status.FAILED, Status.ERRORED) for each in mine)
    waits = any(each.status is PENDING and not each.needs_person for each in mine)
    assert waits or both.evidence.status is without.evidence.status
    assert both.review.status is without.review.status or both.needs_person
    assert not both.may_enqueue or without.may_enqueue
