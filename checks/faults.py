"""A model's complaints about a document, in words, with lines and a guess at what was meant."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from difflib import get_close_matches
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from checks.document import Document, Fault, Path

MOST_FAULTS = 20
_LONGEST_NAME = 64  # characters of a name that are compared or shown

_WORDS = (
    ("Input should be a valid integer", "must be a whole number"),
    ("Input should be a valid", "must be a"),
    ("Input should be", "must be"),
    ("String should", "must"),
    ("Tuple should", "must"),
    ("Value should", "must"),
    (" after validation", ""),
    ("Value error, ", ""),
)


def faults_of(error: ValidationError, document: Document, model: type[BaseModel]) -> tuple[Fault, ...]:
    """One fault a place, in the document's order, at most MOST_FAULTS and a last one that says how many more."""
    faults: dict[Path, Fault] = {}
    for detail in error.errors(include_url=False, include_context=True):
        path = _known_part(model, detail["loc"])
        faults.setdefault(path, _fault(detail, path, document, model))
    ordered = sorted(faults.values(), key=lambda fault: fault.line or 0)
    if len(ordered) <= MOST_FAULTS:
        return tuple(ordered)
    return (*ordered[:MOST_FAULTS], Fault(f"and {len(ordered) - MOST_FAULTS} more faults"))


def _fault(detail: ErrorDetails, path: Path, document: Document, model: type[BaseModel]) -> Fault:
    message, hint = _say(detail, path, model)
    return Fault(message, document.line_of(path), ".".join(str(step)[:_LONGEST_NAME] for step in path) or None, hint)


def _say(detail: ErrorDetails, path: Path, model: type[BaseModel]) -> tuple[str, str]:
    match detail["type"]:
        case "missing":
            return "is missing", f"add `{path[-1]}`"
        case "extra_forbidden":
            name = str(path[-1])[:_LONGEST_NAME]
            known = [known_name(key, field) for key, field in _model_at(model, path[:-1]).model_fields.items()]
            return "is no known field", _did_you_mean(name, known, "remove it; known are " + ", ".join(known))
        case "model_type" | "model_attributes_type":
            return "must be a mapping of fields", ""
        case "tuple_type":
            return "must be a list", ""
        case "literal_error":
            wanted = str(detail["ctx"]["expected"])
            known = [word.strip("'") for word in wanted.replace(" or ", ", ").split(", ")]
            return f"must be {wanted}", _did_you_mean(str(detail["input"])[:_LONGEST_NAME], known, "")
    return _plain_words(detail["msg"]), ""


def _did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    close = get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else otherwise


def _plain_words(message: str) -> str:
    for before, after in _WORDS:
        message = message.replace(before, after)
    return message


def _known_part(model: type[BaseModel], location: Iterable[str | int]) -> Path:
    """The location without the names that pydantic gives to the branches of a union."""
    path: list[str | int] = []
    for step in location:
        inside = _model_at(model, tuple(path))
        if isinstance(step, int) or _field(inside, step) or not _is_leaf(inside, path, model):
            path.append(step)
    return tuple(path)


def _is_leaf(inside: type[BaseModel], path: list[str | int], model: type[BaseModel]) -> bool:
    """Whether `path` leads to a plain value: the model around it does not change with the last step."""
    return bool(path) and _model_at(model, tuple(path[:-1])) is inside


def _model_at(model: type[BaseModel], path: Path) -> type[BaseModel]:
    """The model of the value at `path`, or the nearest one around it."""
    for step in path:
        field = _field(model, step)
        model = (_inner_model(field.annotation) if field else None) or model
    return model


def _field(model: type[BaseModel], step: str | int) -> FieldInfo | None:
    return next((field for name, field in model.model_fields.items() if known_name(name, field) == step), None)


def known_name(name: str, field: FieldInfo) -> str:
    return field.alias or name


def _inner_model(annotation: object) -> type[BaseModel] | None:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _inner_model(part))), None)
