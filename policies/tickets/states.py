"""The states of a ticket, what can happen to it, and the one table that says what becomes of it.

Whatever the table does not hold does not happen: the ticket stays as it is, and who asked is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a ticket is. `stopping` also knows what it ends as."""

    DRAFT = "draft"  # not accepted
    WAITING = "waiting"  # accepted, for an agent
    RUNNING = "running"  # an agent has it
    VERIFYING = "verifying"  # there is a pull request with a head to judge
    VERIFY_FAILED = "verify_failed"  # its evidence failed; goes back to an agent while attempts are left
    MERGEABLE = "mergeable"  # its evidence passed; people may still have to approve
    QUEUED = "queued"  # in a merge queue
    MERGED = "merged"
    SETTLED = "settled"  # merged long enough without a revert
    REVERTED = "reverted"
    NEEDS_HUMAN = "needs_human"
    STOPPING = "stopping"  # its power is taken away, and this is not confirmed yet
    STOPPED = "stopped"
    CAP_HIT = "cap_hit"
    CANCELLED = "cancelled"


class Event(StrEnum):
    """What can happen to a ticket."""

    ACCEPTED = "accepted"  # a person froze its snapshot
    CLAIMED = "claimed"  # an agent took it, an attempt begins
    NOT_STARTED = "not_started"  # whoever took it did not begin in time
    SUBMITTED = "submitted"  # a head was brought that shall be judged
    PASSED = "passed"  # the evidence of that head
    FAILED = "failed"
    ENQUEUED = "enqueued"
    DEQUEUED = "dequeued"
    MERGED = "merged"
    SETTLED = "settled"
    REVERTED = "reverted"
    ASKED = "asked"  # a question that only a person can answer
    ANSWERED = "answered"  # and an agent still has it
    RESUMED = "resumed"  # another attempt of the agent that has it
    RELEASED = "released"  # the attempt is over, an agent may begin another one
    EXHAUSTED = "exhausted"  # no attempt is left
    REPEATED = "repeated"  # it failed as it failed before: another attempt would be the same once more
    REJECTED = "rejected"  # a person sends it back
    PULL_CLOSED = "pull_closed"  # its pull request, without a merge
    RETRIED = "retried"  # a person wants another attempt
    STOP = "stop"
    CAP = "cap"  # a limit is reached
    CANCEL = "cancel"  # its issue was closed
    CONFIRMED = "confirmed"  # nothing of it has power any more
    REOPENED = "reopened"


ENDED = frozenset(
    {State.MERGED, State.SETTLED, State.REVERTED, State.STOPPED, State.CAP_HIT, State.CANCELLED},
)
# With an agent, or with a pull request of one.
AT_WORK = frozenset(
    {State.RUNNING, State.VERIFYING, State.VERIFY_FAILED, State.MERGEABLE, State.QUEUED, State.NEEDS_HUMAN}
)
ACTIVE = AT_WORK | {State.WAITING}
# A session of the ticket may be live in these alone: moving to any other one ends them all.
WITH_SESSION = AT_WORK
# These end them too: nobody is to go on before a person has said so.
ENDS_SESSIONS = frozenset({Event.EXHAUSTED, Event.REPEATED, Event.PULL_CLOSED})
# What `stopping` may end as, by what began it.
ENDS_AS: Mapping[Event, State] = {
    Event.STOP: State.STOPPED,
    Event.CAP: State.CAP_HIT,
    Event.CANCEL: State.CANCELLED,
}
# These keep the pull request out of every queue, whatever its evidence says.
BLOCKS_MERGE: Mapping[State, str] = {
    State.DRAFT: "is not accepted",
    State.STOPPING: "is being stopped",
    State.STOPPED: "was stopped",
    State.CAP_HIT: "reached one of its limits",
    State.CANCELLED: "was cancelled",
}


@dataclass(frozen=True, slots=True)
class Position:
    """`ends_as` is given exactly while `state` is `stopping`."""

    state: State
    ends_as: State | None = None


