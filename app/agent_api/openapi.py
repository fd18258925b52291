"""The OpenAPI document of the agents' API, made from the table of routes. Source: https://spec.openapis.org/oas/v3.1.0"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from app.agent_api import bodies
from app.agent_api.routes import MOST_WAIT, ROUTES, Route

PLACE = "#/components/schemas/{model}"
ERRORS = {
    "401": "The token is not taken.",
    "403": "The token is for something else.",
    "404": "There is nothing here.",
    "405": "The path is asked in another way.",
    "409": "The ticket or its session is in a state that does not allow it.",
    "413": "The body is too long or did not come to its end.",
    "415": "The body's type is not read.",
    "422": "The body or the query is not as it must be.",
    "429": "Too many requests of this token, or too many under way; Retry-After says when to go on.",
    "503": "Not now; Retry-After says when to try again.",
}


@cache
def document() -> Mapping[str, Any]:
    """The whole document, as JSON has it."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Mergegate: agents",
            "version": "1",
            "description": "Served by the agents' proxy. Every error is JSON with `message` and `fix`.",
        },
        "paths": paths,
        "components": {"schemas": _schemas(), "securitySchemes": _schemes()},
    }


def _operation(route: Route) -> dict[str, Any]:
    parameters = [_waiting()] if route.waits else []
    if 304 in route.answers:
        known = {"name": "If-None-Match", "in": "header", "required": False, "schema": {"type": "string"}}
        parameters.append(known)
    return {
        "operationId": route.name,
        "summary": route.says,
        "security": [{"session" if route.session else "claim": []}],
        **({"parameters": parameters} if parameters else {}),
        **({"requestBody": _body(route)} if route.most else {}),
        "responses": {**_successes(route), **_failures()},
    }


def _waiting() -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 0, "maximum": MOST_WAIT, "default": 0}
    return {"name": "wait", "in": "query", "required": False, "schema": schema, "description": "Seconds to wait."}


def _body(route: Route) -> dict[str, Any]:
    if route.takes is None:
        text = {"schema": {"type": "string", "maxLength": route.most}}
        return {"required": True, "content": {"application/yaml": text, "text/plain": text}}
    needed = any(field.is_required() for field in route.takes.model_fields.values())
    return {"required": needed, "content": {"application/json": {"schema": _reference(route.takes)}}}


def _successes(route: Route) -> dict[str, Any]:
    return {str(status): _success(status, shapes) for status, shapes in route.answers.items()}


def _success(status: int, shapes: tuple[type[BaseModel], ...]) -> dict[str, Any]:
    if not shapes:
        return {"description": "Nothing new." if status == 304 else "Done."}
    schemas = [_reference(shape) for shape in shapes]
    schema = schemas[0] if len(schemas) == 1 else {"oneOf": schemas}
    words = " or ".join((shape.__doc__ or "").partition("\n")[0] for shape in shapes)
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def _failures() -> dict[str, Any]:
    content = {"application/json": {"schema": _reference(bodies.Wrong)}}
    return {status: {"description": words, "content": content} for status, words in ERRORS.items()}


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": PLACE.format(model=model.__name__)}


def _schemas() -> dict[str, Any]:
    taken = {route.takes for route in ROUTES if route.takes is not None}
    told = {shape for route in ROUTES for shapes in route.answers.values() for shape in shapes} | {bodies.Wrong}
    ordered = sorted(taken | told, key=lambda model: model.__name__)
    modes = [(model, "validation" if model in taken else "serialization") for model in ordered]
    _, schema = models_json_schema(modes, ref_template=PLACE)  # type: ignore[arg-type]  # its list is invariant
    found: dict[str, Any] = schema["$defs"]
    return found


def _schemes() -> dict[str, Any]:
    session = "The session's token, from POST /agent/claim."
    claim = "An enrolment token (mergegate agent enrol), or a workload identity's."
    return {
        name: {"type": "http", "scheme": "bearer", "description": words}
        for name, words in (("session", session), ("claim", claim))
    }
