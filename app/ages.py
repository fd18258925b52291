"""Ages in words, as commands and pages show them."""

from __future__ import annotations

from datetime import timedelta

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def ago(age: timedelta) -> str:
    """An age in its largest unit, for example `3 hours`."""
    seconds = max(round(age.total_seconds()), 0)
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), _UNITS[-1])
    count = seconds // size
    return f"{count} {unit}{'' if count == 1 else 's'}"
