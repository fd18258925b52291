"""`mergegate audit`, on a real database."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
from pathlib import Path

import psycopg

from app.store import audit
from app.store.audit import Entry
from app.store.audit_chain import Head, anchor_line
from app.store.database import Database
from tests.cli import clones

LANDED = {
    "repository": "acme/shop",
    "ref": "refs/heads/main",
    "sha": "c" * 40,
    "head": "a" * 40,
    "by": "eve",
    "pull": 7,
    "author": "courier[bot]",
    "agent": "claude\x1b[31m",
    "operator": "ada",
    "approvers": ["bob"],
    "kind": "agent",
    "risk": "low",
    "judged_head": "a" * 40,
    "policy": "sha256:1",
    "override": None,
    "evidence": {"bundle": "sha256:2", "ticket": None, "tree": None, "runs": []},
    "by_gate": False,
    "alarm": None,
    "bypass": True,
}
PLACE = {"repository": "acme/shop", "ref": "refs/heads/main", "sha": "c" * 40, "by": "eve"}
ENTRIES = [
    Entry("landing", "pull:7", 2, LANDED),
    Entry("bypass", f"refs/heads/main:{'c' * 40}", 2, {**PLACE, "pull": 7, "how": "rules bypassed"}),
    Entry("session-opened", "session:1", 2, {"agent": "claude"}),
]


def command(*arguments: str, url: str) -> subprocess.CompletedProcess[str]:
    done = clones.command("audit", *arguments, MERGEGATE_DATABASE_URL=url)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def fill(url: str) -> Head:
    async def work() -> Head:
        async with Database.open(url, Path("/nonexistent")) as database, database.transaction() as connection:
            await audit.append(connection, ENTRIES)
            return await audit.head(connection)

    return asyncio.run(work())


async def _migrated(url: str) -> None:
    async with Database.open(url, Path("/nonexistent")):
        pass


def test_a_whole_log_is_proved_and_its_head_is_shown(database_url: str, tmp_path: Path) -> None:
    asyncio.run(_migrated(database_url))
    empty = command("verify", url=database_url)
    assert (empty.returncode, empty.stdout.splitlines()[0]) == (0, "The audit log is empty.")
    head = fill(database_url)
    done = command("verify", url=database_url)
    first, _, last = done.stdout.splitlines()
    assert (done.returncode, first, last) == (0, "The audit log is whole: records 1 to 3.", anchor_line(head))
    kept = tmp_path / "anchors.txt"
    kept.write_text(f"Monday\n{last}\n")
    fits = command("verify", "--anchor", str(kept), "--anchor", last, url=database_url)
    assert fits.stdout.splitlines()[0] == "The audit log is whole and fits 2 anchors: records 1 to 3."


def test_a_changed_log_is_not(database_url: str) -> None:
    fill(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute("update audit_log set record = replace(record, 'eve', 'bob') where seq = 2")
    done = command("verify", url=database_url)
    assert done.returncode == 1
    assert done.stdout.startswith("The audit log is BROKEN at record 2: ")


def test_what_is_no_anchor_is_refused(database_url: str) -> None:
    done = command("verify", "--anchor", "yesterday", url=database_url)
    assert done.returncode == 2
    assert "mergegate-audit N sha256:" in done.stderr


def test_the_report(database_url: str) -> None:
    fill(database_url)
    done = command("report", url=database_url)
    lines = done.stdout.splitlines()
    assert lines[0] == "1 merge, 0 by override, 1 bypass, 0 alarms in the whole log."
    assert lines[1].startswith("! acme/shop#7 cccccccccccc on main, ")
    assert lines[-1] == "  BYPASS of the branch's rules"
    assert "\x1b" not in done.stdout
    value = json.loads(command("report", "--json", url=database_url).stdout)
    assert [one["approvers"] for one in value["merges"]] == [["bob"]]
    assert [one["record"] for one in value["bypasses"]] == [2]
    later = command("report", "--since", "2999-01-01", url=database_url)
    assert later.stdout == "0 merges, 0 by override, 0 bypasses, 0 alarms since 2999-01-01.\n"
    wrong = command("report", "--since", "last week", url=database_url)
    assert (wrong.returncode, "2026-11-01" in wrong.stderr) == (2, True)


def test_an_export_can_be_proved_by_anybody(database_url: str) -> None:
    """Only the standard library, and only what the help of the command says."""
    head = fill(database_url)
    lines = command("export", url=database_url).stdout.splitlines()
    before = bytes(32)
    for line in lines:
        record = line.partition('"record":')[2].removesuffix("}")
        before = hashlib.sha256(before + record.encode()).digest()
        assert json.loads(line)["digest"] == before.hex()
    assert (len(lines), before) == (3, head.digest)
    assert [json.loads(line)["record"]["kind"] for line in lines] == ["landing", "bypass", "session-opened"]
