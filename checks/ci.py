"""Evidence of the level `ci`: what the workflows' own runs on this head prove.

Three witnesses must agree: the conclusions of the jobs, the raw logs, and the structured reports where there are any.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from checks import ci_attempts, ci_jobs, ci_runs, ci_trust, other_ci, witnesses
from checks.ci_runs import CountingRuns
from checks.ci_trust import TrustRule
from checks.documentation import is_documentation_only
from checks.finding import Finding, Fix, Status, errored, failed, passed, pending, skipped
from checks.group_snapshot import GroupSnapshot
from checks.other_ci import Judged, OtherCiResult, Witness
from checks.paths import PathPatterns
from checks.runs import Job, WorkflowFile, WorkflowRun
from checks.snapshot import Risk, Snapshot
from checks.unread import Unread
from checks.witnesses import ReportRule
from checks.workflow_files import CHECK as FILES
from checks.workflow_files import bare_path, check_file


@dataclass(frozen=True, slots=True)
class CiRequirement:
    """Which runs count and what they must have done.

    `workflows` None: every workflow file. `jobs` are names of jobs that must have succeeded (`test` also stands for
    its matrix legs `test (…)`); `commands` must have run exactly so; those of the ticket are added by the check.
    `wait` is how long after the head was first seen what is missing is still awaited; GitHub makes its runs in seconds.
    `partial` are names of jobs that may run only what is affected or not cached. A change of nothing but
    `documentation` needs no run. `others` are other CI systems, which suffice for low risk. `attempts` is how many
    tries a job may need on one head.
    """

    workflows: PathPatterns | None = None
    jobs: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    allow_push: bool = False
    wait: timedelta = timedelta(minutes=5)
    reports: ReportRule = field(default_factory=ReportRule)
    partial: tuple[str, ...] = ()
    documentation: PathPatterns | None = None
    others: tuple[Witness, ...] = ()
    trust: TrustRule = field(default_factory=TrustRule)
    attempts: int = 3

    @property
    def events(self) -> tuple[str, ...]:
        """Those whose runs on a pull request's head count."""
        return ("pull_request", "push") if self.allow_push else ("pull_request",)


@dataclass(frozen=True, slots=True)
class CiResult:
    """`jobs` are those whose conclusion and log agree on success, for what is shown and compared afterwards.

    `runs` are those that count.
    """

    findings: tuple[Finding, ...]
    jobs: tuple[Job, ...]
    runs: tuple[WorkflowRun, ...] = ()


@dataclass(frozen=True, slots=True)
class _Case:
    runs: tuple[WorkflowRun, ...] | Unread
    workflows: tuple[WorkflowFile, ...] | Unread
    counting: CountingRuns
    jobs: tuple[str, ...]
    commands: tuple[str, ...]
    awaited: bool
    requirement: CiRequirement
    level: Risk
    others: OtherCiResult
    trust: TrustRule
    repository: str  # full name
    documentation: bool = False
    seen_runs: tuple[int, ...] = ()
    accepted: Collection[str] = ()

    def is_partial(self, job: Job) -> bool:
        return any(ci_jobs.is_named(job, name) for name in self.requirement.partial)


def check(snapshot: Snapshot, requirement: CiRequirement, level: Risk = Risk.CRITICAL) -> CiResult:
    """Findings `ci.*` about a pull request's head; `level` is the change's risk."""
    head = snapshot.head
    commands = requirement.commands + (snapshot.ticket.verification_commands if snapshot.ticket else ())
    documentation = is_documentation_only(snapshot, requirement.documentation)
    awaited = _is_awaited(snapshot.head_seen_at, snapshot.observed_at, requirement)
    return _judge(
        _Case(
            runs=snapshot.runs,
            workflows=snapshot.workflows,
            counting=CountingRuns(
                head.sha,
                head.repository_id,
                requirement.events,
                requirement.workflows,
                snapshot.shared_head,
                snapshot.base_changed_at,
                snapshot.tested_bases | {snapshot.target_sha},
            ),
            jobs=() if documentation else requirement.jobs,
            commands=() if documentation else commands,
            awaited=awaited,
            requirement=requirement,
            level=level,
            others=other_ci.check(
                snapshot.check_runs, requirement.others, Judged(head.sha, level, _changed(snapshot), awaited)
            ),
            trust=requirement.trust,
            repository=snapshot.repository.full_name,
            documentation=documentation,
            seen_runs=snapshot.seen_runs,
        )
    )


