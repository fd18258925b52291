"""What a look at a pull request changes in the serial queue: each row changes one thing of one whose turn it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.gate.effects import (
    EVIDENCE,
    QUEUE,
    REVIEW,
    CancelCheckRun,
    HoldTurn,
    JoinQueue,
    LeaveQueue,
    MergeNow,
    PostNotice,
    PutCheckRun,
    ReleaseTurn,
    TakeRequeue,
)
from app.gate.observation import AskedRequeue, Observation, OwnRun, QueueState, Wish
from app.gate.plan import github_state, output_digest, plan
from app.gate.serial_plan import queue_wanted
from checks.finding import Status
from checks.snapshot import Stack
from policies.freeze import Frozen
from policies.serial import Entry, Place
from policies.verdict import Verdict
from tests.gate.test_plan import HEAD, NOW, OUTPUTS, SHOWN, kinds, observation, verdict
from tests.policies.build import TARGET

MAIN = "refs/heads/main"
TURN = Entry(
    1, 4, 7, MAIN, HEAD, "", NOW, NOW, state="turn", trial_base=TARGET, trial_sha="7" * 40, trial_ref="refs/heads/x"
)
HELD = replace(TURN, held_sha=HEAD)
AGENTS = verdict(may_enqueue=True)
ADA = Wish("ada", NOW)


def seen(entry: Entry | None, said: Verdict = AGENTS, *, changes: dict[str, Any] | None = None, **queue: Any) -> Any:
    """A pull request whose three check runs show what they should, and what is planned for it."""
    place = None if entry is None else Place(entry)
    start = observation(queue=QueueState(serial=True, place=place, **queue), merge_state="CLEAN", has_queue=False)
    start = replace(start, **(changes or {}))
    return replace(start, own_runs=(*SHOWN, *_shown(start, said)))


def _shown(start: Observation, said: Verdict) -> list[OwnRun]:
    return [
        OwnRun(3, QUEUE, *github_state(want.status, None, NOW), said.key, output_digest(want.output), NOW)
        for want in queue_wanted(start, said)
    ]


def planned(start: Observation, said: Verdict = AGENTS) -> tuple[Any, ...]:
    outputs = {**OUTPUTS}
    return plan(start, said, outputs)


MERGE = MergeNow(4, MAIN, TARGET, HEAD, "merge", "Faster totals (#4)", "Faster totals.")
JOIN = JoinQueue(4, MAIN, HEAD, "")
LEAVE_RED = LeaveQueue(4, MAIN, "Its checks are not green any more.")
RED = verdict(Status.FAILED)
ROWS: list[tuple[str, Any, Verdict, list[Any]]] = [
    ("its turn is green: the gate merges it", seen(HELD), AGENTS, [MERGE]),
    ("squashed", seen(HELD, method="squash"), AGENTS, [replace(MERGE, method="squash")]),
    ("rebased, which has no message", seen(HELD, method="rebase"), AGENTS,
     [replace(MERGE, method="rebase", title=None, body=None)]),
    ("GitHub is not ready to merge", seen(HELD, changes={"merge_state": "BLOCKED"}), AGENTS, []),
    ("a person's: they merge it", seen(HELD, verdict(), wish=ADA), verdict(), []),
    ("in probation, with a person's wish", seen(HELD, wish=ADA, changes={"probation_passed": False}), AGENTS, []),
    ("no place yet", seen(None), AGENTS, [JOIN]),
    ("no place yet, a person's", seen(None, verdict()), verdict(), []),
    ("no place yet, and a person wishes it", seen(None, verdict(), wish=ADA), verdict(),
     [replace(JOIN, asked_by="ada")]),
    ("with a jump", seen(None, wish=replace(ADA, jump=True)), AGENTS, [replace(JOIN, asked_by="ada", jump=True)]),
    ("in a freeze", seen(None, frozen=Frozen("Frozen.")), AGENTS, [JOIN]),
    ("a layer above the lowest", seen(None, changes={
        "snapshot": replace(observation().snapshot, stack=Stack(1, MAIN, TARGET, 2, 2), observed_at=NOW)}), AGENTS, []),
    ("a conflict", seen(None, changes={
        "snapshot": replace(observation().snapshot, mergeable=False, observed_at=NOW)}), AGENTS, []),
    ("a new head takes another place", seen(replace(TURN, head_sha="8" * 40)), AGENTS, [JOIN]),
    ("another target too", seen(replace(TURN, target_ref="refs/heads/old")), AGENTS, [JOIN]),
    ("after it had left", seen(replace(TURN, state="gone")), AGENTS, [JOIN]),
    ("waiting", seen(replace(TURN, state="waiting")), AGENTS, []),
    ("waiting, and somebody may jump", seen(replace(TURN, state="waiting"), wish=replace(ADA, jump=True)), AGENTS,
     [replace(JOIN, asked_by="ada", jump=True)]),
    ("it has jumped already", seen(replace(TURN, state="waiting", priority=1), wish=replace(ADA, jump=True)), AGENTS,
     []),
    ("waiting, and may pass the freeze", seen(replace(TURN, state="waiting"), wish=replace(ADA, despite_freeze=True)),
     AGENTS, [replace(JOIN, asked_by="ada", despite_freeze=True)]),
    ("refused", seen(replace(TURN, state="refused", reason="Red."), changes={
        "notices": frozenset({("refusal", TURN.ticket)})}), AGENTS, []),
    ("refused, and asked for before that", seen(replace(TURN, state="refused", reason="Red."), wish=ADA, changes={
        "notices": frozenset({("refusal", TURN.ticket)})}), AGENTS, []),
    ("refused, and asked for again", seen(replace(TURN, state="refused", reason="Red."),
     wish=replace(ADA, at=NOW + timedelta(seconds=1)), changes={"notices": frozenset({("refusal", TURN.ticket)})}),
     AGENTS, [replace(JOIN, asked_by="ada")]),
]  # fmt: skip


@pytest.mark.parametrize(("start", "said", "effects"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_rows(start: Observation, said: Verdict, effects: list[Any]) -> None:
    assert list(planned(start, said)) == effects


def test_the_turn_is_held_before_the_check_is_green() -> None:
    start = replace(seen(TURN), own_runs=SHOWN)
    held, put = planned(start)
    assert held == HoldTurn(4, HEAD)
    assert (put.name, put.conclusion) == (QUEUE, "success")


LOST: list[tuple[str, Any, Verdict]] = [
    ("an approval was withdrawn", {"place": Place(HELD)}, verdict(review=Status.PENDING)),
    ("the target moved", {"place": Place(replace(HELD, trial_base="8" * 40))}, AGENTS),
    ("the queue took it back", {"place": Place(replace(HELD, state="waiting"))}, AGENTS),
    ("merging is frozen", {"place": Place(HELD), "frozen": Frozen("Frozen.")}, AGENTS),
]


@pytest.mark.parametrize(("queue", "said"), [row[1:] for row in LOST], ids=[row[0] for row in LOST])
@pytest.mark.parametrize(
    "shown", [("completed", "success"), ("in_progress", None)], ids=["green", "reads as not green"]
)
def test_a_turn_that_is_lost_is_released_only_after_the_check_was_written(
    queue: dict[str, Any], said: Verdict, shown: tuple[str, str | None]
) -> None:
    """Also where it reads as not green: an attempt that died may have had its green under way."""
    start = observation(
        has_queue=False, queue=QueueState(serial=True, **queue), own_runs=(*SHOWN, OwnRun(3, QUEUE, *shown, said.key))
    )
    effects = planned(start, said)
    writes = [each for each in effects if isinstance(each, PutCheckRun) and each.name == QUEUE]
    assert [each.status for each in writes] == ["in_progress"]
    release = ReleaseTurn(4, MAIN, HEAD)
    assert effects.index(release) > effects.index(writes[0])
    assert not any(isinstance(each, MergeNow | HoldTurn) for each in effects)


def test_a_turn_held_by_an_earlier_head_is_cancelled_there_and_then_released() -> None:
    old = "8" * 40
    start = seen(replace(TURN, held_sha=old, head_sha=old), changes={
        "abandoned_runs": ((old, OwnRun(9, QUEUE, "completed", "success", "")),)
    })  # fmt: skip
    effects = planned(start)
    assert effects[0] == CancelCheckRun(9, QUEUE, old)
    assert ReleaseTurn(4, MAIN, old) in effects


OUT: list[tuple[str, dict[str, Any], Verdict, str]] = [
    ("red", {}, RED, LEAVE_RED.because),
    ("a queue of GitHub's", {"has_queue": True}, AGENTS, "The branch has a merge queue of GitHub's."),
    ("a draft", {"snapshot": replace(observation().snapshot, draft=True, observed_at=NOW)}, AGENTS, "It is a draft."),
    ("a conflict", {"snapshot": replace(observation().snapshot, mergeable=False, observed_at=NOW)}, AGENTS,
     "It conflicts with the target branch."),
    ("nobody asks any more", {"probation_passed": False}, AGENTS, "Nobody asks for it to be merged any more."),
    ("observing", {}, verdict(mode="observe"), "The branch has no serial queue any more."),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "said", "because"), [row[1:] for row in OUT], ids=[row[0] for row in OUT])
def test_whoever_is_not_fit_leaves(changes: dict[str, Any], said: Verdict, because: str) -> None:
    start = seen(replace(TURN, state="waiting"), said, changes=changes)
    assert LeaveQueue(4, MAIN, because) in planned(start, said)
    gone = seen(replace(TURN, state="gone"), said, changes=changes)
    assert not any(isinstance(each, LeaveQueue) for each in planned(gone, said))


@pytest.mark.parametrize("said", [verdict(gated=False), verdict(mode="observe")], ids=["not gated", "observed"])
@pytest.mark.parametrize("shown", [("completed", "success"), ("in_progress", None)])
def test_whoever_leaves_the_branch_leaves_no_green_behind(said: Verdict, shown: tuple[str, str | None]) -> None:
    start = replace(seen(HELD, said), own_runs=(OwnRun(3, QUEUE, *shown, ""),))
    effects = planned(start, said)
    cancel, release = CancelCheckRun(3, QUEUE, HEAD), ReleaseTurn(4, MAIN, HEAD)
    assert effects.index(cancel) < effects.index(release)
    assert LeaveQueue(4, MAIN, "The branch has no serial queue any more.") in effects
    ended = replace(start, own_runs=(OwnRun(3, QUEUE, "completed", "cancelled", ""),))
    assert not any(isinstance(each, CancelCheckRun) for each in planned(ended, said))


def test_who_could_not_be_looked_at_keeps_the_place_and_loses_the_green() -> None:
    effects = planned(seen(HELD, verdict(Status.ERRORED)), verdict(Status.ERRORED))
    assert not any(isinstance(each, LeaveQueue | MergeNow) for each in effects)
    assert ReleaseTurn(4, MAIN, HEAD) in effects


def test_a_refusal_is_said_once() -> None:
    refused = replace(TURN, state="refused", reason="The tests fail.")
    (notice,) = planned(seen(refused))
    assert notice == PostNotice(4, "refusal", refused.ticket, notice.body)
    assert "The tests fail." in notice.body


def test_without_a_serial_queue_nothing_of_it_is_shown() -> None:
    start = observation(queue=QueueState(wish=ADA))
    assert planned(start, AGENTS) == ()
    assert queue_wanted(start, AGENTS) == ()
    assert queue_wanted(seen(None), verdict(gated=False)) == ()


@pytest.mark.parametrize("queue", [{"external": True}, {"serial": True}, {"frozen": Frozen("Frozen.")}])
def test_the_native_queue_is_left_alone(queue: dict[str, Any]) -> None:
    start = observation(merge_state="CLEAN", queue=QueueState(**queue))
    assert "Enqueue" not in kinds(plan(start, AGENTS, OUTPUTS))
    assert "Enqueue" in kinds(plan(observation(merge_state="CLEAN"), AGENTS, OUTPUTS))


def test_a_command_is_carried_out_and_a_refused_one_is_answered() -> None:
    asked = (AskedRequeue(31, "ada", jump=True, despite_freeze=False), AskedRequeue(32, "eve", False, False, "No."))
    effects = plan(observation(queue=QueueState(asked=asked)), verdict(), OUTPUTS)
    assert effects[0] == TakeRequeue(4, 31, HEAD, "ada", True, False, None)
    assert effects[1] == TakeRequeue(4, 32, HEAD, "eve", False, False, "No.")
    assert effects[2] == PostNotice(4, "requeue", "32", "**Not carried out.** No.")
    said = observation(queue=QueueState(asked=asked[1:]), notices=frozenset({("requeue", "32")}))
    assert kinds(plan(said, verdict(), OUTPUTS)) == ["TakeRequeue"]


def test_the_check_is_one_of_three() -> None:
    start = replace(seen(None), own_runs=())
    names = {each.name for each in planned(start) if isinstance(each, PutCheckRun)}
    assert names == {EVIDENCE, REVIEW, QUEUE}
