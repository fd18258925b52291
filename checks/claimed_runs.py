"""What the bundle says about runs, jobs and logs: its commands and its pointers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from checks.bundle import Bundle
from checks.bundle_schema import Command, Pointer
from checks.ci_jobs import plain, read_log, shows
from checks.ci_runs import current_jobs
from checks.finding import Evidence, Finding, Fix, errored, failed, passed, pending, skipped
from checks.runs import Artifact, Job, WorkflowRun
from checks.snapshot import Snapshot
from checks.unread import Unread


def commands(snapshot: Snapshot, bundle: Bundle) -> Iterator[Finding]:
    """Finding `claims.commands`: what ran in CI must be shown by the raw logs of this head, with the same outcome."""
    in_ci = [command for command in bundle.commands or () if command.where == "ci"]
    if not in_ci:
        if bundle.commands:
            yield skipped("claims.commands", "All commands of the bundle ran locally, which is never evidence.")
        return
    if isinstance(snapshot.runs, Unread):
        yield not_compared("claims.commands", "workflow runs", snapshot.runs)
        return
    wrong = [found for command in in_ci if (found := _command(command, snapshot.runs)) is not None]
    yield from wrong or [passed("claims.commands", f"The raw logs show all {len(in_ci)} commands as the bundle does.")]


def stale(snapshot: Snapshot, bundle: Bundle) -> Iterator[Finding]:
    """Finding `claims.stale`: commands that ran on other files than this head's, or before it was committed.

    A command is commonly run before its files are committed, so where its tree is named the time says nothing.
    """
    for command in bundle.commands or ():
        shown = f"`{plain(command.command)}`"
        if command.tree is not None and snapshot.head.tree not in (None, command.tree):
            reason = f"The bundle's {shown} ran on the tree {command.tree[:12]}, which is not this head's."
            yield failed("claims.stale", reason, fix=_RUN_AGAIN)
        elif command.tree is None and _is_older(command, snapshot.head.committed_at):
            reason = f"The bundle's {shown} ran at {command.started_at}, before this head was committed."
            yield failed("claims.stale", reason, fix=_RUN_AGAIN)


def _is_older(command: Command, committed_at: datetime | None) -> bool:
    if command.started_at is None or committed_at is None:
        return False
    return datetime.fromisoformat(command.started_at) < committed_at


def _command(command: Command, runs: tuple[WorkflowRun, ...]) -> Finding | None:
    shown = f"`{plain(command.command)}`"
    jobs = [job for run in runs for job in current_jobs(run) if _is_meant(command, run, job)]
    showing = [job for job in jobs if shows(job, command.command)]
    if not showing:
        return _not_shown(shown, jobs, runs)
    succeeded = [_succeeded(job, command.command) for job in showing]
    if None in succeeded:
        return pending("claims.commands", f"A job that runs {shown} is not finished.", fix=WAIT)
    if all(outcome is (command.exit_code == 0) for outcome in succeeded):
        return None
    job = next(job for job, outcome in zip(showing, succeeded, strict=True) if outcome is not (command.exit_code == 0))
    reason = f"The bundle says that {shown} ended with {command.exit_code}, but in job `{job.name}` it did not."
    return failed("claims.commands", reason, _evidence(job), fix=TRUE_CODE)


def _is_meant(command: Command, run: WorkflowRun, job: Job) -> bool:
    pointer = command.evidence or Pointer.model_construct()
    return pointer.run in (None, run.id) and pointer.job in (None, job.id)


def _succeeded(job: Job, command: str) -> bool | None:
    """Whether the command's own step succeeded, else the job; None while that is open."""
    step = next((step for step in job.steps if plain(step.name) == plain(command)), None)
    conclusion = job.conclusion if step is None or step.conclusion is None else step.conclusion
    return None if conclusion is None else conclusion == "success"


