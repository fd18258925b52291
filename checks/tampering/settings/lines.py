"""Settings in languages that are not parsed here (Gradle, Ruby, CMake, sbt), read line by line.

`name value`, `name = value`, `name: value` and `name.set(value)` are settings of the blocks that stand around them.
Comments are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import re2

from checks.tampering.settings.flat import Settings, collect

_DEEPEST = 12  # blocks that a key names; further in, the innermost ones are left out
_LONGEST_LINE = 2_000
_PART = re2.compile(r"[{};]|[^{};]+")
_SETTING = re2.compile(r"^([A-Za-z_][\w.\-]*?)(?:\.set)?\s*(?:[=:(]|\s)\s*(.*)$")
_COMMENT = re2.compile(r"^\s*(?:#|//|\*|/\*).*$|\s(?:#|//)\s.*$")


def line_settings(text: str) -> Settings:
    """`test { ignoreFailures = true }` gives `test.ignoreFailures`. Raises TooMuch."""
    return collect(_settings(text))


def _settings(text: str) -> Iterator[tuple[str, str]]:
    blocks: list[str] = []
    for line in text.splitlines():
        name = ""
        for part in _PART.findall(_COMMENT.sub("", line[:_LONGEST_LINE])):
            if part == "{":
                blocks.append(name)
            elif part == "}":
                del blocks[-1:]
            elif part != ";":
                name, value = _name_and_value(part.strip())
                if name and value:
                    yield ".".join([*filter(None, blocks[:_DEEPEST]), name]), value


def _name_and_value(statement: str) -> tuple[str, str]:
    match = _SETTING.match(statement)
    if match is None:
        return statement if _WORD.fullmatch(statement) else "", ""
    value = match[2].strip().removesuffix(",").strip()
    return match[1], value.removesuffix(")").strip() if value.count(")") > value.count("(") else value


_WORD = re2.compile(r"[A-Za-z_][\w.\-]*")
