"""Reports of the runs through the whole gate: fetched once, compared with the logs, and never trusted by themselves."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.gate.reporting import THREE, archive, junit, ran, report_ci
from tests.gate.scene import Scene
from tests.gate.shop import BUNDLE, GREEN, POLICY, WORKFLOW, WORKFLOW_PATH, agent_pull, log_of, open_shop, pass_ci
from tests.gate.test_stories import GREEN as BOTH_GREEN
from tests.github.actions.plan import Upload
from tests.github.actions.scripted import ScriptedJob
from tests.github.state import Artifact, Job, PullRequest, Repository, WorkflowRun

pytestmark = pytest.mark.anyio

PLAIN = POLICY.replace("'on'", "'off'")
REQUIRED = PLAIN + "ci: {reports: {required: true}}\n"
HONEST = archive(junit_xml=junit(*THREE))


async def judged(stage: Scene, *archives: bytes, output: str = GREEN, policy: str = PLAIN) -> tuple[str, str]:
    """State and text of mergegate/evidence on a pull request whose run left these archives."""
    shop = await open_shop(stage, policy)
    report_ci(stage, shop, *archives, output=output)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    return stage.verdict(shop, pull)["evidence"], stage.summary(shop, pull, "evidence")


def downloads(stage: Scene) -> list[str]:
    return [one.path for one in stage.requests() if one.path.endswith("/zip")]


async def test_reports_that_agree_are_fetched_once(stage: Scene) -> None:
    state, text = await judged(stage, HONEST, policy=REQUIRED)
    assert (state, len(downloads(stage))) == ("success", 1)
    assert "The test reports of CI do not contradict its raw logs: `junit` 3 passed, 0 skipped." in text


async def test_a_forged_log_beside_a_true_report(stage: Scene) -> None:
    state, text = await judged(stage, HONEST, output=ran(250) + "\n" + GREEN)
    assert state == "failure"
    assert "Reports: `junit` 3 passed" in text
    assert "job `test` 253 passed" in text


async def test_a_forged_report_beside_a_true_log(stage: Scene) -> None:
    state, text = await judged(stage, archive(junit_xml=junit(*THREE, *(f"test_{n}" for n in range(97)))))
    assert state == "failure"
    assert "Reports and raw logs of CI differ" in text


async def test_failures_that_only_the_report_shows(stage: Scene) -> None:
    """An exit code thrown away and a summary line repainted."""
    state, text = await judged(stage, archive(junit_xml=junit("test_add", "test_sum", failed=("test_tax",))))
    assert state == "failure"
    assert "its reports do not" in text
    assert "shop.test_tax" in text


async def test_a_process_that_ended_itself_leaves_no_report(stage: Scene) -> None:
    """`os._exit(0)` after printing a summary: the log looks clean, and only what is missing tells."""
    state, text = await judged(stage, output=ran(250), policy=REQUIRED)
    assert state == "failure"
    assert "CI left no test report" in text


async def test_a_process_that_ended_itself_after_an_early_report(stage: Scene) -> None:
    state, text = await judged(stage, archive(junit_xml=junit("test_add")), output=ran(250))
    assert state == "failure"
    assert "Reports and raw logs of CI differ" in text


@pytest.mark.parametrize(
    ("held", "printed", "why"),
    [
        (junit(), ran(0), "Reports of CI hold no test at all"),
        (junit(skipped=THREE), ran(3, skipped=3), "The reports of CI hold only skipped tests"),
    ],
    ids=["none", "all skipped"],
)
async def test_no_test_that_ran(stage: Scene, held: bytes, printed: str, why: str) -> None:
    state, text = await judged(stage, archive(junit_xml=held), output=printed)
    assert state == "failure"
    assert why in text


async def test_a_zip_bomb(stage: Scene) -> None:
    state, text = await judged(stage, archive(junit_xml=b"\0" * 60_000_000))
    assert (state, len(downloads(stage))) == ("failure", 1)
    assert "artifact junit: the archive is not read: `junit.xml` is packed more than 500 times" in text


async def test_only_artifacts_that_the_policy_takes_for_reports_are_fetched(stage: Scene) -> None:
    shop = await open_shop(stage, PLAIN)
    report_ci(stage, shop, HONEST, HONEST, names=("coverage", "dist"))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert (stage.verdict(shop, pull), downloads(stage)) == (BOTH_GREEN, [])


async def test_reports_of_runs_that_do_not_count_are_not_fetched(stage: Scene) -> None:
    pushed = WORKFLOW.replace("[pull_request, merge_group]", "[pull_request, push]")
    shop = await open_shop(stage, PLAIN, **{WORKFLOW_PATH: pushed})
    report_ci(stage, shop, HONEST)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert sorted(run.event for run in shop.runs.values()) == ["pull_request", "push"]
    assert (stage.verdict(shop, pull)["evidence"], len(downloads(stage))) == ("success", 1)


async def test_other_words_of_the_policy_take_other_files(stage: Scene) -> None:
    shop = await open_shop(stage, PLAIN + "ci: {reports: {artifacts: []}}\n")
    report_ci(stage, shop, archive(junit_xml=b"<testsuite>"))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert (stage.verdict(shop, pull)["evidence"], downloads(stage)) == ("success", [])
    await stage.github.push(shop, "main", {".github/mergegate.yml": PLAIN}, author="ada")
    await stage.settle()
    assert (stage.verdict(shop, pull)["evidence"], len(downloads(stage))) == ("failure", 1)


async def first_attempt(stage: Scene, policy: str) -> tuple[Repository, PullRequest, WorkflowRun]:
    shop = await open_shop(stage, policy)
    report_ci(stage, shop, archive(junit_xml=junit(*THREE)))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    (run,) = shop.runs.values()
    return shop, pull, run


async def test_a_report_of_an_earlier_attempt_is_not_read(stage: Scene) -> None:
    shop, pull, run = await first_attempt(stage, REQUIRED)
    old = run.artifacts[0]
    stage.github.world.clock_offset += timedelta(minutes=1)
    pass_ci(stage, shop)
    await stage.github.actions.rerun(shop, run, "ada")
    await stage.github.settle()
    # As GitHub does, which lists the artifacts of all attempts.
    newest = next(job for job in run.jobs[2] if job.name == "test")
    run.artifacts.append(Artifact(old.id, run.id, old.name, old.zip, old.created_at, job_id=newest.id))
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    text = stage.summary(shop, pull, "evidence")
    assert "CI left no test report." in text
    assert "of an earlier attempt and is not read: `junit`" in text


async def test_a_new_attempt_is_judged_by_its_own_report(stage: Scene) -> None:
    shop, pull, run = await first_attempt(stage, REQUIRED)
    assert stage.verdict(shop, pull)["evidence"] == "success"
    stage.github.world.clock_offset += timedelta(minutes=1)
    report_ci(stage, shop, archive(junit_xml=junit("test_add")))
    await stage.github.actions.rerun(shop, run, "ada")
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert len(downloads(stage)) == 2


async def test_a_merge_groups_reports_must_agree_too(stage: Scene) -> None:
    shop = await open_shop(stage)
    report_ci(stage, shop, HONEST)

    def script(run: WorkflowRun, job: Job) -> ScriptedJob:
        forged = archive(junit_xml=junit(*THREE, "test_more"))
        uploads = (Upload("junit", forged if run.event == "merge_group" else HONEST),) if job.name == "test" else ()
        return ScriptedJob("success", log_of(shop, job, run, GREEN if uploads else "", 0), uploads=uploads)

    stage.github.actions.script(shop, WORKFLOW_PATH, script)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == BOTH_GREEN
    assert pull.merged_at is None
    groups = [run.head_sha for run in shop.runs.values() if run.event == "merge_group"]
    assert {stage.checks(shop, sha)["mergegate/evidence"] for sha in groups} == {"failure"}


async def test_at_most_one_request_more_for_a_report(stage: Scene) -> None:
    shop = await open_shop(stage, PLAIN)
    stage.github.actions.script(shop, WORKFLOW_PATH, lambda *_: None)
    pull = await agent_pull(stage, shop, body=BUNDLE)
    await stage.settle()
    before = len(stage.requests())
    (run,) = shop.runs.values()
    for job in run.jobs[1]:
        uploads = (Upload("junit", HONEST),) if job.name == "test" else ()
        log = log_of(shop, job, run, GREEN if uploads else "", 0)
        stage.github.actions.complete_job(job, ScriptedJob("success", log, uploads=uploads))
    await stage.run_to_rest()
    assert stage.verdict(shop, pull)["evidence"] == "success"
    assert len(stage.requests()) - before <= 12
