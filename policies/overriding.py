"""A person lets a pull request through in spite of its findings: by whom that counts, and how the verdict says it."""

from __future__ import annotations

from dataclasses import replace

from checks.accounts import Override
from checks.approvals import is_machine, why_not_eligible
from checks.finding import Evidence, Status, passed
from checks.people import Classification, Excluded, excluded_approvers
from checks.snapshot import Snapshot
from policies.conditions import electorate_of
from policies.rules import machines
from policies.schema import Policy
from policies.tree import leaf
from policies.verdict import Node, Verdict


def override_of(policy: Policy, snapshot: Snapshot, who: Classification) -> Override | None:
    """The first override of this head that counts: by somebody whom the policy names, who had no hand in the change."""
    excluded = excluded_approvers(snapshot, who, policy.review.allow_operator)
    counting = (one for one in snapshot.overrides if _counts(one, policy, snapshot, excluded))
    return min(counting, key=lambda one: (one.given_at, one.comment_id), default=None)


def _counts(one: Override, policy: Policy, snapshot: Snapshot, excluded: Excluded) -> bool:
    if one.commit != snapshot.head.sha or not one.reason.strip():
        return False
    if is_machine(machines(policy), one.author) or excluded.why(one.author) is not None:
        return False
    return why_not_eligible(snapshot, electorate_of(policy.override), one.author) is None


def overridden(verdict: Verdict, one: Override) -> Verdict:
    """The same verdict, let through: what was found stays in the tree, and nothing is merged by the gate for it."""
    return replace(
        verdict,
        evidence=_let_through(verdict.evidence, one),
        review=_let_through(verdict.review, one),
        needed=(),
        may_enqueue=False,
        orders=(),
        overridden_by=one,
    )


def _let_through(node: Node, one: Override) -> Node:
    if node.status is Status.PASSED:
        return node
    reason = f"Overridden by {one.author.login}: {one.reason}"
    found = passed("override", reason, Evidence(f"comment {one.comment_id} of {one.author.login}", digest=one.commit))
    return replace(node, status=Status.PASSED, reason=reason, children=(leaf(found), *node.children))
