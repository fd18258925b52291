"""From raw bytes to cleaned lines: encodings, line ends, time stamps, colours, known prefixes, size limits."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

import re2

MAX_BYTES = 64 * 1024 * 1024
MAX_LINES = 1_000_000
"""Limits of one log. Over them only a part of it is read, and the report is never green."""

MAX_LINE = 4096
"""Characters of one line that are looked at; no runner's closing line is nearly as long."""

# All are linear: an escape sequence cannot contain another ESC, and its character classes are disjoint. None spans
# lines, or one that nobody closed would swallow whatever is printed after it.
_CURSOR_MOVE = re.compile(r"\x1b\[[0-9;]*[A-HJf]|\x08+")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\r\n]*(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78cDEHM])")
_UNCLOSED = re.compile(r"\x1b\](?:[0-9]*;)?")  # what follows it is shown by some terminals, so it is looked at

_STAMP = len("2022-06-16T22:14:59.6600208Z ")
_GH_COLUMNS = re2.compile(r"^[^\t]*\t[^\t]*\t\x{feff}?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z )")
_COMPOSE = re2.compile(r"^[A-Za-z0-9][\w.-]*[_-]\d+ +\| ?")
_LOGGER = re2.compile(r"^(?:(?:\d+ )?\[(?:INFO|DEBUG)\] | *\[(?:junit|exec|java|py-test)\] )")


@dataclass(frozen=True, slots=True)
class Text:
    """A decoded log. `gap` lines (not in `lines`) lie between the first `head` lines and the rest."""

    lines: list[str]
    head: int
    gap: int
    truncated: bool

    @property
    def total(self) -> int:
        """Number of lines of the raw file; a last line without a line end counts."""
        return len(self.lines) + self.gap

    def number(self, index: int) -> int:
        """The 1-based line in the raw file of `lines[index]`."""
        return index + 1 if index < self.head else index + 1 + self.gap


def decode_log(data: bytes, max_bytes: int = MAX_BYTES, max_lines: int = MAX_LINES) -> Text:
    """Decode a raw log; never raises.

    A byte-order mark says UTF-8 or UTF-16 (PowerShell writes the latter); without one the bytes are read as UTF-8.
    Undecodable bytes become U+FFFD, NULs vanish.
    """
    encoding, data = _encoding(data)
    if len(data) > max_bytes:
        return _ends(data, encoding, max_bytes // 4 * 2, max_lines)
    text = _text(data, encoding)
    rewrites = text.count("\r") > max_lines
    lines = _lines(text.replace("\r", "") if rewrites else text)
    if len(lines) > max_lines:
        return _without_middle(lines, max_lines)
    return Text(lines, len(lines), 0, truncated=rewrites)


def clean(line: str) -> Iterator[str]:
    """The pieces of one decoded line, without stamps and prefixes. A carriage return or a cursor move starts a piece.

    All pieces are given, also those that a terminal would overwrite: what was printed was printed.
    """
    for piece in line.split("\r"):
        yield _strip(piece[:MAX_LINE])


def stamp(line: str) -> str | None:
    """The ISO time (seven decimals, Z) that GitHub puts before each line of a job log, or None."""
    line = line.removeprefix("\ufeff")
    signs = line[10:11] + line[19:20] + line[_STAMP - 2 : _STAMP]
    return line[: _STAMP - 1] if signs in ("T.Z ", "T.Z") and line[:4].isdigit() else None


def _encoding(data: bytes) -> tuple[str, bytes]:
    if data.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le", data[2:]
    if data.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be", data[2:]
    return "utf-8", data.removeprefix(codecs.BOM_UTF8)


def _ends(data: bytes, encoding: str, half: int, max_lines: int) -> Text:
    """The first and the last `half` bytes (an even number: UTF-16 has two bytes a unit)."""
    newline = "\n".encode(encoding)
    total = data.count(newline) + (not data.endswith(newline))
    tail_at = (len(data) - half + 1) // 2 * 2
    # The last piece of the head and the first of the tail are parts of one line or of two: neither can be read.
    head = _lines(_text(data[:half], encoding).replace("\r", ""))[:-1][: max_lines // 2]
    tail = _lines(_text(data[tail_at:], encoding).replace("\r", ""))[1:][-(max_lines // 2) :]
    return Text([*head, *tail], len(head), total - len(head) - len(tail), truncated=True)


def _text(data: bytes, encoding: str) -> str:
    text = data.decode(encoding, errors="replace").replace("\0", "")
    if "\x1b" in text or "\x08" in text:
        text = _UNCLOSED.sub("\r", _ESCAPE.sub("", _CURSOR_MOVE.sub("\r", text)))
    return text.replace("\r\n", "\n")


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _without_middle(lines: list[str], max_lines: int) -> Text:
    half = max_lines // 2
    return Text([*lines[:half], *lines[-half:]], half, len(lines) - 2 * half, truncated=True)


def _strip(line: str) -> str:
    line = line.rstrip()
    if "\t" in line and (columns := _GH_COLUMNS.match(line)):
        line = line[columns.start(1) :]
    if stamp(line):
        line = line.removeprefix("\ufeff")[_STAMP:]
    return _without_prefix(line)


def _without_prefix(line: str) -> str:
    if " |" in line[:80]:
        prefix = _COMPOSE.match(line)
    elif "] " in line[:24]:
        prefix = _LOGGER.match(line)
    else:
        return line
    return line[prefix.end() :] if prefix else line
