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
        *("permissions-widened", "secrets-inherited", "event-proves-nothing", "self-hosted", "cache-written"),
    }
)


def risk_reasons(analysis: Analysis) -> tuple[RiskReason, ...]:
    """One reason for every alteration.

    A reason that is low names no area, since nobody need have spoken of it. A list that was cut, or a file that could
    not be read, is high.
    """
    reasons = [_reason(each) for each in analysis.alterations]
    if analysis.cut:
        reasons.append(RiskReason(Risk.HIGH, "more is altered in tests than is listed", "tests"))
    for path, why in analysis.unread:
        reasons.append(RiskReason(Risk.HIGH, f"a file could not be analysed: {why}"[:200], None, path))
    return tuple(reasons)


def level_of(alteration: Alteration) -> Risk:
    if alteration.weight is Weight.FAILED or alteration.kind in _HIGH:
        return Risk.HIGH
    return Risk.LOW if alteration.kind in _LOW and alteration.weight is Weight.RISK else Risk.MEDIUM


def _reason(alteration: Alteration) -> RiskReason:
    level = level_of(alteration)
    area = alteration.risk_area or None
    return RiskReason(level, alteration.kind.replace("-", " "), area if level > Risk.LOW else None, alteration.path)
