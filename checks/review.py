"""Which approvals of people count for this head, and what is still needed."""

from __future__ import annotations

from dataclasses import dataclass

from checks.finding import Finding
from checks.people import Classification
from checks.snapshot import Permission, Snapshot


@dataclass(frozen=True, slots=True)
class ReviewRequirement:
    """How many approvals are needed, and whose count.

    Being named in `users` or `teams`, or having at least `permission` (None: nobody by permission), makes a person
    eligible; an eligible person needs write permission on the repository in any case. `bundle_digest` is that of the
    bundle as it is now (`read_bundle(snapshot).digest`); the ticket's comes from the snapshot.
    """

    approvals: int
    classification: Classification
    bundle_digest: str | None
    permission: Permission | None = Permission.WRITE
    users: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    allow_operator: bool = False


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """`counted` are logins whose approval counts, also where none is needed; `discounted` says why others do not."""

    findings: tuple[Finding, ...]
    counted: tuple[str, ...]
    discounted: tuple[tuple[str, str], ...]


def check(snapshot: Snapshot, requirement: ReviewRequirement) -> ReviewResult:
    raise NotImplementedError
