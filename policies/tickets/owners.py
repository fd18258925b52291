"""Whom CODEOWNERS names for what a ticket may change. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import re2

from checks.codeowners import Codeowners, owners

_WILD = re2.compile(r"[*?]+")


def logins_of(parsed: Codeowners, patterns: Iterable[str]) -> tuple[str, ...]:
    """The people who own a file that each pattern allows, in the patterns' order, each once.

    A team is left out, for a mention would wake all of it, and so is an address, which cannot be mentioned.
    """
    found = (owner for pattern in patterns for owner in owners(parsed, _file_of(pattern)))
    return tuple(dict.fromkeys(owner.name for owner in found if owner.kind == "user"))


def _file_of(pattern: str) -> str:
    """A path that the pattern matches: `shop/**` allows `shop/x`, `shop/` does too."""
    path = _WILD.sub("x", pattern.strip("/"))
    return f"{path}/x" if pattern.endswith("/") else path
