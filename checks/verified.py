"""Evidence of the level `verified`: separate runs of the policy's commands on the merge result, started by the gate.

A verification counts for a head while the commit that it was merged into is in the target's history, and only for the
order that it was made for: another image, set-up or list of commands proves something else. The gate knows a run by the
id that GitHub answered when it was started; its workflow file is the target branch's own, so the jobs' conclusions and
logs say what the tested code did, and nothing that it printed is believed beyond that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checks import ci_jobs, ci_runs
from checks.finding import Evidence, Finding, Fix, Status, errored, failed, needs_person, passed, pending, skipped
from checks.new_tests import Word, is_too_long, paths_of_new_tests
from checks.runs import Job, Verification, WorkflowRun
from checks.snapshot import Snapshot
from checks.steering import test_infrastructure
from checks.unread import Unread
from checks.workflow_files import bare_path

CHECK = "ci.verifier"
UNCHANGED, RESTORED, NEW_TESTS = "unchanged", "restored", "new-tests"
MOST_REPLACED = 3  # runs that ended without a word about the code may be started again so often
_NO_WORD = ("cancelled", "startup_failure", "action_required", "stale")


@dataclass(frozen=True, slots=True)
class VerifierRequirement:
    """How many runs, of which workflow file, of which commands; `ready` once nothing else stands in the way.

    `order_digest` stands for what a run is told now. `missing_settings` are fields of the policy without which nothing
    can be run. `risk` is the word, for the reasons.
    """

    runs: int
    workflow: str
    order_digest: str
    login: str | None  # the gate's own, as GitHub names the actor of its runs; None: not known
    risk: str
    ready: bool
    missing_settings: tuple[str, ...] = ()
    new_tests: Word = "ignore"  # what it means that they pass on the target branch too


@dataclass(frozen=True, slots=True)
class VerifiedResult:
    """`missing` is how many runs should be started now."""

    findings: tuple[Finding, ...]
    missing: int = 0


def check(snapshot: Snapshot, requirement: VerifierRequirement) -> VerifiedResult:
    """Findings `ci.verifier` about the head's verifications."""
    if isinstance(snapshot.verifications, Unread):
        reason = f"The verifier's runs could not be read: {snapshot.verifications.because}."
        return VerifiedResult((errored(CHECK, reason, fix=ci_runs.WAIT),))
    obstacle = _obstacle(snapshot, requirement)
    if obstacle is not None:
        return VerifiedResult((obstacle,))
    counting = [one for one in snapshot.verifications if _counts(one, snapshot, requirement)]
    void = [(one, why) for one in counting if (why := _void(one, snapshot, requirement)) is not None]
    valid = [one for one in counting if one not in [each for each, _ in void]]
    findings = [finding for one in valid for finding in _findings(one, snapshot, requirement.new_tests)]
    findings += [skipped(CHECK, f"A verifier run does not count: {why}.", *_evidence(one)) for one, why in void]
    lacking = max(0, requirement.runs - len(valid))
    if not lacking or any(finding.status is Status.FAILED for finding in findings):
        return VerifiedResult(tuple(findings))
    if len(void) > MOST_REPLACED:
        reason = f"{len(void)} verifier runs ended without a word about the code; the gate starts no more on this head."
        return VerifiedResult((*findings, pending(CHECK, reason, fix=_LOOK)))
    runs = "a separate verifier run" if lacking == 1 else f"{lacking} separate verifier runs"
    if not requirement.ready:
        reason = f"{requirement.risk.capitalize()} risk needs {runs}; started once nothing else is open or wrong."
        return VerifiedResult((*findings, pending(CHECK, reason, fix=_OTHERS)))
    reason = f"{requirement.risk.capitalize()} risk needs {runs}; started now."
    return VerifiedResult((*findings, pending(CHECK, reason, fix=ci_runs.WAIT)), lacking)


def _obstacle(snapshot: Snapshot, requirement: VerifierRequirement) -> Finding | None:
    """What must be there before any verification can run."""
    needs = f"{requirement.risk.capitalize()} risk needs a separate verifier run"
    if snapshot.number is None:
        fix = Fix("open-pull-request", "Open a pull request; the gate starts the run there.")
        return pending(CHECK, f"{needs}, which only the gate starts.", fix=fix)
    if isinstance(snapshot.workflows, Unread):
        return errored(CHECK, f"The workflow files could not be read: {snapshot.workflows.because}.", fix=ci_runs.WAIT)
    if requirement.missing_settings:
        settings = " and ".join(f"`{name}`" for name in requirement.missing_settings)
        text = f"Ask a person to set {settings} in the policy, or `requirements.{requirement.risk}.evidence` to `ci`."
        return pending(CHECK, f"{needs}, but the policy does not say what it runs.", fix=Fix("ask-person", text))
    if not any(file.path == requirement.workflow and file.target_oid for file in snapshot.workflows):
        reason = f"{needs}, but its workflow file {requirement.workflow} is not on the target branch."
        return pending(CHECK, reason, fix=_INSTALL)
    return None


def _counts(one: Verification, snapshot: Snapshot, requirement: VerifierRequirement) -> bool:
    """Whether it tested what would land, in the way that is asked for."""
    return one.order_digest == requirement.order_digest and _is_in_history(one.target_sha, snapshot)


def _is_in_history(sha: str, snapshot: Snapshot) -> bool:
    return sha == snapshot.target_sha or sha in snapshot.tested_bases


