"""Workflow files: from YAML text to the definition of jobs and steps.

Syntax: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import yaml

DEFAULT_TIMEOUT_MINUTES = 360.0  # documented default of jobs.<id>.timeout-minutes
MAXIMUM_MATRIX_JOBS = 256
MAXIMUM_BYTES = 512 * 1024
_ROOT_KEYS = {"concurrency", "defaults", "env", "jobs", "name", "on", "permissions", "run-name"}
_JOB_KEYS = {
    "concurrency", "container", "continue-on-error", "defaults", "env", "environment", "if", "name", "needs", "outputs",
    "permissions", "runs-on", "secrets", "services", "steps", "strategy", "timeout-minutes", "uses", "with",
}  # fmt: skip
_STEP_KEYS = {
    "continue-on-error", "env", "id", "if", "name", "run", "shell", "timeout-minutes", "uses", "with",
    "working-directory",
}  # fmt: skip
_NOT_SIMULATED = ("container", "services")


class InvalidWorkflowError(Exception):
    """The file is not a workflow; GitHub shows such a run as `startup_failure` without jobs."""


class _Loader(yaml.SafeLoader):
    """YAML as GitHub reads it: `on`, `yes` and `no` are text, only true and false are booleans."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool" or letter in "tTfF"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True)
class StepDefinition:
    name: str
    run: str | None = None
    uses: str | None = None
    with_inputs: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    condition: str | None = None
    shell: str | None = None
    working_directory: str | None = None
    continue_on_error: bool = False
    timeout_minutes: float | None = None


@dataclass(frozen=True)
class JobDefinition:
    id: str
    name: str | None
    steps: tuple[StepDefinition, ...]
    needs: tuple[str, ...] = ()
    condition: str | None = None
    runs_on: tuple[str, ...] = ("ubuntu-latest",)
    env: dict[str, str] = field(default_factory=dict)
    matrix: tuple[dict[str, Any], ...] = ({},)
    continue_on_error: bool = False
    timeout_minutes: float = DEFAULT_TIMEOUT_MINUTES
    fail_fast: bool = True  # the first failed row of a matrix ends the others
    refused: str | None = None  # why the runner will not take the job
    permissions: object = None  # as the file has them, the job's or else the workflow's


@dataclass(frozen=True)
class WorkflowFile:
    name: str | None
    on: dict[str, dict[str, Any]]  # event -> its filters
    jobs: tuple[JobDefinition, ...]
    env: dict[str, str] = field(default_factory=dict)
    run_name: str | None = None


def parse(text: bytes) -> WorkflowFile:
    """Read a workflow file.

    Raises InvalidWorkflowError with a reason when it is not YAML, not a mapping, or lacks `on` or `jobs`.
    """
    if len(text) > MAXIMUM_BYTES:
        raise InvalidWorkflowError(f"The workflow file has {len(text)} bytes, at most {MAXIMUM_BYTES} are allowed")
    try:
        data = yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidWorkflowError(f"You have an error in your yaml syntax: {error}") from error
    root = _mapping(data, "the workflow")
    _check_keys(root, _ROOT_KEYS, "the workflow")
    if "on" not in root:
        raise InvalidWorkflowError("No event triggers defined in `on`")
    jobs = _mapping(root.get("jobs"), "jobs")
    defaults = _run_defaults(root)
    inherited = root.get("permissions")
    parsed = tuple(_job(name, _mapping(job, f"jobs.{name}"), defaults, inherited) for name, job in jobs.items())
    _check_needs(parsed)
    return WorkflowFile(
        name=_optional_text(root, "name"),
        on=_triggers(root["on"]),
        jobs=parsed,
        env=_texts(root.get("env")),
        run_name=_optional_text(root, "run-name"),
    )


