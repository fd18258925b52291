"""What a run ran, in numbers, and where it is less than an earlier run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from checks.ci_jobs import is_named, read_log
from checks.ci_runs import current_jobs
from checks.reports.report import TestReport, bounded
from checks.runs import Baseline, Job, JobTests, ReportedTests, WorkflowRun
from checks.unread import Unread
from checks.workflow_files import bare_path

_SHOWN = 5


def baseline_of(run: WorkflowRun, since: datetime) -> Baseline | None:
    """The run as a baseline, or None when it is not green: a job failed, a log is red or was not read."""
    jobs = [job for job in current_jobs(run) if job.conclusion != "skipped"]
    if run.status != "completed" or run.conclusion != "success" or isinstance(run.reports, Unread):
        return None
    red = any(report.failed or report.errors for report in run.reports or ())
    if red or not jobs or any(map(_is_doubtful, jobs)):
        return None
    return Baseline(
        workflow=bare_path(run.path),
        run_id=run.id,
        sha=run.head_sha,
        since=since,
        jobs=tuple(job_tests(job) for job in jobs),
        reported=reported(run.reports or ()),
        url=run.url,
    )


def _is_doubtful(job: Job) -> bool:
    log = read_log(job)
    return job.conclusion != "success" or log is None or log.report.green is False


def job_tests(job: Job) -> JobTests:
    """A log that shows no test runner counts as no test; expected failures count with the skipped tests."""
    log = read_log(job)
    if log is None:
        return JobTests(job.name, None, None)
    report = log.report
    if report.runner is None:
        return JobTests(job.name, 0, 0)
    if report.passed is None or report.skipped is None:
        return JobTests(job.name, None, None)
    skipped = report.skipped + sum(one.xfailed for one in report.summaries if one.counted)
    return JobTests(job.name, report.passed + (report.failed or 0) + (report.errors or 0) + skipped, skipped)


def reported(reports: Sequence[TestReport]) -> ReportedTests | None:
    """All reports of a run together, repeated cases once; None where there are none."""
    if not reports:
        return None
    known = [report.tests for report in reports if report.tests is not None]
    names = bounded(test for tests in known for test in tests) if len(known) == len(reports) else None
    return ReportedTests(sum(one.distinct for one in reports), sum(one.skipped for one in reports), names)


@dataclass(frozen=True, slots=True)
class Shrunk:
    """One thing that is less than before. `by` is how many tests must be declared for it.

    `attempt`: reports of an earlier attempt are missing, because only some jobs were run again.
    """

    kind: Literal["job", "attempt", "tests", "skips"]
    words: str
    by: int = 0


def shrunk(run: WorkflowRun, baseline: Baseline, partial: Collection[str]) -> Iterator[Shrunk]:
    """What `run` ran less than the baseline; `partial` are names of jobs that may run fewer tests than there are."""
    there = {job.name: job for job in current_jobs(run)}
    for before in baseline.jobs:
        if before.name not in there:
            yield Shrunk("job", f"job `{before.name}` is missing")
    ran = {name: job for name, job in there.items() if job.conclusion != "skipped"}
    whole = {name: job for name, job in ran.items() if not any(is_named(job, one) for one in partial)}
    legs = [(before, job_tests(whole[before.name])) for before in baseline.jobs if before.name in whole]
    for name in dict.fromkeys(_base(before.name) for before, _ in legs):
        yield from _fewer(name, [leg for leg in legs if _base(leg[0].name) == name])
    if baseline.reported is not None and all(before.name in whole for before in baseline.jobs):
        yield from _fewer_reported(run, baseline.reported)


def _base(name: str) -> str:
    """The job's name without the values of its matrix."""
    return name.partition(" (")[0]


_Legs = list[tuple[JobTests, JobTests]]


def _fewer(name: str, legs: _Legs) -> Iterator[Shrunk]:
    """The legs of a matrix together, for they may be shards, between which tests move."""
    tests = [(old.tests, new.tests) for old, new in legs if old.tests is not None and new.tests is not None]
    before, now = sum(old for old, _ in tests), sum(new for _, new in tests)
    if now < before:
        # Legs that all run the same tests each lose what was removed once.
        by = min(before - now, max(old - new for old, new in tests))
        yield Shrunk("tests", f"job `{name}` ran {now} tests, there {before}", by)
    skips = [(old.skipped, new.skipped) for old, new in legs if old.skipped is not None and new.skipped is not None]
    before, now = sum(old for old, _ in skips), sum(new for _, new in skips)
    if now > before:
        by = min(now - before, max(new - old for old, new in skips))
        yield Shrunk("skips", f"job `{name}` skipped {now} tests, there {before}", by)


def _fewer_reported(run: WorkflowRun, before: ReportedTests) -> Iterator[Shrunk]:
    if isinstance(run.reports, Unread) or run.reports is None:
        return
    now = reported(run.reports) or ReportedTests(0, 0, ())
    if now.tests < before.tests:
        words = f"its reports hold {now.tests} tests, there {before.tests}{_gone(before, now)}"
        again = any(job.attempt != run.attempt for job in current_jobs(run))
        yield Shrunk("attempt" if again else "tests", words, _once(before.tests - now.tests, before))
    if now.skipped > before.skipped:
        words = f"its reports hold {now.skipped} skipped tests, there {before.skipped}"
        yield Shrunk("skips", words, _once(now.skipped - before.skipped, before))


def _gone(before: ReportedTests, now: ReportedTests) -> str:
    if before.names is None or now.names is None:
        return ""
    gone = sorted(set(before.names) - set(now.names))
    return f" (gone: {', '.join(f'`{name}`' for name in gone[:_SHOWN])})" if gone else ""


def _once(count: int, before: ReportedTests) -> int:
    """How many tests a difference stands for, where each test is reported by several legs; rounded up."""
    times = max(1, before.tests // len(before.names)) if before.names else 1
    return -(-count // times)
