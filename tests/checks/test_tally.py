"""What a run ran in numbers, and where that is less than before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.reports.report import TestReport
from checks.runs import Baseline, Job, JobTests, ReportedTests
from checks.tally import Shrunk, baseline_of, job_tests, reported, shrunk
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import NO_TESTS, NOON, job, run
from tests.checks.tally_case import holds, ran

REPORT = TestReport("junit", "junit", 12, 0, 0, 1, tests=("a", "b"))


def test_passed_failed_broken_and_skipped_tests_count() -> None:
    assert job_tests(job()) == JobTests("test", 13, 1)
    red = job(log=build.log(build.report(passed=5, failed=2, errors=3, skipped=4)))
    assert job_tests(red) == JobTests("test", 14, 4)


def test_expected_failures_count_with_the_skipped_tests() -> None:
    (kept,) = build.report().summaries
    summaries = (replace(kept, xfailed=2), replace(kept, xfailed=9, counted=False))
    assert job_tests(job(log=build.log(build.report(summaries=summaries)))) == JobTests("test", 15, 3)


@pytest.mark.parametrize(
    ("log", "tests", "skipped"),
    [
        (build.log(NO_TESTS), 0, 0),
        (None, None, None),
        (Unread("gone"), None, None),
        (build.log(build.report(passed=None)), None, None),
        (build.log(build.report(skipped=None)), None, None),
        (build.log(build.report(failed=None, errors=None)), 13, 1),
    ],
)
def test_a_log_that_shows_no_runner_shows_no_test(log: Any, tests: int | None, skipped: int | None) -> None:
    assert job_tests(job(log=log)) == JobTests("test", tests, skipped)


def test_reports_together() -> None:
    other = TestReport("e2e", "junit", 5, 0, 0, 2, repeated=3, tests=("b", "c"))
    assert reported((REPORT, other)) == ReportedTests(17, 3, ("a", "b", "c"))
    assert reported((REPORT, replace(other, tests=None))) == ReportedTests(17, 3, None)
    assert reported(()) is None


def test_a_green_run_is_a_baseline() -> None:
    lint = job("lint", log=build.log(NO_TESTS))
    left_out = job("deploy", conclusion="skipped", log=None)
    green = run(job(), lint, left_out, reports=(REPORT,), path=".github/workflows/ci.yml@refs/heads/main")
    assert baseline_of(green, NOON) == Baseline(
        build.CI_YML,
        501,
        build.HEAD,
        NOON,
        (JobTests("test", 13, 1), JobTests("lint", 0, 0)),
        ReportedTests(13, 1, ("a", "b")),
        green.url,
    )


def test_a_baseline_without_reports_and_with_unknown_counts() -> None:
    quiet = run(job(log=build.log(build.report(green=None, passed=None))))
    assert baseline_of(quiet, NOON) == Baseline(
        build.CI_YML, 501, build.HEAD, NOON, (JobTests("test", None, None),), url=quiet.url
    )


@pytest.mark.parametrize(
    "red",
    [
        run(status="in_progress"),
        run(conclusion="failure"),
        run(reports=Unread("broken")),
        run(reports=(replace(REPORT, failed=1),)),
        run(reports=(REPORT, replace(REPORT, errors=1))),
        run(job(conclusion="failure")),
        run(job(), job("e2e", log=build.log(build.report(green=False)))),
        run(job(log=None)),
        run(job(log=Unread("gone"))),
        run(job(conclusion="skipped")),
    ],
)
def test_a_run_that_is_not_green_is_no_baseline(red: Any) -> None:
    assert baseline_of(red, NOON) is None


def test_the_jobs_that_decide_make_the_baseline() -> None:
    old = job(attempt=1, conclusion="failure")
    made = baseline_of(run(old, job(attempt=2, id=5_009), attempt=2), NOON)
    assert made is not None
    assert made.jobs == (JobTests("test", 13, 1),)


def base(*jobs: JobTests, **more: Any) -> Baseline:
    return Baseline(build.CI_YML, 400, build.BASE, NOON, jobs or (JobTests("test", 13, 1),), **more)


def less(*jobs: Job, than: Baseline, partial: tuple[str, ...] = (), **changes: Any) -> list[Shrunk]:
    return list(shrunk(run(*jobs, **changes), than, partial))


@pytest.mark.parametrize(("tests", "skipped"), [(13, 1), (14, 1), (13, 0), (None, None)])
def test_nothing_shrank(tests: int | None, skipped: int | None) -> None:
    assert less(ran(tests, skipped), job("new"), than=base()) == []


def test_fewer_tests_more_skips_and_a_missing_job() -> None:
    before = base(JobTests("test", 13, 1), JobTests("e2e", 5, 0))
    assert less(ran(10, 4), than=before) == [
        Shrunk("job", "job `e2e` is missing"),
        Shrunk("tests", "job `test` ran 10 tests, there 13", 3),
        Shrunk("skips", "job `test` skipped 4 tests, there 1", 3),
    ]


def test_a_job_whose_log_shows_no_runner_any_more_lost_all_tests() -> None:
    assert less(job(log=build.log(NO_TESTS)), than=base()) == [Shrunk("tests", "job `test` ran 0 tests, there 13", 13)]


@pytest.mark.parametrize("before", [JobTests("test", None, None), JobTests("test", 0, 0)])
def test_what_the_baseline_does_not_know_is_not_compared(before: JobTests) -> None:
    assert less(ran(3, 0), than=base(before)) == []


def test_a_skipped_job_is_there_and_is_not_counted() -> None:
    assert less(job(conclusion="skipped", log=build.log(NO_TESTS)), than=base()) == []


def test_partial_jobs_may_run_less() -> None:
    assert less(ran(0), than=base(), partial=("test",)) == []
    assert less(ran(0, name="test (3.12)"), than=base(JobTests("test (3.12)", 9, 0)), partial=("lint", "test")) == []
    assert less(ran(0), than=base(), partial=("tes",)) != []


def legs(*counts: tuple[int, int]) -> list[Job]:
    return [ran(tests, skips, f"test ({n})", id=n) for n, (tests, skips) in enumerate(counts)]


def before_legs(*counts: tuple[int, int]) -> Baseline:
    return base(*(JobTests(f"test ({n})", tests, skips) for n, (tests, skips) in enumerate(counts)))


def test_tests_move_between_the_shards_of_a_matrix() -> None:
    assert less(*legs((5, 0), (12, 2)), than=before_legs((9, 1), (8, 1))) == []


def test_a_shard_lost_what_all_of_them_lost_together() -> None:
    assert less(*legs((5, 4), (10, 0)), than=before_legs((9, 1), (8, 1))) == [
        Shrunk("tests", "job `test` ran 15 tests, there 17", 2),
        Shrunk("skips", "job `test` skipped 4 tests, there 2", 2),
    ]


def test_legs_that_run_the_same_tests_lose_each_test_once() -> None:
    assert less(*legs((7, 3), (8, 2)), than=before_legs((9, 1), (9, 1))) == [
        Shrunk("tests", "job `test` ran 15 tests, there 18", 2),
        Shrunk("skips", "job `test` skipped 5 tests, there 2", 2),
    ]


def test_other_jobs_do_not_make_up_for_it() -> None:
    before = base(JobTests("test", 13, 1), JobTests("test-all", 5, 0))
    assert [one.kind for one in less(ran(12, 1), ran(9, 0, "test-all", id=2), than=before)] == ["tests"]


def reports_less(now: Any, before: ReportedTests, *jobs: Job, **changes: Any) -> list[Shrunk]:
    partial = changes.pop("partial", ())
    return less(
        *jobs, than=base(JobTests("test", None, None), reported=before), partial=partial, reports=now, **changes
    )


def test_reports_that_hold_as_much() -> None:
    assert reports_less((holds(9, 1),), ReportedTests(9, 1)) == []
    assert reports_less((holds(10),), ReportedTests(9, 1, ("a",))) == []


def test_reports_that_hold_less_and_which_tests_are_gone() -> None:
    names = tuple(f"t{n}" for n in range(9))
    assert reports_less((holds(2, 2, names[7:]),), ReportedTests(9, 1, names)) == [
        Shrunk("tests", "its reports hold 2 tests, there 9 (gone: `t0`, `t1`, `t2`, `t3`, `t4`)", 7),
        Shrunk("skips", "its reports hold 2 skipped tests, there 1", 1),
    ]


@pytest.mark.parametrize(
    ("now", "names"), [((holds(8),), ("a",)), ((holds(8, 0, ("a",)),), None), ((holds(8, 0, ("a",)),), ("a",))]
)
def test_names_that_are_not_known_or_all_there_are_not_shown(now: Any, names: tuple[str, ...] | None) -> None:
    (found,) = reports_less(now, ReportedTests(9, 0, names))
    assert found.words == "its reports hold 8 tests, there 9"


def test_a_report_that_is_missing_holds_nothing() -> None:
    assert [one.kind for one in reports_less((), ReportedTests(3, 0))] == ["tests"]
    assert reports_less((), ReportedTests(3, 1, ("a", "b", "c"))) == [
        Shrunk("tests", "its reports hold 0 tests, there 3 (gone: `a`, `b`, `c`)", 3)
    ]


@pytest.mark.parametrize("now", [None, Unread("broken")])
def test_reports_that_were_not_read_are_not_compared(now: Any) -> None:
    assert reports_less(now, ReportedTests(3, 1)) == []


@pytest.mark.parametrize(("lost", "by"), [(3, 1), (4, 2), (6, 2), (1, 1)])
def test_a_test_that_three_legs_reported_is_lost_once(lost: int, by: int) -> None:
    before = ReportedTests(30, 0, tuple("abcdefghij"))
    assert [one.by for one in reports_less((holds(30 - lost),), before)] == [by]
    assert [one.by for one in reports_less((holds(30, lost),), before)] == [by]


def test_more_names_than_tests_is_no_reason_to_divide() -> None:
    assert [one.by for one in reports_less((holds(1),), ReportedTests(3, 0, ("a", "b", "c", "d")))] == [2]
    assert [one.by for one in reports_less((holds(1),), ReportedTests(3, 0, ()))] == [2]


def test_reports_are_compared_where_every_job_of_the_baseline_ran() -> None:
    before = base(JobTests("test", None, None), JobTests("e2e", None, None), reported=ReportedTests(9, 0))
    skipped = job("e2e", id=2, conclusion="skipped")
    assert less(job(), skipped, than=before, reports=(holds(3),)) == []
    assert [one.kind for one in less(job(), than=before, reports=(holds(3),))] == ["job"]
    assert less(job(), job("e2e"), than=before, reports=(holds(3),), partial=("e2e",)) == []


def test_after_a_rerun_of_some_jobs_their_reports_are_not_all_of_one_attempt() -> None:
    jobs = (job(attempt=1), job("e2e", id=2, attempt=2))
    assert [one.kind for one in reports_less((holds(3),), ReportedTests(9, 0), *jobs, attempt=2)] == ["attempt"]
    again = (job(attempt=2), job("e2e", id=2, attempt=2))
    assert [one.kind for one in reports_less((holds(3),), ReportedTests(9, 0), *again, attempt=2)] == ["tests"]
