"""The example policy means what its table of cases says."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies.case_run import CaseResult, run_cases
from policies.case_sections import read_cases
from tests.policies.build import state

FOLDER = Path(__file__).parents[2] / "deploy" / "policies"


def _results() -> list[CaseResult]:
    policy = state((FOLDER / "team.yml").read_text(encoding="utf-8"))
    assert not policy.errors, policy.errors
    return list(run_cases(policy, read_cases((FOLDER / "team.cases.yml").read_text(encoding="utf-8"))))


@pytest.mark.parametrize("result", _results(), ids=lambda result: result.name)
def test_case(result: CaseResult) -> None:
    assert result.differences == ()
