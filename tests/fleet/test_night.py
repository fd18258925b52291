"""A small night: enough tickets that most kinds of agents come up, and more agents than may be at work.

Under MERGEGATE_SOAK=1 it is an hour longer.
"""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path

import pytest

from app.store.embedded import Embedded
from tests.fleet.agents import KINDS
from tests.fleet.night import Plan
from tests.fleet.outcome import Rules, play

pytestmark = pytest.mark.anyio

TICKETS, HOURS = (16, 4) if os.environ.get("MERGEGATE_SOAK") else (10, 3)
PLAN = Plan(tickets=TICKETS, agents=6, hours=HOURS, phone=12, rest=1)
RULES = Rules(running=5, attempts=26, dollars=Decimal(60))


async def test_after_a_night_everything_is_true_and_counted_right(tmp_path: Path, server: Embedded) -> None:
    found = await play(tmp_path, server.conninfo, PLAN, RULES)
    assert found.wrongs == []
    assert found.reported == found.counted
    assert found.unshown == []
    # It was a night worth the name: the limits were met, and people and agents of many kinds were there.
    seen = found.night.seen
    assert len(seen.kinds) >= len(KINDS) - 3 and seen.refused_calls > 0
    assert found.counted["completed"] > 0 and found.counted["cap_hits"][0] > 0 and found.counted["stops"][0] > 0
