"""The verdict on a merge group: each row changes one thing of one that passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.finding import Finding, Status
from checks.group_snapshot import DeclaredTests, GroupMember, GroupSnapshot, TreeRebuild
from checks.runs import Baseline, JobLog, JobTests, WorkflowFile
from checks.snapshot import Repository
from checks.unread import Unread
from policies.load import PolicySource, read_policy
from policies.merge_group import evaluate_group
from policies.verdict import GroupVerdict
from tests.policies.build import NOW, TARGET, presets, run, state

P, F, W, E, S = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED, Status.SKIPPED
GROUP, TREE = "9" * 40, "7" * 40
MEMBER = GroupMember(12, "1" * 40, "1" * 40, "passed", "passed", "")
START = GroupSnapshot(
    repository=Repository(1, "acme", "shop", "refs/heads/main"),
    head_sha=GROUP,
    base_sha=TARGET,
    target_ref="refs/heads/main",
    members=(MEMBER,),
    rebuild=TreeRebuild(TREE, TREE),
    runs=(run(event="merge_group", head_sha=GROUP),),
    workflows=(WorkflowFile(".github/workflows/ci.yml", "aa" * 20, "aa" * 20),),
    observed_at=NOW,
)


def judged(text: str | None = None, **changes: Any) -> GroupVerdict:
    return evaluate_group(state(text), replace(START, **changes))


def finding(verdict: GroupVerdict, check: str) -> Finding:
    return next(found for found in verdict.evidence.findings + verdict.review.findings if found.check == check)


def parts(verdict: GroupVerdict) -> dict[str, Status]:
    return {child.name: child.status for child in verdict.evidence.children}


def group_run() -> Any:
    job = run().jobs[0]
    assert isinstance(job.log, JobLog)
    return run(event="merge_group", head_sha=GROUP, jobs=(replace(job, log=replace(job.log, checked_out=None)),))


def test_all_is_well() -> None:
    verdict = judged(runs=(group_run(),))
    assert (verdict.head_sha, verdict.target_ref) == (GROUP, "refs/heads/main")
    assert (verdict.evidence.name, verdict.evidence.status) == ("evidence", P)
    assert (verdict.review.name, verdict.review.status) == ("review", P)
    assert parts(verdict) == {"policy": P, "members": P, "tree": P, "ci": P}
    assert finding(verdict, "members.12").reason == "Pull request 12 stands as it was judged."
    assert finding(verdict, "members.12").evidence[0].digest == MEMBER.enqueued_head


MEMBERS: list[tuple[dict[str, Any], Status, Status, str]] = [
    ({"current_head": None}, E, E, "The head of pull request 12 could not be read."),
    ({"current_head": "2" * 40}, F, F, "Pull request 12 got new commits after it was queued."),
    ({"evidence": "failed", "reason": "CI failed."}, F, P, "Pull request 12: CI failed."),
    ({"evidence": "pending", "reason": "CI runs."}, W, P, "Pull request 12: CI runs."),
    ({"evidence": "errored", "reason": "Dark."}, E, P, "Pull request 12: Dark."),
    ({"review": "failed", "reason": "Refused."}, P, F, "Pull request 12: Refused."),
    ({"review": "pending", "reason": "0 of 1."}, P, W, "Pull request 12: 0 of 1."),
]


@pytest.mark.parametrize(("changes", "evidence", "review", "reason"), MEMBERS)
def test_a_member_that_does_not_stand(changes: dict[str, Any], evidence: Status, review: Status, reason: str) -> None:
    other = replace(MEMBER, number=13)
    verdict = judged(runs=(group_run(),), members=(other, replace(MEMBER, **changes)))
    assert (verdict.evidence.status, verdict.review.status) == (evidence, review)
    said = {
        found.reason for found in verdict.evidence.findings + verdict.review.findings if found.check == "members.12"
    }
    assert reason in said
    assert finding(verdict, "members.13").status is P


def test_every_member_that_does_not_stand_has_a_next_step() -> None:
    actions = []
    for changes, *_ in MEMBERS:
        verdict = judged(members=(replace(MEMBER, **changes),))
        bad = [found for found in verdict.evidence.findings + verdict.review.findings if found.check == "members.12"]
        actions.append({found.fix.action for found in bad if found.fix is not None and found.status is not P})
    assert actions == [{"wait"}, {"requeue"}, *[{"repair-member"}] * 5]


def test_members_that_could_not_be_read() -> None:
    verdict = judged(runs=(group_run(),), members=Unread("GitHub answered 502"))
    assert (verdict.evidence.status, verdict.review.status) == (E, E)
    assert finding(verdict, "members").reason == "The group's members could not be read: GitHub answered 502."


def test_a_group_without_members_fails() -> None:
    verdict = judged(runs=(group_run(),), members=())
    assert (verdict.evidence.status, verdict.review.status) == (F, F)


TREES = [
    (TreeRebuild(TREE, TREE, because="x"), P, "The group's tree is what git makes of its members."),
    (TreeRebuild(TREE, TREE, ("strange",)), P, "The group's tree is what git makes of its members."),
    (TreeRebuild(TREE, "8" * 40), F, f"The group's tree is not what git makes of its members: {'8' * 40}."),
    (
        TreeRebuild(TREE, None, because="a merge driver decides"),
        P,
        "The group changes only its members' paths; git alone cannot rebuild it: a merge driver decides.",
    ),
    (TreeRebuild(TREE, None, ("a.py",)), F, "The group changes `a.py`, which no member changes."),
    (TreeRebuild(TREE, None, ("a.py", "b", "c")), F, "The group changes `a.py` and 2 more, which no member changes."),
    (Unread("git took too long"), E, "The group's tree could not be rebuilt: git took too long."),
]


@pytest.mark.parametrize(("rebuild", "status", "reason"), TREES)
def test_the_tree(rebuild: TreeRebuild | Unread, status: Status, reason: str) -> None:
    found = finding(judged(runs=(group_run(),), rebuild=rebuild), "tree")
    assert (found.status, found.reason) == (status, reason)
    if isinstance(rebuild, TreeRebuild):
        assert [evidence.digest for evidence in found.evidence] == [TREE]
    step = found.fix and (found.fix.action, found.fix.text.partition(";")[0].partition(":")[0])
    assert step == {
        P: None,
        F: ("requeue", "Queue the pull requests again"),
        E: ("wait", "Nothing to do"),
    }.get(status)
    assert judged(runs=(group_run(),), rebuild=rebuild).evidence.status is status


def test_the_group_s_own_runs_count() -> None:
    assert judged(runs=()).evidence.status is not P
    assert judged(runs=(replace(group_run(), conclusion="failure"),)).evidence.status is F
    assert judged("version: 1\nci: {jobs: [deploy]}", runs=(group_run(),)).evidence.status is not P


def test_the_group_s_own_runs_are_compared_with_the_target_branch_s() -> None:
    before = Baseline(".github/workflows/ci.yml", 3, TARGET, NOW, (JobTests("test", 99, 0),))
    one = replace(group_run(), created_at=NOW)
    verdict = judged(runs=(one,), baselines=(before,))
    assert (verdict.evidence.status, finding(verdict, "ci.baseline").status) == (F, F)
    assert judged("version: 1\nci: {baseline: {compare: false}}", runs=(one,), baselines=(before,)).evidence.status is P
    told = judged(runs=(one,), baselines=(before,), members=(replace(MEMBER, declared=DeclaredTests(99)),))
    assert told.evidence.status is P
    unread = judged(runs=(one,), baselines=(before,), members=Unread("GitHub answered 502"))
    assert finding(unread, "ci.baseline").status is F


def test_a_freeze_fails_the_group_and_says_until_when() -> None:
    because = "Merging is frozen until Mon 2026-11-30 08:00 UTC: weekend."
    verdict = judged(runs=(group_run(),), frozen=because)
    assert (verdict.evidence.status, verdict.review.status) == (F, P)
    assert (finding(verdict, "freeze").status, finding(verdict, "freeze").reason) == (F, because)
    assert finding(verdict, "members.12").status is P, "its members' own verdicts stay as they are"
    assert "freeze" not in parts(judged(runs=(group_run(),)))


def test_a_policy_that_could_not_be_read() -> None:
    unread = read_policy(PolicySource(Unread("GitHub answered 502"), "refs/heads/main", TARGET), presets())
    verdict = evaluate_group(unread, replace(START, runs=(group_run(),)))
    assert (verdict.evidence.status, parts(verdict)["policy"], verdict.review.status) == (E, E, P)


def test_under_a_broken_policy_people_can_still_repair_it() -> None:
    verdict = judged("version: 1\nmode: x", runs=(group_run(),))
    assert (verdict.evidence.status, parts(verdict)["policy"]) == (P, S)
