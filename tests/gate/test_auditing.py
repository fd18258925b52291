"""What a judgement and a landing put into the audit log: what is new, once, and enough for a report."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from app.gate import auditing
from app.gate.auditing import Author, Landed, judged, landed, policy_change
from app.keys import PullKey
from app.local.audit_report import bypass_line, headline, merge_lines, report_of
from app.store.audit import Entry, Recorded
from app.store.audit_chain import canonical
from checks.accounts import Override
from checks.finding import Finding, Status
from checks.snapshot import Risk
from checks.unread import Unread
from policies.verdict import JudgedRun, Subject, Verdict
from tests.policies.build import ADA, HEAD, NOW, snapshot, verdict

KEY = PullKey(1, 2, 7)
GOOD = (Finding("ci.jobs", Status.PASSED, "They passed."),)
WAITING = (Finding("review.approvals", Status.PENDING, "One is missing."),)
OPEN = verdict(GOOD, WAITING)
GREEN = verdict(GOOD, (Finding("review.approvals", Status.PASSED, "Enough."),), approved_by=("ada", "bea"))
OVERRIDDEN = replace(GREEN, overridden_by=Override(ADA, "It burns.", HEAD, NOW, 9))


def kinds(before: Verdict | None, now: Verdict) -> list[str]:
    return [entry.kind for entry in judged(KEY, None if before is None else asdict(before), now)]


def test_what_is_new_is_recorded_once() -> None:
    assert kinds(None, OPEN) == ["verdict"]
    assert kinds(OPEN, OPEN) == []
    assert kinds(OPEN, GREEN) == ["verdict", "approval", "approval"]
    assert kinds(GREEN, GREEN) == []
    assert kinds(replace(GREEN, approved_by=("ada",)), GREEN) == ["approval"]
    assert kinds(GREEN, OVERRIDDEN) == ["override"]
    assert kinds(OVERRIDDEN, OVERRIDDEN) == []


def test_another_state_is_another_verdict_and_wants_approvals_of_its_own() -> None:
    for change in ({"policy_digest": "p"}, {"bundle_digest": None}, {"ticket_digest": "t"}, {"target_ref": "r"}):
        assert kinds(GREEN, replace(GREEN, **change)) == ["verdict"], change
    assert kinds(GREEN, replace(GREEN, head_sha="f" * 40)) == ["verdict", "approval", "approval"]


def test_every_entry_has_a_form_that_can_be_digested() -> None:
    merge = entries(GREEN)
    for entry in (*judged(KEY, None, OVERRIDDEN), *policy_change(KEY, None, GREEN), *merge):
        canonical({"data": entry.data, "subject": entry.subject})


def test_a_policy_is_recorded_when_it_is_another_one() -> None:
    (first,) = policy_change(KEY, None, GREEN)
    assert (first.subject, dict(first.data)) == ("refs/heads/main", {"policy": GREEN.policy_digest, "before": None})
    known = Recorded(1, NOW, first)
    assert policy_change(KEY, known, OPEN) == []
    (second,) = policy_change(KEY, known, replace(GREEN, policy_digest="other"))
    assert dict(second.data) == {"policy": "other", "before": GREEN.policy_digest}


MERGE = Landed("acme/shop", "refs/heads/main", "c" * 40, HEAD, "mergegate[bot]", True, None, False)


def entries(of: Verdict, **changes: Any) -> list[Entry]:
    return landed(KEY, replace(MERGE, **changes), asdict(of), Author("courier[bot]", "claude", "ada"))


def test_a_merge_is_told_with_all_that_it_rests_on() -> None:
    run = JudgedRun("https://github.example/runs/1", 2, True, None, (("test", "sha256:1"),), (("junit", "sha256:2"),))
    of = replace(OVERRIDDEN, subject=Subject("acme/shop", "t" * 40, (), (run,)), risk=Risk.HIGH)
    (entry,) = entries(of)
    lines = list(merge_lines({**entry.data, "at": "2026-05-04T12:00:00+00:00"}))
    assert lines == [
        "acme/shop#7 cccccccccccc on main, 2026-05-04T12:00:00+00:00",
        "made by claude, for whom ada answers; merged by mergegate[bot]",
        "agent, risk high; approved by ada, bea",
        f"policy {of.policy_digest}; bundle {of.bundle_digest}; ticket none",
        "https://github.example/runs/1 attempt 2: test sha256:1",
        "https://github.example/runs/1 attempt 2: junit sha256:2",
        "OVERRIDE by ada: It burns.",
    ]


def test_approvals_of_another_head_are_not_told_as_those_of_what_landed() -> None:
    (entry,) = entries(GREEN, head_sha="f" * 40, alarm="merged without a verdict")
    assert (entry.data["approvers"], entry.data["judged_head"]) == ([], HEAD)
    assert list(merge_lines({**entry.data, "at": ""}))[-1] == "ALARM merged without a verdict"


def test_a_bypass_is_a_record_of_its_own_too() -> None:
    merge, bypass = entries(GREEN, bypass=True, merged_by="eve")
    assert bypass.subject == f"refs/heads/main:{'c' * 40}"
    report = report_of([Recorded(1, NOW, merge), Recorded(2, NOW, bypass), Recorded(3, NOW, Entry("policy", "x"))])
    assert headline(report, "2026-05-01") == "1 merge, 0 by override, 1 bypass, 0 alarms since 2026-05-01."
    assert bypass_line(report.bypasses[0]) == (
        "acme/shop#7 cccccccccccc on main, 2026-05-04T12:00:00+00:00: rules bypassed, by eve"
    )
    assert headline(report_of([]), None) == "0 merges, 0 by override, 0 bypasses, 0 alarms in the whole log."


def test_an_author_who_could_not_be_read_is_not_invented() -> None:
    assert auditing.author_of(snapshot(author=Unread("HTTP 502"))).login is None
