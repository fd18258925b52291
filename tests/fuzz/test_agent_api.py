"""The agents' API, tried by its own published document."""

from __future__ import annotations

import asyncio

import pytest

from app.agent_api.buckets import Buckets
from app.agent_api.openapi import document
from tests.agent.bureau import Bureau
from tests.fuzz.openapi import Case, Headers, try_api

pytestmark = pytest.mark.anyio


async def test_every_answer_is_one_that_the_document_names(town: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Buckets, "take", lambda *_: 0)  # how often one may ask has tests of its own
    await town.accepted()
    session = (await town.claim())["token"]

    def headers_of(case: Case) -> Headers:
        _at_once(case)
        return {"Authorization": f"Bearer {town.token if case.path == '/agent/claim' else session}"}

    statuses = await asyncio.to_thread(try_api, document(), town.address, headers_of)
    # Requests that are right reach what serves them.
    assert {"POST /agent/claim 200", "POST /session/progress 200", "GET /session/limits 200"} <= statuses.keys()


def _at_once(case: Case) -> None:
    """Nobody waits for half a minute here."""
    wait = (case.query or {}).get("wait")
    if isinstance(wait, int) and 0 < wait <= 30:
        case.query["wait"] = 0
