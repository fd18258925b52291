"""Raw logs and commands: they must agree with the conclusions and show the tests of this head."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.ci import CiRequirement
from checks.finding import Fix, Status
from tests.checks import build
from tests.checks.build import HEAD, NO_TESTS, OTHER, job, log, only, report, run, worst
from tests.checks.ci_case import LINT, OFFLINE, OPEN, UNREAD, E, F, P, judge, reasons

# Logs (tricks 7, 11, 12, 17, 18, 19, 25, 27).


@pytest.mark.parametrize(
    ("given", "status", "reason", "action"),
    [
        (None, E, "The log of job `test` was not read.", "wait"),
        (UNREAD, E, "The log of job `test` could not be read: HTTP 502.", "wait"),
        (OFFLINE, OPEN, "The log of job `test` could not be read: judged locally.", "wait"),
        (
            log(checked_out=(OTHER, HEAD)),
            F,
            f"Job `test` checked out {OTHER[:12]}, not this head.",
            "rerun",
        ),
        (
            log(report(green=False, reasons=("line 9: a", "line 10: b", "line 11: c", "line 12: d"))),
            F,
            "Job `test` ended as success, but its log does not: line 9: a; line 10: b; line 11: c.",
            "push",
        ),
        (
            log(report(green=False)),
            F,
            "Job `test` ended as success, but its log does not: it names no reason.",
            "push",
        ),
        (
            log(replace(NO_TESTS, green=False, reasons=("line 3: ##[error]x",))),
            F,
            "Job `test` ended as success, but its log does not: line 3: ##[error]x.",
            "push",
        ),
        (
            log(report(green=None, reasons=("no test passed",))),
            F,
            "It cannot be told from the log of job `test` whether the tests passed: no test passed.",
            "push",
        ),
        (
            log(replace(NO_TESTS, truncated=True, reasons=("the log is too large",))),
            F,
            "It cannot be told from the log of job `test` whether the tests passed: the log is too large.",
            "push",
        ),
    ],
)
def test_a_log_that_does_not_agree(given: Any, status: Status, reason: str, action: str) -> None:
    result = judge(run(job(log=given)), late=True)
    finding = only(result.findings, "ci.logs")
    assert (finding.status, finding.reason) == (status, reason)
    assert finding.fix is not None
    assert finding.fix.action == action
    assert [each.label for each in finding.evidence] == ["job 5001 `test`"]
    assert only(result.findings, "ci.tests").status is (F if status is F else OPEN)
    assert result.jobs == ()


def test_a_bad_log_beside_good_ones_is_enough() -> None:
    bad = job("lint", id=5_002, log=log(report(green=False, reasons=("line 9: a",))))
    assert [each[:2] for each in reasons(judge(run(job(), bad)))] == [("ci.logs", F)]


def test_a_job_without_tests_is_no_matter_beside_one_with_tests() -> None:
    result = judge(run(job(), LINT))
    assert worst(result.findings) == []
    assert result.jobs == (job(), LINT)


def test_no_log_with_tests_is_not_green() -> None:
    late = judge(run(LINT), late=True)
    reason = "No log of a required job shows passing tests of a known test runner."
    assert reasons(late) == [("ci.tests", F, reason)]
    assert late.findings[0].fix == Fix(
        "push", "Let the job run its tests so that the runner prints its closing summary with counts."
    )
    assert reasons(judge(run(LINT))) == [("ci.tests", OPEN, "No log shows passing tests of this head yet.")]


NOT_REQUIRED = (
    "Tests passed in job `{}`, but it runs nothing that is required, "
    "or its log does not show that it checked out this head."
)


def test_a_log_must_show_the_checkout_of_this_head() -> None:
    result = judge(run(job(log=log(checked_out=None))), late=True)
    assert reasons(result) == [("ci.tests", F, NOT_REQUIRED.format("test"))]
    assert result.findings[0].fix == Fix(
        "ask-person", "Ask a person to run the tests in a required job that checks out with actions/checkout."
    )
    assert [each.label for each in result.findings[0].evidence] == ["job 5001 `test`"]
    unbound = job("more", id=5_002, log=log(checked_out=None))
    assert worst(judge(run(unbound, job())).findings) == []


def test_required_jobs_must_show_the_tests() -> None:
    runs = run(job(), LINT)
    assert reasons(judge(runs, rules=CiRequirement(jobs=("lint",)), late=True)) == [
        ("ci.tests", F, NOT_REQUIRED.format("test"))
    ]
    assert worst(judge(runs, rules=CiRequirement(jobs=("lint", "test"))).findings) == []


# Commands (tricks 10, 25).


def test_required_commands_must_show_the_tests() -> None:
    runs = run(job(), LINT)
    assert reasons(judge(runs, rules=CiRequirement(jobs=("test",), commands=("ruff check",)), late=True)) == [
        ("ci.tests", F, NOT_REQUIRED.format("test"))
    ]
    assert worst(judge(runs, rules=CiRequirement(commands=("ruff check", "pytest -q"))).findings) == []


@pytest.mark.parametrize(
    ("wanted", "shown", "there"),
    [
        ("pytest -q", "pytest -q", True),
        ("pytest  -q ", "pytest -q", True),
        ("Run pytest -q", "pytest -q", True),
        ("pytest -q", "Run  pytest   -q", True),
        ("pytest -q", "pytest -q tests/one.py", False),
        ("pytest -q", "pytest -q || true", False),
        ("pytest -q", "pytest", False),
        ("pytest", "pytest -q", False),
        ("pytest -q", "PYTEST -Q", False),
    ],
)
def test_a_command_must_be_exactly_the_required_one(wanted: str, shown: str, there: bool) -> None:
    result = judge(run(job(log=log(commands=(shown,)))), rules=CiRequirement(commands=(wanted,)), late=True)
    name = " ".join(wanted.removeprefix("Run ").split())
    finding = only(result.findings, "ci.commands")
    if there:
        assert (finding.status, finding.reason) == (P, f"`{name}` ran in job `test`.")
    else:
        assert (finding.status, finding.reason) == (F, f"`{name}` is not a step of any job that succeeded.")
        assert finding.fix is not None
        assert finding.fix.action == "ask-person"
        assert "in a step without a name of its own" in finding.fix.text


CHECKOUT = "actions/checkout@v4"


@pytest.mark.parametrize(
    ("steps", "headings", "there"),
    [
        (["Run actions/checkout@v4", "Run make e2e"], [CHECKOUT, "make e2e"], True),
        (["Run actions/checkout@v4", "End to end"], [CHECKOUT, "make e2e"], True),
        (["Run actions/checkout@v4", "Run pytest -q"], [CHECKOUT, "pytest -q", "make e2e"], False),
        (["Run actions/checkout@v4", "Unit tests"], [CHECKOUT, "pytest -q", "make e2e"], False),
        (["Set up job", "Run pytest -q", "Post Run x"], ["pytest -q", "make e2e"], False),
    ],
    ids=["a step", "a named step", "printed by a step", "printed by a named step", "no step of the file"],
)
def test_a_heading_that_no_step_accounts_for_was_printed(steps: list[str], headings: list[str], there: bool) -> None:
    """Trick 32: the tested code prints `##[group]Run make e2e`."""
    tested = job(steps=tuple(build.step(name) for name in steps), log=log(commands=tuple(headings)))
    rules = CiRequirement(commands=("make e2e",))
    finding = only(judge(run(tested), rules=rules, late=True).findings, "ci.commands")
    assert finding.status is (P if there else F)


@pytest.mark.parametrize("conclusion", ["skipped", None])
def test_a_step_that_was_left_out_did_not_run(conclusion: str | None) -> None:
    tested = job(steps=(build.step("Run make e2e", conclusion), build.step("Named")), log=log(commands=("make e2e",)))
    rules = CiRequirement(commands=("make e2e",))
    assert only(judge(run(tested), rules=rules, late=True).findings, "ci.commands").status is F


def test_a_command_is_awaited() -> None:
    rules = CiRequirement(commands=("ruff check",))
    assert ("ci.commands", OPEN, "`ruff check` has not run yet in a job that succeeded.") in reasons(
        judge(run(), rules=rules)
    )
    going = run(status="in_progress", conclusion=None)
    assert only(judge(going, rules=rules, late=True).findings, "ci.commands").status is OPEN


def test_a_command_in_a_failed_job_does_not_count() -> None:
    failed = run(job(), replace(LINT, conclusion="failure"), conclusion="failure")
    result = judge(failed, rules=CiRequirement(commands=("ruff check",)), late=True)
    assert only(result.findings, "ci.commands").status is F


def test_the_ticket_s_commands_are_added_once() -> None:
    ticket = build.ticket(verification_commands=("pytest  -q", "make e2e"))
    result = judge(run(), rules=CiRequirement(commands=("pytest -q",)), ticket=ticket, late=True)
    commands = [each for each in result.findings if each.check == "ci.commands"]
    assert [(each.status, each.reason) for each in commands] == [
        (F, "`make e2e` is not a step of any job that succeeded."),
        (P, "`pytest -q` ran in job `test`."),
    ]


def test_an_unreadable_log_makes_the_rest_wait() -> None:
    result = judge(run(job(log=UNREAD)), rules=CiRequirement(commands=("pytest -q",)), late=True)
    assert [each[:2] for each in reasons(result)] == [("ci.logs", E), ("ci.commands", OPEN), ("ci.tests", OPEN)]
