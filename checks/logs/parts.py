"""Summaries of one part of a build (a module, a suite, a task, an assembly), with others of the build beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from checks.logs.report import Summary


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of one part as `Summary` has them."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0


def part(
    runner: str, line: int, text: str, counts: Counts, doubts: Iterable[str] = (), *, whole: bool = False
) -> Summary:
    """One closing summary. A part in which no test passed says nothing of the others; a `whole` run is red then."""
    reasons = []
    if red := counts.failed + counts.errors:
        reasons.append(f"{red} failed or broke")
    reasons += doubts
    if whole and not counts.passed:
        reasons.append("no test passed")
    return Summary(
        runner=runner,
        line=line,
        text=text.strip()[:300],
        passed=counts.passed,
        failed=counts.failed,
        errors=counts.errors,
        skipped=counts.skipped,
        green=False if reasons else (True if counts.passed else None),
        reasons=tuple(reasons),
    )


def empty(runner: str, line: int, text: str) -> Summary:
    """Tests were asked for, and there were none: that proves nothing, and nothing against others."""
    return part(runner, line, text, Counts())


def broken(runner: str, line: int, text: str, reason: str, errors: int = 1) -> Summary:
    """Something ended, or never began, without a test's own result: `errors` counts what broke."""
    return Summary(runner, line, text.strip()[:300], 0, 0, errors, 0, green=False, reasons=(reason,))


def unfinished(runner: str, line: int, reason: str) -> Summary:
    """Something began and never closed."""
    return broken(runner, line, "", reason, errors=0)


def not_green(summary: Summary, reason: str) -> Summary:
    """The same summary, which is not believed for a further reason."""
    return replace(summary, green=False, reasons=(*summary.reasons, reason))