def step(position: Position, event: Event) -> Position | None:
    """What becomes of a ticket by an event; None where the event changes nothing and is not allowed there."""
    if position.state is State.STOPPING:
        return Position(position.ends_as or State.STOPPED) if event is Event.CONFIRMED else None
    if event in ENDS_AS and position.state in ACTIVE:
        return Position(State.STOPPING, ENDS_AS[event])
    after = TABLE.get((position.state, event))
    return None if after is None else Position(after)


def allowed(position: Position) -> frozenset[Event]:
    """The events that change something there."""
    return frozenset(event for event in Event if step(position, event) is not None)


def _rows() -> Iterator[tuple[tuple[State, Event], State]]:
    """The table, besides what leads into and out of `stopping`."""
    s, e = State, Event
    yield (s.DRAFT, e.ACCEPTED), s.WAITING
    yield (s.DRAFT, e.CANCEL), s.CANCELLED
    # A new snapshot of what nobody works on; a running attempt goes on with the one it began with.
    for before in (s.WAITING, s.NEEDS_HUMAN, s.STOPPED, s.CAP_HIT):
        yield (before, e.ACCEPTED), s.WAITING
    yield (s.WAITING, e.CLAIMED), s.RUNNING
    yield (s.RUNNING, e.NOT_STARTED), s.WAITING
    for before in (s.RUNNING, s.VERIFY_FAILED, s.MERGEABLE, s.QUEUED, s.NEEDS_HUMAN):
        yield (before, e.SUBMITTED), s.VERIFYING
    for before in (s.VERIFYING, s.VERIFY_FAILED):
        yield (before, e.PASSED), s.MERGEABLE
    for before in (s.VERIFYING, s.MERGEABLE, s.QUEUED):
        yield (before, e.FAILED), s.VERIFY_FAILED
        yield (before, e.REJECTED), s.VERIFY_FAILED
        yield (before, e.PULL_CLOSED), s.NEEDS_HUMAN
    yield (s.NEEDS_HUMAN, e.REJECTED), s.VERIFY_FAILED
    yield (s.VERIFY_FAILED, e.PULL_CLOSED), s.NEEDS_HUMAN
    yield (s.MERGEABLE, e.ENQUEUED), s.QUEUED
    yield (s.QUEUED, e.DEQUEUED), s.MERGEABLE
    # A merge is a fact, whoever did it and whatever was known before.
    for before in (*AT_WORK, s.DRAFT, s.WAITING, s.STOPPED, s.CAP_HIT, s.CANCELLED):
        yield (before, e.MERGED), s.MERGED
    yield (s.MERGED, e.SETTLED), s.SETTLED
    yield (s.MERGED, e.REVERTED), s.REVERTED
    yield (s.SETTLED, e.REVERTED), s.REVERTED
    for before in (s.RUNNING, s.VERIFYING, s.VERIFY_FAILED, s.MERGEABLE):
        yield (before, e.ASKED), s.NEEDS_HUMAN
    yield (s.NEEDS_HUMAN, e.ANSWERED), s.RUNNING
    yield (s.VERIFY_FAILED, e.RESUMED), s.RUNNING
    for before in (s.RUNNING, s.VERIFY_FAILED, s.NEEDS_HUMAN):
        yield (before, e.RELEASED), s.WAITING
    for before in (s.WAITING, s.RUNNING, s.VERIFY_FAILED):
        yield (before, e.EXHAUSTED), s.NEEDS_HUMAN
    yield (s.VERIFY_FAILED, e.REPEATED), s.NEEDS_HUMAN
    for before in (s.VERIFY_FAILED, s.NEEDS_HUMAN, s.STOPPED, s.CAP_HIT):
        yield (before, e.RETRIED), s.WAITING
    yield (s.CANCELLED, e.REOPENED), s.DRAFT


TABLE: Mapping[tuple[State, Event], State] = dict(_rows())
