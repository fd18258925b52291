"""`mergegate policy test`, `simulate`, `replay` and `import`: one as it is typed, the others called in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import typer

from app.cli.policy import check, import_
from app.cli.policy_tries import replay, simulate, try_cases
from app.gate.recorded import dump_snapshot
from app.gate.replaying import dump_policy
from app.keys import PullKey
from app.local.clone import CannotLook
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


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    refusal: str = ""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """A command's function, called with what would be typed; starting a process for each takes a second."""

    def called(function: Callable[..., None], *arguments: Any, **options: Any) -> Done:
        try:
            function(*arguments, **options)
        except typer.Exit as end:
            return Done(end.exit_code, capsys.readouterr().out)
        except CannotLook as refused:
            return Done(2, capsys.readouterr().out, str(refused))
        return Done(0, capsys.readouterr().out)

    return called


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "policy.yml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "cases.yml").write_text(CASES, encoding="utf-8")
    return str(tmp_path / "policy.yml"), str(tmp_path / "cases.yml")


def test_cases_that_hold_and_one_that_does_not(files: tuple[str, str], call: Callable[..., Done]) -> None:
    policy, cases = files
    done = command("policy", "test", cases, "--policy", policy)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[:2] == [f"{cases}::core approves PASSED", f"{cases}::nobody approved PASSED"]
    assert lines[-1] == "==== 2 passed ===="
    Path(cases).write_text(CASES.replace("[acme/core]", "[bob]"), encoding="utf-8")
    failed = call(try_cases, cases, policy)
    assert failed.code == 1
    assert "::nobody approved FAILED" in failed.out
    assert "E   needed: expected bob, got acme/core" in failed.out
    assert failed.out.endswith("==== 1 failed, 1 passed ====\n")


def test_files_that_cannot_be_used(files: tuple[str, str], call: Callable[..., Done]) -> None:
    policy, cases = files
    Path(cases).write_text("version: 1\ncase: []\n", encoding="utf-8")
    done = call(try_cases, cases, policy)
    assert (done.code, done.out) == (2, "")
    assert f"{cases}:2:1: `case`: there is no such field. Did you mean `cases`?" in done.refusal
    Path(policy).write_text("version: 1\nrule: {}\n", encoding="utf-8")
    broken = call(try_cases, cases, policy)
    assert broken.code == 2
    assert f"{policy}:2:1: `rule`: there is no such field. Did you mean `rules`?" in broken.refusal


