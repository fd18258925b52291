"""What the jobs of counting runs prove: conclusions, raw logs and commands must agree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from checks.finding import Evidence, Finding, Fix, Status, errored, failed, passed, pending
from checks.logs.report import LogReport, Summary
from checks.runs import Job, JobLog
from checks.unread import Unread

# Steps that GitHub names: of commands and actions without a name of their own, and around them.
_GIVEN_NAMES = ("Run ", "Post ", "Pre ", "Set up job", "Complete job", "Initialize containers", "Stop containers")
JOBS, LOGS, COMMANDS, TESTS = "ci.jobs", "ci.logs", "ci.commands", "ci.tests"


def is_named(job: Job, name: str) -> bool:
    """Whether `name` means this job. A matrix adds its values: `test (3.12, linux)`."""
    return job.name == name or (job.name.startswith(f"{name} (") and job.name.endswith(")"))


def conclusion_of(job: Job, required: tuple[str, ...]) -> Finding | None:
    """What is wrong with the job's own conclusion; only `success` is one.

    A skipped job is no success. Where the policy names the jobs that it needs, the skipping of others is no matter.
    """
    if job.status != "completed":
        return pending(JOBS, f"Job `{job.name}` is not finished: {job.status}.", evidence_of(job), fix=_WAIT)
    if job.conclusion == "success":
        return _failed_step(job)
    if job.conclusion == "skipped":
        return _skipped(job, required)
    reason = f"Job `{job.name}` ended as {job.conclusion}."
    return failed(JOBS, reason, evidence_of(job), fix=_RERUN if job.conclusion == "cancelled" else _REPAIR)


def _skipped(job: Job, required: tuple[str, ...]) -> Finding | None:
    if required and not any(is_named(job, name) for name in required):
        return None
    fix = Fix(
        "ask-person", "If it may be skipped, ask a person to name the jobs that are needed in the policy's ci.jobs."
    )
    return failed(JOBS, f"Job `{job.name}` was skipped, which proves nothing.", evidence_of(job), fix=fix)


def _failed_step(job: Job) -> Finding | None:
    bad = next((step for step in job.steps if step.conclusion not in ("success", "skipped", None)), None)
    if bad is None:
        return None
    reason = f"Job `{job.name}` ended as success, but its step {bad.number} `{bad.name}` as {bad.conclusion}."
    return failed(JOBS, reason, evidence_of(job), fix=_REPAIR)


def merged_into(job: Job) -> str | None:
    """The commit that the job's log says the head was merged into."""
    log = read_log(job)
    return log.checked_out[1] if log is not None and log.checked_out is not None else None


def log_of(job: Job, head_sha: str, bases: Collection[str] | None = None, *, partial: bool = False) -> Finding | None:
    """What is wrong with the log of a job that ended as success; None also where no test runner spoke in it.

    `bases` are commits that the head may have been merged into; None: any. `partial`: the job may run no tests.
    """
    if job.log is None:
        return errored(LOGS, f"The log of job `{job.name}` was not read.", evidence_of(job), fix=_WAIT)
    if isinstance(job.log, Unread):
        reason = f"The log of job `{job.name}` could not be read: {job.log.because}."
        return (pending if job.log.offline else errored)(LOGS, reason, evidence_of(job), fix=_WAIT)
    if job.log.checked_out is not None and job.log.checked_out[0] != head_sha:
        reason = f"Job `{job.name}` checked out {job.log.checked_out[0][:12]}, not this head."
        return failed(LOGS, reason, evidence_of(job), fix=_RERUN)
    base = merged_into(job)
    if bases is not None and base is not None and base not in bases:
        reason = f"Job `{job.name}` tested the merge into {base[:12]}, which is not in the target branch's history."
        return failed(LOGS, reason, evidence_of(job), fix=_AGAIN)
    return None if partial and ran_in_part(job.log.report) else _disagreement(job, job.log)


def ran_in_part(report: LogReport) -> bool:
    """Whether a log speaks for no more than that some or all tests were left out: nothing affected, or cached."""
    if report.truncated or not (report.complete or report.runner is None):
        return False
    left_out = [one for one in report.summaries if one.green is False]
    known = {f"line {one.line}: {reason}" for one in left_out for reason in one.reasons}
    red = [reason for reason in report.reasons if reason.startswith("line ")]
    return all(_left_out(one) for one in left_out) and all(reason in known for reason in red)


def _left_out(summary: Summary) -> bool:
    nothing_red = not summary.failed and not summary.errors and not summary.interrupted
    return nothing_red and (summary.cached or not summary.passed)


def _disagreement(job: Job, log: JobLog) -> Finding | None:
    report = log.report
    why = "; ".join(report.reasons[:3]) or "it names no reason"
    if report.green is False:
        reason = f"Job `{job.name}` ended as success, but its log does not: {why}."
        return failed(LOGS, reason, evidence_of(job), fix=_FRESH if _only_cached(report) else _REPAIR)
    if report.green is None and (report.runner is not None or report.truncated):
        reason = f"It cannot be told from the log of job `{job.name}` whether the tests passed: {why}."
        return failed(LOGS, reason, evidence_of(job), fix=_SHOW)
    return None


def _only_cached(report: LogReport) -> bool:
    return ran_in_part(report) and any(one.cached for one in report.summaries)


def read_log(job: Job) -> JobLog | None:
    return job.log if isinstance(job.log, JobLog) else None


def is_proof(job: Job, head_sha: str, *, needs_checkout: bool, partial: bool = False) -> bool:
    """Whether the log shows passing tests, and (on pull_request) the checkout of this head's test merge."""
    log = read_log(job)
    if log is None or not (log.report.green is True or (partial and ran_in_part(log.report))):
        return False
    return log.checked_out[0] == head_sha if log.checked_out is not None else not needs_checkout


