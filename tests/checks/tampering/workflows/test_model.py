"""Workflow files as jobs and steps. Legs of a matrix are those of the examples in GitHub's documentation."""

from __future__ import annotations

import pytest

from checks.tampering.commands.runs import Shell
from checks.tampering.workflows.model import (
    LARGEST_WORKFLOW,
    MOST_JOBS,
    MOST_STEPS,
    Job,
    Step,
    Workflow,
    is_workflow,
    read_workflow,
    shell_of,
)

PATH = ".github/workflows/ci.yml"
TEXT = """\
name: CI
on:
  pull_request:
    paths: [src/**]
    types: opened
  push:
permissions: read-all
env: {A: 1}
cache-mode: read
defaults:
  run:
    shell: bash
jobs:
  test:
    name: Tests
    if: always()
    runs-on: [self-hosted, linux]
    continue-on-error: true
    permissions: {contents: write}
    env: {B: '2'}
    cache-mode: write
    steps:
      - uses: actions/checkout@v6
        with: {ref: main, fetch-depth: 0}
      - name: Run
        if: success()
        continue-on-error: ${{ x }}
        shell: sh
        env: {C: 3}
        run: |
          pytest
      - run: one line
  call:
    uses: ./.github/workflows/other.yml
    secrets: inherit
"""


def _read(text: str, path: str = PATH) -> Workflow:
    workflow = read_workflow(path, text.encode())
    assert workflow is not None
    return workflow


def _job(text: str) -> Job:
    (job,) = _read(f"jobs:\n  a:\n{text}").jobs
    return job


def _legs(text: str) -> set[str] | None:
    matrix = _job(text).matrix
    return None if matrix is None else set(matrix)


def test_a_workflow() -> None:
    workflow = _read(TEXT)
    assert (workflow.path, workflow.name, workflow.cache_mode) == (PATH, "CI", "read")
    assert workflow.events == {"pull_request": {"paths": ("src/**",), "types": ("opened",)}, "push": {}}
    assert (workflow.permissions, workflow.environment) == ({"*": "read-all"}, {"A": "1"})
    assert (workflow.line_of("on", "push"), workflow.line_of("on", "x"), workflow.line_of("x")) == (6, 2, None)
    test, call = workflow.jobs
    assert (call.id, call.name, call.uses, call.secrets, call.steps, call.matrix) == (
        "call",
        "call",
        "./.github/workflows/other.yml",
        "inherit",
        (),
        frozenset(),
    )
    assert (test.id, test.name, test.line, test.condition, test.continue_on_error) == (
        "test",
        "Tests",
        14,
        "always()",
        "true",
    )
    assert (test.runs_on, test.permissions, test.environment, test.cache_mode, test.shell) == (
        "self-hosted, linux",
        {"contents": "write"},
        {"B": "2"},
        "write",
        "bash",
    )
    assert test.steps == (
        Step("", 23, "", "", "actions/checkout@v6", "", 23, "", {"ref": "main", "fetch-depth": "0"}, {}),
        Step("Run", 25, "success()", "${{ x }}", "", "pytest", 31, "sh", {}, {"C": "3"}),
        Step("", 32, "", "", "", "one line", 32, "", {}, {}),
    )


def test_an_action() -> None:
    workflow = _read(
        "name: A\nruns:\n  using: composite\n  steps:\n    - run: pytest\n      shell: bash\n", "action.yml"
    )
    (job,) = workflow.jobs
    assert (job.id, job.line, job.steps[0].run, job.steps[0].line) == ("runs", 2, "pytest", 5)
    assert _read("runs:\n  using: node24\n  main: a.js\n", "action.yml").jobs == ()


def test_a_job_that_is_called_runs() -> None:
    (job,) = _read("jobs:\n  runs:\n    steps:\n      - run: a\n").jobs
    assert (job.id, job.line, job.steps[0].line) == ("runs", 2, 4)


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("on: push", {"push": {}}),
        ("on: [push, pull_request]", {"push": {}, "pull_request": {}}),
        ("'on': {push: null}", {"push": {}}),
        ("on: {push: {branches: [a, b]}}", {"push": {"branches": ("a", "b")}}),
        ("true: push", {}),
        ("on:", {}),
        ("x: 1", {}),
        ("on: [[push]]", {}),
    ],
)
def test_events(text: str, events: dict[str, dict[str, tuple[str, ...]]]) -> None:
    assert _read(text).events == events


@pytest.mark.parametrize(
    ("strategy", "legs"),
    [
        (
            "{matrix: {version: [10, 12], os: [u, w]}}",
            {"os=u, version=10", "os=u, version=12", "os=w, version=10", "os=w, version=12"},
        ),
        ("{matrix: {os: [u, w], v: [1, 2], exclude: [{os: u, v: 1}]}}", {"os=u, v=2", "os=w, v=1", "os=w, v=2"}),
        ("{matrix: {os: [u, w], v: [1, 2], exclude: [{os: u}]}}", {"os=w, v=1", "os=w, v=2"}),
        ("{matrix: {os: [u], include: [{os: w, v: 3}]}}", {"os=u", "os=w, v=3"}),
        ("{matrix: {include: [{a: 1}, {a: 2}, text]}}", {"a=1", "a=2"}),
        ("{matrix: {node: [{version: 14}, {version: 20, env: x}]}}", {"node=14", "node=20 x"}),
        ("{matrix: {os: []}}", set()),
        ("{fail-fast: false}", set()),
    ],
)
def test_legs(strategy: str, legs: set[str]) -> None:
    assert _legs(f"    strategy: {strategy}\n") == legs


