"""Bun's text form: https://bun.sh/reference/bun/BunLockFile."""

from __future__ import annotations

from typing import Any

from checks.lock_files.locked import (
    Locked,
    LockFile,
    canonical,
    integrity,
    mapping,
    masked_all,
    npm_registry,
    sequence,
    text,
    traits,
    without,
)
from checks.lock_files.npm import UNSTATED
from checks.tampering.settings.documents import json_value

_EDGES = ("dependencies", "optionalDependencies", "peerDependencies", "optionalPeers", "os", "cpu", "libc")
_WISHES = ("workspaces", "catalog", "catalogs")
_OF_THE_REGISTRY = 4  # name@version, registry, facts, integrity; all else has other numbers of parts


def read_bun(written: str) -> LockFile:
    """Raises UnknownForm, Unreadable."""
    lock = mapping(json_value(written))
    read = {place: _locked(place, sequence(entry)) for place, entry in mapping(lock["packages"]).items()}
    rest = without(lock, "packages")
    frame = {name: masked_all(value) if name in _WISHES else value for name, value in rest.items()}
    chosen = {place: (one.name, one.version) for place, one in read.items()}
    return LockFile(frozenset(read.values()), frame, chosen)


def _locked(place: str, entry: list[Any]) -> Locked:
    name, _, version = text(entry[0] if entry else "").rpartition("@")
    facts = mapping(entry[2]) if len(entry) == _OF_THE_REGISTRY else {}
    shown = name if place == name or place.endswith(f"/{name}") else f"{place} (which is {name})"
    source = _source(entry, name, version)
    digests = integrity(entry[-1]) if source is not None else frozenset[str]()
    return Locked(shown, version, source, digests, traits(facts, _EDGES), canonical(entry))


def _source(entry: list[Any], name: str, version: str) -> str | None:
    if len(entry) != _OF_THE_REGISTRY:
        return None
    return UNSTATED if entry[1] == "" else npm_registry(entry[1], name, version)
