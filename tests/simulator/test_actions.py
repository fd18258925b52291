"""Actions: what runs where, what is logged, attempts, artifacts; and the routes that tell of it."""

from __future__ import annotations

import asyncio
import io
import subprocess
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github.actions.local import run_workflow
from tests.github.actions.scripted import ScriptedJob
from tests.github.errors import ApiError
from tests.github.events import DomainEvent, WorkflowJobChanged, WorkflowRunChanged
from tests.github.server import SimulatedGitHub
from tests.github.state import Job, Repository, WorkflowRun
from tests.simulator.shop import TEST_WORKFLOW, as_app, as_user, client, gate, pull, shop, valid, workflow

pytestmark = pytest.mark.anyio
CI = ".github/workflows/ci.yml"


async def run_of(hub: SimulatedGitHub, text: str) -> tuple[Repository, WorkflowRun]:
    """The run that a push of this workflow file starts, completed."""
    repository = await shop(hub)
    await hub.push(repository, "main", {CI: text})
    await hub.settle()
    return repository, only_run(repository)


def only_run(repository: Repository) -> WorkflowRun:
    (run,) = repository.runs.values()
    return run


def log_lines(job: Job) -> list[str]:
    assert job.log is not None
    return [line[29:] for line in job.log.decode("utf-8-sig").splitlines()]


async def test_a_step_prints_its_bytes_and_its_exit_code(hub: SimulatedGitHub) -> None:
    _repository, run = await run_of(hub, workflow("printf 'one\\ntwo\\r\\nthree\\n\\nno end'\nexit 3"))
    (job,) = run.jobs[1]
    lines = log_lines(job)
    start = lines.index("##[group]Run printf 'one\\ntwo\\r\\nthree\\n\\nno end'")
    assert lines[start + 1 : start + 5] == [
        "\x1b[36;1mprintf 'one\\ntwo\\r\\nthree\\n\\nno end'\x1b[0m",
        "\x1b[36;1mexit 3\x1b[0m",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    ]
    assert lines[start + 5 : start + 11] == [
        "one",
        "two",
        "three",
        "",
        "no end",
        "##[error]Process completed with exit code 3.",
    ]
    assert (job.conclusion, run.conclusion) == ("failure", "failure")


async def test_step_numbers_have_gaps_as_recorded(hub: SimulatedGitHub) -> None:
    # 1, 2, 3, 6, 7 for checkout and one script: shared/research/live-facts.md, section 5
    _repository, run = await run_of(hub, workflow("true"))
    assert [step.number for step in run.jobs[1][0].steps] == [1, 2, 3, 6, 7]


@pytest.mark.parametrize(("shell", "conclusion"), [("", "success"), ("        shell: bash\n", "failure")])
async def test_only_a_named_bash_has_pipefail(hub: SimulatedGitHub, shell: str, conclusion: str) -> None:
    _repository, run = await run_of(hub, workflow("false | true") + shell)
    assert run.conclusion == conclusion


async def test_the_workspace_is_empty_without_checkout(hub: SimulatedGitHub) -> None:
    text = "on: push\njobs: {test: {runs-on: x, steps: [{run: 'test -z \"$(ls -A)\"'}]}}\n"
    _repository, run = await run_of(hub, text)
    assert run.conclusion == "success"


