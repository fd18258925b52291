"""Composer: https://getcomposer.org/doc/01-basic-usage.md and the schema of a package's own file.

Archives have no checksum as a rule; they are named by the commit that they are made of. That this commit is of the
version's tag is not known here: GitHub serves commits of forks below the repository's address too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import re2

from checks.lock_files.locked import Locked, LockFile, canonical, mapping, sequence, text, traits, without
from checks.tampering.settings.documents import json_value

_COMMIT = re2.compile(r"[0-9a-f]{40}")
_FREE = (
    "require",
    "require-dev",
    "conflict",
    "provide",
    "replace",
    "suggest",
    "description",
    "homepage",
    "keywords",
    "authors",
    "support",
    "funding",
    "time",
    "license",
    "extra",
    "abandoned",
)


def read_composer(written: str) -> LockFile:
    """Raises UnknownForm, Unreadable."""
    lock = mapping(json_value(written))
    packages = [mapping(one) for name in ("packages", "packages-dev") for one in sequence(lock.get(name, []))]
    frame = without(lock, "packages", "packages-dev", "content-hash", "plugin-api-version")
    return LockFile(frozenset(map(_locked, packages)), frame)


def _locked(package: Mapping[str, Any]) -> Locked:
    dist, source = mapping(package.get("dist", {})), mapping(package.get("source", {}))
    commit = text(dist.get("reference", ""))
    named = _COMMIT.fullmatch(commit) is not None and source.get("reference", commit) == commit
    return Locked(
        text(package["name"]),
        text(package["version"]),
        _source(dist, source, commit) if named else None,
        frozenset({commit, text(dist.get("shasum", ""))} - {""}),
        traits(package, ("name", "version", "dist", "source", *_FREE)),
        canonical(without(package, *_FREE)),
    )


def _source(dist: Mapping[str, Any], source: Mapping[str, Any], commit: str) -> str | None:
    """Addresses without the commit; both must be of HTTPS, and the archive's must name it."""
    archive, repository = text(dist.get("url", "")), text(source.get("url", "https://"))
    if not archive.startswith("https://") or not repository.startswith("https://") or commit not in archive:
        return None
    kinds = (dist.get("type"), source.get("type"), without(dist, "type", "url", "reference", "shasum"))
    return canonical([archive.replace(commit, ""), repository, *kinds])
