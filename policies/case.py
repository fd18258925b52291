"""A pull request with what every step of its judgement needs to know about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from checks import people, risk
from checks.bundle import BundleReading, read_bundle
from checks.ci import CiResult
from checks.people import Classification
from checks.risk import RiskResult
from checks.snapshot import Risk, Snapshot
from checks.tampering.alteration import Analysis
from checks.tampering.levels import risk_reasons
from policies import rules
from policies.fields import risk_of
from policies.load import PolicyState


@dataclass(frozen=True, slots=True)
class Case:
    """A pull request with what every later step needs to know about it."""

    state: PolicyState
    snapshot: Snapshot
    reading: BundleReading
    who: Classification
    risk: RiskResult
    level: Risk
    ran: CiResult = field(default_factory=lambda: CiResult((), ()))  # of a person's own work nothing is asked


def case_of(state: PolicyState, snapshot: Snapshot) -> Case:
    """Whose it is and how risky; what ran is looked at later."""
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
    return Case(state, snapshot, reading, who, assessed, level)
