"""The operators' API of sessions, tried by a document made here from its models."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic.json_schema import models_json_schema

from app.proxy.operator_api import Change, Ending, Opening
from tests.fuzz.openapi import Case, Headers, try_api
from tests.proxy.scene import OPERATOR, Scene

pytestmark = pytest.mark.anyio

PLACE = "#/components/schemas/{model}"
MODELS = (Opening, Change, Ending)
NUMBER = {"name": "number", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1, "maximum": 50}}
SESSION = {
    "type": "object",
    "required": ["session", "repository", "branch", "rights", "expires_at", "frozen", "messages", "policy"],
    "properties": {
        "session": {"type": "integer"},
        "repository": {"type": "string"},
        "branch": {"type": "string", "pattern": "^refs/heads/"},
        "rights": {"type": "array", "items": {"type": "string"}},
        "expires_at": {"type": "string", "format": "date-time"},
        "frozen": {"type": ["string", "null"]},
        "messages": {"type": "array", "items": {"type": "string"}},
    },
}
OPENED = {**SESSION, "required": [*SESSION["required"], "token"]}
STOPPED = {"type": "object", "required": ["message", "confirmed", "oid"]}
SAID = {"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}}


def document() -> dict[str, Any]:
    _, schemas = models_json_schema([(model, "validation") for model in MODELS], ref_template=PLACE)
    everywhere = {"401": SAID, "405": SAID}
    one = {"get": _operation({"200": SESSION, "404": SAID, **everywhere})}
    one["patch"] = _operation({"200": SESSION, "409": SAID, "404": SAID, "422": SAID, **everywhere}, Change)
    one["delete"] = _operation({"200": STOPPED, "202": STOPPED, "404": SAID, "422": SAID, **everywhere}, Ending)
    listing = {"get": _operation({"200": {"type": "array", "items": SESSION}, **everywhere})}
    listing["post"] = _operation({"201": OPENED, "422": SAID, **everywhere}, Opening)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Operators", "version": "1"},
        "paths": {
            "/operator/sessions": listing,
            "/operator/sessions/{number}": {"parameters": [NUMBER], **one},
        },
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"operator": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(answers: dict[str, Any], takes: Any = None) -> dict[str, Any]:
    responses = {
        status: {"description": status, "content": {"application/json": {"schema": shape}}}
        for status, shape in answers.items()
    }
    operation: dict[str, Any] = {"security": [{"operator": []}], "responses": responses}
    if takes is not None:
        content = {"application/json": {"schema": {"$ref": PLACE.format(model=takes.__name__)}}}
        operation["requestBody"] = {"required": takes is not Ending, "content": content}
    return operation


async def test_every_answer_is_one_that_the_document_names(shared_town: Scene) -> None:
    def headers_of(_: Case) -> Headers:
        return {"Authorization": f"Bearer {OPERATOR}"}

    statuses = await asyncio.to_thread(try_api, document(), shared_town.address, headers_of)
    assert {"GET /operator/sessions 200", "POST /operator/sessions 422"} <= statuses.keys()
