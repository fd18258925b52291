"""What is known about a run through the whole gate: its token, secrets, caches, machine, variables, calls and tries."""

from __future__ import annotations

import pytest

from app.gate.runs import bare_run
from app.github import run_models
from checks.runs import CalledWorkflow
from tests.gate.scene import Scene
from tests.gate.shop import GREEN, POLICY, RED, WORKFLOW, WORKFLOW_PATH, agent_pull, fail_ci, log_of, open_shop, pass_ci
from tests.gate.test_stories import GREEN as BOTH_GREEN
from tests.github.actions.scripted import Script, ScriptedJob
from tests.github.state import Job, PullRequest, Repository, WorkflowRun

PLAIN = POLICY.replace("'on'", "'off'")
WAITS = {"evidence": "success", "review": "in_progress"}
CI = WORKFLOW_PATH.replace("/", "__")


def policy(trust: str) -> str:
    return f"{PLAIN}ci: {{{trust}}}\n"


def workflow(old: str, new: str) -> str:
    assert old in WORKFLOW
    return WORKFLOW.replace(old, new, 1)


def head_of_log(*lines: str) -> bytes:
    """What the runner prints before the first step, as https://github.com/actions/runner does."""
    said = ("Current runner version: '2.336.0'", *lines, "Prepare workflow directory")
    return b"\xef\xbb\xbf" + "".join(f"2026-11-29T09:59:59.0000000Z {line}\n" for line in said).encode()


def prints(shop: Repository, head: tuple[str, ...] = (), first: str = "", output: str = GREEN) -> Script:
    """Jobs that pass; `head` stands before the first step, `first` before the output of `test`."""

    def script(run: WorkflowRun, job: Job) -> ScriptedJob:
        text = f"{first}\n{output}" if job.name == "test" else ""
        log = head_of_log(*head) + log_of(shop, job, run, text, 0).removeprefix(b"\xef\xbb\xbf")
        return ScriptedJob("success", log, (("Run python -m unittest", "success"),) if job.name == "test" else None)

    return script


async def judged(
    stage: Scene, shop: Repository, script: Script | None = None
) -> tuple[PullRequest, dict[str, str], str]:
    """An agent's pull request, the state of its checks and what both say."""
    if script is not None:
        stage.github.actions.script(shop, WORKFLOW_PATH, script)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    text = stage.summary(shop, pull, "evidence") + stage.summary(shop, pull, "review")
    return pull, dict(stage.verdict(shop, pull)), text


WRITES = ("##[group]GITHUB_TOKEN Permissions", "Contents: write", "Metadata: read", "##[endgroup]")
READS = ("##[group]GITHUB_TOKEN Permissions", "Contents: read", "Metadata: read", "##[endgroup]")
RESTORED = "Cache restored from key: Linux-pip-3f2a"
STEERED = workflow(
    "- run: python -m unittest",
    "- run: python -m unittest\n        env: {T: '${{ secrets.NPM_TOKEN }}', ONLY: '${{ vars.ONLY }}'}",
)
SELF_HOSTED = STEERED.replace("runs-on: ubuntu-latest", "runs-on: [self-hosted, linux, arc]", 1)
FACTS = {
    "ci.token": "The token of jobs could write: `test` (Contents), `lint` (Contents).",
    "ci.secrets": "Jobs were given secrets: `test` (`NPM_TOKEN`, line 9 of `.github/workflows/ci.yml`).",
    "ci.cache": "Jobs took caches that earlier runs of this branch can have made: `test` (Linux-pip-3f2a).",
    "ci.variables": "`test` (vars.ONLY, line 8 of `.github/workflows/ci.yml`).",
}
REFUSED = "trust: {token: refuse, secrets: refuse, cache: refuse, runner: refuse, variables: refuse, ephemeral: [arc]}"


@pytest.mark.anyio
async def test_what_old_and_ordinary_repositories_do_is_named_and_holds_nothing(stage: Scene) -> None:
    """Tokens wrote by default before 2023, and caches are in most workflows."""
    shop = await open_shop(stage, PLAIN, **{CI: STEERED})
    _, state, text = await judged(stage, shop, prints(shop, (*WRITES, "Secret source: Actions"), RESTORED))
    assert state == BOTH_GREEN
    assert [check for check, words in FACTS.items() if words not in text] == []


@pytest.mark.anyio
async def test_a_machine_that_is_kept_waits_for_a_person(stage: Scene) -> None:
    shop = await open_shop(stage, PLAIN, **{CI: SELF_HOSTED})
    pull, state, text = await judged(stage, shop, prints(shop, READS))
    assert state == WAITS
    assert "`test` (label self-hosted)" in text
    assert "`ci.trust.ephemeral`" in text
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull) == BOTH_GREEN


