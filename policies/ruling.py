"""The rules of a policy as findings: one for each rule that holds by itself, with its tree for people to read."""

from __future__ import annotations

from dataclasses import dataclass

from checks.electorate import Electorate
from checks.finding import Finding, Fix, Status, errored, failed, needs_person, passed, pending, skipped
from policies.demands import Court, standing_rules
from policies.facts import Facts
from policies.outcome import Outcome
from policies.schema import Policy
from policies.verdict import Node, fold_all

_WAIT = Fix("wait", "Nothing to do: the gate looks again by itself.")
_LONGEST = 700  # characters of a rule's sentence; its tree says the rest


@dataclass(frozen=True, slots=True)
class Ruling:
    """`node` is the part `rules` of `mergegate/review`, None where the policy has none.

    `waits_for` are the people still asked, `counted` logins whose approval some rule counts, `people` how many
    different approvals one rule asks for at most.
    """

    node: Node | None = None
    waits_for: tuple[Electorate, ...] = ()
    counted: tuple[str, ...] = ()
    people: int = 0


def rule_on(policy: Policy, facts: Facts) -> Ruling:
    """Every rule that holds by itself, held against the facts."""
    court = Court(policy, facts)
    found = {name: court.rule(name) for name in standing_rules(policy)}
    if not found:
        return Ruling()
    nodes = tuple(_node(name, outcome, policy.rules[name].because) for name, outcome in found.items())
    status = fold_all(node.status for node in nodes)
    speaker = next(node.reason for node in nodes if node.status is status)
    applying = [outcome for outcome in found.values() if outcome.status is not Status.SKIPPED]
    return Ruling(
        Node("rules", status, speaker, nodes),
        waits_for=tuple(dict.fromkeys(who for outcome in applying for who in outcome.waits_for)),
        counted=tuple(dict.fromkeys(login for outcome in applying for login in outcome.counted)),
        people=max((outcome.people for outcome in applying), default=0),
    )


def _node(name: str, outcome: Outcome, because: str | None) -> Node:
    finding = _finding(name, outcome, because)
    return Node(name, outcome.status, finding.reason, outcome.nodes, finding)


def _finding(name: str, outcome: Outcome, because: str | None) -> Finding:
    check, why = f"rules.{name}", f" {because.rstrip('.')}." if because else ""
    words = outcome.words if len(outcome.words) <= _LONGEST else f"{outcome.words[:_LONGEST]}…"
    match outcome.status:
        case Status.SKIPPED:
            return skipped(check, f"Rule `{name}` does not apply.")
        case Status.PASSED:
            return passed(check, f"Rule `{name}` is met: {words}.")
        case Status.PENDING if outcome.waits_for:
            asked = " or ".join(who.words for who in outcome.waits_for)
            fix = Fix("ask-person", f"Ask for approval by {asked}, of this very head.")
            return needs_person(check, f"Rule `{name}` waits: {words}.{why}", fix=fix)
        case Status.PENDING:
            return pending(check, f"Rule `{name}` waits: {words}.{why}", fix=_WAIT)
        case Status.ERRORED:
            return errored(check, f"Rule `{name}` could not be looked at: {words}.{why}", fix=_WAIT)
    fix = Fix("meet-rule", f"Meet the rule `{name}` of the policy, or ask a person to change it.")
    return failed(check, f"Rule `{name}` is not met: {words}.{why}", fix=fix)
