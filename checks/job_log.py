"""What the gate reads of one job's raw log: test summaries, commands, and which commits were checked out."""

from __future__ import annotations

from dataclasses import replace

import re2

from checks.logs import LogReport, parse_log
from checks.logs.decode import clean, decode_log
from checks.snapshot import JobLog

MOST_COMMANDS = 500
LONGEST_COMMAND = 500
MOST_SUMMARIES = 200  # the last ones
MOST_REASONS = 50

_RUN = "##[group]Run "
# Printed by actions/checkout for a pull_request run: the test merge's subject names both parents.
_CHECKED_OUT = re2.compile(r"^HEAD is now at [0-9a-f]{7,64} Merge ([0-9a-f]{40,64}) into ([0-9a-f]{40,64})$")


def read_job_log(data: bytes, digest: str) -> JobLog:
    """Read a raw job log; `digest` is `sha256:…` of `data`.

    Headings and checkout lines are text that a program can print as well. Only the first checkout line counts,
    because a job checks out before it runs anything of the pull request.
    """
    commands: list[str] = []
    checked_out: tuple[str, str] | None = None
    for line in _pieces(data):
        if line.startswith(_RUN) and len(commands) < MOST_COMMANDS:
            commands.append(line.removeprefix(_RUN).strip()[:LONGEST_COMMAND])
        elif checked_out is None and (found := _CHECKED_OUT.match(line)):
            checked_out = (found.group(1), found.group(2))
    return JobLog(_shortened(parse_log(data)), digest, len(data), tuple(commands), checked_out)


def _shortened(report: LogReport) -> LogReport:
    """What was found was judged as a whole; a log of nothing but summaries must not be carried along as a whole."""
    return replace(report, summaries=report.summaries[-MOST_SUMMARIES:], reasons=report.reasons[:MOST_REASONS])


def _pieces(data: bytes) -> list[str]:
    return [piece for line in decode_log(data).lines for piece in clean(line)]
