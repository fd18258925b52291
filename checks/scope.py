"""Whether the change stays within its ticket, and whether the whole of it was seen."""

from __future__ import annotations

from checks.finding import Finding
from checks.snapshot import Snapshot


def check(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Findings `scope` (skipped without a ticket) and `scope.complete`."""
    raise NotImplementedError
