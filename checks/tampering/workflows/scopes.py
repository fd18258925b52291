"""The test runs of a workflow's jobs, with all that hides their failure: the script, the step, the job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from checks.tampering.commands.runners import Program
from checks.tampering.commands.runs import CONTINUED, Hidden, Run
from checks.tampering.commands.scope import Scope, script_scope
from checks.tampering.workflows.model import Job, Step, Workflow, shell_of

# Steps that only prepare what other steps run.
_PREPARES = (
    "actions/checkout",
    "actions/setup-",
    "actions/cache",
    "actions/upload-artifact",
    "actions/download-artifact",
)


def workflow_scopes(workflow: Workflow) -> Iterator[Scope]:
    """One scope a job; its body is what its steps run and which actions they use."""
    for job in workflow.jobs:
        runs = tuple(run for step in job.steps for run in step_runs(step, job, workflow))
        yield Scope(job.id, job.line, "\n".join(_body(job)), runs)


def step_runs(step: Step, job: Job, workflow: Workflow) -> Iterator[Run]:
    """The runs in a step's script, with the variables that workflow, job and step set for them."""
    environment = {**workflow.environment, **job.environment, **step.environment}
    outside = _continued(step.continue_on_error) or _continued(job.continue_on_error)
    for run in script_scope("", step.run, step.script_line, shell_of(step, job)).runs:
        yield replace(run, program=_with(run, environment), hidden=run.hidden or outside)


def _with(run: Run, environment: Mapping[str, str]) -> Program:
    return replace(run.program, environment=(*environment.items(), *run.program.environment))


def _continued(value: str) -> Hidden | None:
    """`continue-on-error`, also where an expression decides."""
    return None if value in ("", "false") else Hidden(CONTINUED, f"continue-on-error: {value}"[:300])


def _body(job: Job) -> Iterator[str]:
    if job.uses:
        yield f"uses {job.uses}"
    for step in job.steps:
        if step.run:
            yield step.run
        elif not step.uses.startswith(_PREPARES):
            yield f"uses {step.uses}"
