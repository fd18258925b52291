"""What is planned: rows state only what differs from a pull request that was judged and shown already."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.gate.effects import (
    EVIDENCE,
    OBSERVE,
    REVIEW,
    CancelCheckRun,
    Dequeue,
    Effect,
    Enqueue,
    PostNotice,
    PutCheckRun,
)
from app.gate.observation import Observation, OwnRun, Queued, QueueState, Unanswered, Wanted
from app.gate.people_effects import AnswerComment
from app.gate.plan import ERRORED_LIMIT, RENEW_AFTER, github_state, output_digest, plan
from checks.finding import Status
from checks.snapshot import Stack
from policies.eviction import Eviction
from policies.explain import Output
from policies.verdict import Node, Verdict
from tests.policies import build

NOW = build.NOW
HEAD = build.HEAD
OUTPUTS = {name: Output(f"title of {name}", "summary", "") for name in (EVIDENCE, REVIEW, OBSERVE)}
P, F, W, X = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED


def verdict(evidence: Status = P, review: Status = P, **changes: Any) -> Verdict:
    start = replace(
        build.verdict((), ()),
        head_sha=HEAD,
        gated=True,
        mode="enforce",
        evidence=Node("evidence", evidence, "e"),
        review=Node("review", review, "r"),
    )
    return replace(start, **changes)


def shown(name: str, status: Status = P, number: int = 1, **changes: Any) -> OwnRun:
    """Our check run as it stands at GitHub once `verdict` with that status was applied."""
    state, conclusion = github_state(status, None, NOW)
    run = OwnRun(number, name, state, conclusion, verdict().key, output_digest(OUTPUTS[name]), NOW)
    return replace(run, **changes)


SHOWN = (shown(EVIDENCE, number=1), shown(REVIEW, number=2))


def observation(**changes: Any) -> Observation:
    start = Observation(
        snapshot=replace(build.snapshot(), number=4, observed_at=NOW),
        node_id="PR_4",
        merge_state="BLOCKED",
        has_queue=True,
        own_runs=SHOWN,
        probation_passed=True,
    )
    return replace(start, **changes)


def kinds(effects: tuple[Effect, ...]) -> list[str]:
    return [type(effect).__name__ for effect in effects]


def test_what_is_shown_already_is_not_written_again() -> None:
    assert plan(observation(), verdict(), OUTPUTS) == ()


def test_what_is_taken_back_is_written_before_what_turns_green() -> None:
    """GitHub merges at the last green check; the other one's old green must be gone by then."""
    before = (shown(EVIDENCE, W, 1), shown(REVIEW, P, 2))
    effects = plan(observation(own_runs=before), verdict(P, W), OUTPUTS)
    assert [(effect.name, effect.conclusion) for effect in effects if isinstance(effect, PutCheckRun)] == [
        (REVIEW, None),
        (EVIDENCE, "success"),
    ]


APPROVAL = Unanswered(80, "Ada", HEAD)


@pytest.mark.parametrize(
    ("said", "judged", "planned"),
    [
        (APPROVAL, {"approved_by": ("ada",)}, [AnswerComment(80, "+1")]),
        (APPROVAL, {"approved_by": ("bob",)}, [AnswerComment(80, "confused")]),
        (replace(APPROVAL, commit="b" * 40), {"approved_by": ("ada",)}, [AnswerComment(80, "confused")]),
        (APPROVAL, {"gated": False}, []),
    ],
)
def test_a_comment_that_approves_is_answered(said: Unanswered, judged: dict[str, Any], planned: list[Any]) -> None:
    effects = plan(observation(unanswered=(said,)), verdict(**judged), OUTPUTS)
    assert [effect for effect in effects if isinstance(effect, AnswerComment)] == planned


def test_nothing_is_answered_before_it_is_known_who_may_approve() -> None:
    effects = plan(observation(unanswered=(APPROVAL,)), verdict(P, X), OUTPUTS)
    assert "AnswerComment" not in kinds(effects)


def test_both_runs_are_created_where_none_is() -> None:
    effects = plan(observation(own_runs=()), verdict(W, W), OUTPUTS)
    assert effects == tuple(
        PutCheckRun(name, HEAD, "in_progress", None, verdict().key, OUTPUTS[name], (), True)
        for name in (EVIDENCE, REVIEW)
    )


STATES = [
    (P, ("completed", "success")),
    (F, ("completed", "failure")),
    (W, ("in_progress", None)),
    (X, ("in_progress", None)),
]


@pytest.mark.parametrize(("status", "state"), STATES)
def test_conclusions(status: Status, state: tuple[str, str | None]) -> None:
    assert github_state(status, None, NOW) == state


