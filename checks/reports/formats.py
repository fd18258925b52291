"""Which format a file is of, by its content alone: a file's name is whatever the job called it."""

from __future__ import annotations

from checks.reports.ctrf import is_ctrf, read_ctrf
from checks.reports.elements import Elements, read_elements
from checks.reports.go_json import is_go_json, read_go_json
from checks.reports.junit import SUITES, JUnit
from checks.reports.report import ReportFault, TestReport, short
from checks.reports.strict_json import read_json
from checks.reports.trx import ROOT, Trx
from checks.unread import Unread

LARGEST = 16 * 1024**2  # bytes of one file
_UTF8_MARK, _UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")


class _OtherKind(ReportFault):
    """XML or JSON of some other kind."""


def read_report(name: str, data: bytes) -> TestReport | Unread | None:
    """Recount one report. Never raises for what the file holds; `name` is shown only.

    None for XML or JSON of another kind: a pattern may name a coverage file too, or a format that is not known here.
    That is no less than a report left out, which an attacker could do as well.
    """
    if len(data) > LARGEST:
        return Unread(f"the report {name} is {len(data)} bytes, more than {LARGEST} are not read")
    try:
        return _read(name, data.removeprefix(_UTF8_MARK))
    except _OtherKind:
        return None
    except ReportFault as fault:
        return Unread(short(f"the report {name} could not be read: {fault}"))


def _read(name: str, data: bytes) -> TestReport:
    start = data.lstrip()[:1]
    if start == b"<" or data.startswith(_UTF16_MARKS):
        return _xml(name, data.lstrip())
    if start == b"{":
        return _json(name, data)
    raise ReportFault("it is neither XML nor JSON" if start else "it is empty")


def _xml(name: str, data: bytes) -> TestReport:
    chosen: list[JUnit | Trx] = []

    def begin(tag: str) -> Elements:
        if tag not in (*SUITES, ROOT):
            raise _OtherKind
        chosen.append(Trx() if tag == ROOT else JUnit())
        return chosen[0]

    read_elements(data, begin)
    return chosen[0].report(name)


def _json(name: str, data: bytes) -> TestReport:
    """A stream of events, one a line, or one document."""
    first, _, rest = data.strip().partition(b"\n")
    if rest and _is_event(first):
        return read_go_json(name, data)
    value = read_json(data)
    if is_ctrf(value):
        return read_ctrf(name, value)
    if is_go_json(value):
        return read_go_json(name, data)
    raise _OtherKind


def _is_event(line: bytes) -> bool:
    try:
        return is_go_json(read_json(line))
    except ReportFault:
        return False
