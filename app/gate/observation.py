"""What was observed of a key: the snapshot that is judged, and what GitHub shows of our own earlier effects. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from app.gate.effects import Method
from checks.finding import Status
from checks.group_snapshot import GroupSnapshot
from checks.snapshot import Snapshot
from policies.eviction import Eviction
from policies.explain import Output
from policies.freeze import Frozen
from policies.routing import Standing
from policies.serial import Place


@dataclass(frozen=True, slots=True)
class OwnRun:
    """A check run of ours, from GitHub's listing joined with the store's record of it.

    `output_digest` is None when the store does not know what we wrote last. `created_at` is None for the same reason.
    """

    id: int
    name: str
    status: str
    conclusion: str | None
    external_id: str
    output_digest: str | None = None
    created_at: datetime | None = None
    written_key: str | None = None  # the external id that we wrote last, whether GitHub took the rest or not

    @property
    def open(self) -> bool:
        return self.status != "completed"


@dataclass(frozen=True, slots=True)
class Queued:
    """The pull request's entry in the merge queue."""

    entry_id: str
    state: str
    head_sha: str | None  # head that the gate enqueued; None when somebody else did


@dataclass(frozen=True, slots=True)
class Wanted:
    """The state one check run should have because of one pull request."""

    name: str
    status: Status
    external_id: str
    output: Output
    number: int


@dataclass(frozen=True, slots=True)
class Wish:
    """A person's word that the pull request be merged: auto-merge, or `/requeue` on this head, whichever is newer."""

    by: str
    at: datetime
    jump: bool = False
    despite_freeze: bool = False


@dataclass(frozen=True, slots=True)
class AskedRequeue:
    """A `/requeue` comment that was not carried out yet; `refused` says why it will not be."""

    comment_id: int
    login: str
    jump: bool
    despite_freeze: bool
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class QueueState:
    """What is known about merging a pull request. `serial`: by the gate's own queue, in which it has `place`."""

    serial: bool = False
    external: bool = False
    place: Place | None = None
    wish: Wish | None = None
    asked: tuple[AskedRequeue, ...] = ()
    frozen: Frozen | None = None  # None also where this pull request may pass the freeze
    eviction: Eviction | None = None  # of the entry that the gate made and GitHub let go of; None: said already
    below_green: bool = False  # of a stack: every open layer below passes at its present head
    grouping: str | None = None  # of GitHub's queue: ALLGREEN, HEADGREEN; None: not asked or not known
    method: Method = "merge"


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A comment that approves and that nobody acknowledged yet; `commit` is empty where it names nothing."""

    comment_id: int
    login: str
    commit: str


@dataclass(frozen=True, slots=True)
class Observation:
    """A pull request as observed; `node_id` is its GraphQL id."""

    snapshot: Snapshot
    node_id: str
    merge_state: str
    has_queue: bool
    own_runs: tuple[OwnRun, ...] = ()
    queued: Queued | None = None
    enqueued_before: str | None = None  # entry id that the gate made for this head and did not take back
    notices: frozenset[tuple[str, str]] = frozenset()  # (purpose, subject) of comments posted already
    merged: bool = False
    abandoned_runs: tuple[tuple[str, OwnRun], ...] = ()  # (head, run) open on commits that are nobody's head now
    siblings: tuple[Wanted, ...] = ()  # what other open pull requests with this head want
    errored_since: Mapping[str, datetime] | None = None  # check name -> since when it could not look
    probation_passed: bool = False
    unanswered: tuple[Unanswered, ...] = ()
    requests: Standing | None = None  # for reviews; None: not all of GitHub's list is known
    queue: QueueState = QueueState()
    freezes_sessions: bool = False  # whether a push out of bounds freezes the session that it belongs to


@dataclass(frozen=True, slots=True)
class GroupObservation:
    """A merge group as observed. `in_queue` is false once the group is gone from the queue."""

    snapshot: GroupSnapshot
    in_queue: bool
    landed: bool
    own_runs: tuple[OwnRun, ...] = ()
    errored_since: Mapping[str, datetime] | None = None
