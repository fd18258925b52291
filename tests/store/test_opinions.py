"""When what judges said of a head is a disagreement."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.store import opinions
from app.store.database import Connection, Database
from app.store.opinions import Ended, StoredOpinion
from checks.opinions import Word

pytestmark = pytest.mark.anyio

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
ASKED = StoredOpinion("", 1, 7, 3, "sha256:old", "strict", "a" * 40, "b" * 40, "c" * 40, AT)


async def _said(connection: Connection, row: StoredOpinion, said: Word | None) -> None:
    assert await opinions.ask(connection, row, AT - timedelta(hours=1), calls=9, cost=9)
    if said is not None:
        assert await opinions.end(connection, row.id, Ended(said, ()), AT)


async def test_a_judge_that_looked_twice_does_not_disagree_with_itself(database: Database) -> None:
    async def disagree(*, approved: bool = False) -> bool:
        return await opinions.disagree(connection, 1, 7, ASKED.head_sha, approved=approved)

    again = replace(ASKED, id="2", ticket_digest="sha256:new", asked_at=AT + timedelta(hours=1))
    async with database.transaction() as connection:
        await _said(connection, replace(ASKED, id="1"), "fail")
        assert not await disagree()
        assert await disagree(approved=True)
        await _said(connection, again, "pass")
        assert not await disagree(approved=True)
        await _said(connection, replace(again, id="3", asked_at=AT + timedelta(hours=2)), None)
        await _said(connection, replace(ASKED, id="4", judge="other"), "fail")
        assert await disagree()
