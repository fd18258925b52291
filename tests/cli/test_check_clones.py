"""`mergegate check` on clones of every kind: what is no clone, what lacks something, and what is hostile."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.clones import BUNDLE, Shop, check, command, judged, make_shop, refused

CHANGE = {"src/total.py": "def total(rows):\n    return sum(rows) + 0\n"}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = make_shop(tmp_path / "shop")
    made.branch(CHANGE)
    return made


def _clone(shop: Shop, folder: Path, *options: str) -> Path:
    shop.git("config", "uploadpack.allowFilter", "true")
    shop.git("clone", "--quiet", *options, f"file://{shop.folder}", str(folder))
    return folder


def _pending(folder: Path, base: str = "main", head: str = "agent/7") -> None:
    assert judged(check(folder, "--json", base=base, head=head), 0)["verdict"] == "pending"


class TestKinds:
    def test_a_subfolder(self, shop: Shop) -> None:
        _pending(shop.folder / "src")

    def test_the_git_folder_itself(self, shop: Shop) -> None:
        _pending(shop.folder / ".git")

    def test_a_bare_clone(self, shop: Shop, tmp_path: Path) -> None:
        _pending(_clone(shop, tmp_path / "bare.git", "--bare"))

    def test_a_linked_work_tree_with_its_own_head(self, shop: Shop, tmp_path: Path) -> None:
        shop.git("checkout", "--quiet", "main")
        shop.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "agent/7")
        _pending(tmp_path / "linked", head="HEAD")
        assert judged(check(shop, "--json", head="HEAD"), 0)["findings"] != []

    def test_a_submodule(self, shop: Shop, tmp_path: Path) -> None:
        outer = Shop(tmp_path / "outer")
        outer.folder.mkdir()
        outer.git("init", "--quiet")
        outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(shop.folder), "inner")
        _pending(outer.folder / "inner", base="origin/main", head="origin/agent/7")

    def test_a_clone_that_borrows_objects(self, shop: Shop, tmp_path: Path) -> None:
        _pending(_clone(shop, tmp_path / "borrower", "--shared"), base="origin/main", head="origin/agent/7")

    def test_packed_refs_and_objects(self, shop: Shop) -> None:
        shop.git("gc", "--quiet", "--prune=now")
        _pending(shop.folder)

    def test_a_folder_with_an_odd_name(self, shop: Shop, tmp_path: Path) -> None:
        odd = shop.folder.rename(tmp_path / 'a\nb "c" \\ ü\udcff')
        _pending(odd)

    def test_through_a_symbolic_link(self, shop: Shop, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(shop.folder)
        _pending(tmp_path / "link")

    def test_a_clone_that_may_not_be_written(self, shop: Shop) -> None:
        for folder, _, _ in os.walk(shop.folder):
            Path(folder).chmod(0o555)
        try:
            _pending(shop.folder)
        finally:
            for folder, _, _ in os.walk(shop.folder):
                Path(folder).chmod(0o755)


class TestRevisions:
    @pytest.mark.parametrize("name", ["agent/7", "refs/heads/agent/7", "HEAD", "agent/7~0", "@", ":/change", "v1"])
    def test_gits_notations(self, shop: Shop, name: str) -> None:
        shop.git("tag", "-a", "v1", "-m", "v1")
        _pending(shop.folder, head=name)

    def test_short_ids_and_fetched_heads(self, shop: Shop, tmp_path: Path) -> None:
        _pending(shop.folder, head=shop.git("rev-parse", "--short", "agent/7"))
        clone = Shop(_clone(shop, tmp_path / "clone", "--single-branch", "--branch=main"))
        clone.git("fetch", "--quiet", "origin", "agent/7")
        _pending(clone.folder, head="FETCH_HEAD")

    def test_a_remote_branch_keeps_its_name(self, shop: Shop, tmp_path: Path) -> None:
        clone = _clone(shop, tmp_path / "clone")
        value = judged(check(clone, "--json", base="origin/main", head="origin/agent/7"), 0)
        reasons = {each["check"]: each["reason"] for each in value["findings"]}
        assert reasons["people"].startswith("It carries the mark of an agent: the branch `agent/7`")
        assert reasons["policy"].startswith("`main` has no ")

    @pytest.mark.parametrize(
        "name",
        ["nothing", "", "--help", "-h", "main..agent/7", "HEAD:README", "0" * 40, "a b", "@{u}", "\udcff", "[x]"],
    )
    def test_an_unknown_revision(self, shop: Shop, name: str) -> None:
        assert "no commit" in refused(check(shop, f"--head={name}", "--json", head="HEAD"))
        assert "--base" in refused(check(shop, f"--base={name}", "--json"))


class TestNoClone:
    def test_a_folder_without_a_repository(self, tmp_path: Path) -> None:
        assert "there is no git repository in" in refused(check(tmp_path, "--json"))

    def test_no_folder(self, tmp_path: Path) -> None:
        assert "is not a folder" in refused(check(tmp_path / "nothing", "--json"))
        (tmp_path / "file").write_text("x")
        assert "is not a folder" in refused(check(tmp_path / "file", "--json"))

    def test_a_work_tree_whose_repository_is_gone(self, tmp_path: Path) -> None:
        (tmp_path / ".git").write_text("gitdir: /nonexistent/.git/worktrees/x\n")
        assert "points at no git repository" in refused(check(tmp_path, "--json"))

    def test_a_damaged_configuration(self, shop: Shop) -> None:
        (shop.folder / ".git/config").write_text("[core\n")
        assert "config" in refused(check(shop, "--json"))

    def test_other_formats(self, shop: Shop, tmp_path: Path) -> None:
        other = Shop(tmp_path / "sha256")
        other.folder.mkdir()
        other.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main")
        other.commit()
        assert "SHA-256" in refused(check(other, "--json", head="main"))
        shop.git("config", "extensions.refStorage", "reftable")
        assert "reftable" in refused(check(shop, "--json"))

    def test_histories_that_have_nothing_in_common(self, shop: Shop) -> None:
        shop.git("checkout", "--quiet", "--orphan", "other")
        shop.commit()
        assert "no common history" in refused(check(shop, "--json", head="other"))

    def test_git_is_not_installed(self, shop: Shop, tmp_path: Path) -> None:
        done = command("check", "--repo", str(shop.folder), "--base=main", "--head=agent/7", PATH=str(tmp_path))
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"mergegate: git is not installed")


class TestWhatIsMissing:
    def test_a_shallow_clone_that_holds_the_change(self, shop: Shop, tmp_path: Path) -> None:
        shop.git("checkout", "--quiet", "main")
        shop.commit("Second")
        shop.branch(CHANGE)
        clone = _clone(shop, tmp_path / "clone", "--depth=2", "--no-single-branch")
        assert (clone / ".git/shallow").exists()
        result = check(clone, "--json", base="origin/main", head="origin/agent/7")
        assert judged(result, 0)["verdict"] == "pending"
        assert result.stderr == "mergegate: the clone is shallow, so where the branches parted is not certain.\n"

    def test_a_shallow_clone_that_lacks_the_merge_base(self, shop: Shop, tmp_path: Path) -> None:
        shop.git("checkout", "--quiet", "main")
        shop.write("README", "Moved on.\n")
        shop.commit()
        clone = _clone(shop, tmp_path / "clone", "--depth=1", "--no-single-branch")
        said = refused(check(clone, "--json", base="origin/main", head="origin/agent/7"))
        assert "git fetch --unshallow" in said

    def test_a_partial_clone_without_files(self, shop: Shop, tmp_path: Path) -> None:
        clone = _clone(shop, tmp_path / "clone", "--filter=blob:none", "--no-checkout")
        said = refused(check(clone, "--json", base="origin/main", head="origin/agent/7"))
        assert "git fetch --refetch --no-filter" in said
        missing = Shop(clone).git("rev-list", "--objects", "--missing=print", "origin/agent/7")
        assert "?" in missing  # nothing was fetched behind the user's back


MARKER_SETTINGS = (
    ("core.fsmonitor", "{run}"),
    ("core.sshCommand", "{run}"),
    ("core.pager", "{run}"),
    ("core.editor", "{run}"),
    ("core.gitProxy", "{run}"),
    ("core.alternateRefsCommand", "{run}"),
    ("core.attributesFile", "{attributes}"),
    ("core.hooksPath", "{hooks}"),
    ("diff.external", "{run}"),
    ("diff.evil.textconv", "{run}"),
    ("diff.evil.command", "{run}"),
    ("merge.evil.driver", "{run} %A"),
    ("merge.default", "evil"),
    ("filter.evil.clean", "{run}"),
    ("filter.evil.smudge", "{run}"),
    ("filter.evil.process", "{run}"),
    ("gpg.program", "{run}"),
    ("log.showSignature", "true"),
    ("credential.helper", "{run}"),
    ("trace2.eventTarget", "{trace}"),
    ("remote.origin.url", "ext::{run}"),
    ("remote.origin.promisor", "true"),
    ("remote.origin.partialclonefilter", "blob:none"),
    ("remote.origin.uploadpack", "{run}"),
    ("extensions.partialClone", "origin"),
    ("protocol.ext.allow", "always"),
    ("uploadpack.packObjectsHook", "{run}"),
    ("include.path", "{include}"),
    ("alias.rev-parse", "!{run}"),
    ("alias.merge-tree", "!{run}"),
    ("core.repositoryFormatVersion", "1"),
)
HOOKS = (
    "post-checkout",
    "post-index-change",
    "pre-auto-gc",
    "reference-transaction",
    "fsmonitor-watchman",
    "pre-commit",
    "post-merge",
    "proc-receive",
)


def _hostile(shop: Shop, folder: Path) -> Path:
    """Whatever git can be told to run, told to make a file in `folder`; that file."""
    folder.mkdir()
    marker, run = folder / "ran", folder / "run"
    run.write_text(f"#!/bin/sh\necho \"$0 $*\" >>'{marker}'\nexit 1\n")
    run.chmod(0o755)
    (folder / "attributes").write_text("* diff=evil merge=evil filter=evil\n")
    (folder / "include").write_text(f"[core]\n\tfsmonitor = {run}\n")
    for hooks in (folder / "hooks", shop.folder / ".git/hooks"):
        hooks.mkdir(exist_ok=True)
        for hook in HOOKS:
            (hooks / hook).write_bytes(run.read_bytes())
            (hooks / hook).chmod(0o755)
    for key, value in MARKER_SETTINGS:
        text = value.format(
            run=run,
            hooks=folder / "hooks",
            attributes=folder / "attributes",
            include=folder / "include",
            trace=folder / "trace",
        )
        shop.git("config", "--file", ".git/config", "--add", key, text)
    (shop.folder / ".git/info").mkdir(exist_ok=True)
    (shop.folder / ".git/info/attributes").write_text("* diff=evil merge=evil filter=evil\n")
    return marker


def _fingerprint(folder: Path) -> str:
    """Digest of every name, kind, mode, time of change and content below `folder`."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        digest.update(
            f"{path}\0{about.st_mode}\0{about.st_mtime_ns}\0{about.st_size}\0".encode("utf-8", "surrogateescape")
        )
        if stat.S_ISREG(about.st_mode):
            digest.update(path.read_bytes())
    return digest.hexdigest()


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Shop, Path]:
    shop = make_shop(tmp_path / "shop")
    shop.write(".gitattributes", "* diff=evil merge=evil filter=evil\n")
    shop.commit()
    shop.branch({**CHANGE, "README": "One.\n"})
    shop.git("checkout", "--quiet", "main")
    shop.write("src/more.py", "x = 1\n")
    shop.commit()
    return shop, _hostile(shop, tmp_path / "evil")