def check_group(group: GroupSnapshot, requirement: CiRequirement, accepted_changes: Collection[str] = ()) -> CiResult:
    """The same for a merge group: runs of its event on the group's head.

    `accepted_changes` are workflow files that people's own pull requests in the group change.
    """
    awaited = _is_awaited(group.head_seen_at, group.observed_at, requirement)
    level = _level_of(group)
    return _judge(
        _Case(
            runs=group.runs,
            workflows=group.workflows,
            counting=CountingRuns(group.head_sha, group.repository.id, (group.event,), requirement.workflows),
            jobs=requirement.jobs,
            commands=requirement.commands,
            awaited=awaited,
            requirement=requirement,
            level=level,
            others=other_ci.check(group.check_runs, requirement.others, Judged(group.head_sha, level, open_=awaited)),
            trust=requirement.trust.of_group(),
            repository=group.repository.full_name,
            accepted=accepted_changes,
        )
    )


def _changed(snapshot: Snapshot) -> frozenset[str]:
    files = () if isinstance(snapshot.merge_diff, Unread) else snapshot.merge_diff.files
    return frozenset(path for file in files for path in file.paths)


def _level_of(group: GroupSnapshot) -> Risk:
    """The highest risk of its members; one of unknown risk may have any."""
    members = () if isinstance(group.members, Unread) else group.members
    return max((member.risk or Risk.CRITICAL for member in members), default=Risk.CRITICAL)


def _is_awaited(seen: datetime | None, now: datetime, requirement: CiRequirement) -> bool:
    return seen is None or now - seen < requirement.wait


def _judge(case: _Case) -> CiResult:
    if isinstance(case.runs, Unread):
        no_matter = case.documentation and case.runs.offline
        return CiResult((_DOCUMENTATION if no_matter else _unread(ci_runs.CHECK, "workflow runs", case.runs),), ())
    if isinstance(case.workflows, Unread):
        return CiResult((_unread(FILES, "workflow files", case.workflows),), ())
    chosen = ci_runs.choose(case.runs, case.counting)
    gone = ci_runs.missing_runs(case.runs, case.seen_runs)
    if not chosen:
        return CiResult((*gone, *_without_runs(case, case.runs)), ())
    findings = [*gone, *_files(chosen, case.workflows, case.accepted)]
    findings += [*_run_states(chosen), *case.others.findings]
    findings += ci_trust.check(chosen, case.workflows, case.trust, case.repository)
    findings += ci_attempts.check(chosen, case.runs, case.counting, case.requirement.attempts)
    found, jobs = _jobs(chosen, case.runs, case.workflows, case)
    return CiResult(tuple(ci_jobs.worst_first([*findings, *found])), jobs, chosen)


def _without_runs(case: _Case, runs: tuple[WorkflowRun, ...]) -> tuple[Finding, ...]:
    """Where no workflow run counts, documentation needs none, and other CI systems may stand in at low risk."""
    if case.documentation:
        return (_DOCUMENTATION,)
    others = case.others.findings
    if not others or case.jobs or case.commands:
        return (*others, ci_runs.none_counts(runs, case.counting, awaited=case.awaited))
    blocked = any(one.status not in (Status.PASSED, Status.SKIPPED) for one in others)
    if case.level is Risk.LOW or case.others.shows_tests or blocked:
        return others
    reason = f"At {case.level.word} risk raw logs that the gate reads must show passing tests, and none does."
    return (failed(ci_runs.CHECK, reason, fix=_ACTIONS), *others)


def _unread(check: str, what: str, unread: Unread) -> Finding:
    reason = f"The {what} could not be read: {unread.because}."
    if unread.offline:
        fix = Fix("open-pull-request", "Open a pull request; only GitHub runs the workflows that count.")
        return pending(check, reason, fix=fix)
    return errored(check, reason, fix=Fix("wait", "Nothing to do; the gate reads them again by itself."))


def _files(
    chosen: tuple[WorkflowRun, ...], workflows: tuple[WorkflowFile, ...], accepted: Collection[str]
) -> list[Finding]:
    paths = list(dict.fromkeys(bare_path(run.path) for run in chosen))
    wrong = [finding for path in paths for finding in check_file(path, workflows, accepted)]
    return wrong or [passed(FILES, f"The workflow files that ran are the target branch's: {', '.join(paths[:5])}.")]


