"""`mergegate wait`: what the gate's own check runs come to for the author, and the exit codes against a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import pytest

from app.github import writes
from app.github.personal import PersonalClient
from app.github.writes import CheckRunFields
from app.local.waiting import Next, Shown, advise
from app.secret import SecretStr
from policies.evaluate import evaluate
from policies.explain import explain
from tests.cli.clones import command
from tests.github.faults import Fault
from tests.github.server import SimulatedGitHub
from tests.github.state import PullRequest
from tests.policies import build

pytestmark = pytest.mark.anyio


def shown(run: Any, **changes: Any) -> Shown:
    """The check run that the gate would post on this pull request."""
    snapshot = build.snapshot(**changes)
    verdict = evaluate(build.state(), snapshot)
    root, output = verdict.root(run), explain(verdict, snapshot, run)
    done = {"passed": "success", "failed": "failure"}.get(root.status.value)
    status = "completed" if done else "in_progress"
    return Shown(1, f"mergegate/{run}", status, done, output.title, output.text)


def both(**changes: Any) -> list[Shown]:
    return [shown("evidence", **changes), shown("review", **changes)]


def medium() -> str:
    return build.BODY.replace("level: low", "level: medium")


async def test_green() -> None:
    advice = advise(both())
    assert advice is not None
    assert (advice.next, advice.findings) == (Next.GREEN, ())


async def test_what_the_author_can_repair_is_said_with_its_fix() -> None:
    advice = advise(both(body="Trust me."))
    assert advice is not None
    assert advice.next is Next.FIX
    assert [finding["fix"]["action"] for finding in advice.findings] == ["add-bundle", "add-bundle-field"]
    assert advice.words.startswith("mergegate/evidence: ")


async def test_what_only_a_person_can_do_is_theirs() -> None:
    advice = advise(both(body=medium()))
    assert advice is not None
    assert advice.next is Next.PERSON
    assert advice.words.startswith("mergegate/review: Needs approval")


async def test_while_only_time_can_tell_there_is_no_advice() -> None:
    running = build.run(status="in_progress", conclusion=None)
    assert advise(both(runs=(running,))) is None
    assert advise([]) is None
    assert advise([shown("evidence")]) is None
    assert (
        advise([Shown(1, f"mergegate/{name}", "in_progress", None, "", "") for name in ("evidence", "review")]) is None
    )


async def test_the_newest_run_of_a_name_speaks() -> None:
    old = Shown(0, "mergegate/evidence", "completed", "failure", "Old", "")
    advice = advise([*both(), old])
    assert advice is not None
    assert advice.next is Next.GREEN


@pytest.mark.parametrize(
    "text",
    ["", "```json\n{\n```", '```json\n{"findings": 1}\n```', "```json\n[]\n```", "```json\n" + "[" * 60_000 + "\n```"],
)
async def test_a_text_that_cannot_be_read_says_nothing_and_breaks_nothing(text: str) -> None:
    evidence = Shown(1, "mergegate/evidence", "completed", "failure", "No tests passed", text)
    advice = advise([evidence, shown("review")])
    assert advice is not None
    assert (advice.next, advice.words, advice.findings) == (
        Next.FIX,
        "mergegate/evidence: No tests passed.",
        (),
    )


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[tuple[SimulatedGitHub, str]]:
    made = SimulatedGitHub.create(tmp_path / "github")
    address = await made.start()
    try:
        yield made, address
    finally:
        await made.stop()


async def opened(hub: SimulatedGitHub) -> PullRequest:
    hub.organization("acme")
    shop = await hub.repository("acme/shop", {"README.md": "x\n"}, collaborators={"ada": "admin"})
    await hub.push(shop, "agent/1", {"a": "1\n"}, author="ada")
    return await hub.open_pull(shop, head="agent/1", base="main", author="ada", title="A change")


async def post(hub: SimulatedGitHub, address: str, sha: str, runs: list[Shown]) -> None:
    """The gate's App posts its check runs."""
    app, _ = hub.register_app("mergegate", {"checks": "write"}, [])
    token = hub.installation_token(hub.install(app, "acme"))
    client = PersonalClient(SecretStr(token), address)
    for run in runs:
        status: Literal["completed", "in_progress"] = "completed" if run.conclusion else "in_progress"
        fields = CheckRunFields(run.name, status, run.title, "A summary.", run.text, run.conclusion)
        await writes.create_check_run(client, "acme", "shop", sha, fields)
    await client.aclose()


async def waited(hub: SimulatedGitHub, address: str, *more: str, token: str | None = None) -> tuple[int, str, str]:
    given = token or hub.user_token("ada")
    done = await asyncio.to_thread(
        lambda: command("wait", "acme/shop#1", *more, MERGEGATE_GITHUB_API_URL=address, GITHUB_TOKEN="", GH_TOKEN=given)
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


async def test_exit_codes_from_open_to_merged(github: tuple[SimulatedGitHub, str]) -> None:
    hub, address = github
    pull = await opened(hub)
    code, out, err = await waited(hub, address, "--minutes", "0.02")
    assert (code, out) == (2, "")
    assert "has no answer yet. Run the same command again." in err
    await post(hub, address, pull.head_sha, both(body=medium()))
    code, out, _ = await waited(hub, address, "--json")
    assert (code, json.loads(out)["next"]) == (3, "person")
    pull.merged_at = hub.world.now()
    code, out, _ = await waited(hub, address)
    assert (code, out) == (0, "acme/shop#1: It is merged.\n")


async def test_what_cannot_be_asked_is_said(github: tuple[SimulatedGitHub, str]) -> None:
    hub, address = github
    code, _, err = await waited(hub, address, token="wrong")
    assert (code, "GitHub does not know this token" in err) == (2, True)
    code, _, err = await waited(hub, address)
    assert (code, "there is no pull request acme/shop#1 that this token may see" in err) == (2, True)
    nowhere = "http://127.0.0.1:1"
    code, _, err = await waited(hub, nowhere)
    assert (code, f"GitHub cannot be asked at {nowhere}" in err, "tried again" in err) == (2, True, False)
    done = await asyncio.to_thread(command, "wait", "acme/shop#1", GITHUB_TOKEN="", GH_TOKEN="")
    assert (done.returncode, b"Set GH_TOKEN or GITHUB_TOKEN" in done.stderr) == (2, True)


async def test_github_may_be_away_for_a_while(github: tuple[SimulatedGitHub, str]) -> None:
    hub, address = github
    pull = await opened(hub)
    waits = asyncio.create_task(waited(hub, address))
    async with asyncio.timeout(60):
        while not any(record.path.endswith("/check-runs") for record in hub.requests):  # noqa: ASYNC110 - a server's log
            await asyncio.sleep(0.05)
    away = hub.faults.add(Fault("fail", method="GET", path=r"/pulls/1$"))
    pull.merged_at = hub.world.now()
    assert await waits == (0, "acme/shop#1: It is merged.\n", "")
    assert away.hits == 1
