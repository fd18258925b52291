"""Answers in GitHub's form: JSON, pages with Link headers, validators."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from tests.github.errors import ApiError
from tests.github.state import Repository
from tests.github.versions import trimmed

T = TypeVar("T")
DEFAULT_PAGE = 30
LARGEST_PAGE = 100


class JsonResponse(Response):
    """A JSON answer that can be written anew for another version of the API."""

    def __init__(self, data: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.data = data
        super().__init__(_written(data), status, headers, media_type="application/json; charset=utf-8")

    def trimmed(self) -> JsonResponse:
        """For version 2026-03-10."""
        kept = {name: value for name, value in self.headers.items() if not name.startswith("content-")}
        return JsonResponse(trimmed(self.data), self.status_code, kept)


def _written(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()


def answer(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> JsonResponse:
    """A JSON answer."""
    return JsonResponse(body, status, headers)


def no_content(status: int = 204) -> Response:
    return Response(b"", status)


def refuse(error: ApiError) -> Response:
    return answer(error.body(), error.status, error.headers)


async def json_body(request: Request) -> dict[str, Any]:
    """The request's JSON object, empty when there is no body; 400 as GitHub words it when it is no JSON."""
    raw = await request.body()
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except ValueError:
        raise ApiError(400, "Problems parsing JSON") from None
    if not isinstance(body, dict):
        raise ApiError(400, "Body should be a JSON object")
    return body


def page_of(request: Request, items: Sequence[T], *, total_limit: int | None = None) -> tuple[list[T], dict[str, str]]:
    """The page of `items` that the request asks for, and the Link header (empty when everything fits)."""
    size, page = page_size(request), _positive(request, "page", 1)
    held = items[:total_limit] if total_limit is not None else items
    last = max(1, -(-len(held) // size))
    return list(held[(page - 1) * size : page * size]), link_header(request, page, last)


def page_size(request: Request) -> int:
    return min(_positive(request, "per_page", DEFAULT_PAGE), LARGEST_PAGE)


def _positive(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.isdecimal() and int(text) > 0 else default


def link_header(request: Request, page: int, last: int) -> dict[str, str]:
    """As GitHub orders them: prev, next, last, first; addresses name the repository by its id."""
    relations: list[tuple[str, int]] = []
    if page > 1:
        relations.append(("prev", min(page - 1, last)))
    if page < last:
        relations += [("next", page + 1), ("last", last)]
    if page > 1:
        relations.append(("first", 1))
    if not relations:
        return {}
    return {"link": ", ".join(f'<{page_address(request, page=n)}>; rel="{name}"' for name, n in relations)}


def page_address(request: Request, **changes: Any) -> str:
    """This request's address with other query parameters."""
    base = request.app.state.github.world.base_url
    query = dict(request.query_params) | changes
    return f"{base}{_canonical_path(request)}?{urlencode(query)}"


def _canonical_path(request: Request) -> str:
    path = request.url.path
    repository: Repository | None = getattr(request.state, "repository", None)
    owner, name = request.path_params.get("owner"), request.path_params.get("repo")
    if repository is None:
        return path
    return path.replace(f"/repos/{owner}/{name}", f"/repositories/{repository.id}", 1)


def entity_tag(body: bytes, *varying: str) -> str:
    """A weak validator that depends on the credential and media type, as GitHub's do."""
    digest = hashlib.sha256(b"\0".join([body, *(v.encode() for v in varying)])).hexdigest()
    return f'W/"{digest}"'


def strong_tag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()}"'


def is_known(if_none_match: str | None, tag: str) -> bool:
    if not if_none_match:
        return False
    offered = {part.strip().removeprefix("W/") for part in if_none_match.split(",")}
    return tag.removeprefix("W/") in offered or "*" in offered
