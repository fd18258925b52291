"""Which adapter reads a file, and which files may hold tests at all; one line each for every language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import re2

from checks.tampering import (
    csharp_units,
    go_units,
    java_units,
    javascript_units,
    python_units,
    ruby_units,
    rust_units,
)
from checks.tampering.places import extension, is_test_path
from checks.tampering.units import FileUnits

Adapter = Callable[[str, bytes], FileUnits]

JAVASCRIPT_ENDINGS = ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts")
_ADAPTERS: dict[str, Adapter] = {
    "py": python_units.read_units,
    **dict.fromkeys(JAVASCRIPT_ENDINGS, javascript_units.read_units),
    "go": go_units.read_units,
    "rs": rust_units.read_units,
    "java": java_units.read_units,
    "rb": ruby_units.read_units,
    "cs": csharp_units.read_units,
}
# What a file of that language holds if it holds tests although its path does not say so.
_SIGNS: dict[str, Any] = {
    "py": re2.compile(rb"def test|TestCase|class Test"),
    **dict.fromkeys(JAVASCRIPT_ENDINGS, javascript_units.SIGN),
    "go": go_units.SIGN,
    "rs": rust_units.SIGN,
    "java": java_units.SIGN,
    "rb": ruby_units.SIGN,
    "cs": csharp_units.SIGN,
}


def adapter_for(path: str) -> Adapter | None:
    """What reads the units of that file, or None for a language that nothing here reads."""
    return _ADAPTERS.get(extension(path))


def defined_names(path: str, source: bytes) -> frozenset[str]:
    """Names that a file of product code defines. Only for paths that have an adapter."""
    if extension(path) == "py":
        return python_units.defined_names(source)
    return _ADAPTERS[extension(path)](path, source).defines


def may_hold_tests(path: str, source: bytes) -> bool:
    """A quick look, so that most product code need not be parsed. Only for paths that have an adapter."""
    return is_test_path(path) or speaks_of_tests(path, source)


def speaks_of_tests(path: str, source: bytes) -> bool:
    """Whether it holds what tests consist of, wherever it lies. Only for paths that have an adapter."""
    return _SIGNS[extension(path)].search(source) is not None
