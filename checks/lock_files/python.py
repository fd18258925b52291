"""Poetry, PDM, uv and Pipenv."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from checks.lock_files.locked import (
    Locked,
    LockFile,
    UnknownForm,
    canonical,
    mapping,
    masked_all,
    sequence,
    sha256,
    text,
    traits,
    without,
)
from checks.tampering.settings.documents import json_value, toml_value

Package = Mapping[str, Any]
_SHOWN = ("description", "summary", "optional", "groups", "group", "category", "markers", "marker", "python-versions")
_POETRY_KNOWN = ("name", "version", "files", "source", "dependencies", "extras", "requires_python", *_SHOWN)
_UV_KNOWN = (
    "name",
    "version",
    "source",
    "sdist",
    "wheels",
    "dependencies",
    "optional-dependencies",
    "resolution-markers",
)
_THE_INDEX = "the configured index"


def read_poetry(written: str) -> LockFile:
    """Poetry's https://python-poetry.org/docs/basic-usage/ and PDM's form, which has the same parts.

    Raises UnknownForm, Unreadable.
    """
    lock = mapping(toml_value(written))
    metadata = without(mapping(lock.get("metadata", {})), "content-hash", "content_hash")
    packages = frozenset(map(_poetry, _packages(lock)))
    return LockFile(packages, {**without(lock, "package", "metadata"), "metadata": metadata})


def _packages(lock: Package) -> list[Package]:
    found = [mapping(one) for one in sequence(lock.get("package"))]
    if not found:
        raise UnknownForm("no package is seen")
    return found


def _poetry(package: Package) -> Locked:
    files = [mapping(one) for one in sequence(package.get("files", []))]
    named = all(set(one) == {"file", "hash"} for one in files)
    return Locked(
        _with_extras(package),
        text(package["version"]),
        _poetry_source(package.get("source")) if named else None,
        sha256(one.get("hash") for one in files),
        traits(package, _POETRY_KNOWN),
        canonical([package.get("source"), sorted(map(canonical, files))]),
    )


def _with_extras(package: Package) -> str:
    """PDM lists a package once more for its extras."""
    extras = package.get("extras")
    return f"{package['name']}[{','.join(extras)}]" if isinstance(extras, list) else text(package["name"])


def _poetry_source(source: Any) -> str | None:
    """An index has the type `legacy`; git, a URL and a folder are none."""
    if source is None:
        return _THE_INDEX
    return canonical(source) if mapping(source).get("type") == "legacy" else None


def read_uv(written: str) -> LockFile:
    """https://docs.astral.sh/uv/concepts/projects/layout/#the-lockfile. Raises UnknownForm, Unreadable."""
    lock = mapping(toml_value(written))
    packages = _packages(lock)
    own = {text(one["name"]): masked_all(one) for one in packages if "registry" not in mapping(one.get("source"))}
    locked = (_uv(one) for one in packages if "registry" in mapping(one["source"]))
    return LockFile(frozenset(locked), {**without(lock, "package"), **own})


def _uv(package: Package) -> Locked:
    name, version = text(package["name"]), text(package["version"])
    files = [mapping(one) for one in (*sequence(package.get("wheels", [])), *_sdist(package))]
    hosts = sorted({_host(text(one.get("url", "")), name, version) or "" for one in files})
    source = f"{canonical(package['source'])} from {', '.join(hosts)}"
    return Locked(
        name,
        version,
        source if all(hosts) else None,
        sha256(one.get("hash") for one in files),
        traits(package, _UV_KNOWN),
        canonical([package["source"], sorted(map(canonical, files))]),
    )


def _sdist(package: Package) -> list[Any]:
    return [package["sdist"]] if "sdist" in package else []


def _host(address: str, name: str, version: str) -> str | None:
    """Where a file of exactly this package and version lies; None where it is another's.

    Names of files: https://packaging.python.org/en/latest/specifications/binary-distribution-format/ and, for sources,
    source-distribution-format/.
    """
    parts = urlsplit(address)
    file = unquote(parts.path.rpartition("/")[2])
    if file.endswith(".whl"):
        owner, _, rest = file.partition("-")
        of = rest.partition("-")[0]
    else:
        owner, _, of = file.removesuffix(".tar.gz").removesuffix(".zip").rpartition("-")
    own = (_normal(owner), of.casefold()) == (_normal(name), version.casefold())
    return parts.netloc if parts.scheme == "https" and own else None


def _normal(name: str) -> str:
    """https://packaging.python.org/en/latest/specifications/name-normalization/"""
    return name.casefold().replace("_", "-").replace(".", "-")


def read_pipenv(written: str) -> LockFile:
    """https://pipenv.pypa.io/en/latest/pipfile.html. Raises UnknownForm, Unreadable."""
    lock = mapping(json_value(written))
    groups = {name: mapping(group) for name, group in lock.items() if name != "_meta"}
    read: Callable[[str, Any], Locked] = lambda name, entry: _pipenv(name, mapping(entry))  # noqa: E731
    packages = frozenset(read(name, entry) for group in groups.values() for name, entry in group.items())
    frame = {"_meta": without(mapping(lock.get("_meta", {})), "hash"), "groups": sorted(groups)}
    return LockFile(packages, frame)


def _pipenv(name: str, entry: Package) -> Locked:
    version = text(entry.get("version", ""))
    plain = version.startswith("==") and not {"git", "path", "file", "editable"} & set(entry)
    return Locked(
        name,
        version.removeprefix("=="),
        str(entry.get("index", _THE_INDEX)) if plain else None,
        sha256(sequence(entry.get("hashes", []))),
        traits(entry, ("version", "hashes", "index", "markers", "extras")),
        canonical(without(entry, "markers")),
    )
