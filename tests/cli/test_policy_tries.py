"""`mergegate policy test`, `simulate` and `replay`, as they are typed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from app.gate.recorded import dump_snapshot
from app.gate.replaying import dump_policy
from app.keys import PullKey
from app.store import decided_policies, decisions, landings, repositories
from app.store.database import Database
from app.store.decisions import Decision
from app.store.landings import Landing
from app.store.repositories import Repository
from policies.evaluate import evaluate
from tests.cli.clones import command
from tests.policies import build

POLICY = "version: 1\nrules: {x: {require: {approvals: {teams: [core]}}}}\n"
CASES = """version: 1
people: {cy: {teams: [core]}}
cases:
  - {name: core approves, given: {approvals: [cy]}, expect: {verdict: passed}}
  - {name: nobody approved, expect: {needed: [acme/core]}}
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "policy.yml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "cases.yml").write_text(CASES, encoding="utf-8")
    return str(tmp_path / "policy.yml"), str(tmp_path / "cases.yml")


def test_cases_that_hold_and_one_that_does_not(files: tuple[str, str]) -> None:
    policy, cases = files
    done = command("policy", "test", cases, "--policy", policy)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[:2] == [f"{cases}::core approves PASSED", f"{cases}::nobody approved PASSED"]
    assert lines[-1] == "==== 2 passed ===="
    Path(cases).write_text(CASES.replace("[acme/core]", "[bob]"), encoding="utf-8")
    failed = command("policy", "test", cases, "--policy", policy)
    assert failed.returncode == 1
    said = failed.stdout.decode()
    assert "::nobody approved FAILED" in said
    assert "E   needed: expected bob, got acme/core" in said
    assert said.endswith("==== 1 failed, 1 passed ====\n")


def test_files_that_cannot_be_used(files: tuple[str, str]) -> None:
    policy, cases = files
    Path(cases).write_text("version: 1\ncase: []\n", encoding="utf-8")
    done = command("policy", "test", cases, "--policy", policy)
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"{cases}:2:1: `case`: there is no such field. Did you mean `cases`?" in done.stderr.decode()
    Path(policy).write_text("version: 1\nrule: {}\n", encoding="utf-8")
    broken = command("policy", "test", cases, "--policy", policy)
    assert broken.returncode == 2
    assert f"{policy}:2:1: `rule`: there is no such field. Did you mean `rules`?" in broken.stderr.decode()


async def _record(url: str) -> None:
    """Pull requests 12 (open) and 7, 8, 9 (merged, in that order); 8 was recorded by another version."""
    async with Database.open(url, Path("/nonexistent")) as database, database.transaction() as connection:
        await repositories.save(connection, [Repository(2, 1, "acme", "shop")])
        for number in (7, 8, 9, 12):
            of = replace(build.snapshot(), number=number, teams={"core": frozenset()})
            verdict = asdict(evaluate(build.state(), of))
            record = b"{}" if number == 8 else dump_snapshot(of)
            key = str(PullKey(1, 2, number))
            kept = None if number == 8 else await decided_policies.keep(connection, dump_policy(build.state(POLICY)))
            decision = Decision(key, 2, build.HEAD, "k", verdict, record, [], {}, policy=kept)
            await decisions.record(connection, decision)
            if number != 12:
                await landings.save(connection, Landing(2, "refs/heads/main", f"{number}" * 40, number))


def test_simulate_and_replay(database_url: str, files: tuple[str, str]) -> None:
    asyncio.run(_record(database_url))
    policy = ("--policy", files[0])
    waits = command("policy", "simulate", "acme/shop#12", *policy, MERGEGATE_DATABASE_URL=database_url)
    assert waits.returncode == 0, waits.stderr
    assert "mergegate/review would say: Needs approval by acme/core" in waits.stdout.decode()
    recorded = command("policy", "simulate", "acme/shop#12", MERGEGATE_DATABASE_URL=database_url)
    assert "Needs approval by acme/core" in recorded.stdout.decode()
    changed = ("--set", "team.core=cy", "--as", "cy:approve", "--set", "risk=high", "--json")
    done = command("policy", "simulate", "acme/shop#12", *changed, *policy, MERGEGATE_DATABASE_URL=database_url)
    value = json.loads(done.stdout)
    assert value["risk"] == "high"
    assert {each["check"]: each["status"] for each in value["findings"]}["rules.x"] == "passed"
    wrong = command(
        "policy", "simulate", "acme/shop#12", "--set", "rsik=1", *policy, MERGEGATE_DATABASE_URL=database_url
    )
    assert wrong.returncode == 2
    assert "there is nothing called 'rsik' to set. Did you mean `risk`?" in wrong.stderr.decode()
    missing = command("policy", "simulate", "acme/shop#99", *policy, MERGEGATE_DATABASE_URL=database_url)
    assert missing.returncode == 2
    assert "nothing was decided about acme/shop#99 yet" in missing.stderr.decode()
    older = command("policy", "simulate", "acme/shop#8", MERGEGATE_DATABASE_URL=database_url)
    assert older.returncode == 2
    replayed = command("policy", "replay", "acme/shop", *policy, MERGEGATE_DATABASE_URL=database_url)
    assert replayed.returncode == 0, replayed.stderr
    assert replayed.stdout.decode().splitlines() == [
        "#9 would have waited on acme/core",
        "#8 was not seen by this version",
        "#7 would have waited on acme/core",
        "3 merged pull requests: 2 pending, 1 unknown.",
    ]
    Path(files[0]).write_text("version: 1\n", encoding="utf-8")
    lax = command("policy", "replay", "acme/shop", "--last", "1", *policy, MERGEGATE_DATABASE_URL=database_url)
    assert lax.stdout.decode().splitlines() == ["#9 passed", "1 merged pull requests: 1 passed."]
    unknown = command("policy", "replay", "acme/nothing", *policy, MERGEGATE_DATABASE_URL=database_url)
    assert unknown.returncode == 2


def test_import(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("* @ada\n", encoding="utf-8")
    done = command("policy", "import", str(tmp_path / "CODEOWNERS"))
    assert (done.returncode, done.stderr) == (0, b"")
    (tmp_path / "policy.yml").write_bytes(done.stdout)
    checked = command("policy", "check", str(tmp_path / "policy.yml"))
    assert checked.returncode == 0, checked.stdout
    (tmp_path / "x.yml").write_text("a: 1\n", encoding="utf-8")
    unknown = command("policy", "import", str(tmp_path / "x.yml"))
    assert unknown.returncode == 2
    assert "it is no configuration of policy-bot or Mergify" in unknown.stderr.decode()


def test_a_policy_that_reuses_another_is_checked_with_it(tmp_path: Path) -> None:
    at = "acme/policies/base.yml@" + "c" * 40
    (tmp_path / "policy.yml").write_text(f"version: 1\nreuse: {at}\n", encoding="utf-8")
    (tmp_path / "base.yml").write_text(POLICY, encoding="utf-8")
    alone = command("policy", "check", str(tmp_path / "policy.yml"))
    assert alone.returncode == 1
    assert b"what it reuses was not read here. Give it with `--reused FILE`" in alone.stdout
    together = command("policy", "check", str(tmp_path / "policy.yml"), "--reused", str(tmp_path / "base.yml"))
    assert together.returncode == 0, together.stdout
