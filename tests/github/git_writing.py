"""Writing to a bare repository without a work tree: refs, blobs, trees, commits."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from tests.github.git_command import GitCommand
from tests.github.git_objects import ZERO, FileContent, Files, Person, TreeEntry
from tests.github.loose_objects import LooseObjects, NotLoose
from tests.github.loose_refs import moved


class Writing(GitCommand):
    """The half of Git that changes the repository. `reader` reads what can be read without git."""

    reader: ClassVar[type[LooseObjects]] = LooseObjects

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.loose = self.reader(path)

    async def fetch(self, source: Path, source_ref: str, ref: str) -> None:
        """Takes `source_ref` with its objects from another repository on disk and names it `ref` here."""
        await self.run("fetch", "-q", "--no-tags", str(source), f"+{source_ref}:{ref}")

    async def update_ref(self, ref: str, new: str, expected: str | None = None) -> None:
        """Moves, creates or (new all zeros) deletes `ref`; GitError when it is not at `expected` any more."""
        if new == ZERO:
            await self.run("update-ref", "-d", ref, *([expected] if expected else []))
            return
        if self._is_commit(new) and moved(self.path, ref, new, expected):
            return
        await self.run("update-ref", ref, new, *([expected] if expected else []))

    def _is_commit(self, sha: str) -> bool:
        try:
            return self.loose.kind(sha) == "commit"
        except NotLoose:
            return False

    async def write_blob(self, data: bytes) -> str:
        return (await self.run("hash-object", "-w", "--stdin", stdin=data)).decode().strip()

    async def write_paths(self, entries: Sequence[TreeEntry]) -> str:
        """The tree of files at their full paths."""
        file = self.path / f"index-{uuid.uuid4().hex}"
        index = {"GIT_INDEX_FILE": str(file)}
        lines = b"".join(f"{e.mode} {e.sha}\t{e.path}\0".encode() for e in entries)
        try:
            await self.run("update-index", "-z", "--add", "--index-info", stdin=lines, env=index)
            return (await self.run("write-tree", env=index)).decode().strip()
        finally:
            _discard(file)

    async def commit_tree(
        self,
        tree: str,
        parents: Sequence[str],
        message: str,
        author: Person,
        *,
        at: datetime,
        committer: Person | None = None,
    ) -> str:
        committer = committer or author
        env = {
            "GIT_AUTHOR_NAME": author.name,
            "GIT_AUTHOR_EMAIL": author.email,
            "GIT_AUTHOR_DATE": _timestamp(at),
            "GIT_COMMITTER_NAME": committer.name,
            "GIT_COMMITTER_EMAIL": committer.email,
            "GIT_COMMITTER_DATE": _timestamp(at),
        }
        flags = [flag for parent in parents for flag in ("-p", parent)]
        return (
            (await self.run("commit-tree", tree, *flags, "-F", "-", stdin=message.encode(), env=env)).decode().strip()
        )

    async def commit_files(
        self,
        files: Files,
        message: str,
        author: Person,
        *,
        at: datetime,
        parents: Sequence[str] = (),
        committer: Person | None = None,
    ) -> str:
        """Writes a commit that changes `files` against its first parent (None removes a path); moves no ref."""
        committer = committer or author
        ref = f"refs/writing/{uuid.uuid4().hex}"
        text = message.encode()
        lines = [
            b"feature done",
            f"commit {ref}".encode(),
            b"mark :1",
            f"author {author.name} <{author.email}> {_timestamp(at)}".encode(),
            f"committer {committer.name} <{committer.email}> {_timestamp(at)}".encode(),
            b"data %d" % len(text),
            text,
        ]
        lines += [f"{'merge' if n else 'from'} {parent}".encode() for n, parent in enumerate(parents)]
        for path, content in files.items():
            lines += _file_lines(path, content)
        lines += [b"", b"get-mark :1", f"reset {ref}".encode(), f"from {ZERO}".encode(), b"", b"done", b""]
        out = await self.run("fast-import", "--quiet", "--date-format=raw", stdin=b"\n".join(lines))
        return out.decode().split()[0]


def _timestamp(moment: datetime) -> str:
    return f"{int(moment.timestamp())} +0000"


def _quoted(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'.encode()


def _discard(file: Path) -> None:
    file.unlink(missing_ok=True)


def _file_lines(path: str, content: bytes | str | FileContent | None) -> list[bytes]:
    if content is None:
        return [b"D " + _quoted(path)]
    if isinstance(content, str):
        content = content.encode()
    if isinstance(content, bytes):
        content = FileContent(content)
    if content.mode == "160000":
        return [b"M 160000 " + content.data + b" " + _quoted(path)]
    head = b"M " + content.mode.encode() + b" inline " + _quoted(path)
    return [head, b"data %d" % len(content.data), content.data]
