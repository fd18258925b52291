"""Python sources in few words: what the adapter reads of one test, one assertion, one file."""

from __future__ import annotations

from textwrap import dedent

from checks.tampering.python_units import read_units
from checks.tampering.units import Assertion, FileUnits, Unit

PATH = "tests/test_shop.py"


def file_of(source: str, path: str = PATH) -> FileUnits:
    found = read_units(path, dedent(source).encode())
    assert found.parsed
    return found


def unit_of(source: str, name: str = "test_it") -> Unit:
    """The test of that name."""
    (unit,) = [unit for unit in file_of(source).units if unit.name == name]
    return unit


def body_of(*lines: str) -> Unit:
    """A test with these lines as its body."""
    return unit_of("def test_it():\n" + "".join(f"    {line}\n" for line in lines))


def assertion_of(line: str) -> Assertion:
    """The one assertion of a test with that line."""
    (assertion,) = body_of(line).assertions
    return assertion


def claim_of(line: str) -> tuple[str, str, str | None, str, bool]:
    """Matcher, target, expected value, strength and whether it is negated."""
    found = assertion_of(line)
    return found.matcher, found.target, found.expected, found.strength.name, found.negated
