"""Policy applied to findings: a tree with reasons, and the table that folds five statuses into one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from checks.accounts import Override
from checks.finding import Finding, Status
from checks.snapshot import Risk

Kind = Literal["agent", "person", "outsider", "dependency-bot"]
Mode = Literal["enforce", "observe"]
Run = Literal["evidence", "review", "observe"]  # the check run `mergegate/…`

# The first status that is present wins; the orders are total, so that the order of the children never matters.
#
# All: a failure stays one, whatever else arrives, so it is told first. Errored comes before pending because somebody
# must look again by themselves, while pending may wait for news that never comes.
#
# Any: one passed alternative is enough. Pending comes before errored because an open alternative can still be met by
# its people, and an unreadable one must not turn into a failure over their heads after its time limit.
#
# Skipped does not apply and so says nothing, but where nothing else was said it is not a pass either.
_ALL = (Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED, Status.SKIPPED)
_ANY = (Status.PASSED, Status.PENDING, Status.ERRORED, Status.FAILED, Status.SKIPPED)


def fold_all(statuses: Iterable[Status]) -> Status:
    """All that apply must pass. Nothing at all is failed; only skipped is skipped."""
    return _first_present(_ALL, statuses)


def fold_any(statuses: Iterable[Status]) -> Status:
    """One that passes is enough. Nothing at all is failed; only skipped is skipped."""
    return _first_present(_ANY, statuses)


def fold_at_least(count: int, statuses: Iterable[Status]) -> Status:
    """At least `count` must pass: pending or errored while that can still happen, else failed.

    Fewer than one asks for nothing and is failed, for the reason that an empty `all` is.
    """
    seen = tuple(statuses)
    if count < 1 or not seen:
        return Status.FAILED
    if set(seen) == {Status.SKIPPED}:
        return Status.SKIPPED
    reachable = 0
    for status in (Status.PASSED, Status.PENDING, Status.ERRORED):
        reachable += seen.count(status)
        if reachable >= count:
            return status
    return Status.FAILED


def _first_present(order: tuple[Status, ...], statuses: Iterable[Status]) -> Status:
    seen = set(statuses)
    return next((status for status in order if status in seen), Status.FAILED)


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the result tree. A leaf carries the finding that it shows."""

    name: str
    status: Status
    reason: str
    children: tuple[Node, ...] = ()
    finding: Finding | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of this node and everything below it, in the order shown."""
        return tuple(_findings(self))


def _findings(node: Node) -> Iterator[Finding]:
    if node.finding is not None:
        yield node.finding
    for child in node.children:
        yield from _findings(child)


@dataclass(frozen=True, slots=True)
class VerificationOrder:
    """Verifier runs that should be started now, `count` of them, and what each is told.

    `restored` are paths of test infrastructure that its second job takes from the target branch, `new_tests` those of
    tests that its third job adds to it. `digest` stands for everything but the count.
    """

    count: int
    workflow: str
    image: str
    setup: tuple[str, ...]
    commands: tuple[str, ...]
    network: bool
    restored: tuple[str, ...]
    new_tests: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        told = {name: value for name, value in asdict(self).items() if name != "count"}
        return "sha256:" + hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class JudgeOrder:
    """A judge that should be asked now, unless the day of UTC has so many calls or US dollars of judges already."""

    judge: str
    calls: int
    cost: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Tests as raw logs count them; None where a log does not tell."""

    passed: int | None
    failed: int | None
    errors: int | None
    skipped: int | None
    flaky: int = 0


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A workflow run that counted. `logs` and `reports` are names of jobs and artifacts, each with its `sha256:…`."""

    url: str | None
    attempt: int
    succeeded: bool
    counts: Counts | None = None  # None: no log of it shows a test runner
    logs: tuple[tuple[str, str], ...] = ()
    reports: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """What was judged beside the head's commit. `files` are paths of workflow files that ran, with their blobs."""

    repository: str  # full name
    tree: str | None
    files: tuple[tuple[str, str], ...] = ()
    runs: tuple[JudgedRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """So many more approvals by some of these: `@login` or `organisation/team`."""

    count: int
    reviewers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy says about a pull request at one head SHA.

    `evidence` and `review` are never skipped when `gated` is true; a pull request on a branch that is not gated has
    two skipped nodes, and nothing is posted about it. `needed` names who is still asked for, as `@login` or
    `@owner/team` without being escaped. `approved_by` are logins whose approval counts. `code` stands for the key in
    the command `/approve`, while somebody is asked for.
    """

    head_sha: str
    target_ref: str
    policy_digest: str
    bundle_digest: str | None
    ticket_digest: str | None
    kind: Kind
    mode: Mode
    gated: bool
    risk: Risk
    areas: tuple[str, ...]
    evidence: Node
    review: Node
    needed: tuple[str, ...] = ()
    approved_by: tuple[str, ...] = ()
    may_enqueue: bool = False  # the policy allows it and both checks passed; probation is counted by the app
    orders: tuple[VerificationOrder, ...] = ()  # one for each that the policy, or the server's baseline, misses runs of
    judges: tuple[JudgeOrder, ...] = ()  # to be asked now
    override_by: str = ""  # whom the policy lets override it, in words; empty: nobody
    overridden_by: Override | None = None  # a person let it through in spite of its findings
    subject: Subject | None = None  # None: nothing was judged, or it was recorded before there was one
    code: str | None = None
    asks: tuple[Ask, ...] = ()  # whose reviews are needed by name, beside whoever has a permission
    reads_code: tuple[str, ...] = ()  # areas because of which whoever approves must review the code

    @property
    def key(self) -> str:
        """The check runs' `external_id`: equal exactly when the same things were judged."""
        parts = (self.head_sha, self.target_ref, self.policy_digest, self.bundle_digest, self.ticket_digest)
        return "mg1:" + hashlib.sha256("\0".join(part or "" for part in parts).encode()).hexdigest()

    @property
    def status(self) -> Status:
        """Both check runs as one: passed, failed, pending or errored. Where nothing was judged it is failed."""
        return settled(fold_all((self.evidence.status, self.review.status)))

    def root(self, run: Run) -> Node:
        """The tree that a check run shows; `observe` shows both."""
        if run == "evidence":
            return self.evidence
        if run == "review":
            return self.review
        reason = next(node.reason for node in (self.evidence, self.review) if settled(node.status) is self.status)
        return Node("observe", self.status, reason, self.evidence.children + self.review.children)

    @property
    def needs_person(self) -> bool:
        """Whether something waits that only a person can settle."""
        if self.overridden_by is not None:
            return False
        return any(finding.needs_person and finding.status is Status.PENDING for finding in self.findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.evidence.findings + self.review.findings


@dataclass(frozen=True, slots=True)
class GroupVerdict:
    """What the gate says about a merge group at its head SHA."""

    head_sha: str
    target_ref: str
    evidence: Node
    review: Node

    @property
    def key(self) -> str:
        """The check runs' `external_id`."""
        return "mg1:" + hashlib.sha256(f"{self.head_sha}\0{self.target_ref}".encode()).hexdigest()


def settled(status: Status) -> Status:
    """The status of a required check: one that was never applied to anything has not passed."""
    return Status.FAILED if status is Status.SKIPPED else status
