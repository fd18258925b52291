"""pnpm: https://pnpm.io/lockfile-format, version 9, and version 6 with its slash before names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from checks.lock_files.locked import (
    Locked,
    LockFile,
    UnknownForm,
    canonical,
    integrity,
    mapping,
    masked_all,
    text,
    traits,
    without,
)
from checks.lock_files.npm import UNSTATED
from checks.tampering.settings.documents import yaml_value

_VERSIONS = ("6.", "9.")
_EDGES = ("dependencies", "optionalDependencies", "transitivePeerDependencies")
_FREE = ("dev", "optional", "deprecated", "engines")
_KNOWN = (
    "resolution",
    "os",
    "cpu",
    "libc",
    "peerDependencies",
    "peerDependenciesMeta",
    "bundledDependencies",
    *_EDGES,
    *_FREE,
)
_SECTIONS = ("packages", "snapshots", "time")
_WISHES = ("importers", "catalogs", "dependencies", "devDependencies", "optionalDependencies")


def read_pnpm(written: str) -> LockFile:
    """Raises UnknownForm, Unreadable."""
    lock = mapping(yaml_value(written))
    if not text(lock.get("lockfileVersion")).startswith(_VERSIONS):
        raise UnknownForm("a version of the lock file's form that is not known")
    snapshots = mapping(lock.get("snapshots", {}))
    edges = _edges_of(snapshots)
    packages = mapping(lock["packages"])
    read = [_locked(key, mapping(entry), edges.get(_bare(key), "")) for key, entry in packages.items()]
    rest = without(lock, *_SECTIONS)
    frame = {name: masked_all(value) if name in _WISHES else value for name, value in rest.items()}
    chosen = {**dict(_chosen(snapshots)), **dict(_chosen(packages)), **dict(_importers(lock))}
    return LockFile(frozenset(read), frame, chosen)


def _bare(key: str) -> str:
    """Name and version without the peers that the package was resolved with."""
    return key.partition("(")[0].removeprefix("/")


def _split(key: str) -> tuple[str, str]:
    name, _, version = _bare(key).rpartition("@")
    return name, version


def _locked(key: str, entry: Mapping[str, Any], edges: str) -> Locked:
    name, version = _split(key)
    resolution = mapping(entry.get("resolution"))
    content = canonical({**without(entry, *_FREE, *_EDGES), "edges": edges or _edges(entry)})
    return Locked(
        name,
        version,
        UNSTATED if name and set(resolution) == {"integrity"} else None,
        integrity(resolution.get("integrity")),
        traits(entry, _KNOWN),
        content,
    )


def _edges(entry: Mapping[str, Any]) -> str:
    return canonical([masked_all(entry.get(name)) for name in _EDGES[:2]])


def _edges_of(snapshots: Mapping[str, Any]) -> dict[str, str]:
    """By package: whom its snapshots ask for, without the versions. A package may have several, for other peers."""
    found: dict[str, set[str]] = {}
    for key, entry in snapshots.items():
        found.setdefault(_bare(key), set()).add(_edges(mapping(entry)))
    return {package: canonical(sorted(edges)) for package, edges in found.items()}


def _chosen(snapshots: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Which version each package gets of each that it asks for."""
    for key, entry in snapshots.items():
        for section in _EDGES[:2]:
            for name, version in mapping(mapping(entry).get(section, {})).items():
                yield f"{key} asks for {name}", (name, text(version).partition("(")[0])


def _importers(lock: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    projects = mapping(lock.get("importers", {".": lock}))
    for project, sections in projects.items():
        for section in ("dependencies", "devDependencies", "optionalDependencies"):
            for name, wish in mapping(mapping(sections).get(section, {})).items():
                version = text(mapping(wish).get("version", ""))
                yield f"{project} {section} {name}", (name, version.partition("(")[0])
