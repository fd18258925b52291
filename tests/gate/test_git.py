"""Reading git: diffs, merges and what hostile repositories cannot do. Expected values come from git itself."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from app.gate import mirror
from app.gate.changes import read_changes, read_diff
from app.gate.diffs import UnreadableDiff, parse_diff, symlink_oids
from app.gate.git import GitFailed, GitObjects, run_git, split_answer
from app.gate.git_borrowing import borrowed_objects
from app.gate.mirror import Mirrors, Remote
from app.gate.names import RepositoryName
from app.gate.workflows import local_references, read_workflow_files
from checks.diff import Diff, FileStatus
from checks.runs import WorkflowFile, WorkflowNote
from checks.unread import Unread

pytestmark = pytest.mark.anyio


class Clone:
    """A work tree made with the git command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        command = ["git", "-C", str(self.folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def commit(self, **files: str) -> str:
        for path, text in files.items():
            self.write(path.replace("__", "/").replace("_DOT_", "."), text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "c")
        return self.git("rev-parse", "HEAD")

    @property
    def objects(self) -> GitObjects:
        return GitObjects(self.folder / ".git")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "a clone with blanks")


async def test_every_kind_of_change_is_told_apart(clone: Clone) -> None:
    base = clone.commit(kept="1\n", moved="one\ntwo\nthree\nfour\n", gone="x\n", bits="x\n")
    clone.git("mv", "moved", "elsewhere")
    clone.git("rm", "--quiet", "gone")
    (clone.folder / "bits").chmod(0o755)
    (clone.folder / "link").symlink_to("../outside")
    (clone.folder / "zero").write_bytes(b"\0\1")
    head = clone.commit(kept="1\n2\n", new="a\nb\n")
    files = {file.path: file for file in (await read_diff(clone.objects, base, head)).files}
    assert {path: file.status for path, file in files.items()} == {
        "bits": FileStatus.MODIFIED,
        "elsewhere": FileStatus.RENAMED,
        "gone": FileStatus.REMOVED,
        "kept": FileStatus.MODIFIED,
        "link": FileStatus.ADDED,
        "new": FileStatus.ADDED,
        "zero": FileStatus.ADDED,
    }
    assert files["elsewhere"].paths == ("elsewhere", "moved")
    assert (files["kept"].additions, files["kept"].deletions) == (1, 0)
    assert (files["bits"].old_mode, files["bits"].new_mode) == ("100644", "100755")
    assert (files["link"].new_mode, files["link"].symlink_target) == ("120000", "../outside")
    assert files["zero"].binary


async def test_odd_names_stay_themselves(clone: Clone) -> None:
    base = clone.commit(a="1\n")
    (clone.folder / "tab\tand\nline").write_text("x\n")
    (clone.folder / "ünï").write_text("x\n")
    head = clone.commit(a="1\n")
    paths = {file.path for file in (await read_diff(clone.objects, base, head)).files}
    assert paths == {"tab\tand\nline", "ünï"}


async def test_changes_against_a_target_that_moved_on(clone: Clone) -> None:
    base = clone.commit(a="1\n")
    clone.git("switch", "--quiet", "--create", "topic")
    head = clone.commit(b="1\n")
    clone.git("switch", "--quiet", "main")
    target = clone.commit(c="1\n")
    changes = await read_changes(clone.objects, target, head)
    assert (changes.merge_base, changes.mergeable) == (base, True)
    assert isinstance(changes.diff, Diff)
    assert isinstance(changes.merge_diff, Diff)
    assert [file.path for file in changes.diff.files] == ["b"]
    assert [file.path for file in changes.merge_diff.files] == ["b"]


async def test_a_conflict_is_not_mergeable_and_its_result_unread(clone: Clone) -> None:
    clone.commit(a="1\n")
    clone.git("switch", "--quiet", "--create", "topic")
    head = clone.commit(a="2\n")
    clone.git("switch", "--quiet", "main")
    changes = await read_changes(clone.objects, clone.commit(a="3\n"), head)
    assert changes.mergeable is False
    assert isinstance(changes.merge_diff, Unread)


async def test_unrelated_histories_are_unread(clone: Clone) -> None:
    target = clone.commit(a="1\n")
    clone.git("switch", "--quiet", "--orphan", "other")
    changes = await read_changes(clone.objects, target, clone.commit(b="1\n"))
    assert isinstance(changes.diff, Unread)


async def test_a_committed_union_driver_changes_no_merge(clone: Clone) -> None:
    """GitHub ignores users' merge attributes, and so must the rebuilt tree."""
    clone.commit(a="1\n", _DOT_gitattributes="* merge=union\n")
    clone.git("switch", "--quiet", "--create", "topic")
    head = clone.commit(a="2\n")
    clone.git("switch", "--quiet", "main")
    target = clone.commit(a="3\n")
    assert (await clone.objects.merge(target, head)).conflict


async def test_nothing_of_the_clones_configuration_runs(clone: Clone, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    clone.commit(a="1\n", _DOT_gitattributes="* merge=evil diff=evil filter=evil\n")
    for key in ("merge.evil.driver", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "diff.external"):
        clone.git("config", key, f"touch '{marker}'")
    clone.git("switch", "--quiet", "--create", "topic")
    clone.git("config", "--unset", "core.fsmonitor")
    head = clone.commit(a="2\n")
    clone.git("switch", "--quiet", "main")
    target = clone.commit(a="3\n")
    marker.unlink(missing_ok=True)
    clone.git("config", "core.fsmonitor", f"touch '{marker}'")
    async with borrowed_objects(clone.folder / ".git" / "objects", tmp_path / "fresh.git") as objects:
        assert (await objects.merge(target, head)).conflict
        await read_diff(objects, target, head)
    assert not marker.exists()


async def test_a_git_that_refuses_says_why(clone: Clone) -> None:
    with pytest.raises(GitFailed, match="rev-parse"):
        await clone.objects.commit_of("no-such-branch")


async def test_an_option_is_never_taken_from_a_name(clone: Clone) -> None:
    clone.commit(a="1\n")
    with pytest.raises(GitFailed):
        await clone.objects.commit_of("--git-dir")


async def test_what_git_started_ends_with_the_call(clone: Clone) -> None:
    with pytest.raises(GitFailed, match="did not finish"):
        await run_git(clone.folder / ".git", ("cat-file", "--batch"), stdin=b"", time_limit=0.0)


@pytest.mark.parametrize("raw", [b"x", b":100644 100644 a b Q\0p\0", b":100644 100644 a b R100\0only\0", b"junk\0"])
def test_an_answer_of_another_shape_is_unreadable(raw: bytes) -> None:
    with pytest.raises(UnreadableDiff):
        parse_diff(raw, b"")


def test_more_files_than_github_lists_are_marked_as_cut() -> None:
    raw = b"".join(b":100644 100644 %040d %040d M\0f%d\0" % (1, 2, number) for number in range(3001))
    counted = b"".join(b"%d\t0\tf%d\0" % (number, number) for number in range(3001))
    diff = parse_diff(raw, counted)
    assert (len(diff.files), diff.complete) == (3000, False)
    assert [file.additions for file in diff.files] == [*range(3000)]
    # What lies behind them is not even looked at: there may be hundreds of thousands.
    assert parse_diff(raw + b"junk\0" * 9_000, counted + b"junk\0" * 9_000) == diff
    links = raw.replace(b"100644 %040d %040d" % (1, 2), b"120000 %040d %040d" % (1, 2))
    assert len(symlink_oids(links + b"junk\0" * 9_000)) == 3000


REFERENCES = [
    (b"jobs: {a: {uses: ./.github/workflows/b.yml}}", (".github/workflows/b.yml",)),
    (b"jobs: {a: {uses: $/.github/workflows/b.yml}}", (".github/workflows/b.yml",)),
    (
        b"jobs:\n  a:\n    steps:\n      - uses: ./.github/actions/x\n      - uses: actions/checkout@v4\n",
        (".github/actions/x",),
    ),
    (b"jobs: {a: {uses: other/repo/.github/workflows/x.yml@main}}", ()),
    (b"a: &a {uses: ./x}\nb: *a\nc: *a\n", ("x",)),
    (b"", ()),
]


@pytest.mark.parametrize(("text", "paths"), REFERENCES)
def test_local_calls_of_a_workflow(text: bytes, paths: tuple[str, ...]) -> None:
    assert local_references(text) == paths


@pytest.mark.parametrize("text", [b"a: [", b"\xff\xfe", b"a: " + b"[" * 5000])
def test_a_workflow_that_is_no_yaml_calls_nothing_that_is_known(text: bytes) -> None:
    assert local_references(text) is None


async def test_a_changed_file_that_a_workflow_calls_is_found(clone: Clone) -> None:
    target = clone.commit(
        _DOT_github__workflows__ci_DOT_yml="jobs: {a: {uses: ./.github/workflows/called.yml}}\n",
        _DOT_github__workflows__called_DOT_yml="jobs: {}\n",
    )
    head = clone.commit(_DOT_github__workflows__called_DOT_yml="jobs: {x: {}}\n")
    files = await read_workflow_files(clone.objects, head, target)
    assert not isinstance(files, Unread)
    caller = next(file for file in files if file.path.endswith("ci.yml"))
    assert caller.head_oid == caller.target_oid == clone.git("rev-parse", "HEAD:.github/workflows/ci.yml")
    assert [file.head_oid == file.target_oid for file in caller.called] == [False]


def _every_file(files: tuple[WorkflowFile, ...]) -> dict[str, bool]:
    """Path to whether it is the target's, of each workflow file and whatever it calls."""
    found = {file.path: file.head_oid == file.target_oid for file in files}
    for file in files:
        found |= _every_file(file.called)
    return found


async def test_an_action_that_an_action_calls_is_compared_too(clone: Clone) -> None:
    clone.write("ci/outer/action.yml", "runs: {using: composite, steps: [{uses: ./ci/inner}]}\n")
    clone.write("ci/inner/action.yaml", "runs: {using: node20, main: index.js}\n")
    clone.write("ci/inner/index.js", "check()\n")
    target = clone.commit(_DOT_github__workflows__ci_DOT_yml="jobs: {a: {steps: [{uses: ./ci/outer}]}}\n")
    head = clone.commit(ci__inner__index_DOT_js="pretend()\n")
    files = await read_workflow_files(clone.objects, head, target)
    assert not isinstance(files, Unread)
    assert _every_file(files) == {".github/workflows/ci.yml": True, "ci/outer": True, "ci/inner": False}


async def test_what_a_trusted_file_says_of_its_runs_is_noted(clone: Clone) -> None:
    clone.write("ci/tests/action.yml", "runs: {using: composite, steps: [{run: pytest || true, shell: bash}]}\n")
    job = "{steps: [{uses: ./ci/tests}, {run: 'pytest -k ${{ vars.A }}'}, {run: 'x ${{ secrets.B }}'}]}"
    target = clone.commit(
        _DOT_github__workflows__ci_DOT_yml=f"jobs:\n  a: {job}\n",
        _DOT_github__workflows__other_DOT_yml=f"jobs:\n  a: {job}\n",
    )
    head = clone.commit(_DOT_github__workflows__other_DOT_yml=f"jobs:\n  b: {job}\n")
    files = await read_workflow_files(clone.objects, head, target)
    assert not isinstance(files, Unread)
    ours, other = files
    assert ours.notes == (WorkflowNote("secret", "a", 2, "B"), WorkflowNote("variable", "a", 2, "vars.A"))
    assert ours.called[0].notes == (WorkflowNote("hidden-failure", "", 1, "|| true"),)
    assert other.notes == ()


async def test_an_action_at_the_root_is_the_whole_repository(clone: Clone) -> None:
    clone.write("action.yml", "runs: {using: node20, main: index.js}\n")
    target = clone.commit(_DOT_github__workflows__ci_DOT_yml="jobs: {a: {steps: [{uses: ./}]}}\n")
    head = clone.commit(index_DOT_js="pretend()\n")
    files = await read_workflow_files(clone.objects, head, target)
    assert not isinstance(files, Unread)
    assert _every_file(files) == {".github/workflows/ci.yml": True, ".": False}


async def test_an_action_behind_a_link_cannot_be_followed(clone: Clone) -> None:
    clone.write("real/action.yml", "runs: {using: node20, main: index.js}\n")
    (clone.folder / "ci").symlink_to("real")
    target = clone.commit(_DOT_github__workflows__ci_DOT_yml="jobs: {a: {steps: [{uses: ./ci}]}}\n")
    head = clone.commit(real__index_DOT_js="pretend()\n")
    files = await read_workflow_files(clone.objects, head, target)
    assert not isinstance(files, Unread)
    assert files[0].called[0].unresolved


@pytest.fixture
def mirrors(clone: Clone, tmp_path: Path) -> Mirrors:
    async def remote(_: int, __: RepositoryName) -> Remote:
        return Remote(str(clone.folder / ".git"), {})

    return Mirrors(tmp_path / "mirrors", remote)


SHOP = RepositoryName(7, "acme", "shop")


async def test_a_branch_may_take_the_place_of_one_above_it(clone: Clone, mirrors: Mirrors) -> None:
    first = clone.commit(a="1\n")
    clone.git("branch", "release")
    await mirrors.objects(1, SHOP, refs=("refs/heads/release",), oids=(first,))
    clone.git("branch", "-D", "release")
    clone.git("switch", "--quiet", "-c", "release/1")
    second = clone.commit(a="2\n")
    assert await (await mirrors.objects(1, SHOP, refs=("refs/heads/release/1",), oids=(second,))).has(second)


async def test_what_a_killed_git_left_locked_is_cleared_away(clone: Clone, mirrors: Mirrors) -> None:
    first = clone.commit(a="1\n")
    folder = (await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))).folder
    second = clone.commit(a="2\n")
    (ref,) = (folder / "refs/mergegate").iterdir()
    lock = ref.with_name(ref.name + ".lock")
    lock.touch()
    with pytest.raises(GitFailed) as locked:
        await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(second,))
    assert str(folder) not in str(locked.value), "what may be shown to anybody holds no path of the machine"
    yesterday = time.time() - 86_400
    os.utime(lock, (yesterday, yesterday))
    assert await (await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(second,))).has(second)


