"""Functions that assert for tests: where a test began or ceased to call one, what that asserts is its own."""

from __future__ import annotations

from collections.abc import Iterable

from checks.tampering.units import Assertion, Unit
from checks.tampering.words import called_names, last_part

_MOST = 20  # functions looked into for one test
_CUSTOM = "custom:"


class Helpers:
    """The asserting functions of one side, by their last names."""

    def __init__(self, helpers: Iterable[Unit]) -> None:
        self._by_name = {last_part(helper.name): helper for helper in helpers}

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._by_name)

    def called(self, unit: Unit, apart_from: frozenset[str]) -> list[Unit]:
        """Those that the unit calls, and those that they call, without the ones named in `apart_from`."""
        found: dict[str, Unit] = {}
        waiting = sorted(called_names(unit))
        while waiting and len(found) < _MOST:
            name = waiting.pop()
            if name in self._by_name and name not in found and name not in apart_from:
                found[name] = self._by_name[name]
                waiting += sorted(called_names(found[name]))
        return list(found.values())


def own_assertions(unit: Unit, looked_into: Iterable[Unit]) -> list[Assertion]:
    """Without the calls of functions that are looked into, whose assertions count instead."""
    names = {last_part(helper.name) for helper in looked_into}
    return [one for one in unit.assertions if one.matcher.removeprefix(_CUSTOM) not in names]
