"""The same state machine while nothing fails: then the gate needs no resync to have everything right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.databases import database_url, server
from tests.gate.machine_judged import SOAK, Judged, hold

__all__ = ["database_url", "server"]

EXAMPLES = 1000 if SOAK else 25


def test_the_safety_properties_hold_whatever_people_do(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(Judged, EXAMPLES, database_url, tmp_path, monkeypatch)
