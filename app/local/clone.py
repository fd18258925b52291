"""The git repository in a folder that somebody names, opened so that nothing in it can run.

Git never sees the clone's own configuration, hooks, attributes, index or work tree. A fresh bare repository in a
temporary folder borrows its objects (https://git-scm.com/docs/gitrepository-layout, `objects/info/alternates`) and
looks its refs up through a link; whatever git writes stays in that folder and is removed with it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.errors import ActionableError
from app.gate.git import GitFailed, GitObjects, run_git
from app.gate.git_borrowing import borrowed_objects
from checks.branches import BRANCHES
from policies.escape import clean

# Names beside `refs/` that people judge by; a merge tool or a checkout action leaves them.
_HEADS = ("HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD")
_LARGEST_POINTER = 4_096  # bytes of a `.git` or `commondir` file
_LARGEST_LIST = 16 * 1024 * 1024  # bytes of `shallow` and `FETCH_HEAD`
_LINKED = "objects.git"


class CannotLook(ActionableError, RuntimeError):
    """There is nothing that could be judged; the message says what was expected and what to do."""


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository on disk. `git_folder` has HEAD, `common_folder` refs and objects (`git worktree` parts the two)."""

    git_folder: Path
    common_folder: Path

    @property
    def is_shallow(self) -> bool:
        return (self.common_folder / "shallow").exists()

    @property
    def is_partial(self) -> bool:
        """Whether packs came from a server that left objects out, to be fetched when needed."""
        return any((self.common_folder / "objects" / "pack").glob("*.promisor"))

    @property
    def lacks(self) -> str:
        """What the clone leaves out, as the end of an error message; empty for a whole clone."""
        if self.is_partial:
            return "It is a partial clone without all files; run `git fetch --refetch --no-filter` in it."
        if self.is_shallow:
            return "It is a shallow clone without all history; run `git fetch --unshallow` in it."
        return ""


def find_clone(start: Path) -> Clone:
    """The repository that `start` is, or lies in. Raises CannotLook."""
    try:
        return _find(start)
    except (OSError, ValueError) as wrong:
        raise CannotLook(
            f"{_shown(start)} cannot be read ({_cause(wrong)}). Give the folder of a git clone."
        ) from wrong


def _find(start: Path) -> Clone:
    if not start.is_dir():
        raise CannotLook(f"{_shown(start)} is not a folder. Give the folder of a git clone.")
    folder = start.resolve()
    for each in (folder, *folder.parents):
        found = _repository_at(each)
        if found is not None:
            return found
    raise CannotLook(f"there is no git repository in {_shown(start)} or above it. Give the folder of a git clone.")


def _repository_at(folder: Path) -> Clone | None:
    marker = folder / ".git"
    if marker.is_file():
        return _pointed_at(marker)
    return _clone(marker) or _clone(folder)


def _pointed_at(marker: Path) -> Clone:
    """What a `.git` file of a linked work tree or a submodule points at."""
    target = _pointer(marker).removeprefix("gitdir:").strip()
    found = _clone(marker.parent / target) if target else None
    if found is None:
        raise CannotLook(f"{_shown(marker)} points at no git repository. Run `git worktree repair` there.")
    return found


def _clone(folder: Path) -> Clone | None:
    if not (folder / "HEAD").is_file() and not (folder / "HEAD").is_symlink():
        return None
    pointer = folder / "commondir"
    common = folder / _pointer(pointer).strip() if pointer.is_file() else folder
    return Clone(folder, common) if (common / "objects").is_dir() else None


def _pointer(file: Path) -> str:
    with file.open("rb") as stream:
        return stream.read(_LARGEST_POINTER).decode("utf-8", "surrogateescape")


@asynccontextmanager
async def open_clone(clone: Clone) -> AsyncIterator[GitObjects]:
    """The clone's objects and refs for as long as the block lasts. Raises CannotLook."""
    with tempfile.TemporaryDirectory(prefix="mergegate-") as temporary:
        folder = Path(temporary) / _LINKED
        try:
            await _refuse_other_formats(clone, folder)
            async with borrowed_objects(clone.common_folder / "objects", folder) as objects:
                _link_refs(clone, folder)
                yield objects
        except FileNotFoundError as wrong:
            raise CannotLook("git is not installed, or not in PATH. Install git 2.38 or newer.") from wrong
        except GitFailed as wrong:
            raise CannotLook(f"{_shown(clone.git_folder)}: {clean(str(wrong), 400)}. Repair the clone.") from wrong


