"""What a trusted workflow file says about the worth of its runs: which failures it hides, which secrets and outside
variables it uses.

The text itself is not carried along: a judgement needs these places only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import re2

from checks.runs import WorkflowNote
from checks.tampering.workflows.model import Workflow, read_workflow
from checks.tampering.workflows.smells import hidden_runs, smells

MOST_NOTES = 100  # of one file
ALL_SECRETS = "all of them"
_WORKFLOWS = ".github/workflows/"

# https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#secrets-context
_EXPRESSION = re2.compile(rb"(?s)\$\{\{(.*?)\}\}")
_SECRET = re2.compile(rb"(?i)\bsecrets\s*\.\s*([a-z_][a-z0-9_-]{0,99})|\bsecrets\s*[\[)]")


def workflow_notes(path: str, data: bytes) -> tuple[WorkflowNote, ...]:
    """The notes on the workflow file `path`; none where it cannot be read, which others say."""
    workflow = read_workflow(path, data)
    if workflow is None:
        return ()
    notes = (*_hidden(workflow), *_secrets(workflow, data), *_variables(workflow))
    return tuple(islice(dict.fromkeys(notes), MOST_NOTES))


def _hidden(workflow: Workflow) -> Iterator[WorkflowNote]:
    for smell in hidden_runs(workflow):
        yield WorkflowNote("hidden-failure", _job_at(workflow, smell.line), smell.line, smell.text)


def _variables(workflow: Workflow) -> Iterator[WorkflowNote]:
    for smell in smells(workflow):
        if smell.kind == "outside-variable":
            yield WorkflowNote("variable", _job_at(workflow, smell.line), smell.line, smell.text)


def _secrets(workflow: Workflow, data: bytes) -> Iterator[WorkflowNote]:
    """Secrets reach a job only by name: in an expression, or handed on as a whole to a workflow that is called."""
    for expression in _EXPRESSION.finditer(data):
        line = data.count(b"\n", 0, expression.start()) + 1
        start = data.rfind(b"\n", 0, expression.start()) + 1
        if data[start : expression.start()].lstrip().startswith(b"#"):
            continue
        for secret in _SECRET.finditer(expression.group(1)):
            name = (secret.group(1) or ALL_SECRETS.encode()).decode()
            if name.upper() != "GITHUB_TOKEN":
                yield WorkflowNote("secret", _job_at(workflow, line), line, name)
    for job in workflow.jobs:
        if job.secrets == "inherit":
            yield WorkflowNote("secret", job.name, job.line, ALL_SECRETS)


def _job_at(workflow: Workflow, line: int | None) -> str:
    """The job that stands at this line; empty where everything is for all jobs: before the first, and in an action."""
    jobs = workflow.jobs if workflow.path.startswith(_WORKFLOWS) else ()
    above = [job for job in jobs if line is not None and job.line <= line]
    return max(above, key=lambda job: job.line).name if above else ""
