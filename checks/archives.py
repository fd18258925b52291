"""The zip archive of an artifact, made by a job that ran a pull request's code: limits first, then the wanted files.

Nothing is written anywhere and no archive within the archive is opened. One entry that tries a trick is reason enough
not to believe the others. The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

from checks.paths import PathPatterns
from checks.unread import Unread

LARGEST = 32 * 1024**2  # bytes of an archive
MOST_ENTRIES = 20_000
MOST_FILES = 5_000  # of the wanted ones
MOST_BYTES = 64 * 1024**2  # of the wanted files together, unpacked
LARGEST_RATIO = 500  # of a file; real reports pack to about a fiftieth
SMALL = 1024**2  # bytes; below, no ratio is a bomb
_ENTRY = b"PK\x01\x02"  # begins each entry of the central directory
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile raises for archives that are no archives.
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, OverflowError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    path: str
    data: bytes


class ArchiveFault(ValueError):
    """The archive is not read; the text completes "the archive …"."""


def read_archive(data: bytes, wanted: PathPatterns) -> tuple[ArchiveFile, ...] | Unread:
    """The files whose paths match `wanted`, in the order of their paths. Never raises for what the archive holds."""
    try:
        return _read(data, wanted)
    except ArchiveFault as fault:
        return Unread(f"the archive {fault}")
    except _BROKEN as broken:
        return Unread(f"the archive is broken: {broken}")


def _read(data: bytes, wanted: PathPatterns) -> tuple[ArchiveFile, ...]:
    if len(data) > LARGEST:
        raise ArchiveFault(f"is {len(data)} bytes, more than {LARGEST} are not read")
    if data.count(_ENTRY) > MOST_ENTRIES:
        raise ArchiveFault(f"has more than {MOST_ENTRIES} entries")
    with zipfile.ZipFile(BytesIO(data)) as archive:
        entries = archive.infolist()
        _refuse_tricks(entries)
        chosen = [entry for entry in entries if not entry.is_dir() and wanted.matches(entry.filename)]
        _refuse_bombs(chosen)
        return tuple(sorted(_files(archive, chosen), key=lambda file: file.path))


def _refuse_tricks(entries: list[zipfile.ZipInfo]) -> None:
    seen: set[str] = set()
    for entry in entries:
        trick = _trick(entry) or ("stands in it twice" if entry.filename in seen else None)
        if trick is not None:
            raise ArchiveFault(f"is not read: its entry `{entry.filename[:200]}` {trick}")
        seen.add(entry.filename)


def _trick(entry: zipfile.ZipInfo) -> str | None:
    name = entry.orig_filename
    if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
        return "leads out of it"
    if not name.isprintable():
        return "has a name that cannot be shown"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "is a symbolic link"
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted"
    return None if entry.compress_type in _METHODS else "is packed in a way that is not read"


def _refuse_bombs(entries: list[zipfile.ZipInfo]) -> None:
    """By the sizes that the archive states; zipfile gives no byte more than these."""
    if len(entries) > MOST_FILES:
        raise ArchiveFault(f"holds {len(entries)} reports, more than {MOST_FILES} are not read")
    if sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise ArchiveFault(f"holds reports of more than {MOST_BYTES} bytes")
    for entry in entries:
        if entry.file_size > SMALL and entry.file_size > LARGEST_RATIO * entry.compress_size:
            raise ArchiveFault(f"is not read: `{entry.filename[:200]}` is packed more than {LARGEST_RATIO} times")


def _files(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> Iterator[ArchiveFile]:
    for entry in entries:
        yield ArchiveFile(entry.filename, archive.read(entry))
