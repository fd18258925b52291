"""Other names of files, from real repositories. Where links lead is compared with what the operating system says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.gate import trees
from app.gate.changes import read_changes
from app.gate.git import GitObjects, GitTooLarge
from app.gate.git_answers import GitAnswers
from app.gate.trees import LONGEST_TARGET, links_of, paths_of, read_names
from checks.diff import ChangedFile, Diff, FileStatus
from checks.unread import Unread

pytestmark = pytest.mark.anyio


class Repository:
    """A work tree made with the git command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.objects = GitObjects(folder / ".git")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.symlinks=true")
        command = ["git", "-C", str(self.folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def feed(self, command: str, stream: str) -> None:
        full = ["git", "-C", str(self.folder), command, "--quiet", "--force"]
        subprocess.run(full, check=True, capture_output=True, text=True, input=stream)

    def commit(self, files: dict[str, str], links: dict[str, str] | None = None) -> str:
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8")
        for path, target in (links or {}).items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).symlink_to(target)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "c")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "a clone with blanks")


def _diff(*paths: str) -> Diff:
    return Diff(tuple(ChangedFile(path, FileStatus.MODIFIED) for path in paths))


async def test_links_lead_where_the_system_follows_them(repository: Repository) -> None:
    links = {
        "CLAUDE.md": "docs/agents.md",
        "lib/deep/up": "../../docs",
        "lib/here": ".",
        "all": ".",
        "lib/round": "./x/../deep/./",
        "out": "../elsewhere",
        "lib/far": "../../elsewhere",
        "absolute": "/etc/passwd",
        "dangling": "docs/none",
        "ünï": "docs",
    }
    head = repository.commit({"docs/agents.md": "x\n", "lib/deep/y": "y\n"}, links)
    aliases, _ = await read_names(repository.objects, head, head, ())
    assert not isinstance(aliases, Unread)
    inside = {
        path: os.path.relpath(os.path.normpath(repository.folder / Path(path).parent / target), repository.folder)
        for path, target in links.items()
        if not target.startswith("/")
    }
    assert aliases == {path: where for path, where in inside.items() if not where.startswith("..")}
    assert set(links) - set(aliases) == {"out", "lib/far", "absolute"}


async def test_links_of_both_trees_count_and_the_target_s_word_first(repository: Repository) -> None:
    target = repository.commit({"a": "1\n"}, {"old": "a", "same": "a"})
    (repository.folder / "old").unlink()
    (repository.folder / "same").unlink()
    head = repository.commit({"b": "1\n"}, {"new": "b", "same": "b"})
    aliases, _ = await read_names(repository.objects, target, head, ())
    assert aliases == {"old": "a", "same": "a", "new": "b"}


async def test_a_change_of_what_a_link_names_is_read_whole(repository: Repository) -> None:
    base = repository.commit({"docs/agents.md": "1\n", "readme": "1\n"}, {"AGENTS.md": "docs/agents.md"})
    repository.git("switch", "--quiet", "--create", "topic")
    head = repository.commit({"docs/agents.md": "2\n", "README": "2\n"})
    changes = await read_changes(repository.objects, base, head)
    assert changes.aliases == {"AGENTS.md": "docs/agents.md"}
    assert changes.twins == (("README", "readme"),)


async def test_twins_only_of_what_changes(repository: Repository) -> None:
    head = repository.commit({"Makefile": "1\n", "makefile": "2\n", "src/a.py": "1\n", "Src/b.py": "2\n"})
    _, none = await read_names(repository.objects, head, head, (_diff("src2/a.py"), Unread("x")))
    _, file = await read_names(repository.objects, head, head, (_diff("makefile"),))
    _, folder = await read_names(repository.objects, head, head, (_diff("src/new/x.py"), _diff("src/a.py")))
    assert (none, file, folder) == ((), (("Makefile", "makefile"),), (("Src", "src"),))


async def test_twins_are_bounded(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MOST_TWINS", 1)
    head = repository.commit({"a": "1\n", "A": "1\n", "b": "1\n", "B": "1\n"})
    _, pairs = await read_names(repository.objects, head, head, (_diff("a", "b"),))
    assert pairs == (("A", "a"),)


async def test_too_many_links_are_unread(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MOST_LINKS", 2)
    head = repository.commit({"a": "1\n"}, {"x": "a", "y": "a"})
    aliases, _ = await read_names(repository.objects, head, head, ())
    assert aliases == {"x": "a", "y": "a"}
    more = repository.commit({}, {"z": "a"})
    aliases, _ = await read_names(repository.objects, head, more, ())
    assert aliases == Unread("there are more than 2 symbolic links, and so many are not followed")


async def test_a_tree_is_listed_once_for_what_is_touched_in_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing, listed = GitObjects.listing, []

    async def counted(objects: GitObjects, tree: str) -> bytes:
        listed.append(tree)
        return await listing(objects, tree)

    monkeypatch.setattr(GitObjects, "listing", counted)
    objects = GitObjects(repository.objects.folder, GitAnswers())
    target = repository.commit({"a": "1\n"}, {"l": "a"})
    head = repository.commit({"A": "1\n", "b\udcff": "1\n"}, {"m\udcff": "a"})
    first = await read_names(objects, target, head, (_diff("A", "b\udcff"),))
    assert first == ({"l": "a", "m\udcff": "a"}, (("A", "a"),))
    assert listed == [head, target]
    assert await read_names(objects, target, head, (_diff("A", "b\udcff"),)) == first
    assert listed == [head, target]
    assert await read_names(objects, target, head, (_diff("b\udcff"),)) == (first[0], ())
    assert await read_names(objects, head, head, (_diff("A"),)) == first
    assert await read_names(repository.objects, target, head, (_diff("A", "b\udcff"),)) == first, "as it is without"


async def test_a_tree_that_cannot_be_listed_is_unread(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    head = repository.commit({"a": "1\n"})
    aliases, pairs = await read_names(repository.objects, head, "0" * 40, (_diff("a"),))
    assert isinstance(aliases, Unread)
    assert pairs == ()

    async def too_large(_: GitObjects, __: str) -> bytes:
        raise GitTooLarge("git's answer is over 3 bytes")

    monkeypatch.setattr(GitObjects, "listing", too_large)
    aliases, _ = await read_names(repository.objects, head, head, ())
    assert aliases == Unread("git's answer is over 3 bytes")


async def test_a_target_that_is_longer_than_a_path_is_no_link(repository: Repository) -> None:
    """Git stores any blob as a link; no system follows it."""
    (repository.folder / "blob").write_text("a/" * LONGEST_TARGET)
    oid = repository.git("hash-object", "-w", "blob")
    empty = repository.git("hash-object", "-w", "--stdin")
    repository.git("update-index", "--add", "--cacheinfo", f"120000,{oid},long")
    repository.git("update-index", "--add", "--cacheinfo", f"120000,{empty},empty")
    repository.git("commit", "--quiet", "--message", "c")
    head = repository.git("rev-parse", "HEAD")
    aliases, _ = await read_names(repository.objects, head, head, ())
    assert aliases == {}


async def test_a_listing_with_odd_names(repository: Repository) -> None:
    head = repository.commit({"tab\tand\nline": "x\n", "bü": "x\n"}, {"l\tk": "bü"})
    listing = await repository.objects.listing(head)
    assert list(paths_of(listing)) == ["bü", "l\tk", "tab\tand\nline"]
    assert links_of(listing) == {"l\tk": repository.git("rev-parse", "HEAD:l\tk")}
    assert list(paths_of(b"")) == [] and links_of(b"") == {}
    with pytest.raises(ValueError, match="not found"):
        links_of(listing[:-1])
