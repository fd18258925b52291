"""When an earlier head's change is still the present one's, told by real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.gate.git import GitObjects, init_bare, run_git
from app.gate.kept import same_change

pytestmark = pytest.mark.anyio

BASE = {"a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": "b\n", "c.txt": "c\n"}


class History:
    """Commits made of whole trees, without a working copy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects = GitObjects(folder)

    async def tree(self, files: dict[str, str]) -> str:
        lines = []
        for name, text in sorted(files.items()):
            _, oid, _ = await run_git(self.folder, ("hash-object", "-w", "--stdin"), stdin=text.encode())
            lines.append(f"100644 blob {oid.decode().strip()}\t{name}\n")
        _, tree, _ = await run_git(self.folder, ("mktree",), stdin="".join(lines).encode())
        return tree.decode().strip()

    async def commit(self, files: dict[str, str], *parents: str, message: str = "x") -> str:
        return await self.objects.commit_tree(await self.tree(files), parents, message, 1_700_000_000)


@pytest.fixture
async def history(tmp_path: Path) -> History:
    await init_bare(tmp_path / "h.git")
    return History(tmp_path / "h.git")


async def test_clean_merges_of_the_target_keep_it_and_all_else_does_not(history: History) -> None:
    base = await history.commit(BASE)
    target = await history.commit({**BASE, "b.txt": "B\n"}, base)
    later = await history.commit({**BASE, "b.txt": "BB\n"}, target)
    aside = await history.commit({**BASE, "c.txt": "C\n"}, base)
    mine = {**BASE, "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"}
    head = await history.commit(mine, base)
    merged = await history.commit({**mine, "b.txt": "B\n"}, head, target)
    again = await history.commit({**mine, "b.txt": "BB\n"}, merged, later)
    evil = await history.commit({**mine, "b.txt": "evil\n"}, head, target)
    foreign = await history.commit({**mine, "c.txt": "C\n"}, head, aside)
    backwards = await history.commit({**mine, "b.txt": "B\n"}, target, head)
    pushed = await history.commit({**mine, "c.txt": "C\n"}, head)
    empty = await history.commit(mine, head, message="nothing")
    for present, kept in (
        (merged, {head}),
        (again, {head, merged}),
        (evil, set()),  # a merge that holds more than git makes of its parents
        (foreign, set()),  # of a branch that the target does not hold
        (backwards, set()),  # the target's side first: this is not the earlier head with the target merged into it
        (pushed, set()),
        (empty, set()),
    ):
        found = await same_change(history.objects, later, present, [head, merged, "9" * 40, present])
        assert found == kept - {present}


async def test_a_merge_into_a_file_that_both_change_asks_again(history: History) -> None:
    base = await history.commit(BASE)
    mine = {**BASE, "a.txt": BASE["a.txt"].replace("9\n", "nine\n")}
    target = await history.commit({**BASE, "a.txt": BASE["a.txt"].replace("1\n", "one\n")}, base)
    head = await history.commit(mine, base)
    both = BASE["a.txt"].replace("9\n", "nine\n").replace("1\n", "one\n")
    merged = await history.commit({**BASE, "a.txt": both}, head, target)
    assert await same_change(history.objects, target, merged, [head]) == frozenset()
