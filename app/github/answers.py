"""From answers to models and errors: the one place that knows what GitHub's statuses and error bodies mean."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from app.github.budgets import Budget
from app.github.errors import (
    GRANT_APP,
    BadCredentials,
    Conflict,
    GitHubDown,
    GitHubError,
    NotFound,
    NotMergeable,
    Refused,
    UnexpectedAnswer,
)
from app.github.wire import Answer, Call
from app.json_model import NAMES_KEPT, JsonModel

T = TypeVar("T")
_PLAIN: dict[int, type[GitHubError]] = {
    401: BadCredentials,
    404: NotFound,
    405: NotMergeable,
    409: Conflict,
    410: NotFound,
}


class GraphQLError(JsonModel):
    model_config = ConfigDict(extra="ignore")

    type: str = ""
    message: str = ""
    locations: list[Any] | None = None


class GraphQLAnswer(JsonModel):
    model_config = ConfigDict(extra="ignore")

    data: dict[str, Any] | None = None
    errors: list[GraphQLError] | None = None


def failure(call: Call, answer: Answer, budget: Budget) -> GitHubError:
    """The error for an answer whose status the caller did not ask for."""
    limited = budget.limited(call.name, answer)
    if limited is not None:
        return limited
    status, said = answer.status, _message(answer)
    if status >= 500:
        return GitHubDown(call.name, f"GitHub answered {status}: {said}", may_have_happened=call.writes)
    if status in (403, 422, 451):
        lacks = call.authorizer.lacks if call.authorizer is not None else ""
        wanted = answer.headers.get("x-accepted-github-permissions", "") or lacks
        grant = call.authorizer.grant if call.authorizer is not None else GRANT_APP
        return Refused(call.name, f"GitHub refused ({status}): {said}", status=status, wanted=wanted, grant=grant)
    if status in _PLAIN:
        return _PLAIN[status](call.name, f"GitHub answered {status}: {said}")
    return UnexpectedAnswer(call.name, f"status {status} is not known for this call: {said}")


def parsed(call: Call, body: bytes | dict[str, Any], model: type[T]) -> T:
    """`body` as `model`. Raises UnexpectedAnswer that names the fields, never their values."""
    try:
        whole: T = _validated(body, _adapter(cast("Hashable", model)))
    except ValidationError as error:
        wrong = _fields(error)
    else:
        return whole
    raise UnexpectedAnswer(call.name, f"the answer is not as GitHub documents it: {wrong}")


def graphql_data(call: Call, answer: Answer, model: type[T], budget: Budget) -> T:
    """The `data` of a GraphQL answer as `model`.

    Any error makes the whole answer unusable: a list that is missing because of an error must not read as empty.
    """
    whole = parsed(call, answer.body, GraphQLAnswer)
    if whole.errors:
        raise _graphql_failure(call, answer, whole.errors, budget)
    if whole.data is None:
        raise UnexpectedAnswer(call.name, "GitHub answered neither data nor errors")
    return parsed(call, whole.data, model)


def _graphql_failure(call: Call, answer: Answer, errors: list[GraphQLError], budget: Budget) -> GitHubError:
    types = [error.type.upper() for error in errors]
    said = "; ".join(f"{error.type or 'error'}: {error.message}" for error in errors[:3])
    if any(word.startswith("RATE_LIMIT") for word in types) or "rate limit" in said.lower():
        return budget.used_up(call.name, answer)
    if "NOT_FOUND" in types:
        return NotFound(call.name, said)
    if "FORBIDDEN" in types or "INSUFFICIENT_SCOPES" in types:
        return Refused(call.name, said, status=403, wanted=call.authorizer.lacks if call.authorizer else "")
    if "UNPROCESSABLE" in types:
        return Refused(call.name, said, status=422)
    if "STALE_DATA" in types:
        return Conflict(call.name, said)
    if "" in types or "SERVICE_UNAVAILABLE" in types or "INTERNAL" in types:
        return _untyped(call, errors, said)
    return UnexpectedAnswer(call.name, said)


def _untyped(call: Call, errors: list[GraphQLError], said: str) -> GitHubError:
    """Without a type, an error that points into the document says that the document is wrong; others are GitHub's."""
    if any(error.locations for error in errors):
        return UnexpectedAnswer(call.name, f"GitHub does not understand this document: {said}")
    return GitHubDown(call.name, said, may_have_happened=call.writes)


class _ErrorBody(JsonModel):
    model_config = ConfigDict(extra="ignore")

    message: str = ""
    errors: list[Any] | str | None = None


def _message(answer: Answer) -> str:
    """GitHub's own words, with the details of a validation error; the status alone when the body has none."""
    try:
        body = _ErrorBody.model_validate_json(answer.body)
    except ValidationError:
        return "no reason given"
    details = body.errors if isinstance(body.errors, list) else [body.errors] if body.errors else []
    return "; ".join([body.message, *(_detail(detail) for detail in details[:5])]) or "no reason given"


def _detail(detail: Any) -> str:
    if not isinstance(detail, dict):
        return str(detail)
    return " ".join(str(detail[key]) for key in ("resource", "field", "code", "message") if detail.get(key))


def _fields(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False, include_context=False)[:3]
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'body'}: {one['msg']}" for one in first)


def _validated(body: bytes | dict[str, Any], adapter: TypeAdapter[Any]) -> Any:
    return adapter.validate_json(body or b"null") if isinstance(body, bytes) else adapter.validate_python(body)


@lru_cache(maxsize=256)
def _adapter(model: Hashable) -> TypeAdapter[Any]:
    if isinstance(model, type) and issubclass(model, BaseModel):
        return TypeAdapter(model)
    return TypeAdapter(cast("Any", model), config=NAMES_KEPT)
