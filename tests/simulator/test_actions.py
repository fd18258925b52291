"""Actions: what runs where, and what is logged."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.github.actions.local import run_workflow
from tests.github.events import DomainEvent, WorkflowJobChanged, WorkflowRunChanged
from tests.github.server import SimulatedGitHub
from tests.simulator.shop import (
    CI,
    TEST_WORKFLOW,
    log_lines,
    only_run,
    pull,
    run_of,
    shop,
    workflow,
)

pytestmark = pytest.mark.anyio


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
    # 1, 2, 3, 6, 7 for checkout and one script: O01-org-positive.json of ohcaygo/merge-proof (MIT)
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
    # as for execution protections in addendum-live.json of ohcaygo/merge-proof (MIT)
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
