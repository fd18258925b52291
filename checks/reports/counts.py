"""Totals that a report states about itself. They are never taken over, only compared with the cases."""

from __future__ import annotations

from checks.reports.report import ReportFault

LONGEST = 18  # digits


def stated(value: str | None, what: str) -> int | None:
    """A stated total; None where none is stated in digits. Raises ReportFault for a negative one."""
    text = (value or "").strip()
    if text.startswith("-") and text[1:].isdecimal():
        raise ReportFault(f"it states {text[:LONGEST]} {what}, which is impossible")
    return int(text) if text.isdecimal() and len(text) <= LONGEST else None
