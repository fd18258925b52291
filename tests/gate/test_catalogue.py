"""The catalogue of cheats through the whole gate: real git, real test runs, a small repository; each rightly named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

import pytest

from tests.gate.catalogue import IN_DIFFS, IN_TESTS, IN_WORDS, IN_WORKFLOWS, START, WORKFLOW, WRONG, Cheat, edited
from tests.gate.catalogue_runs import APPROVED, CANCELLED, IN_RUNS, OLD_REPORT, RUN_AGAIN, STALE, START_OF_RUNS
from tests.gate.scene import Scene
from tests.gate.shop import required
from tests.github.operations import pushes
from tests.github.state import Artifact, PullRequest, Repository

pytestmark = pytest.mark.anyio
HONEST = Cheat(0, "honest work", {"cart.py": START["cart.py"] + "\n\nRATE = 0.1\n"}, "ci.tests")


async def opened(stage: Scene, start: dict[str, str] | None = None) -> Repository:
    people = {"ada": "admin", "bob": "write"}
    shop = await stage.github.repository("acme/shop", start or START, collaborators=people)  # type: ignore[arg-type]
    courier, _ = stage.github.register_app("courier", {"contents": "write", "pull_requests": "write"}, [])
    stage.github.install(courier, "acme")
    await stage.github.set_ruleset(shop, "gate", required(stage.app.id))
    return shop


async def played(stage: Scene, shop: Repository, cheats: Sequence[Cheat]) -> list[tuple[Cheat, PullRequest]]:
    pairs = await proposed(stage, shop, cheats)
    await stage.settle()
    return pairs


async def proposed(stage: Scene, shop: Repository, cheats: Sequence[Cheat]) -> list[tuple[Cheat, PullRequest]]:
    """Pull requests, before anything follows from them."""
    pulls = []
    for cheat in cheats:
        index = len(shop.pulls)
        branch = cheat.branch or f"agent/{index}"
        # Each has a file of its own: equal changes made in the same second would be one commit.
        files = {**cheat.files, f"notes/{index}.md": f"{cheat.name}\n"}
        await stage.github.push(shop, branch, files, author="courier[bot]", message=cheat.message)
        pulls.append(await stage.github.open_pull(shop, branch, "main", cheat.name, cheat.text, "courier[bot]"))
    return list(zip(cheats, pulls, strict=True))


def findings(stage: Scene, shop: Repository, pull: PullRequest) -> dict[str, str]:
    """Worst status by check, of both check runs, as a program reads them."""
    order = ("failed", "errored", "pending", "passed", "skipped")
    found: dict[str, str] = {}
    for run in stage.check_runs(shop, pull.head_sha):
        text = (run.text or "").removeprefix("```json\n").rpartition("\n```")[0]
        for one in json.loads(text)["findings"] if text else ():
            known = found.get(one["check"], "skipped")
            found[one["check"]] = min(known, one["status"], key=order.index)
    return found


def mistaken(stage: Scene, shop: Repository, played_: list[tuple[Cheat, PullRequest]]) -> list[str]:
    """Cheats that no finding of the expected name holds, or that turned green."""
    wrong = []
    for cheat, pull in played_:
        found = findings(stage, shop, pull)
        green = stage.verdict(shop, pull) == {"evidence": "success", "review": "success"}
        if green or found.get(cheat.found) not in ("failed", "pending"):
            open_ = {check: status for check, status in found.items() if status in ("failed", "pending")}
            wrong.append(f"{cheat.number} {cheat.name}: {cheat.found} is {found.get(cheat.found)}; open: {open_}")
    return wrong


@pytest.mark.parametrize(
    "group", [IN_TESTS, IN_WORDS, IN_WORKFLOWS, IN_DIFFS], ids=["tests", "words", "workflows", "diffs"]
)
async def test_each_cheat_is_named_and_honest_work_beside_it_passes(stage: Scene, group: Sequence[Cheat]) -> None:
    shop = await opened(stage)
    (_, honest), *rest = await played(stage, shop, [HONEST, *group])
    assert stage.verdict(shop, honest) == {"evidence": "success", "review": "success"}, stage.summary(
        shop, honest, "evidence"
    )
    assert mistaken(stage, shop, rest) == []


async def test_a_workflow_that_was_weak_before_is_not_believed(stage: Scene) -> None:
    """17 to 20: the target branch's own file swallows failures, so the job is green and the raw log is not."""
    weak = edited("no:cacheprovider", "no:cacheprovider || true", WORKFLOW)
    shop = await opened(stage, START | {".github/workflows/ci.yml": weak})
    ((_, pull),) = await played(stage, shop, [Cheat(17, "wrong code", WRONG, "ci.logs")])
    found = findings(stage, shop, pull)
    assert (found["ci.logs"], stage.verdict(shop, pull)["evidence"]) == ("failed", "failure")


async def test_what_runs_print_leave_and_conclude(stage: Scene) -> None:
    """One repository for all of them: its own run on main is what they are compared with."""
    shop = await opened(stage, START_OF_RUNS)
    first = await stage.github.git(shop).commit_id("refs/heads/main")
    await stage.github.push(shop, "main", {"VERSION": "1\n"}, author="ada")
    honest, again, old, approved = await proposed(stage, shop, [STALE, RUN_AGAIN, OLD_REPORT, APPROVED])
    await stage.run_to_rest()
    await stage.github.review(shop, approved[1].number, "bob")
    await stage.hurry()  # the look at main's own run
    await stage.run_to_rest()
    for pull in (honest[1], approved[1]):
        said = stage.summary(shop, pull, "evidence")
        assert stage.verdict(shop, pull) == {"evidence": "success", "review": "success"}, said
    await _tried_again(stage, shop, again[1], old[1])
    await stage.github.push(shop, APPROVED.branch, {"payment/more.py": "RATE = 0.9\n"}, author="courier[bot]")
    rest = await proposed(stage, shop, IN_RUNS)
    await stage.run_to_rest()
    cancelled = await _cancelled(stage, shop)
    await stage.settle()
    assert mistaken(stage, shop, [again, old, approved, *rest, cancelled]) == []
    await pushes.update_ref(stage.github, shop, "refs/heads/main", str(first), "ada")
    await stage.run_to_rest()
    assert mistaken(stage, shop, [honest]) == []


async def _cancelled(stage: Scene, shop: Repository) -> tuple[Cheat, PullRequest]:
    stage.github.world.switches.run_actions = False
    ((cheat, pull),) = await proposed(stage, shop, [CANCELLED])
    await stage.github.settle()
    (run,) = (run for run in shop.runs.values() if run.head_sha == pull.head_sha)
    await stage.github.actions.cancel(shop, run)
    stage.github.world.switches.run_actions = True
    return cheat, pull


async def _tried_again(stage: Scene, shop: Repository, *pulls: PullRequest) -> None:
    heads = [pull.head_sha for pull in pulls]
    stage.github.world.clock_offset += timedelta(minutes=1)
    for run in list(shop.runs.values()):
        if run.head_sha in heads:
            await stage.github.actions.rerun(shop, run, "ada")
    await stage.github.settle()
    for run in shop.runs.values():
        # As GitHub does, which lists the artifacts of all attempts.
        newest = run.jobs[run.attempt][0]
        for one in list(run.artifacts) if run.attempt > 1 else ():
            run.artifacts.append(Artifact(one.id, run.id, one.name, one.zip, one.created_at, job_id=newest.id))
