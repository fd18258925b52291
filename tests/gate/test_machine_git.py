"""The machine's git in memory against the real command: the same questions, the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.gate.git import run_git
from tests.databases import anyio_backend
from tests.gate.machine_git import MemoryGit, SimulatorGit
from tests.github.git import Git, Person

__all__ = ["anyio_backend"]
pytestmark = pytest.mark.anyio

ADA = Person("ada", "ada@example.org")
AT = datetime(2026, 11, 29, 10, tzinfo=UTC)
START = {"a/one.txt": "1\n", "a/b/two.txt": "2\n2\n", "three.txt": "3\n", "a.txt": "4\n"}


async def history(git: Git) -> dict[str, str]:
    """One commit, three on top of it of which two clash, and a merge."""
    root = await git.commit_files(START, "root\n", ADA, at=AT)
    left = await git.commit_files({"a/one.txt": "left\n", "new/x.txt": "x\n"}, "left\n", ADA, at=AT, parents=[root])
    right = await git.commit_files({"three.txt": "right\n", "a/b/two.txt": None}, "right\n", ADA, at=AT, parents=[root])
    clash = await git.commit_files({"a/one.txt": "clash\n"}, "clash\n", ADA, at=AT, parents=[root])
    tree = await git.merge_tree(left, right) or ""
    merged = await git.commit_tree(tree, [left, right], "merge\n", ADA, at=AT)
    for name, sha in {"main": merged, "left": left, "clash": clash}.items():
        await git.update_ref(f"refs/heads/{name}", sha)
    return {"root": root, "left": left, "right": right, "clash": clash, "merged": merged, "tree": tree}


@pytest.fixture
async def both(tmp_path: Path) -> tuple[Git, SimulatorGit, dict[str, str]]:
    real, memory = Git(tmp_path / "real.git"), SimulatorGit(tmp_path / "memory.git")
    memory.memory = MemoryGit()
    real.init()
    memory.init()
    names = await history(real)
    assert await history(memory) == names
    return real, memory, names


QUESTIONS = (
    "rev-parse --verify -q --end-of-options refs/heads/main",
    "rev-parse --verify --quiet --end-of-options {left}^{{tree}}",
    "rev-parse --verify --quiet --end-of-options {tree}^{{commit}}",
    "for-each-ref --format=%(refname)|%(objectname) refs/heads",
    "cat-file -t --end-of-options {tree}",
    "cat-file commit {merged}",
    "cat-file -s {merged}",
    "rev-list --count {root}..{merged} --",
    "rev-list --no-walk --parents --end-of-options {merged}",
    "rev-list --max-count=1 --skip=0 {merged} --",
    "ls-tree -z -l --full-tree {merged}",
    "ls-tree -z -l --full-tree -r -t {merged}",
    "ls-tree -z -l --full-tree {merged} -- a/one.txt",
    "ls-tree -z -l --full-tree {root} -- a/b/",
    "ls-tree -z --full-tree --name-only {root} -- a/",
    "ls-tree -z --full-tree {root} -- nowhere",
    "merge-base --all {left} {right}",
    "merge-base --end-of-options {merged} {clash}",
    "merge-base --is-ancestor {root} {merged}",
    "merge-base --is-ancestor {merged} {root}",
    "merge-tree --write-tree --no-messages {left} {right}",
    "merge-tree --write-tree --no-messages -z {right} {clash}",
    "diff-tree -r -z -M -l7000 --full-index --no-abbrev --raw --end-of-options {root} {merged}",
    "diff-tree -r -z -M -l7000 --full-index --no-abbrev --numstat --end-of-options {left} {right}",
)


@pytest.mark.parametrize("question", QUESTIONS)
async def test_answers_are_git_s_own(both: tuple[Git, SimulatorGit, dict[str, str]], question: str) -> None:
    real, memory, names = both
    arguments: Sequence[str] = [word.replace("|", " ") for word in question.format(**names).split(" ")]
    (code, out, _), answer = await real.attempt(*arguments), await memory.attempt(*arguments)
    assert answer[:2] == (code, out)


async def test_the_paths_of_single_commits_are_git_s_own(both: tuple[Git, SimulatorGit, dict[str, str]]) -> None:
    """Also of a merge that differs from both that it merges."""
    real, memory, names = both
    odd = {}
    for git in (real, memory):
        evil = await git.commit_files(
            {"evil.txt": "x\n", "three.txt": None}, "evil\n", ADA, at=AT, parents=[names["merged"]]
        )
        evil_tree = await git.rev_parse(f"{evil}^{{tree}}") or ""
        odd[git] = await git.commit_tree(evil_tree, [names["left"], names["right"]], "odd\n", ADA, at=AT)
    assert odd[real] == odd[memory]
    commits = [names[name] for name in ("root", "left", "right", "merged")] + [odd[real]]
    flags = ("--stdin", "-r", "-z", "-c", "--raw", "--root", "--no-renames", "--no-ext-diff", "--no-textconv")
    stdin = "".join(f"{commit}\n" for commit in commits).encode()
    _, out, _ = await real.attempt("diff-tree", *flags, stdin=stdin)
    _, told, _ = await memory.attempt("diff-tree", *flags, stdin=stdin)
    assert told.split(b"\0") == out.split(b"\0")
    assert out.count(b"::") >= 1


async def test_fetched_objects_and_refs_are_the_other_repository_s(
    both: tuple[Git, SimulatorGit, dict[str, str]], tmp_path: Path
) -> None:
    _, memory, names = both
    mirror = tmp_path / "mirror.git"
    memory.memory.run(mirror, ("init", "--bare", "--quiet", "--template=", str(mirror)), b"", {})
    asked = f"{names['merged']}\n{'0' * 39}1\n".encode()
    before = memory.memory.run(mirror, ("cat-file", "--batch-check"), asked, {})
    fetch = ("fetch", "--quiet", "--end-of-options", str(memory.path), "+refs/heads/main:refs/mergegate/heads/main")
    assert memory.memory.run(mirror, fetch, b"", {})[0] == 0
    after = memory.memory.run(mirror, ("cat-file", "--batch-check"), asked, {})
    assert before[1].count(b"missing") == 2
    assert after[1].count(b"missing") == 1
    assert memory.memory.run(mirror, ("fetch", str(memory.path), "+refs/heads/gone:refs/x"), b"", {})[0] == 128


async def test_the_gate_s_own_commits_are_git_s(both: tuple[Git, SimulatorGit, dict[str, str]]) -> None:
    real, memory, names = both
    identity = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "mergegate"), ("EMAIL", "mergegate@localhost"), ("DATE", "@0 +0000"))
    }
    arguments = ("commit-tree", names["tree"], "-p", names["left"], "-p", names["clash"])
    _, out, _ = await run_git(real.path, arguments, environment=identity, stdin=b"merge group")
    assert memory.memory.run(memory.path, arguments, b"merge group", identity)[1] == out
