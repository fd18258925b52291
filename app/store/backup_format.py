"""The file of a backup: one tar stream of the rows of each table, with what is needed to see that nothing is missing.

First `begin.json` (see `Beginning`), then for each table `rows/NAME/00000`, `rows/NAME/00001`, … with parts of what
`COPY NAME TO STDOUT` gives, in the order in which they can be put back, then what was kept beside the database under
`files/`, and last `end.json` (see `Ending`). A file without an end that fits is no backup. Not `pg_dump`'s format: that
refuses servers newer than itself and writes what older ones cannot read, while tables here are made by the migrations.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from typing import IO

from pydantic import ConfigDict, Field, ValidationError

from app.errors import ActionableError
from app.json_model import JsonModel

FORMAT = 1
BEGIN, END = "begin.json", "end.json"
ROWS, FILES = "rows/", "files/"
PART = 4 * 1024 * 1024  # bytes of rows in one member, as good as
LONGEST_PART = 1024 * 1024 * 1024  # PostgreSQL holds no longer row
LONGEST_JSON = 1024 * 1024


class BadBackup(ActionableError, ValueError):
    """The file is no whole backup, or none that this program can put back; the message says what to do."""


class Table(JsonModel):
    """A table's columns, and for a column that numbers its rows the last number that it gave."""

    model_config = ConfigDict(frozen=True)

    name: str
    columns: tuple[str, ...]
    numbered: str | None = None
    last_number: int | None = None


class Beginning(JsonModel):
    """`versions` are the migrations that made the tables."""

    model_config = ConfigDict(frozen=True)

    format: int
    versions: tuple[int, ...]
    tables: tuple[Table, ...]


class Ending(JsonModel):
    """By name of a table or file: how many rows (a file: 1), and SHA-256 of its bytes."""

    model_config = ConfigDict(frozen=True)

    counts: dict[str, int] = Field(default_factory=dict)
    digests: dict[str, str] = Field(default_factory=dict)


class Writer:
    """Writes members one after the other; `made_at` is seconds since 1970."""

    def __init__(self, file: IO[bytes], made_at: float) -> None:
        self._tar = tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115 - `close` does
        self._made_at = made_at

    def add(self, name: str, data: bytes) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mtime, member.mode = len(data), int(self._made_at), 0o600
        self._tar.addfile(member, io.BytesIO(data))

    def close(self) -> None:
        self._tar.close()


def members(file: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """Names and contents, in their order. Raises BadBackup where the file is cut or no tar stream."""
    try:
        with tarfile.open(fileobj=file, mode="r|") as tar:
            for member in tar:
                yield member.name, _content(tar, member)
    except (tarfile.TarError, EOFError, OSError) as wrong:
        raise BadBackup(f"the file is cut or no backup ({wrong}); nothing was restored. Use another one") from None


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if not member.isreg() or member.size > LONGEST_PART:
        raise BadBackup(f"{member.name[:100]} has no place in a backup; nothing was restored. Use another file")
    stream = tar.extractfile(member)
    data = b"" if stream is None else stream.read()
    if len(data) != member.size:
        raise BadBackup("the file is cut; nothing was restored. Use another one")
    return data


class Sums:
    """Digests of what is written or read in parts, by name."""

    def __init__(self) -> None:
        self._hashes: dict[str, hashlib._Hash] = {}

    def take(self, name: str, data: bytes = b"") -> None:
        self._hashes.setdefault(name, hashlib.sha256()).update(data)

    def digests(self) -> dict[str, str]:
        return {name: each.hexdigest() for name, each in self._hashes.items()}


def read_beginning(name: str, data: bytes) -> Beginning:
    """Raises BadBackup."""
    try:
        if name != BEGIN or len(data) > LONGEST_JSON:
            raise BadBackup("the file is no backup of Mergegate's. Use one that `mergegate backup` wrote")
        found = Beginning.model_validate_json(data)
    except ValidationError:
        raise BadBackup("the file is no backup of Mergegate's. Use one that `mergegate backup` wrote") from None
    if found.format != FORMAT:
        raise BadBackup(
            f"the file has format {found.format}, and this Mergegate reads {FORMAT}. Use the version it is of"
        )
    return found


def read_ending(data: bytes) -> Ending:
    """Raises BadBackup."""
    try:
        return Ending.model_validate_json(data[:LONGEST_JSON])
    except ValidationError:
        raise BadBackup("the file's end cannot be read; nothing was restored. Use another one") from None
