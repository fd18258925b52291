"""JSON that says one thing: no key twice, no NaN, no bytes that are not UTF-8, no endless depth."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from checks.reports.report import ReportFault


def read_json(data: bytes) -> Any:
    """The value of a JSON text. Raises ReportFault."""
    try:
        return json.loads(data.decode(), object_pairs_hook=_object, parse_constant=_constant)
    except UnicodeDecodeError as wrong:
        raise ReportFault(f"byte {wrong.start} is not UTF-8") from wrong
    except RecursionError as deep:
        raise ReportFault("it is nested too deep") from deep
    except ReportFault:
        raise
    except ValueError as wrong:
        raise ReportFault(f"it is no JSON: {wrong}") from wrong


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ReportFault(f"the key `{key[:100]}` stands twice in one object")
        found[key] = value
    return found


def _constant(name: str) -> NoReturn:
    raise ReportFault(f"{name} is no number of JSON")
