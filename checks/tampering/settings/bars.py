"""Settings that are a bar: which way each must not go, and what it means when it does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

import re2

from checks.tampering.alteration import Weight
from checks.tampering.kept_tests import KeptTests, mentions_tests, names_one_test


class Way(StrEnum):
    """What must not happen to a setting."""

    FLOOR = "floor"  # a number falls, or goes
    CEILING = "ceiling"  # a number rises
    ON = "on"  # it is switched off
    OFF = "off"  # it is switched on
    KEEP = "keep"  # items go
    ADD_NONE = "add-none"  # items come
    GRADE = "grade"  # a word of strictness falls
    SAME = "same"  # it becomes another one


@dataclass(frozen=True, slots=True)
class Bar:
    """`name` is one word for the setting wherever it is written; `style` is that of `KeptTests.taken_out`.

    `says` completes "The change …".
    """

    name: str
    way: Way
    kind: str
    weight: Weight
    says: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class BarsOf:
    """The bars in files whose name fits `files`: keys as expressions; the first that fits a setting counts.

    A group in the expression is part of the setting's identity (`lines` of `coverageThreshold.global.lines`).
    """

    files: str
    keys: tuple[tuple[str, Bar], ...]


@dataclass(frozen=True, slots=True)
class Crossed:
    """A bar that is lower now. `items` are what came or went, empty where the values as a whole say it."""

    weight: Weight
    items: tuple[str, ...] = ()


def crossing(bar: Bar, was: Sequence[str], now: Sequence[str], kept: KeptTests) -> Crossed | None:
    """Whether a setting with the values `was` that now has the values `now` crosses its bar."""
    match bar.way:
        case Way.KEEP:
            return _kept(bar, _items(was), _items(now), kept)
        case Way.ADD_NONE:
            return _excluded(bar, [item for item in _items(now) if item not in set(_items(was))], kept)
        case _:
            return Crossed(bar.weight) if _IS_LOWER[bar.way](was, now) else None


def _lower_floor(was: Sequence[str], now: Sequence[str]) -> bool:
    old, new = _numbers(was), _numbers(now)
    return bool(old) and (not now or (bool(new) and min(new) < max(old)))


def _higher_ceiling(was: Sequence[str], now: Sequence[str]) -> bool:
    return max(_numbers(now), default=0) > max(_numbers(was), default=0)


def _switched_off(was: Sequence[str], now: Sequence[str]) -> bool:
    return (_is_on(was) and not now) or (_is_off(now) and not _is_off(was))


def _switched_on(was: Sequence[str], now: Sequence[str]) -> bool:
    return _is_on(now) and not _is_on(was)


def _less_strict(was: Sequence[str], now: Sequence[str]) -> bool:
    old, new = _grade(was), _grade(now)
    if old is None:
        return new == 0
    return old > 0 and not now if new is None else new < old


def _another(was: Sequence[str], now: Sequence[str]) -> bool:
    return bool(now) and tuple(was) != tuple(now)


_IS_LOWER = {
    Way.FLOOR: _lower_floor,
    Way.CEILING: _higher_ceiling,
    Way.ON: _switched_off,
    Way.OFF: _switched_on,
    Way.GRADE: _less_strict,
    Way.SAME: _another,
}


def _kept(bar: Bar, was: Sequence[str], now: Sequence[str], kept: KeptTests) -> Crossed | None:
    """Items that are gone. Where tests are looked for: no list at all means everywhere, so that nothing is lost."""
    gone = tuple(item for item in was if item not in now)
    if not bar.style:
        return Crossed(bar.weight, gone) if gone else None
    if not was:
        return Crossed(Weight.FAILED, tuple(now)) if now and all(map(names_one_test, now)) else None
    if not now or not gone:
        return None
    lost = any(_is_lost(path, bar.style, gone, now) for path in kept.paths)
    replaced = any(item not in was for item in now)
    weight = Weight.FAILED if lost else Weight.RISK if replaced else bar.weight
    return Crossed(weight, gone)


def _is_lost(path: str, style: str, gone: Collection[str], now: Collection[str]) -> bool:
    one = KeptTests((path,), frozenset())
    return any(one.taken_out(style, item) for item in gone) and not any(one.taken_out(style, item) for item in now)


def _excluded(bar: Bar, new: Sequence[str], kept: KeptTests) -> Crossed | None:
    """Exclusions that came, with the weight of the worst."""
    items = tuple(item for item in new if not item.startswith(("!", "...")) and item not in kept.removed)
    if not items:
        return None
    if not bar.style:
        return Crossed(bar.weight, items)
    weights = [_exclusion_weight(bar, item, kept) for item in items]
    worst = next(weight for weight in (Weight.FAILED, Weight.PERSON, Weight.RISK) if weight in weights)
    return Crossed(worst, items)


def _exclusion_weight(bar: Bar, item: str, kept: KeptTests) -> Weight:
    if kept.taken_out(bar.style, item) is not None or names_one_test(item):
        return Weight.FAILED
    return bar.weight if mentions_tests(item) else Weight.RISK


def _items(values: Sequence[str]) -> list[str]:
    """A list as its file writes it: one text with commas, blanks or line ends between, or many texts."""
    if len(values) != 1 or "{" in values[0]:
        return list(values)
    return [item for item in _SEPARATOR.split(values[0]) if item]


_SEPARATOR = re2.compile(r"[,\s]+")
_NUMBER = re2.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?%?")
_ON_WORDS = frozenset({"true", "yes", "on", "1", "always", "all"})
_OFF_WORDS = frozenset({"false", "no", "off", "0", "never", "none"})
_GRADES = {
    **dict.fromkeys(("off", "0", "none", "false", "allow", "ignore", "silent", "disabled"), 0),
    **dict.fromkeys(("info", "information", "hint"), 1),
    **dict.fromkeys(("warn", "warning", "1", "basic"), 2),
    **dict.fromkeys(("standard", "recommended"), 3),
    **dict.fromkeys(("error", "2", "deny", "strict", "true", "all"), 4),
    "forbid": 5,
}


def _numbers(values: Sequence[str]) -> list[float]:
    return [float(value.rstrip("%")) for value in _items(values) if _NUMBER.fullmatch(value)]


def _is_on(values: Sequence[str]) -> bool:
    return any(value.lower() in _ON_WORDS for value in values)


def _is_off(values: Sequence[str]) -> bool:
    return any(value.lower() in _OFF_WORDS for value in values)


def _grade(values: Sequence[str]) -> int | None:
    """Of the first word; the rest are the rule's options."""
    return _GRADES.get(values[0].lower()) if values else None


