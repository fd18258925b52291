"""What a verdict speaks of, taken from the snapshot and the runs that count: for statements made of it later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checks.ci_jobs import read_log
from checks.ci_runs import current_jobs
from checks.logs.report import LogReport
from checks.runs import WorkflowFile, WorkflowRun
from checks.snapshot import Snapshot
from checks.unread import Unread
from checks.witnesses import is_of_attempt
from checks.workflow_files import bare_path
from policies.verdict import Counts, JudgedRun, Subject


def subject_of(snapshot: Snapshot, runs: Sequence[WorkflowRun]) -> Subject:
    """`runs` are those that count."""
    return Subject(
        repository=snapshot.repository.full_name,
        tree=snapshot.head.tree,
        files=tuple(dict.fromkeys(_files(snapshot, {bare_path(run.path) for run in runs}))),
        runs=tuple(_judged(run) for run in runs),
    )


def _files(snapshot: Snapshot, paths: set[str]) -> Iterator[tuple[str, str]]:
    """The workflow files that ran, each with those that it calls."""
    if not isinstance(snapshot.workflows, Unread):
        yield from _blobs([file for file in snapshot.workflows if file.path in paths])


def _blobs(files: Sequence[WorkflowFile]) -> Iterator[tuple[str, str]]:
    for file in files:
        if file.head_oid is not None:
            yield file.path, file.head_oid
        yield from _blobs(file.called)


def _judged(run: WorkflowRun) -> JudgedRun:
    logs = [(job, log) for job in current_jobs(run) if (log := read_log(job)) is not None]
    return JudgedRun(
        url=run.url,
        attempt=run.attempt,
        succeeded=run.conclusion == "success",
        counts=_counts([log.report for _, log in logs if log.report.runner is not None]),
        logs=tuple((job.name, log.digest) for job, log in logs),
        reports=tuple(_reports(run)),
    )


def _counts(reports: Sequence[LogReport]) -> Counts | None:
    """Sums over the logs that show a test runner; None where none does."""
    if not reports:
        return None
    return Counts(
        passed=_sum([report.passed for report in reports]),
        failed=_sum([report.failed for report in reports]),
        errors=_sum([report.errors for report in reports]),
        skipped=_sum([report.skipped for report in reports]),
        flaky=sum(summary.flaky for report in reports for summary in report.summaries if summary.counted),
    )


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _reports(run: WorkflowRun) -> Iterator[tuple[str, str]]:
    """The artifacts whose reports were read."""
    if isinstance(run.artifacts, Unread) or isinstance(run.reports, Unread):
        return
    read = {report.name for report in run.reports or ()}
    for artifact in run.artifacts:
        if artifact.name in read and artifact.digest is not None and is_of_attempt(run, artifact):
            yield artifact.name, artifact.digest
