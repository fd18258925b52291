"""`mergegate session`: what it prints and how it ends, on a database with sessions; GitHub is not asked."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.commands import app
from app.proxy import ledger, sessions
from app.proxy.grant import Grant
from app.store.database import Database
from tests.proxy.build import BRANCH, wanted
from tests.proxy.test_exchange import RULE

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture
def grants(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Grant]:
    """A live session that pushed once, and one that has ended."""
    monkeypatch.setenv("MERGEGATE_DATABASE_URL", database_url)
    monkeypatch.setenv("MERGEGATE_DATA", str(tmp_path))
    monkeypatch.setenv("MERGEGATE_COURIER_APP_ID", "1")
    monkeypatch.setenv("MERGEGATE_COURIER_PRIVATE_KEY", KEY)

    async def fill() -> list[Grant]:
        async with Database.open(database_url, tmp_path) as database:
            _, live = await sessions.open_session(database, wanted(lasts=timedelta(hours=1)))
            entry = await ledger.begin(database, live, ledger.PUSH, ref=BRANCH, old_oid="0" * 40, new_oid="a" * 40)
            assert isinstance(entry, int)
            await ledger.end(database, entry, "done", size=9)
            _, over = await sessions.open_session(database, wanted(branch=BRANCH + "2", agent="codex"))
            await sessions.revoke(database, over.session, "its ticket was closed")
            return [live, over]

    return asyncio.run(fill())


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["session", *map(str, arguments)])


def test_list_and_show(grants: list[Grant]) -> None:
    live, over = grants
    assert run("list").output.startswith(f"{live.session} live: acme/shop {BRANCH} ticket 3 by claude")
    everything = run("list", "--all").output
    assert f"{over.session} ended (its ticket was closed)" in everything and "codex" in everything
    listed = json.loads(run("list", "--json").output)
    assert [one["session"] for one in listed] == [live.session] and listed[0]["live"] is True
    shown = run("show", live.session).output
    assert f"{BRANCH} {'0' * 40} -> {'a' * 40}: done" in shown
    as_json = json.loads(run("show", live.session, "--json").output)
    assert as_json["wrote"][0]["new_oid"] == "a" * 40 and "token" not in as_json
    assert run("show", 99).exit_code == 1


def test_changes(grants: list[Grant]) -> None:
    live, over = grants
    assert run("freeze", live.session, "--because", "look at it").exit_code == 0
    assert "frozen (look at it)" in run("list").output
    assert run("thaw", live.session).exit_code == 0
    assert run("say", live.session, "hello").exit_code == 0
    assert json.loads(run("list", "--json").output)[0]["messages"] == ["hello"]
    extended = run("extend", live.session, "--hours", "5")
    assert extended.exit_code == 0
    assert re.search(r" lasts until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.", extended.output), "as the list shows it"
    assert run("extend", over.session).exit_code == 1
    assert run("freeze", over.session, "--because", "x").exit_code == 1
    assert run("say", 99, "hello").exit_code == 1
    assert run("revoke", 99).exit_code == 1


def test_a_trust_file_is_read_as_the_exchange_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "trust.yml"
    file.write_text(RULE)
    result = run("trust", file)
    assert result.exit_code == 0 and " can be used. Its rules" in result.output
    assert "ref is all of refs/heads/(main|release): ci on agent/ci/*, may push, for 1 hours" in result.output
    file.write_text(RULE + "    pool: night\n")
    assert "claims tickets of the pool night on agent/ci/*, may push" in run("trust", file).output
    file.write_text(RULE.replace("hours: 1", "hours: 100"))
    result = run("trust", file)
    assert result.exit_code == 1 and "nobody gets a session by it" in result.output and "hours" in result.output
    assert run("trust", tmp_path / "none").exit_code == 2


def test_what_cannot_be_opened_ends_with_one_sentence(grants: list[Grant]) -> None:
    result = run("open", "shop", "agent/x")
    assert result.exit_code == 2 and "write OWNER/NAME" in result.output
    assert len(result.output.strip().splitlines()) == 1


@pytest.fixture
def no_courier(grants: list[Grant], monkeypatch: pytest.MonkeyPatch) -> list[Grant]:
    monkeypatch.delenv("MERGEGATE_COURIER_APP_ID")
    monkeypatch.delenv("MERGEGATE_COURIER_PRIVATE_KEY")
    return grants


def test_what_github_must_be_asked_for_says_that_the_courier_is_missing(no_courier: list[Grant]) -> None:
    for words in (("open", "acme/shop", "agent/x"), ("revoke", no_courier[0].session)):
        result = run(*words)
        assert result.exit_code == 2 and "MERGEGATE_COURIER_APP_ID" in result.output


def test_what_the_database_knows_needs_no_courier(no_courier: list[Grant]) -> None:
    live = no_courier[0]
    assert f"{live.session} live: acme/shop" in run("list").output
    assert run("freeze", live.session, "--because", "look at it").exit_code == 0


def test_no_command_makes_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MERGEGATE_DATABASE_URL", raising=False)
    monkeypatch.setenv("MERGEGATE_DATA", str(tmp_path / "none"))
    for words in (("list",), ("show", 1), ("revoke", 1), ("open", "acme/shop", "agent/x")):
        result = run(*words)
        assert result.exit_code == 2 and "there is no database in" in result.output
    assert not (tmp_path / "none").exists()


def test_who_names_no_session_is_told_where_they_are_listed(grants: list[Grant]) -> None:
    assert run("show", 99).output == "There is no session 99. `mergegate session list --all` shows all.\n"
    said = run("freeze", grants[1].session, "--because", "x").output
    assert said.endswith("`mergegate session list` shows those that are.\n")
