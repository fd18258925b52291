"""Whose turn it is, in which order, and what `mergegate/queue` says; each row changes one thing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from checks.finding import Finding, Fix, Status
from policies.freeze import Frozen
from policies.serial import (
    Await,
    Build,
    Entry,
    Idle,
    Judge,
    Move,
    Place,
    Refuse,
    Requeue,
    TakeBack,
    in_order,
    next_move,
    place_of,
    requeue_of,
)
from policies.serial_words import Standing, failure_of, queue_finding, queue_output, refusal_notice
from policies.tree import group, required
from policies.verdict import GroupVerdict, Node
from tests.policies import build

NOW, HEAD, TIP = build.NOW, build.HEAD, build.TARGET
HOUR = timedelta(hours=1)


def entry(number: int = 12, **changes: Any) -> Entry:
    start = Entry(1, number, 7, "refs/heads/main", HEAD, "", NOW + timedelta(minutes=number), NOW)
    return replace(start, **changes)


def tried(number: int = 12, **changes: Any) -> Entry:
    return replace(entry(number, state="trying", trial_base=TIP, trial_sha="7" * 40), **changes)


COMMANDS = [
    ("/requeue", Requeue()),
    ("/requeue  ", Requeue()),
    ("/requeue\r\nplease", Requeue()),
    ("／requeue jump", Requeue(jump=True)),
    ("/requeue\tdespite-freeze", Requeue(despite_freeze=True)),
    ("/requeue jump despite-freeze", None),
    ("/requeue now", None),
    ("/requeued", None),
    ("please /requeue", None),
    ("\n/requeue", Requeue()),
    ("    /requeue", None),
    ("/requeue time=5", None),
    ("> /requeue", None),
    ("", None),
    ("/requeue" + " " * 1000 + "x", None),
]


@pytest.mark.parametrize(("body", "command"), COMMANDS)
def test_the_command_is_the_whole_first_line(body: str, command: Requeue | None) -> None:
    assert requeue_of(body) == command


def test_the_order_is_turn_then_jump_then_readiness() -> None:
    queue = (
        entry(1),
        entry(2, priority=1),
        tried(4, state="turn"),
        entry(3, joined_at=NOW),
        entry(5, state="refused"),
        entry(6, state="gone"),
        entry(8, joined_at=NOW),
    )
    assert [each.number for each in in_order(queue)] == [4, 2, 3, 8, 1]
    assert place_of(queue, 8) == Place(queue[6], (4, 2, 3))
    assert place_of(queue, 5) == Place(queue[4], ())
    assert place_of(queue, 9) is None


TURN = tried(state="turn")
MOVES: list[tuple[str, tuple[Entry, ...], bool, Move]] = [
    ("nobody", (), False, Idle()),
    ("only refused ones", (entry(state="refused"),), False, Idle()),
    ("one waits", (entry(),), False, Build(entry())),
    ("the first of two", (entry(13), entry(12)), False, Build(entry(12))),
    ("one is tried", (tried(), entry(13)), False, Judge(tried())),
    ("the target moved while it was tried", (tried(trial_base="8" * 40),), False, TakeBack(tried(trial_base="8" * 40))),
    ("the target moved in its turn", (replace(TURN, trial_base="8" * 40),), False,
     TakeBack(replace(TURN, trial_base="8" * 40))),
    ("its turn", (TURN, entry(1)), False, Await(TURN, NOW + HOUR)),
    ("its turn is long over", (replace(TURN, since=NOW - HOUR),), False,
     Refuse(replace(TURN, since=NOW - HOUR), "Its turn came, and nobody merged it within 60 minutes.")),
    ("somebody jumped while it was tried", (tried(12), entry(13, priority=1)), False, TakeBack(tried(12))),
    ("nobody jumps over a turn", (TURN, entry(13, priority=1)), False, Await(TURN, NOW + HOUR)),
    ("frozen", (entry(),), True, Idle()),
    ("frozen in its turn", (TURN,), True, TakeBack(TURN)),
    ("frozen, with an exception", (entry(12), entry(13, despite_freeze=True)), True,
     Build(entry(13, despite_freeze=True))),
    ("no freeze", (entry(12), entry(13, despite_freeze=True)), False, Build(entry(12))),
]  # fmt: skip


@pytest.mark.parametrize(("queue", "is_frozen", "move"), [row[1:] for row in MOVES], ids=[row[0] for row in MOVES])
def test_moves(queue: tuple[Entry, ...], is_frozen: bool, move: Move) -> None:
    assert next_move(queue, TIP, NOW, HOUR, is_frozen=is_frozen) == move
    assert next_move(queue[::-1], TIP, NOW, HOUR, is_frozen=is_frozen) == move


PASSED = replace(
    build.verdict((), ()),
    head_sha=HEAD,
    evidence=Node("evidence", Status.PASSED, "e"),
    review=Node("review", Status.PASSED, "r"),
)
START = Standing(PASSED, Place(TURN), TIP, wanted=True, by_gate=True)
FROZEN = Frozen("Merging is frozen while issue #7 is open: down.")
STANDINGS: list[tuple[str, dict[str, Any], Status, str]] = [
    ("its turn, an agent's", {}, Status.PASSED,
     f"It is its turn: the gate merges it. Its merge with `main` at {TIP[:12]} was tried and passes."),
    ("its turn, a person's", {"by_gate": False}, Status.PASSED,
     f"It is its turn: merge it now. Its merge with `main` at {TIP[:12]} was tried and passes."),
    ("its turn on an older tip", {"base": "8" * 40}, Status.PENDING, "`main` moved on; its merge is tried again."),
    ("its turn in a freeze", {"frozen": FROZEN}, Status.PENDING, f"{FROZEN.reason} It keeps its place."),
    ("its turn with another head", {"place": Place(replace(TURN, head_sha="8" * 40))}, Status.PENDING,
     "It takes its place in the queue."),
    ("its turn in the queue of another branch", {"place": Place(replace(TURN, target_ref="refs/heads/old"))},
     Status.PENDING, "It takes its place in the queue."),
    ("a branch with a queue of GitHub's", {"native": True}, Status.PENDING,
     "`main` has a merge queue of GitHub's, so the gate's serial one merges nothing."),
    ("a draft", {"draft": True}, Status.PENDING, "It is a draft, and so it has no place in the queue."),
    ("its turn without an approval", {"verdict": replace(PASSED, review=Node("review", Status.PENDING, "r"))},
     Status.PENDING, "It takes its place in the queue once `mergegate/evidence` and `mergegate/review` are green."),
    ("first", {"place": Place(entry())}, Status.PENDING, "Place 1 in the queue; its merge is tried next."),
    ("third", {"place": Place(entry(), (3, 4))}, Status.PENDING, "Place 3 in the queue, behind #4."),
    ("tried", {"place": Place(tried())}, Status.PENDING,
     f"Its merge with `main` at {TIP[:12]} is tried: the workflows run."),
    ("refused", {"place": Place(entry(state="refused", reason="The tests fail."))}, Status.FAILED, "The tests fail."),
    ("refused in a freeze", {"place": Place(entry(state="refused", reason="Red.")), "frozen": FROZEN}, Status.FAILED,
     "Red."),
    ("gone", {"place": Place(entry(state="gone"))}, Status.PENDING, "It takes its place in the queue."),
    ("no place", {"place": None}, Status.PENDING, "It takes its place in the queue."),
    ("no place in a freeze", {"place": None, "frozen": FROZEN}, Status.PENDING, FROZEN.reason),
    ("not asked for", {"place": None, "wanted": False}, Status.PENDING,
     "It is ready, and nobody has asked for it to be merged."),
    ("a conflict", {"place": None, "conflict": True}, Status.PENDING, "It conflicts with `main`."),
    ("a layer above", {"place": None, "stack_below": True}, Status.PENDING,
     "It takes its place once the layers of the stack below it have landed."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "status", "reason"), STANDINGS, ids=[row[0] for row in STANDINGS])
def test_standings(name: str, changes: dict[str, Any], status: Status, reason: str) -> None:
    standing = replace(START, **changes)
    finding = queue_finding(standing)
    assert (finding.check, finding.status, finding.reason) == ("queue", status, reason)
    assert (finding.fix is None) == (status is Status.PASSED)
    output = queue_output(standing, finding)
    assert len(output.title) <= 80
    assert output.title.startswith(reason.replace("`", "")[:40])
    assert output.summary.splitlines()[0].startswith({"passed": "✅", "failed": "❌", "pending": "⏳"}[status])


def test_the_check_run_names_the_next_step_first() -> None:
    standing = replace(START, place=None, wanted=False)
    output = queue_output(standing, queue_finding(standing))
    assert output.title == "It is ready, and nobody has asked for it to be merged."
    assert output.summary.splitlines()[:3] == [
        "⏳ **Pending.** It is ready, and nobody has asked for it to be merged.",
        "",
        "Next: Switch on auto-merge, or comment `/requeue`.",
    ]


def test_a_refusal_says_what_to_do_and_is_inert() -> None:
    notice = refusal_notice(Place(entry(state="refused", reason="Job `test` failed, ask @team.")))
    first, rest = notice.split("\n\n", 1)
    assert first == "**Refused by the queue.** Job `test` failed, ask `@team`."
    assert "push a commit" in rest
    assert "`/requeue`" in rest


def test_a_ticket_names_one_stay_in_the_queue() -> None:
    one = entry()
    assert one.ticket == replace(one, state="turn").ticket
    assert len({one.ticket, replace(one, head_sha="8" * 40).ticket, replace(one, joined_at=NOW).ticket}) == 3


FIX = Fix("push", "Push.")
RED = Finding("ci.jobs", Status.FAILED, "Job `test` ended as failure.", fix=FIX)
NO_RUN = Finding("ci.runs", Status.FAILED, "No workflow ran on push for this head.", fix=FIX)
STALE = Finding("members.12", Status.FAILED, "Pull request 12 got new commits.", fix=FIX)
OF_TRIAL = tried(trial_ref="refs/heads/mergegate/queue/main/pr-12-777777777777")
ON_TOP = f"So it is on top of `main` at {TIP[:12]}, where it was tried."
FAILURES: list[tuple[str, tuple[Finding, ...], tuple[Finding, ...], Entry, str]] = [
    ("red tests", (RED,), (), OF_TRIAL,
     f"Job `test` ended as failure. {ON_TOP}"),
    ("more than one", (RED, RED), (), OF_TRIAL,
     f"Job `test` ended as failure. (and 1 more) {ON_TOP}"),
    ("nothing ran", (NO_RUN,), (), OF_TRIAL,
     "No workflow ran on push for this head. The workflow must run on `push` to the branches `mergegate/queue/**`."),
    ("nothing ran on the head itself", (NO_RUN,), (), replace(OF_TRIAL, trial_ref=""),
     f"No workflow ran on push for this head. {ON_TOP}"),
    ("only its review", (), (STALE,), OF_TRIAL,
     f"Pull request 12 got new commits. {ON_TOP}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("evidence", "review", "of", "reason"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES]
)
def test_a_failure_names_what_fails_first(
    evidence: tuple[Finding, ...], review: tuple[Finding, ...], of: Entry, reason: str
) -> None:
    fine = Finding("members.12", Status.PASSED, "It stands.")
    verdict = GroupVerdict(
        "7" * 40,
        "refs/heads/main",
        required("evidence", [group("ci", evidence or (fine,))]),
        required("review", [group("members", review or (fine,))]),
    )
    assert failure_of(verdict, of, "main") == reason


def test_a_failure_without_a_finding_says_what_the_verdict_says() -> None:
    verdict = GroupVerdict("7" * 40, "refs/heads/main", required("evidence", ()), required("review", ()))
    assert failure_of(verdict, OF_TRIAL, "main") == f"Nothing was looked at. {ON_TOP}"
