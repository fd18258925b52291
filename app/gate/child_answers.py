"""Reading what a child answers: one that was taken over may say anything, and that must not cost this process.

Pydantic notes a fault for each item of a list, which takes hundreds of times as much memory as the item: two megabytes
of answer took two gigabytes. Here the first one is enough.
"""

from __future__ import annotations

import json
from typing import Any, Generic, TypeVar, cast

from pydantic import TypeAdapter
from pydantic_core import SchemaValidator
from pydantic_core.core_schema import CoreConfig

from app.json_model import NAMES_KEPT

T = TypeVar("T")
MOST_VALUES = 1_000_000
"""Each takes a few hundred bytes. Marks inside of texts count like those between values, so it is far above all that
an honest child says."""
_READ = CoreConfig(cache_strings=NAMES_KEPT["cache_strings"])
_ITEMS = ("frozenset", "list", "set", "tuple")


class ChildAnswers(Generic[T]):
    """Answers of one kind. What is none raises ValueError or RecursionError."""

    def __init__(self, kind: TypeAdapter[T]) -> None:
        self._validator = SchemaValidator(_to_the_first_fault(kind.core_schema), _READ)

    def read(self, answer: bytes) -> T:
        return cast("T", self._validator.validate_json(_bounded(answer)))

    def read_with_any_text(self, answer: bytes) -> T:
        """The same where texts may hold lone surrogates, as paths do: pydantic's own parser refuses them."""
        return cast("T", self._validator.validate_python(read_json(answer)))


def read_json(answer: bytes) -> Any:
    """Raises ValueError and RecursionError."""
    return json.loads(_bounded(answer))


def _bounded(answer: bytes) -> bytes:
    if sum(map(answer.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES} values")
    return answer


def _to_the_first_fault(schema: Any) -> Any:
    """https://docs.pydantic.dev/latest/concepts/performance/#failfast, for all lists in it."""
    if isinstance(schema, list):
        return [_to_the_first_fault(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: part if name == "metadata" else _to_the_first_fault(part) for name, part in schema.items()}
    return {**parts, "fail_fast": True} if schema.get("type") in _ITEMS else parts
