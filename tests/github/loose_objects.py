"""Git's objects as a bare repository keeps them one by one, read without a process.

A simulated repository is small, and nothing packs it. What is packed or not there raises NotLoose; then git is asked,
which also knows what to say of it. The format is described in "Git Objects" of the Pro Git book.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from tests.github.git_objects import Commit, TreeEntry, parse_commit

OBJECT_ID = re.compile(r"[0-9a-f]{40}")
HEADER_BYTES = 64  # of a compressed object, enough for its kind and size
NO_NAMES = ("", ".", "..")


class NotLoose(Exception):
    """Only git can answer this."""


class LooseObjects:
    """What is in `repository`/objects. An object never changes, so what was read once is remembered."""

    def __init__(self, repository: Path) -> None:
        self.folder = repository / "objects"
        self._heads: dict[str, tuple[str, int]] = {}
        self._trees: dict[str, list[TreeEntry]] = {}
        self._commits: dict[str, Commit] = {}

    def kind(self, sha: str) -> str:
        """commit, tree, blob or tag."""
        return self._head(sha)[0]

    def blob(self, sha: str) -> bytes:
        return self._content(sha, "blob")

    def commit(self, sha: str) -> Commit:
        if sha not in self._commits:
            self._commits[sha] = parse_commit(sha, self._content(sha, "commit"))
        return self._commits[sha]

    def tree_of(self, sha: str) -> str:
        """The id of a commit's tree; of a tree its own."""
        kind = self.kind(sha)
        if kind == "commit":
            return self.commit(sha).tree
        if kind == "tree":
            return sha
        raise NotLoose(sha)

    def listed(self, treeish: str, path: str | None = None, *, recursive: bool = False) -> list[TreeEntry]:
        """As `git ls-tree -l`, with -r and -t when `recursive`. `treeish` is an object id, or one and `:path`."""
        start, _, below = treeish.partition(":")
        folder = self._descended(self.tree_of(start), below)
        if path is None:
            return list(self._entries(folder, "", recursive=recursive))
        if recursive:
            raise NotLoose(path)
        above, _, last = path.rpartition("/")
        if above and self.entry_id(folder, above) is None:
            return []
        inner = list(self._entries(self._descended(folder, above), f"{above}/" if above else "", recursive=False))
        return [entry for entry in inner if entry.path == path] if last else inner

    def entry_id(self, treeish: str, path: str) -> str | None:
        """The id of what is at `path`; None when there is nothing."""
        names = path.split("/")
        if any(name in NO_NAMES for name in names):
            raise NotLoose(path)
        found: str | None = treeish
        for name in names:
            if found is not None:
                found = self._named(self.tree_of(found), name)
        return found

    def _named(self, folder: str, name: str) -> str | None:
        return next((entry.sha for entry in self._tree(folder) if entry.path == name), None)

    def _descended(self, folder: str, path: str) -> str:
        found = self.entry_id(folder, path) if path else folder
        if found is None:
            raise NotLoose(path)
        return found

    def _entries(self, folder: str, prefix: str, *, recursive: bool) -> Iterator[TreeEntry]:
        for entry in self._tree(folder):
            size = self._head(entry.sha)[1] if entry.type == "blob" else None
            yield TreeEntry(entry.mode, entry.type, entry.sha, size, prefix + entry.path)
            if recursive and entry.type == "tree":
                yield from self._entries(entry.sha, f"{prefix}{entry.path}/", recursive=True)

    def _tree(self, sha: str) -> list[TreeEntry]:
        """Its entries without sizes, by their own names."""
        if sha not in self._trees:
            self._trees[sha] = list(_parsed(self._content(sha, "tree")))
        return self._trees[sha]

    def _content(self, sha: str, kind: str) -> bytes:
        head, _, content = zlib.decompress(self._file(sha)).partition(b"\0")
        if head.split(b" ")[0] != kind.encode():
            raise NotLoose(sha)
        return content

    def _head(self, sha: str) -> tuple[str, int]:
        """Kind and size in bytes."""
        if sha not in self._heads:
            start = zlib.decompressobj().decompress(self._file(sha), HEADER_BYTES)
            kind, size = start.partition(b"\0")[0].decode().split(" ")
            self._heads[sha] = kind, int(size)
        return self._heads[sha]

    def _file(self, sha: str) -> bytes:
        if not OBJECT_ID.fullmatch(sha):
            raise NotLoose(sha)
        try:
            return (self.folder / sha[:2] / sha[2:]).read_bytes()
        except OSError:
            raise NotLoose(sha) from None


def _parsed(tree: bytes) -> Iterator[TreeEntry]:
    while tree:
        head, _, rest = tree.partition(b"\0")
        mode, _, name = head.decode(errors="replace").partition(" ")
        yield TreeEntry(mode.zfill(6), _kind(mode), rest[:20].hex(), None, name)
        tree = rest[20:]


def _kind(mode: str) -> str:
    return {"40000": "tree", "160000": "commit"}.get(mode, "blob")
