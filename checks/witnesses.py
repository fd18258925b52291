"""Three witnesses of one run must agree: what GitHub's API concludes, what the raw logs say, what the reports hold.

Logs and reports count by conventions of their own: an expected failure is a skip in one and has a word of its own in
the other, a retried test stands once here and twice there. So both give a range, and the ranges must meet. Nothing
tells which job made a report; therefore the reports of a run must add up to what some of its jobs show, and to what all
of them show where the policy requires reports. Within a job, the runs of one runner are taken together: a summary that
a test prints cannot be left out as another run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import re2

from checks.ci_jobs import evidence_of, read_log
from checks.ci_runs import current_jobs
from checks.ci_runs import evidence_of as evidence_of_run
from checks.finding import Evidence, Finding, Fix, failed, passed, pending, skipped
from checks.logs.report import Summary
from checks.paths import PathPatterns
from checks.reports.report import TestReport
from checks.runs import Artifact, Job, JobLog, WorkflowRun
from checks.unread import Unread

CHECK = "ci.reports"
MOST_SUMS = 10_000  # ways to choose jobs that are tried
_ANY = 10**12  # more tests than there are; the end of a range that a log leaves open
_SHOWN = 5
_TODO = re2.compile(r"\b(\d{1,9}) todo\b")  # jest, vitest; jest-junit writes such a test like a passed one


@dataclass(frozen=True, slots=True)
class ReportRule:
    """`artifacts` are names of artifacts that hold reports; None: none are read. `required`: every test run has one."""

    artifacts: PathPatterns | None = None
    required: bool = False

    def wants(self, artifact: Artifact) -> bool:
        return self.artifacts is not None and self.artifacts.matches(artifact.name)


def is_of_attempt(run: WorkflowRun, artifact: Artifact) -> bool:
    """Whether the artifact was made in the run's newest attempt. Artifacts belong to a run, whatever its attempt."""
    if artifact.expired or run.started_at is None or run.updated_at is None:
        return False
    return run.started_at <= artifact.created_at <= run.updated_at


def check(runs: tuple[WorkflowRun, ...], rule: ReportRule, partial: frozenset[int] = frozenset()) -> list[Finding]:
    """Findings `ci.reports` about runs that ended as success; the others are red without reports.

    `partial` are ids of jobs that may have run fewer tests than there are, or none.
    """
    ended = [run for run in runs if run.status == "completed" and run.conclusion == "success"]
    return [finding for run in ended for finding in _of_run(run, rule, partial)]


def _of_run(run: WorkflowRun, rule: ReportRule, partial: frozenset[int]) -> Iterator[Finding]:
    if isinstance(run.reports, Unread):
        yield _unread(run, run.reports)
    elif run.reports:
        loose = any(job.id in partial for job in current_jobs(run))
        doubt = _doubt(run, run.reports, loose=loose) or _disagreement(run, run.reports, rule)
        yield doubt or passed(CHECK, _agreement(run, run.reports), evidence_of_run(run))
    elif rule.required and any(_items(run)):
        yield failed(CHECK, f"{run.name} left no test report.{_earlier(run, rule)}", evidence_of_run(run), fix=_UPLOAD)
    elif earlier := _earlier(run, rule):
        yield skipped(CHECK, f"{run.name} left no test report.{earlier}", evidence_of_run(run))


def _unread(run: WorkflowRun, unread: Unread) -> Finding:
    reason = f"The test reports of {run.name} could not be read: {unread.because}."
    if unread.offline:
        return pending(CHECK, reason, fix=Fix("open-pull-request", "Open a pull request; only GitHub has them."))
    return failed(CHECK, reason, evidence_of_run(run), fix=_READABLE)


def _earlier(run: WorkflowRun, rule: ReportRule) -> str:
    artifacts = () if isinstance(run.artifacts, Unread) else run.artifacts
    names = [f"`{each.name}`" for each in artifacts if rule.wants(each) and not is_of_attempt(run, each)]
    if not names:
        return ""
    return f" What is there is expired or of an earlier attempt and is not read: {', '.join(names[:_SHOWN])}."


def _doubt(run: WorkflowRun, reports: tuple[TestReport, ...], *, loose: bool) -> Finding | None:
    """What the reports say against the run by themselves."""
    red = [report for report in reports if report.failed or report.errors]
    if red:
        reason = f"{run.name} ended as success, but its reports do not: {'; '.join(map(_redness, red[:_SHOWN]))}."
        return failed(CHECK, reason, *_evidence(run, red), fix=_REPAIR)
    empty = [f"`{report.name}`" for report in reports if not report.cases]
    if empty and not loose:
        reason = f"Reports of {run.name} hold no test at all: {', '.join(empty[:_SHOWN])}."
        return failed(CHECK, reason, evidence_of_run(run), fix=_RUN)
    if not any(report.passed for report in reports) and not loose:
        return failed(CHECK, f"The reports of {run.name} hold only skipped tests.", evidence_of_run(run), fix=_RUN)
    return None


def _redness(report: TestReport) -> str:
    names = ", ".join(f"`{name}`" for name in report.failed_names[:_SHOWN])
    return f"`{report.name}` has {report.failed} failed and {report.errors} broken ({names})"


@dataclass(frozen=True, slots=True)
class _Count:
    """From how many to how many passed, and at most how many were skipped."""

    least: int
    most: int
    skipped: int

    def plus(self, other: _Count) -> _Count:
        return _Count(self.least + other.least, self.most + other.most, self.skipped + other.skipped)


