"""A state machine of a repository's life, on a bad network: the safety properties hold whatever happens.

Rules are in `machine_rules`, what may be green in `machine_oracle`, who watches in `machine_judged`, the quick stage in
`machine_stage`. Two files, so that two workers share the examples.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.databases import database_url, server
from tests.gate.machine_judged import SOAK, Judged, hold
from tests.gate.machine_rules import Trouble

__all__ = ["database_url", "server"]

EXAMPLES = 1000 if SOAK else 25


class Troubled(Judged, Trouble):
    pass


def test_the_safety_properties_hold_whatever_fails(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(Troubled, EXAMPLES, database_url, tmp_path, monkeypatch)
