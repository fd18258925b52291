"""Workflow runs: attempts, cancelling, given outcomes, and the routes that tell of them."""

from __future__ import annotations

import asyncio
import io
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github.actions.scripted import ScriptedJob
from tests.github.errors import ApiError
from tests.github.server import SimulatedGitHub
from tests.simulator.shop import (
    CI,
    TEST_WORKFLOW,
    as_app,
    as_user,
    client,
    gate,
    log_lines,
    only_run,
    pull,
    run_of,
    shop,
    valid,
    workflow,
)

pytestmark = pytest.mark.anyio


async def test_rerun_makes_an_attempt_on_the_same_commit(hub: SimulatedGitHub) -> None:
    repository, run = await run_of(hub, workflow("test -n '' || exit 1"))
    first = run.jobs[1][0]
    await hub.actions.rerun(repository, run, "bob")
    await hub.settle()
    assert (run.attempt, run.conclusion, run.triggering_actor) == (2, "failure", "bob")
    assert run.earlier_attempts[1]["conclusion"] == "failure"
    (second,) = run.jobs[2]
    assert (second.run_attempt, second.head_sha) == (2, first.head_sha)
    assert second.id != first.id


async def test_rerun_of_failed_jobs_keeps_the_others(hub: SimulatedGitHub, tmp_path: Path) -> None:
    flaky = f"test -e {tmp_path}/again || {{ touch {tmp_path}/again; exit 1; }}"
    text = (
        "on: push\njobs:\n  good: {runs-on: x, steps: [{run: 'true'}]}\n"
        f"  bad:\n    runs-on: x\n    steps:\n      - run: {flaky}\n"
        "  after: {needs: bad, runs-on: x, steps: [{run: 'true'}]}\n"
    )
    repository, run = await run_of(hub, text)
    assert {j.name: j.conclusion for j in run.jobs[1]} == {"good": "success", "bad": "failure", "after": "skipped"}
    await hub.actions.rerun(repository, run, "ada", failed_only=True)
    await hub.settle()
    assert {j.name: (j.conclusion, j.run_attempt) for j in run.jobs[2]} == {
        "good": ("success", 1),
        "bad": ("success", 2),
        "after": ("success", 2),
    }


async def test_a_run_has_at_most_fifty_attempts(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: workflow("true")})
    hub.actions.script(repository, None, lambda _run, _job: ScriptedJob("failure"))
    await hub.push(repository, "main", {"a": "b"})
    await hub.settle()
    run = only_run(repository)
    for _ in range(49):
        await hub.actions.rerun(repository, run, "ada")
        await hub.settle()
    assert run.attempt == 50
    with pytest.raises(ApiError, match="50 attempts"):
        await hub.actions.rerun(repository, run, "ada")


async def test_cancel_kills_and_concludes(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    await hub.push(repository, "main", {CI: workflow("echo began; sleep 600")})
    run = only_run(repository)
    async with asyncio.timeout(10):
        while not any(job.steps and job.steps[-1].number == 3 for job in run.jobs.get(1, [])):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    with pytest.raises(ApiError, match="already running"):
        await hub.actions.rerun(repository, run, "ada")
    await hub.actions.cancel(repository, run)
    assert (run.conclusion, run.jobs[1][0].conclusion) == ("cancelled", "cancelled")
    assert log_lines(run.jobs[1][0])[-1] == "##[error]The operation was canceled."
    with pytest.raises(ApiError, match="completed"):
        await hub.actions.cancel(repository, run)


async def test_cancel_of_what_has_not_begun(hub: SimulatedGitHub) -> None:
    hub.world.switches.run_actions = False
    repository = await shop(hub, {CI: workflow("true")})
    await hub.push(repository, "main", {"a": "b"})
    await hub.settle()
    run = only_run(repository)
    await hub.actions.cancel(repository, run)
    assert (run.conclusion, run.jobs[1]) == ("cancelled", [])


async def test_a_script_may_hold_a_job_open(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: workflow("exit 1")})
    hub.actions.script(repository, CI, lambda _run, _job: None)
    await hub.push(repository, "main", {"a": "b"})
    await hub.settle()
    (job,) = only_run(repository).jobs[1]
    assert job.status == "in_progress"
    hub.actions.complete_job(job, ScriptedJob("success", log=b"given"))
    await hub.settle()
    assert (job.conclusion, job.log, only_run(repository).conclusion) == ("success", b"given", "success")


async def test_runs_wait_while_the_switch_is_off(hub: SimulatedGitHub) -> None:
    hub.world.switches.run_actions = False
    repository = await shop(hub, {CI: workflow("true")})
    await hub.push(repository, "main", {"a": "b"})
    await hub.settle()
    assert only_run(repository).status == "queued"
    hub.world.switches.run_actions = True
    hub.actions.resume()
    await hub.settle()
    assert only_run(repository).conclusion == "success"


