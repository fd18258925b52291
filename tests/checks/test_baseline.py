"""What shrank against the target branch must be declared, and the policy must allow it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from checks.baseline import BaselineRule, check, check_group, declared_tests
from checks.finding import Finding, Status
from checks.group_snapshot import DeclaredTests, GroupMember
from checks.runs import Baseline, JobTests, ReportedTests
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import NOON, job, run
from tests.checks.ci_case import OPEN, E, F, P
from tests.checks.tally_case import holds, ran

S = Status.SKIPPED
URL = "https://github.com/acme/shop/actions/runs/400"
BEFORE = Baseline(build.CI_YML, 400, build.BASE, NOON, (JobTests("test", 13, 1),), url=URL)


def judge(*jobs: Any, rule: BaselineRule | None = None, tests: Any = None, **changes: Any) -> Finding:
    """The finding on a run of these jobs; `tests` is what the bundle says of tests."""
    baselines = changes.pop("baselines", (BEFORE,))
    changes.setdefault("created_at", NOON)
    bundle = changes.pop("bundle", build.bundle(tests=tests))
    (found,) = check((run(*jobs, **changes),), baselines, rule or BaselineRule(), bundle)
    assert found.check == "ci.baseline"
    return found


def test_nothing_is_missing() -> None:
    found = judge()
    assert (found.status, found.reason) == (
        P,
        "No job, test or running test is missing against the target branch: CI (run 400).",
    )
    assert [(one.label, one.url, one.path, one.digest) for one in found.evidence] == [
        ("run 400 of the target branch", URL, build.CI_YML, build.BASE)
    ]


FEWER = "CI ran less than on the target branch: job `test` ran 10 tests, there 13."
MORE = "CI ran less than on the target branch: job `test` skipped 4 tests, there 1."


@pytest.mark.parametrize("tests", [None, {"removed": 2}, {"skipped": 9}, {"removed": ["a", "b"]}])
def test_fewer_tests_than_declared_fail(tests: Any) -> None:
    found = judge(ran(10, 1), tests=tests)
    assert (found.status, found.reason) == (F, FEWER)
    assert found.fix is not None
    assert (found.fix.action, found.fix.field) == ("push", "tests")
    assert [one.label for one in found.evidence] == ["run 501, attempt 1", "run 400 of the target branch"]


@pytest.mark.parametrize("tests", [None, {"removed": 9}, {"skipped": 2}])
def test_more_skips_than_declared_fail(tests: Any) -> None:
    assert (judge(ran(13, 4), tests=tests).status, judge(ran(13, 4), tests=tests).reason) == (F, MORE)


def test_without_a_bundle_nothing_is_declared() -> None:
    assert judge(ran(10, 1), bundle=None).status is F


@pytest.mark.parametrize("tests", [{"removed": 3}, {"removed": ["a", "b", "c", "d"]}])
def test_what_is_declared_is_for_a_person_to_accept(tests: Any) -> None:
    found = judge(ran(10, 1), tests=tests)
    assert (found.status, found.needs_person, found.reason) == (OPEN, True, f"{FEWER} The bundle declares it.")
    assert found.fix is not None
    assert found.fix.action == "ask-person"


@pytest.mark.parametrize(
    ("allowance", "status", "rest"),
    [
        ("never", F, "The bundle declares it, but the policy does not allow it."),
        ("person", OPEN, "The bundle declares it."),
        ("declared", P, "The bundle declares it, and the policy allows that."),
    ],
)
def test_the_policy_says_what_a_declaration_is_worth(allowance: Any, status: Status, rest: str) -> None:
    fewer = judge(ran(10, 1), tests={"removed": 3}, rule=BaselineRule(fewer_tests=allowance, more_skips="person"))
    assert (fewer.status, fewer.reason) == (status, f"{FEWER} {rest}")
    more = judge(ran(13, 4), tests={"skipped": 3}, rule=BaselineRule(fewer_tests="person", more_skips=allowance))
    assert (more.status, more.reason) == (status, f"{MORE} {rest}")


@pytest.mark.parametrize(
    ("fewer", "more", "status"),
    [("declared", "declared", P), ("declared", "person", OPEN), ("never", "person", F), ("declared", "never", F)],
)
def test_the_strictest_word_decides(fewer: Any, more: Any, status: Status) -> None:
    both = judge(ran(10, 4), tests={"removed": 3, "skipped": 3}, rule=BaselineRule(True, fewer, more))
    assert both.status is status


def test_what_is_hidden_is_named_without_what_is_declared() -> None:
    assert judge(ran(10, 4), tests={"removed": 3}).reason == MORE


def test_a_missing_job_cannot_be_declared() -> None:
    found = judge(job("lint"), tests={"removed": 99, "skipped": 99}, rule=BaselineRule(True, "declared", "declared"))
    assert (found.status, found.reason) == (
        F,
        "CI ran less than on the target branch: job `test` is missing.",
    )
    assert found.fix is not None
    assert found.fix.text.startswith("Let every job")


def test_reports_of_an_earlier_attempt_are_run_again() -> None:
    before = Baseline(build.CI_YML, 400, build.BASE, NOON, (JobTests("test", None, None),), ReportedTests(9, 0))
    found = judge(job(attempt=1), job("e2e", id=2, attempt=2), baselines=(before,), reports=(holds(3),), attempt=2)
    assert (found.status, found.fix and found.fix.action) == (F, "rerun")


def test_partial_jobs_may_run_less() -> None:
    assert judge(ran(0), rule=BaselineRule(partial=("test",))).status is P


@pytest.mark.parametrize("baselines", [(), None, (Baseline("other.yml", 1, build.BASE, NOON, ()),)])
def test_nothing_to_compare_with(baselines: Any) -> None:
    found = judge(ran(0), baselines=baselines)
    assert (found.status, found.reason) == (S, "There is no green run of the target branch to compare with yet.")


def test_the_policy_may_ask_for_no_comparison() -> None:
    found = judge(ran(0), rule=BaselineRule(compare=False), baselines=Unread("x"))
    assert (found.status, found.reason) == (S, "The policy asks for no comparison with the target branch's runs.")


def test_a_baseline_that_could_not_be_read() -> None:
    found = judge(baselines=Unread("the store is away"))
    assert (found.status, found.reason) == (E, "The target branch's runs could not be read: the store is away.")


def test_a_run_that_is_not_finished_is_waited_for() -> None:
    found = judge(ran(0), status="in_progress", conclusion=None)
    assert (found.status, found.reason) == (OPEN, "The comparison with the target branch waits for the runs.")


def test_a_red_run_is_not_compared() -> None:
    found = judge(ran(0), conclusion="failure")
    assert (found.status, found.reason) == (
        S,
        "Only runs that ended as success are compared with the target branch's.",
    )


def test_each_workflow_file_has_a_baseline_of_its_own() -> None:
    other = Baseline(".github/workflows/e2e.yml", 401, build.BASE, NOON, (JobTests("test", 20, 0),))
    ci = run(created_at=NOON)
    e2e = run(ran(20, id=7), id=502, name="E2E", path=".github/workflows/e2e.yml@main", created_at=NOON)
    found = check((ci, e2e), (BEFORE, other), BaselineRule(), None)
    assert [(one.status, one.reason.rpartition(": ")[2]) for one in found] == [(P, "CI (run 400), E2E (run 401).")]
    less = (run(ran(10, 1), created_at=NOON), run(ran(1, id=7), id=502, path=other.workflow, created_at=NOON))
    assert [one.status for one in check(less, (BEFORE, other), BaselineRule(), None)] == [F, F]


def test_what_landed_after_a_run_began_is_not_in_it() -> None:
    newer = Baseline(build.CI_YML, 402, build.BASE, NOON + timedelta(seconds=1), (JobTests("test", 99, 0),))
    assert judge(baselines=(newer, BEFORE)).status is P
    assert judge(baselines=(newer,)).status is S
    assert judge(baselines=(BEFORE, newer), created_at=newer.since).status is F
    assert judge(baselines=(newer, BEFORE), created_at=newer.since).status is F
    assert judge(baselines=(BEFORE,), created_at=None).status is S


def test_a_run_of_the_head_alone_lacks_what_has_landed() -> None:
    assert judge(ran(1), event="push").status is S
    assert judge(ran(1), event="merge_group").status is F


def test_only_so_many_words_are_made() -> None:
    many = Baseline(build.CI_YML, 400, build.BASE, NOON, tuple(JobTests(f"leg {n}", 1, 0) for n in range(9)))
    assert judge(baselines=(many,)).reason.count("missing") == 5


def test_without_runs_there_is_nothing_to_compare() -> None:
    assert check((), (BEFORE,), BaselineRule(), None) == []


def of_group(*jobs: Any, declared: tuple[DeclaredTests | None, ...], rule: BaselineRule | None = None) -> Finding:
    members = tuple(
        GroupMember(n, build.HEAD, build.HEAD, "passed", "passed", "", declared=one) for n, one in enumerate(declared)
    )
    runs = (run(*jobs, event="merge_group", created_at=NOON),)
    (found,) = check_group(runs, (BEFORE,), rule or BaselineRule(), members)
    assert found.check == "ci.baseline"
    return found


NONE = DeclaredTests()


@pytest.mark.parametrize("declared", [(), (NONE,), (NONE, DeclaredTests(2, 9))])
def test_a_group_that_ran_fewer_tests_than_its_members_declare(declared: tuple[DeclaredTests, ...]) -> None:
    found = of_group(ran(10, 1), declared=declared)
    assert (found.status, found.reason, found.fix and found.fix.action) == (F, FEWER, "requeue")


def test_what_the_members_of_a_group_declare_adds_up_and_was_settled_before() -> None:
    found = of_group(ran(10, 1), declared=(DeclaredTests(1), DeclaredTests(2)), rule=BaselineRule(fewer_tests="never"))
    assert (found.status, found.reason) == (P, f"{FEWER} Its pull requests declare it.")
    more = of_group(ran(13, 4), declared=(DeclaredTests(0, 2), DeclaredTests(9, 1)))
    assert (more.status, more.reason) == (P, f"{MORE} Its pull requests declare it.")


def test_a_person_s_own_work_in_a_group_declares_nothing() -> None:
    found = of_group(job("lint"), declared=(NONE, None))
    assert found.status is S
    assert found.reason == (
        "CI ran less than on the target branch: job `test` is missing. "
        "A person's own pull request is in the group, which may do that unsaid."
    )


def test_a_job_that_a_group_lacks_cannot_be_declared() -> None:
    assert of_group(job("lint"), declared=(DeclaredTests(99, 99),)).status is F


def test_a_group_that_ran_as_much_as_before() -> None:
    assert of_group(ran(13, 1), declared=(NONE,)).status is P
    assert check_group((), (BEFORE,), BaselineRule(), ()) == []


def test_what_a_bundle_declares() -> None:
    assert declared_tests(None) == DeclaredTests(0, 0)
    assert declared_tests(build.bundle()) == DeclaredTests(0, 0)
    assert declared_tests(build.bundle(tests={"removed": ["a", "b"], "skipped": 4})) == DeclaredTests(2, 4)
