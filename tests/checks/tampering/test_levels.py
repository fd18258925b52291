"""Which alterations raise the risk of a change, and which say nothing about it."""

from __future__ import annotations

import pytest

from checks.risk import RiskReason
from checks.snapshot import Risk
from checks.tampering.alteration import Alteration, Analysis, Weight
from checks.tampering.levels import risk_reasons


def altered(kind: str, weight: Weight = Weight.RISK, area: str = "tests") -> Alteration:
    return Alteration(kind, "a.py", 3, "before", "after", "A reason.", weight, "", area)


@pytest.mark.parametrize("kind", ["secret-added", "data-dropped", "bidi-control", "permissions-widened"])
@pytest.mark.parametrize("weight", list(Weight))
def test_dangerous_contents_are_high_whatever_else_is_said_of_them(kind: str, weight: Weight) -> None:
    reason = RiskReason(Risk.HIGH, kind.replace("-", " "), "secrets", "a.py")
    assert risk_reasons(Analysis((altered(kind, weight, "secrets"),))) == (reason,)


@pytest.mark.parametrize("weight", list(Weight))
def test_what_is_about_tests_has_findings_of_its_own(weight: Weight) -> None:
    assert risk_reasons(Analysis((altered("expectation-changed", weight),))) == ()


@pytest.mark.parametrize("weight", [Weight.FAILED, Weight.PERSON])
def test_what_is_held_anyway_is_no_higher_risk(weight: Weight) -> None:
    assert risk_reasons(Analysis((altered("failures-ignored", weight, "ci"),))) == ()


def test_what_is_worth_knowing_of_another_area_is_medium() -> None:
    reason = RiskReason(Risk.MEDIUM, "action not pinned", "ci", "a.py")
    assert risk_reasons(Analysis((altered("action-not-pinned", area="ci"),))) == (reason,)
    unnamed = RiskReason(Risk.MEDIUM, "large deletion", None, "a.py")
    assert risk_reasons(Analysis((altered("large-deletion", area=""),))) == (unnamed,)


@pytest.mark.parametrize("kind", ["suppression-added", "timeout-raised", "runner-exchanged", "mode-changed"])
def test_everyday_work_raises_nothing(kind: str) -> None:
    assert risk_reasons(Analysis((altered(kind, area="ci"),))) == ()


def test_what_could_not_be_seen_raises_it() -> None:
    assert risk_reasons(Analysis((), cut=True)) == (RiskReason(Risk.HIGH, "more is altered than is listed"),)
    unread = Analysis((), unread=(("big.py", "it is too large" + "!" * 300),))
    text = ("a file could not be analysed: it is too large" + "!" * 300)[:200]
    assert risk_reasons(unread) == (RiskReason(Risk.MEDIUM, text, None, "big.py"),)
