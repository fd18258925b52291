"""The setting of the server's baseline: read at start, and refused with its faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.config import Misconfigured, read_settings
from app.service import read_floor


def test_it_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "baseline.yml").write_text("version: 1\nrequirements: {high: {approvals: 2}}\n", encoding="utf-8")
    settings = read_settings({"MERGEGATE_POLICY_BASELINE_FILE": str(tmp_path / "baseline.yml")})
    floor = read_floor(settings.policy_baseline)
    assert floor is not None
    assert (floor.requirements.high.approvals, floor.requirements.medium.approvals) == (2, 0)


def test_there_need_be_none() -> None:
    assert read_floor(read_settings({}).policy_baseline) is None


def test_one_with_faults_is_refused() -> None:
    with pytest.raises(Misconfigured, match=r"MERGEGATE_POLICY_BASELINE.*line 2, column 1: `rule`.*`rules`"):
        read_floor("version: 1\nrule: {}\n")
