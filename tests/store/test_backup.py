"""A backup brings everything back, into an empty database and nothing else, whole or not at all."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from app.store import audit, decided_policies, decisions
from app.store.audit import Entry
from app.store.audit_chain import Verified
from app.store.backup import write_backup
from app.store.backup_format import PART, BadBackup
from app.store.database import Database
from app.store.embedded import Embedded
from app.store.restore import restore_backup
from tests.store.test_records import decision

pytestmark = pytest.mark.anyio

HOSTILE = "tab\tnewline\nbackslash \\N \\. nul-free \N{PILE OF POO}"


@pytest.fixture
def empty_url(server: Embedded) -> str:
    """Another database on the same server, in which nothing was ever done."""
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("drop database if exists empty with (force)")
        connection.execute("create database empty encoding 'UTF8' template template0")
    return psycopg.conninfo.make_conninfo(server.conninfo, dbname="empty")


async def filled(database: Database) -> None:
    """A row in each kind of table: numbered, referring to another, with every kind of value, and a long one."""
    async with database.transaction() as connection:
        digest = await decided_policies.keep(connection, b"version: 1")
        for number in range(3):
            await decisions.record(connection, decision("a", number))
        await connection.execute("update decisions set policy = %s", (digest,))
        await connection.execute("delete from decisions where verdict_key = 'v2'")
        await connection.execute(
            "insert into work (key, due_at, last_error) values (%s, now(), %s)", (HOSTILE, "x\n" * PART)
        )
        await connection.execute(
            "insert into sessions (token_hash, installation_id, repository_id, owner, repository, branch, base, agent, "
            "rights, opened_by, expires_at) values ('h', 1, 2, 'o', 'r', 'b', 'b', 'a', %s, 'ada', now() + '1 day')",
            (["push", 'a"b'],),
        )
        await audit.append(connection, [Entry("policy", HOSTILE), Entry("policy", "two")])


def backed_up(url: str, **files: bytes) -> bytes:
    file = io.BytesIO()
    with psycopg.connect(url, autocommit=True) as connection:
        write_backup(connection, files, file, 0.0)
    return file.getvalue()


def restored(url: str, data: bytes) -> dict[str, bytes]:
    with psycopg.connect(url, autocommit=True) as connection:
        return restore_backup(connection, io.BytesIO(data))[1]


def rows(url: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, the sessions' ends left out, which a restore writes."""
    with psycopg.connect(url) as connection:
        names = connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
        connection.execute("create temp table applied as select version, name from migrations")
        found = {}
        for (name,) in names:
            table = sql.Identifier("applied" if name == "migrations" else str(name))
            every = connection.execute(sql.SQL("select to_jsonb(one) from {} one").format(table)).fetchall()
            for row in every if name == "sessions" else ():
                row[0].update(ended_at=None, ended_because=None)
            found[str(name)] = sorted(every, key=str)
        return found


async def test_everything_comes_back(database: Database, empty_url: str) -> None:
    await filled(database)
    data = backed_up(database.conninfo, **{"gate.json": b"{}"})
    assert restored(empty_url, data) == {"gate.json": b"{}"}
    there = rows(empty_url)
    assert there == rows(database.conninfo)
    assert [len(there[name]) for name in ("decisions", "decided_policies", "sessions", "audit_log")] == [2, 1, 1, 2]


async def test_the_restored_database_goes_on(database: Database, empty_url: str) -> None:
    """Numbers are not given twice, the audit log is whole and goes on, and no session is live."""
    await filled(database)
    restored(empty_url, backed_up(database.conninfo))
    async with Database.open(empty_url, Path("/nonexistent")) as again:
        async with again.transaction() as connection:
            assert await decisions.record(connection, decision("a", 9)) == 4
            await audit.append(connection, [Entry("policy", "three")])
        async with again.transaction() as connection:
            whole = await audit.verify(connection)
        assert isinstance(whole, Verified) and whole.last == 3
        assert await again.query("select ended_because from sessions") == [("the database was restored from a backup",)]


def untouched(url: str) -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute("select count(*) from pg_tables where schemaname = 'public'").fetchone()
    return row == (0,)


@pytest.mark.parametrize("part", [0, 0.001, 0.3, 0.6, 0.9, 0.99])
async def test_a_cut_file_is_refused_and_nothing_is_half_restored(
    database: Database, empty_url: str, part: float
) -> None:
    await filled(database)
    data = backed_up(database.conninfo)
    with pytest.raises(BadBackup):
        restored(empty_url, data[: int(len(data) * part)])
    assert untouched(empty_url)


def _members(data: bytes) -> list[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return [(member.name, tar.extractfile(member).read()) for member in tar]  # type: ignore[union-attr]


def _file(members: Sequence[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return file.getvalue()


async def test_a_damaged_file_is_refused_by_name(database: Database, empty_url: str) -> None:
    await filled(database)
    members = _members(backed_up(database.conninfo))
    (at,) = [number for number, (name, _) in enumerate(members) if name == "rows/decided_policies/00000"]
    swapped = [*members[:at], (members[at][0], members[at][1].replace(b"sha256:", b"sha257:")), *members[at + 1 :]]
    without = members[:at] + members[at + 1 :]
    more = [*members[:-1], ("rows/pg_authid/00000", b"x"), members[-1]]
    for wrong, words in ((swapped, "decided_policies"), (without, "decided_policies"), (more, "pg_authid")):
        with pytest.raises(BadBackup, match=words):
            restored(empty_url, _file(wrong))
        assert untouched(empty_url)


async def test_a_newer_versions_backup_is_refused_with_words(database: Database, empty_url: str) -> None:
    name, data = (members := _members(backed_up(database.conninfo)))[0]
    begin = json.loads(data)
    newer = begin | {"versions": [*begin["versions"], 9000]}
    with pytest.raises(BadBackup, match=r"newer Mergegate.*9000"):
        restored(empty_url, _file([(name, json.dumps(newer).encode()), *members[1:]]))
    with pytest.raises(BadBackup, match="format 2"):
        restored(empty_url, _file([(name, json.dumps(begin | {"format": 2}).encode()), *members[1:]]))
    assert untouched(empty_url)


async def test_only_an_empty_database_is_restored_into(database: Database) -> None:
    data = backed_up(database.conninfo)
    with pytest.raises(BadBackup, match="not empty"):
        restored(database.conninfo, data)


async def test_what_is_no_backup_is_refused(empty_url: str) -> None:
    for data in (b"", b"x" * 5000, _file([("begin.json", b"[]")]), _file([("other", b"{}")])):
        with pytest.raises(BadBackup):
            restored(empty_url, data)
    with pytest.raises(BadBackup, match="never used"):
        backed_up(empty_url)
