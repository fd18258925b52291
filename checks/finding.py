"""One check's answer: a status, a reason that a stranger can act on, what was looked at, and the next step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The five answers. Only `errored` means that it could not be looked at."""

    PASSED = "passed"
    FAILED = "failed"  # looked, and it is bad
    PENDING = "pending"  # looked, not there yet
    ERRORED = "errored"  # could not look
    SKIPPED = "skipped"  # does not apply


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a finding looked at: an API object, a line range, a digest.

    `url` is an https address of GitHub or None; `digest` is `sha256:…` or a git object id.
    """

    label: str
    url: str | None = None
    path: str | None = None
    start_line: int | None = None  # 1-based, in `path`
    end_line: int | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """The next step, for the agent. `action` is a stable word that a program can branch on."""

    action: str  # for example "add-bundle-field", "push", "wait", "ask-person", "repair-policy"
    text: str
    field: str | None = None  # bundle or policy field, for example "rollback.strategy"


@dataclass(frozen=True, slots=True)
class Finding:
    check: str  # stable name: "bundle", "claims.files", "ci", "logs", "scope", "risk", "rollback", "review", …
    status: Status
    reason: str  # one sentence; may quote hostile text, which `explain` escapes
    evidence: tuple[Evidence, ...] = ()
    fix: Fix | None = None
    needs_person: bool = False  # only a person can settle it; shown in mergegate/review


def passed(check: str, reason: str, *evidence: Evidence) -> Finding:
    return Finding(check, Status.PASSED, reason, evidence)


def failed(check: str, reason: str, *evidence: Evidence, fix: Fix) -> Finding:
    return Finding(check, Status.FAILED, reason, evidence, fix)


def pending(check: str, reason: str, *evidence: Evidence, fix: Fix) -> Finding:
    return Finding(check, Status.PENDING, reason, evidence, fix)


def errored(check: str, reason: str, *evidence: Evidence, fix: Fix) -> Finding:
    return Finding(check, Status.ERRORED, reason, evidence, fix)


def skipped(check: str, reason: str, *evidence: Evidence) -> Finding:
    return Finding(check, Status.SKIPPED, reason, evidence)


def needs_person(check: str, reason: str, *evidence: Evidence, fix: Fix) -> Finding:
    """Pending until an eligible person approves."""
    return Finding(check, Status.PENDING, reason, evidence, fix, needs_person=True)
