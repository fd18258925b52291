"""What an update does between two lock files, as far as it is one: everything else is more than new versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from checks.dependency_steps import DependencyUpdate, MoreThanVersions, numbers
from checks.lock_files.locked import Locked, LockFile

Versions = dict[str, set[str]]


def updates(path: str, before: LockFile, after: LockFile) -> list[DependencyUpdate]:
    """Steps of versions. Raises MoreThanVersions, with the first thing seen that is no such step."""
    _same_frame(before, after)
    known: dict[str, list[Locked]] = defaultdict(list)
    for package in before.packages:
        known[package.name].append(package)
    for package in sorted(after.packages - before.packages, key=lambda one: (one.name, one.version)):
        if package.name in known:
            _same_origin(package, known[package.name])
    steps = [*_by_name(path, _versions(before.packages), _versions(after.packages)), *_by_place(path, before, after)]
    return sorted(set(steps), key=lambda one: (one.name, one.before or "", one.after or ""))


def _same_frame(before: LockFile, after: LockFile) -> None:
    for name in sorted({*before.frame, *after.frame}):
        if before.frame.get(name) != after.frame.get(name):
            raise MoreThanVersions(f"changes `{name[:80]}`, which is no package's version")
    for name in before.pinned.keys() & after.pinned.keys():
        if before.pinned[name] != after.pinned[name]:
            raise MoreThanVersions(f"changes the {name}, which keeps its version")


def _same_origin(package: Locked, known: list[Locked]) -> None:
    what = f"{package.name} {package.version}"
    if any(one.version == package.version and one.content != package.content for one in known):
        raise MoreThanVersions(f"changes {what}, which keeps its version")
    if package.source is None:
        raise MoreThanVersions(f"takes {what} from a place that is not recognised as its registry")
    if package.source not in {one.source for one in known}:
        raise MoreThanVersions(f"takes {what} from another source than before")
    if not package.digests:
        raise MoreThanVersions(f"has no checksum of {what} that proves its bytes")
    fresh = package.traits - {trait for one in known for trait in one.traits}
    if fresh:
        raise MoreThanVersions(f"gives {what} what it had not: {min(fresh)[:80]}")


def _versions(packages: Iterable[Locked]) -> Versions:
    found: Versions = defaultdict(set)
    for package in packages:
        found[package.name].add(package.version)
    return found


def _by_name(path: str, before: Versions, after: Versions) -> Iterator[DependencyUpdate]:
    """Each version that came, from the next below; each that is gone, to the next above, if the package is still there.

    A package of several versions may so be named twice; none of the ways from old to new is longer than these.
    """
    for name in sorted({*before, *after}):
        old, new = before.get(name, set()), after.get(name, set())
        yield from (DependencyUpdate(path, name, _below(version, old), version) for version in new - old)
        yield from (DependencyUpdate(path, name, version, _above(version, new)) for version in old - new)


def _below(version: str, among: set[str]) -> str | None:
    lower = [one for one in among if numbers(one) <= numbers(version)]
    return max(lower, key=numbers) if lower else min(among, key=numbers, default=None)


def _above(version: str, among: set[str]) -> str | None:
    higher = [one for one in among if numbers(one) >= numbers(version)]
    return min(higher, key=numbers) if higher else max(among, key=numbers, default=None)


def _by_place(path: str, before: LockFile, after: LockFile) -> Iterator[DependencyUpdate]:
    """Without these, two versions could change places and nothing would be new."""
    for place in before.chosen.keys() & after.chosen.keys():
        (was, old), (name, new) = before.chosen[place], after.chosen[place]
        if was != name:
            raise MoreThanVersions(f"puts {name} where {was} was")
        if old != new:
            yield DependencyUpdate(path, name, old, new)