def shows(job: Job, command: str) -> bool:
    """Whether the job's log has a heading of exactly this command. A program can print one as well, see `ran`."""
    log = read_log(job)
    return log is not None and plain(command) in {plain(shown) for shown in log.commands}


def ran(job: Job, command: str) -> bool:
    """Whether exactly this command was a step of the job: its log shows it and GitHub's list of steps agrees.

    A step with a name of its own does not tell its command. A heading counts as its only while there are no more
    such headings than such steps; one too many, and something that ran has printed it.
    """
    log = read_log(job)
    if log is None or not shows(job, command):
        return False
    done = [step for step in job.steps if step.conclusion not in (None, "skipped")]
    names = {plain(step.name) for step in done}
    if plain(command) in names or any(plain(step.name) == plain(command) for step in job.steps):
        return plain(command) in names
    headings = [shown for shown in log.commands if plain(shown) not in names]
    return len(headings) <= sum(not step.name.startswith(_GIVEN_NAMES) for step in done)


def plain(command: str) -> str:
    """A command with its blanks evened out. The first line of a longer script is what the log shows."""
    return " ".join(command.removeprefix("Run ").split())


def jobs_there(jobs: tuple[Job, ...], required: tuple[str, ...], *, open_: bool) -> Iterator[Finding]:
    """Required jobs of which no run has one."""
    for name in required:
        if any(is_named(job, name) for job in jobs):
            continue
        if open_:
            yield pending(JOBS, f"The required job `{name}` is not there yet.", fix=_WAIT)
        else:
            reason = f"The required job `{name}` did not run in any workflow that counts."
            yield failed(JOBS, reason, fix=Fix("ask-person", f"Ask a person why no workflow has the job `{name}` now."))


def one_producer(name: str, paths: Iterable[str]) -> Finding | None:
    """A required name must come from one workflow file; a second one could stand in for it."""
    files = sorted(set(paths))
    if len(files) < 2:
        return None
    reason = f"The required job `{name}` is produced by several workflow files: {', '.join(files[:5])}."
    return failed(JOBS, reason, fix=Fix("ask-person", f"Rename the other jobs, so that only one file has `{name}`."))


def commands_shown(jobs: tuple[Job, ...], commands: tuple[str, ...], *, open_: bool) -> Iterator[Finding]:
    """Required commands, each of which must be a step of a successful job."""
    for command in dict.fromkeys(plain(command) for command in commands):
        showing = [job for job in jobs if job.conclusion == "success" and ran(job, command)]
        if showing:
            yield passed(COMMANDS, f"`{command}` ran in job `{showing[0].name}`.", evidence_of(showing[0]))
        elif open_:
            yield pending(COMMANDS, f"`{command}` has not run yet in a job that succeeded.", fix=_WAIT)
        else:
            fix = Fix(
                "ask-person",
                "A workflow of the target branch must run exactly this, in a step without a name of its own; "
                "ask a person to add it.",
            )
            yield failed(COMMANDS, f"`{command}` is not a step of any job that succeeded.", fix=fix)


def tests_passed(
    jobs: tuple[Job, ...], proof: tuple[Job, ...], names: tuple[str, ...], commands: tuple[str, ...], *, open_: bool
) -> Finding:
    """At least one log must show passing tests, in a job that the policy asks for where it asks for any."""
    if commands:
        proof = tuple(job for job in proof if any(ran(job, command) for command in commands))
    elif names:
        proof = tuple(job for job in proof if any(is_named(job, name) for name in names))
    if proof:
        listed = ", ".join(f"`{job.name}` ({_counts(job)})" for job in proof[:5])
        return passed(TESTS, f"Tests passed at this head: {listed}.", *(evidence_of(job) for job in proof[:5]))
    if open_:
        return pending(TESTS, "No log shows passing tests of this head yet.", fix=_WAIT)
    green = next((job for job in jobs if (log := read_log(job)) is not None and log.report.green is True), None)
    if green is None:
        reason = "No log of a required job shows passing tests of a known test runner."
        return failed(TESTS, reason, fix=_SHOW)
    reason = (
        f"Tests passed in job `{green.name}`, but it runs nothing that is required, "
        "or its log does not show that it checked out this head."
    )
    fix = Fix("ask-person", "Ask a person to run the tests in a required job that checks out with actions/checkout.")
    return failed(TESTS, reason, evidence_of(green), fix=fix)


def _counts(job: Job) -> str:
    log = read_log(job)
    if log is None or log.report.green is not True:
        return "only what is affected or not cached, which the policy allows"
    return f"{log.report.passed} passed, {log.report.skipped or 0} skipped"


def evidence_of(job: Job) -> Evidence:
    log = read_log(job)
    line = log.report.summaries[-1].line if log and log.report.summaries else None
    return Evidence(f"job {job.id} `{job.name}`", job.url, None, line, line, log.digest if log else None)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    order = (Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED, Status.SKIPPED)
    return sorted(findings, key=lambda finding: order.index(finding.status))


_WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
_RERUN = Fix("rerun", "Run the job again.")
_AGAIN = Fix("push", "Push a new commit, so that the workflow runs on the merge into the target branch.")
_REPAIR = Fix("push", "Read the job's log, repair the cause and push.")
_FRESH = Fix(
    "ask-person",
    "Let the job run its tests without a cache; or, if cached results are meant to do, ask a person to name it in the "
    "policy's `ci.partial_jobs`.",
)
_SHOW = Fix("push", "Let the job run its tests so that the runner prints its closing summary with counts.")
