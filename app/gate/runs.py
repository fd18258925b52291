"""Workflow runs on a commit, read from GitHub: runs, the jobs of every attempt, raw logs, artifacts.

What a completed run says never changes while its `updated_at` is the same, so it is read once and kept in the store;
after that a pull request's state costs no request for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from pydantic import TypeAdapter

from app.gate.gate import Gate
from app.gate.log_process import LOG_LIMIT, parse_logs
from app.gate.names import RepositoryName
from app.github import actions, models, run_models
from app.github.client import GitHubClient
from app.github.errors import NotFound, TooLarge
from app.github.rest_models import Listing
from app.store import ci_runs
from checks.ci_runs import current_jobs
from checks.runs import Artifact, CalledWorkflow, Job, JobLog, Step, WorkflowRun
from checks.unread import Unread

MOST_LOGS = 60  # jobs of one run whose log is read
AT_ONCE = 6  # of them in memory together
# A skipped or cancelled job may have no log at all; its conclusion already is not success.
LOGGED = ("success", "failure", "timed_out")

_RUN: TypeAdapter[WorkflowRun] = TypeAdapter(WorkflowRun)


async def read_runs(
    gate: Gate, client: GitHubClient, repository: RepositoryName, head: models.HeadCommit
) -> tuple[WorkflowRun, ...] | Unread:
    """Every workflow run on `head`. Unread when the list of check suites is cut or a run cannot be read."""
    if not head.complete or head.check_suites is None:
        return Unread("GitHub's list of check suites on this commit is cut")
    listed = [suite for suite in head.check_suites.nodes if suite.workflow_run is not None]
    if not listed:
        return ()
    kept = await _kept(gate, repository.id, listed)
    if len(kept) == len(listed):
        return tuple(kept[_run_id(suite)] for suite in listed)
    runs = await actions.runs_of_head(client, repository.owner, repository.name, head.oid)
    if not runs.complete:
        return Unread("GitHub's list of workflow runs on this commit is cut")
    return tuple(await asyncio.gather(*[_read_run(gate, client, repository, run, kept, listed) for run in runs.items]))


def _run_id(suite: models.CheckSuite) -> int:
    assert suite.workflow_run is not None
    return suite.workflow_run.database_id


async def _kept(gate: Gate, repository_id: int, listed: Sequence[models.CheckSuite]) -> dict[int, WorkflowRun]:
    """Runs in the store that are still as GitHub lists them."""
    done = [(suite, suite.workflow_run) for suite in listed if suite.workflow_run and suite.status == "COMPLETED"]
    found: dict[int, WorkflowRun] = {}
    async with gate.database.transaction() as connection:
        for suite, run in done:
            facts = await ci_runs.unchanged(connection, repository_id, run.database_id, _stamp(run.updated_at))
            kept = None if facts is None else _RUN.validate_python(facts)
            if kept is not None and _is_as_listed(kept, suite):
                found[run.database_id] = kept
    return found


def _is_as_listed(run: WorkflowRun, suite: models.CheckSuite) -> bool:
    """Times have whole seconds, and an attempt can begin and end in one; its conclusion or its jobs are others then."""
    jobs = {job.id for job in run.jobs}
    listed = suite.check_runs.nodes if suite.check_runs else ()
    return (suite.conclusion or "").lower() == run.conclusion and all(each.database_id in jobs for each in listed)


def _stamp(moment: datetime) -> str:
    return moment.isoformat()


async def _read_run(
    gate: Gate,
    client: GitHubClient,
    repository: RepositoryName,
    run: run_models.WorkflowRun,
    kept: dict[int, WorkflowRun],
    listed: Sequence[models.CheckSuite],
) -> WorkflowRun:
    if run.id in kept and kept[run.id].attempt == run.run_attempt:
        return kept[run.id]
    if run.status != "completed":
        suite = next((suite for suite in listed if _run_id(suite) == run.id), None)
        return replace(bare_run(run), jobs=_listed_jobs(suite, run.run_attempt))
    complete = await completed_run(client, repository, run)
    if may_keep(complete):
        row = ci_runs.CiRun(
            repository.id, run.id, run.run_attempt, _stamp(run.updated_at), _RUN.dump_python(complete, mode="json")
        )
        async with gate.database.transaction() as connection:
            await ci_runs.save(connection, row)
    return complete


def may_keep(run: WorkflowRun) -> bool:
    """Something that could not be read now may be readable next time."""
    return not isinstance(run.artifacts, Unread) and not any(isinstance(job.log, Unread) for job in run.jobs)


def bare_run(run: run_models.WorkflowRun) -> WorkflowRun:
    return WorkflowRun(
        run.id,
        run.name or "",
        run.path.partition("@")[0],  # GitHub's documentation shows `path@ref`, its answers the bare path
        run.event,
        run.head_sha,
        run.run_attempt,
        run.status or "unknown",
        run.conclusion,
        run.html_url or None,
        run.head_repository.id if run.head_repository else None,
        run.actor.login if run.actor else None,
        run.run_started_at,
        run.updated_at,
        created_at=run.created_at,
        called=tuple(CalledWorkflow(each.path, each.sha) for each in run.referenced_workflows or ()),
    )


def _listed_jobs(suite: models.CheckSuite | None, attempt: int) -> tuple[Job, ...]:
    """Jobs of a run in progress, from its check runs: names and conclusions are all that is needed to wait."""
    if suite is None or suite.check_runs is None:
        return ()
    return tuple(
        Job(run.database_id, run.name, attempt, run.status.lower(), run.conclusion.lower() if run.conclusion else None)
        for run in suite.check_runs.nodes
    )


async def completed_run(client: GitHubClient, repository: RepositoryName, run: run_models.WorkflowRun) -> WorkflowRun:
    jobs, artifacts = await asyncio.gather(
        actions.jobs(client, repository.owner, repository.name, run.id),
        actions.artifacts(client, repository.owner, repository.name, run.id),
    )
    if not jobs.complete:
        return replace(bare_run(run), artifacts=Unread("GitHub's list of jobs is cut"))
    # A re-run of failed jobs leaves the others, and their logs, in the earlier attempt.
    bare = replace(bare_run(run), jobs=tuple(_job(job, None) for job in jobs.items))
    deciding = {job.id for job in current_jobs(bare)}
    logs = await _logs(client, repository, [job for job in jobs.items if job.id in deciding])
    return replace(
        bare,
        jobs=tuple(_job(job, logs.get(job.id)) for job in jobs.items),
        artifacts=_artifacts(artifacts),
    )


def _artifacts(listing: Listing[run_models.Artifact]) -> tuple[Artifact, ...] | Unread:
    if not listing.complete:
        return Unread("GitHub's list of artifacts is cut")
    return tuple(
        Artifact(each.id, each.name, each.size_in_bytes, each.digest, each.created_at, each.expired)
        for each in listing.items
        if each.created_at is not None
    )


async def _logs(
    client: GitHubClient, repository: RepositoryName, jobs: Sequence[run_models.Job]
) -> dict[int, JobLog | Unread]:
    """The logs of completed jobs, parsed outside this process."""
    wanted = [job for job in jobs if job.conclusion in LOGGED]
    found: dict[int, JobLog | Unread] = {
        job.id: Unread(f"only the logs of the first {MOST_LOGS} jobs are read") for job in wanted[MOST_LOGS:]
    }
    for batch in _batched(wanted[:MOST_LOGS], AT_ONCE):
        found |= await _parsed(client, repository, batch)
    return found


def _batched(jobs: Sequence[run_models.Job], size: int) -> Iterator[Sequence[run_models.Job]]:
    """Slices of at most `size`: hostile logs are large, and all of one slice are in memory together."""
    return (jobs[start : start + size] for start in range(0, len(jobs), size))


async def _parsed(
    client: GitHubClient, repository: RepositoryName, jobs: Sequence[run_models.Job]
) -> dict[int, JobLog | Unread]:
    fetched = await asyncio.gather(*[_log(client, repository, job) for job in jobs])
    logs = {job.id: log for job, log in zip(jobs, fetched, strict=True)}
    bytes_of = {number: log for number, log in logs.items() if isinstance(log, bytes)}
    unread = {number: log for number, log in logs.items() if isinstance(log, Unread)}
    return unread | dict(zip(bytes_of, await parse_logs(list(bytes_of.values())), strict=True))


async def _log(client: GitHubClient, repository: RepositoryName, job: run_models.Job) -> bytes | Unread:
    try:
        return await actions.job_log(client, repository.owner, repository.name, job.id, limit_bytes=LOG_LIMIT)
    except NotFound:
        return Unread("GitHub has no log of this job (not there yet, or expired)")
    except TooLarge as large:
        return Unread(f"the log is longer than {large.limit} bytes")


def _job(job: run_models.Job, log: JobLog | Unread | None) -> Job:
    return Job(
        job.id,
        job.name,
        job.run_attempt,
        job.status,
        job.conclusion,
        job.html_url,
        tuple(
            Step(step.name, step.number, step.status, step.conclusion, step.started_at, step.completed_at)
            for step in job.steps or ()
        ),
        job.labels,
        job.runner_group_name,
        log,
    )
