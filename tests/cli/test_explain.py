"""`mergegate explain OWNER/REPO#N`, from a real database."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.ages import ago
from app.cli.explain import parse_name
from app.keys import PullKey
from app.local.clone import CannotLook
from app.store import decisions, pulls, repositories
from app.store.database import Database
from app.store.decisions import Decision
from app.store.pulls import PullRow
from app.store.repositories import Repository
from policies import statement
from policies.evaluate import evaluate
from policies.verdict import Verdict
from tests.cli.clones import command
from tests.policies import build

HEAD = build.HEAD


def _verdict() -> Verdict:
    return evaluate(build.state(), build.snapshot(**build.change(".github/workflows/ci.yml")))


async def _record(url: str, verdict: Any) -> None:
    key = PullKey(1, 2, 12)
    row = PullRow(2, 12, 1, HEAD, "refs/heads/agent/12", "refs/heads/main", open=True)
    async with Database.open(url, Path("/nonexistent")) as database, database.transaction() as connection:
        await repositories.save(connection, [Repository(2, 1, "acme", "shop")])
        await pulls.note_head(connection, row)
        await pulls.save_judgement(connection, row, kind="agent", wants=[], errored_since={}, requests=9)
        await decisions.record(connection, Decision(str(key), 2, HEAD, "old", verdict, b"{}", [], {"pull": 1}))
        await decisions.record(connection, Decision(str(key), 2, HEAD, "k", verdict, b"{}", [], {"pull": 2, "runs": 3}))


def test_the_last_decision(database_url: str) -> None:
    verdict = _verdict()
    asyncio.run(_record(database_url, asdict(verdict)))
    done = command("explain", "Acme/Shop#12", "--json", MERGEGATE_DATABASE_URL=database_url)
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["pull_request"] == "Acme/Shop#12"
    assert (value["verdict"], value["risk"], value["head"]) == (verdict.status.value, "high", HEAD)
    assert (value["evidence"], value["review"]) == (verdict.evidence.status.value, verdict.review.status.value)
    assert value["requests"] == {"by_purpose": {"pull": 2, "runs": 3}, "pull_request": 9}
    assert [each["check"] for each in value["findings"]] == [each.check for each in verdict.findings]
    assert value["test_result"] == statement.test_result(verdict)
    assert value["test_result"]["subject"][0]["digest"]["gitCommit"] == HEAD
    assert 0 <= value["age_seconds"] < 120
    words = command("explain", "acme/shop#12", MERGEGATE_DATABASE_URL=database_url, COLUMNS="80").stdout.decode()
    assert words.startswith(f"{verdict.status.value}: high risk (ci)")
    assert "mergegate/evidence" in words
    assert "Requests to GitHub: 5 for this decision, 9 for the pull request." in words


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("acme/shop#13", "nothing was decided about acme/shop#13 yet"),
        ("acme/other#12", "the repository acme/other is not known here"),
    ],
)
def test_what_is_unknown(database_url: str, name: str, said: str) -> None:
    asyncio.run(_record(database_url, asdict(_verdict())))
    _refused(command("explain", name, "--json", MERGEGATE_DATABASE_URL=database_url), said)


def test_a_decision_of_another_version(database_url: str) -> None:
    asyncio.run(_record(database_url, {"verdict": "yes"}))
    done = command("explain", "acme/shop#12", MERGEGATE_DATABASE_URL=database_url)
    _refused(done, "was recorded by another version")


def test_without_a_database(tmp_path: Path) -> None:
    _refused(command("explain", "acme/shop#12", MERGEGATE_DATA=str(tmp_path / "data")), "there is no database in")
    assert not (tmp_path / "data").exists()
    url = "postgresql://127.0.0.1:1/none?connect_timeout=2"
    _refused(command("explain", "acme/shop#12", MERGEGATE_DATABASE_URL=url), "no connection to the database")


def _refused(done: Any, said: str) -> None:
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.parametrize("name", ["acme/shop", "acme#12", "acme/shop#x", "a/b/c#1", "/shop#1", "acme/#1", "#", "a/b#²"])
def test_names_that_name_nothing(name: str) -> None:
    with pytest.raises(CannotLook, match="Write OWNER/REPO#N"):
        parse_name(name)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3, "0 seconds"),
        (1, "1 second"),
        (59.4, "59 seconds"),
        (60, "1 minute"),
        (7_300, "2 hours"),
        (180_000, "2 days"),
    ],
)
def test_ages(seconds: float, words: str) -> None:
    assert ago(timedelta(seconds=seconds)) == words
