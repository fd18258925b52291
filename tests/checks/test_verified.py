"""Level `verified`: which runs are the gate's own, what they prove, and when one is started."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.diff import FileStatus
from checks.finding import Status
from checks.runs import Job, Verification, WorkflowRun
from checks.tampering.alteration import Analysis
from checks.unread import Unread
from checks.verified import VerifiedResult, VerifierRequirement, check
from tests.checks.build import BASE, NO_TESTS, OTHER, diff, file, job, log, report, run, snapshot, workflow

P, F, OPEN, E, S = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED, Status.SKIPPED
PATH = ".github/workflows/mergegate-verify.yml"
ASKED = VerifierRequirement(1, PATH, "sha256:o", "mergegate[bot]", "high", ready=True)
RED = report(False, failed=1, reasons=("1 failed",))
MISSING = object()


def verifier_job(name: str = "unchanged", **changes: Any) -> Job:
    return job(name, **{"log": log(checked_out=None), **changes})


def verifier_run(*jobs: Job, **changes: Any) -> WorkflowRun:
    own = {"id": 900, "path": PATH, "event": "workflow_dispatch", "head_sha": BASE, "actor": "mergegate[bot]"}
    return run(*(jobs or (verifier_job(),)), **{**own, **changes})


def verification(made: Any = MISSING, number: str = "v1", **changes: Any) -> Verification:
    return replace(Verification(number, "sha256:o", BASE, verifier_run() if made is MISSING else made), **changes)


def judge(*made: Verification, asked: VerifierRequirement = ASKED, **changes: Any) -> VerifiedResult:
    files = (workflow(), workflow(PATH))
    return check(snapshot(**{"workflows": files, "verifications": made, **changes}), asked)


def said(result: VerifiedResult) -> list[tuple[Status, str]]:
    assert {finding.check for finding in result.findings} == {"ci.verifier"}
    return [(finding.status, finding.reason) for finding in result.findings]


STARTED = (OPEN, "High risk needs a separate verifier run; started now.")


def test_one_is_started_where_none_is() -> None:
    result = judge()
    assert (said(result), result.missing) == ([STARTED], 1)
    assert result.findings[0].fix is not None
    assert result.findings[0].fix.action == "wait"


def test_none_is_started_while_something_else_is_open() -> None:
    result = judge(asked=replace(ASKED, ready=False, runs=2, risk="critical"))
    reason = "Critical risk needs 2 separate verifier runs; started once nothing else is open or wrong."
    assert (said(result), result.missing) == ([(OPEN, reason)], 0)


def test_a_good_run_passes() -> None:
    result = judge(verification())
    reason = "The required commands succeeded on the merge result in a separate verifier run."
    assert (said(result), result.missing) == ([(P, reason)], 0)
    assert result.findings[0].evidence[0].label == "run 900, attempt 1"


def test_critical_needs_as_many_as_are_asked_for() -> None:
    two = replace(ASKED, runs=2, risk="critical")
    first = judge(verification(), asked=two)
    assert ([status for status, _ in said(first)], first.missing) == ([P, OPEN], 1)
    second = judge(verification(), verification(number="v2"), asked=two)
    assert ([status for status, _ in said(second)], second.missing) == ([P, P], 0)
    none = judge(asked=two)
    assert (said(none)[0][1], none.missing) == ("Critical risk needs 2 separate verifier runs; started now.", 2)


@pytest.mark.parametrize("made", [None, verifier_run(status="in_progress", conclusion=None)])
def test_one_under_way_is_awaited_and_no_second_one_started(made: WorkflowRun | None) -> None:
    result = judge(verification(made))
    assert (said(result), result.missing) == ([(OPEN, "A separate verifier run is under way.")], 0)
    assert len(result.findings[0].evidence) == (made is not None)


def test_a_run_that_cannot_be_read_is_errored() -> None:
    result = judge(verification(Unread("HTTP 502")))
    assert (said(result), result.missing) == ([(E, "A verifier run could not be read: HTTP 502.")], 0)
    whole = judge(verifications=Unread("the database is away"))
    assert said(whole) == [(E, "The verifier's runs could not be read: the database is away.")]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"event": "push"}, "it is a run of .github/workflows/mergegate-verify.yml on push"),
        ({"path": ".github/workflows/x.yml"}, "it is a run of .github/workflows/x.yml on workflow_dispatch"),
        ({"actor": "mallory"}, "it was started by mallory, not by the gate"),
        ({"actor": None}, "it was started by nobody known, not by the gate"),
        ({"attempt": 2}, "somebody ran it again"),
        ({"head_sha": OTHER}, "its workflow file is of 0d0d0d0d0d0d, which the target branch does not hold"),
        ({"conclusion": "cancelled"}, "it ended as cancelled"),
        ({"conclusion": "startup_failure"}, "it ended as startup_failure"),
        ({"conclusion": "action_required"}, "it ended as action_required"),
        ({"conclusion": "stale"}, "it ended as stale"),
        ({"conclusion": "failure", "jobs": ()}, "it ended as failure"),
    ],
)
def test_a_run_that_is_not_the_gate_s_or_says_nothing_does_not_count(changes: dict[str, Any], why: str) -> None:
    result = judge(verification(replace(verifier_run(), **changes)))
    assert (said(result), result.missing) == ([(S, f"A verifier run does not count: {why}."), STARTED], 1)


def test_a_gate_that_does_not_know_itself_trusts_no_run() -> None:
    result = judge(verification(), asked=replace(ASKED, login=None))
    reason = "A verifier run does not count: it was started by mergegate[bot], not by the gate."
    assert said(result)[0] == (S, reason)


def test_it_is_not_started_again_for_ever() -> None:
    void = [verification(verifier_run(conclusion="cancelled"), f"v{number}") for number in range(4)]
    assert judge(*void[:3]).missing == 1
    result = judge(*void)
    assert result.missing == 0
    reason = "4 verifier runs ended without a word about the code; the gate starts no more on this head."
    assert said(result)[-1] == (OPEN, reason)


@pytest.mark.parametrize("changes", [{"order_digest": "sha256:other"}, {"target_sha": OTHER}])
def test_another_order_or_a_target_that_is_no_history_counts_for_nothing(changes: dict[str, Any]) -> None:
    result = judge(verification(**changes))
    assert (said(result), result.missing) == ([STARTED], 1)


def test_a_target_that_moved_on_keeps_what_was_verified() -> None:
    made = verifier_run(head_sha=OTHER)
    result = judge(verification(made, target_sha=OTHER), tested_bases=frozenset({OTHER}))
    assert [status for status, _ in said(result)] == [P]


@pytest.mark.parametrize(
    ("broken", "status", "reason"),
    [
        (
            verifier_job(conclusion="failure"),
            F,
            "The separate verifier run's job `unchanged` ended as failure.",
        ),
        (
            verifier_job(log=log(RED, checked_out=None)),
            F,
            "Job `unchanged` ended as success, but its log does not: 1 failed.",
        ),
        (
            verifier_job(log=log(NO_TESTS, checked_out=None)),
            F,
            "The log of the verifier's job `unchanged` shows no passing tests.",
        ),
        (
            verifier_job(log=Unread("HTTP 502")),
            E,
            "The log of job `unchanged` could not be read: HTTP 502.",
        ),
        (verifier_job("another"), F, "A job of the verifier run is missing."),
    ],
)
def test_commands_that_do_not_succeed_by_passing_tests(broken: Job, status: Status, reason: str) -> None:
    result = judge(verification(verifier_run(broken, conclusion="success")))
    assert (said(result), result.missing) == ([(status, reason)], 0)


def test_a_failed_verification_is_not_tried_again() -> None:
    bad = verification(verifier_run(verifier_job(conclusion="failure"), conclusion="failure"))
    result = judge(bad, asked=replace(ASKED, runs=2))
    assert ([status for status, _ in said(result)], result.missing) == ([F], 0)


class TestRestored:
    def judged(self, restored: Job) -> VerifiedResult:
        made = verifier_run(verifier_job(), restored)
        return judge(verification(made, restored=("conftest.py", "pytest.ini")))

    def test_it_passes_both_ways(self) -> None:
        result = self.judged(verifier_job("restored"))
        assert said(result)[1] == (P, "The required commands succeed with the target branch's test infrastructure too.")

    def test_a_difference_is_for_a_person(self) -> None:
        result = self.judged(verifier_job("restored", conclusion="failure", log=log(RED, checked_out=None)))
        reason = "With the target branch's own conftest.py, pytest.ini the required commands do not succeed."
        assert said(result)[1] == (OPEN, reason)
        assert [finding.needs_person for finding in result.findings] == [False, True]

    def test_what_cannot_be_read_is_not_for_a_person(self) -> None:
        result = self.judged(verifier_job("restored", log=Unread("HTTP 502")))
        assert (said(result)[1][0], result.findings[1].needs_person) == (E, False)

    def test_it_is_asked_for_only_where_something_was_restored(self) -> None:
        assert len(judge(verification(verifier_run(verifier_job()))).findings) == 1

    def test_more_than_a_dispatch_carries_is_not_tried_and_that_is_said(self) -> None:
        many = diff(*(f"a/{n}/conftest.py" for n in range(500)))
        found = judge(verification(), merge_diff=many).findings
        assert [(one.status, one.needs_person) for one in found] == [(P, False), (OPEN, True)]
        assert found[1].reason.startswith("500 changed paths of test infrastructure are too many")


class TestNewTests:
    def judged(self, *jobs: Job) -> VerifiedResult:
        return judge(verification(verifier_run(verifier_job(), *jobs), new_tests=("test_more.py",)))

    @pytest.mark.parametrize("counts", [{"failed": 1}, {"errors": 2}])
    def test_they_fail_there(self, counts: dict[str, int]) -> None:
        result = self.judged(verifier_job("new-tests", log=log(report(False, **counts), checked_out=None)))
        assert said(result)[1] == (P, "The new tests fail on the target branch, as they should.")

    @pytest.mark.parametrize(
        "other",
        [
            verifier_job("new-tests", conclusion="failure"),
            verifier_job("new-tests", conclusion="failure", log=log(RED, checked_out=None)),
            verifier_job("new-tests", log=log(NO_TESTS, checked_out=None)),
            verifier_job("new-tests", log=None),
        ],
    )
    def test_anything_else_is_for_a_person(self, other: Job) -> None:
        found = self.judged(other).findings[1]
        reason = "The new tests do not fail on the target branch, so they do not show what this change is for."
        assert (found.status, found.reason, found.needs_person) == (OPEN, reason, True)
        assert found.evidence[0].label == "job 5001 `new-tests`"

    def test_the_policy_may_refuse_them(self) -> None:
        other = verifier_job("new-tests", conclusion="failure")
        made = verification(verifier_run(verifier_job(), other), new_tests=("test_more.py",))
        result = judge(made, asked=replace(ASKED, new_tests="refuse"))
        found = result.findings[1]
        assert (found.status, found.needs_person, found.fix and found.fix.action) == (F, False, "push")

    @pytest.mark.parametrize(("word", "status"), [("ignore", None), ("person", OPEN), ("refuse", F)])
    def test_more_than_a_dispatch_carries_are_not_tried_and_that_is_said(self, word: Any, status: Any) -> None:
        many = diff(*(file(f"tests/test_{n}.py", FileStatus.ADDED, additions=1) for n in range(400)))
        result = judge(verification(), asked=replace(ASKED, new_tests=word), merge_diff=many, analysis=Analysis(()))
        reason = "400 changed paths of tests are too many to be tried on the target branch."
        assert said(result)[1:] == ([] if status is None else [(status, reason)])

    def test_a_few_that_were_not_asked_for_need_not_be_tried(self) -> None:
        result = judge(verification(), asked=replace(ASKED, new_tests="refuse"))
        assert [status for status, _ in said(result)] == [P]

    def test_a_job_that_is_missing_proves_nothing(self) -> None:
        found = self.judged().findings[1]
        assert (found.status, found.needs_person, found.evidence) == (OPEN, True, ())


class TestObstacles:
    def test_a_local_judgement_starts_none(self) -> None:
        result = judge(number=None)
        reason = "High risk needs a separate verifier run, which only the gate starts."
        assert (said(result), result.missing) == ([(OPEN, reason)], 0)

    def test_workflow_files_that_are_unread(self) -> None:
        result = judge(workflows=Unread("git is away"))
        assert (said(result), result.missing) == ([(E, "The workflow files could not be read: git is away.")], 0)

    def test_a_policy_that_does_not_say_what_runs(self) -> None:
        result = judge(asked=replace(ASKED, missing_settings=("ci.commands", "verifier.image")))
        found = result.findings[0]
        assert (found.status, result.missing) == (OPEN, 0)
        assert found.reason == "High risk needs a separate verifier run, but the policy does not say what it runs."
        assert found.fix is not None
        assert found.fix.text == (
            "Ask a person to set `ci.commands` and `verifier.image` in the policy, "
            "or `requirements.high.evidence` to `ci`."
        )

    @pytest.mark.parametrize("files", [(workflow(),), (workflow(), workflow(PATH, target=None))])
    def test_a_target_without_the_workflow_file(self, files: Any) -> None:
        result = judge(workflows=files)
        reason = (
            "High risk needs a separate verifier run, but its workflow file .github/workflows/mergegate-verify.yml "
            "is not on the target branch."
        )
        assert (said(result), result.missing) == ([(OPEN, reason)], 0)
