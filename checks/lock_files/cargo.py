"""Cargo: https://doc.rust-lang.org/cargo/guide/cargo-toml-vs-cargo-lock.html."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from checks.lock_files.locked import Locked, LockFile, UnknownForm, mapping, masked_all, sequence, text, traits, without
from checks.tampering.settings.documents import toml_value

_KNOWN = ("name", "version", "source", "checksum", "dependencies")
_REGISTRIES = ("registry+https://", "sparse+https://")
_SHA256_DIGITS = 64


def read_cargo(written: str) -> LockFile:
    """Packages without a source are the workspace's own. Raises UnknownForm, Unreadable."""
    lock = mapping(toml_value(written))
    packages = [mapping(one) for one in sequence(lock.get("package"))]
    if not packages:
        raise UnknownForm("no package is seen")
    own = {text(one["name"]): masked_all(one) for one in packages if "source" not in one}
    locked = frozenset(_locked(one) for one in packages if "source" in one)
    return LockFile(locked, {**without(lock, "package"), **own})


def _locked(package: Mapping[str, Any]) -> Locked:
    source, checksum = text(package["source"]), text(package.get("checksum", ""))
    digests = frozenset({checksum}) if len(checksum) == _SHA256_DIGITS else frozenset[str]()
    return Locked(
        text(package["name"]),
        text(package["version"]),
        source if source.startswith(_REGISTRIES) else None,
        digests,
        traits(package, _KNOWN),
        f"{source} {checksum}",
    )
