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
_ON_AGENTS = ON_PULLS | {"create"}  # a new branch, without a filter


@dataclass(frozen=True, slots=True)
class WorkflowText:
    """`events` are those of the workflows that call it too. `runs_agents_code`: on agents' branches, or because a
    workflow calls it that does; `started` is the former alone."""

    workflow: Workflow
    data: bytes
    events: frozenset[str]
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
    texts = {path: data for path, data in files.items() if data}
    workflows = {path: found for path, data in texts.items() if (found := read_workflow(path, data))}
    own = f"{facts.repository.get('full_name')}/"
    branches = names_under(facts.namespace)
    started = {path for path, one in workflows.items() if _is_started(one, branches)}
    callers = _callers(workflows, own)
    return [
        WorkflowText(
            workflow=one,
            data=texts[path],
            events=frozenset(event for caller in callers[path] for event in workflows[caller].events),
            started=path in started,
            runs_agents_code=bool(callers[path] & started),
        )
        for path, one in workflows.items()
    ]


def unreadable(facts: Facts) -> list[str]:
    files = {} if isinstance(facts.workflows, CouldNotRead) else facts.workflows
    return [path for path, data in files.items() if read_workflow(path, data) is None]


def raw_job(workflow: Workflow, job: Job) -> Mapping[str, object]:
    """The job as it is written, for keys that the model leaves out."""
    top = workflow.lines.value
    jobs = top.get("jobs") if isinstance(top, dict) else None
    found = jobs.get(job.id) if isinstance(jobs, dict) else None
    return found if isinstance(found, dict) else {}


def _is_started(workflow: Workflow, branches: Sequence[str]) -> bool:
    push = workflow.events.get("push")
    return bool(_ON_AGENTS & set(workflow.events)) or (push is not None and is_pushed_to(push, branches))


def _callers(workflows: Mapping[str, Workflow], own: str) -> dict[str, set[str]]:
    """For each workflow itself and all that call it, directly or not."""
    called = {path: set(_calls(one, own)) & set(workflows) for path, one in workflows.items()}
    callers: dict[str, set[str]] = {path: set() for path in workflows}
    for path in workflows:
        waiting = [path]
        while waiting:
            at = waiting.pop()
            if path not in callers[at]:
                callers[at].add(path)
                waiting += called[at]
    return callers


def _calls(workflow: Workflow, own: str) -> Iterator[str]:
    """Paths in the same repository, by `./`, `$/` or its own name."""
    for job in workflow.jobs:
        if job.uses.startswith(("./", "$/")):
            yield job.uses[2:]
        elif job.uses.startswith(own):
            yield job.uses.removeprefix(own).partition("@")[0]
