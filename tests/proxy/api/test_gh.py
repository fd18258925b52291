"""Unmodified `gh`, Debian's and a current one, does an agent's work through the proxy. Transcripts are golden files.

A transcript lists what gh was told, what it asked the proxy, and how both ended. To record anew:
MERGEGATE_REWRITE_GOLDEN=1 pytest tests/proxy/api/test_gh.py
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.store.database import Database
from tests.proxy.api.town import Ended, Town, every_gh, fields_of, git, read, town

pytestmark = pytest.mark.anyio
FOLDER = Path(__file__).with_name("transcripts")


@pytest.fixture
async def shop(tmp_path: Path, database: Database) -> AsyncIterator[Town]:
    async with town(tmp_path, database) as made:
        yield made


class Transcript:
    """Runs gh, and writes down what it asked."""

    def __init__(self, shop: Town, gh: Path) -> None:
        self.shop = shop
        self.gh = gh
        self.lines: list[str] = []
        self.version = ""

    async def begin(self) -> None:
        self.version = (await self.shop.gh(self.gh, "--version")).ok()

    async def run(self, *arguments: str, **more: Any) -> Ended:
        self.shop.asked.clear()
        ended = await self.shop.gh(self.gh, *arguments, **more)
        told = " ".join(one if " " not in one else f"'{one}'" for one in arguments)
        if len(told) > 100:
            told = told[:100] + "…"
        self.lines += [f"$ gh {told}", *(f"  {one}" for one in self.shop.asked), f"  exit {ended.code}"]
        return ended

    def compare(self, name: str) -> None:
        """With the file of this gh's version; a version without one is not compared."""
        version = re.search(r"gh version (\d+\.\d+\.\d+)", self.version)
        assert version is not None
        path = FOLDER / f"{name}-{version[1]}.txt"
        text = re.sub(r"(?<=/)\d{4,}\b", "ID", "\n".join(self.lines) + "\n")
        if os.environ.get("MERGEGATE_REWRITE_GOLDEN"):
            FOLDER.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if path.is_file():
            assert text == path.read_text(encoding="utf-8")


@every_gh
async def test_an_agent_s_work(shop: Town, gh: Path) -> None:
    """Over TLS with GH_HOST, as a server under its own name."""
    told = Transcript(shop, gh)
    await told.begin()
    pull = await shop.pull()
    number, ticket = str(pull.number), str(shop.ticket.number)
    assert "A change" in (await told.run("pr", "view", number)).ok()
    assert "A change" in (await told.run("pr", "view", "agent/work")).ok()
    assert (await told.run("pr", "list")).ok().split("\t")[:3] == [number, "A change", "agent/work"]
    assert (await told.run("pr", "checks", number)).ok().startswith("test\tpass")
    assert "+text" in (await told.run("pr", "diff", number)).ok()
    (await told.run("pr", "comment", number, "--body", "Done")).ok()
    (await told.run("pr", "comment", number, "--body", "Really done", "--edit-last")).ok()
    (await told.run("pr", "edit", number, "--title", "Better", "--body", "Why and how")).ok()
    assert (pull.issue.title, pull.issue.body) == ("Better", "Why and how")
    assert "It is broken" in (await told.run("issue", "view", ticket)).ok()
    (await told.run("issue", "comment", ticket, "--body", "Looking")).ok()
    run = str(next(iter(shop.scene.shop.runs)))
    assert "CI" in (await told.run("run", "list")).ok()
    assert "test" in (await told.run("run", "view", run)).ok()
    assert "# Shop" in (await told.run("run", "view", run, "--log")).ok()
    assert read(await told.run("api", "repos/{owner}/{repo}/pulls"))[0]["number"] == pull.number
    viewer = read(await told.run("api", "graphql", "-f", "query={viewer{login}}"))
    assert viewer == {"data": {"viewer": {"login": "courier[bot]"}}}
    assert [one.body for one in pull.issue.comments] == ["Really done"]
    assert [(one.user, one.body) for one in shop.ticket.comments] == [("courier[bot]", "Looking")]
    told.compare("work")


