"""Settings: dotted keys with the texts that stand under them, the same for every form of file.

Positions in lists are left out of the key, so that the order of a list and where an item stands say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from checks.tampering.settings.yaml_values import DEEPEST, Value

MOST_SETTINGS = 20_000
LONGEST_VALUE = 2_000  # characters; of a longer one only the beginning is compared
Settings = Mapping[str, tuple[str, ...]]


class TooMuch(ValueError):
    """More settings, or nested deeper, than a settings file has."""


def flatten(value: Value) -> Settings:
    """Raises TooMuch, also for a value that contains itself."""
    return collect(leaves(value))


def collect(pairs: Iterator[tuple[str, str]]) -> Settings:
    """Raises TooMuch."""
    found: dict[str, list[str]] = {}
    for number, (key, text) in enumerate(pairs):
        if number >= MOST_SETTINGS:
            raise TooMuch(f"more than {MOST_SETTINGS} settings")
        found.setdefault(key, []).append(text[:LONGEST_VALUE])
    return {key: tuple(texts) for key, texts in found.items()}


def leaves(value: Value) -> Iterator[tuple[str, str]]:
    """Keys and texts in order, one by one. Raises TooMuch for a depth that no settings have."""
    waiting: list[tuple[str, int, Value]] = [("", 0, value)]
    while waiting:
        key, depth, each = waiting.pop()
        if depth > DEEPEST:
            raise TooMuch(f"nested deeper than {DEEPEST} levels")
        if isinstance(each, dict):
            inner = [(f"{key}.{name}" if key else name, depth + 1, part) for name, part in each.items()]
            waiting += reversed(inner)
        elif isinstance(each, list):
            waiting += [(key, depth + 1, part) for part in reversed(each)]
        else:
            yield key, each
