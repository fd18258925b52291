"""Which settings a new file puts out of force without touching them, since its tool reads only the first one it finds.

pytest https://docs.pytest.org/en/stable/reference/customize.html#initialization-determining-rootdir-and-configfile,
coverage.py https://coverage.readthedocs.io/en/latest/config.html, mypy
https://mypy.readthedocs.io/en/stable/config_file.html, Ruff https://docs.astral.sh/ruff/configuration/, vitest
https://vitest.dev/config/, mocha https://mochajs.org/running/configuring/#priorities, nyc
https://github.com/istanbuljs/nyc#configuring-nyc, make
https://www.gnu.org/software/make/manual/html_node/Makefile-Names.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from checks.tampering.change import Change, Version
from checks.tampering.settings.documents import Unreadable
from checks.tampering.settings.reading import read_settings


@dataclass(frozen=True, slots=True)
class _Order:
    """File names of one tool, the first that is found in force; of each a pattern of the keys that are the tool's.

    `in_folders_above`: also those of folders around it.
    """

    files: tuple[tuple[str, Any], ...]
    in_folders_above: bool = False


def _order(*files: tuple[str, str], in_folders_above: bool = False) -> _Order:
    return _Order(tuple((name, re2.compile(keys)) for name, keys in files), in_folders_above)


_ALL = r".*"
_ORDERS = (
    _order(
        *((name, _ALL) for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")),
        ("pyproject.toml", r"tool\.pytest\..*"),
        ("tox.ini", r"pytest\..*"),
        ("setup.cfg", r"tool:pytest\..*"),
        in_folders_above=True,
    ),
    _order(
        (".coveragerc", _ALL),
        ("setup.cfg", r"coverage:.*"),
        ("tox.ini", r"coverage:.*"),
        ("pyproject.toml", r"tool\.coverage\..*"),
    ),
    _order(("mypy.ini", _ALL), (".mypy.ini", _ALL), ("pyproject.toml", r"tool\.mypy\..*"), ("setup.cfg", r"mypy.*")),
    _order((".ruff.toml", _ALL), ("ruff.toml", _ALL), ("pyproject.toml", r"tool\.ruff\..*")),
    _order(
        *((f"vitest.config.{end}", _ALL) for end in ("ts", "mts", "cts", "js", "mjs", "cjs")),
        *((f"vite.config.{end}", r"(?:.*\.)?test\..*") for end in ("ts", "mts", "cts", "js", "mjs", "cjs")),
    ),
    _order(
        *((f".mocharc.{end}", _ALL) for end in ("js", "cjs", "yaml", "yml", "jsonc", "json")),
        ("package.json", r"mocha\..*"),
    ),
    _order(
        *((f".nycrc{end}", _ALL) for end in ("", ".json", ".yaml", ".yml")),
        ("package.json", r"nyc\..*"),
    ),
    _order(*((name, _ALL) for name in ("GNUmakefile", "makefile", "Makefile"))),
)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Settings that are not in force any more: those whose key fits `keys`."""

    version: Version
    keys: Any


def behind(path: str) -> tuple[str, ...]:
    """The files that a new one of that path may put out of force, if they are there."""
    return tuple(dict.fromkeys(other for _, other, _ in _behind(path)))


def hidden_by(change: Change, beside: Mapping[str, Version]) -> tuple[Hidden, ...]:
    """What a new file puts out of force; `beside` are unchanged files by their paths."""
    after = change.after
    if change.before is not None or after is None:
        return ()
    found = [(own, Hidden(beside[path], keys)) for own, path, keys in _behind(after.path) if path in beside]
    return tuple(hidden for own, hidden in found if _speaks(after, own))


def _speaks(version: Version, own: Any) -> bool:
    """Whether it has any of the tool's keys; a file that is the tool's alone is in force even when it is empty."""
    if own.pattern == _ALL:
        return True
    try:
        return any(own.fullmatch(key.encode("utf-8", "replace").decode()) for key in read_settings(version))
    except Unreadable:
        return False  # which is said where its settings are compared


def unchanged_files(changes: Sequence[Change]) -> dict[str, Version]:
    """Those among what was read that are the same on both sides."""
    same = (change.after for change in changes if change.before == change.after)
    return {version.path: version for version in same if version is not None}


def _behind(path: str) -> Iterator[tuple[Any, str, Any]]:
    """The pattern of the file's own keys, the other file, and the pattern of that one's keys."""
    folder, _, name = path.rpartition("/")
    for order in _ORDERS:
        at = next((at for at, (each, _) in enumerate(order.files) if each == name), None)
        if at is None:
            continue
        above = [(around, order.files) for around in _above(folder)] if order.in_folders_above else []
        for place, files in [(folder, order.files[at + 1 :]), *above]:
            yield from ((order.files[at][1], f"{place}/{each}" if place else each, keys) for each, keys in files)


def _above(folder: str) -> Iterator[str]:
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder
