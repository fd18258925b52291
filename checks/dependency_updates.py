"""How far an update of dependencies goes, read from manifests and lock files and never from anybody's title.

A manifest may change nothing but version numbers and checksums. A lock file is read as packages with their versions.
"""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import re2

MAX_BYTES = 8 * 1024 * 1024  # of one side of one file
_MOST_UPDATES = 500
Packages = Mapping[str, frozenset[str]]


class Step(IntEnum):
    """How far a version moves; what cannot be told, a new package and a way back count as the largest step."""

    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True, slots=True)
class DependencyUpdate:
    """`before` is None for a package that is new, `after` for one that is gone."""

    path: str
    name: str
    before: str | None
    after: str | None

    @property
    def step(self) -> Step:
        if self.after is None:
            return Step.PATCH
        return Step.MAJOR if self.before is None else _step(self.before, self.after)

    @property
    def words(self) -> str:
        if self.before is None:
            return f"{self.name} {self.after} is new in {self.path}"
        return f"{self.name} goes from {self.before} to {self.after} in {self.path}"


@dataclass(frozen=True, slots=True)
class UpdateReading:
    """`doubts` are sentences' ends about files that change more than versions or could not be read."""

    updates: tuple[DependencyUpdate, ...] = ()
    doubts: tuple[str, ...] = ()


def why_more(reading: UpdateReading | None, most: Step) -> str | None:
    """What of it goes further than `most`, None where nothing does; None for `reading`: it was not looked at."""
    if reading is None:
        return "how far its updates go is not known"
    if reading.doubts:
        return reading.doubts[0]
    return next((update.words for update in reading.updates if update.step > most), None)


def read_updates(files: Iterable[tuple[str, bytes | None, bytes | None]]) -> UpdateReading:
    """Path and both sides of each changed file; None where a side is absent. Never raises."""
    updates: list[DependencyUpdate] = []
    doubts: list[str] = []
    for path, before, after in files:
        try:
            updates += _updates(path, before, after)
        except (ValueError, RecursionError, TypeError, AttributeError) as wrong:
            doubts.append(f"`{path}` {wrong if isinstance(wrong, _MoreThanVersions) else 'could not be read'}")
    if len(updates) > _MOST_UPDATES:
        doubts.append(f"more than {_MOST_UPDATES} packages change")
    return UpdateReading(tuple(updates[:_MOST_UPDATES]), tuple(doubts))


class _MoreThanVersions(ValueError):
    pass


def _updates(path: str, before: bytes | None, after: bytes | None) -> Iterator[DependencyUpdate]:
    if before is None or after is None:
        raise _MoreThanVersions("is added or removed as a whole")
    if max(len(before), len(after)) > MAX_BYTES:
        raise _MoreThanVersions(f"is larger than {MAX_BYTES} bytes")
    read = _LOCKS.get(path.rpartition("/")[2])
    texts = (before.decode("utf-8"), after.decode("utf-8"))
    return _of_lock(path, *map(read, texts)) if read is not None else _of_manifest(path, *texts)


_VERSION = re2.compile(r"[0-9]+(?:\.[0-9]+)+[0-9A-Za-z.+-]*|\b[0-9]+\b")
_CHECKSUM = re2.compile(r"\b(?:sha(?:1|256|384|512)[:-][A-Za-z0-9+/=]+|[0-9a-f]{32,128})\b=*")
_NAME = re2.compile(r"[@A-Za-z][A-Za-z0-9@/._-]*")


def _of_manifest(path: str, before: str, after: str) -> Iterator[DependencyUpdate]:
    old, new = _lines(before), _lines(after)
    if [_VERSION.sub("0", line) for line in old] != [_VERSION.sub("0", line) for line in new]:
        raise _MoreThanVersions("changes more than versions")
    for line, other in zip(old, new, strict=True):
        for one, two in zip(_VERSION.findall(line), _VERSION.findall(other), strict=True):
            if one != two:
                name = _NAME.search(line)
                yield DependencyUpdate(path, name[0] if name else line[:80], one, two)


def _lines(text: str) -> list[str]:
    """Without checksums, of which an update may bring more or fewer."""
    lines = (_CHECKSUM.sub("", line).rstrip(" \\\t\r") for line in text.split("\n"))
    return [line for line in lines if line.strip() not in ("", "--hash=")]


