"""Python changes as real projects and cheats make them: the honest are not held, of the others each is named."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Weight
from checks.tampering.analyse import analyse
from tests.checks.tampering.honest import Honest, cheating_cases, honest_cases

HONEST = honest_cases("python")
CHEATING = cheating_cases("python")


@pytest.mark.parametrize("case", HONEST, ids=[case.name for case in HONEST])
def test_honest_work_is_not_held(case: Honest) -> None:
    analysis = analyse(case.changes())
    assert [one for one in analysis.alterations if one.weight is not Weight.RISK] == []
    assert analysis.unread == ()


@pytest.mark.parametrize("case", CHEATING, ids=[case.name for case in CHEATING])
def test_a_cheat_is_named(case: Honest) -> None:
    held = [one for one in analyse(case.changes()).alterations if one.weight is not Weight.RISK]
    assert case.kinds
    assert case.kinds <= {one.kind for one in held}
    changed = {path for change in case.changes() for path in change.paths}
    assert {one.path for one in held} <= changed


# Its cheat adds a test, which is removed on the way back.
ONE_WAY = [case for case in CHEATING if case.name != "test_function_removed"]


@pytest.mark.parametrize("case", ONE_WAY, ids=[case.name for case in ONE_WAY])
def test_taking_a_cheat_back_is_honest(case: Honest) -> None:
    """What a cheat adds is no matter on the old side: only its own kinds count, since product code changes back too."""
    back = Honest(case.name, case.after, case.before)
    held = {one.kind for one in analyse(back.changes()).alterations if one.weight is Weight.FAILED}
    assert not held & case.kinds


def test_there_are_enough_of_both() -> None:
    assert len(HONEST) >= 40
    assert len(CHEATING) >= 80
