"""The verdict on a local clone: pending where only GitHub can tell, failed where a look at the change suffices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.diff import ChangedFile, Diff, FileStatus
from checks.finding import Status
from checks.snapshot import Snapshot, Ticket
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.load import PolicySource, read_policy
from policies.verdict import Verdict
from policies.words import policy_finding
from tests.policies import build

OFFLINE = Unread("GitHub was not asked", offline=True)


def _local(**changes: Any) -> Snapshot:
    unread = dict.fromkeys(
        ("author", "commits", "changed_files_total", "reviews", "runs", "workflows", "check_runs"), OFFLINE
    )
    return build.snapshot(number=None, session_agent=None, permissions={}, **{**unread, **changes})


def _judged(policy: str | None = None, **changes: Any) -> Verdict:
    return evaluate(build.state(policy), _local(**changes), gated=True)


def _of(verdict: Verdict, check: str) -> tuple[Status, bool]:
    found = next(finding for finding in verdict.findings if finding.check == check)
    return found.status, found.needs_person


def test_a_good_change_is_pending_and_asks_nobody() -> None:
    verdict = _judged()
    assert (verdict.status, verdict.kind, verdict.needs_person) == (Status.PENDING, "agent", False)
    statuses = {finding.status for finding in verdict.findings}
    assert statuses == {Status.PASSED, Status.PENDING, Status.SKIPPED}


def test_without_a_bundle_nothing_fails() -> None:
    verdict = _judged(body="")
    assert verdict.status is Status.PENDING
    assert _of(verdict, "bundle") == _of(verdict, "rollback") == (Status.PENDING, False)


def test_a_bundle_without_a_way_back_fails() -> None:
    assert _of(_judged(body="reason: x\n"), "rollback") == (Status.FAILED, False)


def test_a_wanted_ticket_that_was_not_handed_over_is_pending() -> None:
    policy = "version: 1\nticket: {required: true}\n"
    assert _of(_judged(policy), "ticket") == (Status.PENDING, False)
    assert _of(_judged(policy, ticket=Ticket("T-1", "sha256:t")), "ticket") == (Status.PASSED, False)


@pytest.mark.parametrize(("path", "asks"), [("src/total.py", False), (".github/workflows/ci.yml", True)])
def test_wanted_approvals_need_a_person(path: str, asks: bool) -> None:
    diff = Diff((ChangedFile(path, FileStatus.MODIFIED),))
    verdict = _judged(diff=diff, merge_diff=diff, body="")
    assert (verdict.status, verdict.needs_person) == (Status.PENDING, asks)


def test_a_given_policy_is_named() -> None:
    state = read_policy(PolicySource("version: 1", "refs/heads/main", build.TARGET, "mine.yml"), build.presets())
    assert policy_finding(state).reason == "The policy is `mine.yml`."
    absent = replace(state, origin="default")
    assert policy_finding(absent).reason.startswith("`main` has no ")
