"""The workflow files of the default branch as far as they run what agents push.

A run for a push or a pull request takes the file from the agent's branch. The courier's App may not write workflow
files, so what stands on the default branch is what runs, until somebody grants it that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.local.examination.branch_filters import is_pushed_to, names_under
from app.local.examination.facts import CouldNotRead, Facts
from checks.tampering.workflows.model import Job, Workflow, read_workflow
from checks.workflow_notes import workflow_notes

# Runs for these happen on the pull request's own code, with the rights of the repository:
# https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
ON_PULLS = frozenset({"pull_request", "pull_request_review", "pull_request_review_comment"})


@dataclass(frozen=True, slots=True)
class WorkflowText:
    """`runs_agents_code`: on agents' branches, or because a workflow calls it that does; `started` is the former."""

    workflow: Workflow
    data: bytes
    started: bool
    runs_agents_code: bool

    @property
    def path(self) -> str:
        return self.workflow.path

    def secrets(self) -> Iterator[tuple[str, int | None]]:
        """Names of secrets that it uses, with lines; `checks.workflow_notes.ALL_SECRETS` where it hands all on."""
        for note in workflow_notes(self.path, self.data):
            if note.kind == "secret":
                yield note.text, note.line


def read_workflows(facts: Facts) -> list[WorkflowText]:
    """Those that can be read; `unreadable` lists the others."""
    files = {} if isinstance(facts.workflows, CouldNotRead) else facts.workflows
    read = [(workflow, data) for path, data in files.items() if data and (workflow := read_workflow(path, data))]
    branches = names_under(facts.namespace)
    started = {one.path for one, _ in read if _is_started(one, branches)}
    reached = _with_called({one.path: one for one, _ in read}, started)
    return [WorkflowText(one, data, one.path in started, one.path in reached) for one, data in read]


def unreadable(facts: Facts) -> list[str]:
    files = {} if isinstance(facts.workflows, CouldNotRead) else facts.workflows
    return [path for path, data in files.items() if data is None or read_workflow(path, data) is None]


def raw_job(workflow: Workflow, job: Job) -> Mapping[str, object]:
    """The job as it is written, for keys that the model leaves out."""
    top = workflow.lines.value
    jobs = top.get("jobs") if isinstance(top, dict) else None
    found = jobs.get(job.id) if isinstance(jobs, dict) else None
    return found if isinstance(found, dict) else {}


def _is_started(workflow: Workflow, branches: Sequence[str]) -> bool:
    push = workflow.events.get("push")
    return bool(ON_PULLS & set(workflow.events)) or (push is not None and is_pushed_to(push, branches))


def _with_called(workflows: Mapping[str, Workflow], started: set[str]) -> set[str]:
    waiting, reached = list(started), set(started)
    while waiting:
        jobs = workflows[waiting.pop()].jobs
        called = {job.uses[2:] for job in jobs if job.uses.startswith(("./", "$/"))} & set(workflows)
        waiting += called - reached
        reached |= called
    return reached
