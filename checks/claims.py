"""The bundle's words against the facts."""

from __future__ import annotations

from collections.abc import Mapping

from checks.bundle import BundleReading
from checks.finding import Finding
from checks.snapshot import JobLog, Snapshot

# What policy can ask for, as paths into the bundle.
FIELDS: tuple[str, ...] = (
    "head",
    "tree",
    "reason",
    "commands",
    "changed_files",
    "evidence",
    "tests",
    "risk",
    "risk.areas",
    "risk.known",
    "rollback",
    "preview",
    "producer",
)


def check(snapshot: Snapshot, reading: BundleReading, required: tuple[str, ...]) -> tuple[Finding, ...]:
    """Findings `bundle` and `claims.*`. `required` holds names of FIELDS."""
    raise NotImplementedError


def check_given_logs(reading: BundleReading, logs: Mapping[str, JobLog]) -> tuple[Finding, ...]:
    """Logs that somebody handed over, by file name, against the bundle. They never count as proof."""
    raise NotImplementedError