async def _refuse_other_formats(clone: Clone, folder: Path) -> None:
    """Extensions that change how objects and refs are kept. Reading the file as a file runs nothing that it names."""
    file = str((clone.common_folder / "config").resolve())
    query = ("config", "--file", file, "--no-includes", "--get-regexp", r"^extensions\.")
    _, out, _ = await run_git(folder, query, good=frozenset({0, 1}))
    extensions = dict(line.partition(" ")[::2] for line in out.decode(errors="replace").lower().splitlines())
    if extensions.get("extensions.objectformat", "sha1") != "sha1":
        raise CannotLook("the repository has SHA-256 object ids, which GitHub has not. Give a clone with SHA-1 ids.")
    if extensions.get("extensions.refstorage", "files") != "files":
        raise CannotLook("the repository keeps its refs as reftable. Run `git refs migrate --ref-format=files` in it.")


def _link_refs(clone: Clone, folder: Path) -> None:
    shutil.rmtree(folder / "refs")
    for name in ("refs", "packed-refs"):
        if (clone.common_folder / name).exists():
            (folder / name).symlink_to((clone.common_folder / name).resolve())
    (folder / "refs").mkdir(exist_ok=True)
    for name in _HEADS:
        _copy(clone.git_folder / name, folder / name)
    _copy(clone.common_folder / "shallow", folder / "shallow")


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():
        return
    with source.open("rb") as stream:
        content = stream.read(_LARGEST_LIST + 1)
    if len(content) <= _LARGEST_LIST:
        target.write_bytes(content)


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit, with its tree, and the branch (full ref) that it was named by."""

    commit: str
    tree: str
    branch: str | None


async def read_revisions(clone: Clone, objects: GitObjects, names: Mapping[str, str]) -> tuple[Revision, ...]:
    """The commits that `names` mean, by the command line's options, in order. Raises CannotLook.

    In two questions to git for all of them, where they are as usual; else one by one, which tells what is wrong.
    """
    commits = await _commits(objects, tuple(names.values()))
    branches = await _branches(objects, tuple(names.values())) if commits else ()
    if not commits or not branches:
        return tuple([await read_revision(clone, objects, option, name) for option, name in names.items()])
    return tuple(Revision(*commit, branch) for commit, branch in zip(commits, branches, strict=True))


async def _commits(objects: GitObjects, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The object ids of each commit and its tree; none where one of the names needs a look of its own."""
    if any(name.startswith(":") or not name.isprintable() for name in names):
        return ()
    wanted = [f"{name}^{{{kind}}}" for name in names for kind in ("commit", "tree")]
    query = "".join(f"{each}\n" for each in wanted).encode("utf-8")
    try:
        _, out, _ = await run_git(
            objects.folder, ("cat-file", "--batch-check=%(objecttype) %(objectname)"), stdin=query
        )
    except GitFailed:
        return ()
    found = [line.split(" ") for line in out.decode("utf-8", "replace").splitlines()]
    if [words[0] for words in found] != ["commit", "tree"] * len(names):
        return ()
    return tuple((commit[1], tree[1]) for commit, tree in zip(found[::2], found[1::2], strict=True))


async def _branches(objects: GitObjects, names: Sequence[str]) -> tuple[str | None, ...]:
    """The branch of each; none where not every name is one of a ref."""
    if any(name.startswith("-") for name in names):
        return ()
    code, out, _ = await run_git(
        objects.folder, ("rev-parse", "--symbolic-full-name", *names, "--"), good=frozenset({0, 1, 128})
    )
    refs = [ref for ref in out.decode("utf-8", "surrogateescape").splitlines() if ref != "--"]
    return tuple(map(_branch_of, refs)) if code == 0 and len(refs) == len(names) else ()


async def read_revision(clone: Clone, objects: GitObjects, option: str, name: str) -> Revision:
    """The commit that `name` means, in any of git's notations without the work tree's configuration.

    Raises CannotLook, naming the command line's `option`.
    """
    try:
        _, out, _ = await run_git(objects.folder, ("rev-parse", "--verify", "--quiet", "--end-of-options", name))
        commit = await objects.commit_of(out.decode().strip())
        return Revision(commit, await objects.tree_of(commit), await _branch(objects, name))
    except (GitFailed, ValueError) as wrong:
        hint = clone.lacks or "Give a branch, tag or commit; `git branch --all` lists the branches."
        raise CannotLook(f"{option} {clean(name, 200)!r} is no commit of {_shown(clone.git_folder)}. {hint}") from wrong


async def _branch(objects: GitObjects, name: str) -> str | None:
    query = ("rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", name)
    code, out, _ = await run_git(objects.folder, query, good=frozenset({0, 1, 128}))
    return _branch_of(out.decode("utf-8", "surrogateescape").strip() if code == 0 else "")


def _branch_of(full: str) -> str | None:
    if full.startswith("refs/remotes/"):
        return BRANCHES + full.removeprefix("refs/remotes/").partition("/")[2]
    return full if full.startswith(BRANCHES) else None


def _shown(path: Path) -> str:
    return clean(str(path), 400)


def _cause(wrong: Exception) -> str:
    return clean(wrong.strerror or str(wrong) if isinstance(wrong, OSError) else str(wrong), 200)
