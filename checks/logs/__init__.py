"""Raw job logs: which test runners closed with which counts, and whether that may count as green.

The log is the witness that nobody but the runner wrote, and also the one that the tested code can print into: every
summary counts, not only the last; what is cut, contradictory or unknown is never green. A further runner family is one
module with a `Reader`, the pattern `INTEREST` of the lines that it needs, and one line in `_READERS`.
"""

from __future__ import annotations

import sys

import re2

from checks.logs.decode import Text, clean, decode_log
from checks.logs.go import GoReader
from checks.logs.jest import JestReader
from checks.logs.judge import judge_log
from checks.logs.markers import Marker, marker, starts_step
from checks.logs.pytest import PytestReader
from checks.logs.report import LogReport, Reader, Summary
from checks.logs.unittest import UnittestReader

__all__ = ["LogReport", "Summary", "parse_log"]

_READERS: tuple[type[Reader], ...] = (
    PytestReader,
    UnittestReader,
    GoReader,
    JestReader,
)


_EVERY_LINE = ""


def parse_log(data: bytes) -> LogReport:
    """Read a raw job log of any encoding; never raises, time and memory are linear in the size of `data`."""
    text = decode_log(data)
    readers = [_Listener(family) for family in _READERS]
    markers, steps = _read(text, readers)
    readings = [listener.reader.finish() for listener in readers]
    return judge_log(readings, markers, steps, text.total, text.truncated)


class _Listener:
    """A reader, and the lines that it is given."""

    def __init__(self, family: type[Reader]) -> None:
        self.reader = family()
        self.asked = False  # for the next line
        self.wants = re2.compile(getattr(sys.modules[family.__module__], "INTEREST", _EVERY_LINE)).search


def _read(text: Text, listeners: list[_Listener]) -> tuple[list[Marker], list[int]]:
    markers: list[Marker] = []
    steps: list[int] = []
    for index, raw in enumerate(text.lines):
        for line in clean(raw):
            if line:
                _line(text.number(index), line, listeners, markers, steps)
    for listener in listeners:
        listener.reader.boundary()
    return markers, steps


def _line(number: int, line: str, listeners: list[_Listener], markers: list[Marker], steps: list[int]) -> None:
    if starts_step(line):
        steps.append(number)
        for listener in listeners:
            listener.reader.boundary()
            listener.asked = False
        return
    found = marker(number, line)
    if found:
        markers.append(found)
    for listener in listeners:
        if listener.asked or listener.wants(line):
            listener.asked = bool(listener.reader.feed(number, line))