@every_gh
async def test_every_field_that_gh_can_show(shop: Town, gh: Path) -> None:
    """All but projects, which are no part of a repository."""
    pull = await shop.pull()
    for kind, number in (("pr", pull.number), ("issue", shop.ticket.number)):
        known = fields_of((await shop.gh(gh, kind, "view", str(number), "--json")).err)
        assert len(known) > 15
        shown = read(await shop.gh(gh, kind, "view", str(number), "--json", ",".join(known)))
        assert set(shown) == set(known)
        assert shown["number"] == number
    known = [one for one in fields_of((await shop.gh(gh, "pr", "list", "--json")).err) if one != "projectItems"]
    assert read(await shop.gh(gh, "pr", "list", "--json", ",".join(known)))[0]["headRefOid"] == pull.head_sha


@every_gh
async def test_what_an_agent_may_not(shop: Town, gh: Path) -> None:
    """gh ends with the proxy's sentence, and nothing has changed."""
    told = Transcript(shop, gh)
    await told.begin()
    pull = await shop.pull()
    number, other = str(pull.number), str(shop.other.number)
    before = (shop.scene.refs(), repr(pull), repr(shop.other))
    for arguments, words in (
        (("pr", "merge", number, "--merge"), "Agents do not merge"),
        (("pr", "review", number, "--approve"), "Agents do not review"),
        (("pr", "edit", number, "--base", "other"), "may not give `baseRefName`"),
        (("issue", "view", other), "no such pull request or ticket"),
        (("api", "-X", "PUT", f"repos/acme/shop/pulls/{number}/merge"), "Agents do not merge"),
        (("api", "-X", "POST", f"repos/acme/shop/issues/{number}/labels", "-f", "labels[]=x"), "steer the gate"),
        (("api", "repos/acme/other"), "Not Found"),
    ):
        ended = await told.run(*arguments)
        assert ended.code == 1, arguments
        assert words in ended.out + ended.err, ended
    assert (shop.scene.refs(), repr(pull), repr(shop.other)) == before
    told.compare("refused")


@every_gh
async def test_through_a_unix_socket(shop: Town, gh: Path) -> None:
    """gh believes that it speaks with github.com, and opens the pull request of the branch that is checked out."""
    told = Transcript(shop, gh)
    await told.begin()
    clone = shop.folder / "clone"
    git("clone", "-q", "--branch", "agent/work", str(shop.scene.shop.git), str(clone), cwd=shop.folder)
    git("remote", "set-url", "origin", "https://github.com/acme/shop.git", cwd=clone)
    async with shop.socket() as path:
        settings = shop.folder / "settings"
        settings.mkdir()
        (settings / "config.yml").write_text(f"http_unix_socket: {path}\n")
        known = {"GH_CONFIG_DIR": str(settings), "GH_TOKEN": shop.scene.token, "GH_HOST": "", "GH_REPO": "acme/shop"}
        opened = await told.run("pr", "create", "--title", "A change", "--body", "Why", cwd=clone, **known)
        assert "/acme/shop/pull/" in opened.ok()
        (pull,) = shop.scene.shop.pulls.values()
        assert (pull.head_ref, pull.base_ref, pull.issue.user) == ("agent/work", "main", "courier[bot]")
        assert not pull.maintainer_can_modify
        await shop.scene.github.settle()
        assert "A change" in (await told.run("pr", "view", cwd=clone, **known)).ok()
        assert (await told.run("pr", "checks", cwd=clone, **known)).ok().startswith("test\tpass")
        run = str(next(iter(shop.scene.shop.runs)))
        assert "# Shop" in (await told.run("run", "view", run, "--log", cwd=clone, **known)).ok()
    told.compare("socket")
