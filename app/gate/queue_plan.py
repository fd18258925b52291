"""What follows for GitHub's own merge queue from one look at a pull request, and for `/requeue`. Pure."""

from __future__ import annotations

from app.gate.effects import Dequeue, Effect, Enqueue, PostNotice, TakeRequeue
from app.gate.observation import Observation
from app.gate.serial_plan import MERGEABLE
from checks.finding import Status
from policies.escape import inert
from policies.eviction import eviction_notice
from policies.verdict import Verdict

HEADGREEN = (
    "**Not enqueued.** The merge queue's grouping strategy is HEADGREEN: a pull request whose group fails would land "
    "with one behind it that passes. Ask an administrator to set ALLGREEN in the branch's rules (*Require all queue "
    "entries to pass required checks*)."
)


def dequeued(observation: Observation, verdict: Verdict) -> list[Effect]:
    """An agent's pull request leaves the queue when its checks no longer hold or its head is not the enqueued one."""
    queued, head = observation.queued, observation.snapshot.head.sha
    if queued is None or not verdict.gated or verdict.mode == "observe":
        return []
    if queued.head_sha is not None and queued.head_sha != head:
        return _out(observation, "a push came while it was queued")
    held = {verdict.evidence.status, verdict.review.status}
    if held <= {Status.PASSED, Status.ERRORED}:
        return []  # could not look is no reason yet: the group's own checks stay open meanwhile
    node = verdict.review if verdict.evidence.status in (Status.PASSED, Status.ERRORED) else verdict.evidence
    return _out(observation, node.reason)


def _out(observation: Observation, because: str) -> list[Effect]:
    assert observation.queued is not None
    number, entry = observation.snapshot.number or 0, observation.queued.entry_id
    body = (
        f"**Taken out of the merge queue.** {inert(because)}\n\nThe gate enqueues it again once its checks are green."
    )
    return [
        Dequeue(observation.node_id, number, entry, because),
        *_notice(observation, PostNotice(number, "eviction", entry, body)),
    ]


def _notice(observation: Observation, notice: PostNotice) -> list[Effect]:
    return [] if (notice.purpose, notice.subject) in observation.notices else [notice]


def enqueued(observation: Observation, verdict: Verdict) -> list[Effect]:
    """Only when nothing else is left to do, so that GitHub already shows the green checks it will be asked about."""
    number, head = observation.snapshot.number or 0, observation.snapshot.head.sha
    if not _may_be_enqueued(observation, verdict):
        return []
    if observation.queue.grouping == "HEADGREEN":
        return _notice(observation, PostNotice(number, "grouping", "HEADGREEN", HEADGREEN))
    return [Enqueue(observation.node_id, number, head)]


def _may_be_enqueued(observation: Observation, verdict: Verdict) -> bool:
    return (
        verdict.may_enqueue
        and _below_is_green(observation)
        and observation.probation_passed
        and observation.has_queue
        and not (observation.queue.serial or observation.queue.external)
        and observation.queue.frozen is None
        and observation.queued is None
        and observation.enqueued_before is None
        and observation.merge_state in MERGEABLE
    )


def _below_is_green(observation: Observation) -> bool:
    """Merging a layer of a stack merges all below it, so each of them must stand by itself."""
    stack = observation.snapshot.stack
    return stack is None or stack.position == 1 or observation.queue.below_green


def evicted(observation: Observation, verdict: Verdict) -> list[Effect]:
    """The queue let go of an entry that the gate made: said once, because GitHub tells nobody."""
    entry, eviction = observation.enqueued_before, observation.queue.eviction
    if entry is None or observation.queued is not None or observation.merged or not verdict.gated:
        return []
    if eviction is None:  # said already, or GitHub is about to show the merge
        return []
    number = observation.snapshot.number or 0
    return _notice(observation, PostNotice(number, "eviction", entry, eviction_notice(eviction)))


def commands(observation: Observation) -> list[Effect]:
    """Each `/requeue` comment that was not carried out yet."""
    number, head = observation.snapshot.number or 0, observation.snapshot.head.sha
    effects: list[Effect] = []
    for one in observation.queue.asked:
        effects.append(TakeRequeue(number, one.comment_id, head, one.login, one.jump, one.despite_freeze, one.refused))
        if one.refused is not None:
            body = f"**Not carried out.** {inert(one.refused)}"
            effects += _notice(observation, PostNotice(number, "requeue", str(one.comment_id), body))
    return effects
