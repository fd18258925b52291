"""What manifests of dependencies ask for: ranges of versions by name, and everything else in the file.

An update by a bot changes the numbers in ranges and nothing else; scripts, sources, overrides and workspaces are
everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import re2

from checks.dependency_steps import DependencyUpdate, MoreThanVersions
from checks.lock_files.locked import mapping, masked, sha256, text
from checks.tampering.settings.documents import json_value, toml_value


@dataclass(slots=True)
class Manifest:
    """`wishes` maps a place (section and name) to its range; `frame` is the rest, comparable by equality."""

    frame: Any
    wishes: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, frozenset[str]] = field(default_factory=dict)  # by place, of pinned requirements


_VERSION = re2.compile(r"[0-9]+(?:\.[0-9A-Za-z*]+)*(?:[-+][0-9A-Za-z.-]+)?")


def wish_updates(path: str, before: Manifest, after: Manifest) -> Iterator[DependencyUpdate]:
    """Raises MoreThanVersions."""
    if before.frame != after.frame or before.wishes.keys() != after.wishes.keys():
        raise MoreThanVersions("changes more than versions")
    for place, old in before.wishes.items():
        new = after.wishes[place]
        if old == new and before.hashes.get(place) != after.hashes.get(place):
            raise MoreThanVersions(f"changes the checksums of {place}, which keeps its version")
        if old != new:
            yield from _steps(path, place, old, new)
            _still_hashed(place, before, after)


def _steps(path: str, place: str, old: str, new: str) -> Iterator[DependencyUpdate]:
    if masked(old) != masked(new):
        raise MoreThanVersions(f"changes more than the version of {place}")
    for one, two in zip(_VERSION.findall(old), _VERSION.findall(new), strict=True):
        if one != two:
            yield DependencyUpdate(path, place.rpartition(" ")[2], one, two)


def _still_hashed(place: str, before: Manifest, after: Manifest) -> None:
    if before.hashes.get(place) and not after.hashes.get(place):
        raise MoreThanVersions(f"drops the checksums of {place}")


def read_package_json(written: str) -> Manifest:
    """https://docs.npmjs.com/cli/configuring-npm/package-json. Raises Unreadable, UnknownForm."""
    sections = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
    return _by_section(dict(mapping(json_value(written))), sections)


def read_composer_json(written: str) -> Manifest:
    """https://getcomposer.org/doc/04-schema.md. Raises Unreadable, UnknownForm."""
    return _by_section(dict(mapping(json_value(written))), ("require", "require-dev"))


def read_pipfile(written: str) -> Manifest:
    """https://pipenv.pypa.io/en/latest/pipfile.html. Raises Unreadable, UnknownForm."""
    return _by_section(dict(mapping(toml_value(written))), ("packages", "dev-packages"))


def read_cargo_toml(written: str) -> Manifest:
    """https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html. Raises Unreadable, UnknownForm."""
    whole = dict(mapping(toml_value(written)))
    manifest = _by_section(whole, _CARGO)
    tables = [("workspace", mapping(whole.get("workspace", {})))]
    tables += [(f"target {name}", mapping(one)) for name, one in mapping(whole.get("target", {})).items()]
    frames = []
    for place, table in tables:
        part = _by_section(dict(table), _CARGO, f"{place} ")
        manifest.wishes |= part.wishes
        frames.append((place, part.frame))
    rest = {name: one for name, one in manifest.frame.items() if name not in ("workspace", "target")}
    return Manifest([rest, frames], manifest.wishes)


_CARGO = ("dependencies", "dev-dependencies", "build-dependencies")


def _by_section(whole: Mapping[str, Any], sections: tuple[str, ...], around: str = "") -> Manifest:
    """Each section maps a name to a range, or to a table with the range as `version`."""
    manifest = Manifest(dict(whole))
    for section in sections:
        if section not in whole:
            continue
        rest: dict[str, Any] = {}
        for name, wish in mapping(whole[section]).items():
            place = f"{around}{section} {name}"
            rest[name], manifest.wishes[place] = _wish(wish)
        manifest.frame[section] = rest
    return manifest


def _wish(wish: Any) -> tuple[Any, str]:
    """What is left of it beside the range, and the range."""
    if isinstance(wish, dict):
        return {name: one for name, one in wish.items() if name != "version"}, text(wish.get("version", ""))
    return None, text(wish)


# https://packaging.python.org/en/latest/specifications/dependency-specifiers/, without URLs.
_REQUIREMENT = re2.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9._, -]*\])?)\s*\(?([^;@()]*?)\)?\s*(;.*)?")


def read_pyproject(written: str) -> Manifest:
    """https://packaging.python.org/en/latest/specifications/pyproject-toml/ and the tables of Poetry.

    Raises Unreadable, UnknownForm.
    """
    manifest = Manifest(None)
    manifest.frame = _without_requirements(mapping(toml_value(written)), (), manifest.wishes)
    return manifest