@pytest.mark.parametrize(
    ("waited", "conclusion"), [(ERRORED_LIMIT - timedelta(seconds=1), None), (ERRORED_LIMIT, "failure")]
)
def test_what_could_not_be_looked_at_fails_after_thirty_minutes(waited: timedelta, conclusion: str | None) -> None:
    assert github_state(X, NOW - waited, NOW)[1] == conclusion


def test_no_status_ever_becomes_neutral_or_skipped() -> None:
    """GitHub counts both as passing: https://docs.github.com/pull-requests/…/about-status-checks."""
    assert {github_state(status, None, NOW)[1] for status in Status} == {"success", "failure", None}


DRIFT = [
    ("another status", {"status": "in_progress", "conclusion": None}),
    ("another conclusion", {"conclusion": "failure"}),
    ("another verdict", {"external_id": "mg1:other"}),
    ("other words", {"output_digest": "other"}),
    ("words not known", {"output_digest": None}),
]


@pytest.mark.parametrize(("name", "changes"), DRIFT)
def test_drift_is_written_over(name: str, changes: dict[str, Any]) -> None:
    own = (shown(EVIDENCE, number=1, **changes), SHOWN[1])
    (effect,) = plan(observation(own_runs=own), verdict(), OUTPUTS)
    assert effect == PutCheckRun(EVIDENCE, HEAD, "completed", "success", verdict().key, OUTPUTS[EVIDENCE], (1,), False)


def test_duplicates_are_all_driven_to_one_conclusion() -> None:
    own = (*SHOWN, shown(EVIDENCE, number=9, conclusion="failure"))
    (effect,) = plan(observation(own_runs=own), verdict(), OUTPUTS)
    assert isinstance(effect, PutCheckRun)
    assert effect.existing == (1, 9)


def test_a_run_that_github_did_not_reopen_is_left_once_a_newer_one_is_open() -> None:
    stuck = shown(EVIDENCE, number=1, written_key=verdict().key)
    own = (stuck, shown(EVIDENCE, W, number=5), shown(REVIEW, number=2))
    assert plan(observation(own_runs=own), verdict(W), OUTPUTS) == ()
    untried = replace(stuck, written_key="mg1:earlier")
    (effect,) = plan(observation(own_runs=(untried, *own[1:])), verdict(W), OUTPUTS)
    assert isinstance(effect, PutCheckRun)
    assert effect.existing == (1, 5)


def test_an_open_run_is_renewed_before_github_makes_it_stale() -> None:
    old = shown(EVIDENCE, W, created_at=NOW - RENEW_AFTER - timedelta(seconds=1))
    (effect,) = plan(observation(own_runs=(old, SHOWN[1])), verdict(W), OUTPUTS)
    assert isinstance(effect, PutCheckRun)
    assert effect.create
    young = replace(old, created_at=NOW - RENEW_AFTER)
    assert plan(observation(own_runs=(young, SHOWN[1])), verdict(W), OUTPUTS) == ()


def test_a_shared_head_shows_the_worst_verdict_from_whichever_side() -> None:
    other = Wanted(EVIDENCE, F, "mg1:other", Output("red", "", ""), 3)
    (effect,) = plan(observation(siblings=(other,)), verdict(), OUTPUTS)
    assert effect == PutCheckRun(EVIDENCE, HEAD, "completed", "failure", "mg1:other", other.output, (1,), False)
    better = replace(other, status=P, number=9)
    assert plan(observation(siblings=(better,)), verdict(), OUTPUTS) == ()


def test_observe_mode_writes_its_own_name_only() -> None:
    effects = plan(observation(own_runs=()), verdict(mode="observe"), OUTPUTS)
    assert [effect.name for effect in effects if isinstance(effect, PutCheckRun)] == [OBSERVE]


def test_nothing_is_written_on_a_branch_that_is_not_gated() -> None:
    assert plan(observation(own_runs=()), replace(verdict(), gated=False), OUTPUTS) == ()


def test_open_runs_on_commits_that_are_nobodys_head_are_closed() -> None:
    old = shown(EVIDENCE, W, number=7)
    closed = shown(REVIEW, number=8)
    effects = plan(observation(abandoned_runs=(("e" * 40, old), ("e" * 40, closed))), verdict(), OUTPUTS)
    assert effects == (CancelCheckRun(7, EVIDENCE, "e" * 40),)


def test_green_checks_that_github_shows_are_followed_by_the_queue() -> None:
    ready = observation(merge_state="CLEAN")
    assert plan(ready, verdict(may_enqueue=True), OUTPUTS) == (Enqueue("PR_4", 4, HEAD),)


