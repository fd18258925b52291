"""Commits, trees and diffs as git prints them, read into values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

ZERO = "0" * 40  # names no object: a ref that is not there


@dataclass(frozen=True)
class Person:
    name: str
    email: str


@dataclass(frozen=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    authored_at: datetime
    committer: Person
    committed_at: datetime
    message: str


@dataclass(frozen=True)
class TreeEntry:
    mode: str  # six octal digits
    type: str  # blob, tree, commit
    sha: str
    size: int | None  # bytes, blobs only
    path: str


@dataclass(frozen=True)
class FileChange:
    """One file of a diff; `patch` starts at the first hunk and is None for binary files and pure renames."""

    status: str  # added, removed, modified, renamed, copied, changed
    path: str
    previous_path: str | None
    old_mode: str
    new_mode: str
    sha: str  # blob after the change; before it, for a removed file
    additions: int
    deletions: int
    patch: str | None


@dataclass(frozen=True)
class FileContent:
    """A file to write with a mode other than 100644; a submodule's data is its commit id."""

    data: bytes
    mode: str = "100644"


Files = Mapping[str, "bytes | str | FileContent | None"]


def _moment(line: str) -> tuple[Person, datetime]:
    """Splits `Name <mail> seconds zone` as in a commit object."""
    who, _, when = line.rpartition("> ")
    name, _, email = who.partition(" <")
    return Person(name, email), datetime.fromtimestamp(int(when.split()[0]), UTC)


def parse_commit(sha: str, raw: bytes) -> Commit:
    head, _, message = raw.decode(errors="replace").partition("\n\n")
    fields = [line.partition(" ")[::2] for line in head.split("\n")]
    first: dict[str, str] = {}
    for key, value in fields:
        first.setdefault(key, value)
    author, authored_at = _moment(first["author"])
    committer, committed_at = _moment(first["committer"])
    parents = tuple(value for key, value in fields if key == "parent")
    return Commit(sha, first["tree"], parents, author, authored_at, committer, committed_at, message.rstrip("\n"))


def parse_tree(raw: bytes) -> list[TreeEntry]:
    entries = []
    for record in raw.split(b"\0"):
        if not record:
            continue
        meta, _, path = record.partition(b"\t")
        mode, kind, sha, size = meta.decode().split()
        entries.append(TreeEntry(mode, kind, sha, None if size == "-" else int(size), path.decode(errors="replace")))
    return entries


STATUS_NAMES = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}


def parse_diff(summary: bytes, patches: bytes) -> list[FileChange]:
    fields = summary.decode(errors="replace").split("\0")
    raw, position = _raw_records(fields)
    counts = _numstat_records(fields[position:])
    texts = _patch_texts(patches.decode(errors="replace"))
    texts += [None] * (len(raw) - len(texts))
    return [_file_change(r, c, t) for r, c, t in zip(raw, counts, texts, strict=True)]


def _raw_records(fields: list[str]) -> tuple[list[list[str]], int]:
    """Records [old mode, new mode, old sha, new sha, letter, path, previous path?] and where they end."""
    records, i = [], 0
    while i < len(fields) and fields[i].startswith(":"):
        record = fields[i][1:].split(" ")
        two_paths = record[4][0] in "RC"
        records.append([*record, fields[i + 2], fields[i + 1]] if two_paths else [*record, fields[i + 1]])
        i += 3 if two_paths else 2
    return records, i


def _numstat_records(fields: list[str]) -> list[tuple[int, int]]:
    counts, i = [], 0
    while i < len(fields) and fields[i]:
        added, deleted, path = fields[i].split("\t", 2)
        counts.append((0, 0) if added == "-" else (int(added), int(deleted)))
        i += 1 if path else 3  # a rename gives its two paths as fields of their own
    return counts


def _patch_texts(text: str) -> list[str | None]:
    """The hunks of each file; a line of content never starts with `diff --git`, it has a sign before it."""
    sections = ("\n" + text).split("\ndiff --git ")[1:]
    hunks = []
    for section in sections:
        _, found, body = section.partition("\n@@ ")
        hunks.append("@@ " + body.rstrip("\n") if found else None)
    return hunks


def _file_change(record: list[str], counts: tuple[int, int], patch: str | None) -> FileChange:
    old_mode, new_mode, old_sha, new_sha, letter, path, *previous = record
    return FileChange(
        status=STATUS_NAMES.get(letter[0], "changed"),
        path=path,
        previous_path=previous[0] if previous else None,
        old_mode=old_mode,
        new_mode=new_mode,
        sha=old_sha if letter[0] == "D" else new_sha,
        additions=counts[0],
        deletions=counts[1],
        patch=patch,
    )
