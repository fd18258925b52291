"""Policy and snapshot become a verdict: whose work it is, which checks that calls for, and who must still agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from checks import baseline, ci, claims, electorate, history, people, review, risk, rollback, scope, verified
from checks.approval_code import code_of
from checks.bundle import BundleReading, read_bundle
from checks.ci import CiResult
from checks.finding import Finding, Fix, Status, failed, passed, pending, skipped
from checks.new_tests import is_too_long, paths_of_new_tests
from checks.people import Classification
from checks.review import ReviewRequirement, ReviewResult
from checks.risk import RiskResult
from checks.snapshot import Permission, Risk, Snapshot, Unread
from checks.steering import test_infrastructure
from checks.tampering import findings as tampering
from checks.tampering.alteration import Analysis
from checks.tampering.levels import risk_reasons
from checks.verified import VerifiedResult
from policies import rules
from policies.fields import permission_of, risk_of
from policies.load import PolicyState
from policies.schema import POLICY_PATH
from policies.subject import subject_of
from policies.tree import group, leaf, required
from policies.verdict import Node, Verdict, VerificationOrder
from policies.words import policy_finding, still_needed


@dataclass(frozen=True, slots=True)
class _Case:
    """A pull request with what every later step needs to know about it."""

    state: PolicyState
    snapshot: Snapshot
    reading: BundleReading
    who: Classification
    risk: RiskResult
    level: Risk
    ran: CiResult = field(default_factory=lambda: CiResult((), ()))  # of a person's own work nothing is asked


def evaluate(state: PolicyState, snapshot: Snapshot, *, gated: bool | None = None) -> Verdict:
    """The verdict on a pull request at the snapshot's head. Never raises for anything that a pull request holds.

    `state` is the target branch's policy. `gated` is the default branch's word on the target, which decides; None asks
    `state` itself.
    """
    case = _case(state, snapshot)
    if gated is None:
        gated = rules.gated_ref(state.policy, snapshot.target_ref, snapshot.repository.default_branch)
    if not gated:
        node = leaf(skipped("policy", "Nothing is required on this branch: it is not gated."))
        return _verdict(case, node, node, gated=False)
    case = _with_runs(case)
    parts, verification = _with_verifier(case, _evidence(case))
    evidence, for_people = _split(parts)
    result = review.check(snapshot, _review_requirement(case, for_people))
    reviewed = _review(case, result, for_people)
    verdict = _verdict(case, evidence, reviewed, gated=True)
    needed = _needed(case, reviewed, result)
    return replace(
        verdict,
        needed=needed,
        code=code_of(verdict.key, snapshot.approval_codes) if needed and snapshot.number is not None else None,
        approved_by=result.counted,
        may_enqueue=_may_enqueue(case, verdict),
        order=_order(case, verification),
        subject=subject_of(snapshot, case.ran.runs),
    )


def _case(state: PolicyState, snapshot: Snapshot) -> _Case:
    policy = state.policy
    reading = read_bundle(snapshot)
    who = people.classify(
        snapshot, rules.agent_markers(policy), rules.people_rule(policy), rules.dependency_bots(policy)
    )
    bot = who.kind == "dependency-bot"
    exempt = ("dependencies",) if bot else ()  # a bot's update of them has a risk of its own
    contents = risk_reasons(snapshot.analysis) if isinstance(snapshot.analysis, Analysis) else ()
    assessed = risk.check(snapshot, rules.path_rules(policy, exempt), reading.bundle, exempt, contents)
    level = max(assessed.level, risk_of(policy.dependency_bots.risk)) if bot else assessed.level
    return _Case(state, snapshot, reading, who, assessed, level)


def _with_runs(case: _Case) -> _Case:
    if case.who.kind == "person":
        return case
    return replace(case, ran=ci.check(case.snapshot, rules.ci_requirement(case.state.policy), case.level))


def _verdict(case: _Case, evidence: Node, reviewed: Node, *, gated: bool) -> Verdict:
    snapshot, ticket = case.snapshot, case.snapshot.ticket
    return Verdict(
        head_sha=snapshot.head.sha,
        target_ref=snapshot.target_ref,
        policy_digest=case.state.digest,
        bundle_digest=case.reading.digest,
        ticket_digest=ticket.digest if ticket else None,
        kind=case.who.kind,
        mode=case.state.policy.mode,
        gated=gated,
        risk=case.level,
        areas=case.risk.areas,
        evidence=evidence,
        review=reviewed,
    )


def _evidence(case: _Case) -> tuple[Node, ...]:
    """The parts of `mergegate/evidence` by whose work it is, in the order shown."""
    who = passed("people", case.who.because)
    if case.who.kind == "person":
        return (group("people", (who,)), group("risk", case.risk.findings))
    if case.who.kind == "agent":
        return (group("people", (who,)), *_of_agent(case))
    return (group("people", (who,)), *_without_bundle(case))


def _of_agent(case: _Case) -> tuple[Node, ...]:
    policy, bundle = case.state.policy, case.reading.bundle
    required = policy.bundle.required
    given = claims.check(case.snapshot, case.reading, required)
    no_bundle = case.reading.source is None and case.snapshot.number is None
    back = rollback.check(
        bundle,
        case.level,
        case.risk.areas,
        required="rollback" in required,
        offline=no_bundle,
        change=case.snapshot,
    )
    return (
        group("policy", (policy_finding(case.state),)),
        group("ticket", (_ticket(case),)),
        group("bundle", (*given, *history.check(case.snapshot, case.reading))),
        group("scope", scope.check(case.snapshot)),
        group("risk", case.risk.findings),
        group("rollback", back),
        group("tampering", tampering.check(case.snapshot.analysis, bundle)),
        group("ci", _ran(case)),
    )


def _without_bundle(case: _Case) -> tuple[Node, ...]:
    """Outsiders and dependency bots write no bundle; what ran and what was changed is looked at all the same."""
    return (
        group("policy", (policy_finding(case.state),)),
        group("scope", scope.check(case.snapshot)),
        group("risk", case.risk.findings),
        group("tampering", tampering.check(case.snapshot.analysis, None)),
        group("ci", _ran(case)),
    )


def _ran(case: _Case) -> tuple[Finding, ...]:
    rule = rules.baseline_rule(case.state.policy)
    shrunk = baseline.check(case.ran.runs, case.snapshot.baselines, rule, case.reading.bundle)
    return (*case.ran.findings, *shrunk)


def _ticket(case: _Case) -> Finding:
    ticket = case.snapshot.ticket
    if ticket is not None:
        return passed("ticket", f"It belongs to ticket `{ticket.id}`.")
    if not case.state.policy.ticket.required:
        return skipped("ticket", "It belongs to no ticket, and the policy asks for none.")
    if case.snapshot.number is None:
        fix = Fix("link-ticket", "Hand over the ticket (`--ticket FILE`), or open a pull request from an accepted one.")
        return pending("ticket", "The policy asks for a ticket; only GitHub knows whether there is one.", fix=fix)
    fix = Fix("link-ticket", "Start the work from an accepted ticket.")
    return failed("ticket", "It belongs to no ticket, and the policy asks for one.", fix=fix)


def _with_verifier(case: _Case, parts: tuple[Node, ...]) -> tuple[tuple[Node, ...], VerifiedResult]:
    """The parts with the verifier's among them. Of a person and of an outsider no run is asked: a person looks."""
    if case.who.kind not in ("agent", "dependency-bot"):
        return parts, VerifiedResult(())
    wanted = case.state.policy.requirements.at(case.level)
    if wanted.evidence == "ci":
        reason = f"No separate run by a verifier is asked for at {case.level.word} risk."
        return (*parts, group("verifier", (skipped(verified.CHECK, reason),))), VerifiedResult(())
    ready = not case.snapshot.draft and all(_is_settled(finding) for part in parts for finding in part.findings)
    requirement = rules.verifier_requirement(case.level, case.state, case.snapshot.gate_login, ready=ready)
    result = verified.check(case.snapshot, requirement)
    return (*parts, group("verifier", result.findings)), result