class BarsOfFile:
    """The bars in files of some name."""

    __slots__ = ("_any", "_rows")

    def __init__(self, tables: Sequence[BarsOf]) -> None:
        self._rows = [(re2.compile(key), bar) for table in tables for key, bar in table.keys]
        self._any = re2.Set.FullMatchSet()
        for expression, _ in self._rows:
            self._any.Add(expression.pattern)
        self._any.Compile()

    def find(self, key: str) -> tuple[Bar, str] | None:
        """The bar of a setting, and the part of its key that tells it from others with the same bar."""
        plain = key.encode("utf-8", "replace").decode()
        fitting = self._any.Match(plain)
        if not fitting:
            return None
        expression, bar = self._rows[min(fitting)]
        return bar, ".".join(group for group in expression.fullmatch(plain).groups() if group)


class BarTables:
    """Tables with their expressions ready, for many files."""

    __slots__ = ("_any_file", "_by_tables", "_files", "_tables")

    def __init__(self, *tables: BarsOf) -> None:
        self._tables = tables
        self._files = [re2.compile(table.files) for table in tables]
        self._any_file = re2.compile("|".join(f"(?:{table.files})" for table in tables))
        self._by_tables: dict[tuple[BarsOf, ...], BarsOfFile] = {}

    def of(self, name: str) -> BarsOfFile | None:
        """None for most files."""
        plain = name.encode("utf-8", "replace").decode()
        if self._any_file.fullmatch(plain) is None:
            return None
        fitting = (table for table, files in zip(self._tables, self._files, strict=True) if files.fullmatch(plain))
        return self._made(tuple(fitting))

    def _made(self, tables: tuple[BarsOf, ...]) -> BarsOfFile:
        if tables not in self._by_tables:
            self._by_tables[tables] = BarsOfFile(tables)
        return self._by_tables[tables]

    @property
    def bars(self) -> list[Bar]:
        return [bar for table in self._tables for _, bar in table.keys]