@pytest.mark.parametrize(
    "matrix",
    [
        "${{ fromJSON(needs.a.outputs.b) }}",
        "{os: '${{ fromJSON(x) }}'}",
        "{a: [" + "1," * 257 + "]}",
        "{a: [" + "1," * 20 + "], b: [" + "1," * 20 + "]}",
    ],
)
def test_legs_that_are_not_known(matrix: str) -> None:
    assert _job(f"    strategy:\n      matrix: {matrix}\n").matrix is None


def test_the_largest_matrix() -> None:
    values = ",".join(str(number) for number in range(256))
    assert len(_job(f"    strategy: {{matrix: {{a: [{values}]}}}}\n").matrix or ()) == 256


def test_values_without_end() -> None:
    assert _legs("    strategy: {matrix: {a: [&x [*x]]}}\n") == {"a="}
    assert _job("    runs-on: &x [*x]\n").runs_on == ""
    assert _job("    runs-on: &x {a: *x}\n").runs_on == ""
    many = "    strategy: {matrix: {a: [[" + "x, " * 50 + "]]}}\n"
    assert _legs(many) == {"a=" + " ".join("x" * 20)}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("ubuntu-24.04", "ubuntu-24.04"),
        ("[a, b]", "a, b"),
        ("{group: g, labels: [a, b]}", "g, a, b"),
        ("{group: g, labels: a}", "g, a"),
        ("${{ matrix.os }}", "${{ matrix.os }}"),
    ],
)
def test_runners(value: str, words: str) -> None:
    assert _job(f"    runs-on: {value}\n").runs_on == words


@pytest.mark.parametrize(
    ("step", "job", "shell"),
    [
        ("", "", Shell(errexit=True)),
        ("bash", "", Shell(errexit=True, pipefail=True)),
        ("", "bash", Shell(errexit=True, pipefail=True)),
        ("sh", "bash", Shell(errexit=True)),
        ("pwsh", "", Shell(errexit=True)),
        ("bash {0}", "", Shell()),
        ("bash -e {0}", "", Shell(errexit=True)),
        ("bash --noprofile --norc -eo pipefail {0}", "", Shell(errexit=True, pipefail=True)),
        ("bash --norc -o pipefail {0}", "", Shell(pipefail=True)),
    ],
)
def test_shells(step: str, job: str, shell: Shell) -> None:
    """https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#defaultsrunshell"""
    defaults = f"    defaults: {{run: {{shell: '{job}'}}}}\n" if job else ""
    read = _job(f"{defaults}    steps:\n      - run: a\n        shell: '{step}'\n")
    assert shell_of(read.steps[0], read) == shell


@pytest.mark.parametrize(
    ("path", "workflow"),
    [
        (PATH, True),
        (".github/workflows/a.yaml", True),
        (".github/actions/x/action.yml", True),
        ("action.yaml", True),
        (".github/workflows/sub/a.yml", False),
        ("x/.github/workflows/a.yml", False),
        (".github/workflows/a.txt", False),
        ("my-action.yml", False),
        (".github/workflows/\ud800.yml", True),
    ],
)
def test_names_of_workflow_files(path: str, *, workflow: bool) -> None:
    assert is_workflow(path) is workflow


def test_what_is_not_read() -> None:
    assert read_workflow(PATH, None) is None
    assert read_workflow(PATH, b"[") is None
    assert read_workflow(PATH, b"a: 1\n".ljust(LARGEST_WORKFLOW + 1, b"#")) is None
    assert read_workflow(PATH, b"\xef\xbb\xbfname: x\n".ljust(LARGEST_WORKFLOW, b"#")) is not None


@pytest.mark.parametrize(
    "text", ["", "[]", "text", "jobs: []", "jobs: {a: text}", "jobs: {a: {steps: text}}", "jobs: {a: {steps: [text]}}"]
)
def test_other_shapes(text: str) -> None:
    workflow = _read(text)
    assert [step.run for job in workflow.jobs for step in job.steps] in ([], [""])


def test_bounds_on_jobs_and_steps() -> None:
    assert len(_job("    steps: [" + "a," * MOST_STEPS + "]").steps) == MOST_STEPS
    steps = "x: &s [" + "a," * MOST_STEPS + "]\n"
    jobs = ", ".join(f"a{number}: {{}}" for number in range(MOST_JOBS))
    assert len(_read(f"jobs: {{{jobs}}}\n").jobs) == MOST_JOBS
    for longer in (
        steps + "jobs: {a: {steps: *s}, b: {steps: [a]}}\n",
        steps + "jobs: {a: {steps: *s}}\nruns: {steps: [a]}\n",
        f"jobs: {{{jobs}, b: {{}}}}\n",
    ):
        assert read_workflow(PATH, longer.encode()) is None, "in what is left out anything could stand"