def _is_settled(finding: Finding) -> bool:
    """Whether it does not stand in the way of starting a run; what people decide may be decided afterwards."""
    return finding.status in (Status.PASSED, Status.SKIPPED) or finding.needs_person


def _order(case: _Case, verification: VerifiedResult) -> VerificationOrder | None:
    if not verification.missing:
        return None
    policy, ticket = case.state.policy, case.snapshot.ticket
    return VerificationOrder(
        count=verification.missing,
        workflow=policy.verifier.workflow,
        image=policy.verifier.image,
        setup=policy.verifier.setup,
        commands=policy.ci.commands + (ticket.verification_commands if ticket else ()),
        network=policy.verifier.network,
        restored=test_infrastructure(case.snapshot.merge_diff),
        new_tests=_new_tests(case),
    )


def _new_tests(case: _Case) -> tuple[str, ...]:
    """None where they are not asked for, or more than a dispatch can carry; then the verifier's findings say so."""
    paths = () if case.state.policy.verifier.new_tests == "ignore" else paths_of_new_tests(case.snapshot)
    return () if is_too_long(paths) else paths


def _split(parts: Iterable[Node]) -> tuple[Node, tuple[Finding, ...]]:
    """What the evidence says by itself, and the findings that only a person can settle."""
    nodes: list[Node] = []
    for_people: list[Finding] = []
    for part in parts:
        open_questions = tuple(finding for finding in part.findings if finding.needs_person)
        for_people.extend(open_questions)
        rest = tuple(finding for finding in part.findings if not finding.needs_person)
        shown = tuple(
            skipped(finding.check, "A person decides this, see mergegate/review.") for finding in open_questions
        )
        nodes.append(group(part.name, rest + shown))
    return required("evidence", nodes), tuple(for_people)


