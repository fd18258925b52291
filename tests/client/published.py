"""GitHub's own list of REST calls, as githubkit's generated code of version 2026-03-10 has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import githubkit_schemas.v2026_03_10 as version

FOLDERS = [Path(place) / "rest" for place in version.__path__]
_CALL = re.compile(
    r'url = \(?\s*f?"(?P<url>/[^"]*)"(?P<between>.*?)_github\.a?request\(\s*"(?P<method>[A-Z]+)"', re.DOTALL
)
_QUERY = re.compile(r"params = \{(.*?)\}", re.DOTALL)


@dataclass(frozen=True)
class Operation:
    method: str
    template: str
    query: frozenset[str]
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def operations() -> tuple[Operation, ...]:
    return tuple(operation for folder in FOLDERS for path in folder.glob("*.py") for operation in _operations(path))


def find(method: str, path: str) -> list[Operation]:
    """The operations that a request could be, those with the fewest placeholders first."""
    fitting = [one for one in operations() if one.method == method and one.pattern.fullmatch(path)]
    return sorted(fitting, key=lambda one: one.template.count("{"))


def _operations(path: Path) -> Iterator[Operation]:
    for call in _CALL.finditer(path.read_text()):
        query = _QUERY.search(call["between"])
        names = frozenset(re.findall(r'"(\w+)":', query[1])) if query else frozenset()
        holes = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(call["url"]))
        open_ended = holes.replace("contents/[^/]+", "contents/.+").replace("git/ref/[^/]+", "git/ref/.+")
        yield Operation(call["method"], call["url"], names, re.compile(open_ended))