async def test_the_environment_is_github_s_and_not_ours(hub: SimulatedGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_OF_OURS", "hunter2")
    _repository, run = await run_of(hub, workflow("env"))
    lines = log_lines(run.jobs[1][0])
    assert {"CI=true", "GITHUB_EVENT_NAME=push", "GITHUB_REPOSITORY=acme/shop", f"GITHUB_SHA={run.head_sha}"} <= set(
        lines
    )
    assert not any("hunter2" in line for line in lines)


async def test_env_and_working_directory_and_defaults(hub: SimulatedGitHub) -> None:
    text = (
        "on: push\nenv: {A: workflow, B: workflow}\ndefaults: {run: {working-directory: sub}}\njobs:\n  test:\n"
        "    runs-on: x\n    env: {B: job}\n    steps:\n      - {run: mkdir sub, working-directory: .}\n"
        '      - {run: \'echo "C=later" >> "$GITHUB_ENV"\'}\n'
        "      - {run: 'echo $A $B $C $D $(basename $PWD)', env: {D: step}}\n"
    )
    _repository, run = await run_of(hub, text)
    assert "workflow job later step sub" in log_lines(run.jobs[1][0])


def _alive(pid: str) -> bool:
    """Whether the process runs; a dead one that nobody has collected yet (state Z) does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False).stdout.strip()
    return bool(state) and not state.startswith("Z")


async def test_a_step_that_takes_too_long_is_killed_with_its_children(hub: SimulatedGitHub, tmp_path: Path) -> None:
    script = f"sleep 600 & echo $! > {tmp_path}/child\nsleep 600"
    _repository, run = await run_of(hub, workflow(script) + "        name: Slow\n        timeout-minutes: 0.01\n")
    job = run.jobs[1][0]
    assert log_lines(job)[-3] == "##[error]The action 'Slow' has timed out after 0.01 minutes."
    assert job.conclusion == "failure"
    assert not _alive((tmp_path / "child").read_text().strip())


async def test_a_job_that_takes_too_long_is_cancelled(hub: SimulatedGitHub) -> None:
    text = workflow("sleep 600").replace("    steps:", "    timeout-minutes: 0.01\n    steps:")
    _repository, run = await run_of(hub, text)
    assert (run.jobs[1][0].conclusion, run.conclusion) == ("cancelled", "cancelled")
    assert log_lines(run.jobs[1][0])[-1] == "##[error]The operation was canceled."


async def test_continue_on_error_forgives_a_step_and_a_job(hub: SimulatedGitHub) -> None:
    text = (
        "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: exit 1, continue-on-error: true}, {run: echo on}]\n"
        "  b: {runs-on: x, continue-on-error: true, steps: [{run: exit 1}]}\n"
    )
    _repository, run = await run_of(hub, text)
    assert {job.name: job.conclusion for job in run.jobs[1]} == {"a": "success", "b": "failure"}
    assert run.conclusion == "success"


async def test_needs_and_conditions_order_and_skip_jobs(hub: SimulatedGitHub) -> None:
    step = "runs-on: x, steps: [{run: 'true'}]"
    text = (
        f"on: push\njobs:\n  c: {{needs: b, {step}}}\n  d: {{needs: [a, b], if: always(), {step}}}\n"
        f"  a: {{{step}}}\n  b: {{needs: a, if: false, {step}}}\n  e: {{if: \"contains('a', 'b')\", {step}}}\n"
    )
    _repository, run = await run_of(hub, text)
    found = {job.name: job.conclusion for job in run.jobs[1]}
    assert found == {"a": "success", "b": "skipped", "c": "skipped", "d": "success", "e": "failure"}
    refused = next(job for job in run.jobs[1] if job.name == "e")
    assert "not simulated" in log_lines(refused)[-1]


async def test_a_matrix_makes_a_job_and_a_check_run_a_row(hub: SimulatedGitHub) -> None:
    text = (
        "on: push\njobs: {test: {runs-on: x, strategy: {matrix: {py: ['3.11', '3.12']}}, "
        "steps: [{run: 'echo py${{ matrix.py }}'}]}}\n"
    )
    repository, run = await run_of(hub, text)
    assert [job.name for job in run.jobs[1]] == ["test (3.11)", "test (3.12)"]
    assert "py3.12" in log_lines(run.jobs[1][1])
    checks = [(c.id, c.name, c.conclusion, c.app_id) for c in repository.check_runs.values()]
    assert checks == [(job.id, job.name, "success", 15368) for job in run.jobs[1]]


@pytest.mark.parametrize(("fail_fast", "second"), [("", "cancelled"), ("fail-fast: false, ", "success")])
async def test_the_first_failed_row_of_a_matrix_ends_the_others(
    hub: SimulatedGitHub, fail_fast: str, second: str
) -> None:
    text = (
        f"on: push\njobs: {{test: {{runs-on: x, strategy: {{{fail_fast}matrix: {{n: [1, 2]}}}}, "
        "steps: [{run: 'test ${{ matrix.n }} = 2; sleep 0.5'}]}}\n"
    )
    _repository, run = await run_of(hub, text)
    assert [job.conclusion for job in run.jobs[1]] == ["failure", second]
    assert run.conclusion == "failure"


@pytest.mark.parametrize("key", ["container: debian", "services: {db: {image: postgres}}"])
async def test_what_is_not_simulated_fails_the_job_and_says_so(hub: SimulatedGitHub, key: str) -> None:
    _repository, run = await run_of(
        hub, f"on: push\njobs: {{test: {{runs-on: x, {key}, steps: [{{run: echo never}}]}}}}\n"
    )
    lines = log_lines(run.jobs[1][0])
    assert f"##[error]`{key.partition(':')[0]}` is not simulated" in lines
    assert "never" not in lines


async def test_stopping_kills_what_runs(hub: SimulatedGitHub, tmp_path: Path) -> None:
    repository = await shop(hub)
    await hub.push(repository, "main", {CI: workflow(f"echo $$ > {tmp_path}/pid; sleep 600")})
    async with asyncio.timeout(10):
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await hub.stop()
    assert not _alive((tmp_path / "pid").read_text().strip())


async def test_an_unknown_action_fails_the_job_and_says_so(hub: SimulatedGitHub) -> None:
    text = "on: push\njobs: {test: {runs-on: x, steps: [{uses: some/action@v1}, {run: echo never}]}}\n"
    _repository, run = await run_of(hub, text)
    lines = log_lines(run.jobs[1][0])
    assert run.conclusion == "failure"
    assert any(line.startswith("##[error]Unable to resolve action some/action@v1") for line in lines)
    assert "never" not in lines


async def test_a_broken_workflow_file_is_a_startup_failure_without_jobs(hub: SimulatedGitHub) -> None:
    repository, run = await run_of(hub, "on: push\njobs: {test: {")
    assert (run.status, run.conclusion, run.jobs) == ("completed", "startup_failure", {})
    assert repository.check_runs == {}


async def test_a_broken_file_fails_once_a_push_and_not_for_a_label(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: "on: pull_request\njobs: {"})
    await pull(hub, repository)
    await hub.add_labels(repository, 1, "ada", "bug")
    await hub.edit_pull(repository, 1, "ada", title="Other")
    await hub.settle()
    assert [(run.event, run.conclusion) for run in repository.runs.values()] == [
        ("push", "startup_failure"),
        ("pull_request", "startup_failure"),
    ]


async def test_path_filters_look_at_what_a_pull_request_changes(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: workflow("true", on="{pull_request: {paths: ['src/**']}}")})
    await pull(hub, repository, "docs", files={"docs/a": "x"})
    await pull(hub, repository, "code", files={"src/a": "x"})
    await hub.settle()
    assert [run.pull_numbers for run in repository.runs.values()] == [[2]]


async def test_an_event_that_policy_forbids_is_a_startup_failure_too(hub: SimulatedGitHub) -> None:
    # as recorded for execution protections: shared/research/live-facts.md, section 5
    repository = await shop(hub, {CI: workflow("true")})
    hub.actions.refused_events.add((repository.id, "push"))
    await hub.push(repository, "main", {"a": "b"})
    await hub.settle()
    run = only_run(repository)
    assert (run.name, run.conclusion, run.jobs, repository.check_runs) == ("CI", "startup_failure", {}, {})


async def test_jobs_find_pytest(tmp_path: Path) -> None:
    run = await run_workflow(tmp_path, workflow("python -m pytest -q"), {"test_one.py": "def test_one(): pass\n"})
    assert log_lines(run.jobs[1][0])[-3].startswith("1 passed in ")


async def test_a_pull_request_is_tested_merged_into_its_base(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: TEST_WORKFLOW})
    opened = await pull(hub, repository)
    await hub.settle()
    run = only_run(repository)
    git = hub.git(repository)
    merge = await git.rev_parse("refs/pull/1/merge")
    base = await git.rev_parse("refs/heads/main")
    assert (run.event, run.head_sha, run.pull_numbers) == ("pull_request", opened.head_sha, [1])
    assert run.checkout_sha == merge
    assert merge is not None
    assert f"HEAD is now at {merge[:7]} Merge {opened.head_sha} into {base}" in log_lines(run.jobs[1][0])


async def test_the_workflow_of_a_pull_request_is_the_one_it_brings(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: TEST_WORKFLOW})
    await pull(hub, repository, files={CI: TEST_WORKFLOW.replace("cat README.md", "echo changed")})
    await hub.settle()
    assert "changed" in log_lines(only_run(repository).jobs[1][0])


async def test_a_conflicting_pull_request_starts_nothing(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: TEST_WORKFLOW})
    await hub.push(repository, "other", {"README.md": "one\n"})
    await hub.push(repository, "main", {"README.md": "two\n"})
    await hub.open_pull(repository, "other")
    await hub.settle()
    assert repository.runs == {}


async def test_a_push_to_the_head_starts_a_new_run(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: TEST_WORKFLOW})
    await pull(hub, repository)
    second = await hub.push(repository, "change", {"more": "x"})
    await hub.settle()
    assert [run.head_sha for run in repository.runs.values()][-1] == second
    assert len(repository.runs) == 2


async def test_a_skip_mark_in_the_commit_message_starts_nothing(hub: SimulatedGitHub) -> None:
    repository = await shop(hub, {CI: workflow("true")})
    await hub.push(repository, "main", {"a": "b"}, message="Change [skip ci]")
    await hub.settle()
    assert repository.runs == {}


async def test_events_come_in_github_s_order(hub: SimulatedGitHub) -> None:
    seen: list[tuple[str, str]] = []

    async def note(event: DomainEvent) -> None:
        if isinstance(event, WorkflowRunChanged | WorkflowJobChanged):
            seen.append((type(event).__name__, event.action))

    hub.listeners.append(note)
    await run_of(hub, workflow("true"))
    run, job = "WorkflowRunChanged", "WorkflowJobChanged"
    assert seen == [
        (run, "requested"),
        (run, "in_progress"),
        (job, "queued"),
        (job, "in_progress"),
        (job, "completed"),
        (run, "completed"),
    ]


async def test_not_more_than_two_jobs_run_at_once(hub: SimulatedGitHub, tmp_path: Path) -> None:
    # Each job leaves a mark while it runs and notes how many marks there are.
    script = (
        f"touch {tmp_path}/$GITHUB_JOB.mark; sleep 0.2; ls {tmp_path} | grep -c mark >> {tmp_path}/seen; "
        f"rm {tmp_path}/$GITHUB_JOB.mark"
    )
    jobs = "".join(f"  j{n}: {{runs-on: x, steps: [{{run: '{script}'}}]}}\n" for n in range(4))
    _repository, run = await run_of(hub, f"on: push\njobs:\n{jobs}")
    assert run.conclusion == "success"
    assert max(int(n) for n in (tmp_path / "seen").read_text().split()) == 2


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
        answer = await nobody.get(moved.headers["location"])
        assert answer.content == job.log
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