async def test_what_is_fetched_is_there_whole_or_not_at_all(clone: Clone, mirrors: Mirrors) -> None:
    """A commit without its files would never be fetched again: a killed fetch must leave no single objects."""
    first = clone.commit(a="1\n")
    folder = (await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))).folder
    kept = {path.suffix for path in (folder / "objects").rglob("*") if path.is_file()}
    assert ".pack" in kept and kept <= {".pack", ".idx", ".rev"}


async def test_a_mirror_whose_making_was_killed_is_made_again(clone: Clone, mirrors: Mirrors, tmp_path: Path) -> None:
    first = clone.commit(a="1\n")
    half = tmp_path / "mirrors" / f"{SHOP.id}.git"
    half.mkdir(parents=True)
    (half / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    (half / "config.lock").touch()
    os.utime(half / "config.lock", (1_700_000_000, 1_700_000_000))
    assert await (await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))).has(first)


async def test_many_packs_are_put_together(clone: Clone, mirrors: Mirrors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "MOST_PACKS", 1)
    first = clone.commit(a="1\n")
    objects = await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))
    own = await objects.commit_tree(await objects.tree_of(first), (first,), "of the gate's own", 1_700_000_000)
    second = clone.commit(a="2\n")
    await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(second,))
    assert len(list(objects.folder.glob("objects/pack/*.pack"))) == 1
    assert await objects.has(first, second, own)


async def test_packs_that_cannot_be_put_together_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "MOST_PACKS", 0)
    pack = tmp_path / "objects" / "pack" / "pack-1.pack"
    pack.parent.mkdir(parents=True)
    pack.touch()
    await mirror._gather(tmp_path)  # no repository: git refuses
    assert pack.exists()


@pytest.mark.parametrize(
    "cut", [b":100644 100644 a b M", b":100644 100644 a b R100\0one\0", b":100644 100644 a b M\0x"]
)
def test_a_list_that_ends_within_an_entry_is_no_list(cut: bytes) -> None:
    with pytest.raises(ValueError, match="subsection not found"):
        split_answer(cut)


def test_entries_are_told_from_their_line_counts() -> None:
    raw = b":100644 100644 a b R100\0one\0two\0:000000 100644 a b A\0:odd\0"
    counts = b"1\t2\t\0one\0two\0003\t0\t:odd\0"
    assert split_answer(raw + counts) == (raw, counts)
