"""Text and JSON as PostgreSQL can hold them.

PostgreSQL holds no NUL character and no half of a surrogate pair, in text or in jsonb, while JSON from outside may
hold both. A value that cannot be stored would fail its key again and again, so such characters are replaced, visibly.
"""

from __future__ import annotations

import json as standard_json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from isal import isal_zlib
from psycopg.types.json import Jsonb

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def text(value: str) -> str:
    """The text with what PostgreSQL cannot hold replaced."""
    if value.isascii() and "\0" not in value:
        return value
    return value.replace("\0", REPLACEMENT).encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def json(value: Any) -> Jsonb:
    """A JSON value (objects, lists, strings, numbers, booleans, null) as a parameter for a jsonb column."""
    return Jsonb(storable(value))


def storable(value: Any) -> Any:
    """The JSON value as it would come back from the store."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {text(key): storable(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [storable(held) for held in value]
    return value


def records(rows: Sequence[Mapping[str, object]]) -> str:
    """Many rows as one parameter of json_to_recordset; psycopg writes an array element by element, in Python.

    Texts in them must be storable already.
    """
    return standard_json.dumps(rows)


def deflate(body: bytes) -> bytes:
    """zlib's format, level 1: most of the gain for little time. ISA-L's takes a quarter of what zlib itself takes."""
    return isal_zlib.compress(body, 1)


def inflate(stored: bytes) -> bytes:
    return zlib.decompress(stored)
