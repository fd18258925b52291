"""The form that every lock file is read into, and the few readings that the formats share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import re2


class UnknownForm(ValueError):
    """The text is not of the form that its name says, or of a version of it that is not known."""


@dataclass(frozen=True, slots=True)
class Locked:
    """One package as it is installed.

    `source` is the registry it comes from, without name and version; None where it is none (a URL, git, a folder, an
    entry of a form that is not known). `digests` prove the bytes. `traits` is whatever else decides what is installed
    or run and does not change with a version, such as "runs a script at install". `content` must not change while the
    version does not.
    """

    name: str
    version: str
    source: str | None
    digests: frozenset[str] = frozenset()
    traits: frozenset[str] = frozenset()
    content: str = ""


@dataclass(frozen=True, slots=True)
class LockFile:
    """`frame` is everything in the file that an update of packages leaves as it is, by its name there.

    `chosen` says which version stands at a place (a folder, a range somebody asks for), where the format knows places.
    `pinned` must not change where both sides have it, and may come and go.
    """

    packages: frozenset[Locked]
    frame: Mapping[str, Any]
    chosen: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # place to name and version
    pinned: Mapping[str, str] = field(default_factory=dict)


def mapping(value: Any) -> Mapping[str, Any]:
    """The same, if it is one. Raises UnknownForm."""
    if not isinstance(value, dict):
        raise UnknownForm(f"a mapping was expected instead of {str(value)[:40]}")
    return value


def sequence(value: Any) -> list[Any]:
    """The same, if it is one. Raises UnknownForm."""
    if not isinstance(value, list):
        raise UnknownForm(f"a list was expected instead of {str(value)[:40]}")
    return value


def text(value: Any) -> str:
    """The same, if it is one. Raises UnknownForm."""
    if not isinstance(value, str):
        raise UnknownForm(f"a text was expected instead of {str(value)[:40]}")
    return value


def canonical(value: Any) -> str:
    """One text for one value, whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, default=str)


def without(table: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name not in names}


def traits(table: Mapping[str, Any], known: Iterable[str]) -> frozenset[str]:
    """Everything that is none of the fields whose meaning is known."""
    return frozenset(f"{name} {canonical(value)}" for name, value in without(table, *known).items())


_RANGE = re2.compile(r"(^|[\s@(^~<>=!,|-])v?([0-9]+(?:\.[0-9A-Za-z*+-]+)*)")
_WHERE = re2.compile(r"[:/\\]|\.\.")
# What may stand before a range of versions and leaves it one: https://yarnpkg.com/protocols, https://pnpm.io/catalogs
_PROTOCOLS = ("npm:", "workspace:", "catalog:")


def masked(wish: str) -> str:
    """A range of versions without its numbers; a text that names a place (a URL, a path, git) stays as it is."""
    protocol = next((one for one in _PROTOCOLS if wish.startswith(one)), "")
    rest = wish.removeprefix(protocol)
    bare = re2.sub(r"@[A-Za-z0-9._-]+/", "@", rest)  # the scope of a package's name is no path
    return wish if _WHERE.search(bare) else protocol + _RANGE.sub(r"\g<1>0", rest)


def masked_all(value: Any) -> Any:
    """Every range in it without its numbers."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, list):
        return [masked_all(one) for one in value]
    if isinstance(value, dict):
        return {name: masked_all(one) for name, one in value.items()}
    return value


_STRONG = re2.compile(r"sha256-[A-Za-z0-9+/]{43}=|sha384-[A-Za-z0-9+/]{64}|sha512-[A-Za-z0-9+/]{86}==")
_SHA256 = re2.compile(r"sha256[:=][0-9a-f]{64}")


def integrity(value: Any) -> frozenset[str]:
    """Strong digests of Subresource Integrity (https://www.w3.org/TR/SRI/); none where one of them is not strong."""
    parts = value.split() if isinstance(value, str) else []
    return frozenset(parts) if all(map(_STRONG.fullmatch, parts)) else frozenset()


def sha256(values: Iterable[Any]) -> frozenset[str]:
    """`sha256:` with 64 hexadecimal digits each; none where one is something else."""
    found = [str(value) for value in values]
    return frozenset(found) if all(map(_SHA256.fullmatch, found)) else frozenset()


def npm_registry(address: Any, name: str, version: str) -> str | None:
    """The registry of a tarball's address; None where it is not this package's at an npm registry.

    Form of the address: https://docs.npmjs.com/cli/configuring-npm/package-lock-json, `resolved`.
    """
    if not isinstance(address, str) or not address.startswith("https://"):
        return None
    bare = address.partition("#")[0]
    end = f"/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
    return bare.removesuffix(end) if bare.endswith(end) else None


MOST_LINES = 60_000


def lines(written: str) -> Iterator[str]:
    """Without line ends of either kind. Raises UnknownForm where there are more than MOST_LINES."""
    if written.count("\n") > MOST_LINES:
        raise UnknownForm(f"more than {MOST_LINES} lines")
    return (line.removesuffix("\r") for line in written.split("\n"))