async def test_runs_and_jobs_over_the_api(hub: SimulatedGitHub) -> None:
    app = gate(hub)
    repository = await shop(hub, {CI: TEST_WORKFLOW})
    opened = await pull(hub, repository)
    await hub.settle()
    run = only_run(repository)
    async with as_app(hub, app) as api:
        listed = (await api.get("/repos/acme/shop/actions/runs", params={"head_sha": opened.head_sha})).json()
        assert [valid(models.WorkflowRun, item)["id"] for item in listed["workflow_runs"]] == [run.id]
        for query in ({"event": "push"}, {"status": "failure"}, {"branch": "main"}, {"head_sha": "0" * 40}):
            other = (await api.get("/repos/acme/shop/actions/runs", params=query)).json()
            assert other == {"total_count": 0, "workflow_runs": []}
        one = valid(models.WorkflowRun, (await api.get(f"/repos/acme/shop/actions/runs/{run.id}")).json())
        assert (one["path"], one["event"], one["conclusion"], one["run_attempt"]) == (CI, "pull_request", "success", 1)
        assert [p["number"] for p in one["pull_requests"]] == [1]
        jobs = (await api.get(f"/repos/acme/shop/actions/runs/{run.id}/jobs")).json()
        job = valid(models.Job, jobs["jobs"][0])
        assert [step["name"] for step in job["steps"]][:3] == [
            "Set up job",
            "Run actions/checkout@v4",
            "Run cat README.md",
        ]
        assert valid(models.Job, (await api.get(f"/repos/acme/shop/actions/jobs/{job['id']}")).json()) == job
        check = (await api.get(f"/repos/acme/shop/check-runs/{job['id']}")).json()
        assert (check["name"], check["app"]["slug"], check["conclusion"]) == ("test", "github-actions", "success")
        assert check["check_suite"]["id"] == one["check_suite_id"]
        earlier = await api.get(f"/repos/acme/shop/actions/runs/{run.id}/attempts/2")
        assert earlier.status_code == 404


async def test_logs_are_behind_a_redirect_that_needs_no_token(hub: SimulatedGitHub) -> None:
    app = gate(hub)
    repository, run = await run_of(hub, workflow("echo hello"))
    job = run.jobs[1][0]
    async with as_app(hub, app) as api, client(hub) as nobody:
        moved = await api.get(f"/repos/acme/shop/actions/jobs/{job.id}/logs")
        assert moved.status_code == 302
        for _ in range(61):  # more than the 60 requests an hour that nobody has at the API
            answer = await nobody.get(moved.headers["location"])
        assert (answer.status_code, answer.content) == (200, job.log)
        step = await api.get(f"/repos/acme/shop/actions/jobs/{job.id}/steps/3/logs")
        text = (await nobody.get(step.headers["location"])).content.decode("utf-8-sig")
        assert [line[29:] for line in text.splitlines()][-1] == "hello"
        assert (await api.get(f"/repos/acme/shop/actions/jobs/{job.id}/steps/4/logs")).status_code == 404
        hub.world.clock_offset += type(hub.world.clock_offset)(minutes=2)
        assert (await nobody.get(moved.headers["location"])).status_code == 404
    assert repository.full_name == "acme/shop"


async def test_artifacts_have_a_digest_and_belong_to_the_newest_attempt(hub: SimulatedGitHub) -> None:
    app = gate(hub)
    text = workflow("mkdir out; echo $GITHUB_RUN_ATTEMPT > out/result.txt") + (
        "      - uses: actions/upload-artifact@v4\n        with: {name: report, path: out}\n"
    )
    repository, run = await run_of(hub, text)
    async with as_app(hub, app) as api, client(hub) as nobody:
        for attempt in ("1", "2"):
            listed = (await api.get(f"/repos/acme/shop/actions/runs/{run.id}/artifacts")).json()
            (artifact,) = [valid(models.Artifact, item) for item in listed["artifacts"]]
            moved = await api.get(artifact["archive_download_url"])
            content = (await nobody.get(moved.headers["location"])).content
            assert artifact["digest"] == f"sha256:{sha256(content).hexdigest()}"
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                assert archive.read("result.txt").decode().strip() == attempt
            again = await api.post(f"/repos/acme/shop/actions/runs/{run.id}/rerun")
            assert again.status_code == 201
            await hub.settle()
    assert len(repository.runs) == 1


async def test_dispatch_answers_with_the_run(hub: SimulatedGitHub) -> None:
    app = gate(hub)
    text = workflow('echo "for ${{ inputs.ticket }}"', on="{workflow_dispatch: {inputs: {ticket: {default: none}}}}")
    text = "run-name: Verify ${{ inputs.ticket }}\n" + text
    repository = await shop(hub, {CI: text})
    async with as_app(hub, app) as api:
        path = "/repos/acme/shop/actions/workflows/ci.yml/dispatches"
        answer = await api.post(path, json={"ref": "main", "inputs": {"ticket": "T-1"}})
        body = valid(models.WorkflowDispatchResponse, answer.json())
        await hub.settle()
        run = only_run(repository)
        assert (answer.status_code, body["workflow_run_id"], run.event) == (200, run.id, "workflow_dispatch")
        assert "for T-1" in log_lines(run.jobs[1][0])
        assert run.display_title == "Verify T-1"
        for given in ({"ref": "nowhere"}, {"ref": "main", "inputs": {"wrong": "x"}}, {}):
            assert (await api.post(path, json=given)).status_code == 422
        old = await api.post(path, json={"ref": "main"}, headers={"x-github-api-version": "2022-11-28"})
        assert (old.status_code, old.content) == (204, b"")


async def test_rights_over_the_api(hub: SimulatedGitHub) -> None:
    reader = gate(hub, "reader", {"actions": "read", "metadata": "read"})
    repository, run = await run_of(hub, workflow("true"))
    repository.private = True
    async with as_app(hub, reader) as api, as_user(hub, "mallory") as stranger:
        assert (await api.post(f"/repos/acme/shop/actions/runs/{run.id}/rerun")).status_code == 403
        assert (await api.get(f"/repos/acme/shop/actions/runs/{run.id}")).status_code == 200
        assert (await stranger.get(f"/repos/acme/shop/actions/runs/{run.id}")).status_code == 404