@pytest.mark.anyio
async def test_everything_that_can_be_refused(stage: Scene) -> None:
    """A program that prints another list of permissions changes nothing: the runner spoke first."""
    shop = await open_shop(stage, policy(REFUSED), **{CI: STEERED})
    first = "\n".join((*READS, "Secret source: None", RESTORED))
    _, state, text = await judged(stage, shop, prints(shop, (*WRITES, "Secret source: Actions"), first))
    assert state["evidence"] == "failure"
    assert [check for check, words in FACTS.items() if words not in text] == []
    assert "permissions: {contents: read}" in text


@pytest.mark.anyio
async def test_where_nothing_is_found_nothing_is_refused(stage: Scene) -> None:
    """Secrets that a file names are not given to a fork's run; the label names machines that are used once."""
    only_secrets = SELF_HOSTED.replace(", ONLY: '${{ vars.ONLY }}'", "")
    shop = await open_shop(stage, policy(REFUSED), **{CI: only_secrets})
    _, state, _ = await judged(stage, shop, prints(shop, (*READS, "Secret source: None")))
    assert state == BOTH_GREEN


@pytest.mark.anyio
async def test_a_log_that_is_red_while_its_job_is_green_names_the_line(stage: Scene) -> None:
    text = workflow("python -m unittest", "python -m unittest || true")
    shop = await open_shop(stage, PLAIN, **{CI: text})
    _, state, said = await judged(stage, shop, prints(shop, output=RED))
    assert state["evidence"] == "failure"
    assert "line 8 of `.github/workflows/ci.yml` has `|| true`" in said


def fails_first(shop: Repository, failures: list[int]) -> Script:
    """The job `test` fails as often as the one number in `failures` says, and passes from then on."""
    passing = prints(shop)

    def script(run: WorkflowRun, job: Job) -> ScriptedJob | None:
        if job.name != "test" or not failures[0]:
            return passing(run, job)
        failures[0] -= 1
        return ScriptedJob("failure", log_of(shop, job, run, RED, 1), (("Run python -m unittest", "failure"),))

    return script


async def run_again_until_green(stage: Scene, shop: Repository) -> None:
    run = max(shop.runs.values(), key=lambda each: each.id)
    while run.conclusion != "success":
        await stage.github.actions.rerun(shop, run, "ada", failed_only=True)
        await stage.settle()


@pytest.mark.anyio
class TestAttempts:
    async def test_an_unsteady_test_is_shown_but_not_run_until_it_is_green(self, stage: Scene) -> None:
        shop = await open_shop(stage, PLAIN)
        failures = [2]
        pull, state, _ = await judged(stage, shop, fails_first(shop, failures))
        assert state["evidence"] == "failure"
        await run_again_until_green(stage, shop)
        assert stage.verdict(shop, pull) == BOTH_GREEN
        assert "`test` at try 3" in stage.summary(shop, pull, "evidence")
        failures[0] = 1
        await stage.github.actions.rerun(shop, max(shop.runs.values(), key=lambda each: each.id), "ada")
        await stage.settle()
        await run_again_until_green(stage, shop)
        assert stage.verdict(shop, pull)["evidence"] == "failure"
        assert "`test` at try 4" in stage.summary(shop, pull, "evidence")

    async def test_closing_and_opening_again_is_another_try(self, stage: Scene) -> None:
        shop = await open_shop(stage, policy("attempts: 1"))
        fail_ci(stage, shop)
        pull = await agent_pull(stage, shop)
        await stage.settle()
        pass_ci(stage, shop)
        await stage.github.close_pull(shop, pull.number, "courier[bot]")
        await stage.github.reopen_pull(shop, pull.number, "courier[bot]")
        await stage.settle()
        assert stage.verdict(shop, pull)["evidence"] == "failure"
        assert "`test` at try 2" in stage.summary(shop, pull, "evidence")


def test_workflows_that_a_run_called_are_kept_with_their_commits() -> None:
    """`referenced_workflows` as https://docs.github.com/en/rest/actions/workflow-runs shows it."""
    called = {
        "path": "octocat/Hello-World/.github/workflows/deploy.yml@main",
        "sha": "86e8bc9ecf7d38b1ed2d2cfb8eb87ba9b35b01db",
        "ref": "refs/heads/main",
    }
    run = {
        "id": 1,
        "event": "pull_request",
        "path": ".github/workflows/ci.yml",
        "run_number": 1,
        "workflow_id": 2,
        "status": "completed",
        "conclusion": "success",
        "head_sha": "1" * 40,
        "head_branch": "agent/x",
        "created_at": "2026-11-29T10:00:00Z",
        "updated_at": "2026-11-29T10:00:00Z",
    }
    kept = bare_run(run_models.WorkflowRun.model_validate({**run, "referenced_workflows": [called]}))
    assert kept.called == (CalledWorkflow(called["path"], called["sha"]),)
    assert bare_run(run_models.WorkflowRun.model_validate(run)).called == ()