def _of_lock(path: str, before: Packages, after: Packages) -> Iterator[DependencyUpdate]:
    for name in sorted({*before, *after}):
        gone = sorted(before.get(name, frozenset()) - after.get(name, frozenset()), key=_numbers)
        came = sorted(after.get(name, frozenset()) - before.get(name, frozenset()), key=_numbers)
        kept = max(before.get(name, ()), key=_numbers, default=None)
        for number, version in enumerate(came):
            yield DependencyUpdate(path, name, gone[number] if number < len(gone) else kept, version)
        yield from (DependencyUpdate(path, name, version, None) for version in gone[len(came) :])


def _step(before: str, after: str) -> Step:
    old, new = _numbers(before), _numbers(after)
    if len(old) < 2 or len(new) < 2 or new < old or _is_preview(after):
        return Step.MAJOR
    # Before 1.0 a minor step may break as much as a major one: https://semver.org/#spec-item-4
    if old[0] != new[0] or (old[0] == 0 and old[1] != new[1]):
        return Step.MAJOR
    return Step.MINOR if old[1] != new[1] else Step.PATCH


def _numbers(version: str) -> tuple[int, ...]:
    release = version.lstrip("vV=").split("+")[0].split("-")[0]
    parts = release.split(".")[:6]
    return tuple(int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 12)


def _is_preview(version: str) -> bool:
    return any(character.isalpha() for character in version.lstrip("vV").split("+")[0])


def _packages(pairs: Iterable[tuple[str, str]]) -> Packages:
    found: dict[str, set[str]] = defaultdict(set)
    for name, version in pairs:
        found[name].add(version)
    if not found:
        raise ValueError("no package is seen")
    return {name: frozenset(versions) for name, versions in found.items()}


def _npm(text: str) -> Packages:
    """https://docs.npmjs.com/cli/configuring-npm/package-lock-json: `packages` since version 2, else `dependencies`."""
    lock = json.loads(text)
    if "packages" in lock:
        listed = ((path.rpartition("node_modules/")[2], one) for path, one in lock["packages"].items() if path)
        return _packages((name, str(one["version"])) for name, one in listed if "version" in one)
    return _packages(_npm_nested(lock["dependencies"]))


def _npm_nested(dependencies: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, one in dependencies.items():
        yield name, str(one["version"])
        yield from _npm_nested(one.get("dependencies", {}))


def _composer(text: str) -> Packages:
    lock = json.loads(text)
    return _packages((one["name"], str(one["version"])) for one in (*lock["packages"], *lock["packages-dev"]))


def _pipfile(text: str) -> Packages:
    lock = json.loads(text)
    groups = (group for name, group in lock.items() if name != "_meta")
    return _packages((name, str(one["version"])) for group in groups for name, one in group.items() if "version" in one)


def _toml(text: str) -> Packages:
    """Cargo, Poetry, uv: `[[package]]` with `name` and `version`."""
    return _packages((one["name"], str(one.get("version", ""))) for one in tomllib.loads(text)["package"])


def _matched(pattern: str) -> Callable[[str], Packages]:
    compiled = re2.compile(pattern)
    return lambda text: _packages((str(name), str(version)) for name, version in compiled.findall(text))


_LOCKS: Mapping[str, Callable[[str], Packages]] = {
    "package-lock.json": _npm,
    "npm-shrinkwrap.json": _npm,
    "composer.lock": _composer,
    "Pipfile.lock": _pipfile,
    "Cargo.lock": _toml,
    "poetry.lock": _toml,
    "uv.lock": _toml,
    "yarn.lock": _matched(r'(?m)^"?(@?[^@"\s]+)@[^\n]*:\r?\n  "?version"?:? "?([^"\s]+)"?'),
    "pnpm-lock.yaml": _matched(r"(?m)^  ['\"]?/?(@?[^@'\"\s(]+)@([0-9][^:'\"\s(]*)[^\n]*:\r?$"),
    "bun.lock": _matched(r'(?m)^    "[^"\n]+": \["(@?[^@"\n]+)@([^"\n]+)"'),
    "Gemfile.lock": _matched(r"(?m)^    ([^\s(]+) \(([^)\n]+)\)\r?$"),
    "go.sum": _matched(r"(?m)^(\S+) (v[^\s/]+)(?:/go\.mod)? "),
}