@pytest.mark.parametrize("arguments", [("status",), ("cat-file", "-e", "1" * 40), ("diff", "main", "agent/7")])
def test_the_trap_works_on_git_itself(trap: tuple[Shop, Path], arguments: tuple[str, ...]) -> None:
    shop, marker = trap
    git = ("git", "-C", str(shop.folder), *arguments)
    subprocess.run(git, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    assert marker.exists()


def test_nothing_of_a_hostile_clone_runs_and_nothing_in_it_changes(trap: tuple[Shop, Path], tmp_path: Path) -> None:
    shop, marker = trap
    (tmp_path / "bundle.yml").write_text(BUNDLE)
    before = _fingerprint(shop.folder)
    options = ("--base", "main", "--head", "agent/7", "--bundle", str(tmp_path / "bundle.yml"), "--json")
    done = command("check", "--repo", ".", *options, cwd=shop.folder)
    assert (done.returncode, done.stderr) == (0, b"")
    refused(check(shop, "--json", head="1" * 40))
    refused(check(shop, "--json", head="nothing"))
    assert not marker.exists(), marker.read_text()
    assert not (marker.parent / "trace").exists()
    assert _fingerprint(shop.folder) == before


def test_missing_objects_are_not_fetched_by_what_a_clone_names(trap: tuple[Shop, Path]) -> None:
    shop, marker = trap
    blob = shop.git("--literal-pathspecs", "rev-parse", "agent/7:src/total.py")
    (shop.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert "cannot be read" in refused(check(shop, "--json"))
    assert not marker.exists(), marker.read_text()


def test_programs_beside_the_repository_are_not_taken_for_git(trap: tuple[Shop, Path]) -> None:
    shop, marker = trap
    (shop.folder / "git").write_bytes((marker.parent / "run").read_bytes())
    (shop.folder / "git").chmod(0o755)
    (shop.folder / "checks").mkdir()
    (shop.folder / "checks/__init__.py").write_text(f"open({str(marker)!r}, 'w')\n")
    done = subprocess.run(
        (str(Path(sys.executable).parent / "mergegate"), "check", "--repo=.", "--base=main", "--head=agent/7"),
        cwd=shop.folder,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0
    assert not marker.exists()


def test_temporary_folders_are_removed(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    _pending(shop.folder)
    refused(check(shop, "--json", head="nothing"))
    assert list((tmp_path / "temporary").iterdir()) == []
