"""Yarn: version 1 (https://classic.yarnpkg.com/lang/en/docs/yarn-lock/) and the YAML of later ones.

Version 1 is YAML but for keys and values that a blank divides, so it is read line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import re2

from checks.lock_files.locked import (
    Locked,
    LockFile,
    UnknownForm,
    canonical,
    integrity,
    lines,
    mapping,
    masked_all,
    npm_registry,
    text,
    traits,
)
from checks.tampering.settings.documents import yaml_value

_EDGES = ("dependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta", "dependenciesMeta")
_CLASSIC_KNOWN = ("version", "resolved", "integrity", *_EDGES)
_BERRY_KNOWN = ("version", "resolution", "checksum", "conditions", *_EDGES)
_META = "__metadata"
_CHECKSUM = re2.compile(r"(?:[0-9a-z]{1,8}/)?[0-9a-f]{128}")  # a SHA-512, behind the version of the cache


def read_yarn(written: str) -> LockFile:
    """Raises UnknownForm, Unreadable."""
    if any(line.startswith(f"{_META}:") for line in lines(written)):
        return _read(mapping(yaml_value(written)), _berry)
    return _read(_classic_entries(written), _classic)


def _read(entries: Mapping[str, Any], form: Any) -> LockFile:
    asked = {wishes: mapping(entry) for wishes, entry in entries.items() if wishes != _META}
    own = {wishes for wishes, entry in asked.items() if "@workspace:" in str(entry.get("resolution"))}
    read = {wishes: form(wishes, entry) for wishes, entry in asked.items() if wishes not in own}
    frame = {_META: entries.get(_META)} | {wishes: masked_all(asked[wishes]) for wishes in own}
    chosen = {wish: (one.name, one.version) for wishes, one in read.items() for wish in _wishes(wishes)}
    return LockFile(frozenset(read.values()), frame, chosen)


def _wishes(key: str) -> list[str]:
    return [wish.strip().strip('"') for wish in key.split(",")]


def _named(wishes: str) -> tuple[str, str]:
    """The name asked for, and the name of the package that stands for it, another where it is an alias."""
    names = {f"{wish[:1]}{wish[1:].partition('@')[0]}" for wish in _wishes(wishes)}
    aliases = {_alias(wish) for wish in _wishes(wishes)} - {None}
    if len(names) != 1 or len(aliases) > 1:
        raise UnknownForm(f"{wishes[:80]} asks for more than one package")
    name = names.pop()
    return name, aliases.pop() or name if aliases else name


def _alias(wish: str) -> str | None:
    """`a@npm:b@1` is b under the name of a; `a@npm:1` is a."""
    found = wish[1:].partition("@")[2].removeprefix("npm:")
    name = f"{found[:1]}{found[1:].partition('@')[0]}"
    return name if "@" in found[1:] and ":" not in name else None


def _shown(name: str, real: str) -> str:
    return name if name == real else f"{name} (which is {real})"


def _classic(wishes: str, entry: Mapping[str, Any]) -> Locked:
    name, real = _named(wishes)
    version = text(entry.get("version", ""))
    return Locked(
        _shown(name, real),
        version,
        npm_registry(entry.get("resolved"), real, version),
        integrity(entry.get("integrity")),
        traits(entry, _CLASSIC_KNOWN),
        canonical(entry),
    )


def _berry(wishes: str, entry: Mapping[str, Any]) -> Locked:
    """Yarn takes such a package from the registry that its configuration names."""
    name, real = _named(wishes)
    version, checksum = text(entry.get("version", "")), text(entry.get("checksum", ""))
    plain = entry.get("resolution") == f"{real}@npm:{version}"
    return Locked(
        _shown(name, real),
        version,
        "npm" if plain else None,
        frozenset({checksum} if _CHECKSUM.fullmatch(checksum) else ()),
        traits(entry, _BERRY_KNOWN),
        canonical(entry),
    )


def _classic_entries(written: str) -> dict[str, dict[str, Any]]:
    entries = [(head, _fields(fields)) for head, fields in _blocks(written)]
    wishes = [wish for head, _ in entries for wish in _wishes(head)]
    if len(wishes) != len(set(wishes)):
        raise UnknownForm("one wish stands there twice")
    return dict(entries)


def _blocks(written: str) -> Iterator[tuple[str, list[str]]]:
    head, fields = "", list[str]()
    for line in lines(written):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            fields.append(line)
            continue
        yield from [(head, fields)] if head else ()
        head, fields = _head(line), []
    if not head:
        raise UnknownForm("no package is seen")
    yield head, fields


def _head(line: str) -> str:
    if not line.endswith(":") or "@" not in line:
        raise UnknownForm(f"{line[:80]!r} asks for no package")
    return line[:-1]


def _fields(written: list[str]) -> dict[str, Any]:
    """Two blanks before a field, four before the parts of one."""
    found: dict[str, Any] = {}
    part: dict[str, Any] = found
    for line in written:
        name, _, value = line.strip().partition(" ")
        if line.startswith("    "):
            part[name.strip('"')] = value.strip().strip('"')
        elif line.endswith(":"):
            part = found.setdefault(name.removesuffix(":"), {})
        else:
            found[name.strip('"')] = value.strip().strip('"')
    return found