def _run_states(chosen: tuple[WorkflowRun, ...]) -> list[Finding]:
    wrong = [finding for run in chosen for finding in ci_runs.state_of(run)]
    evidence = (ci_runs.evidence_of(run) for run in chosen)
    names = ", ".join(f"{run.name} (attempt {run.attempt})" for run in chosen[:5])
    return wrong or [passed(ci_runs.CHECK, f"All workflow runs that count are finished: {names}.", *evidence)]


def _jobs(
    chosen: tuple[WorkflowRun, ...],
    runs: tuple[WorkflowRun, ...],
    workflows: tuple[WorkflowFile, ...],
    case: _Case,
) -> tuple[list[Finding], tuple[Job, ...]]:
    """Findings about the current jobs of the chosen runs, and the jobs whose conclusion and log agree on success."""
    head = case.counting.head_sha
    jobs = tuple(job for run in chosen for job in ci_runs.current_jobs(run))
    open_ = case.awaited or any(run.status != "completed" for run in chosen)
    concluded = _conclusions(jobs, runs, case, open_=open_)
    good = tuple(job for job in jobs if _is_success(job, case))
    partial = frozenset(job.id for job in jobs if case.is_partial(job))
    doubts = [(job, ci_jobs.log_of(job, head, case.counting.bases, partial=job.id in partial)) for job in good]
    run_of = {job.id: run for run in chosen for job in run.jobs}
    logs = [ci_trust.explained(doubt, run_of[job.id], job, workflows) for job, doubt in doubts if doubt is not None]
    agreed = tuple(job for job, doubt in doubts if doubt is None)
    open_ = open_ or any(finding.status in (Status.PENDING, Status.ERRORED) for finding in (*concluded, *logs))
    return [
        *concluded,
        *(logs or [passed(ci_jobs.LOGS, f"The raw logs of {len(agreed)} successful jobs do not speak against them.")]),
        *witnesses.check(chosen, case.requirement.reports, partial),
        *ci_jobs.commands_shown(agreed, case.commands, open_=open_),
        _tests(agreed, _proof(chosen, agreed, head, partial), case, open_=open_),
    ], agreed


def _tests(agreed: tuple[Job, ...], proof: tuple[Job, ...], case: _Case, *, open_: bool) -> Finding:
    found = ci_jobs.tests_passed(agreed, proof, case.jobs, case.commands, open_=open_)
    if found.status is not Status.PASSED and case.others.shows_tests:
        return passed(ci_jobs.TESTS, "Tests passed at this head in another CI system, by its raw logs.")
    return skipped(ci_jobs.TESTS, _DOCUMENTATION.reason) if case.documentation and not proof else found


def _proof(
    chosen: tuple[WorkflowRun, ...], agreed: tuple[Job, ...], head_sha: str, partial: Collection[int]
) -> tuple[Job, ...]:
    """The jobs whose logs show passing tests. Only a pull_request checkout names the head in the log."""
    on_merge = {job.id for run in chosen if run.event == "pull_request" for job in run.jobs}
    return tuple(
        job
        for job in agreed
        if ci_jobs.is_proof(job, head_sha, needs_checkout=job.id in on_merge, partial=job.id in partial)
    )


def _is_success(job: Job, case: _Case) -> bool:
    concluded = job.status == "completed" and job.conclusion == "success"
    return concluded and ci_jobs.conclusion_of(job, case.jobs) is None


def _conclusions(jobs: tuple[Job, ...], runs: tuple[WorkflowRun, ...], case: _Case, *, open_: bool) -> list[Finding]:
    wrong = [finding for job in jobs if (finding := ci_jobs.conclusion_of(job, case.jobs)) is not None]
    wrong += ci_jobs.jobs_there(jobs, case.jobs, open_=open_)
    here = [run for run in runs if run.head_sha == case.counting.head_sha]
    for name in case.jobs:
        paths = (bare_path(run.path) for run in here for job in run.jobs if ci_jobs.is_named(job, name))
        double = ci_jobs.one_producer(name, paths)
        wrong += [double] if double else []
    return wrong or [passed(ci_jobs.JOBS, f"All {len(jobs)} jobs that count ended as success.")]


_DOCUMENTATION = skipped(ci_runs.CHECK, "Only documentation changes, for which the policy asks for no run.")
_ACTIONS = Fix(
    "ask-person",
    "Ask a person to let a GitHub Actions workflow run the tests, or to let the gate read the other system's logs "
    "(`log` in `ci.witnesses`).",
)
