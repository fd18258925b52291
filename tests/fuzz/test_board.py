"""The board in JSON, for whoever has signed in: any owner, any name, any tag that a browser may hold."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn

from tests.fuzz.openapi import REFUSAL, try_api
from tests.github.server import QuietServer
from tests.tickets.conftest import at_desk
from tests.tickets.desk import Desk
from tests.web.browser import Browser, web_of

__all__ = ["at_desk"]
pytestmark = pytest.mark.anyio

COOKIE = "__Host-mergegate"
OWN, ANY = "/acme/shop/board.json", "/{owner}/{name}/board.json"
ERROR = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
INVALID = {"type": "object", "required": ["detail"]}
RECORD = {"type": "object", "required": ["repository", "updated", "spent_today", "worst_today", "sections", "silence"]}


def document() -> dict[str, Any]:
    shapes = {"200": RECORD, "401": ERROR, "404": {"type": "object"}, "405": {"type": "object"}, "422": INVALID}
    answers = {
        status: {"description": status, "content": {"application/json": {"schema": shape}}}
        for status, shape in shapes.items()
    }
    answers["304"] = {"description": "not another one"}
    text = {"type": "string", "minLength": 1, "maxLength": 200}
    tag = {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}
    names = [{"name": name, "in": "path", "required": True, "schema": text} for name in ("owner", "name")]
    asked = {"responses": answers, "security": [{"person": []}]}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Board", "version": "1"},
        "components": {"securitySchemes": {"person": {"type": "apiKey", "in": "cookie", "name": COOKIE}}},
        "paths": {OWN: {"get": asked | {"parameters": [tag]}}, ANY: {"get": asked | {"parameters": [tag, *names]}}},
    }


async def test_every_answer_is_one_that_the_document_names(at_desk: Desk) -> None:
    await at_desk.say((await at_desk.open()).number, "/accept")
    web = web_of(at_desk.stage)
    async with Browser(at_desk.stage, web, "eve") as eve:
        await eve.open("/acme/shop/board")
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in eve.cookies.items() if name == COOKIE)}
    assert cookies["Cookie"]
    server = QuietServer(uvicorn.Config(web, host="127.0.0.1", port=0, log_config=None))
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn offers but a flag
        await asyncio.sleep(0.01)
    try:
        address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        # A name that is no repository's is as good as one that is not there.
        statuses = await asyncio.to_thread(try_api, document(), address, lambda _: cookies, without=[REFUSAL])
    finally:
        server.should_exit = True
        await task
    assert {f"GET {OWN} 200", f"GET {ANY} 404"} <= statuses.keys(), statuses
