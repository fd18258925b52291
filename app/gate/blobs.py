"""The contents of many changed files, read from git in two commands whatever their number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.gate.git import GitFailed, GitObjects, run_git
from checks.diff import SUBMODULE_MODE, ChangedFile, FileStatus
from checks.tampering.change import LARGEST_FILE, Change, Version

MOST_BYTES = 48 * 1024 * 1024  # of all files together; what lies beyond is not read, and that is said
_ABSENT = "000000"


async def read_changes_with_contents(objects: GitObjects, files: Sequence[ChangedFile]) -> tuple[Change, ...]:
    """Both sides of every changed file. Raises GitFailed."""
    wanted = dict.fromkeys(oid for file in files for oid in _oids(file))
    contents = await read_blobs(objects, tuple(wanted))
    return tuple(_change(file, contents) for file in files)


def _oids(file: ChangedFile) -> Iterator[str]:
    for oid, mode in ((file.old_oid, file.old_mode), (file.new_oid, file.new_mode)):
        if oid is not None and mode not in (_ABSENT, SUBMODULE_MODE):
            yield oid


async def read_blobs(objects: GitObjects, oids: Sequence[str]) -> dict[str, bytes]:
    """The blobs that are no larger than LARGEST_FILE, in order, until MOST_BYTES are full. Raises GitFailed.

    https://git-scm.com/docs/git-cat-file#_batch_output
    """
    small = [oid for oid, size in await _sizes(objects, oids) if size <= LARGEST_FILE]
    if not small:
        return {}
    _, out, _ = await run_git(objects.folder, ("cat-file", "--batch"), stdin=_lines(small))
    return dict(_contents(out))


async def _sizes(objects: GitObjects, oids: Sequence[str]) -> list[tuple[str, int]]:
    """Object ids with their sizes, as far as they fit in MOST_BYTES together."""
    if not oids:
        return []
    query = ("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
    _, out, _ = await run_git(objects.folder, query, stdin=_lines(oids))
    sizes: list[tuple[str, int]] = []
    total = 0
    for line in out.decode("ascii").splitlines():
        oid, kind, size = line.split(" ")
        if kind != "blob":
            raise GitFailed(f"{oid} is no blob but a {kind}")
        counted = int(size) if int(size) <= LARGEST_FILE else 0
        if total + counted <= MOST_BYTES:
            total += counted
            sizes.append((oid, int(size)))
    return sizes


def _lines(oids: Sequence[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode("ascii")


def _contents(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """`<oid> blob <size>`, a line end, the bytes, a line end; and again."""
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        oid, _, size = answer[at:end].decode("ascii").split(" ")
        yield oid, answer[end + 1 : end + 1 + int(size)]
        at = end + int(size) + 2


def _change(file: ChangedFile, contents: Mapping[str, bytes]) -> Change:
    old_path = file.previous_path or file.path
    copied = file.status is FileStatus.COPIED
    before = None if copied else _version(old_path, file.old_mode, file.old_oid, contents)
    return Change(file.status, before, _version(file.path, file.new_mode, file.new_oid, contents))


def _version(path: str, mode: str, oid: str | None, contents: Mapping[str, bytes]) -> Version | None:
    if mode == _ABSENT:
        return None
    return Version(path, mode, contents.get(oid or ""))