def _check_keys(mapping: dict[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(mapping) - known)
    if unknown:
        raise InvalidWorkflowError(f"Unexpected value '{unknown[0]}' in {where}")


def _optional_text(mapping: dict[str, Any], key: str) -> str | None:
    return None if mapping.get(key) is None else _text(mapping[key])


def _mapping(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not value:
        raise InvalidWorkflowError(f"Expected a mapping with at least one key at {where}")
    return {str(key): item for key, item in value.items()}


def _texts(value: object) -> dict[str, str]:
    return {} if value is None else {key: _text(item) for key, item in _mapping(value, "env").items()}


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _names(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(str(item) for item in value) if isinstance(value, list) else (str(value),)


def _triggers(value: object) -> dict[str, dict[str, Any]]:
    if isinstance(value, str | list):
        return {name: {} for name in _names(value)}
    events = _mapping(value, "on")
    return {name: filters if isinstance(filters, dict) else {} for name, filters in events.items()}


def _run_defaults(owner: dict[str, Any]) -> dict[str, Any]:
    defaults = owner.get("defaults")
    run = defaults.get("run") if isinstance(defaults, dict) else None
    return run if isinstance(run, dict) else {}


def _job(name: str, job: dict[str, Any], defaults: dict[str, Any], permissions: object) -> JobDefinition:
    _check_keys(job, _JOB_KEYS, f"jobs.{name}")
    if "steps" not in job and "uses" not in job:
        raise InvalidWorkflowError(f"jobs.{name} needs `steps` or `uses`")
    if "uses" not in job and "runs-on" not in job:
        raise InvalidWorkflowError(f"Required property is missing: runs-on (jobs.{name})")
    steps = job.get("steps", [])
    if not isinstance(steps, list):
        raise InvalidWorkflowError(f"jobs.{name}.steps must be a list")
    shared = defaults | _run_defaults(job)
    return JobDefinition(
        id=name,
        name=_optional_text(job, "name"),
        steps=tuple(_step(_mapping(step, f"jobs.{name}.steps"), shared) for step in steps),
        needs=_names(job.get("needs")),
        condition=_optional_text(job, "if"),
        runs_on=_names(job.get("runs-on")),
        env=_texts(job.get("env")),
        matrix=_matrix(job),
        continue_on_error=job.get("continue-on-error") is True,
        timeout_minutes=_minutes(job.get("timeout-minutes"), DEFAULT_TIMEOUT_MINUTES),
        fail_fast=(job.get("strategy") or {}).get("fail-fast") is not False,
        refused=_refusal(job),
        permissions=job.get("permissions", permissions),
    )


def _refusal(job: dict[str, Any]) -> str | None:
    if "uses" in job:
        return f"Reusable workflows are not simulated: {job['uses']}"
    found = [key for key in _NOT_SIMULATED if key in job]
    return f"`{found[0]}` is not simulated" if found else None


def _step(step: dict[str, Any], defaults: dict[str, Any]) -> StepDefinition:
    _check_keys(step, _STEP_KEYS, "a step")
    run, uses = step.get("run"), step.get("uses")
    if (run is None) == (uses is None):
        raise InvalidWorkflowError("Each step needs exactly one of `run` and `uses`")
    first_line = str(run if run is not None else uses).strip().split("\n", 1)[0]
    shell, folder = (step.get(key, defaults.get(key)) for key in ("shell", "working-directory"))
    return StepDefinition(
        name=str(step.get("name") or f"Run {first_line}"),
        run=None if run is None else str(run),
        uses=None if uses is None else str(uses),
        with_inputs=_texts(step.get("with")),
        env=_texts(step.get("env")),
        condition=_optional_text(step, "if"),
        shell=None if shell is None else str(shell),
        working_directory=None if folder is None else str(folder),
        continue_on_error=step.get("continue-on-error") is True,
        timeout_minutes=None if "timeout-minutes" not in step else _minutes(step["timeout-minutes"], 0),
    )


def _minutes(value: object, default: float) -> float:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise InvalidWorkflowError(f"timeout-minutes must be a positive number, not {value!r}")
    return float(value)


def _matrix(job: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    strategy = job.get("strategy")
    matrix = strategy.get("matrix") if isinstance(strategy, dict) else None
    if matrix is None:
        return ({},)
    axes = _mapping(matrix, "strategy.matrix")
    for axis, values in axes.items():
        if axis in {"include", "exclude"} or not isinstance(values, list) or not values:
            raise InvalidWorkflowError(f"strategy.matrix.{axis}: only plain lists are simulated")
    rows = [dict(zip(axes, row, strict=True)) for row in itertools.product(*axes.values())]
    if len(rows) > MAXIMUM_MATRIX_JOBS:
        raise InvalidWorkflowError(f"The matrix makes {len(rows)} jobs, at most {MAXIMUM_MATRIX_JOBS} are allowed")
    return tuple(rows)


def _check_needs(jobs: tuple[JobDefinition, ...]) -> None:
    done: set[str] = set()
    waiting = list(jobs)
    while waiting:
        ready = [job for job in waiting if set(job.needs) <= done]
        if not ready:
            names = ", ".join(job.id for job in waiting)
            raise InvalidWorkflowError(f"`needs` names an unknown job or makes a circle (jobs {names})")
        done.update(job.id for job in ready)
        waiting = [job for job in waiting if job.id not in done]
