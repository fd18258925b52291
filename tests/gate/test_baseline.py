"""What landed on the target branch ran so many tests: a pull request that runs fewer must say so."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.keys import TipKey
from tests.gate.reporting import archive, junit, ran, report_ci
from tests.gate.scene import Scene
from tests.gate.shop import (
    BUNDLE,
    POLICY,
    WORKFLOW,
    WORKFLOW_PATH,
    agent_pull,
    log_of,
    open_shop,
    release_ci,
    withhold_ci,
)
from tests.gate.test_stories import GREEN
from tests.github import merge_queue
from tests.github.actions.scripted import ScriptedJob
from tests.github.auth import Actor
from tests.github.state import Job, PullRequest, Repository, WorkflowRun

pytestmark = pytest.mark.anyio

MAIN = "refs/heads/main"
FIVE = tuple(f"test_{n}" for n in range(5))


async def landed(stage: Scene, *archives: bytes, output: str = ran(5), policy: str = POLICY) -> Repository:
    """acme/shop, where the queue has landed one pull request whose runs said this."""
    shop = await open_shop(stage, policy)
    report_ci(stage, shop, *archives, output=output)
    first = await agent_pull(stage, shop, "first")
    await stage.settle()
    assert first.merged_at is not None
    return shop


async def next_pull(stage: Scene, shop: Repository, *archives: bytes, output: str, body: str = BUNDLE) -> PullRequest:
    report_ci(stage, shop, *archives, output=output)
    pull = await agent_pull(stage, shop, "next", body=body)
    await stage.settle()
    return pull


REFUSED = "No bundle yet."


def declaring(words: str) -> str:
    return BUNDLE.replace("risk:", f"tests: {{{words}}}\nrisk:")


async def test_tests_that_are_gone_and_not_declared(stage: Scene) -> None:
    shop = await landed(stage)
    pull = await next_pull(stage, shop, output=ran(3))
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "job `test` ran 3 tests, there 5" in stage.summary(shop, pull, "evidence")


async def test_tests_that_are_declared_as_removed_wait_for_a_person(stage: Scene) -> None:
    shop = await landed(stage)
    pull = await next_pull(stage, shop, output=ran(3), body=declaring("removed: 2"))
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}
    assert "job `test` ran 3 tests, there 5" in stage.summary(shop, pull, "review")
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert pull.merged_at is not None


async def test_what_landed_with_a_persons_word_is_what_comes_next_is_compared_with(stage: Scene) -> None:
    shop = await landed(stage)
    pull = await next_pull(stage, shop, output=ran(3), body=declaring("removed: 2"))
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    later = await agent_pull(stage, shop, "later")
    await stage.settle()
    assert later.merged_at is not None


async def test_more_skipped_tests(stage: Scene) -> None:
    shop = await landed(stage, output=ran(5, skipped=1))
    pull = await next_pull(stage, shop, output=ran(5, skipped=4))
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "job `test` skipped 4 tests, there 1" in stage.summary(shop, pull, "evidence")


async def test_a_job_that_is_not_there_any_more(stage: Scene) -> None:
    """A matrix made of a file's content can lose a leg while the workflow file stays as it is."""
    shop = await landed(stage)
    withhold_ci(stage, shop)
    pull = await agent_pull(stage, shop, "next")
    await stage.settle()
    await release_ci(stage, shop)
    (run,) = (run for run in shop.runs.values() if run.head_sha == pull.head_sha)
    (lint,) = (job for job in run.jobs[1] if job.name == "lint")
    run.jobs[1].remove(lint)
    del shop.check_runs[lint.id]
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "job `lint` is missing" in stage.summary(shop, pull, "evidence")


async def test_a_report_that_lacks_tests_names_them(stage: Scene) -> None:
    """The log's count is filled up by a printed summary of another runner; the report tells."""
    shop = await landed(stage, archive(junit_xml=junit(*FIVE)))
    forged = ran(3) + "\nTests:       2 passed, 2 total\nTest Suites: 1 passed, 1 total\n"
    pull = await next_pull(stage, shop, archive(junit_xml=junit(*FIVE[2:])), output=forged)
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    text = stage.summary(shop, pull, "evidence")
    assert "its reports hold 3 tests, there 5 (gone: `shop.test_0`, `shop.test_1`)" in text


async def test_a_report_that_is_not_written_any_more(stage: Scene) -> None:
    shop = await landed(stage, archive(junit_xml=junit(*FIVE)))
    pull = await next_pull(stage, shop, output=ran(5))
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "its reports hold 0 tests, there 5" in stage.summary(shop, pull, "evidence")


async def test_a_merge_group_that_runs_fewer_tests_than_its_pull_request_did(stage: Scene) -> None:
    shop = await landed(stage)

    def script(run: WorkflowRun, job: Job) -> ScriptedJob:
        output = ran(3 if run.event == "merge_group" else 5) if job.name == "test" else ""
        return ScriptedJob("success", log_of(shop, job, run, output, 0))

    stage.github.actions.script(shop, WORKFLOW_PATH, script)
    pull = await agent_pull(stage, shop, "next")
    await stage.settle()
    group = max((run for run in shop.runs.values() if run.event == "merge_group"), key=lambda run: run.id).head_sha
    assert pull.merged_at is None
    assert stage.checks(shop, group)["mergegate/evidence"] == "failure"
    (refused,) = [one for one in stage.check_runs(shop, group) if one.name == "mergegate/evidence"]
    assert "job `test` ran 3 tests, there 5" in f"{refused.summary}"


