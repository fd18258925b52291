"""The serial queue: whose turn it is, and what the queue does next. Pure; the store's rows come in as `Entry`.

A pull request waits, is tried (merged with the target's tip on a branch of the gate's own, where the workflows run),
has its turn, and is merged. At most one of a target has the turn. `held_sha` is a commit on which `mergegate/queue` may
be green: while there is one, nobody else is given the turn, so that two are never green for one target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from checks.commands import read_commands

State = Literal["waiting", "trying", "turn", "refused", "gone"]
ACTIVE: tuple[State, ...] = ("waiting", "trying", "turn")
THE_GATE = ""  # who asked, where no person did


@dataclass(frozen=True, slots=True)
class Entry:
    """A pull request in the serial queue of its target (full ref).

    `asked_by` is a login, or THE_GATE. `since` is when `state` began. `trial_*` are of the merge that is or was tried:
    the target's tip that it stands on, its commit, and the branch that was made for it (empty: none is left).
    """

    repository_id: int
    number: int
    installation_id: int
    target_ref: str
    head_sha: str
    asked_by: str
    joined_at: datetime
    since: datetime
    state: State = "waiting"
    priority: int = 0
    despite_freeze: bool = False
    trial_base: str | None = None
    trial_sha: str | None = None
    trial_ref: str = ""
    held_sha: str | None = None
    reason: str = ""  # why it was refused
    errored_since: datetime | None = None

    @property
    def active(self) -> bool:
        return self.state in ACTIVE

    @property
    def ticket(self) -> str:
        """Names this stay in the queue: another head, or asking again, gives another."""
        return f"{self.head_sha[:12]}-{int(self.joined_at.timestamp())}"


@dataclass(frozen=True, slots=True)
class Place:
    """An entry with its place among those of its target: `ahead` are the pull requests before it.

    How many come after it is not said: whoever joins would have to wake all the others.
    """

    entry: Entry
    ahead: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Requeue:
    """What a person asked for by `/requeue`."""

    jump: bool = False
    despite_freeze: bool = False


def requeue_of(body: str) -> Requeue | None:
    """A comment's first `/requeue`, or None; one with words that mean nothing is none."""
    command = next((one for one in read_commands(body) if one.verb == "requeue"), None)
    if command is None or command.options:
        return None
    meant = {(): Requeue(), ("jump",): Requeue(jump=True), ("despite-freeze",): Requeue(despite_freeze=True)}
    return meant.get(command.words)


def in_order(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Those that are in the queue: whoever has the turn, then who jumped, then by the time of becoming ready."""
    active = (entry for entry in entries if entry.active)
    return tuple(sorted(active, key=lambda one: (one.state != "turn", -one.priority, one.joined_at, one.number)))


def place_of(entries: Sequence[Entry], number: int) -> Place | None:
    """The place of a pull request; None when it has no entry. One that was refused or has left has nobody ahead."""
    own = next((entry for entry in entries if entry.number == number), None)
    if own is None:
        return None
    numbers = [entry.number for entry in in_order(entries)]
    ahead = numbers[: numbers.index(number)] if own.active else []
    return Place(own, tuple(ahead))


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing to do until there is news."""


@dataclass(frozen=True, slots=True)
class Build:
    """Make the merge of this entry's head with the target's tip, and have the workflows run on it."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Judge:
    """Look at what the runs on the trial say."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Await:
    """Its turn is not used yet."""

    entry: Entry
    until: datetime


@dataclass(frozen=True, slots=True)
class TakeBack:
    """It waits again: what was tried is not what would land now, or another goes first."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Refuse:
    entry: Entry
    reason: str


Move = Idle | Build | Judge | Await | TakeBack | Refuse


def next_move(
    entries: Sequence[Entry], tip: str, now: datetime, turn_limit: timedelta, *, is_frozen: bool = False
) -> Move:
    """The one thing to do with the queue of a target whose tip is `tip`. `entries` are all of it, in any order."""
    queue = in_order(entries)
    free = [entry for entry in queue if entry.despite_freeze or not is_frozen]
    front = free[0] if free else None
    overtaken = next((entry for entry in queue if entry.state != "waiting" and entry != front), None)
    if overtaken is not None:
        return TakeBack(overtaken)
    if front is None:
        return Idle()
    if front.state == "waiting":
        return Build(front)
    if front.trial_base != tip:
        return TakeBack(front)
    return Judge(front) if front.state == "trying" else _turn(front, now, turn_limit)


def _turn(entry: Entry, now: datetime, limit: timedelta) -> Move:
    until = entry.since + limit
    if now < until:
        return Await(entry, until)
    minutes = int(limit.total_seconds() // 60)
    return Refuse(entry, f"Its turn came, and nobody merged it within {minutes} minutes.")
