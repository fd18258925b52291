"""`mergegate parse-log`: what a raw job log says about its tests."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

import typer

from app.cli.files import read_chunks, shown
from app.cli.printing import Style, print_json, print_line, progress
from app.gate.log_process import parse_log_stream
from app.local.clone import CannotLook
from checks.logs.decode import MAX_BYTES as LIMIT
from checks.logs.report import LogReport
from checks.unread import Unread
from policies.escape import clean

_WORDS: dict[bool | None, tuple[str, Style]] = {
    True: ("green", "green"),
    False: ("red", "bold red"),
    None: ("unknown", "yellow"),
}


def parse_log(
    file: Annotated[str, typer.Argument(help="A raw job log; `-` reads standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read a raw job log and say which tests ran. Exit code 0: it could be read; 2: it could not."""
    report = _report(file)
    if as_json:
        print_json(report_record(report))
        return
    _print_report(report)


def _report(file: str) -> LogReport:
    with progress("Reading the log"):
        log = asyncio.run(parse_log_stream(read_chunks(file, LIMIT)))
    if isinstance(log, Unread):
        raise CannotLook(f"{shown(file)}: {log.because}. Give the raw log of a single job.")
    return log.report


def report_record(report: LogReport) -> dict[str, Any]:
    """The object that the command prints; `green` is null for "unknown"."""
    return {
        "runner": report.runner,
        "passed": report.passed,
        "failed": report.failed,
        "errors": report.errors,
        "skipped": report.skipped,
        "complete": report.complete,
        "green": report.green,
        "summaries": [asdict(summary) for summary in report.summaries],
    }


def _print_report(report: LogReport) -> None:
    word, style = _WORDS[report.green]
    print_line(f"{word}: {_counts(report)}", style)
    print_line(f"Runner: {report.runner or 'none that is known'}")
    if not report.complete:
        print_line("Incomplete: not every test run closed with a summary that was read.")
    for summary in report.summaries:
        print_line(f"Line {summary.line}: {clean(summary.text, 200)}")
    for reason in report.reasons[:20]:
        print_line(f"Because {clean(reason, 400)}")


def _counts(report: LogReport) -> str:
    counts = {"passed": report.passed, "failed": report.failed, "errors": report.errors, "skipped": report.skipped}
    return ", ".join(f"{'?' if count is None else count} {name}" for name, count in counts.items())
