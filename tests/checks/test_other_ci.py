"""Other CI systems: the checks of their Apps vouch for low risk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.ci import CiRequirement, CiResult, check, check_group
from checks.finding import Status
from checks.group_snapshot import GroupMember
from checks.other_ci import Witness
from checks.runs import Build, BuildJob, CheckRun
from checks.snapshot import Risk
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import NO_TESTS, log, report
from tests.checks.ci_case import LATE, OFFLINE, OPEN, UNREAD, E, F, P

WITNESS = Witness("buildkite", ("build",))
RULES = CiRequirement(others=(WITNESS,))
SAID = CheckRun(91, "build", 72, "buildkite", "completed", "success")


def judge(
    *check_runs: CheckRun, rules: CiRequirement = RULES, level: Risk = Risk.LOW, late: bool = True, **changes: Any
) -> CiResult:
    changes = {"runs": (), "check_runs": check_runs, **changes}
    if late:
        changes["head_seen_at"] = LATE
    return check(build.snapshot(**changes), rules, level)


def said(result: CiResult) -> list[tuple[str, Status, str]]:
    return [(one.check, one.status, one.reason) for one in result.findings]


def test_a_green_check_of_the_named_app_is_enough_at_low_risk() -> None:
    result = judge(SAID)
    assert said(result) == [("ci.other", P, "`build` of `buildkite` ended as success.")]
    assert [one.label for one in result.findings[0].evidence] == ["check run 91 `build`"]


@pytest.mark.parametrize("level", [Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL])
def test_above_low_risk_it_is_not(level: Risk) -> None:
    result = judge(SAID, level=level)
    assert said(result)[0] == (
        "ci.runs",
        F,
        f"At {level.word} risk raw logs that the gate reads must show passing tests, and none does.",
    )
    assert said(result)[1][:2] == ("ci.other", P)


def test_a_risk_that_nobody_tells_is_not_low() -> None:
    assert check(build.snapshot(runs=(), check_runs=(SAID,)), RULES).findings[0].status is F


@pytest.mark.parametrize("app", ["buildkite", "72"])
def test_an_app_is_named_by_slug_or_id(app: str) -> None:
    assert said(judge(SAID, rules=CiRequirement(others=(Witness(app, ("build",)),))))[0][1] is P


@pytest.mark.parametrize(
    "other",
    [
        replace(SAID, app_slug="mallory", app_id=73),
        replace(SAID, app_slug=None, app_id=None),
        replace(SAID, name="build "),
        replace(SAID, name="buildkite"),
    ],
)
def test_another_app_or_name_says_nothing(other: CheckRun) -> None:
    assert said(judge(other)) == [("ci.other", F, "`buildkite` has posted no check `build` on this head.")]
    assert said(judge(other, late=False)) == [
        ("ci.other", OPEN, "`buildkite` has posted no check `build` on this head yet.")
    ]


@pytest.mark.parametrize("app", ["github-actions", "15368"])
def test_jobs_of_workflows_are_no_witness_of_this_kind(app: str) -> None:
    forged = replace(SAID, app_slug="github-actions", app_id=15368)
    assert said(judge(forged, rules=CiRequirement(others=(Witness(app, ("build",)),))))[0][1] is F


def test_the_newest_check_of_a_name_decides() -> None:
    red = replace(SAID, id=92, conclusion="failure")
    assert said(judge(red, SAID)) == [("ci.other", F, "`build` of `buildkite` ended as failure.")]
    assert said(judge(SAID, replace(red, id=90)))[0][1] is P


@pytest.mark.parametrize("conclusion", ["failure", "neutral", "skipped", "cancelled", "timed_out", None])
def test_only_success_is_one(conclusion: str | None) -> None:
    assert said(judge(replace(SAID, conclusion=conclusion)))[0][1] is F


def test_a_check_that_is_not_finished() -> None:
    open_ = replace(SAID, status="in_progress", conclusion=None)
    assert said(judge(open_)) == [("ci.other", OPEN, "`build` of `buildkite` is not finished: in_progress.")]


def test_every_named_check_must_be_there() -> None:
    rules = CiRequirement(others=(Witness("buildkite", ("build", "e2e")), Witness("circleci", ("test",))))
    assert [one[1] for one in said(judge(SAID, rules=rules))] == [P, F, F]


def test_checks_that_could_not_be_read() -> None:
    assert said(judge(check_runs=UNREAD)) == [
        ("ci.other", E, "The checks of other CI systems could not be read: HTTP 502.")
    ]
    assert said(judge(check_runs=OFFLINE))[0][1] is OPEN
    assert said(judge(check_runs=UNREAD, rules=CiRequirement()))[0][0] == "ci.runs"


def test_where_workflows_ran_both_must_be_green() -> None:
    red = judge(replace(SAID, conclusion="failure"), runs=(build.run(),))
    assert (red.findings[0].check, red.findings[0].status) == ("ci.other", F)
    green = judge(SAID, runs=(build.run(),), level=Risk.MEDIUM)
    assert {one.status for one in green.findings} == {P}
    assert "ci.other" in {one.check for one in green.findings}


@pytest.mark.parametrize("wanted", [{"jobs": ("test",)}, {"commands": ("pytest -q",)}])
def test_jobs_and_commands_are_those_of_workflows(wanted: dict[str, Any]) -> None:
    result = judge(SAID, rules=replace(RULES, **wanted))
    assert [(one.check, one.status) for one in result.findings] == [("ci.other", P), ("ci.runs", F)]


def group(*risks: Risk | None, **changes: Any) -> list[tuple[str, Status]]:
    members = tuple(
        GroupMember(n, build.HEAD, build.HEAD, "passed", "passed", "", risk) for n, risk in enumerate(risks)
    )
    given = {"members": members, "check_runs": (SAID,), "head_seen_at": LATE, **changes}
    snapshot = build.group(runs=(), **given)
    return [(one.check, one.status) for one in check_group(snapshot, RULES).findings]


def test_a_group_is_as_risky_as_its_riskiest_member() -> None:
    assert group(Risk.LOW, Risk.LOW) == [("ci.other", P)]
    for members in ((Risk.LOW, Risk.MEDIUM), (Risk.MEDIUM, Risk.LOW), (Risk.LOW, None), ()):
        assert group(*members) == [("ci.runs", F), ("ci.other", P)]
    assert group(members=Unread("x")) == [("ci.runs", F), ("ci.other", P)]


def test_a_group_waits_for_its_own_checks() -> None:
    assert group(Risk.LOW, check_runs=()) == [("ci.other", F)]
    assert group(Risk.LOW, check_runs=(), head_seen_at=build.NOON) == [("ci.other", OPEN)]


LOGGED = Witness("buildkite", ("build",), "buildkite")
READ = CiRequirement(others=(LOGGED,))
URL = "https://buildkite.com/acme/shop/builds/7"
GREEN = BuildJob("tests", True, log(checked_out=None))
BUILT = Build(URL, build.HEAD, True, (GREEN,))
SHOWN = (P, "The raw logs of `build` of `buildkite` show passing tests: `tests` (12 passed, 1 skipped).")


def read(built: Build | Unread | None, level: Risk = Risk.MEDIUM, **changes: Any) -> list[tuple[Status, str]]:
    """What `ci.other` says of the log of a green check."""
    result = judge(replace(SAID, build=built), **{"rules": READ, "level": level, **changes})
    others = [(one.status, one.reason) for one in result.findings if one.check == "ci.other"]
    assert others[0] == (P, "`build` of `buildkite` ended as success.")
    return others[1:]


@pytest.mark.parametrize("level", list(Risk))
def test_a_log_that_shows_passing_tests_is_worth_what_one_of_actions_is(level: Risk) -> None:
    result = judge(replace(SAID, build=BUILT), rules=READ, level=level)
    assert {one.status for one in result.findings} == {P}
    assert read(BUILT, level) == [SHOWN]
    (at,) = result.findings[1].evidence
    assert (at.label, at.url, at.start_line, at.digest) == ("job `tests`", URL, 41, build.DIGEST)


def test_beside_workflows_that_run_no_tests_it_shows_them() -> None:
    lint = build.run(build.job("lint", log=log(NO_TESTS)))
    with_log = judge(replace(SAID, build=BUILT), rules=READ, level=Risk.MEDIUM, runs=(lint,))
    assert {one.status for one in with_log.findings} == {P}
    assert with_log.findings[-1].reason == "Tests passed at this head in another CI system, by its raw logs."
    assert judge(SAID, level=Risk.MEDIUM, runs=(lint,)).findings[0].status is F


RED = log(report(False, failed=1, reasons=("line 4: 1 failed",)), checked_out=None)
UNKNOWN = log(report(None, reasons=("gradle printed no number of passed tests",)), checked_out=None)


@pytest.mark.parametrize("level", [Risk.LOW, Risk.HIGH])
@pytest.mark.parametrize(
    ("built", "reason"),
    [
        (replace(BUILT, commit=build.OTHER), "`build` of `buildkite` tested 0d0d0d0d0d0d, not this head."),
        (replace(BUILT, commit=None), "`build` of `buildkite` tested no commit that it names, not this head."),
        (
            replace(BUILT, succeeded=False),
            "By the system's own word the build of `build` of `buildkite` did not succeed.",
        ),
        (
            replace(BUILT, jobs=(GREEN, replace(GREEN, name="e2e", succeeded=False))),
            "The build of `build` of `buildkite` passed although its job `e2e` did not.",
        ),
        (
            replace(BUILT, jobs=(GREEN, replace(GREEN, name="e2e", log=RED))),
            "Job `e2e` of `build` of `buildkite` ended as success, but its log does not: line 4: 1 failed.",
        ),
    ],
)
def test_what_speaks_against_it_counts_at_any_risk(built: Build, reason: str, level: Risk) -> None:
    assert read(built, level) == [(F, reason)]


def test_a_log_that_does_not_tell() -> None:
    unknown = replace(BUILT, jobs=(replace(GREEN, log=UNKNOWN),))
    ((status, reason),) = read(unknown)
    assert (status, reason.startswith("It cannot be told from the log of job `tests`")) == (F, True)
    nothing = (Status.SKIPPED, "The raw logs of `build` of `buildkite` show no passing tests of a known test runner.")
    assert read(unknown, Risk.LOW) == [nothing]
    cut = replace(BUILT, jobs=(replace(GREEN, log=log(replace(NO_TESTS, truncated=True), checked_out=None)),))
    assert read(cut)[0][0] is F


@pytest.mark.parametrize("jobs", [(), (replace(GREEN, log=log(NO_TESTS, checked_out=None)),)])
def test_a_build_without_tests(jobs: tuple[BuildJob, ...]) -> None:
    reason = "The raw logs of `build` of `buildkite` show no passing tests of a known test runner."
    assert read(replace(BUILT, jobs=jobs)) == [(F, reason)]
    assert read(replace(BUILT, jobs=jobs), Risk.LOW) == [(Status.SKIPPED, reason)]


@pytest.mark.parametrize(
    ("built", "what"),
    [
        (Unread("HTTP 502"), "The raw log of `build` of `buildkite` could not be read: HTTP 502."),
        (None, "The raw log of `build` of `buildkite` could not be read: nobody asked for it."),
        (
            replace(BUILT, jobs=(replace(GREEN, log=Unread("HTTP 502")),)),
            "The raw log of job `tests` of `build` of `buildkite` could not be read: HTTP 502.",
        ),
    ],
)
def test_a_log_that_could_not_be_read(built: Build | Unread | None, what: str) -> None:
    assert read(built) == [(E, what)]
    assert read(built, Risk.LOW) == [(Status.SKIPPED, f"{what} At low risk the check alone suffices.")]


@pytest.mark.parametrize(
    ("system", "path"),
    [("buildkite", ".buildkite/pipeline.yml"), ("circleci", ".circleci/config.yml"), ("jenkins", "ci/Jenkinsfile.pr")],
)
def test_a_change_of_what_the_system_runs_is_for_a_person(system: Any, path: str) -> None:
    rules = CiRequirement(others=(Witness("buildkite", ("build",), system),))
    changed: dict[str, Any] = {"rules": rules, "merge_diff": build.diff("src/price.py", path)}
    assert read(BUILT, **changed) == [(OPEN, f"The change alters what {system} runs: {path}."), SHOWN]
    found = judge(replace(SAID, build=BUILT), level=Risk.MEDIUM, **changed).findings
    assert [one.needs_person for one in found] == [False, True, False]
    assert read(BUILT, **{**changed, "merge_diff": build.diff("src/price.py")}) == [SHOWN]
    assert read(BUILT, **{**changed, "merge_diff": Unread("conflict")}) == [SHOWN]


def test_a_check_that_is_not_green_is_not_looked_into() -> None:
    red = judge(replace(SAID, build=BUILT, conclusion="failure"), rules=READ)
    assert said(red) == [("ci.other", F, "`build` of `buildkite` ended as failure.")]


def test_logs_of_a_group_count_like_those_of_a_pull_request() -> None:
    members = (GroupMember(1, build.HEAD, build.HEAD, "passed", "passed", "", Risk.HIGH),)
    snapshot = build.group(runs=(), members=members, check_runs=(replace(SAID, build=BUILT),), head_seen_at=LATE)
    assert [one.status for one in check_group(snapshot, READ).findings] == [P, P]
