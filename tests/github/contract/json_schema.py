"""Compiling parts of GitHub's OpenAPI descriptions as JSON Schema 2020-12."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema_rs

FOLDER = Path(__file__).parents[3] / "../shared/github/contract"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
INDEX = re.compile(r"/\d+(?=/|$)")
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
    return jsonschema_rs.Draft202012Validator({"$schema": DRAFT, "allOf": [schema], "components": components})


def problems(validator: jsonschema_rs.Draft202012Validator, body: Any) -> set[tuple[str, str]]:
    """(place, problem) of every error, with list indexes written as N so that a long list gives one finding."""
    return {(place_of(error.instance_path), error.message[-LONGEST:]) for error in validator.iter_errors(body)}


def place_of(path: Any) -> str:
    return INDEX.sub("/N", "".join(f"/{part}" for part in path))
