"""Everything the gate may do to GitHub, as frozen data. Planned in `plan`, performed in `apply`, compared in tests."""

from __future__ import annotations

from dataclasses import dataclass

from policies.explain import Output
from policies.verdict import VerificationOrder

EVIDENCE = "mergegate/evidence"
REVIEW = "mergegate/review"
OBSERVE = "mergegate/observe"
NAMES = (EVIDENCE, REVIEW, OBSERVE)
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


Effect = PutCheckRun | CancelCheckRun | Enqueue | Dequeue | PostNotice | StartVerification
