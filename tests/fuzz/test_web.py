"""What `mergegate web` answers in JSON: signed deliveries of any body, and health, tried by a document made here."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI

from app.intake.events import RULES
from app.intake.webhook import PATH, Intake
from app.secret import SecretStr
from app.store.database import Database
from app.store.deliveries import DeliveryWriter
from app.web.health import health_router
from app.web.readiness import Readiness
from tests.fuzz.openapi import REFUSAL, Case, Headers, try_api
from tests.github.server import QuietServer

pytestmark = pytest.mark.anyio

SECRET = "webhook-secret"
NOTES = {"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}}


def document() -> dict[str, Any]:
    body = {"required": True, "content": {"application/json": {"schema": _payload()}}}
    stored = {"202": {"description": "stored; nothing is said beside"}}
    deliver = {"requestBody": body, "responses": stored | _answers({"400": NOTES, "401": NOTES, "405": NOTES})}
    health = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
    asked = {"responses": _answers({"200": health, "503": health, "405": NOTES})}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Web", "version": "1"},
        "paths": {PATH: {"post": deliver}, "/healthz": {"get": asked}, "/readyz": {"get": asked}},
    }


def _payload() -> dict[str, Any]:
    """Objects that look enough like payloads to get past the first members, with anything in them."""
    anything = {"type": ["object", "array", "string", "number", "boolean", "null"]}
    numbered = {"type": "object", "properties": {"id": {"type": "integer"}, "number": {"type": "integer"}}}
    actions = sorted({action for rules in RULES.values() for action in rules if action})
    members = ("pull_request", "issue", "comment", "review", "check_run", "workflow_run", "merge_group", "sender")
    properties = {"action": {"enum": actions}, "installation": numbered, "repository": numbered}
    return {"type": "object", "properties": {**properties, **dict.fromkeys(members, anything)}}


def _answers(shapes: dict[str, Any]) -> dict[str, Any]:
    return {
        status: {"description": status, "content": {"application/json": {"schema": shape}}}
        for status, shape in shapes.items()
    }


class _Ready(Readiness):
    """Ready without asking GitHub."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def troubles(self) -> dict[str, str]:
        return {}


@asynccontextmanager
async def _serving(database: Database) -> AsyncIterator[str]:
    async with DeliveryWriter(database) as writer:
        web = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        web.include_router(health_router(_Ready(database)))
        served = Intake(writer, (SecretStr(SECRET),), frozenset()).in_front_of(web)
        server = QuietServer(uvicorn.Config(served, host="127.0.0.1", port=0, log_config=None))
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn offers but a flag
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


async def test_every_answer_is_one_that_the_document_names(database: Database) -> None:
    events, sent = sorted(RULES), 0

    def headers_of(case: Case) -> Headers:
        """GitHub's, with a signature of the very bytes."""
        nonlocal sent
        sent += 1
        if case.path != PATH:
            return {}
        raw = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
        signature = hmac.new(SECRET.encode(), raw, hashlib.sha256).hexdigest()
        named = {"Event": events[sent % len(events)], "Delivery": f"guid-{sent}", "Hook-ID": "11"}
        return {
            **{f"X-GitHub-{name}": value for name, value in named.items()},
            "X-Hub-Signature-256": f"sha256={signature}",
        }

    async with _serving(database) as address:
        # A signed delivery that cannot be read is stored all the same, see `app.intake.webhook`.
        statuses = await asyncio.to_thread(try_api, document(), address, headers_of, without=[REFUSAL])
    assert {f"POST {PATH} 202", "GET /healthz 200"} <= statuses.keys()
