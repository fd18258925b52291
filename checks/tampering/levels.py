"""How much an alteration raises the risk of a change, as reasons for `checks.risk.check`."""

from __future__ import annotations

from checks.risk import RiskReason
from checks.snapshot import Risk
from checks.tampering.alteration import Alteration, Analysis, Weight

# Honest work does these every day; they are shown, and raise nothing.
_LOW = frozenset({"suppression-added", "timeout-raised", "runner-exchanged", "mode-changed"})
_HIGH = frozenset(
    {
        *("data-dropped", "secret-added", "rights-widened", "check-switched-off", "bidi-control", "hidden-text"),
        *(
            "invisible-character",
            "binary-instead-of-text",
            "program-added",
            "link-leaves-repository",
            "pointer-changed",
        ),
        *("runner-substituted", "runner-replaced", "start-up-hook", "package-index-changed", "attributes-hide"),
        *("guard-removed", "credentials-handled", "money-moved", "everything-deleted", "infrastructure-changed"),
        *("gate-addressed", "agents-addressed", "runner-steered"),
        *("permissions-widened", "secrets-inherited", "event-proves-nothing", "self-hosted", "cache-written"),
    }
)


def risk_reasons(analysis: Analysis) -> tuple[RiskReason, ...]:
    """What raises the risk: contents that are dangerous wherever they stand, and what could not be seen as a whole.

    What weakens tests is held by a finding of its own, and honest changes of tests are everyday work; so neither makes
    the change riskier than it is.
    """
    levels = ((each, level_of(each)) for each in analysis.alterations)
    reasons = [_reason(each, level) for each, level in levels if level > Risk.LOW]
    if analysis.cut:
        reasons.append(RiskReason(Risk.HIGH, "more is altered than is listed"))
    for path, why in analysis.unread:
        reasons.append(RiskReason(Risk.MEDIUM, f"a file could not be analysed: {why}"[:200], None, path))
    return tuple(reasons)


def level_of(alteration: Alteration) -> Risk:
    if alteration.kind in _HIGH:
        return Risk.HIGH
    about_tests = alteration.weight is not Weight.RISK or alteration.risk_area == "tests" or alteration.kind in _LOW
    return Risk.LOW if about_tests else Risk.MEDIUM


def _reason(alteration: Alteration, level: Risk) -> RiskReason:
    return RiskReason(level, alteration.kind.replace("-", " "), alteration.risk_area or None, alteration.path)
