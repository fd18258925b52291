"""How risky a change is: the highest of ticket, path rules, structure of the change, and the agent's own word."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from checks.bundle import Bundle
from checks.finding import Finding
from checks.paths import PathPatterns
from checks.snapshot import Risk, Snapshot


@dataclass(frozen=True, slots=True)
class PathRule:
    """Changes to these paths have at least this risk and lie in this area."""

    area: str
    level: Risk
    patterns: PathPatterns


@dataclass(frozen=True, slots=True)
class RiskReason:
    level: Risk
    text: str
    area: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class RiskResult:
    """`reasons` are ordered from the highest risk down, one a rule and at most a few paths each."""

    level: Risk
    areas: tuple[str, ...]
    reasons: tuple[RiskReason, ...]
    findings: tuple[Finding, ...]


def check(
    snapshot: Snapshot, rules: Sequence[PathRule], bundle: Bundle | None, exempt: Collection[str] = ()
) -> RiskResult:
    """`exempt` are areas whose shipped paths do not count, for a dependency bot's update: {"dependencies"}."""
    raise NotImplementedError
