"""A number over some weeks as bars: where each stands in a picture of fixed size. Pure; a template draws it.

Lengths are in the picture's own units, the origin is at its upper left, as SVG has it (https://www.w3.org/TR/SVG2/).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policies.tickets.metrics import Metrics
from policies.tickets.report import Row, rows
from policies.tickets.words import Language

WIDTH, HEIGHT = 320, 72
TOP, GAP = 4, 4
LEAST = 1  # height of a bar that is not nothing
PARTS = {"reruns_": "rerun_rate", "escalations_": "escalation_rate"}


@dataclass(frozen=True, slots=True)
class Bar:
    """A week's value. `height` is None where there is none: nothing was counted, or nobody recorded it."""

    week: str
    shown: str
    x: float
    y: float
    width: float
    height: float | None


@dataclass(frozen=True, slots=True)
class Plot:
    """One number; the newest week is the last bar. `most` is the value at the top of the picture, as people read it."""

    key: str
    words: str
    shown: str
    most: str
    bars: tuple[Bar, ...]

    @property
    def empty(self) -> bool:
        """Whether no week has a value."""
        return all(bar.height is None for bar in self.bars)

    @property
    def told(self) -> str:
        """The same for who cannot see it."""
        return "; ".join(f"{bar.week}: {bar.shown}" for bar in self.bars)


def plots(weeks: Sequence[Metrics], language: Language = "en") -> tuple[Plot, ...]:
    """Every number that any of the weeks has, in the report's order. The weeks come oldest first."""
    found = [{row.key: row for row in rows(week)} for week in weeks]
    kinds: dict[str, Row] = {}
    for table in reversed(found):
        kinds = kinds | {key: row for key, row in table.items() if key not in kinds}
    named = [(week.week, table) for week, table in zip(weeks, found, strict=True)]
    order = list(kinds)
    ordered = sorted(kinds.values(), key=lambda kind: order.index(_parent(kind.key)))
    return tuple(_plot(kind, [(name, _of(table, kind)) for name, table in named], language) for kind in ordered)


def _parent(key: str) -> str:
    """The number that a cause's count is a part of."""
    return next((whole for part, whole in PARTS.items() if key.startswith(part)), key)


def _of(table: Mapping[str, Row], kind: Row) -> Row:
    """A cause that a week does not name did not happen in it."""
    return table.get(kind.key) or Row(kind.key, kind.words, kind.unit, 0)


def _plot(kind: Row, found: Sequence[tuple[str, Row]], language: Language) -> Plot:
    most = ceiling(max((row.value or 0.0 for _, row in found), default=0.0))
    pitch = WIDTH / len(found)
    drawn = [(week, row.value, row.shown_in(language)) for week, row in found]
    bars = tuple(_bar(place * pitch, pitch - GAP, *each, most) for place, each in enumerate(drawn))
    top = Row(kind.key, "", kind.unit, most).shown_in(language)
    return Plot(kind.key, kind.named_in(language), bars[-1].shown, top, bars)


def _bar(x: float, width: float, week: str, value: float | None, shown: str, most: float) -> Bar:
    if value is None:
        return Bar(week, shown, round(x, 1), HEIGHT, round(width, 1), None)
    full = (HEIGHT - TOP) * value / most
    height = max(full, LEAST) if value else 0.0
    return Bar(week, shown, round(x, 1), round(HEIGHT - height, 1), round(width, 1), round(height, 1))


def ceiling(value: float) -> float:
    """The next of 1, 2 and 5 with zeros that is not below it; 1 for nothing."""
    if value <= 0:
        return 1.0
    size = 10.0 ** math.floor(math.log10(value))
    return next(step * size for step in (1, 2, 5, 10) if step * size >= value * (1 - 1e-9))
