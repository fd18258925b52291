"""Raw job logs: which test runners closed with which counts, and whether that may count as green.

The log is the witness that nobody but the runner wrote, and also the one that the tested code can print into: every
summary counts, not only the last; what is cut, contradictory or unknown is never green. A further runner family is one
module with a `Reader` and one line in `_READERS`.
"""

from __future__ import annotations

from collections.abc import Callable

from checks.logs.decode import Text, clean, decode_log
from checks.logs.go import GoReader
from checks.logs.jest import JestReader
from checks.logs.judge import judge_log
from checks.logs.markers import Marker, marker, starts_step
from checks.logs.pytest import PytestReader
from checks.logs.report import LogReport, Reader, Summary
from checks.logs.unittest import UnittestReader

__all__ = ["LogReport", "Summary", "parse_log"]

_READERS: tuple[Callable[[], Reader], ...] = (
    PytestReader,
    UnittestReader,
    GoReader,
    JestReader,
)


def parse_log(data: bytes) -> LogReport:
    """Read a raw job log of any encoding; never raises, time and memory are linear in the size of `data`."""
    text = decode_log(data)
    readers = [make() for make in _READERS]
    markers, steps = _read(text, readers)
    return judge_log([reader.finish() for reader in readers], markers, steps, text.total, text.truncated)


def _read(text: Text, readers: list[Reader]) -> tuple[list[Marker], list[int]]:
    markers: list[Marker] = []
    steps: list[int] = []
    for index, raw in enumerate(text.lines):
        for line in clean(raw):
            if line:
                _line(text.number(index), line, readers, markers, steps)
    for reader in readers:
        reader.boundary()
    return markers, steps


def _line(number: int, line: str, readers: list[Reader], markers: list[Marker], steps: list[int]) -> None:
    if starts_step(line):
        steps.append(number)
        for reader in readers:
            reader.boundary()
        return
    found = marker(number, line)
    if found:
        markers.append(found)
    for reader in readers:
        reader.feed(number, line)
