"""The day of UTC, by which limits, costs and counts of a day go."""

from __future__ import annotations

from datetime import UTC, datetime


def day_begun(moment: datetime) -> datetime:
    """When the day of an aware time began."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
