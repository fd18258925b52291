"""Units in a few words, for tables of tests."""

from __future__ import annotations

from checks.tampering.languages import adapter_for
from checks.tampering.units import Assertion, FileUnits, Unit


def units_of(path: str, source: str | bytes) -> FileUnits:
    adapter = adapter_for(path)
    assert adapter is not None
    return adapter(path, source.encode() if isinstance(source, str) else source)


def only_unit(path: str, source: str | bytes) -> Unit:
    found = units_of(path, source)
    assert found.parsed
    (unit,) = found.units
    return unit


def told(assertion: Assertion) -> str:
    """`equal | cart.total() | 3`, with `not` in front, `± 0.1` and `swallowed` behind."""
    parts = [assertion.matcher, assertion.target, *([] if assertion.expected is None else [assertion.expected])]
    text = ("not " if assertion.negated else "") + " | ".join(parts)
    text += "" if assertion.tolerance is None else f" ± {assertion.tolerance}"
    return text + (" swallowed" if assertion.swallowed else "")


def all_told(unit: Unit) -> list[str]:
    return [told(assertion) for assertion in unit.assertions]
