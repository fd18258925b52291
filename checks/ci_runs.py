"""Which workflow runs on a head count, and how far each of them has come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from checks.finding import Evidence, Finding, Fix, failed, pending
from checks.paths import PathPatterns
from checks.runs import Job, WorkflowRun
from checks.workflow_files import bare_path

CHECK = "ci.runs"


@dataclass(frozen=True, slots=True)
class CountingRuns:
    """What a run must be to count. `shared_with` are pull requests with the same head and another base.

    `bases` are commits that such a run may have merged the head into; None: not asked.
    """

    head_sha: str
    repository_id: int | None
    events: tuple[str, ...]
    workflows: PathPatterns | None
    shared_with: tuple[int, ...] = ()
    base_changed_at: datetime | None = None
    bases: frozenset[str] | None = None


def choose(runs: tuple[WorkflowRun, ...], counting: CountingRuns) -> tuple[WorkflowRun, ...]:
    """The newest counting run of every workflow file and event, in the order of their paths."""
    newest: dict[tuple[str, str], WorkflowRun] = {}
    for run in sorted(runs, key=lambda run: run.id):
        if why_not(run, counting) is None:
            newest[bare_path(run.path), run.event] = run
    return tuple(newest[key] for key in sorted(newest))


def why_not(run: WorkflowRun, counting: CountingRuns) -> str | None:
    """Why this run does not count, or None where it does."""
    if run.head_sha != counting.head_sha:
        return f"ran on {run.head_sha[:12]}"
    if run.event not in counting.events:
        return f"ran on the event {run.event}"
    if counting.workflows is not None and not counting.workflows.matches_exactly(bare_path(run.path)):
        return "is of a workflow file that the policy does not name"
    if run.head_repository_id is None or run.head_repository_id != counting.repository_id:
        return "is not known to have run for this pull request's own repository"
    if run.event != "pull_request":
        return None
    if counting.shared_with:
        return "may have run for another base: " + _others(counting)
    if counting.base_changed_at is not None and (run.created_at is None or run.created_at <= counting.base_changed_at):
        return "began before the base branch was changed"
    return None


def _others(counting: CountingRuns) -> str:
    numbers = ", ".join(f"#{number}" for number in counting.shared_with[:5])
    return f"the same commit is the head of {numbers} too"


def none_counts(runs: tuple[WorkflowRun, ...], counting: CountingRuns, *, awaited: bool) -> Finding:
    """The finding where `choose` gave nothing."""
    others = "; ".join(f"{run.name} {why_not(run, counting)}" for run in runs[:5])
    seen = f" Seen, but not counted: {others}." if others else ""
    if counting.shared_with and any(run.event == "pull_request" for run in runs):
        reason = f"No workflow run counts, because {_others(counting)}."
        fix = Fix("push", "Close the other pull request and push a new commit, so that this head is its alone.")
        return failed(CHECK, reason, fix=fix)
    events = " or ".join(counting.events)
    if awaited:
        return pending(CHECK, f"No workflow run of {events} is there yet on this head.{seen}", fix=WAIT)
    reason = f"No workflow ran on {events} for this head, although there was time enough.{seen}"
    fix = Fix("push", "Look for `[skip ci]` in the commit message, path filters and disabled workflows; push again.")
    return failed(CHECK, reason, fix=fix)


def missing_runs(runs: tuple[WorkflowRun, ...], seen: tuple[int, ...]) -> tuple[Finding, ...]:
    """Runs that the gate saw before on this head and that are gone now."""
    there = {run.id for run in runs}
    return tuple(
        failed(CHECK, f"The workflow run {run} was here before and is gone now.", fix=PUSH)
        for run in seen
        if run not in there
    )


def current_jobs(run: WorkflowRun) -> tuple[Job, ...]:
    """The jobs that decide: of the newest attempt in which each ran.

    A re-run of failed jobs only leaves the others in the earlier attempt. While an attempt is under way, nothing of
    an earlier one counts.
    """
    if run.status != "completed":
        return tuple(job for job in run.jobs if job.attempt == run.attempt)
    newest: dict[str, int] = {}
    for job in run.jobs:
        newest[job.name] = max(job.attempt, newest.get(job.name, 0))
    return tuple(job for job in run.jobs if job.attempt == newest[job.name])


def state_of(run: WorkflowRun) -> Iterator[Finding]:
    """Why this run as a whole is not a success; nothing where it is, or where its jobs say it better."""
    evidence = evidence_of(run)
    if "action_required" in (run.status, run.conclusion):
        reason = f"{run.name} may not start: somebody with write permission must approve it to run."
        yield pending(CHECK, reason, evidence, fix=_CLICK)
    elif run.status == "waiting":
        yield pending(CHECK, f"{run.name} waits for the approval of an environment.", evidence, fix=_CLICK)
    elif run.status != "completed" or run.conclusion is None:
        yield pending(CHECK, f"{run.name} is not finished: {run.status}.", evidence, fix=WAIT)
    elif run.conclusion == "startup_failure" and not run.jobs:
        reason = f"{run.name} did not start: it is not allowed to run here, or its workflow file is broken."
        yield pending(CHECK, reason, evidence, fix=_START)
    elif not run.jobs:
        yield failed(CHECK, f"{run.name} ended without any job.", evidence, fix=PUSH)
    elif run.conclusion != "success" and all(job.conclusion in ("success", "skipped") for job in current_jobs(run)):
        reason = f"{run.name} ended as {run.conclusion}, although none of its jobs says so."
        yield failed(CHECK, reason, evidence, fix=PUSH)


def evidence_of(run: WorkflowRun) -> Evidence:
    return Evidence(f"run {run.id}, attempt {run.attempt}", url=run.url, path=bare_path(run.path), digest=run.head_sha)


WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
PUSH = Fix("rerun", "Run the workflow again, or push a new commit.")
_CLICK = Fix(
    "ask-person",
    "Ask somebody with write permission to approve the workflow run on the pull request's page; "
    "for Copilot's runs an administrator can take that step away.",
)
_START = Fix(
    "ask-person",
    "Ask an administrator to approve the account and the event in the Actions policies, or to look at the run's page.",
)
