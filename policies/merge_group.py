"""A merge group's verdict: every member still stands, the tree is theirs alone, and the group's own runs passed."""

from __future__ import annotations

from typing import Literal

from checks import baseline, ci
from checks.finding import Evidence, Finding, Fix, Status, errored, failed, passed, skipped
from checks.group_snapshot import GroupMember, GroupSnapshot, TreeRebuild
from checks.runs import WorkflowRun
from checks.unread import Unread
from policies import rules
from policies.floor import floor_state, for_baseline, worse_group_of
from policies.load import PolicyState
from policies.tree import group, required
from policies.verdict import GroupVerdict, Node
from policies.words import policy_finding

_WAIT = Fix("wait", "Nothing to do: the gate looks again by itself.")


def evaluate_group(state: PolicyState, snapshot: GroupSnapshot) -> GroupVerdict:
    """The verdict on a merge group at its head. `state` is the policy at its base; its baseline must be met as well."""
    own = _evaluate_group(state, snapshot)
    if state.floor is None:
        return own
    return worse_group_of(own, _evaluate_group(floor_state(state, state.floor), for_baseline(snapshot)))


def _evaluate_group(state: PolicyState, snapshot: GroupSnapshot) -> GroupVerdict:
    requirement = rules.ci_requirement(state.policy)
    runs = ci.check_group(snapshot, requirement, snapshot.accepted_changes)
    evidence = (
        group("policy", (_policy(state),)),
        *_freeze(snapshot.frozen),
        group("members", _members(snapshot, "evidence")),
        group("tree", (_tree(snapshot.rebuild),)),
        group("ci", (*runs.findings, *_shrunk(state, snapshot, runs.runs))),
    )
    reviewed = (group("members", _members(snapshot, "review")),)
    return GroupVerdict(
        snapshot.head_sha, snapshot.target_ref, required("evidence", evidence), required("review", reviewed)
    )


def _freeze(because: str | None) -> tuple[Node, ...]:
    """A freeze fails the group, which takes it out of the queue; its members' own checks stay as they are."""
    if because is None:
        return ()
    fix = Fix("requeue", "Wait until the freeze ends, then queue it again.")
    return (group("freeze", (failed("freeze", because, fix=fix),)),)


def _shrunk(state: PolicyState, snapshot: GroupSnapshot, runs: tuple[WorkflowRun, ...]) -> list[Finding]:
    members = () if isinstance(snapshot.members, Unread) else snapshot.members
    return baseline.check_group(runs, snapshot.baselines, rules.baseline_rule(state.policy), members)


def _policy(state: PolicyState) -> Finding:
    """Under a broken policy no agent's work passes, so members that do are people's, who may be repairing it."""
    if state.origin == "broken":
        return skipped("policy", "The policy file is broken; only people's work passes until it is repaired.")
    return policy_finding(state)


def _members(snapshot: GroupSnapshot, part: Literal["evidence", "review"]) -> tuple[Finding, ...]:
    if isinstance(snapshot.members, Unread):
        return (errored("members", f"The group's members could not be read: {snapshot.members.because}.", fix=_WAIT),)
    return tuple(_member(member, part) for member in snapshot.members)


def _member(member: GroupMember, part: Literal["evidence", "review"]) -> Finding:
    name = f"members.{member.number}"
    at = Evidence(f"pull request {member.number}", digest=member.enqueued_head)
    if member.current_head is None:
        return errored(name, f"The head of pull request {member.number} could not be read.", at, fix=_WAIT)
    if member.current_head != member.enqueued_head:
        reason = f"Pull request {member.number} got new commits after it was queued."
        return failed(name, reason, at, fix=Fix("requeue", "Wait for its checks, then queue it again."))
    return _judged(member, Status(member.evidence if part == "evidence" else member.review), name, at)


def _judged(member: GroupMember, status: Status, name: str, at: Evidence) -> Finding:
    if status is Status.PASSED:
        return passed(name, f"Pull request {member.number} stands as it was judged.", at)
    reason = f"Pull request {member.number}: {member.reason}"
    return Finding(
        name, status, reason, (at,), Fix("repair-member", f"See the checks of pull request {member.number}.")
    )


def _tree(rebuild: TreeRebuild | Unread) -> Finding:
    if isinstance(rebuild, Unread):
        return errored("tree", f"The group's tree could not be rebuilt: {rebuild.because}.", fix=_WAIT)
    at = Evidence("tree of the group", digest=rebuild.actual)
    if rebuild.rebuilt == rebuild.actual:
        return passed("tree", "The group's tree is what git makes of its members.", at)
    fix = Fix(
        "requeue", "Queue the pull requests again; if it happens again, look at who can write to the queue's branch."
    )
    if rebuild.rebuilt is not None:
        return failed("tree", f"The group's tree is not what git makes of its members: {rebuild.rebuilt}.", at, fix=fix)
    if rebuild.outside_paths:
        first, more = rebuild.outside_paths[0], len(rebuild.outside_paths) - 1
        others = f" and {more} more" if more else ""
        return failed("tree", f"The group changes `{first}`{others}, which no member changes.", at, fix=fix)
    return passed(
        "tree", f"The group changes only its members' paths; git alone cannot rebuild it: {rebuild.because}.", at
    )
