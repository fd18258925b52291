"""Ages in words, as commands and pages show them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from policies.tickets.words import Language

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


_NAMES: Mapping[Language, Mapping[str, str]] = {
    "en": {},
    "ja": {"day": "日", "hour": "時間", "minute": "分", "second": "秒"},
    "zh": {"day": "天", "hour": "小时", "minute": "分钟", "second": "秒"},
}


def ago(age: timedelta, language: Language = "en") -> str:
    """An age in its largest unit, for example `3 hours`."""
    seconds = max(round(age.total_seconds()), 0)
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), _UNITS[-1])
    count, name = seconds // size, _NAMES[language].get(unit)
    return f"{count} {name}" if name is not None else f"{count} {unit}{'' if count == 1 else 's'}"
