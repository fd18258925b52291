"""Compiling parts of GitHub's OpenAPI descriptions as JSON Schema 2020-12."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

FOLDER = Path(__file__).parents[3] / "../shared/github/contract"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
INDEX = re.compile(r"/\d+(?=/|$)")
REFERENCE = re.compile(r'"\$ref": "#/components/([^/"]+)/([^/"]+)')
COMBINED = ("$ref", "allOf", "anyOf", "oneOf")
LONGEST = 200


def without_nullable(schema: Any) -> Any:
    """OpenAPI 3.0's `nullable: true` as JSON Schema says it."""
    if isinstance(schema, list):
        return [without_nullable(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    converted = {key: without_nullable(part) for key, part in schema.items()}
    if converted.get("nullable") is not True or isinstance(schema["nullable"], dict):
        return converted
    return _nullable({key: part for key, part in converted.items() if key != "nullable"})


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if any(key in schema for key in COMBINED):
        return {"anyOf": [schema, {"type": "null"}]}
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    if isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
    return schema


def compiled(schema: dict[str, Any], components: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """A validator, which keeps a copy of all that it is given: of the components only what the schema refers to.

    With all of them, each validator was 25 MB and took a twentieth of a second to make.
    """
    document = {"$schema": DRAFT, "allOf": [schema], "components": reached(schema, components)}
    return jsonschema_rs.Draft202012Validator(document)


def reached(schema: Any, components: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The components that the schema refers to, also by way of others, by kind and name as in the description."""
    found: dict[str, dict[str, Any]] = {}
    waiting = [schema]
    while waiting:
        for kind, name in _references(waiting.pop()):
            if name not in found.setdefault(kind, {}):
                found[kind][name] = components[kind][name]
                waiting.append(components[kind][name])
    return found


def _references(schema: Any) -> Iterator[tuple[str, str]]:
    for match in REFERENCE.finditer(json.dumps(schema)):
        yield match[1], match[2]


def problems(validator: jsonschema_rs.Draft202012Validator, body: Any) -> set[tuple[str, str]]:
    """(place, problem) of every error, with list indexes written as N so that a long list gives one finding."""
    return {(place_of(error.instance_path), error.message[-LONGEST:]) for error in validator.iter_errors(body)}


def place_of(path: Any) -> str:
    return INDEX.sub("/N", "".join(f"/{part}" for part in path))
