"""The answers with which GitHub refuses a request.

Bodies follow the recorded exchanges and the schemas `basic-error` and `validation-error` of GitHub's REST description;
since 2024 the body carries the status code as text too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

DOCUMENTATION = "https://docs.github.com/rest"


class ApiError(Exception):
    """A refusal: `status` is the HTTP status, `errors` the list of a 422."""

    def __init__(
        self,
        status: int,
        message: str,
        errors: Sequence[dict[str, Any] | str] | None = None,
        *,
        headers: dict[str, str] | None = None,
        documentation_url: str = DOCUMENTATION,
    ) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = headers or {}
        self.documentation_url = documentation_url

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"message": self.message}
        if self.errors is not None:
            body["errors"] = list(self.errors)
        return body | {"documentation_url": self.documentation_url, "status": str(self.status)}


def not_found() -> ApiError:
    """What GitHub says for anything that is absent or hidden from the caller."""
    return ApiError(404, "Not Found")


def invalid(resource: str, field: str, code: str, message: str | None = None) -> ApiError:
    """422 with one entry; `code` is missing, missing_field, invalid, already_exists, unprocessable or custom."""
    entry: dict[str, Any] = {"resource": resource, "field": field, "code": code}
    return ApiError(422, "Validation Failed", [entry | ({"message": message} if message else {})])


def unprocessable(message: str) -> ApiError:
    return ApiError(422, message)