def _void(one: Verification, snapshot: Snapshot, requirement: VerifierRequirement) -> str | None:
    """Why the run says nothing about the code, or is not the gate's own; None where it does or is still open."""
    run = one.run
    if run is None or isinstance(run, Unread):
        return None
    if (run.event, bare_path(run.path)) != ("workflow_dispatch", requirement.workflow):
        return f"it is a run of {bare_path(run.path)} on {run.event}"
    if requirement.login is None or run.actor != requirement.login:
        return f"it was started by {run.actor or 'nobody known'}, not by the gate"
    if run.attempt != 1:
        return "somebody ran it again"
    if not _is_in_history(run.head_sha, snapshot):
        return f"its workflow file is of {run.head_sha[:12]}, which the target branch does not hold"
    if run.status == "completed" and (run.conclusion in _NO_WORD or not run.jobs):
        return f"it ended as {run.conclusion}"
    return None


def _findings(one: Verification, snapshot: Snapshot, word: Word) -> Iterator[Finding]:
    run = one.run
    if isinstance(run, Unread):
        yield errored(CHECK, f"A verifier run could not be read: {run.because}.", fix=ci_runs.WAIT)
    elif run is None or run.status != "completed":
        yield pending(CHECK, "A separate verifier run is under way.", *_evidence(one), fix=ci_runs.WAIT)
    else:
        yield _unchanged(run, snapshot)
        if one.restored:
            yield _restored(run, one, snapshot)
        elif is_too_long(paths := test_infrastructure(snapshot.merge_diff)):
            reason = f"{len(paths)} changed paths of test infrastructure are too many to be tried as they were before."
            yield needs_person(CHECK, reason, fix=_JUDGE)
        if one.new_tests:
            yield _new_tests(run, word)
        elif word != "ignore" and is_too_long(paths := paths_of_new_tests(snapshot)):
            yield _doubted(word, f"{len(paths)} changed paths of tests are too many to be tried on the target branch.")


def _evidence(one: Verification) -> tuple[Evidence, ...]:
    return (ci_runs.evidence_of(one.run),) if isinstance(one.run, WorkflowRun) else ()


def _unchanged(run: WorkflowRun, snapshot: Snapshot) -> Finding:
    job = _job(run, UNCHANGED)
    problem = _problem(job, snapshot)
    if problem is not None:
        return problem
    reason = "The required commands succeeded on the merge result in a separate verifier run."
    return passed(CHECK, reason, ci_runs.evidence_of(run))


def _problem(job: Job | None, snapshot: Snapshot) -> Finding | None:
    """What is wrong with a job of a completed run whose commands should have succeeded and tested something."""
    if job is None:
        return failed(CHECK, "A job of the verifier run is missing.", fix=_LOOK)
    evidence = ci_jobs.evidence_of(job)
    if job.conclusion != "success":
        reason = f"The separate verifier run's job `{job.name}` ended as {job.conclusion}."
        return failed(CHECK, reason, evidence, fix=_REPAIR)
    doubt = ci_jobs.log_of(job, snapshot.head.sha)
    if doubt is not None:
        return Finding(CHECK, doubt.status, doubt.reason, doubt.evidence, doubt.fix)
    log = ci_jobs.read_log(job)
    if log is None or log.report.green is not True:
        reason = f"The log of the verifier's job `{job.name}` shows no passing tests."
        return failed(CHECK, reason, evidence, fix=_SHOW)
    return None


def _restored(run: WorkflowRun, one: Verification, snapshot: Snapshot) -> Finding:
    """An honest change of test infrastructure can need it, so only a person can judge a difference."""
    problem = _problem(_job(run, RESTORED), snapshot)
    if problem is None:
        reason = "The required commands succeed with the target branch's test infrastructure too."
        return passed(CHECK, reason, ci_runs.evidence_of(run))
    if problem.status is not Status.FAILED:
        return problem
    paths = ", ".join(one.restored[:5])
    reason = f"With the target branch's own {paths} the required commands do not succeed."
    return needs_person(CHECK, reason, *problem.evidence, fix=_JUDGE)


def _new_tests(run: WorkflowRun, word: Word) -> Finding:
    """There the commands must fail, and by failing tests."""
    job = _job(run, NEW_TESTS)
    log = None if job is None else ci_jobs.read_log(job)
    red = log is not None and bool((log.report.failed or 0) + (log.report.errors or 0))
    if job is not None and job.conclusion == "success" and red:
        return passed(CHECK, "The new tests fail on the target branch, as they should.", ci_jobs.evidence_of(job))
    reason = "The new tests do not fail on the target branch, so they do not show what this change is for."
    return _doubted(word, reason, *(() if job is None else (ci_jobs.evidence_of(job),)))


def _doubted(word: Word, reason: str, *evidence: Evidence) -> Finding:
    if word == "refuse":
        return failed(CHECK, reason, *evidence, fix=_TEST_IT)
    return needs_person(CHECK, reason, *evidence, fix=_JUDGE)


def _job(run: WorkflowRun, name: str) -> Job | None:
    return next((job for job in ci_runs.current_jobs(run) if job.name == name), None)


_OTHERS = Fix("wait", "Settle the other findings first; the gate starts it by itself then.")
_LOOK = Fix("ask-person", "Ask a person to look at the verifier's runs and their settings, then push a new commit.")
_INSTALL = Fix(
    "ask-person",
    "Ask a person to run `mergegate setup-ci OWNER/REPO`, or to copy the file there and to the default branch.",
)
_REPAIR = Fix("push", "Repair what fails there and push; the gate verifies the new head.")
_SHOW = Fix("ask-person", "Ask a person to let a command of `ci.commands` run tests that print their summary.")
_TEST_IT = Fix("push", "Add a test that fails without this change, by a runner that prints its summary.")
_JUDGE = Fix("ask-person", "A person looks at it and approves if it is right.")