def _review_requirement(case: _Case, for_people: tuple[Finding, ...]) -> ReviewRequirement:
    policy = case.state.policy
    approvers = rules.approvers_at(policy, case.level)
    return ReviewRequirement(
        approvals=max(_approvals(case), 1 if for_people else 0),
        classification=case.who,
        bundle_digest=case.reading.digest,
        permission=permission_of(approvers.permission),
        users=approvers.users,
        teams=approvers.teams,
        allow_operator=policy.review.allow_operator,
        agents=policy.agents.apps,
    )


def _approvals(case: _Case) -> int:
    policy = case.state.policy
    by_risk = policy.requirements.at(case.level).approvals
    if case.who.kind == "outsider":
        return max(by_risk, policy.outsiders.approvals)
    if case.who.kind == "person" and (not policy.review.people_need_approval or _repairs_policy(case)):
        return 0
    return by_risk


def _repairs_policy(case: _Case) -> bool:
    """An administrator who replaces a broken policy file and nothing else.

    They could take the gate away altogether, so asking for a second person would protect nothing and could leave a
    repository of one person without a way out.
    """
    snapshot, author = case.snapshot, case.snapshot.author
    if case.state.origin != "broken" or isinstance(author, Unread) or isinstance(snapshot.diff, Unread):
        return False
    if {path for file in snapshot.diff.files for path in file.paths} != {POLICY_PATH} or not snapshot.diff.complete:
        return False
    return electorate.permission_of(snapshot, author.login) is Permission.ADMIN


def _review(case: _Case, result: ReviewResult, for_people: tuple[Finding, ...]) -> Node:
    nodes = [group("approvals", result.findings)]
    if case.state.origin == "unread":  # who must approve is not known either
        nodes.insert(0, group("policy", (policy_finding(case.state),)))
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


def _needed(case: _Case, reviewed: Node, result: ReviewResult) -> tuple[str, ...]:
    if case.snapshot.draft or reviewed.status is not Status.PENDING:
        return ()
    approvers = rules.approvers_at(case.state.policy, case.level)
    return still_needed(approvers, case.snapshot.repository.owner, result.counted)


def _may_enqueue(case: _Case, verdict: Verdict) -> bool:
    policy, snapshot = case.state.policy, case.snapshot
    wanted = policy.mode == "enforce" and policy.queue.enqueue != "off" and case.who.kind == "agent"
    return wanted and verdict.status is Status.PASSED and snapshot.open and not snapshot.draft
