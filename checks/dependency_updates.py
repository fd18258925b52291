"""How far an update of dependencies goes, read from manifests and lock files and never from anybody's title.

Only what is recognised is an update: the numbers in a manifest's ranges, and in a lock file packages that were there
before, from the same registry, with checksums, under a higher version. Everything else is a doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from checks import manifests
from checks.dependency_steps import DependencyUpdate, MoreThanVersions, Step
from checks.lock_files import difference
from checks.lock_files.bun import read_bun
from checks.lock_files.bundler import read_bundler
from checks.lock_files.cargo import read_cargo
from checks.lock_files.composer import read_composer
from checks.lock_files.go import read_go_sum
from checks.lock_files.locked import LockFile
from checks.lock_files.npm import read_npm
from checks.lock_files.pnpm import read_pnpm
from checks.lock_files.python import read_pipenv, read_poetry, read_uv
from checks.lock_files.yarn import read_yarn
from checks.manifests import Manifest

MAX_BYTES = 8 * 1024 * 1024  # of one side of one lock file
MAX_MANIFEST_BYTES = 512 * 1024  # of one side of a file that people write
_MOST_UPDATES = 500
ChangedSides = tuple[str, bytes | None, bytes | None]  # path, and both sides of it


@dataclass(frozen=True, slots=True)
class UpdateReading:
    """`doubts` are sentences' ends about files that change more than versions or could not be read."""

    updates: tuple[DependencyUpdate, ...] = ()
    doubts: tuple[str, ...] = ()


def why_more(reading: UpdateReading | None, most: Step) -> str | None:
    """What of it goes further than `most`, None where nothing does; None for `reading`: it was not looked at."""
    if reading is None:
        return "how far its updates go is not known"
    if reading.doubts:
        return reading.doubts[0]
    return next((update.words for update in reading.updates if update.step > most), None)


def read_updates(files: Iterable[ChangedSides]) -> UpdateReading:
    """Path and both sides of each changed file; None where a side is absent. Never raises."""
    updates: list[DependencyUpdate] = []
    doubts: list[str] = []
    for path, before, after in files:
        try:
            updates += _updates(path, before, after)
        except (ValueError, RecursionError, TypeError, AttributeError, LookupError) as wrong:
            doubts.append(f"`{path}` {wrong if isinstance(wrong, MoreThanVersions) else 'could not be read'}")
    if len(updates) > _MOST_UPDATES:
        doubts.append(f"more than {_MOST_UPDATES} packages change")
    return UpdateReading(tuple(updates[:_MOST_UPDATES]), tuple(doubts))


def _updates(path: str, before: bytes | None, after: bytes | None) -> list[DependencyUpdate]:
    if before is None or after is None:
        raise MoreThanVersions("is added, removed or moved as a whole")
    if max(len(before), len(after)) > MAX_BYTES:
        raise MoreThanVersions(f"is larger than {MAX_BYTES} bytes")
    name = path.rpartition("/")[2]
    old, new = before.decode("utf-8"), after.decode("utf-8")
    if name in _LOCK_FILES:
        read = _LOCK_FILES[name]
        return difference.updates(path, read(old), read(new))
    manifest = _manifest_reader(name)
    if manifest is None:
        raise MoreThanVersions("has a form whose sources and versions are not read")
    if max(len(before), len(after)) > MAX_MANIFEST_BYTES:
        raise MoreThanVersions(f"is larger than {MAX_MANIFEST_BYTES} bytes")
    return list(manifests.wish_updates(path, manifest(old), manifest(new)))


def _manifest_reader(name: str) -> Callable[[str], Manifest] | None:
    return next((read for pattern, read in _MANIFESTS.items() if fnmatchcase(name, pattern)), None)


_LOCK_FILES: Mapping[str, Callable[[str], LockFile]] = {
    "package-lock.json": read_npm,
    "npm-shrinkwrap.json": read_npm,
    "yarn.lock": read_yarn,
    "pnpm-lock.yaml": read_pnpm,
    "bun.lock": read_bun,
    "composer.lock": read_composer,
    "Pipfile.lock": read_pipenv,
    "poetry.lock": read_poetry,
    "pdm.lock": read_poetry,
    "uv.lock": read_uv,
    "Cargo.lock": read_cargo,
    "Gemfile.lock": read_bundler,
    "go.sum": read_go_sum,
}

_MANIFESTS: Mapping[str, Callable[[str], Manifest]] = {
    "package.json": manifests.read_package_json,
    "composer.json": manifests.read_composer_json,
    "pyproject.toml": manifests.read_pyproject,
    "Pipfile": manifests.read_pipfile,
    "Cargo.toml": manifests.read_cargo_toml,
    "Gemfile": manifests.read_gemfile,
    "go.mod": manifests.read_go_mod,
    "requirements*.txt": manifests.read_requirements,
}
