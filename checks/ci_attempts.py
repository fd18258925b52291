"""Jobs that were tried until they passed: every attempt of every run on this head is known.

Running again is honest while something outside of the change fails now and then; without a limit it is a way to turn
any unsteady test green.
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.ci_jobs import evidence_of
from checks.ci_runs import CountingRuns, current_jobs, why_not
from checks.finding import Finding, Fix, failed, passed
from checks.runs import Job, WorkflowRun
from checks.workflow_files import bare_path

CHECK = "ci.attempts"
_BAD = ("failure", "timed_out")
_SHOWN = 5


def check(
    chosen: tuple[WorkflowRun, ...], runs: tuple[WorkflowRun, ...], counting: CountingRuns, limit: int
) -> list[Finding]:
    """Finding `ci.attempts` where a job passed after it had failed on the same head; none where no job did.

    `limit` is how many tries a job may need, the one that passed included. Closing and opening a pull request again,
    or another event of the same kind, makes new runs of the same workflow: their failures count alike.
    """
    tries = [(job, before) for run in chosen for job, before in _tried(run, runs, counting)]
    if not tries:
        return []
    listed = ", ".join(f"`{job.name}` at try {len(before) + 1}" for job, before in tries[:_SHOWN])
    at = [evidence_of(job) for _, before in tries[:_SHOWN] for job in before[:_SHOWN]]
    reason = f"Passed only when run again on the same commit: {listed}."
    if max(len(before) + 1 for _, before in tries) > limit:
        return [failed(CHECK, f"{reason} The policy allows {limit} tries.", *at, fix=_REPAIR)]
    return [passed(CHECK, f"{reason} The policy allows {limit} tries.", *at)]


def _tried(
    run: WorkflowRun, runs: tuple[WorkflowRun, ...], counting: CountingRuns
) -> Iterator[tuple[Job, tuple[Job, ...]]]:
    """Jobs of the run that passed, with their failures before that."""
    alike = [each for each in runs if _is_alike(each, run) and why_not(each, counting) is None]
    failures = [(each.id, job) for each in alike for job in each.jobs if job.conclusion in _BAD]
    for job in current_jobs(run):
        before = tuple(
            bad for id_, bad in failures if bad.name == job.name and (id_, bad.attempt) < (run.id, job.attempt)
        )
        if job.conclusion == "success" and before:
            yield job, before


def _is_alike(one: WorkflowRun, other: WorkflowRun) -> bool:
    return (bare_path(one.path), one.event) == (bare_path(other.path), other.event)


_REPAIR = Fix("push", "Repair what fails now and then, and push; a person may raise `ci.attempts` in the policy.")
