"""Policy and snapshot become a verdict: whose work it is, which checks that calls for, and who must still agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from checks import baseline, ci, claims, history, origin, rollback, scope, verified
from checks.approval_code import code_of
from checks.finding import Finding, Fix, Status, passed, skipped
from checks.new_tests import is_too_long, paths_of_new_tests
from checks.snapshot import Snapshot
from checks.steering import test_infrastructure
from checks.tampering import findings as tampering
from policies import rules
from policies.case import Assumed, Case, case_of
from policies.conditions import electorate_of
from policies.floor import for_baseline, held_against
from policies.judging import judged
from policies.load import PolicyState
from policies.overriding import overridden, override_of
from policies.proposal import policy_check
from policies.reviewing import review_of
from policies.schema import Policy
from policies.subject import subject_of
from policies.tickets.finding import ticket_finding
from policies.tree import group, leaf, required
from policies.verdict import JudgeOrder, Node, Verdict, VerificationOrder
from policies.words import policy_finding


def evaluate(
    state: PolicyState, snapshot: Snapshot, *, gated: bool | None = None, assumed: Assumed | None = None
) -> Verdict:
    """The verdict on a pull request at the snapshot's head. Never raises for anything that a pull request holds.

    `state` is the target branch's policy. `gated` is the default branch's word on the target, which decides; None asks
    `state` itself. Where the state has the server's baseline, the worse of both verdicts stands.
    `assumed` is for dry runs alone.
    """
    floor = state.floor
    gated = _gates(state.policy, snapshot) if gated is None else gated
    if not gated and (floor is None or not _gates(floor, snapshot)):
        return _not_gated(state, snapshot, assumed)

    def judge(by: PolicyState, of: Snapshot = snapshot) -> Verdict:
        return _evaluate(by, of, assumed)

    own = verdict = judge(state)
    if floor is not None:
        verdict = held_against(own, state, floor, judge, partial(judge, of=for_baseline(snapshot)))
    return replace(verdict, may_enqueue=verdict.may_enqueue and own.kind == "agent")


def _gates(policy: Policy, snapshot: Snapshot) -> bool:
    return rules.gated_ref(policy, snapshot.target_ref, snapshot.repository.default_branch)


def _not_gated(state: PolicyState, snapshot: Snapshot, assumed: Assumed | None) -> Verdict:
    node = leaf(skipped("policy", "Nothing is required on this branch: it is not gated."))
    return _verdict(case_of(state, snapshot, assumed), node, node, gated=False)


def _evaluate(state: PolicyState, snapshot: Snapshot, assumed: Assumed | None) -> Verdict:
    """By the words of this one policy alone."""
    case = _with_runs(case_of(state, snapshot, assumed))
    parts, orders = _with_verifier(case, _evidence(case))
    parts, judges = _with_judges(case, parts)
    if assumed is not None:
        parts = tuple(_taken_for_granted(part, assumed) for part in parts)
    evidence, for_people = _split(parts)
    reviewed = review_of(case, for_people)
    verdict = _verdict(case, evidence, reviewed.node, gated=True)
    asks = bool(reviewed.needed) and snapshot.number is not None
    verdict = replace(
        verdict,
        needed=reviewed.needed,
        asks=reviewed.asks,
        code=code_of(verdict.key, snapshot.approval_codes) if asks and not reviewed.reads_code else None,
        reads_code=reviewed.reads_code,
        approved_by=reviewed.counted,
        may_enqueue=_may_enqueue(case, verdict),
        orders=orders,
        judges=judges,
        override_by=electorate_of(state.policy.override).words,
        subject=subject_of(snapshot, case.ran.runs),
    )
    override = override_of(state.policy, snapshot, case.who)
    return verdict if override is None else overridden(verdict, override)


def _taken_for_granted(part: Node, assumed: Assumed) -> Node:
    status = assumed.parts.get(part.name)
    if status is None:
        return part
    fix = None if status in (Status.PASSED, Status.SKIPPED) else Fix("assume", "Assume something else.")
    return group(part.name, (Finding(part.name, status, f"That it is {status.value} is assumed.", fix=fix),))


def _with_runs(case: Case) -> Case:
    if case.who.kind == "person":
        return case
    return replace(case, ran=ci.check(case.snapshot, rules.ci_requirement(case.state.policy), case.level))


def _verdict(case: Case, evidence: Node, reviewed: Node, *, gated: bool) -> Verdict:
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


def _evidence(case: Case) -> tuple[Node, ...]:
    """The parts of `mergegate/evidence` by whose work it is, in the order shown."""
    who = passed("people", case.who.because)
    if case.who.kind == "person":
        brought = policy_check(case.snapshot.policy_proposal)
        changed = (group("policy", (brought,)),) if brought else ()
        return (group("people", (who,)), *changed, group("risk", case.risk.findings))
    if case.who.is_agents:
        past = origin.check(case.snapshot, case.state.policy.agents.outside_pushes)
        return (group("people", (who, *past)), *_of_agent(case))
    return (group("people", (who,)), *_without_bundle(case))


def _of_agent(case: Case) -> tuple[Node, ...]:
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
        group("policy", _policy(case)),
        group("ticket", (ticket_finding(case.snapshot, required=policy.ticket.required),)),
        group("bundle", (*given, *history.check(case.snapshot, case.reading))),
        group("scope", (*scope.check(case.snapshot), *origin.commits(case.snapshot))),
        group("risk", case.risk.findings),
        group("rollback", back),
        group("tampering", tampering.check(case.snapshot.analysis, bundle)),
        group("ci", _ran(case)),
    )


def _without_bundle(case: Case) -> tuple[Node, ...]:
    """People from outside and dependency bots write no bundle; what ran and what was changed is looked at as always."""
    return (
        group("policy", _policy(case)),
        group("scope", scope.check(case.snapshot)),
        group("risk", case.risk.findings),
        group("tampering", tampering.check(case.snapshot.analysis, None)),
        group("ci", _ran(case)),
    )


def _policy(case: Case) -> tuple[Finding, ...]:
    """That in force, and that which this pull request brings."""
    brought = policy_check(case.snapshot.policy_proposal)
    return (policy_finding(case.state), *((brought,) if brought else ()))


def _ran(case: Case) -> tuple[Finding, ...]:
    rule = rules.baseline_rule(case.state.policy)
    shrunk = baseline.check(case.ran.runs, case.snapshot.baselines, rule, case.reading.bundle)
    return (*case.ran.findings, *shrunk)


def _with_verifier(case: Case, parts: tuple[Node, ...]) -> tuple[tuple[Node, ...], tuple[VerificationOrder, ...]]:
    """The parts with the verifier's among them, and the runs that should be started now.

    Of a person, from a fork or not, no run is asked: a person looks.
    """
    if not case.who.is_agents and case.who.kind != "dependency-bot":
        return parts, ()
    wanted = case.state.policy.requirements.at(case.level)
    if wanted.evidence == "ci":
        reason = f"No separate run by a verifier is asked for at {case.level.word} risk."
        return (*parts, group("verifier", (skipped(verified.CHECK, reason),))), ()
    ready = not case.snapshot.draft and all(_is_settled(finding) for part in parts for finding in part.findings)
    order, login = _order(case), case.snapshot.gate_login
    requirement = rules.verifier_requirement(case.state.policy, case.level, order.digest, login, ready=ready)
    result = verified.check(case.snapshot, requirement)
    orders = (replace(order, count=result.missing),) if result.missing else ()
    return (*parts, group("verifier", result.findings)), orders


def _with_judges(case: Case, parts: tuple[Node, ...]) -> tuple[tuple[Node, ...], tuple[JudgeOrder, ...]]:
    """The parts with the independent judges' among them, and those that should be asked now. A person's own work, and
    what a stranger wrote, is for people to look at."""
    judges = case.state.policy.judge.at(case.level)
    if not judges or not (case.who.is_agents or case.who.kind == "dependency-bot"):
        return parts, ()
    ready = not case.snapshot.draft and all(_is_settled(finding) for part in parts for finding in part.findings)
    findings, orders = judged(case.state.policy.judge, judges, case.snapshot, ready=ready)
    return (*parts, group("judge", findings)), orders


def _is_settled(finding: Finding) -> bool:
    """Whether it does not stand in the way of starting a run; what people decide may be decided afterwards."""
    return finding.status in (Status.PASSED, Status.SKIPPED) or finding.needs_person


def _order(case: Case) -> VerificationOrder:
    """What a run is told that this policy asks for."""
    policy, ticket = case.state.policy, case.snapshot.ticket
    return VerificationOrder(
        count=policy.requirements.at(case.level).runs,
        workflow=policy.verifier.workflow,
        image=policy.verifier.image,
        setup=policy.verifier.setup,
        commands=policy.ci.commands + (ticket.verification_commands if ticket else ()),
        network=policy.verifier.network,
        restored=_carried(test_infrastructure(case.snapshot.merge_diff)),
        new_tests=() if policy.verifier.new_tests == "ignore" else _carried(paths_of_new_tests(case.snapshot)),
    )


def _carried(paths: tuple[str, ...]) -> tuple[str, ...]:
    """None of them where they are more than a dispatch can carry; then the verifier's findings say so."""
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


def _may_enqueue(case: Case, verdict: Verdict) -> bool:
    """Whether this policy lets the gate do it, whosever work it is."""
    policy, snapshot = case.state.policy, case.snapshot
    wanted = policy.mode == "enforce" and policy.queue.enqueue != "off"
    return wanted and verdict.status is Status.PASSED and snapshot.open and not snapshot.draft
