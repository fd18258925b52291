"""The story of the first week is as `make demo-fleet` tells it, up to the decision about the third agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.store.embedded import Embedded
from tests.databases import anyio_backend, server
from tests.demo.fleet_story import MONDAY, POLICY, NotAsExpected, Story, expect, first_week, is_worth_a_line, monday
from tests.fleet.town import town

__all__ = ["anyio_backend", "server"]


@pytest.mark.anyio
async def test_the_first_week_ends_with_a_decision_and_its_reasons(tmp_path: Path, server: Embedded) -> None:
    told: list[str] = []
    async with town(tmp_path, server.conninfo, MONDAY, POLICY) as place:
        story = Story(place, told.append, told.append)
        board = await first_week(story)
        assert await monday(story, board, 1) == (2, False)
    assert told[-4:] == [
        "      Decision: 2 stay. No third agent, because:",
        "        - questions per completed ticket: n/a in the week before",
        "        - median hours until a person looked: n/a in the week before",
        "        - reverts of two weeks ago: n/a, there was none to count",
    ]


def test_what_is_not_seen_ends_the_story() -> None:
    with pytest.raises(NotAsExpected, match="nobody was asked"):
        expect(False, "nobody was asked")


def test_rows_without_a_number_are_left_out() -> None:
    rows = [
        "| Merged | 2 | 0 |",
        "| Conflicts | n/a | n/a |",
        "|---|--:|",
        "",
        "| Drift | not recorded | not recorded |",
    ]
    assert [row for row in rows if is_worth_a_line(row)] == ["| Merged | 2 | 0 |"]
