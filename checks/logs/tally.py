"""The counts of one run, and the summary made of them: what runners that name their totals have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checks.logs.report import Summary


@dataclass(slots=True)
class Tally:
    """Counts of one run as `Summary` has them; None where the runner prints none."""

    passed: int | None = 0
    failed: int = 0
    errors: int = 0
    skipped: int | None = 0
    flaky: int = 0
    xfailed: int = 0
    deselected: int = 0


def closing(
    runner: str, line: int, text: str, tally: Tally, doubts: Iterable[str] = (), *, interrupted: bool = False
) -> Summary:
    """A closing summary; green if nothing failed, something passed and there is no doubt."""
    reasons = []
    if tally.failed:
        reasons.append(f"{tally.failed} failed")
    if tally.errors:
        reasons.append(f"{tally.errors} broke outside the tests")
    reasons += doubts
    if not tally.passed:
        reasons.append("no test passed")
    return _summary(runner, line, text, tally, reasons, interrupted)


def unfinished(runner: str, line: int, tally: Tally, reason: str) -> Summary:
    """A run that began and never closed, with what it had counted until then."""
    return _summary(runner, line, "", tally, [reason], interrupted=False)


def _summary(runner: str, line: int, text: str, tally: Tally, reasons: list[str], interrupted: bool) -> Summary:
    return Summary(
        runner=runner,
        line=line,
        text=text[:300],
        passed=tally.passed,
        failed=tally.failed,
        errors=tally.errors,
        skipped=tally.skipped,
        green=not reasons,
        reasons=tuple(reasons),
        interrupted=interrupted,
        flaky=tally.flaky,
        xfailed=tally.xfailed,
        deselected=tally.deselected,
    )
