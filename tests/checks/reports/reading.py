"""A report in one line, for tables."""

from __future__ import annotations

from checks.reports.formats import read_report
from checks.reports.report import TestReport
from checks.unread import Unread

Counts = tuple[int, int, int, int]


def report_of(data: str | bytes, name: str = "r") -> TestReport:
    read = read_report(name, data.encode() if isinstance(data, str) else data)
    assert isinstance(read, TestReport), read
    return read


def counts_of(data: str | bytes) -> Counts:
    """Passed, failed, errors, skipped."""
    read = report_of(data)
    return read.passed, read.failed, read.errors, read.skipped


def refused(data: str | bytes) -> str:
    """Why the report `r` could not be read."""
    read = read_report("r", data.encode() if isinstance(data, str) else data)
    assert isinstance(read, Unread), read
    assert not read.offline
    return read.because.removeprefix("the report r could not be read: ")
