"""A no of the API slice and its answer. What is not granted and what does not exist are the same bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from app.proxy.refusal import Refusal

MISSING = b'{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}'


@dataclass(frozen=True, slots=True)
class Denied:
    """`refusal` None stands for "there is no such thing". `retry_after` is in seconds."""

    status: int
    refusal: Refusal | None
    retry_after: int | None = None


class NotDone(Exception):
    """A request ends with this answer. `may_have_happened` is for writes that GitHub did not answer."""

    def __init__(self, denied: Denied, *, may_have_happened: bool = False) -> None:
        super().__init__(denied.status)
        self.denied = denied
        self.may_have_happened = may_have_happened


def missing() -> Denied:
    return Denied(404, None)


def rest_body(denied: Denied, explained_at: str) -> bytes:
    """In the form of GitHub's errors, with the next step beside it; `explained_at` is the session's own description."""
    if denied.refusal is None:
        return MISSING
    answer = {
        "message": f"Mergegate: {denied.refusal.sentence}",
        "documentation_url": explained_at,
        "status": str(denied.status),
        "fix": denied.refusal.fix,
        "retry": denied.refusal.retry,
    }
    return json.dumps(answer).encode("ascii")


def graphql_body(denied: Denied, explained_at: str) -> bytes:
    """In the form of GitHub's GraphQL errors: https://docs.github.com/graphql/guides/using-graphql-clients"""
    error: dict[str, Any] = {"type": "NOT_FOUND", "message": "Could not resolve what was asked for."}
    if denied.refusal is not None:
        refusal = denied.refusal
        more = {"fix": refusal.fix, "retry": refusal.retry, "documentation_url": explained_at}
        error = {"type": "FORBIDDEN", "message": f"Mergegate: {refusal.sentence}", "extensions": more}
    return json.dumps({"data": None, "errors": [error]}).encode("ascii")
