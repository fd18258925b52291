"""High risk: the gate starts a verifier run, believes its own only, and starts none twice."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import BUNDLE, GREEN, POLICY, RED, agent_pull, log_of, open_shop
from tests.github.actions.scripted import Script, ScriptedJob
from tests.github.faults import Fault
from tests.github.state import Job, PullRequest, Repository, WorkflowRun

pytestmark = pytest.mark.anyio

FILE = Path(__file__).parents[2] / "deploy" / "workflows" / "mergegate-verify.yml"
PATH = ".github/workflows/mergegate-verify.yml"
VERIFYING = POLICY + "ci: {commands: [python -m unittest]}\nverifier: {image: 'python:3.13'}\n"
NEW_TESTS = VERIFYING.replace("verifier: {", "verifier: {new_tests: refuse, ")
HIGH = BUNDLE.replace("level: low", "level: high").replace("data_loss: false", "data_loss: false\n  tested: true")
CODE = "def allowed(user):\n    return user == 'ada'\n"
TEST = (
    "import unittest\nfrom shop.auth import allowed\n\n\nclass AllowedTest(unittest.TestCase):\n"
    "    def test_ada(self):\n        self.assertTrue(allowed('ada'))\n"
)
CHANGE = {"shop/auth.py": CODE, "tests/test_auth.py": TEST}


async def open_verified(stage: Scene, policy: str = VERIFYING, **more: str) -> Repository:
    shop = await open_shop(stage, policy)
    await stage.github.push(shop, "main", {PATH: FILE.read_text("utf-8"), **more})
    return shop


def answers(stage: Scene, shop: Repository, unchanged: str = GREEN, restored: str = GREEN, new: str = RED) -> None:
    """What the verifier's jobs print; nothing is executed. The new tests' job ends well when its tests fail."""

    def script(run: WorkflowRun, job: Job) -> ScriptedJob:
        output = {"restored": restored, "new-tests": new}.get(job.name, unchanged)
        conclusion = "failure" if ("FAILED" in output) is not (job.name == "new-tests") else "success"
        return ScriptedJob(conclusion, log_of(shop, job, run, output, int(conclusion == "failure")))

    stage.github.actions.script(shop, PATH, script)


def hold(stage: Scene, shop: Repository, script: Script = lambda *_: None) -> None:
    stage.github.actions.script(shop, PATH, script)


def verifier_runs(shop: Repository) -> list[WorkflowRun]:
    return [run for run in shop.runs.values() if run.workflow_path == PATH]


async def high_pull(stage: Scene, shop: Repository, **more: str) -> PullRequest:
    return await agent_pull(stage, shop, "auth", CHANGE | more, HIGH)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap, which runs the containers, is not installed")
async def test_a_high_risk_change_is_verified_approved_and_merged(stage: Scene) -> None:
    shop = await open_verified(stage, NEW_TESTS)
    pull = await high_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}
    (run,) = verifier_runs(shop)
    (new,) = (job for job in run.jobs[1] if job.name == "new-tests")
    assert b"FAILED (errors=1)" in (new.log or b""), "there is no shop.auth on the target branch"
    assert (run.event, run.actor, run.head_branch) == ("workflow_dispatch", "mergegate[bot]", "main")
    assert b"Ran 1 test in" in (run.jobs[1][0].log or b"")
    await stage.github.review(shop, pull.number, "ada")
    await stage.settle()
    assert pull.merged_at is not None


async def test_a_failing_verifier_run_fails_the_evidence(stage: Scene) -> None:
    shop = await open_verified(stage)
    answers(stage, shop, RED)
    pull = await high_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "The separate verifier run's job `unchanged` ended as failure." in stage.summary(shop, pull, "evidence")
    assert len(verifier_runs(shop)) == 1


async def test_what_only_passes_with_its_own_test_infrastructure_is_for_a_person(stage: Scene) -> None:
    shop = await open_verified(stage)
    answers(stage, shop, GREEN, RED)
    pull = await high_pull(stage, shop, **{"tests/conftest.py": "SETTING = 1\n"})
    await stage.settle()
    (run,) = verifier_runs(shop)
    assert run.inputs["restore"] == "tests/conftest.py\n"
    assert [job.name for job in run.jobs[1] if job.conclusion != "skipped"] == ["unchanged", "restored"]
    assert stage.verdict(shop, pull)["review"] == "in_progress"
    assert "the required commands do not succeed." in stage.summary(shop, pull, "review")


async def test_new_tests_that_pass_without_the_change_are_refused(stage: Scene) -> None:
    shop = await open_verified(stage, NEW_TESTS)
    answers(stage, shop, new=GREEN)
    pull = await high_pull(stage, shop)
    await stage.settle()
    (run,) = verifier_runs(shop)
    assert run.inputs["new_tests"] == "tests/test_auth.py\n"
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "The new tests do not fail on the target branch" in stage.summary(shop, pull, "evidence")


async def test_critical_risk_needs_two_runs(stage: Scene) -> None:
    shop = await open_verified(stage, VERIFYING + "risk: {areas: {authentication: {risk: critical}}}\n")
    answers(stage, shop)
    await agent_pull(stage, shop, "auth", CHANGE, HIGH.replace("level: high", "level: critical"))
    await stage.settle()
    assert len(verifier_runs(shop)) == 2


async def test_low_risk_starts_none(stage: Scene) -> None:
    shop = await open_verified(stage)
    answers(stage, shop)
    await agent_pull(stage, shop)
    await stage.settle()
    assert verifier_runs(shop) == []


async def test_none_is_started_before_the_workflows_own_runs_have_passed(stage: Scene) -> None:
    from tests.gate.shop import release_ci, withhold_ci

    shop = await open_verified(stage)
    answers(stage, shop)
    withhold_ci(stage, shop)
    pull = await high_pull(stage, shop)
    await stage.settle()
    assert verifier_runs(shop) == []
    await release_ci(stage, shop)
    await stage.settle()
    assert len(verifier_runs(shop)) == 1
    assert stage.verdict(shop, pull)["evidence"] == "success"


async def test_one_that_is_under_way_is_awaited(stage: Scene) -> None:
    shop = await open_verified(stage)
    hold(stage, shop)
    pull = await high_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "in_progress"
    assert "A separate verifier run is under way." in stage.summary(shop, pull, "evidence")
    (run,) = verifier_runs(shop)
    done = ScriptedJob("success", log_of(shop, run.jobs[1][0], run, GREEN, 0))
    stage.github.actions.complete_job(run.jobs[1][0], done)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "success"


async def dispatch_by(stage: Scene, shop: Repository, run: WorkflowRun, login: str) -> WorkflowRun:
    """Somebody else starts the same workflow under the same name."""
    made = await stage.github.actions.dispatch(shop, PATH, "main", dict(run.inputs) | {"commands": "true\n"}, login)
    await stage.github.settle()
    return made


async def test_somebody_else_s_run_of_the_verifier_is_none(stage: Scene) -> None:
    shop = await open_verified(stage)
    answers(stage, shop, RED)
    pull = await high_pull(stage, shop)
    await stage.settle()
    answers(stage, shop)
    await dispatch_by(stage, shop, verifier_runs(shop)[0], "bob")
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"


async def test_a_run_that_somebody_ran_again_until_it_was_green_is_replaced_by_a_new_one(stage: Scene) -> None:
    shop = await open_verified(stage)
    hold(stage, shop)
    pull = await high_pull(stage, shop)
    await stage.settle()
    (run,) = verifier_runs(shop)
    answers(stage, shop)
    red = ScriptedJob("failure", log_of(shop, run.jobs[1][0], run, RED, 1))
    stage.github.actions.complete_job(run.jobs[1][0], red)
    await stage.github.settle()
    await stage.github.actions.rerun(shop, run, "bob")
    await stage.settle()
    assert "A verifier run does not count: somebody ran it again." in stage.summary(shop, pull, "evidence")
    assert len(verifier_runs(shop)) == 2


async def test_the_start_whose_answer_was_lost_is_found_and_not_repeated(stage: Scene) -> None:
    shop = await open_verified(stage)
    answers(stage, shop)
    stage.github.faults.add(Fault("cut_after", "POST", "/actions/workflows/[^/]+/dispatches$"))
    pull = await high_pull(stage, shop)
    await stage.run_to_rest()
    await stage.hurry()
    await stage.settle()
    assert len(verifier_runs(shop)) == 1
    assert stage.verdict(shop, pull)["evidence"] == "success"


async def test_a_start_that_never_reached_github_is_tried_again(stage: Scene) -> None:
    shop = await open_verified(stage)
    answers(stage, shop)
    stage.github.faults.add(Fault("cut", "POST", "/actions/workflows/[^/]+/dispatches$"))
    pull = await high_pull(stage, shop)
    await stage.run_to_rest()
    assert verifier_runs(shop) == []
    stage.clock += timedelta(minutes=3)
    await stage.hurry()
    await stage.settle()
    assert len(verifier_runs(shop)) == 1
    assert stage.verdict(shop, pull)["evidence"] == "success"


async def test_a_workflow_that_github_does_not_start_is_told_and_tried_again(stage: Scene) -> None:
    shop = await open_verified(stage, VERIFYING)
    await stage.github.push(shop, "main", {PATH: "on: push\njobs: {test: {runs-on: x, steps: [{run: 'true'}]}}\n"})
    pull = await high_pull(stage, shop)
    await stage.settle()
    told = "GitHub does not start"
    assert told in stage.summary(shop, pull, "evidence")
    await stage.github.push(shop, "main", {PATH: FILE.read_text("utf-8")})
    answers(stage, shop)
    stage.clock += timedelta(minutes=11)
    await stage.hurry()
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "success"


async def test_a_target_that_moves_on_keeps_the_verification(stage: Scene) -> None:
    shop = await open_verified(stage)
    answers(stage, shop)
    pull = await high_pull(stage, shop)
    await stage.settle()
    await stage.github.push(shop, "main", {"README.md": "New\n"})
    await stage.settle()
    assert len(verifier_runs(shop)) == 1
    assert stage.verdict(shop, pull)["evidence"] == "success"


async def test_a_new_head_is_verified_anew(stage: Scene) -> None:
    shop = await open_verified(stage)
    answers(stage, shop)
    await high_pull(stage, shop)
    await stage.settle()
    await stage.github.push(shop, "agent/auth", {"shop/auth.py": CODE + "\n"}, author="courier[bot]")
    await stage.settle()
    assert len(verifier_runs(shop)) == 2


async def test_without_a_policy_that_says_what_to_run_it_says_so(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await high_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "in_progress"
    assert "verifier.image" in stage.summary(shop, pull, "evidence")


def test_the_shipped_workflow_reads_what_the_gate_sends() -> None:
    import yaml

    text: Any = yaml.safe_load(FILE.read_text("utf-8"))
    given = {"id", "head", "target", "tree", "image", "setup", "commands", "network", "restore", "new_tests"}
    assert given <= set(text[True]["workflow_dispatch"]["inputs"])
