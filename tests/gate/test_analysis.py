"""Contents of changed files reach the analysis as git has them, apart from this process, and once."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from app.gate import analysis, blobs
from app.gate.analysis import analyse_difference, judged_difference, run_analysis
from app.gate.analysis_frames import read, read_tree, write
from app.gate.blobs import read_changes_with_contents
from app.gate.changes import Changes, read_changes, read_diff, unread_changes
from app.gate.git import GitFailed, GitObjects, GitTooLarge
from app.gate.remembered import remembered_analysis
from app.store.database import Database
from checks.diff import Diff, FileStatus
from checks.tampering.alteration import Analysis
from checks.tampering.change import LARGEST_FILE, Change, Version
from checks.unread import Unread
from tests.gate.hostile import hostile
from tests.gate.test_git import Clone

pytestmark = pytest.mark.anyio

TEST = "def test_total():\n    assert total(2, 3) == 5\n"


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "clone")


async def test_both_sides_are_read_as_git_has_them(clone: Clone) -> None:
    base = clone.commit(kept="1\n", moved="one\ntwo\nthree\nfour\n", gone="x\n")
    clone.git("mv", "moved", "elsewhere")
    clone.git("rm", "--quiet", "gone")
    (clone.folder / "link").symlink_to("kept")
    (clone.folder / "empty").write_bytes(b"")
    (clone.folder / "large").write_bytes(b"x" * (LARGEST_FILE + 1))
    head = clone.commit(kept="1\n2\n")
    diff = await read_diff(clone.objects, base, head)
    changes = {change.paths[0]: change for change in await read_changes_with_contents(clone.objects, diff.files)}
    moved = b"one\ntwo\nthree\nfour\n"
    assert changes == {
        "elsewhere": Change(
            FileStatus.RENAMED, Version("moved", "100644", moved), Version("elsewhere", "100644", moved)
        ),
        "empty": Change(FileStatus.ADDED, None, Version("empty", "100644", b"")),
        "gone": Change(FileStatus.REMOVED, Version("gone", "100644", b"x\n"), None),
        "kept": Change(FileStatus.MODIFIED, Version("kept", "100644", b"1\n"), Version("kept", "100644", b"1\n2\n")),
        "large": Change(FileStatus.ADDED, None, Version("large", "100644", None)),
        "link": Change(FileStatus.ADDED, None, Version("link", "120000", b"kept")),
    }
    stream = BytesIO(b"".join(write(tuple(changes.values()), b"a\0b\xff\0")))
    assert read_tree(stream) == ("a", "b\udcff")
    assert tuple(read(stream)) == tuple(changes.values())


async def test_what_does_not_fit_is_left_out_and_known_to_be(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    base = clone.commit(z="0\n")
    head = clone.commit(a="12345\n", b="12345\n12345\n", c="1\n")
    monkeypatch.setattr(blobs, "MOST_BYTES", 10)
    diff = await read_diff(clone.objects, base, head)
    read_ = {change.paths[0]: change.after for change in await read_changes_with_contents(clone.objects, diff.files)}
    contents = {path: after.data if after else None for path, after in read_.items()}
    assert contents == {"a": b"12345\n", "b": None, "c": b"1\n"}


async def test_no_blob_is_a_blob_that_is_none(clone: Clone) -> None:
    commit = clone.commit(a="1\n")
    with pytest.raises(GitFailed, match="no blob but a commit"):
        await blobs.read_blobs(clone.objects, [commit])
    assert await blobs.read_blobs(clone.objects, []) == {}


async def test_what_would_land_is_judged(clone: Clone) -> None:
    base = clone.commit(a="1\n")
    clone.git("switch", "--quiet", "--create", "topic")
    head = clone.commit(b="1\n")
    clone.git("switch", "--quiet", "main")
    target = clone.commit(c="1\n")
    changes = await read_changes(clone.objects, target, head)
    judged = judged_difference(changes, target, head)
    assert not isinstance(judged, Unread)
    assert changes.merge is not None
    assert judged == ((target, changes.merge.tree), changes.merge_diff)
    clone.git("switch", "--quiet", "main")
    conflicting = clone.commit(b="2\n")
    changes = await read_changes(clone.objects, conflicting, head)
    assert judged_difference(changes, conflicting, head) == ((base, head), changes.diff)
    assert judged_difference(unread_changes("no history"), target, head) == Unread("no history")
    odd = Changes(Unread("?"), Diff(()), Unread("?"), None)
    assert isinstance(judged_difference(odd, target, head), Unread)


async def test_a_removed_test_is_found_and_remembered(clone: Clone, database: Database) -> None:
    base = clone.commit(test_a_DOT_py=TEST, total_DOT_py="def total(a, b):\n    return a + b\n")
    clone.git("rm", "--quiet", "test_a.py")
    head = clone.commit(total_DOT_py="def total(a, b):\n    return a - b\n")
    diff = await read_diff(clone.objects, base, head)
    first = await remembered_analysis(database, 2, clone.objects, ((base, head), diff))
    assert isinstance(first, Analysis)
    assert [(one.kind, one.path) for one in first.alterations] == [("test-removed", "test_a.py")]
    missing = GitFailed("the second look reads nothing")

    async def fail(*_: object) -> None:
        raise missing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "read_changes_with_contents", fail)
        assert await remembered_analysis(database, 2, clone.objects, ((base, head), diff)) == first
        other = await remembered_analysis(database, 3, clone.objects, ((base, head), diff))
    assert other == Unread(str(missing))
    assert await analyse_difference(clone.objects, diff) == first


async def test_nothing_changed_is_no_child() -> None:
    assert await run_analysis(()) == Analysis(())


@pytest.mark.parametrize(
    "child",
    ["dies", "crashes", "raises", "stalls", "loops", "answers_an_object", "answers_null", "answers_nothing"],
)
async def test_a_child_that_dies_stalls_or_lies_makes_the_difference_unread(
    monkeypatch: pytest.MonkeyPatch, child: str
) -> None:
    monkeypatch.setattr(analysis, "CHILD", hostile(child, seconds=0.5))
    change = Change(FileStatus.ADDED, None, Version("a.py", "100644", b"1\n"))
    assert isinstance(await run_analysis((change,)), Unread)


async def test_settings_that_a_new_file_puts_out_of_force_are_known(clone: Clone) -> None:
    """And so are the tests of the tree that settings leave out."""
    base = clone.commit(
        setup_DOT_cfg="[tool:pytest]\nxfail_strict = true\n", test_a_DOT_py=TEST, tox_DOT_ini="[tox]\n", big="x\n"
    )
    (clone.folder / "pyproject.toml").symlink_to("big")
    base = clone.commit()
    head = clone.commit(pytest_DOT_ini="[pytest]\naddopts = --ignore-glob=*_a.py\n")
    diff = await read_diff(clone.objects, base, head)
    found = await analyse_difference(clone.objects, diff, head)
    assert isinstance(found, Analysis)
    assert [(one.kind, one.weight.value) for one in found.alterations] == [
        ("collection-narrowed", "failed"),
        ("runner-configuration", "person"),
    ]
    assert "which `pytest.ini` puts out of force" in found.alterations[1].reason


async def test_a_tree_that_is_too_large_is_not_known(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    base = clone.commit(setup_DOT_cfg="[tool:pytest]\nxfail_strict = true\n")
    head = clone.commit(pytest_DOT_ini="[pytest]\n")
    diff = await read_diff(clone.objects, base, head)

    async def too_large(*_: object) -> bytes:
        raise GitTooLarge("it is over 3 bytes")

    monkeypatch.setattr(GitObjects, "listing", too_large)
    assert await analyse_difference(clone.objects, diff, head) == Analysis(())