def _without_requirements(value: Any, path: tuple[str, ...], wishes: dict[str, str]) -> Any:
    """The value with every requirement's range taken out of it into `wishes`. The TOML reader bounds the depth."""
    if isinstance(value, dict):
        if _is_poetry(path):
            return {name: _poetry(name, wish, path, wishes) for name, wish in value.items()}
        return {name: _without_requirements(one, (*path, name), wishes) for name, one in value.items()}
    if isinstance(value, list) and _is_list_of_requirements(path):
        return [_requirement(one, path, wishes) for one in value]
    return value


def _is_list_of_requirements(path: tuple[str, ...]) -> bool:
    known = (("project", "dependencies"), ("build-system", "requires"), ("tool", "uv", "dev-dependencies"))
    groups = (("project", "optional-dependencies"), ("dependency-groups",), ("tool", "pdm", "dev-dependencies"))
    return path in known or path[:-1] in groups


def _is_poetry(path: tuple[str, ...]) -> bool:
    if path[:2] != ("tool", "poetry"):
        return False
    grouped = len(path) == 5 and path[2] == "group" and path[4] == "dependencies"
    return grouped or path[2:] in (("dependencies",), ("dev-dependencies",))


def _poetry(name: str, wish: Any, path: tuple[str, ...], wishes: dict[str, str]) -> Any:
    if isinstance(wish, list):  # several ranges for several platforms
        return wish
    rest, wishes[f"{'.'.join(path)} {name}"] = _wish(wish)
    return rest


def _requirement(value: Any, path: tuple[str, ...], wishes: dict[str, str]) -> Any:
    """What is left of a requirement without its range: name, extras and marker."""
    found = _REQUIREMENT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value
    rest = f"{found[1]} {found[3] or ''}"
    place = f"{'.'.join(path)} {found[1]}"
    if place in wishes:  # once more for another platform
        return value
    wishes[place] = found[2] or ""
    return rest


_HASH = re2.compile(r"\s--hash=(\S+)")


def read_requirements(written: str) -> Manifest:
    """https://pip.pypa.io/en/stable/reference/requirements-file-format/; options stay as they are."""
    manifest = Manifest([])
    joined = written.replace("\r\n", "\n").replace("\\\n", " ")
    for line in joined.split("\n"):
        bare = (re2.sub(r"(^|\s)#.*", "", line) if "#" in line else line).strip()
        if bare:
            manifest.frame.append(_pinned(bare, manifest))
    return manifest


def _pinned(line: str, manifest: Manifest) -> str:
    hashes = _HASH.findall(line)
    bare = _HASH.sub("", line).strip()
    found = None if bare.startswith("-") or " -" in bare else _REQUIREMENT.fullmatch(bare)
    if found is None or found[1] in manifest.wishes:
        return line
    manifest.wishes[found[1]] = found[2] or ""
    manifest.hashes[found[1]] = sha256(hashes)
    return f"{found[1]} {found[3] or ''}"


# A range is a text of its own after the name; what else is written in Ruby stays as it is.
_GEM = re2.compile(
    r"""(\s*gem\s*\(?\s*["']([A-Za-z0-9_.-]+)["'])((?:\s*,\s*["'][~><=! ]*[0-9][0-9A-Za-z.]*["'])+)(.*)"""
)


def read_gemfile(written: str) -> Manifest:
    """https://bundler.io/man/gemfile.5.html. It is Ruby, so that only the plainest lines may change."""
    manifest = Manifest([])
    for line in written.split("\n"):
        found = _GEM.fullmatch(line)
        if found is None or found[2] in manifest.wishes:
            manifest.frame.append(line)
            continue
        manifest.wishes[found[2]] = re2.sub(r"[\"']", "", found[3])
        manifest.frame.append((found[1], found[4]))
    return manifest


_REQUIRE = re2.compile(r"\s*(require\s+)?([^\s()\"`']+)\s+(v[0-9]\S*)\s*(//.*)?")


def read_go_mod(written: str) -> Manifest:
    """https://go.dev/ref/mod#go-mod-file: of its directives only `require` may change, within its block or alone."""
    manifest, block = Manifest([]), ""
    for line in written.replace("\r\n", "\n").split("\n"):
        bare = line.partition("//")[0].strip()
        if bare.endswith("("):
            block = bare.removesuffix("(").strip()
        found = _REQUIRE.fullmatch(line) if block == "require" or bare.startswith("require ") else None
        if bare == ")":
            block = ""
        if found is None or found[2] in manifest.wishes:
            manifest.frame.append(bare)
            continue
        manifest.wishes[found[2]] = found[3]
        manifest.frame.append(found[2])
    return manifest
