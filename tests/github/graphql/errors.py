"""GitHub's GraphQL errors: HTTP 200, and a `type` at the top level of each error."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLError

from tests.github.errors import ApiError

TYPES_BY_STATUS = {401: "FORBIDDEN", 403: "FORBIDDEN", 404: "NOT_FOUND"}
# GitHub refuses a document with these before it runs anything: the answer carries no data.
WHOLE_DOCUMENT = {"EXCESSIVE_PAGINATION", "MAX_NODE_LIMIT_EXCEEDED", "MISSING_PAGINATION_BOUNDARIES"}


class TypedError(GraphQLError):
    """An error of one of GitHub's types: NOT_FOUND, FORBIDDEN, UNPROCESSABLE, RATE_LIMITED ..."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def not_found(message: str) -> TypedError:
    return TypedError("NOT_FOUND", message)


def forbidden() -> TypedError:
    return TypedError("FORBIDDEN", "Resource not accessible by integration")


def unprocessable(message: str) -> TypedError:
    return TypedError("UNPROCESSABLE", message)


def kind_of(error: GraphQLError) -> str | None:
    """The `type` of an error; None for syntax and validation errors, which carry none."""
    cause = error.original_error or error
    if isinstance(cause, TypedError):
        return cause.kind
    return TYPES_BY_STATUS.get(cause.status, "UNPROCESSABLE") if isinstance(cause, ApiError) else None


def formatted(error: GraphQLError) -> dict[str, Any]:
    """One entry of `errors`, keys in GitHub's order."""
    kind = kind_of(error)
    entry: dict[str, Any] = {} if kind is None else {"type": kind}
    if error.path is not None:
        entry["path"] = list(error.path)
    if kind == "FORBIDDEN":
        entry["extensions"] = {"saml_failure": False}
    if error.locations:
        entry["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    return entry | {"message": _message(error)}


def _message(error: GraphQLError) -> str:
    cause = error.original_error
    if not isinstance(cause, ApiError):
        return error.message
    details = [e if isinstance(e, str) else str(e.get("message", "")) for e in cause.errors or ()]
    return ", ".join(text for text in details if text) or cause.message
