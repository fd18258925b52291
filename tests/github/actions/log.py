"""Job logs in the raw form that GitHub's job log route sends.

The form was read off real logs (shared/logs, job logs of public runs): a byte order mark, then one line per output
line, each with a UTC time of seven decimals; groups, commands and errors are lines that start with `##[...]`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAXIMUM_BYTES = 64 * 1024 * 1024

# Workflow commands that the runner turns into log markers:
# https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
_COMMANDS = ("group", "endgroup", "error", "warning", "notice", "debug")


def timestamp(offset: timedelta = timedelta(0)) -> str:
    """Now, moved by `offset`, as GitHub writes it in logs: 2026-07-29T10:01:29.7698302Z."""
    nanoseconds = time.time_ns()
    moment = datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC) + offset
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{nanoseconds % 1_000_000_000 // 100:07d}Z"


def shown(line: str) -> str:
    """An output line as the runner logs it: `::error file=x::text` becomes `##[error]text`, the rest stays as it is."""
    if not line.startswith("::"):
        return line
    command, separator, text = line[2:].partition("::")
    name = command.split(" ", 1)[0]
    if not separator or name not in _COMMANDS:
        return line
    return f"##[{name}]{text}"


@dataclass
class JobLog:
    """Collects the lines of one job, step by step; step numbers are GitHub's (1 is "Set up job")."""

    clock: Callable[[], str] = timestamp
    sections: dict[int, bytearray] = field(default_factory=dict)
    size: int = 0

    def write(self, step: int, text: str) -> None:
        """Add `text`, which may hold several lines, each becoming a line with its own time."""
        for line in text.split("\n"):
            self._append(step, line)

    def output(self, step: int, line: str) -> None:
        """Add one line that a program printed."""
        self._append(step, shown(line))

    def group(self, step: int, title: str, lines: list[str]) -> None:
        self.write(step, f"##[group]{title}")
        for line in lines:
            self.write(step, line)
        self.write(step, "##[endgroup]")

    def error(self, step: int, text: str) -> None:
        self.write(step, f"##[error]{text}")

    def step(self, number: int) -> bytes:
        return BYTE_ORDER_MARK + bytes(self.sections.get(number, b""))

    def job(self) -> bytes:
        return BYTE_ORDER_MARK + b"".join(bytes(self.sections[number]) for number in sorted(self.sections))

    def _append(self, step: int, line: str) -> None:
        if self.size > MAXIMUM_BYTES:
            return
        data = f"{self.clock()} {line}\n".encode("utf-8", "surrogateescape")
        self.sections.setdefault(step, bytearray()).extend(data)
        self.size += len(data)
