"""The fold: readings of all runners and the markers around them become one report."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from checks.logs.markers import Marker
from checks.logs.report import LogReport, Reading, Summary

# How a runner that counts nothing by itself is made to:
# https://pkg.go.dev/cmd/go#hdr-Test_packages,
# https://docs.gradle.org/current/dsl/org.gradle.api.tasks.testing.logging.TestLoggingContainer.html
_HINTS = {
    "go test": "it needs -v or -json",
    "gradle": "it needs testLogging with the events passed, skipped and failed in the build script",
}


def judge_log(
    readings: Sequence[Reading], markers: Sequence[Marker], steps: Sequence[int], lines: int, truncated: bool
) -> LogReport:
    """Fold the readings. `steps` holds the first line of every step after the first, rising.

    Green needs a summary that is green, none that is red, every run closed, known counts, and no marker of failure:
    none of the CI system itself anywhere in the log, no other one after a summary within its step.
    """
    closed = sorted((one for reading in readings for one in reading.summaries), key=lambda one: one.line)
    summaries = tuple(_marked(summary, markers, steps) for summary in closed)
    unfinished = [one for reading in readings for one in reading.unfinished]
    reds = [f"line {red.line}: {red.reason}" for reading in readings for red in reading.reds]
    reds += [f"line {one.line}: {one.text[:200]}" for one in markers if one.ending]
    reds += [
        f"line {one.line}: {reason}"
        for one in (*summaries, *unfinished)
        if one.green is False
        for reason in one.reasons
    ]
    counted = [*(one for one in summaries if one.counted), *unfinished]
    unknowns = _unknowns(summaries, counted, truncated)
    return LogReport(
        runner=_runner([*summaries, *unfinished]),
        passed=_total(one.passed for one in counted),
        failed=_total(one.failed for one in counted),
        errors=_total(one.errors for one in counted),
        skipped=_total(one.skipped for one in counted),
        complete=bool(summaries) and not unfinished and not truncated,
        green=_green(reds, unknowns, summaries),
        summaries=summaries,
        lines=lines,
        truncated=truncated,
        reasons=(*reds, *unknowns),
    )


def _green(reds: list[str], unknowns: list[str], summaries: tuple[Summary, ...]) -> bool | None:
    if reds:
        return False
    if any(one.green for one in summaries):
        return None if unknowns else True
    return None if any(one.passed is None for one in summaries) or not summaries else False


def _unknowns(summaries: tuple[Summary, ...], counted: list[Summary], truncated: bool) -> list[str]:
    unknowns = []
    if truncated:
        unknowns.append("the log is too large, only its beginning was read")
    if not summaries:
        unknowns.append("no summary of a known test runner was found")
    elif silent := [*(one for one in summaries if one.silent), *(one for one in counted if one.passed is None)]:
        unknowns.append(_without_counts(silent[0].runner))
    elif all(one.green is None for one in summaries):
        unknowns.append("no package of the log has tests")
    return unknowns


def _without_counts(runner: str) -> str:
    hint = _HINTS.get(runner)
    return f"{runner} printed no number of passed tests{f' ({hint})' if hint else ''}"


def _marked(summary: Summary, markers: Sequence[Marker], steps: Sequence[int]) -> Summary:
    """The summary, not green any more if something failed after it within its step."""
    next_step = bisect_right(steps, summary.line)
    end = steps[next_step] if next_step < len(steps) else None
    after = bisect_right(markers, summary.line, key=lambda one: one.line)
    if after == len(markers) or (end is not None and markers[after].line >= end):
        return summary
    reason = f"after it, line {markers[after].line}: {markers[after].text[:200]}"
    return replace(summary, green=False, reasons=(*summary.reasons, reason))


def _runner(runs: list[Summary]) -> str | None:
    """The runners in the order of their first lines, or None if there was none."""
    names = dict.fromkeys(one.runner for one in sorted(runs, key=lambda one: one.line))
    return ", ".join(names) or None


def _total(counts: Iterable[int | None]) -> int | None:
    """The sum, None if there is nothing to add or one of the counts is unknown."""
    known = list(counts)
    if not known or None in known:
        return None
    return sum(count for count in known if count is not None)