def test_a_layer_is_asked_for_with_all_below_it() -> None:
    ready = observation(merge_state="CLEAN", snapshot=LAYER, queue=QueueState(below_green=True))
    assert plan(ready, verdict(may_enqueue=True), OUTPUTS) == (Enqueue("PR_4", 4, HEAD),)


def test_a_queue_that_lets_failing_members_land_is_said_once() -> None:
    ready = observation(merge_state="CLEAN", queue=QueueState(grouping="HEADGREEN"))
    (notice,) = plan(ready, verdict(may_enqueue=True), OUTPUTS)
    assert isinstance(notice, PostNotice)
    assert "ALLGREEN" in notice.body
    said = replace(ready, notices=frozenset({("grouping", "HEADGREEN")}))
    assert plan(said, verdict(may_enqueue=True), OUTPUTS) == ()


LAYER = replace(build.snapshot(), number=4, observed_at=NOW, stack=Stack(1, "refs/heads/main", "b2" * 20, 2, 2))
NOT_YET = [
    ("policy does not want it", {}, False),
    ("on probation", {"probation_passed": False}, True),
    ("no queue", {"has_queue": False}, True),
    ("already queued", {"queued": Queued("E1", "QUEUED", HEAD)}, True),
    ("evicted at this head before", {"enqueued_before": "E1", "notices": frozenset({("eviction", "E1")})}, True),
    ("GitHub still blocks it", {"merge_state": "BLOCKED"}, True),
    ("conflict", {"merge_state": "DIRTY"}, True),
    ("a layer whose layers below are not green", {"snapshot": LAYER}, True),
    ("failing members may land", {"queue": QueueState(grouping="HEADGREEN")}, True),
    ("checks not shown yet", {"own_runs": ()}, True),
]


@pytest.mark.parametrize(("name", "changes", "may"), NOT_YET)
def test_not_enqueued(name: str, changes: dict[str, Any], may: bool) -> None:
    effects = plan(observation(**{"merge_state": "CLEAN", **changes}), verdict(may_enqueue=may), OUTPUTS)
    assert "Enqueue" not in kinds(effects)


QUEUED = Queued("E1", "AWAITING_CHECKS", HEAD)


@pytest.mark.parametrize(
    ("evidence", "review", "out"),
    [(P, P, False), (X, P, False), (W, P, True), (F, P, True), (P, W, True), (X, W, True)],
)
def test_what_no_longer_stands_leaves_the_queue(evidence: Status, review: Status, out: bool) -> None:
    own = (shown(EVIDENCE, evidence, 1), shown(REVIEW, review, 2))
    effects = plan(observation(own_runs=own, queued=QUEUED), verdict(evidence, review), OUTPUTS)
    assert kinds(effects) == (["Dequeue", "PostNotice"] if out else [])


def test_a_push_while_queued_leaves_the_queue() -> None:
    effects = plan(observation(queued=replace(QUEUED, head_sha="f" * 40)), verdict(), OUTPUTS)
    assert effects[0] == Dequeue("PR_4", 4, "E1", "a push came while it was queued")


def test_hostile_words_in_the_reason_do_not_come_alive_in_the_comment() -> None:
    red = replace(verdict(F), evidence=Node("evidence", F, "@acme/all <img src=x> [a](https://e.example)"))
    own = (shown(EVIDENCE, F, 1), SHOWN[1])
    notice = plan(observation(own_runs=own, queued=QUEUED), red, OUTPUTS)[-1]
    assert isinstance(notice, PostNotice)
    outside_code = "".join(notice.body.split("`")[::2])
    assert "@acme" not in outside_code
    assert "<img" not in outside_code
    assert "](https" not in outside_code


def test_an_eviction_is_said_once() -> None:
    evicted = observation(enqueued_before="E1", queue=QueueState(eviction=Eviction("CI_FAILURE", ("test",))))
    (notice,) = plan(evicted, verdict(), OUTPUTS)
    assert isinstance(notice, PostNotice)
    assert (notice.purpose, notice.subject) == ("eviction", "E1")
    assert "`test`" in notice.body
    assert plan(replace(evicted, queue=QueueState()), verdict(), OUTPUTS) == (), "GitHub is about to show the merge"
    assert plan(replace(evicted, notices=frozenset({("eviction", "E1")})), verdict(), OUTPUTS) == ()
    assert plan(replace(evicted, merged=True), verdict(), OUTPUTS) == ()


def test_times_are_compared_as_values() -> None:
    """Nothing here asks what time it is: the same observation a year later plans the same."""
    later = observation()
    later = replace(later, snapshot=replace(later.snapshot, observed_at=datetime(2027, 1, 1, tzinfo=UTC)))
    assert plan(later, verdict(), OUTPUTS) == ()
