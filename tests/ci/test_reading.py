"""Which check runs' builds the gate asks for, once each, and what is said of those that it could not read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.ci.servers import ci_servers
from app.gate import other_ci
from app.gate.other_ci import with_builds
from app.store.database import Database
from checks.runs import Build, CheckRun
from checks.unread import Unread
from policies.load import load
from policies.schema import Policy
from tests.ci import double as doubles
from tests.ci.double import HEAD, Double, serving
from tests.databases import anyio_backend, database, database_url, server
from tests.policies.build import presets

__all__ = ["anyio_backend", "database", "database_url", "server"]
pytestmark = pytest.mark.anyio
LINK = "https://buildkite.com/acme/shop/builds/7"
SAID = CheckRun(91, "build", 72, "buildkite", "completed", "success", LINK, datetime(2026, 11, 30, tzinfo=UTC))


def policy(log: str = "log: buildkite, ") -> Policy:
    text = f"version: 1\nci: {{witnesses: [{{{log}app: buildkite, checks: [build, e2e]}}]}}\n"
    return load(text, presets())


@pytest.fixture
def double() -> Iterator[Double]:
    with serving() as made:
        doubles.buildkite(made)
        yield made


class _Gate:
    """What is asked of a gate here."""

    def __init__(self, database: Database, url: str | None) -> None:
        settings = {"BUILDKITE_TOKEN": "x", "BUILDKITE_URL": url} if url else {}
        self.database, self.ci_servers = database, ci_servers(lambda name: settings.get(name))


async def read(database: Database, url: str | None, *runs: CheckRun, **words: Any) -> list[Build | Unread | None]:
    gate: Any = _Gate(database, url)
    found = await with_builds(gate, 5, runs, policy(**words), HEAD)
    assert not isinstance(found, Unread)
    assert [replace(run, build=None) for run in found] == list(runs)
    return [run.build for run in found]


async def test_a_build_is_read_once(database: Database, double: Double) -> None:
    (first,) = await read(database, double.url, SAID)
    assert isinstance(first, Build)
    assert (first.commit, [job.name for job in first.jobs]) == (HEAD, [":pytest: Tests"])
    assert len(double.asked) == 2
    assert await read(database, double.url, SAID) == [first]
    assert await read(database, None, SAID) == [first], "also when the server is not named any more"
    assert len(double.asked) == 2
    for other in (replace(SAID, completed_at=None), replace(SAID, details_url=f"{LINK}#x"), replace(SAID, id=92)):
        asked = len(double.asked)
        assert isinstance((await read(database, double.url, other))[0], Build)
        assert len(double.asked) == asked + 2


async def test_only_green_checks_that_the_policy_names_are_looked_into(database: Database, double: Double) -> None:
    older = replace(SAID, id=90)
    others = [
        replace(SAID, id=80, name="lint"),
        replace(SAID, id=81, app_id=73, app_slug="mallory"),
        replace(SAID, id=82, name="e2e", conclusion="failure"),
    ]
    found = await read(database, double.url, older, SAID, *others)
    assert [isinstance(one, Build) for one in found] == [False, True, False, False, False]
    assert await read(database, double.url, replace(SAID, id=99), log="") == [None]


@pytest.mark.parametrize(
    ("link", "why"),
    [
        (None, "the check does not link to a build of the buildkite server of the gate's settings"),
        ("https://evil.test/acme/shop/builds/7", "the check does not link to a build of the buildkite server"),
        (LINK.replace("7", "8"), "the server has no such build"),
    ],
)
async def test_builds_that_cannot_be_read(database: Database, double: Double, link: str | None, why: str) -> None:
    (build,) = await read(database, double.url, replace(SAID, details_url=link))
    assert isinstance(build, Unread)
    assert build.because.startswith(why)


async def test_without_a_server_it_says_so(database: Database) -> None:
    assert await read(database, None, SAID) == [Unread("the gate's settings name no buildkite server that it may ask")]
    gate: Any = _Gate(database, None)
    assert await with_builds(gate, 5, Unread("cut"), policy(), HEAD) == Unread("cut")


async def test_a_build_with_a_log_that_could_not_be_read_is_asked_for_again(database: Database, double: Double) -> None:
    log = next(path for path in double.answers if path.endswith("log.txt"))
    known = double.answers.pop(log)
    (build,) = await read(database, double.url, SAID)
    assert isinstance(build, Build)
    assert isinstance(build.jobs[0].log, Unread)
    double.answers[log] = known
    (again,) = await read(database, double.url, SAID)
    assert isinstance(again, Build)
    assert not isinstance(again.jobs[0].log, Unread)


async def test_all_builds_together_have_a_time(
    database: Database, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_ci, "TIME_LIMIT", 0.0)
    assert await read(database, double.url, SAID) == [Unread("the servers did not answer all within 0 s")]