_NONE = _Count(0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Item:
    """What one job's log says of one runner."""

    job: Job
    runner: str
    count: _Count

    def words(self) -> str:
        told = self.count.most < _ANY
        count = f"{_range(self.count)} passed, up to {self.count.skipped} skipped" if told else "no number"
        return f"job `{self.job.name}` {count} ({self.runner})"


def _range(count: _Count) -> str:
    return str(count.least) if count.least == count.most else f"{count.least} to {count.most}"


def _disagreement(run: WorkflowRun, reports: tuple[TestReport, ...], rule: ReportRule) -> Finding | None:
    items, total = list(_items(run)), _total(reports)
    if not items or any(_meet(total, one) for one in _sums([item.count for item in items], whole=rule.required)):
        return None
    held = ", ".join(f"`{report.name}` {report.passed} passed, {report.skipped} skipped" for report in reports[:_SHOWN])
    told = "; ".join(item.words() for item in items[:_SHOWN])
    reason = f"Reports and raw logs of {run.name} differ. Reports: {held}. Logs: {told}."
    again = any(job.attempt != run.attempt for job in current_jobs(run))
    jobs = (evidence_of(item.job) for item in items[:_SHOWN])
    return failed(CHECK, reason, *_evidence(run, reports), *jobs, fix=_AGAIN if again else _AGREE)


def _total(reports: Iterable[TestReport]) -> _Count:
    total = _NONE
    for report in reports:
        skipped = report.skipped - report.left_out
        total = total.plus(_Count(report.passed - report.repeated, report.passed, skipped))
    return total


def _meet(reports: _Count, logs: _Count) -> bool:
    """Whether both can be true. Some reports leave skipped tests out, so only more of them are a contradiction."""
    return logs.least <= reports.most and reports.least <= logs.most and reports.skipped <= logs.skipped


def _sums(counts: list[_Count], *, whole: bool) -> set[_Count]:
    """What some of the logs show together; only what all of them do if `whole`, or if the ways to choose are many."""
    sums, total = {_NONE}, _NONE
    for count in counts:
        total = total.plus(count)
        if len(sums) <= MOST_SUMS:
            sums |= {one.plus(count) for one in sums}
    return {total} if whole or len(sums) > MOST_SUMS else sums


def _items(run: WorkflowRun) -> Iterator[_Item]:
    for job in current_jobs(run):
        log = read_log(job)
        if log is not None and log.report.runner is not None:
            yield from _of_log(job, log)


def _of_log(job: Job, log: JobLog) -> Iterator[_Item]:
    """By runner; a log whose summaries are not all kept is taken as a whole."""
    kept = [one for one in log.report.summaries if one.counted]
    if log.report.passed is not None and sum(one.passed or 0 for one in kept) != log.report.passed:
        extra = sum(map(_extra, kept))
        count = _Count(log.report.passed, log.report.passed + extra, (log.report.skipped or 0) + extra)
        yield _Item(job, str(log.report.runner), count)
        return
    for runner in dict.fromkeys(one.runner for one in kept):
        yield _Item(job, runner, _added(one for one in kept if one.runner == runner))


def _added(summaries: Iterable[Summary]) -> _Count:
    total = _NONE
    for one in summaries:
        extra = _extra(one)
        most = _ANY if one.passed is None else one.passed + extra
        total = total.plus(_Count(one.passed or 0, most, _ANY if one.skipped is None else one.skipped + extra))
    return total


def _extra(summary: Summary) -> int:
    """Tests that have a word of their own in the log, which a report may call passed or skipped."""
    todo = _TODO.search(summary.text)
    return summary.flaky + summary.xfailed + summary.xpassed + (int(todo.group(1)) if todo else 0)


def _agreement(run: WorkflowRun, reports: tuple[TestReport, ...]) -> str:
    listed = "; ".join(map(_contents, reports[:_SHOWN]))
    return f"The test reports of {run.name} do not contradict its raw logs: {listed}."


def _contents(report: TestReport) -> str:
    flaky = f", {report.flaky} flaky" if report.flaky else ""
    odd = f" (of itself it says otherwise: {report.disagreements[0]})" if report.disagreements else ""
    return f"`{report.name}` {report.passed} passed, {report.skipped} skipped{flaky}{odd}"


def _evidence(run: WorkflowRun, reports: Iterable[TestReport]) -> Iterator[Evidence]:
    artifacts = () if isinstance(run.artifacts, Unread) else run.artifacts
    digests = {artifact.name: artifact.digest for artifact in artifacts if is_of_attempt(run, artifact)}
    yield evidence_of_run(run)
    for report in list(reports)[:_SHOWN]:
        yield Evidence(f"artifact `{report.name}`", run.url, digest=digests.get(report.name))


_UPLOAD = Fix(
    "push",
    "Let the job upload its test report with actions/upload-artifact, also when tests fail, and run all jobs again.",
)
_READABLE = Fix("push", "Let the tests write a report within the limits, in JUnit, CTRF, TRX or `go test -json` form.")
_REPAIR = Fix("push", "Repair what fails; a step that ends well must not hide it.")
_RUN = Fix("push", "Let the tests run, or upload no report where there are none.")
_AGAIN = Fix("rerun", "Run all jobs of the workflow again, so that every report is of one attempt.")
_AGREE = Fix(
    "push",
    "Let every test run of a job write its report, and nothing else print or write results; or ask a person to narrow "
    "`ci.reports` in the policy.",
)