def test_who_is_not_in_the_clone_is_told_so(
    files: tuple[str, str], call: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = call(try_cases, files[1], ".github/mergegate.yml")
    told = "there is no .github/mergegate.yml in this folder. Start this in the clone, or give --policy FILE."
    assert (done.code, done.refusal) == (2, told)


async def _record(url: str) -> None:
    """Pull requests 12 (open) and 7, 8, 9 (merged, in that order); 8 was recorded by another version."""
    async with Database.open(url, Path("/nonexistent")) as database, database.transaction() as connection:
        await repositories.save(connection, [Repository(2, 1, "acme", "shop")])
        for number in (7, 8, 9, 12):
            of = replace(build.snapshot(), number=number, teams={"core": frozenset()})
            verdict = asdict(evaluate(build.state(), of))
            record = b"{}" if number == 8 else dump_snapshot(of)
            key = str(PullKey(1, 2, number))
            kept = (
                None if number in (7, 8) else await decided_policies.keep(connection, dump_policy(build.state(POLICY)))
            )
            decision = Decision(key, 2, build.HEAD, "k", verdict, record, [], {}, policy=kept)
            await decisions.record(connection, decision)
            if number != 12:
                await landings.save(connection, Landing(2, "refs/heads/main", f"{number}" * 40, number))


def test_simulate(
    database_url: str, files: tuple[str, str], call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_record(database_url))
    monkeypatch.setenv("MERGEGATE_DATABASE_URL", database_url)
    for options in ({"policy": files[0]}, {}):  # without one it is the policy that the decision kept
        waits = call(simulate, "acme/shop#12", **options)
        assert waits.code == 0
        assert "mergegate/review would say: Needs approval by acme/core" in waits.out
    done = call(simulate, "acme/shop#12", ["cy:approve"], ["team.core=cy", "risk=high"], files[0], as_json=True)
    value = json.loads(done.out)
    assert value["risk"] == "high"
    assert {each["check"]: each["status"] for each in value["findings"]}["rules.x"] == "passed"
    wrong = call(simulate, "acme/shop#12", None, ["rsik=1"])
    assert (wrong.code, wrong.refusal) == (2, "there is nothing called 'rsik' to set. Did you mean `risk`?")
    assert "nothing was decided about acme/shop#99 yet" in call(simulate, "acme/shop#99").refusal
    assert "nothing was decided about acme/shop#8 yet" in call(simulate, "acme/shop#8").refusal
    assert "the policy that it was judged by is not recorded" in call(simulate, "acme/shop#7").refusal


def test_replay(
    database_url: str, files: tuple[str, str], call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_record(database_url))
    monkeypatch.setenv("MERGEGATE_DATABASE_URL", database_url)
    assert call(replay, "acme/shop", 50, files[0]).out.splitlines() == [
        "#9 would have waited on acme/core",
        "#8 was not seen by this version",
        "#7 would have waited on acme/core",
        "3 merged pull requests: 2 pending, 1 unknown.",
    ]
    Path(files[0]).write_text("version: 1\n", encoding="utf-8")
    lax = call(replay, "acme/shop", 1, files[0])
    assert lax.out.splitlines() == ["#9 passed", "1 merged pull request: 1 passed."]
    assert "the repository acme/nothing is not known here" in call(replay, "acme/nothing", 1, files[0]).refusal


def test_what_the_servers_baseline_refuses_passes_no_dry_run(
    database_url: str, files: tuple[str, str], call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_record(database_url))
    monkeypatch.setenv("MERGEGATE_DATABASE_URL", database_url)
    monkeypatch.setenv("MERGEGATE_POLICY_BASELINE", "version: 1\nrequirements: {low: {approvals: 1}}\n")
    Path(files[0]).write_text("version: 1\n", encoding="utf-8")
    replayed = call(replay, "acme/shop", 1, files[0]).out.splitlines()
    assert replayed == ["#9 would have waited on anyone with write permission", "1 merged pull request: 1 pending."]
    assert "mergegate/review would say: Needs approval by" in call(simulate, "acme/shop#12", policy=files[0]).out
    monkeypatch.setenv("MERGEGATE_POLICY_BASELINE", "version: 1\nmode: x\n")
    assert "MERGEGATE_POLICY_BASELINE is no policy" in call(simulate, "acme/shop#12", policy=files[0]).refusal


def test_import(tmp_path: Path, call: Callable[..., Done]) -> None:
    (tmp_path / "CODEOWNERS").write_text("* @ada\n", encoding="utf-8")
    done = call(import_, str(tmp_path / "CODEOWNERS"))
    (tmp_path / "policy.yml").write_text(done.out, encoding="utf-8")
    assert call(check, str(tmp_path / "policy.yml")).code == 0
    (tmp_path / "x.yml").write_text("a: 1\n", encoding="utf-8")
    assert "it is no configuration of policy-bot or Mergify" in call(import_, str(tmp_path / "x.yml")).refusal


def test_a_policy_that_reuses_another_is_checked_with_it(tmp_path: Path, call: Callable[..., Done]) -> None:
    at = "acme/policies/base.yml@" + "c" * 40
    (tmp_path / "policy.yml").write_text(f"version: 1\nreuse: {at}\n", encoding="utf-8")
    (tmp_path / "base.yml").write_text(POLICY, encoding="utf-8")
    alone = call(check, str(tmp_path / "policy.yml"))
    assert alone.code == 1
    assert "what it reuses was not read here. Give it with `--reused FILE`" in alone.out
    assert call(check, str(tmp_path / "policy.yml"), str(tmp_path / "base.yml")).code == 0
