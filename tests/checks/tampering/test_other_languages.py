"""Honest and cheating changes in languages other than Python, through the whole analysis."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Weight
from checks.tampering.analyse import analyse
from tests.checks.tampering.honest import Honest, cheating_cases, honest_cases

LANGUAGES = ("javascript", "go", "rust", "java", "ruby", "csharp")
HONEST = [pytest.param(case, id=f"{name}-{case.name}") for name in LANGUAGES for case in honest_cases(name)]
CHEATING = [pytest.param(case, id=f"{name}-{case.name}") for name in LANGUAGES for case in cheating_cases(name)]


@pytest.mark.parametrize("case", HONEST)
def test_honest_changes_are_not_held(case: Honest) -> None:
    analysis = analyse(case.changes())
    held = [one for one in analysis.alterations if one.weight is not Weight.RISK]
    assert (held, analysis.unread, analysis.cut) == ([], (), False)
    assert analysis.tests_before + analysis.tests_after > 0


@pytest.mark.parametrize("case", CHEATING)
def test_cheating_changes_are_found(case: Honest) -> None:
    analysis = analyse(case.changes())
    found = {one.kind for one in analysis.alterations if one.weight is not Weight.RISK}
    assert case.kinds
    assert (case.kinds - found, analysis.unread) == (frozenset(), ())


def test_there_are_enough() -> None:
    for name in LANGUAGES:
        assert len(honest_cases(name)) >= 8
        assert len(cheating_cases(name)) >= 8
