"""A local judgement (no pull request number): what only GitHub can tell is pending, never failed and never assumed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks import claims, review, rollback
from checks.accounts import Permission
from checks.bundle import BundleReading, read_bundle, read_given
from checks.claims import check_given_logs
from checks.finding import Evidence, Finding, Fix, Status
from checks.review import ReviewRequirement
from checks.runs import JobLog
from checks.snapshot import Risk, Snapshot
from checks.unread import Unread
from tests.checks import build

OFFLINE = Unread("GitHub was not asked", offline=True)
CONTENT = "reason: Prices were rounded down.\nrisk: {level: low}\n"


def _local(body: str = "") -> Snapshot:
    return replace(build.snapshot(body=body), number=None, comments=())


def test_no_bundle_handed_over_is_pending() -> None:
    snapshot = _local()
    assert read_bundle(snapshot) == BundleReading()
    assert claims.check(snapshot, read_bundle(snapshot), ("reason", "risk")) == (
        Finding(
            "bundle",
            Status.PENDING,
            "No evidence bundle was handed over; only GitHub knows whether there is one.",
            fix=Fix("add-bundle", "Write a bundle and hand it over (`--bundle FILE`). It needs: reason, risk."),
        ),
    )
    (nothing_asked,) = claims.check(snapshot, read_bundle(snapshot), ())
    assert nothing_asked.status is Status.SKIPPED


@pytest.mark.parametrize(
    ("text", "line"),
    [(CONTENT, 1), (f"# Round prices\n\n```mergegate\n{CONTENT}```\n", 4)],
    ids=["content", "markdown"],
)
def test_a_bundle_is_read_in_both_forms(text: str, line: int) -> None:
    reading = read_bundle(_local(text))
    assert reading == read_given(text)
    assert reading.bundle is not None
    assert reading.bundle.reason == "Prices were rounded down."
    assert reading.source is not None
    assert (reading.source.first_line, reading.source.place) == (line, "the given file")
    assert reading.digest == read_given(CONTENT).digest


@pytest.mark.parametrize(("text", "line"), [("reason: x\nriks: y\n", 2), ("x\n\n```mergegate\nriks: y\n```\n", 4)])
def test_faults_are_at_the_lines_of_the_file(text: str, line: int) -> None:
    reading = read_given(text)
    assert reading.bundle is None
    assert [(fault.line, fault.field) for fault in reading.faults] == [(line, "riks")]
    (finding,) = claims.check(_local(text), read_bundle(_local(text)), ("reason",))
    assert finding.status is Status.FAILED
    assert finding.reason.startswith("The bundle in the given file cannot be read: ")


def test_two_blocks_in_a_file_are_refused() -> None:
    reading = read_given("```mergegate\nreason: x\n```\n```mergegate\nreason: y\n```\n")
    assert [str(fault) for fault in reading.faults] == ["several mergegate blocks stand in the given file (lines 1, 4)"]


def test_an_empty_file_is_a_broken_bundle() -> None:
    assert [fault.message for fault in read_bundle(_local("\n")).faults] == ["the document is empty"]


def test_the_way_back_is_pending_without_a_bundle() -> None:
    add = "Add rollback with a strategy, and steps where it is not a plain revert."
    assert rollback.check(None, Risk.LOW, (), required=True, offline=True) == (
        Finding(
            "rollback",
            Status.PENDING,
            "No bundle was handed over that says how to go back.",
            fix=Fix("add-bundle-field", add, "rollback"),
        ),
    )
    (not_asked,) = rollback.check(None, Risk.LOW, (), required=False, offline=True)
    assert not_asked.status is Status.SKIPPED
    (online,) = rollback.check(None, Risk.LOW, (), required=True)
    assert online.status is Status.FAILED


@pytest.mark.parametrize(("wanted", "count"), [(1, "1 approval is"), (2, "2 approvals are")])
def test_wanted_approvals_need_a_person(wanted: int, count: str) -> None:
    snapshot = replace(_local(), reviews=OFFLINE)
    requirement = ReviewRequirement(wanted, build.AN_AGENTS, None, Permission.WRITE)
    (finding,) = review.check(snapshot, requirement).findings
    assert finding == Finding(
        "review",
        Status.PENDING,
        f"{count} needed by people with write permission. The reviews could not be read: GitHub was not asked.",
        fix=Fix("ask-person", "Open a pull request and ask for a review of it."),
        needs_person=True,
    )


def test_reviews_that_cannot_be_read_online_stay_an_error() -> None:
    snapshot = build.snapshot(reviews=Unread("HTTP 502"))
    (finding,) = review.check(snapshot, ReviewRequirement(1, build.AN_AGENTS, None)).findings
    assert (finding.status, finding.needs_person) == (Status.ERRORED, False)


def _counts(tests: Any, *logs: JobLog) -> tuple[Finding, ...]:
    reading = read_bundle(build.snapshot(body=build.body(tests=tests)))
    found = check_given_logs(reading, {f"{number}.log": log for number, log in enumerate(logs)})
    return tuple(finding for finding in found if finding.status is Status.FAILED)


def _log(passed: int | None, skipped: int = 1) -> JobLog:
    return build.log(build.report(passed=passed, skipped=skipped))


@pytest.mark.parametrize(
    ("tests", "logs", "has"),
    [
        ({"added": 13}, (_log(12),), None),
        ({"added": 14}, (_log(12),), "13, of which 1 were skipped"),
        ({"skipped": 2}, (_log(12),), "13, of which 1 were skipped"),
        ({"added": 14}, (_log(12), _log(5)), None),
        ({"added": 14}, (_log(12), _log(None)), None),
        ({"added": 14}, (), None),
        (None, (_log(12),), None),
    ],
)
def test_counts_against_given_logs(tests: Any, logs: tuple[JobLog, ...], has: str | None) -> None:
    if has is None:
        assert _counts(tests, *logs) == ()
        return
    assert _counts(tests, *logs) == (
        Finding(
            "claims.logs",
            Status.FAILED,
            f"The bundle counts more tests than the given logs, which have {has}.",
            fix=Fix("correct-bundle", "Correct the counts.", "tests"),
        ),
    )


def test_evidence_names_the_given_bundle() -> None:
    snapshot = _local(CONTENT)
    (finding, *_) = claims.check(snapshot, read_bundle(snapshot), ("reason",))
    assert finding.evidence == (Evidence("the given file", start_line=1, digest=read_bundle(snapshot).digest),)