def _not_shown(shown: str, jobs: list[Job], runs: tuple[WorkflowRun, ...]) -> Finding:
    reason = f"The bundle says that {shown} ran in CI, but no raw log of this head shows it"
    if not runs or any(run.status != "completed" for run in runs):
        return pending("claims.commands", f"{reason} yet.", fix=WAIT)
    blind = next((job for job in jobs if read_log(job) is None and job.conclusion != "skipped"), None)
    if blind is not None:
        unread = blind.log if isinstance(blind.log, Unread) else Unread("it was not read")
        return not_compared("claims.commands", f"log of job `{blind.name}`", unread)
    fix = Fix("correct-bundle", "Give the command exactly as the workflow runs it, or say `where: local`.", "commands")
    return failed("claims.commands", f"{reason}.", fix=fix)


def pointers(snapshot: Snapshot, bundle: Bundle) -> Iterator[Finding]:
    """Finding `claims.evidence`: runs, jobs and artifacts that are pointed to must belong to this head."""
    given = [*(bundle.evidence or ())]
    given += [command.evidence for command in bundle.commands or () if command.evidence is not None]
    if not given:
        return
    if isinstance(snapshot.runs, Unread):
        yield not_compared("claims.evidence", "workflow runs", snapshot.runs)
        return
    wrong = [found for pointer in given if (found := _pointer(pointer, snapshot.runs)) is not None]
    yield from wrong or [passed("claims.evidence", f"All {len(given)} pointers lead to runs of this head.")]


def _pointer(pointer: Pointer, runs: tuple[WorkflowRun, ...]) -> Finding | None:
    within = [run for run in runs if pointer.run in (None, run.id)]
    if not within:
        return _strange(f"Run {pointer.run} is no workflow run on this head.")
    if pointer.job is not None:
        job = next((job for run in within for job in run.jobs if job.id == pointer.job), None)
        if job is None:
            return _strange(f"Job {pointer.job} belongs to no workflow run on this head that the bundle names.")
        if pointer.artifact is None:
            return _same_log(pointer, job)
    return None if pointer.artifact is None else _artifact(pointer, within)


def _same_log(pointer: Pointer, job: Job) -> Finding | None:
    if pointer.digest is None:
        return None
    log = read_log(job)
    if log is None:
        because = job.log.because if isinstance(job.log, Unread) else "it is not there yet"
        return errored("claims.evidence", f"The log of job {job.id} could not be compared: {because}.", fix=WAIT)
    return None if log.digest == pointer.digest else _strange(f"The log of job {job.id} has the digest {log.digest}.")


def _artifact(pointer: Pointer, runs: Iterable[WorkflowRun]) -> Finding | None:
    found: Artifact | None = None
    for run in runs:
        if isinstance(run.artifacts, Unread):
            return not_compared("claims.evidence", "artifacts", run.artifacts)
        found = next((one for one in run.artifacts if one.id == pointer.artifact), found)
    if found is None:
        return _strange(f"Artifact {pointer.artifact} belongs to no workflow run on this head that the bundle names.")
    if found.expired:
        return _strange(f"Artifact {pointer.artifact} has expired and cannot be looked at any more.")
    if pointer.digest is not None and pointer.digest != found.digest:
        return _strange(f"Artifact {pointer.artifact} has the digest {found.digest}.")
    return None


def _strange(reason: str) -> Finding:
    fix = Fix("correct-bundle", "Point to runs, jobs and artifacts of this head, or leave the pointer out.", "evidence")
    return failed("claims.evidence", reason, fix=fix)


def not_compared(check: str, what: str, unread: Unread) -> Finding:
    """The finding where the facts could not be read."""
    reason = f"The {what} could not be compared with the bundle: {unread.because}."
    if unread.offline:
        return pending(check, reason, fix=Fix("open-pull-request", "Open a pull request; only GitHub knows them."))
    return errored(check, reason, fix=WAIT)


def _evidence(job: Job) -> Evidence:
    log = read_log(job)
    return Evidence(f"job {job.id} `{job.name}`", url=job.url, digest=log.digest if log else None)


_RUN_AGAIN = Fix("correct-bundle", "Run it again on this head and give what it did then.", "commands")
WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
TRUE_CODE = Fix(
    "correct-bundle", "Give the exit codes that the raw logs show, or repair the cause and push.", "commands"
)
