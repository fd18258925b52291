"""What others put before a program's own line: CI systems' time stamps, names of containers, packages and tasks.

Only what cannot be the beginning of a line of its own is taken off. `name: text`, as some tools write it, can: it is a
prefix only after the tool has shown that `name` is a package of this log, and never of a line that a reader wants.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import re2

STARTS = r"(?:^|\r|Z |\| ?|\] |: )"
"""RE2: all that can stand right before a cleaned line in a line of a `TextBlocks` block."""

_STAMP = len("2022-06-16T22:14:59.6600208Z ")
_GH_COLUMNS = re2.compile(r"^[^\t]*\t[^\t]*\t\x{feff}?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z )")
_PREFIX = re2.compile(
    r"^(?:"
    # docker compose: `web_1  | text`, `web-1  | text`. moon: `web:test | text`, right-aligned.
    r"([A-Za-z0-9][\w.-]*[_-]\d+) +\| ?| *([\w@./-]+:[\w-]+) \| ?"
    # concurrently: `[0] text`. lerna and nx: `@scope/package: text`.
    r"|(\[\d{1,3}\]) |(@[\w.~-]+/[\w.~-]+): "
    # turbo: `package:task: text`. pnpm: `packages/a test: text`.
    r"|([a-z0-9@~][a-z0-9@./_~-]*:[a-z][\w:.-]*): |((?:[\w@.~-]+/)+[\w@.~-]+ [a-z][\w:.-]*): "
    # Python's and Maven's loggers, Ant's tasks: nobody's names.
    r"|(?:\d+ )?\[(?:INFO|DEBUG)\] | *\[(?:junit|exec|java|py-test)\] "
    r")"
)
_NAME = r"[a-z0-9~][a-z0-9._~-]*"
PACKAGES = rf"^{_NAME}: (?:> {_NAME}@\S+ |yarn run v\d)|^{_NAME} test[\w:.-]*\$ "
"""RE2: the lines that `Packages` wants."""

_SHOWN = re2.compile(rf"^(?:({_NAME}): (?:> ({_NAME})@\S+ |yarn run v\d)|({_NAME} test[\w:.-]*)\$ )")
_MOST_PACKAGES = 1000


def stamp(line: str) -> str | None:
    """The ISO time (seven decimals, Z) that GitHub puts before each line of a job log, or None."""
    line = line.removeprefix("\ufeff")
    signs = line[10:11] + line[19:20] + line[_STAMP - 2 : _STAMP]
    return line[: _STAMP - 1] if signs in ("T.Z ", "T.Z") and line[:4].isdigit() else None


class Piece(NamedTuple):
    """A cleaned piece of a line, and whose it is: a container, package or task; "" for a line without a name."""

    name: str
    text: str


def pieces(line: str) -> Iterator[Piece]:
    """The pieces of one line of a block, without stamps and prefixes. A carriage return starts a piece.

    All pieces are given, also those that a terminal would overwrite: what was printed was printed.
    """
    for piece in line.split("\r"):
        yield _without_prefix(_without_stamp(piece.rstrip()))


def _without_stamp(line: str) -> str:
    if "\t" in line and (columns := _GH_COLUMNS.match(line)):
        line = line[columns.start(1) :]
    return line.removeprefix("\ufeff")[_STAMP:] if stamp(line) else line


def _without_prefix(line: str) -> Piece:
    if ": " in line or "] " in line or " |" in line:  # each of them ends so: asked first because it is cheap
        prefix = _PREFIX.match(line)
        if prefix:
            return Piece(next(filter(None, prefix.groups()), ""), line[prefix.end() :])
    return Piece("", line)


class Packages:
    """Unscoped names of packages that a tool has shown, and lines without them. A `Listener`.

    npm, started by lerna or nx, prints `name: > name@1.0.0 script` first, yarn `name: yarn run v1`; pnpm prints
    `folder script$ command`.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()

    def feed(self, _number: int, line: str) -> None:
        shown = _SHOWN.match(line)
        if shown and shown.group(2) in (None, shown.group(1)) and len(self._names) < _MOST_PACKAGES:
            self._names.add(shown.group(1) or shown.group(3))

    def boundary(self) -> None:
        self._names.clear()

    def named(self, line: str) -> Piece:
        """The line without the package's name, if it has one."""
        name, colon, text = line.partition(": ")
        return Piece(name, text) if colon and name in self._names else Piece("", line)
