"""The half of a verdict that people decide: approvals by risk, the rules, and the questions that evidence leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from checks import electorate, review
from checks.accounts import Account, Permission
from checks.approvals import approvals_of
from checks.finding import Finding, Status
from checks.native_reviews import explained
from checks.people import contributors, excluded_approvers
from checks.review import ReviewRequirement, ReviewResult
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies import rules
from policies.areas import AreaRuling, reads_code, rule_areas
from policies.case import Case
from policies.conditions import electorate_of
from policies.facts import Facts
from policies.routing import ask_of
from policies.rule_parts import path_lists
from policies.ruling import Ruling, rule_on
from policies.schema import POLICY_PATH
from policies.tree import group, required
from policies.verdict import Ask, Node
from policies.words import policy_finding, still_needed


@dataclass(frozen=True, slots=True)
class Reviewed:
    """`counted` are logins whose approval counts for anything, `needed` whom it still waits for, see `Verdict`."""

    node: Node
    counted: tuple[str, ...]
    needed: tuple[str, ...]
    asks: tuple[Ask, ...] = ()
    reads_code: tuple[str, ...] = ()


def review_of(case: Case, for_people: tuple[Finding, ...]) -> Reviewed:
    """`for_people` are the findings that only a person can settle."""
    requirement = _requirement(case, for_people)
    result = review.check(case.snapshot, requirement)
    ruling = rule_on(case.state.policy, _facts(case, requirement))
    areas = _areas(case, requirement)
    ruling = replace(ruling, waits_for=ruling.waits_for + areas.waits_for)
    counted = tuple(dict.fromkeys((*result.counted, *ruling.counted, *areas.counted)))
    independent = _independent(case, max(requirement.approvals, ruling.people), counted)
    native = explained(case.snapshot)
    shown = replace(result, findings=(*result.findings, *areas.findings, *([native] if native else ())))
    node = _node(case, shown, ruling, independent, for_people)
    needed = _needed(case, node, result, ruling, independent)
    asks = _asks(case, requirement, result, ruling) if needed else ()
    return Reviewed(node, counted, needed, asks, requirement.reads_code)


def _asks(case: Case, requirement: ReviewRequirement, result: ReviewResult, ruling: Ruling) -> tuple[Ask, ...]:
    """By name, without those whose approval would not count. Of a rule's people one after the other is asked."""
    excluded = {*excluded_approvers(case.snapshot, case.who, requirement.allow_operator).logins}
    excluded.update(login.casefold() for login in (*result.counted, *ruling.counted))
    missing = requirement.approvals - len(result.counted)
    wanted = ((missing, requirement.electorate), *((1, who) for who in ruling.waits_for))
    found = (ask_of(count, who, case.snapshot.repository.owner, excluded) for count, who in wanted)
    return tuple(ask for ask in found if ask is not None)


def _requirement(case: Case, for_people: tuple[Finding, ...]) -> ReviewRequirement:
    policy = case.state.policy
    who = rules.electorate_at(policy, case.level)
    return ReviewRequirement(
        approvals=max(_approvals(case), 1 if for_people else 0),
        classification=case.who,
        bundle_digest=case.reading.digest,
        permission=who.permission,
        users=who.users,
        teams=who.teams,
        organizations=who.organizations,
        allow_operator=policy.review.allow_operator,
        agents=rules.machines(policy),
        keep_on_clean_merge=policy.review.keep_on_clean_merge,
        veto=electorate_of(policy.veto),
        reads_code=reads_code(policy, case.risk.areas),
    )


def _areas(case: Case, requirement: ReviewRequirement) -> AreaRuling:
    if _asks_nobody(case):
        return AreaRuling()
    given = approvals_of(case.snapshot, requirement.terms)
    return rule_areas(case.state.policy, case.snapshot, case.risk.areas, given)


def _facts(case: Case, requirement: ReviewRequirement) -> Facts:
    return Facts(
        case.snapshot,
        case.who,
        case.level,
        case.risk.areas,
        approvals=approvals_of(case.snapshot, requirement.terms),
        owners=case.snapshot.codeowners,
        lists=path_lists(case.state.policy),
        claimed_from=None if case.risk.seen_level is case.risk.level else case.risk.seen_level,
        claimed_areas=frozenset(case.risk.areas) - frozenset(case.risk.seen_areas),
    )


def _approvals(case: Case) -> int:
    policy = case.state.policy
    by_risk = policy.requirements.at(case.level).approvals
    if case.who.kind == "outsider":
        return max(by_risk, policy.outsiders.approvals)
    return 0 if _asks_nobody(case) else by_risk


def _asks_nobody(case: Case) -> bool:
    asks = case.state.policy.review.people_need_approval and not _repairs_policy(case)
    return case.who.kind == "person" and not asks


def _repairs_policy(case: Case) -> bool:
    """Administrators alone who replace a broken policy file and nothing else.

    They could take the gate away altogether, so asking for a second person would protect nothing and could leave a
    repository of one person without a way out.
    """
    snapshot = case.snapshot
    if case.state.origin != "broken" or isinstance(snapshot.diff, Unread):
        return False
    if {path for file in snapshot.diff.files for path in file.paths} != {POLICY_PATH} or not snapshot.diff.complete:
        return False
    return all(_is_administrator(snapshot, hand) for hand in contributors(snapshot))


def _is_administrator(snapshot: Snapshot, hand: Account | Unread) -> bool:
    return isinstance(hand, Account) and electorate.permission_of(snapshot, hand.login) is Permission.ADMIN


def _independent(case: Case, asked: int, counted: Sequence[str]) -> Finding | None:
    wanted = case.state.policy.review.one_more_for_unmapped
    return review.independent(case.snapshot, asked, counted) if wanted else None


def _node(
    case: Case, result: ReviewResult, ruling: Ruling, independent: Finding | None, for_people: tuple[Finding, ...]
) -> Node:
    nodes = [group("approvals", (*result.findings, *([independent] if independent else [])))]
    if case.state.origin == "unread":  # who must approve is not known either
        nodes.insert(0, group("policy", (policy_finding(case.state),)))
    if ruling.node is not None:
        nodes.append(ruling.node)
    if for_people:
        nodes.append(group("questions", tuple(_settled_by(finding, result.counted) for finding in for_people)))
    node = required("review", nodes)
    if case.snapshot.draft and node.status is Status.PENDING:
        return replace(node, reason="It is a draft: nobody is asked before it is ready for review.")
    return node


def _settled_by(finding: Finding, counted: tuple[str, ...]) -> Finding:
    if not counted or finding.status is not Status.PENDING:
        return finding
    return replace(
        finding, status=Status.PASSED, reason=f"{finding.reason} Accepted by {', '.join(counted)}.", fix=None
    )


def _needed(
    case: Case, node: Node, result: ReviewResult, ruling: Ruling, independent: Finding | None
) -> tuple[str, ...]:
    """Those whom the risk asks for, where they have not said enough yet, and those whom the rules ask for."""
    if case.snapshot.draft or node.status is not Status.PENDING:
        return ()
    by_risk = [rules.electorate_at(case.state.policy, case.level)]
    if not any(each is not None and each.status is Status.PENDING for each in (*result.findings, independent)):
        by_risk = []
    asked = dict.fromkeys((*by_risk, *ruling.waits_for))
    owner = case.snapshot.repository.owner
    return tuple(dict.fromkeys(name for who in asked for name in still_needed(who, owner, result.counted)))
