"""Reading git objects with the `git` command: diffs, merges, commits, from a bare repository without configuration.

No command here reads a work tree, an index, attributes, hooks, replace refs or configuration from outside, so
nothing that a pull request contains can run or change an answer. Output is bounded and every call has a time limit.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.gate.git_answers import GitAnswers, Question
from app.gate.git_process import OUTPUT_LIMIT, Call, TooMuchSaid, in_event_loop, run
from app.logging import LateLogger

log = LateLogger(__name__)

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
TIME_LIMIT = 60.0

ISOLATED: Mapping[str, str] = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    # Git 2.43 to 2.45 read the attributes of HEAD in a bare repository; the empty tree has none. Older ones ignore it.
    "GIT_ATTR_SOURCE": EMPTY_TREE,
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
}

# GitHub's own settings are unpublished; with these its trees were reproduced in every published live case.
MERGE_SETTINGS = (
    *("-c", "merge.renameLimit=7000"),
    *("-c", "merge.directoryRenames=conflict"),
    *("-c", "merge.renormalize=false"),
    *("-c", f"core.attributesFile={os.devnull}"),
)


class GitFailed(RuntimeError):
    """Git refused, or its answer could not be read. The message may be shown to anybody: git's own words, which hold
    paths of this machine, are only logged."""


class GitTooSlow(GitFailed):
    """Git did not finish in its time limit."""


class GitTooLarge(GitFailed):
    """Git's answer passed the output limit."""


@dataclass(frozen=True, slots=True)
class Merge:
    """What `git merge-tree` made of two commits.

    `tree` is None on a conflict and where git is not determined (several merge bases, rename detection cut short);
    `conflict` tells the two apart.
    """

    tree: str | None
    conflict: bool
    because: str = ""


async def run_git(
    folder: Path,
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    time_limit: float = TIME_LIMIT,
    good: frozenset[int] = frozenset({0}),
    most: int = OUTPUT_LIMIT,
) -> tuple[int, bytes, bytes]:
    """Run `git ARGUMENTS` on the bare repository `folder`; returns exit code, standard output, standard error.

    Raises GitFailed for an exit code outside `good`, GitTooSlow, GitTooLarge.
    """
    surroundings = {"PATH": os.environ.get("PATH", os.defpath), **ISOLATED, **(environment or {})}
    call = Call(("git", f"--git-dir={folder}", *arguments), surroundings, stdin, time_limit, most)
    try:
        code, out, err = await run(call)
    except TimeoutError:
        raise GitTooSlow(f"git {_command(arguments)} did not finish in {time_limit:.0f} s") from None
    except TooMuchSaid as too_much:
        raise GitTooLarge(f"git's answer is over {too_much.limit} bytes") from None
    if code not in good:
        log.warning("git failed", arguments=arguments, code=code, said=err.decode(errors="replace").strip()[:500])
        raise GitFailed(f"git {_command(arguments)} ended with {code}")
    return code, out, err


def _command(arguments: Sequence[str]) -> str:
    """The command's name, after the settings."""
    words = iter(arguments)
    for word in words:
        if word != "-c":
            return word
        next(words, "")
    return "git"


