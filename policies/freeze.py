"""Freezes: times and open issues while which nothing is merged. The time is a value; zones are those of the policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from policies.escape import clean
from policies.queue_section import Freeze, Window, zone_of

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class FreezingIssue:
    """An open issue with the policy's freeze label."""

    number: int
    title: str


@dataclass(frozen=True, slots=True)
class Frozen:
    """`reason` is a sentence. `until` is in the window's zone; None while an issue is open."""

    reason: str
    until: datetime | None = None


def frozen(freeze: Freeze, now: datetime, issues: Sequence[FreezingIssue] = ()) -> Frozen | None:
    """What freezes merging at `now`: an issue first, because only a person ends it; else the window that ends last."""
    if issues:
        first = min(issues, key=lambda issue: issue.number)
        return Frozen(f"Merging is frozen while issue #{first.number} is open: {clean(first.title, 80)}.")
    ends = [(end, window) for window in freeze.windows if (end := window_end(window, now)) is not None]
    if not ends:
        return None
    until, window = max(ends, key=lambda each: each[0])
    return Frozen(f"Merging is frozen until {until:%a %Y-%m-%d %H:%M} {window.zone}: {window.reason}.", until)


def window_end(window: Window, now: datetime) -> datetime | None:
    """When the window ends that `now` lies in; None outside of it. Clocks that are set forward or back count as shown.

    A weekly window is looked at by the local clock, so that it keeps its hours over a change to summer time.
    """
    zone = zone_of(window.zone)
    local = now.astimezone(zone)
    if window.is_once:
        start, end = (datetime.fromisoformat(each).replace(tzinfo=zone) for each in (window.starts, window.ends))
        return end if start <= now < end else None
    minute, start_minute, end_minute = _minute_of_week(local), _weekly(window.starts), _weekly(window.ends)
    inside = start_minute <= minute < end_minute
    if start_minute > end_minute:  # over the end of the week
        inside = minute >= start_minute or minute < end_minute
    if not inside:
        return None
    days = (end_minute // 1440 - local.weekday()) % 7
    if days == 0 and end_minute <= minute:
        days = 7
    at = time(end_minute % 1440 // 60, end_minute % 60, tzinfo=zone)
    return datetime.combine(local.date() + timedelta(days=days), at)


def _minute_of_week(local: datetime) -> int:
    return local.weekday() * 1440 + local.hour * 60 + local.minute


def _weekly(stamp: str) -> int:
    day, _, clock = stamp.partition(" ")
    hours, _, minutes = clock.partition(":")
    return _DAYS.index(day) * 1440 + int(hours) * 60 + int(minutes)
