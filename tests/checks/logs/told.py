"""A log told by its lines, and what was read of it in short."""

from __future__ import annotations

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Summary

GROUP = "##[group]Run npm test"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport | Summary) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def only(*lines: str) -> Summary:
    """The one summary of a log that has no unfinished run."""
    found = report(*lines)
    assert found.complete, found.reasons
    (one,) = found.summaries
    assert 1 <= one.line <= len(lines)
    return one
