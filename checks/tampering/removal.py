"""Tests that the new side does not have: moved into others, gone with their code, hidden, or taken away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.tampering import sentences
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.expectations import Context
from checks.tampering.marking import runs
from checks.tampering.product import Excuse
from checks.tampering.supply import Supply
from checks.tampering.units import Assertion, FileUnits, Unit
from checks.tampering.weakening import holds, identity
from checks.tampering.words import called_names, last_part, values_of, words

_ENOUGH = 2 / 3  # of a test's values must be met again where its assertions are
_MOST_LOOKED_AT = 40


@dataclass(frozen=True, slots=True)
class Removed:
    """A test without counterpart. `lost` of its assertions are nowhere in the difference; `moved`: it is elsewhere."""

    unit: Unit
    lost: int
    moved: bool


class NewSide:
    """What the new side holds, for a test that found no counterpart."""

    def __init__(self, after: Sequence[FileUnits]) -> None:
        tests = [unit for file in after for unit in file.units]
        helpers = [helper for file in after for helper in file.helpers]
        called = frozenset().union(*(called_names(unit) for unit in (*tests, *helpers)))
        self._bodies = {unit.body for unit in tests if runs(unit)}
        self._calling: dict[str, list[frozenset[str]]] = defaultdict(list)
        for unit in filter(runs, tests):
            for name in called_names(unit):
                self._calling[name].append(called_names(unit))
        self._uncalled: dict[str, list[Unit]] = defaultdict(list)
        for helper in helpers:
            if last_part(helper.name) not in called:
                self._uncalled[helper.body].append(helper)
                self._uncalled[_collected_name(helper)].append(helper)

    def repeats(self, unit: Unit) -> bool:
        """Whether another test does the very same, or calls at least the same where nothing was asserted."""
        names = called_names(unit)
        if unit.body in self._bodies or unit.assertions or not names:
            return unit.body in self._bodies
        candidates = min((self._calling.get(name, []) for name in names), key=len)
        return any(names <= others for others in candidates[:_MOST_LOOKED_AT])

    def hidden(self, unit: Unit) -> Unit | None:
        """A function that nothing calls and that was this test."""
        checks = {identity(one) for one in unit.assertions}
        named = self._uncalled.get(_collected_name(unit), [])
        alike = [one for one in named if not checks or not checks.isdisjoint(map(identity, one.assertions))]
        return next(iter([*self._uncalled.get(unit.body, []), *alike]), None)


def look_for(unit: Unit, assertions: Sequence[Assertion], supply: Supply) -> Removed:
    """Whether what it checked is checked by what is new, with most of its values."""
    wanted = [one for one in assertions if holds(one)]
    found = [supply.take(one, unit) for one in wanted]
    values = words(unit.body)[0]
    others = {id(other): other for other in found if other is not None}
    # What was found may stand in a function that the other test calls, with values that the test itself lacks.
    there = frozenset().union(*(words(other.body)[0] for other in others.values()), *map(values_of, wanted))
    moved = bool(wanted) and None not in found and len(values & there) >= _ENOUGH * len(values)
    return Removed(unit, found.count(None), moved)


def judge_removed(removed: Removed, side: NewSide, context: Context) -> Iterator[Alteration]:
    unit = removed.unit
    hidden = side.hidden(unit)
    if removed.moved or side.repeats(unit):
        return
    if not runs(unit):
        yield sentences.never_ran(unit)
    elif hidden is not None:
        yield sentences.uncollected(unit, hidden)
    else:
        yield _gone(removed, context)


def _gone(removed: Removed, context: Context) -> Alteration:
    unit = removed.unit
    values, names = words(unit.body)
    quoted = frozenset(value.strip("\"'`") for value in values)
    if unit.assertions and not any(map(holds, unit.assertions)):
        return sentences.removed(unit, removed.lost, Weight.PERSON)
    excuse = context.excuse(names | called_names(unit) | quoted)
    if excuse is Excuse.GONE or (excuse is Excuse.NONE and context.product.drops(quoted)):
        return sentences.removed_with_code(unit)
    if excuse is Excuse.REPLACED:
        return sentences.replaced(unit)
    return sentences.removed(unit, removed.lost, Weight.FAILED)


def _collected_name(unit: Unit) -> str:
    """`test_total` of `_test_total` and of `xtest_total`."""
    name = last_part(unit.name)
    return name[name.find("test") :] if "test" in name else name
