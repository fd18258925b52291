"""Answers to the agent: GitHub's, streamed, with few of its headers; or the proxy's own words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

import aiohttp

from app.proxy.api.bodies import Json
from app.proxy.api.denied import Denied, graphql_body, rest_body
from app.proxy.api.rewriting import Addresses
from app.proxy.incoming import BodyFailed, Send, answer
from app.proxy.upstream import CHUNK

JSON = "application/json; charset=utf-8"
STALLED = 60.0  # seconds in which the client takes nothing
LARGEST = 512 * 1024 * 1024  # bytes of one answer; GitHub's log archives are smaller
_PASSED = {"ETag": "etag", "Last-Modified": "last-modified", "Retry-After": "retry-after"}


async def say(send: Send, body: Json, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
    await answer(send, status, json.dumps(body).encode("ascii"), JSON, headers)


async def deny(send: Send, denied: Denied, explained_at: str, *, graphql: bool = False) -> None:
    """The refusal in the form of the API that was asked. GraphQL's errors have the status 200, as GitHub's do."""
    as_graphql = graphql and denied.status == 200
    body = graphql_body(denied, explained_at) if as_graphql else rest_body(denied, explained_at)
    headers = {} if denied.retry_after is None else {"retry-after": str(denied.retry_after)}
    if denied.status == 401:
        headers["www-authenticate"] = 'Basic realm="Mergegate", charset="UTF-8"'
    await answer(send, denied.status, body, JSON, headers)


def kept(headers: Mapping[str, str], addresses: Addresses) -> dict[str, str]:
    """Of GitHub's headers those that mean something to the agent; none can hold a credential."""
    passed = {ours: headers[theirs] for theirs, ours in _PASSED.items() if theirs in headers}
    link = addresses.link(headers["Link"]) if "Link" in headers else ""
    kind = headers.get("Content-Type", "application/octet-stream")
    # Each answer is one session's; what lies between must not give it to another.
    fixed = {"content-type": kind, "cache-control": "private, max-age=0, must-revalidate"}
    return {**fixed, **passed, **({"link": link} if link else {})}


async def stream(send: Send, response: aiohttp.ClientResponse, addresses: Addresses) -> None:
    """GitHub's answer as it comes. JSON is rewritten on the way. The connection ends where the answer is too long."""
    headers = kept(response.headers, addresses)
    await _start(send, response.status, headers)
    rewriting = addresses.stream() if "json" in headers["content-type"] else None
    size = 0
    async for chunk in response.content.iter_chunked(CHUNK):
        size += len(chunk)
        if size > LARGEST:
            raise BodyFailed("the answer is too long", gone=True)
        await _part(send, chunk if rewriting is None else rewriting.feed(chunk))
    await _part(send, b"" if rewriting is None else rewriting.end())
    await send({"type": "http.response.body", "body": b""})


async def whole(send: Send, status: int, headers: Mapping[str, str], body: bytes, addresses: Addresses) -> None:
    """An answer that was read whole."""
    rewriting = addresses.stream()
    await _start(send, status, kept(headers, addresses))
    await send({"type": "http.response.body", "body": rewriting.feed(body) + rewriting.end()})


async def _start(send: Send, status: int, headers: Mapping[str, str]) -> None:
    pairs = [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def _part(send: Send, data: bytes) -> None:
    if not data:
        return
    try:
        async with asyncio.timeout(STALLED):
            await send({"type": "http.response.body", "body": data, "more_body": True})
    except TimeoutError:
        raise BodyFailed(f"the client took nothing for {STALLED:g} seconds", gone=True) from None
