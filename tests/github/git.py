"""The git command on one bare repository: reading. `git_command.py` runs it, `git_writing.py` makes commits.

What its answers are made of is in `git_objects.py`. Most questions are about loose objects, which `loose_objects.py`
reads without a process; git is asked about the rest. Answers about immutable objects are remembered by their full
object ids; refs are always read anew.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from tests.github.bare_repository import create
from tests.github.git_command import GitError, clean_environment
from tests.github.git_objects import (
    ZERO,
    Commit,
    FileChange,
    FileContent,
    Files,
    Person,
    TreeEntry,
    parse_commit,
    parse_diff,
    parse_tree,
)
from tests.github.git_writing import Writing
from tests.github.loose_history import LooseHistory
from tests.github.loose_objects import NotLoose
from tests.github.loose_refs import read_ref

__all__ = [
    "EMPTY_TREE",
    "ZERO",
    "Commit",
    "FileChange",
    "FileContent",
    "Files",
    "Git",
    "GitError",
    "Person",
    "TreeEntry",
    "clean_environment",
]
MARKS = (":", "~", "^", "@{")  # of a revision that is no name alone
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class Git(Writing):
    """Plumbing on the bare repository at `path`. Every method raises GitError when git fails unexpectedly."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._history = LooseHistory(self.loose)
        self._commits: dict[str, Commit] = {}
        self._merge_bases: dict[tuple[str, str], str | None] = {}
        self._merge_trees: dict[tuple[str, str], str | None] = {}
        self._diffs: dict[tuple[str, str], list[FileChange]] = {}
        self._ancestors: dict[tuple[str, str], bool] = {}

    def init(self, default_branch: str = "main") -> None:
        """Makes an empty bare repository at `path`."""
        create(self.path, default_branch)

    async def rev_parse(self, revision: str, kind: str = "") -> str | None:
        """The object id of `revision`, None when there is none. `kind` is commit, tree or blob to peel to."""
        if revision.startswith("-"):
            return None
        plain = not any(mark in revision for mark in MARKS)
        if plain and (revision.startswith("refs/heads/") or (revision.startswith("refs/") and not kind)):
            return read_ref(self.path, revision)
        with contextlib.suppress(NotLoose):
            return self._found_loose(revision, kind)
        suffix = f"^{{{kind}}}" if kind else ""
        return await self._found([revision], "rev-parse", "--verify", "-q", "--end-of-options", revision + suffix)

    def _found_loose(self, revision: str, kind: str) -> str | None:
        """Of a full ref name, a full object id, or one of them and `:path`. NotLoose for all that is not so plain."""
        name, colon, path = revision.partition(":")
        by_ref = name.startswith("refs/") and not any(mark in name for mark in MARKS)
        start = read_ref(self.path, name) if by_ref else name
        if start is None:
            return None
        if colon:
            return self._at_path(start, path, kind)
        if kind == "tree":
            return self.loose.tree_of(start)
        if self.loose.kind(start) != (kind or self.loose.kind(start)):
            raise NotLoose(revision)
        return start

    def _at_path(self, treeish: str, path: str, kind: str) -> str | None:
        if kind:  # git takes it for a part of the path
            raise NotLoose(path)
        return self.loose.entry_id(treeish, path)

    async def commit_id(self, name: str) -> str | None:
        """Resolves a branch, a tag, a full ref or an object id, in GitHub's order, to a commit."""
        for candidate in (f"refs/heads/{name}", f"refs/tags/{name}"):
            if sha := await self.rev_parse(candidate, "commit"):
                return sha
        if name.startswith("refs/") or _looks_like_object_id(name) or name == "HEAD":
            return await self.rev_parse(name, "commit")
        if name.startswith(("heads/", "tags/", "pull/")):
            return await self.rev_parse(f"refs/{name}", "commit")
        return None

    async def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Full ref name to object id; `prefix` is matched as plain text."""
        pattern = prefix.rpartition("/")[0] or "refs"
        lines = (await self.text("for-each-ref", "--format=%(refname) %(objectname)", pattern)).splitlines()
        found = dict(line.rsplit(" ", 1) for line in lines)
        return {name: sha for name, sha in found.items() if name.startswith(prefix)}

    async def object_type(self, sha: str) -> str | None:
        with contextlib.suppress(NotLoose):
            return self.loose.kind(sha)
        return await self._found([sha], "cat-file", "-t", "--end-of-options", sha)

    async def commit(self, sha: str) -> Commit:
        with contextlib.suppress(NotLoose):
            return self.loose.commit(sha)
        if sha not in self._commits:
            self._commits[sha] = parse_commit(sha, await self.run("cat-file", "commit", sha))
        return self._commits[sha]

    async def commits(self, *revisions: str, limit: int = 250, skip: int = 0, path: str | None = None) -> list[str]:
        """Object ids newest first, as `rev-list` orders them."""
        if not path:
            with contextlib.suppress(NotLoose):
                return self._history.newest_first(revisions)[skip : skip + limit]
        paths = ["--", path] if path else ["--"]
        limits = (f"--max-count={limit}", f"--skip={skip}")
        return (await self._answer(revisions, "rev-list", *limits, *revisions, *paths)).decode().split()

    async def count(self, *revisions: str) -> int:
        with contextlib.suppress(NotLoose):
            return self._history.count(revisions)
        return int(await self._answer(revisions, "rev-list", "--count", *revisions, "--"))

    async def tree(self, treeish: str, *, recursive: bool = False, path: str | None = None) -> list[TreeEntry]:
        with contextlib.suppress(NotLoose):
            return self.loose.listed(treeish, path, recursive=recursive)
        flags = ["-r", "-t"] if recursive else []
        paths = ["--", path] if path else []
        return parse_tree(await self._answer([treeish], "ls-tree", "-z", "-l", "--full-tree", *flags, treeish, *paths))

    async def entry(self, treeish: str, path: str) -> TreeEntry | None:
        """The entry at exactly `path`, None when there is none."""
        if any(part in ("", ".", "..") for part in path.strip("/").split("/")):
            return None
        listed = await self.tree(treeish, path=path.strip("/"))
        return next((e for e in listed if e.path == path.strip("/")), None)

    async def blob(self, sha: str) -> bytes:
        with contextlib.suppress(NotLoose):
            return self.loose.blob(sha)
        return await self._answer([sha], "cat-file", "blob", sha)

    async def read_file(self, treeish: str, path: str) -> bytes | None:
        entry = await self.entry(treeish, path)
        return await self.blob(entry.sha) if entry and entry.type == "blob" else None

    async def merge_base(self, one: str, other: str) -> str | None:
        with contextlib.suppress(NotLoose):
            return self._history.merge_base(one, other)
        key = (one, other)
        if key not in self._merge_bases:
            code, out, _ = await self.attempt("merge-base", "--end-of-options", one, other)
            self._merge_bases[key] = out.decode().split()[0] if code == 0 else None
        return self._merge_bases[key]

    async def is_ancestor(self, old: str, new: str) -> bool:
        """Whether the commit `old` is in the history of the commit `new`; both are full object ids."""
        with contextlib.suppress(NotLoose):
            return old in self._history.of(new)
        key = (old, new)
        if key not in self._ancestors:
            self._ancestors[key] = (await self.attempt("merge-base", "--is-ancestor", old, new))[0] == 0
        return self._ancestors[key]

    async def merge_tree(self, ours: str, theirs: str) -> str | None:
        """Tree of merging two commits; None when they conflict (exit code 1 never gives a tree)."""
        key = (ours, theirs)
        if key not in self._merge_trees:
            code, out, err = await self.attempt("merge-tree", "--write-tree", "--no-messages", ours, theirs)
            if code not in (0, 1):
                raise GitError(f"git merge-tree exited {code}: {err.decode(errors='replace').strip()}")
            self._merge_trees[key] = out.decode().split()[0] if code == 0 else None
        return self._merge_trees[key]

    async def diff(self, old: str, new: str) -> list[FileChange]:
        """Files changed between two trees or commits, renames detected, in git's order."""
        key = (old, new)
        if key not in self._diffs:
            options = ("-r", "-z", "-M", "--no-ext-diff", "--no-textconv", "--full-index")
            said = await self.run("diff-tree", *options, "--raw", "--numstat", "-p", old, new)
            summary, _, patches = said.partition(b"\0\0")  # no path is empty, so only the end of the records is so
            self._diffs[key] = parse_diff(summary, patches)
        return self._diffs[key]

    async def diff_text(self, old: str, new: str) -> str:
        """The patch as the diff media type gives it."""
        out = await self.run("diff-tree", "-r", "-M", "-p", "--no-ext-diff", "--no-textconv", old, new)
        return out.decode(errors="replace")


def _looks_like_object_id(name: str) -> bool:
    return 4 <= len(name) <= 64 and all(c in "0123456789abcdef" for c in name.lower())
