"""Pages of a list: GitHub's connections.

`first` or `last` from 1 to 100 must be given:
https://docs.github.com/graphql/guides/using-pagination-in-the-graphql-api
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any

from tests.github.graphql.errors import TypedError

LIMIT = 100
Node = Any
MoreFields = dict[str, Any]


def connect(
    name: str,
    nodes: Sequence[Node],
    page: dict[str, Any],
    *,
    edge: Callable[[Node], MoreFields] | None = None,
    more: MoreFields | None = None,
) -> dict[str, Any]:
    """The page of `nodes` that the arguments `first`, `last`, `after`, `before` ask for.

    `name` is the field's name for error messages, `edge` gives further fields of an edge, `more` of the connection.
    Raises TypedError for arguments that GitHub refuses.
    """
    count = {"totalCount": len(nodes)} | (more or {})
    if page.get("first") is None and page.get("last") is None:
        return count | dict.fromkeys(("nodes", "edges", "pageInfo"), missing_boundaries(name))
    start, end = bounds(name, len(nodes), page)
    shown = nodes[start:end]
    edges = [{"cursor": cursor(n), "node": node} | (edge(node) if edge else {}) for n, node in enumerate(shown, start)]
    info = {
        "hasNextPage": end < len(nodes),
        "hasPreviousPage": start > 0,
        "startCursor": cursor(start) if shown else None,
        "endCursor": cursor(end - 1) if shown else None,
    }
    return {"nodes": shown, "edges": edges, "pageInfo": info} | count


def missing_boundaries(name: str) -> TypedError:
    """What is raised for the nodes of a connection without a size; its count alone may be asked for."""
    message = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
    return TypedError("MISSING_PAGINATION_BOUNDARIES", message)


def bounds(name: str, count: int, page: dict[str, Any]) -> tuple[int, int]:
    """Start and end of the page within `count` nodes."""
    first, last = page.get("first"), page.get("last")
    check_size(name, first, last)
    start = position(page["after"]) + 1 if page.get("after") else 0
    end = min(position(page["before"]), count) if page.get("before") else count
    if first is not None:
        end = min(end, start + first)
    if last is not None:
        start = max(start, end - last)
    return min(start, count), max(min(end, count), min(start, count))


def check_size(name: str, first: int | None, last: int | None) -> None:
    for argument, value in (("first", first), ("last", last)):
        if value is not None and value < 0:
            raise TypedError("UNPROCESSABLE", f"`{argument}` on the `{name}` connection cannot be less than zero.")
        if value is not None and value > LIMIT:
            message = f"Requesting {value} records on the `{name}` connection exceeds the `{argument}` limit of {LIMIT}"
            raise TypedError("EXCESSIVE_PAGINATION", f"{message} records.")


def cursor(index: int) -> str:
    return base64.b64encode(f"cursor:v2:{index}".encode()).decode()


def position(text: str) -> int:
    """Index that a cursor stands for. Raises TypedError for text that is no cursor."""
    try:
        return int(base64.b64decode(text, validate=True).decode().removeprefix("cursor:v2:"))
    except (binascii.Error, ValueError):
        raise TypedError("INVALID_CURSOR_ARGUMENTS", f"`{text[:80]}` does not appear to be a valid cursor.") from None
