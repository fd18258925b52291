"""Fields of JSON objects that few lines read; what has more of them is read by pydantic's models."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def field(value: object, name: str, kind: type[T]) -> T:
    """The field of that name, exactly of that kind (a bool is no int).

    Raises ValueError, whose text quotes nothing of the value.
    """
    found = value.get(name) if isinstance(value, dict) else None
    if type(found) is not kind:
        raise ValueError(f"{name} is no {kind.__name__}")
    return found


def optional_field(value: object, name: str, kind: type[T]) -> T | None:
    """The same; None where it is missing or null. Raises ValueError."""
    return None if isinstance(value, dict) and value.get(name) is None else field(value, name, kind)
