"""Everything the gate may do to GitHub, as frozen data. Planned in `plan`, performed in `apply`, compared in tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.gate.people_effects import OfPeople
from policies.explain import Output
from policies.verdict import JudgeOrder, VerificationOrder

EVIDENCE = "mergegate/evidence"
REVIEW = "mergegate/review"
OBSERVE = "mergegate/observe"
QUEUE = "mergegate/queue"
NAMES = (EVIDENCE, REVIEW, OBSERVE, QUEUE)
Method = Literal["merge", "squash", "rebase"]
LOOKING = Output("Looking at it", "⏳ **Looking at it.** The verdict on this commit follows in a moment.", "")


@dataclass(frozen=True, slots=True)
class PutCheckRun:
    """Bring every check run of this name on this commit to one state; create one where there is none.

    `existing` are the ids of ours that are there already. `create` asks for a new run although some exist (one that
    is too old to stay open). `conclusion` is None while `status` is `in_progress`.
    """

    name: str
    head_sha: str
    status: str
    conclusion: str | None
    external_id: str
    output: Output
    existing: tuple[int, ...] = ()
    create: bool = False


@dataclass(frozen=True, slots=True)
class CancelCheckRun:
    """Close an open check run of ours on a commit that is nobody's head any more."""

    check_run_id: int
    name: str
    head_sha: str


@dataclass(frozen=True, slots=True)
class Enqueue:
    """Ask the merge queue to take the pull request at exactly this head."""

    pull_id: str  # GraphQL node id
    number: int
    expected_head: str


@dataclass(frozen=True, slots=True)
class Dequeue:
    pull_id: str
    number: int
    entry_id: str
    because: str


@dataclass(frozen=True, slots=True)
class PostNotice:
    """One comment on a pull request, posted once for `purpose` and `subject`."""

    number: int
    purpose: str  # "eviction", "landing"
    subject: str  # what it is about, for example the queue entry's id
    body: str


@dataclass(frozen=True, slots=True)
class StartVerification:
    """Start the verifier's workflow on the target branch for the merge of `head_sha` into `target_sha`.

    `id` is the same whenever the same run is asked for, so that none is started twice. `tree` is the merge's.
    """

    id: str
    head_sha: str
    target_ref: str
    target_sha: str
    tree: str
    policy_digest: str
    order: VerificationOrder


@dataclass(frozen=True, slots=True)
class AskJudge:
    """Ask an independent judge about the difference from `base_sha`, the merge base, to `head_sha`; see
    `checks.opinions` for its `id`. `ticket` is the ticket's number."""

    id: str
    number: int
    head_sha: str
    base_sha: str
    target_sha: str
    ticket: int | None
    ticket_digest: str | None
    order: JudgeOrder


@dataclass(frozen=True, slots=True)
class TellSession:
    """Tell the agent of a proxy session, once for `subject`, in the answer to its next push; `freeze`: before that it
    writes nothing more until a person has looked."""

    number: int
    session: int
    subject: str
    words: str
    freeze: bool


@dataclass(frozen=True, slots=True)
class JoinQueue:
    """Take a place in the serial queue of `target_ref`, or another place than before."""

    number: int
    target_ref: str
    head_sha: str
    asked_by: str  # a login, or empty: the gate
    jump: bool = False
    despite_freeze: bool = False


@dataclass(frozen=True, slots=True)
class LeaveQueue:
    number: int
    target_ref: str
    because: str


@dataclass(frozen=True, slots=True)
class HoldTurn:
    """Before `mergegate/queue` becomes green on this head: from then on nobody else is given the turn."""

    number: int
    head_sha: str


@dataclass(frozen=True, slots=True)
class ReleaseTurn:
    """After `mergegate/queue` was seen not to be green on this commit any more."""

    number: int
    target_ref: str
    sha: str


@dataclass(frozen=True, slots=True)
class MergeNow:
    """Merge exactly this head, whose merge with the target at `target_sha` was tried; it is its turn.

    `title` and `body` are of the commit, None where GitHub makes the message itself.
    """

    number: int
    target_ref: str
    target_sha: str
    expected_head: str
    method: Method
    title: str | None
    body: str | None


@dataclass(frozen=True, slots=True)
class TakeRequeue:
    """Carry out a `/requeue` comment once; `refused` says why it is not."""

    number: int
    comment_id: int
    head_sha: str
    login: str
    jump: bool
    despite_freeze: bool
    refused: str | None


OfQueue = JoinQueue | LeaveQueue | HoldTurn | ReleaseTurn | MergeNow | TakeRequeue
OfOthers = OfPeople | TellSession | StartVerification | AskJudge
Effect = PutCheckRun | CancelCheckRun | Enqueue | Dequeue | PostNotice | OfQueue | OfOthers
