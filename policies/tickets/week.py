"""A week as ISO 8601 numbers them: Monday 00:00 to the next Monday 00:00 in a zone, whatever its clocks do between."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

_WEEK = re.compile(r"([0-9]{4})-W([0-9]{2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Week:
    """Begins on `monday` at 00:00 in `zone`."""

    monday: date
    zone: tzinfo

    @property
    def begins(self) -> datetime:
        """In UTC, so that lengths are real ones where the zone's clocks are put forward or back."""
        return datetime.combine(self.monday, time(), self.zone).astimezone(UTC)

    @property
    def ends(self) -> datetime:
        """The first moment after it."""
        return self.before(-1).begins

    @property
    def name(self) -> str:
        """`2026-W48`."""
        year, number, _ = self.monday.isocalendar()
        return f"{year:04}-W{number:02}"

    def before(self, weeks: int) -> Week:
        """The week that was so many weeks earlier."""
        return Week(self.monday - timedelta(weeks=weeks), self.zone)

    def holds(self, moment: datetime) -> bool:
        return self.begins <= moment < self.ends


def week_of(moment: datetime, zone: tzinfo) -> Week:
    """The week of an aware time."""
    day = moment.astimezone(zone).date()
    return Week(day - timedelta(days=day.weekday()), zone)


def read_week(written: str, zone: tzinfo) -> Week:
    """`2026-W48`. Raises ValueError with what was expected; years 1970 to 9000, so that nothing runs over."""
    found = _WEEK.fullmatch(written)
    if found is None or not 1970 <= int(found.group(1)) <= 9000:
        raise ValueError("A week is written as year and number, like 2026-W48.")
    try:
        return Week(date.fromisocalendar(int(found.group(1)), int(found.group(2)), 1), zone)
    except ValueError:
        raise ValueError(f"{found.group(1)} has no week {found.group(2)}.") from None
