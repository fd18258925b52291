"""A pull request with what every step of its judgement needs to know about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from checks import people, risk
from checks.bundle import BundleReading, read_bundle
from checks.ci import CiResult
from checks.dependency_steps import Step
from checks.dependency_updates import why_more
from checks.finding import Status
from checks.people import Classification, Kind
from checks.risk import RiskReason, RiskResult
from checks.snapshot import Risk, Snapshot
from checks.tampering.alteration import Analysis
from checks.tampering.levels import risk_reasons
from policies import rules
from policies.fields import risk_of
from policies.load import PolicyState


@dataclass(frozen=True, slots=True)
class Assumed:
    """What a dry run takes for granted instead of looking: whose work it is, its risk, and parts of the evidence."""

    kind: Kind | None = None
    risk: Risk | None = None
    parts: Mapping[str, Status] = field(default_factory=dict)


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


def case_of(state: PolicyState, snapshot: Snapshot, assumed: Assumed | None = None) -> Case:
    """Whose it is and how risky; what ran is looked at later."""
    policy = state.policy
    reading = read_bundle(snapshot)
    who = people.classify(
        snapshot, rules.agent_markers(policy), rules.people_rule(policy), rules.dependency_bots(policy)
    )
    if assumed is not None and assumed.kind is not None:
        who = Classification(assumed.kind, "That is assumed.")
    more = why_more(snapshot.dependency_updates, Step[policy.dependency_bots.updates.upper()])
    bot = who.kind == "dependency-bot" and more is None
    exempt = ("dependencies",) if bot else ()  # a bot's small update of them has a risk of its own
    contents = risk_reasons(snapshot.analysis) if isinstance(snapshot.analysis, Analysis) else ()
    if who.kind == "dependency-bot" and more is not None:
        contents = (*contents, RiskReason(Risk.HIGH, more, "dependencies"))
    assessed = risk.check(snapshot, rules.path_rules(policy, exempt), reading.bundle, exempt, contents)
    level = max(assessed.level, risk_of(policy.dependency_bots.risk)) if bot else assessed.level
    if assumed is not None and assumed.risk is not None:
        level = assumed.risk
    return Case(state, snapshot, reading, who, assessed, level)