class GitObjects:
    """Questions to the objects of one bare repository; `answers` keeps what was said of them by their ids.

    Whether an object is here (`has`, `commit_of`) is asked each time: the repository is a cache that may be deleted.
    """

    def __init__(self, folder: Path, answers: GitAnswers | None = None) -> None:
        self.folder = folder
        self._answers = answers

    async def _text(self, *arguments: str, stdin: bytes = b"") -> str:
        _, out, _ = await run_git(self.folder, arguments, stdin=stdin)
        return _as_text(out)

    async def _said(
        self,
        named: Sequence[str],
        *arguments: str,
        stdin: bytes = b"",
        good: frozenset[int] = frozenset({0}),
    ) -> tuple[int, bytes]:
        """Exit code and output of a command that asks about the objects `named`, and about nothing else."""

        async def ask() -> tuple[int, bytes]:
            code, out, _ = await run_git(self.folder, arguments, stdin=stdin, good=good)
            return code, out

        return await self._kept(Question(str(self.folder), arguments, stdin), named, ask)

    async def _kept(
        self, question: Question, named: Sequence[str], ask: Callable[[], Awaitable[tuple[int, bytes]]]
    ) -> tuple[int, bytes]:
        """What is known of it, or what `ask` says."""
        known = None if self._answers is None else self._answers.get(question)
        if known is not None:
            return known
        said = await ask()
        if self._answers is not None:
            self._answers.put(question, named, said)
        return said

    async def has(self, *oids: str) -> bool:
        """Whether all of these objects are here."""
        answer = await self._text("cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in oids).encode())
        return all(not line.endswith("missing") for line in answer.splitlines())

    async def commit_of(self, revision: str) -> str:
        """The full object id of a commit. Raises GitFailed when there is none."""
        return await self._text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")

    async def tree_of(self, commit: str) -> str:
        query = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")
        return _as_text((await self._said((commit,), *query))[1])

    async def parents_of(self, commit: str) -> tuple[str, ...]:
        query = ("rev-list", "--no-walk", "--parents", "--end-of-options", commit)
        return tuple(_as_text((await self._said((commit,), *query))[1]).split()[1:])

    async def merge_bases(self, one: str, other: str) -> tuple[str, ...]:
        _, out = await self._said((one, other), "merge-base", "--all", one, other, good=frozenset({0, 1}))
        return tuple(out.decode().split())

    async def is_ancestor(self, ancestor: str, commit: str) -> bool:
        query = ("merge-base", "--is-ancestor", ancestor, commit)
        return (await self._said((ancestor, commit), *query, good=frozenset({0, 1})))[0] == 0

    async def merge(self, target: str, head: str) -> Merge:
        """The tree of merging `head` into `target` as GitHub would; see Merge for when there is none."""
        bases = await self.merge_bases(target, head)
        if len(bases) != 1:
            return Merge(None, False, f"{len(bases)} merge bases")
        code, out, err = await run_git(
            self.folder,
            (*MERGE_SETTINGS, "merge-tree", "--write-tree", "--no-messages", "-z", target, head),
            good=frozenset({0, 1}),
        )
        if code == 1:
            return Merge(None, True, "the merge conflicts")
        if b"rename detection was skipped" in err or b"exhaustive rename detection" in err:
            return Merge(None, False, "too many renames for git to follow")
        return Merge(out.split(b"\0", 1)[0].decode().strip(), False)

    async def commit_tree(self, tree: str, parents: Sequence[str], message: str, when: int) -> str:
        """Write a commit object; `when` is seconds since the epoch. It lives only in this repository."""
        identity = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", "mergegate"), ("EMAIL", "mergegate@localhost"), ("DATE", f"@{when} +0000"))
        }
        flags = [flag for parent in parents for flag in ("-p", parent)]
        _, out, _ = await run_git(
            self.folder, ("commit-tree", tree, *flags), environment=identity, stdin=message.encode()
        )
        return out.decode().strip()

    async def diff(self, old: str, new: str) -> tuple[bytes, bytes]:
        """`--raw -z` and `--numstat -z` of two trees, renames followed, as bytes for `app.gate.diffs`."""
        common = (
            "diff-tree",
            "-r",
            "-z",
            "-M",
            "-l7000",
            "--no-ext-diff",
            "--no-textconv",
            "--full-index",
            "--no-abbrev",
        )
        _, answer = await self._said((old, new), *common, "--raw", "--numstat", "--end-of-options", old, new)
        try:
            return split_answer(answer)
        except ValueError:
            raise GitFailed("git's list of changes ends within an entry") from None

    async def commits_between(self, base: str, head: str, most: int) -> tuple[str, ...]:
        """Commits that `head` has and `base` has not, at most so many."""
        limit = f"--max-count={most}"
        _, out = await self._said((base, head), "rev-list", limit, "--end-of-options", f"{base}..{head}")
        return tuple(_as_text(out).split())

    async def paths_of_each(self, commits: Sequence[str]) -> bytes:
        """`diff-tree --stdin -z --raw` of commits, each against its parents, renames as two paths."""
        flags = ("--stdin", "-r", "-z", "-c", "--raw", "--root", "--no-renames", "--no-ext-diff", "--no-textconv")
        lines = "".join(f"{commit}\n" for commit in commits)  # git passes over a line that has no end
        _, out = await self._said(commits, "diff-tree", *flags, stdin=lines.encode())
        return out

    async def blob(self, oid: str, limit: int) -> bytes | None:
        """A blob's bytes, or None when it is larger than `limit` bytes."""
        size = int((await self._said((oid,), "cat-file", "-s", oid))[1])
        if size > limit:
            return None
        return (await self._said((oid,), "cat-file", "blob", oid))[1]

    async def blob_at(self, commit: str, path: str, limit: int) -> bytes | None:
        """The file at `path` of a commit; None when absent or too large."""
        oid = await self.entry_at(commit, path)
        return None if oid is None else await self.blob(oid, limit)

    async def files_in(self, commit: str, folder: str) -> tuple[str, ...]:
        """Paths directly in a folder of a commit; none when there is no such folder."""
        query = ("ls-tree", "-z", "--full-tree", "--name-only", commit, "--", f":(literal){folder}/")
        _, out = await self._said((commit,), *query)
        return tuple(path.decode("utf-8", "surrogateescape") for path in out.split(b"\0") if path)

    async def listing(self, tree: str) -> bytes:
        """`ls-tree -r -z` of a commit or tree, as bytes for `app.gate.trees`. Raises GitFailed, GitTooLarge.

        It is not kept: each open pull request has a tree of its own, whose listing may be megabytes. What is made of it
        is little, and is kept with `made_once`.
        """
        return (await run_git(self.folder, ("ls-tree", "-r", "-z", "--full-tree", tree)))[1]

    async def made_once(self, oid: str, words: tuple[str, ...], make: Callable[[], Awaitable[bytes]]) -> bytes:
        """What `make` makes of the object `oid` and of what `words` say, and of nothing else."""

        async def ask() -> tuple[int, bytes]:
            return 0, await make()

        return (await self._kept(Question(str(self.folder), (*words, oid), b""), (oid,), ask))[1]

    async def entry_at(self, commit: str, path: str) -> str | None:
        """The object id of the tree entry at `path`, or None."""
        _, out = await self._said((commit,), "ls-tree", "-z", "--full-tree", commit, "--", f":(literal){path}")
        return out.split(b"\t", 1)[0].split(b" ")[2].decode() if out else None


def _as_text(out: bytes) -> str:
    return out.decode("utf-8", "surrogateescape").strip()


def split_answer(answer: bytes) -> tuple[bytes, bytes]:
    """The entries of `--raw` and those of `--numstat`, which follow them; only the former begin with a colon."""
    at = 0
    while answer[at : at + 1] == b":":
        end = answer.index(b"\0", at)
        paths = 2 if answer[answer.rindex(b" ", at, end) + 1 : end][:1] in b"RC" else 1
        for _ in range(paths):
            end = answer.index(b"\0", end + 1)
        at = end + 1
    return answer[:at], answer[at:]


async def init_bare(folder: Path) -> None:
    """Make `folder` an empty bare repository; harmless when it is one."""
    await on_disk(_make, folder)
    await run_git(folder, ("init", "--bare", "--quiet", "--template=", str(folder)))


async def on_disk(work: Callable[..., None], *arguments: Path) -> None:
    """An event loop does not wait for disks."""
    if not in_event_loop():
        work(*arguments)
        return
    import asyncio

    await asyncio.to_thread(work, *arguments)


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
