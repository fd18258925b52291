"""Answers against githubkit's generated models."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tests.github.contract.json_schema import place_of
from tests.github.contract.operations import adapter

Problems = set[tuple[str, str]]
ABSENT = "Input should be <UNSET>"
NO_MEMBER = "no member of the union has this `type`"


def problems(model: str, body: bytes) -> Problems:
    """(place, problem) for every part of the body that the model refuses."""
    try:
        adapter(model).validate_json(body)
    except ValidationError as error:
        return _readable(error.errors(include_url=False, include_input=False))
    return set()


def _readable(entries: list[ErrorDetails]) -> Problems:
    """Without the members of a union that are of another `type` than the body, which pydantic tries all the same."""
    other = {entry["loc"][:-1] for entry in entries if entry["type"] == "literal_error" and entry["loc"][-1] == "type"}
    kept = [e for e in entries if not any(e["loc"][: len(member)] == member for member in other)]
    meant = {(place(e["loc"]), e["msg"]) for e in kept if e["msg"] != ABSENT}
    return meant or {(place(member[:-1]), NO_MEMBER) for member in other} or {("", ABSENT)}


def place(location: tuple[int | str, ...]) -> str:
    """Names that pydantic gives to unions are left out."""
    return place_of([part for part in location if "[" not in str(part)])


def error_model(status: int, errors: object) -> str:
    """The model of a refusal: a 422 lists objects, or plain texts, or nothing."""
    if status != 422 or not isinstance(errors, list) or not errors:
        return "BasicError"
    return "ValidationErrorSimple" if all(isinstance(entry, str) for entry in errors) else "ValidationError"
