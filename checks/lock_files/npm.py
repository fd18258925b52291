"""npm: https://docs.npmjs.com/cli/configuring-npm/package-lock-json.

`packages` since version 2, beside which version 2 keeps the older `dependencies` for older clients: both are read.
"""

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
    npm_registry,
    text,
    traits,
    without,
)
from checks.tampering.settings.documents import json_value

_TREE = "node_modules/"
# What a registry says of a version and what the tree makes of it; none of it decides which bytes are installed.
_EDGES = (
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "peerDependenciesMeta",
    "requires",
)
_FREE = ("dev", "optional", "devOptional", "peer", "license", "funding", "engines", "deprecated")
_PLATFORM = ("os", "cpu", "libc")
_KNOWN = ("version", "resolved", "integrity", "name", *_EDGES, *_FREE, *_PLATFORM)
UNSTATED = "the configured registry"


def read_npm(written: str) -> LockFile:
    """Raises UnknownForm, Unreadable."""
    lock = mapping(json_value(written))
    if "packages" not in lock and "dependencies" not in lock:
        raise UnknownForm("no package is seen")
    paths = mapping(lock.get("packages", {}))
    installed = {path: mapping(one) for path, one in paths.items() if _is_installed(path, one)}
    nested = dict(_nested(mapping(lock.get("dependencies", {})), "dependencies"))
    frame = {f"packages {path}": _asking(mapping(one)) for path, one in paths.items() if path not in installed}
    read = {path: _locked(path, one) for path, one in (*installed.items(), *nested.items())}
    chosen = {path: (one.name, one.version) for path, one in read.items()}
    return LockFile(frozenset(read.values()), {**without(lock, "packages", "dependencies"), **frame}, chosen)


def _is_installed(path: str, entry: Any) -> bool:
    """Not the project itself, one of its workspaces, or a link to one. Raises UnknownForm."""
    if path.startswith("/") or ".." in path.split("/"):
        raise UnknownForm(f"{path[:80]!r} is no place of a package")
    return _TREE in path and "link" not in mapping(entry)


def _nested(dependencies: Mapping[str, Any], around: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Version 1. The depth is bounded by the JSON reader's."""
    for name, entry in dependencies.items():
        one = mapping(entry)
        path = f"{around} {_TREE}{name}"
        yield path, without(one, "dependencies")
        yield from _nested(mapping(one.get("dependencies", {})), path)


def _locked(path: str, entry: Mapping[str, Any]) -> Locked:
    place = path.rpartition(_TREE)[2]
    name, version = text(entry.get("name", place)), text(entry.get("version", ""))
    address = entry.get("resolved")
    return Locked(
        name if name == place else f"{place} (which is {name})",
        version,
        UNSTATED if address is None and _is_plain(version) else npm_registry(address, name, version),
        integrity(entry.get("integrity")),
        traits(entry, _KNOWN),
        canonical(_asking(without(entry, *_FREE))),
    )


def _asking(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Whom it asks for stays, without the numbers in the ranges."""
    return {name: masked_all(value) if name in _EDGES else value for name, value in entry.items()}


def _is_plain(version: str) -> bool:
    """Version 1 writes an alias, a URL or a folder where the version stands."""
    return not any(character in version for character in ":/@")
