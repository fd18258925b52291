"""What is read without a process is what git says: each question is put to both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.github.git import ZERO, FileContent, Git, GitError, Person
from tests.github.loose_history import MOST_COMMITS

pytestmark = pytest.mark.anyio
ADA = Person("Ada", "ada@example.org")
AT = datetime(2026, 1, 1, tzinfo=UTC)
FILES = {
    "README.md": "A shop\n",
    "shop/cart.py": "x = 1\n",
    "shop/deep/er.py": "",
    "shop.txt": "sorts before the folder\n",
    "run.sh": FileContent(b"#!/bin/sh\n", "100755"),
    "link": FileContent(b"README.md", "120000"),
    "sub": FileContent(b"12" * 20, "160000"),
    "größe.txt": "näme\n",
}


class Counted(Git):
    """Git that says how often it started a process."""

    processes = 0

    async def attempt(self, *arguments: str, **given: object) -> tuple[int, bytes, bytes]:
        self.processes += 1
        return await super().attempt(*arguments, **given)  # type: ignore[arg-type]


def asked(git: Git) -> Git:
    """Only git itself, for the same repository: there are no objects where it looks for loose ones."""
    other = Git(git.path)
    other.loose.folder = Path("/nonexistent")
    return other


@pytest.fixture
async def git(tmp_path: Path) -> Counted:
    made = Counted(tmp_path / "shop.git")
    made.init()
    return made


async def grown(git: Git) -> dict[str, str]:
    """main, two branches from its second commit, one merged into the other, and a commit without a common start."""
    made: dict[str, str] = {}

    async def commit(name: str, files: dict[str, object], *parents: str) -> None:
        moment = AT + timedelta(minutes=len(made))
        before = [made[parent] for parent in parents]
        made[name] = await git.commit_files(files, f"{name}\n", ADA, at=moment, parents=before)  # type: ignore[arg-type]
        await git.update_ref(f"refs/heads/{name}", made[name])

    await commit("first", {**FILES})
    await commit("second", {"shop/cart.py": "x = 2\n"}, "first")
    await commit("left", {"left.py": "1\n"}, "second")
    await commit("right", {"right.py": "1\n"}, "second")
    await commit("merged", {"right.py": "1\n"}, "left", "right")
    await commit("later", {"README.md": None}, "merged")
    await commit("other", {"README.md": "Other\n"})
    return made


async def test_objects_and_trees_are_as_git_shows_them(git: Counted) -> None:
    made = await grown(git)
    real, first = asked(git), made["first"]
    tree = (await git.commit(first)).tree
    before = git.processes
    for treeish in (first, tree, f"{first}:shop", f"{first}:shop/deep"):
        assert await git.tree(treeish) == await real.tree(treeish) != []
        assert await git.tree(treeish, recursive=True) == await real.tree(treeish, recursive=True)
    for path in ("shop", "shop/", "shop/cart.py", "shop/deep/er.py", "shop/deep/", "sub", "größe.txt", "no", "no/t.py"):
        assert await git.tree(first, path=path) == await real.tree(first, path=path), path
    for entry in await git.tree(first, recursive=True):
        if entry.type != "commit":
            assert await git.object_type(entry.sha) == await real.object_type(entry.sha) == entry.type
        if entry.type == "blob":
            assert await git.blob(entry.sha) == await real.blob(entry.sha)
    assert await git.commit(first) == await real.commit(first)
    assert git.processes == before


@pytest.mark.parametrize("path", ["README.md/", "README.md/x", "shop/cart.py/x", "/shop", "shop//cart.py"])
async def test_a_path_through_a_file_or_a_strange_one_is_as_git_takes_it(git: Counted, path: str) -> None:
    first = (await grown(git))["first"]
    real = asked(git)
    assert await git.entry(first, path) == await real.entry(first, path)
    assert await git.rev_parse(f"{first}:{path}") == await real.rev_parse(f"{first}:{path}")


@pytest.mark.parametrize("kind", ["", "commit", "tree", "blob"])
async def test_revisions_are_as_git_resolves_them(git: Counted, kind: str) -> None:
    made = await grown(git)
    await git.update_ref("refs/tags/v1", made["left"])
    await git.update_ref("refs/pull/1/head", made["right"])
    await git.run("-c", "user.name=Ada", "-c", "user.email=a@b.c", "tag", "-a", "-m", "Two", "v2", made["left"])
    real, first = asked(git), made["first"]
    names = [
        "refs/heads/left",
        "refs/tags/v1",
        "refs/tags/v2",
        "refs/tags/no",
        "refs/pull/1/head",
        "HEAD",
        "left",
        "v2",
    ]
    names += [first, (await git.commit(first)).tree, "ab" * 20, first[:12], "refs/tags/v1~1", "refs/pull/1/head^{tree}"]
    names += [f"{first}:{path}" for path in ("", "README.md", "shop", "shop/cart.py", "sub", "no", "shop/")]
    names += ["refs/tags/v1:README.md", "refs/tags/v2:README.md", "left:README.md"]
    for name in names:
        assert await git.rev_parse(name, kind) == await real.rev_parse(name, kind), name


async def test_history_is_as_git_walks_it(git: Counted) -> None:
    made = await grown(git)
    real, ids = asked(git), list(made.values())
    for one in ids:
        for other in ids:
            assert await git.merge_base(one, other) == await real.merge_base(one, other)
            assert await git.is_ancestor(one, other) == await real.is_ancestor(one, other)
            for revisions in ((f"{one}..{other}",), (other, f"^{one}"), (one, other)):
                assert await git.commits(*revisions) == await real.commits(*revisions)
                assert await git.count(*revisions) == await real.count(*revisions)
    assert await git.commits(made["right"], skip=1, limit=1) == [made["second"]]
    assert await git.commits(made["later"], path="left.py") == [made["left"]]


async def test_of_two_merge_bases_git_chooses(git: Counted) -> None:
    made = await grown(git)
    tree = (await git.commit(made["later"])).tree
    ours = await git.commit_tree(tree, [made["left"], made["right"]], "ours", ADA, at=AT)
    theirs = await git.commit_tree(tree, [made["right"], made["left"]], "theirs", ADA, at=AT)
    assert await git.merge_base(ours, theirs) == await asked(git).merge_base(ours, theirs) in made.values()


async def test_what_is_packed_is_asked_of_git(git: Counted) -> None:
    made = await grown(git)
    await git.run("repack", "-a", "-d", "-q")
    await git.run("prune-packed", "-q")
    packed, before = Counted(git.path), await asked(git).tree(made["first"], recursive=True)
    assert await packed.tree(made["first"], recursive=True) == before
    assert await packed.commits(made["second"]) == [made["second"], made["first"]]
    assert packed.processes == 2


async def test_a_long_history_is_asked_of_git(git: Counted) -> None:
    start = await git.commit_files({"a": "1\n"}, "Start", ADA, at=AT)
    lines = ["feature done", "reset refs/heads/main", f"from {start}", ""]
    for number in range(MOST_COMMITS):
        lines += ["commit refs/heads/main", "committer Ada <a@b.c> 1700000000 +0000", "data 0", ""]
        lines += [f"M 644 inline {number}", "data 0", ""]
    await git.run("fast-import", "--quiet", stdin="\n".join([*lines, "done", ""]).encode())
    tip = await git.rev_parse("refs/heads/main") or ""
    assert await git.count(tip) == MOST_COMMITS + 1
    assert await git.is_ancestor(start, tip)


async def test_a_ref_moves_only_from_where_it_is_expected(git: Counted) -> None:
    made = await grown(git)
    before = git.processes
    await git.update_ref("refs/heads/x/y", made["left"], ZERO)
    await git.update_ref("refs/heads/x/y", made["right"], made["left"])
    assert await git.rev_parse("refs/heads/x/y") == made["right"]
    assert git.processes == before
    for expected in (made["left"], ZERO):
        with pytest.raises(GitError, match="cannot lock ref"):
            await git.update_ref("refs/heads/x/y", made["first"], expected)
    assert await asked(git).refs("refs/heads/x") == {"refs/heads/x/y": made["right"]}
    assert not list(git.path.rglob("*.lock"))


@pytest.mark.parametrize(
    ("ref", "why"),
    [
        ("refs/heads/x", "cannot lock ref"),
        ("refs/heads/left/y", "cannot lock ref"),
        ("refs/heads/a.lock", "bad name"),
        ("refs/heads/a..b", "bad name"),
        ("refs/heads/a.", "bad name"),
        ("refs/heads/.a", "bad name"),
        ("refs/heads/a b", "bad name"),
        ("refs/heads/a.lock/b", "bad name"),
    ],
)
async def test_a_ref_that_cannot_be_is_refused_by_git(git: Counted, ref: str, why: str) -> None:
    made = await grown(git)
    await git.update_ref("refs/heads/x/y", made["left"])
    with pytest.raises(GitError, match=why):
        await git.update_ref(ref, made["left"])
    assert not list(git.path.rglob("*.lock"))


async def test_no_branch_is_at_what_is_no_commit(git: Counted) -> None:
    first = (await grown(git))["first"]
    for sha in (await git.rev_parse(f"{first}:README.md") or "", "ab" * 20):
        with pytest.raises(GitError):
            await git.update_ref("refs/heads/new", sha)


async def test_packed_refs_are_moved_by_git(git: Counted) -> None:
    made = await grown(git)
    await git.run("pack-refs", "--all")
    await git.update_ref("refs/heads/left", made["right"], made["left"])
    assert await git.rev_parse("refs/heads/left") == await asked(git).rev_parse("refs/heads/left") == made["right"]
