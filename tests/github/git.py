"""The git command on one bare repository: reading. `git_command.py` runs it, `git_writing.py` makes commits.

What its answers are made of is in `git_objects.py`. Answers about immutable objects are remembered by their full object
ids; refs are always read anew.
"""

from __future__ import annotations

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
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class Git(Writing):
    """Plumbing on the bare repository at `path`. Every method raises GitError when git fails unexpectedly."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
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
        plain = not any(mark in revision for mark in (":", "~", "^", "@{"))  # a name alone, no path and no ancestor
        if plain and (revision.startswith("refs/heads/") or (revision.startswith("refs/") and not kind)):
            return self._ref(revision)
        suffix = f"^{{{kind}}}" if kind else ""
        return await self._found([revision], "rev-parse", "--verify", "-q", "--end-of-options", revision + suffix)

    def _ref(self, name: str) -> str | None:
        """A full ref name, read from git's own files: most questions are of this kind, and a process is slow."""
        if any(part in ("", ".", "..") for part in name.split("/")):
            return None
        loose = self.path / name
        if loose.is_file():
            return loose.read_text().strip()
        packed = self.path / "packed-refs"
        lines = packed.read_text().splitlines() if packed.is_file() else []
        return next((line.split(" ", 1)[0] for line in lines if line.endswith(f" {name}")), None)

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
        return await self._found([sha], "cat-file", "-t", "--end-of-options", sha)

    async def commit(self, sha: str) -> Commit:
        if sha not in self._commits:
            self._commits[sha] = parse_commit(sha, await self.run("cat-file", "commit", sha))
        return self._commits[sha]

    async def commits(self, *revisions: str, limit: int = 250, skip: int = 0, path: str | None = None) -> list[str]:
        """Object ids newest first, as `rev-list` orders them."""
        paths = ["--", path] if path else ["--"]
        limits = (f"--max-count={limit}", f"--skip={skip}")
        return (await self._answer(revisions, "rev-list", *limits, *revisions, *paths)).decode().split()

    async def count(self, *revisions: str) -> int:
        return int(await self._answer(revisions, "rev-list", "--count", *revisions, "--"))

    async def tree(self, treeish: str, *, recursive: bool = False, path: str | None = None) -> list[TreeEntry]:
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
        return await self._answer([sha], "cat-file", "blob", sha)

    async def read_file(self, treeish: str, path: str) -> bytes | None:
        entry = await self.entry(treeish, path)
        return await self.blob(entry.sha) if entry and entry.type == "blob" else None

    async def merge_base(self, one: str, other: str) -> str | None:
        key = (one, other)
        if key not in self._merge_bases:
            code, out, _ = await self.attempt("merge-base", "--end-of-options", one, other)
            self._merge_bases[key] = out.decode().split()[0] if code == 0 else None
        return self._merge_bases[key]

    async def is_ancestor(self, old: str, new: str) -> bool:
        """Whether the commit `old` is in the history of the commit `new`; both are full object ids."""
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
            summary = await self.run("diff-tree", *options, "--raw", "--numstat", old, new)
            patches = await self.run("diff-tree", *options, "-p", old, new)
            self._diffs[key] = parse_diff(summary, patches)
        return self._diffs[key]

    async def diff_text(self, old: str, new: str) -> str:
        """The patch as the diff media type gives it."""
        out = await self.run("diff-tree", "-r", "-M", "-p", "--no-ext-diff", "--no-textconv", old, new)
        return out.decode(errors="replace")


def _looks_like_object_id(name: str) -> bool:
    return 4 <= len(name) <= 64 and all(c in "0123456789abcdef" for c in name.lower())
