"""Answers against githubkit's generated models."""

from __future__ import annotations

from pydantic import ValidationError

from tests.github.contract.json_schema import place_of
from tests.github.contract.operations import adapter


def problems(model: str, body: bytes) -> set[tuple[str, str]]:
    """(place, problem) for every part of the body that the model refuses."""
    try:
        adapter(model).validate_json(body)
    except ValidationError as error:
        return {
            (place_of(entry["loc"]), entry["msg"]) for entry in error.errors(include_url=False, include_input=False)
        }
    return set()


def error_model(status: int, errors: object) -> str:
    """The model of a refusal: a 422 lists objects, or plain texts, or nothing."""
    if status != 422 or not isinstance(errors, list) or not errors:
        return "BasicError"
    return "ValidationErrorSimple" if all(isinstance(entry, str) for entry in errors) else "ValidationError"
