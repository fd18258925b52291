"""`mergegate replay`: the words and exit codes around a decision that is judged again."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from app.gate.deciding import Decided, record_news
from app.gate.recorded import dump_snapshot
from app.gate.replaying import dump_policy
from app.keys import GroupKey
from app.store import decided_policies, decisions, repositories
from app.store.database import Database
from app.store.decisions import Decision
from app.store.repositories import Repository
from policies.evaluate import evaluate
from policies.merge_group import evaluate_group
from tests.checks.build import group
from tests.cli.clones import command
from tests.policies import build


async def _record(url: str) -> None:
    """Decision 1 as it was, 2 with another risk, 3 of an earlier version, 4 of a merge group."""
    of = replace(build.snapshot(), number=12)
    verdict = asdict(evaluate(build.state(), of, gated=True))
    async with Database.open(url, Path("/nonexistent")) as database, database.transaction() as connection:
        await repositories.save(connection, [Repository(2, 1, "acme", "shop")])
        policy = await decided_policies.keep(connection, dump_policy(build.state()))
        as_it_was = Decision("pull:1:2:12", 2, build.HEAD, "k", verdict, dump_snapshot(of), [], {}, policy, True)
        await decisions.record(connection, replace(as_it_was, key="pull:1:2:11"))
        await decisions.record(connection, replace(as_it_was, verdict={**verdict, "risk": 4}))
        await decisions.record(connection, replace(as_it_was, key="pull:1:2:10", policy=None, gated=None))
        queued = group()
        decided = Decided(queued, build.state(), evaluate_group(build.state(), queued))
        await record_news(connection, GroupKey(1, 2, queued.head_sha, queued.target_ref), decided)


def test_replay(database_url: str) -> None:
    asyncio.run(_record(database_url))
    same = command("replay", "1", MERGEGATE_DATABASE_URL=database_url)
    assert (same.returncode, same.stderr) == (0, b"")
    assert "Decision 1 gives the same verdict again (sha256:" in same.stdout.decode()
    other = command("replay", "acme/shop#12", MERGEGATE_DATABASE_URL=database_url)
    assert other.returncode == 1
    assert "  risk: was 4, is 1" in other.stdout.decode().splitlines()
    merged = command("replay", f"acme/shop@{group().head_sha}", MERGEGATE_DATABASE_URL=database_url)
    assert (merged.returncode, merged.stdout[:35]) == (0, b"Decision 4 gives the same verdict a")
    told = json.loads(command("replay", "2", "--json", MERGEGATE_DATABASE_URL=database_url).stdout)
    assert (told["decision"], told["same"], told["differences"]) == (2, False, ["risk: was 4, is 1"])
    for name, said in (
        ("3", "without the policy"),
        ("99", "there is no decision 99"),
        ("acme/x#1", "no decision"),
        (f"acme/shop@{'0' * 40}", "no decision"),
    ):
        refused = command("replay", name, MERGEGATE_DATABASE_URL=database_url)
        assert (refused.returncode, refused.stdout) == (2, b"")
        assert said in refused.stderr.decode()


@pytest.mark.parametrize("name", ["acme", "acme/shop#x"])
def test_a_name_that_is_none(name: str) -> None:
    assert command("replay", name).returncode == 2