async def test_a_person_s_own_work_in_a_group_may_take_tests_out_unsaid(stage: Scene) -> None:
    shop = await landed(stage)
    report_ci(stage, shop, output=ran(3))
    await stage.github.push(shop, "tidy", {"shop/tidy.py": "RATE = 1\n"}, author="ada")
    pull = await stage.github.open_pull(shop, "tidy", author="ada")
    await stage.settle()
    await merge_queue.enqueue(stage.github, shop, pull, Actor("ada", "user"))
    await stage.settle()
    assert pull.merged_at is not None


PUSHED = WORKFLOW.replace("[pull_request, merge_group]", "[pull_request, merge_group, push]")
BY_HAND = POLICY.replace("'on'", "'off'")


async def known(stage: Scene, shop: Repository, ref: str = MAIN) -> list[int]:
    """How many tests the jobs `test` of the branch's baselines ran."""
    rows = await stage.gate.database.query("select facts from baselines where ref = %s order by since", (ref,))
    return [job["tests"] for (facts,) in rows for job in facts["jobs"] if job["name"] == "test"]


async def test_what_landed_after_a_run_began_is_not_held_against_it(stage: Scene) -> None:
    """Its merge was made before, without the tests that have come since."""
    shop = await open_shop(stage)
    report_ci(stage, shop, output=ran(5))
    await landing(stage, shop, "first")
    waiting = await agent_pull(stage, shop, "waiting", body=REFUSED)
    await stage.settle()
    stage.github.world.clock_offset += timedelta(minutes=1)
    report_ci(stage, shop, output=ran(9))
    await landing(stage, shop, "second")
    await stage.github.edit_pull(shop, waiting.number, "courier[bot]", body=BUNDLE)
    await stage.settle()
    assert stage.verdict(shop, waiting) == GREEN
    assert await known(stage, shop) == [5, 9, 9]


async def landing(stage: Scene, shop: Repository, name: str) -> None:
    pull = await agent_pull(stage, shop, name)
    await stage.settle()
    assert pull.merged_at is not None


async def test_the_tips_own_runs_are_looked_at_once_after_a_while(stage: Scene) -> None:
    """Main was moved without a pull request, and its own run was of five tests."""
    shop = await open_shop(stage, BY_HAND, **{WORKFLOW_PATH: PUSHED})
    report_ci(stage, shop, output=ran(5))
    await stage.github.push(shop, "main", {"VERSION": "1\n"}, author="ada")
    await stage.github.settle()
    pull = await next_pull(stage, shop, output=ran(3))
    assert (stage.verdict(shop, pull)["evidence"], await known(stage, shop)) == ("success", [])
    assert tip_looks(stage) == 0
    await stage.hurry()
    await stage.settle()
    assert await known(stage, shop) == [5]
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    await stage.hurry()
    await stage.settle()
    assert tip_looks(stage) == 1


def tip_looks(stage: Scene) -> int:
    return len([one for one in stage.requests() if one.operation == "CommitState"])


async def test_a_run_on_the_tip_that_is_under_way_is_waited_for(stage: Scene) -> None:
    shop = await open_shop(stage, BY_HAND, **{WORKFLOW_PATH: PUSHED})
    withhold_ci(stage, shop)
    await stage.github.push(shop, "main", {"VERSION": "1\n"}, author="ada")
    await agent_pull(stage, shop)
    await stage.run_to_rest()
    await stage.hurry()
    await stage.run_to_rest()
    key = str(TipKey(stage.installation.id, shop.id, MAIN))
    rows = await stage.gate.database.query("select due_at > now() from work where key = %s", (key,))
    assert rows == [(True,)]
    await release_ci(stage, shop)
    await stage.hurry()
    await stage.run_to_rest()
    assert await known(stage, shop) == [3]


async def test_a_run_on_the_tip_that_never_ends_is_given_up(stage: Scene) -> None:
    shop = await open_shop(stage, BY_HAND, **{WORKFLOW_PATH: PUSHED})
    withhold_ci(stage, shop)
    await stage.github.push(shop, "main", {"VERSION": "1\n"}, author="ada")
    await agent_pull(stage, shop)
    await stage.run_to_rest()
    stage.clock += timedelta(hours=4)
    await stage.hurry()
    await stage.run_to_rest()
    key = str(TipKey(stage.installation.id, shop.id, MAIN))
    assert await stage.gate.database.query("select key from work where key = %s", (key,)) == []
    assert await known(stage, shop) == []


async def test_branches_beside_the_default_branch(stage: Scene) -> None:
    """A gated one has baselines of its own; one that is not gated has none."""
    shop = await open_shop(stage, BY_HAND + "branches: [release]\n", **{WORKFLOW_PATH: PUSHED})
    for branch in ("release", "playground"):
        await stage.github.push(shop, branch, {"VERSION": f"{branch}\n"}, author="ada")
        key = TipKey(stage.installation.id, shop.id, f"refs/heads/{branch}")
        await stage.gate.database.query("insert into work (key, due_at) values (%s, now())", (str(key),))
    await stage.run_to_rest()
    assert await known(stage, shop, "refs/heads/release") == [3]
    assert await known(stage, shop, "refs/heads/playground") == []
