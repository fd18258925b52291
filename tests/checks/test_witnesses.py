"""Agreement of conclusions, raw logs and reports, run by run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from checks import witnesses
from checks.finding import Finding, Status
from checks.logs.parse import parse_log
from checks.logs.report import Summary
from checks.paths import PathPatterns
from checks.reports.report import TestReport
from checks.runs import Artifact, Job, WorkflowRun
from checks.unread import Unread
from checks.witnesses import ReportRule, check, is_of_attempt
from tests.checks import build
from tests.checks.build import DIGEST, NO_TESTS, NOON, job
from tests.checks.ci_case import F, P
from tests.checks.reports.test_real import REAL, ROWS, read

S = Status.SKIPPED
WANTED = ReportRule(PathPatterns(["*junit*"]))
REQUIRED = replace(WANTED, required=True)
START, END = NOON - timedelta(minutes=10), NOON


def report(passed: int = 12, skipped: int = 1, name: str = "junit", **more: Any) -> TestReport:
    return TestReport(name, "junit", passed, more.pop("failed", 0), more.pop("errors", 0), skipped, **more)


def artifact(name: str = "junit", **changes: Any) -> Artifact:
    return replace(Artifact(31, name, 900, DIGEST, NOON, expired=False), **changes)


def summary(passed: int | None = 12, skipped: int | None = 1, runner: str = "pytest", **more: Any) -> Summary:
    return Summary(runner, more.pop("line", 41), more.pop("text", "…"), passed, 0, 0, skipped, green=True, **more)


def logged(*summaries: Summary, name: str = "test", number: int = 5_001, **more: Any) -> Job:
    """A job whose log holds these summaries."""
    counted = [one for one in summaries if one.counted]
    known = all(one.passed is not None for one in counted)
    passed = sum(one.passed or 0 for one in counted) if known else None
    runner = ", ".join(dict.fromkeys(one.runner for one in summaries))
    log = build.report(runner=runner, passed=passed, summaries=summaries)
    return job(name, id=number, log=build.log(replace(log, **more)))


REPORTS = (report(),)


def run(*jobs: Job, reports: Any = REPORTS, **changes: Any) -> WorkflowRun:
    changes.setdefault("artifacts", (artifact(),))
    return build.run(*jobs, reports=reports, started_at=START, updated_at=END, **changes)


def only(one: WorkflowRun, rule: ReportRule = WANTED, partial: frozenset[int] = frozenset()) -> Finding:
    (found,) = check((one,), rule, partial)
    assert found.check == "ci.reports"
    return found


def judged(*jobs: Job, reports: tuple[TestReport, ...], rule: ReportRule = WANTED) -> Status:
    return only(run(*jobs, reports=reports), rule).status


def test_all_three_agree() -> None:
    found = only(run())
    assert (found.status, found.reason) == (
        P,
        "The test reports of CI do not contradict its raw logs: `junit` 12 passed, 1 skipped.",
    )
    assert [one.label for one in found.evidence] == ["run 501, attempt 1"]


def test_what_a_report_says_of_itself_is_shown_when_it_is_wrong() -> None:
    odd = report(flaky=2, disagreements=("suite `s` states 9 tests (its cases: 13)", "more"))
    assert only(run(reports=(odd,))).reason == (
        "The test reports of CI do not contradict its raw logs: `junit` 12 passed, 1 skipped, 2 flaky "
        "(of itself it says otherwise: suite `s` states 9 tests (its cases: 13))."
    )


def test_a_forged_summary_beside_a_true_report() -> None:
    found = only(run(logged(summary(250, 0), summary(3, 0)), reports=(report(3, 0),)))
    assert (found.status, found.reason) == (
        F,
        (
            "Reports and raw logs of CI differ. Reports: `junit` 3 passed, 0 skipped. "
            "Logs: job `test` 253 passed, up to 0 skipped (pytest)."
        ),
    )
    assert [(one.label, one.start_line, one.digest) for one in found.evidence] == [
        ("run 501, attempt 1", None, build.HEAD),
        ("artifact `junit`", None, DIGEST),
        ("job 5001 `test`", 41, DIGEST),
    ]
    assert found.fix is not None
    assert (found.fix.action, "`ci.reports`" in found.fix.text) == ("push", True)


def test_a_forged_report_beside_a_true_log() -> None:
    assert judged(logged(summary(3, 0)), reports=(report(10, 0),)) is F


def test_a_red_report_beside_green_jobs_and_logs() -> None:
    red = report(11, failed=1, errors=2, failed_names=("test_a", "test_b"))
    found = only(run(reports=(report(), red)))
    assert (found.status, found.reason) == (
        F,
        "CI ended as success, but its reports do not: `junit` has 1 failed and 2 broken (`test_a`, `test_b`).",
    )
    assert [one.label for one in found.evidence] == ["run 501, attempt 1", "artifact `junit`"]


def test_several_of_a_kind_are_listed() -> None:
    reds = (report(failed=1, name="a", failed_names=("x",)), report(errors=1, name="b", failed_names=("y",)))
    assert only(run(reports=reds)).reason.endswith(
        ": `a` has 1 failed and 0 broken (`x`); `b` has 0 failed and 1 broken (`y`)."
    )
    empties = (report(0, 0, "a"), report(0, 0, "b"))
    assert only(run(reports=empties)).reason == "Reports of CI hold no test at all: `a`, `b`."
    both = run(UNIT, E2E, reports=(report(10, 1, "a"), report(5, 0, "b")))
    assert only(both).reason.endswith(": `a` 10 passed, 1 skipped; `b` 5 passed, 0 skipped.")
    odd = run(UNIT, E2E, reports=(report(9, 1, "a"), report(7, 0, "b")))
    assert only(odd).reason == (
        "Reports and raw logs of CI differ. Reports: `a` 9 passed, 1 skipped, `b` 7 passed, 0 skipped. "
        "Logs: job `unit` 10 passed, up to 1 skipped (pytest); job `e2e` 5 passed, up to 0 skipped (playwright)."
    )
    old = START - timedelta(days=1)
    stale = run(reports=(), artifacts=(artifact(created_at=old), artifact("junit-2", created_at=old)))
    assert only(stale).reason.endswith(" is not read: `junit`, `junit-2`.")


@pytest.mark.parametrize("count", [{"failed": 1}, {"errors": 1}])
def test_one_failure_or_one_error_is_red(count: dict[str, Any]) -> None:
    assert only(run(reports=(report(**count),))).status is F


def test_a_report_without_tests_is_not_green() -> None:
    found = only(run(reports=(report(), report(0, 0, "junit 2"))))
    assert (found.status, found.reason) == (F, "Reports of CI hold no test at all: `junit 2`.")


def test_a_report_of_skipped_tests_is_not_green() -> None:
    found = only(run(logged(summary(0, 3)), reports=(report(0, 3),)))
    assert (found.status, found.reason) == (F, "The reports of CI hold only skipped tests.")
    assert only(run(logged(summary(12, 4)), reports=(report(), report(0, 3, "junit 2")))).status is P


def test_a_job_that_may_run_nothing_may_report_nothing() -> None:
    allowed = frozenset({5_001})
    assert only(run(logged(summary(0, 0)), reports=(report(0, 0),)), partial=allowed).status is P
    assert only(run(logged(summary(0, 3)), reports=(report(0, 3),)), partial=allowed).status is P
    assert only(run(logged(summary(0, 0)), reports=(report(0, 0),)), partial=frozenset({5_002})).status is F
    assert only(run(logged(summary(3, 0)), reports=(report(4, 0),)), partial=allowed).status is F


UNIT = logged(summary(10, 1), number=1, name="unit")
E2E = logged(summary(5, 0, "playwright"), number=2, name="e2e")
LINT = job("lint", id=3, log=build.log(NO_TESTS))


@pytest.mark.parametrize(
    ("reports", "plain", "required"),
    [
        ((report(15, 1),), P, P),  # one artifact for both jobs
        ((report(10, 1, "a"), report(5, 0, "b")), P, P),  # one for each
        ((report(6, 1, "a"), report(4, 0, "b")), P, F),  # two of the one job, none of the other
        ((report(5, 0),), P, F),
        ((report(10, 1), report(10, 1)), F, F),  # more than ran
        ((report(11, 1),), F, F),
        ((report(15, 2),), F, F),
    ],
)
def test_reports_add_up_to_what_some_or_all_jobs_show(
    reports: tuple[TestReport, ...], plain: Status, required: Status
) -> None:
    assert judged(UNIT, E2E, LINT, reports=reports) is plain
    assert judged(UNIT, E2E, LINT, reports=reports, rule=REQUIRED) is required


def test_what_a_console_need_not_count_is_no_contradiction() -> None:
    log = logged(summary(10, 1))
    assert judged(log, reports=(report(10, 3, left_out=2),)) is P
    assert judged(log, reports=(report(10, 3, left_out=1),)) is F


def test_reports_of_one_attempt_only_are_told_to_run_again() -> None:
    jobs = (logged(summary(10), number=1, name="a"), replace(logged(summary(5), number=2, name="b"), attempt=2))
    found = only(run(*jobs, attempt=2, reports=(report(5),)), REQUIRED)
    assert (found.status, found.fix and found.fix.action) == (F, "rerun")


def test_the_runs_of_one_runner_in_a_job_belong_together() -> None:
    assert judged(logged(summary(10), summary(2)), reports=(report(10),)) is F
    assert judged(logged(summary(10), summary(2)), reports=(report(12),)) is P
    assert judged(logged(summary(10), summary(2, runner="jest")), reports=(report(10),)) is P
    assert judged(logged(summary(10), summary(2, runner="jest")), reports=(report(10),), rule=REQUIRED) is F


def test_a_summary_that_a_later_one_replaces_does_not_count() -> None:
    assert judged(logged(summary(10, counted=False), summary(12)), reports=(report(12),)) is P
    assert judged(logged(summary(10, counted=False), summary(12)), reports=(report(22),)) is F


@pytest.mark.parametrize("words", [{"flaky": 2}, {"xfailed": 2}, {"xpassed": 2}, {"text": "Tests: 2 todo, 10 passed"}])
def test_what_has_a_word_of_its_own_in_the_log_is_passed_or_skipped_in_a_report(words: dict[str, Any]) -> None:
    log = logged(summary(10, 1, **words))
    assert [judged(log, reports=(report(passed, 1),)) for passed in (9, 10, 12, 13)] == [F, P, P, F]
    assert [judged(log, reports=(report(10, skipped),)) for skipped in (0, 1, 3, 4)] == [P, P, P, F]


def test_cases_that_may_be_the_same_again_need_not_count() -> None:
    repeated = report(10, 0, repeated=4)
    assert [judged(logged(summary(passed, 0)), reports=(repeated,)) for passed in (5, 6, 10, 11)] == [F, P, P, F]


def test_a_log_without_numbers_contradicts_nothing() -> None:
    silent = logged(summary(None, None, "gradle"))
    assert judged(silent, reports=(report(99, 9),)) is P
    assert judged(silent, reports=(report(99, 9),), rule=REQUIRED) is P
    assert judged(logged(summary(10, None)), reports=(report(10, 99),)) is P
    assert judged(logged(summary(None, 0), summary(10, 0)), reports=(report(9, 0),)) is F


def test_a_log_without_numbers_is_shown_as_such() -> None:
    both = run(logged(summary(None, 0, "gradle"), summary(3, 0)), reports=(report(9, 1),))
    assert only(both).reason.endswith("job `test` no number (gradle); job `test` 3 passed, up to 0 skipped (pytest).")


def test_ranges_are_shown_as_such() -> None:
    found = only(run(logged(summary(10, 1, flaky=2)), reports=(report(13),)))
    assert found.reason.endswith("Logs: job `test` 10 to 12 passed, up to 3 skipped (pytest).")


def test_no_log_that_speaks_of_tests_contradicts_nothing() -> None:
    assert judged(LINT, reports=(report(),)) is P
    assert judged(job(log=Unread("gone")), reports=(report(),)) is P


def test_a_log_whose_summaries_are_not_all_kept_counts_as_a_whole() -> None:
    cut = logged(summary(10, 1, flaky=1), passed=500, skipped=20)
    assert [judged(cut, reports=(report(passed, 21),)) for passed in (10, 499, 500, 501, 502)] == [F, F, P, P, F]
    assert judged(cut, reports=(report(500, 22),)) is F
    assert judged(logged(summary(10), passed=500, skipped=None), reports=(report(500, 1),)) is F
    assert "(pytest)" in only(run(cut, reports=(report(1, 0),))).reason


def test_beyond_so_many_ways_to_choose_only_all_jobs_together_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnesses, "MOST_SUMS", 4)
    jobs = [logged(summary(2**n, 0), number=n, name=f"test ({n})") for n in range(4)]
    assert judged(*jobs[:2], reports=(report(2, 0),)) is P
    assert judged(*jobs[:3], reports=(report(2, 0),)) is F
    assert judged(*jobs, reports=(report(7, 0),)) is F
    assert judged(*jobs, reports=(report(15, 0),)) is P


def test_only_the_jobs_that_decide_are_asked() -> None:
    old = replace(logged(summary(99, 0)), attempt=1)
    new = replace(logged(summary(12, 1), number=5_009), attempt=2)
    assert only(run(old, new, attempt=2)).status is P


@pytest.mark.parametrize(
    "changes", [{"conclusion": "failure"}, {"status": "in_progress", "conclusion": None}, {"status": "in_progress"}]
)
def test_a_run_that_did_not_end_as_success_needs_no_report(changes: dict[str, Any]) -> None:
    assert check((run(reports=Unread("x"), **changes),), REQUIRED) == []


def test_every_run_is_judged_for_itself() -> None:
    pages = run(reports=(report(1),), name="Pages", id=502)
    assert [one.status for one in check((run(), pages), WANTED)] == [P, F]


def test_reports_that_could_not_be_read() -> None:
    found = only(run(reports=Unread("artifact junit: the archive is broken: x")))
    assert (found.status, found.reason) == (
        F,
        "The test reports of CI could not be read: artifact junit: the archive is broken: x.",
    )
    assert found.fix is not None
    assert found.fix.action == "push"
    offline = only(run(reports=Unread("GitHub was not asked", offline=True)))
    assert (offline.status, offline.fix and offline.fix.action) == (Status.PENDING, "open-pull-request")


@pytest.mark.parametrize("reports", [(), None])
def test_a_missing_report_matters_where_one_is_required(reports: Any) -> None:
    bare = run(reports=reports, artifacts=())
    assert check((bare,), WANTED) == []
    found = only(bare, REQUIRED)
    assert (found.status, found.reason, found.fix and found.fix.action) == (F, "CI left no test report.", "push")
    assert check((run(LINT, reports=reports, artifacts=()),), REQUIRED) == []


@pytest.mark.parametrize("artifacts", [(artifact(created_at=START - timedelta(seconds=1)),), (artifact(expired=True),)])
def test_an_artifact_of_an_earlier_attempt_is_named(artifacts: tuple[Artifact, ...]) -> None:
    stale = run(reports=(), artifacts=(*artifacts, artifact("coverage", expired=True), artifact("junit 2")))
    words = "CI left no test report. What is there is expired or of an earlier attempt and is not read: `junit`."
    assert (only(stale).status, only(stale).reason) == (S, words)
    assert (only(stale, REQUIRED).status, only(stale, REQUIRED).reason) == (F, words)
    assert check((stale,), ReportRule()) == []


def test_artifacts_that_could_not_be_listed_say_nothing() -> None:
    assert check((run(reports=(), artifacts=Unread("cut")),), WANTED) == []
    red = run(reports=(report(failed=1),), artifacts=Unread("cut"))
    assert only(red).evidence[1].digest is None


def test_the_digest_shown_is_that_of_this_attempts_artifact() -> None:
    old = artifact(created_at=START - timedelta(days=1), digest="sha256:old")
    assert only(run(reports=(report(failed=1),), artifacts=(old,))).evidence[1].digest is None


@pytest.mark.parametrize(
    ("created", "within"),
    [(START, True), (END, True), (START - timedelta(seconds=1), False), (END + timedelta(seconds=1), False)],
)
def test_an_artifact_belongs_to_the_attempt_in_whose_time_it_was_made(created: Any, within: bool) -> None:
    assert is_of_attempt(run(), artifact(created_at=created)) is within
    assert is_of_attempt(run(), artifact(created_at=created, expired=True)) is False
    assert is_of_attempt(replace(run(), started_at=None), artifact(created_at=created)) is False
    assert is_of_attempt(replace(run(), updated_at=None), artifact(created_at=created)) is False


@pytest.mark.parametrize("name", [row["file"] for row in ROWS if row["file"] != "pytest_none.xml"])
def test_reports_and_logs_of_real_runs_agree(name: str) -> None:
    """The runner's own report and its console output, both as it wrote them."""
    log, held = parse_log((REAL / name).with_suffix(".log").read_bytes()), read(name)
    assert log.runner is not None
    real = run(job(log=build.log(log)), reports=(replace(held, failed=0, errors=0),))
    assert only(real, REQUIRED, frozenset({5_001})).status is P
    for count in (-1, 1):
        other = replace(held, failed=0, errors=0, passed=held.passed + count * (held.repeated + held.flaky + 3))
        assert held.passed == 0 or only(replace(real, reports=(other,)), REQUIRED).status is F
