"""What follows for the serial queue from one look at a pull request. Pure, and a part of `plan`.

The check is made green only after the turn is held, and the turn is released only after the check was written not to be
green, in that order, so that whatever dies in between two pull requests of one target are never green together.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.gate.effects import (
    QUEUE,
    CancelCheckRun,
    Effect,
    HoldTurn,
    JoinQueue,
    LeaveQueue,
    MergeNow,
    PostNotice,
    ReleaseTurn,
)
from app.gate.observation import Observation, Wanted
from checks.finding import Status
from policies.serial import THE_GATE, Entry
from policies.serial_words import Standing, queue_finding, queue_output, refusal_notice
from policies.squash import message
from policies.verdict import Verdict

MERGEABLE = ("CLEAN", "UNSTABLE", "HAS_HOOKS")


def is_serial(observation: Observation, verdict: Verdict) -> bool:
    return observation.queue.serial and verdict.gated and verdict.mode != "observe"


def by_gate(observation: Observation, verdict: Verdict) -> bool:
    """Whether the gate itself asks for the merge."""
    return verdict.may_enqueue and observation.probation_passed


def queue_wanted(observation: Observation, verdict: Verdict) -> tuple[Wanted, ...]:
    """What this pull request wants `mergegate/queue` to show; nothing where there is no serial queue."""
    if not is_serial(observation, verdict):
        return ()
    standing = _standing(observation, verdict)
    finding = queue_finding(standing)
    output = queue_output(standing, finding)
    return (Wanted(QUEUE, finding.status, verdict.key, output, observation.snapshot.number or 0),)


def _standing(observation: Observation, verdict: Verdict) -> Standing:
    snapshot, queue, asked = observation.snapshot, observation.queue, by_gate(observation, verdict)
    return Standing(
        verdict,
        queue.place,
        snapshot.target_sha,
        wanted=asked or queue.wish is not None,
        by_gate=asked,
        draft=snapshot.draft,
        conflict=snapshot.mergeable is False,
        frozen=queue.frozen,
        stack_below=snapshot.stack is not None and snapshot.stack.position > 1,
        native=observation.has_queue,
    )


def _own(observation: Observation) -> Entry | None:
    return observation.queue.place.entry if observation.queue.place else None


def turn_held(observation: Observation, want: Sequence[Wanted]) -> list[Effect]:
    """Before the check runs are written."""
    entry, head = _own(observation), observation.snapshot.head.sha
    green = any(one.status is Status.PASSED for one in want)
    if entry is None or not green or entry.held_sha == head:
        return []
    return [HoldTurn(entry.number, head)]


def must_be_rewritten(observation: Observation, want: Sequence[Wanted]) -> bool:
    """Whether the check is written although it reads as it should: a green that was on its way may stand by now."""
    entry = _own(observation)
    if entry is None or entry.held_sha != observation.snapshot.head.sha:
        return False
    return not any(one.status is Status.PASSED for one in want)


def turn_released(observation: Observation, want: Sequence[Wanted]) -> list[Effect]:
    """After the check runs are written, and those of earlier heads cancelled."""
    entry, head = _own(observation), observation.snapshot.head.sha
    if entry is None or entry.held_sha is None:
        return []
    if entry.held_sha == head and any(one.status is Status.PASSED for one in want):
        return []
    return [ReleaseTurn(entry.number, entry.target_ref, entry.held_sha)]


def check_withdrawn(observation: Observation, verdict: Verdict) -> list[Effect]:
    """Where the queue is not asked any more, the check must prove nothing to a branch that the pull request may be
    given again. Before the turn is released."""
    if _own(observation) is None or is_serial(observation, verdict):
        return []
    head = observation.snapshot.head.sha
    runs = [run for run in observation.own_runs if run.name == QUEUE and (run.open or run.conclusion == "success")]
    return [CancelCheckRun(run.id, run.name, head) for run in runs]


def moved(observation: Observation, verdict: Verdict) -> list[Effect]:
    """Into the queue, to another place in it, or out of it."""
    entry = _own(observation)
    if not is_serial(observation, verdict):
        return _left(entry, "The branch has no serial queue any more.")
    standing = _standing(observation, verdict)
    because = _unfit(standing)
    if because is None:
        return _joined(observation, verdict) if _joins(observation, standing) else []
    could_not_look = verdict.status is Status.ERRORED and entry is not None and entry.head_sha == verdict.head_sha
    return [] if could_not_look else _left(entry, because)


def _unfit(standing: Standing) -> str | None:
    """Why it has no business in the queue."""
    if standing.native:
        return "The branch has a merge queue of GitHub's."
    if standing.draft:
        return "It is a draft."
    if standing.verdict.status is not Status.PASSED:
        return "Its checks are not green any more."
    if standing.stack_below:
        return "There are layers below it."
    if standing.conflict:
        return "It conflicts with the target branch."
    return None if standing.wanted else "Nobody asks for it to be merged any more."


def _left(entry: Entry | None, because: str) -> list[Effect]:
    if entry is None or not entry.active:
        return []
    return [LeaveQueue(entry.number, entry.target_ref, because)]


def _joins(observation: Observation, standing: Standing) -> bool:
    entry, wish = _own(observation), observation.queue.wish
    verdict = standing.verdict
    if (
        entry is None
        or entry.state == "gone"
        or (entry.head_sha, entry.target_ref)
        != (
            verdict.head_sha,
            verdict.target_ref,
        )
    ):
        return True  # in a freeze too: the order is that of becoming ready
    if entry.state == "refused":
        return wish is not None and wish.at > entry.since
    if wish is None or entry.state != "waiting":
        return False
    return (wish.jump and not entry.priority) or (wish.despite_freeze and not entry.despite_freeze)


def _joined(observation: Observation, verdict: Verdict) -> list[Effect]:
    wish = observation.queue.wish
    return [
        JoinQueue(
            observation.snapshot.number or 0,
            verdict.target_ref,
            verdict.head_sha,
            wish.by if wish else THE_GATE,
            jump=wish is not None and wish.jump,
            despite_freeze=wish is not None and wish.despite_freeze,
        )
    ]


def merged_now(observation: Observation, verdict: Verdict, want: Sequence[Wanted]) -> list[Effect]:
    """Only when nothing else is left to do: the check is green already, and GitHub says that nothing is in the way."""
    entry, snapshot = _own(observation), observation.snapshot
    green = entry is not None and entry.held_sha == snapshot.head.sha
    turn = any(one.name == QUEUE and one.status is Status.PASSED for one in want)
    if not (turn and green and by_gate(observation, verdict) and observation.merge_state in MERGEABLE):
        return []
    commit = None if observation.queue.method == "rebase" else message(_title(observation), snapshot.body)
    return [
        MergeNow(
            snapshot.number or 0,
            verdict.target_ref,
            snapshot.target_sha,
            snapshot.head.sha,
            observation.queue.method,
            commit.title if commit else None,
            commit.body if commit else None,
        )
    ]


def _title(observation: Observation) -> str:
    return f"{observation.snapshot.title} (#{observation.snapshot.number})"


def refusal(observation: Observation, verdict: Verdict) -> list[Effect]:
    """The one comment on a refusal."""
    place = observation.queue.place
    if place is None or place.entry.state != "refused" or place.entry.head_sha != verdict.head_sha:
        return []
    entry = place.entry
    if not is_serial(observation, verdict) or ("refusal", entry.ticket) in observation.notices:
        return []
    return [PostNotice(entry.number, "refusal", entry.ticket, refusal_notice(place))]
