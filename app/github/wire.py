"""One request, one answer: time limit, size limit, credential, and nothing of HTTP's exceptions beyond this module.

githubkit builds the client from its configuration; what its documentation and its tracker say to avoid is switched off:
re-sending (it repeats POSTs), its cache (which loses time limits), its token cache, following redirects.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import httpx
from githubkit import GitHub
from githubkit.auth.base import BaseAuthStrategy

from app.github.counts import count
from app.github.errors import GitHubDown, GitHubError, TooLarge, UnexpectedAnswer

API_VERSION = "2026-03-10"
IDLE = 15.0
"""Seconds without a byte after which a connection is given up, however much time the whole exchange has."""
MOST_CONNECTIONS = 32  # of one installation
_PURPOSE = "mergegate"  # an extension of httpx's requests
# Both log whole addresses at INFO and headers at DEBUG; a download's address holds a signature that opens it.
logging.getLogger("httpx").setLevel(logging.WARNING)
logging.getLogger("httpcore").setLevel(logging.WARNING)
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Authorizer(Protocol):
    """The credential for one request. `grant` tells a person how to give it a permission that it lacks.

    `lacks` names permissions, such as `checks=read`, that it should have and was not given; empty when it has all.
    """

    grant: str

    @property
    def lacks(self) -> str: ...

    async def header(self) -> str:
        """The Authorization header's value; raises what minting raises."""

    def refused(self, header: str, date: str | None) -> bool:
        """GitHub answered 401 to `header`: forget it, and say whether there is another one to try.

        `date` is the answer's `Date` header: a clock that is wrong is one reason to be refused.
        """


@dataclass(frozen=True)
class Call:
    """A request as the client describes it. `url` is absolute; `purpose` is the label that it is counted under.

    `timeout` is for the whole exchange, minting included, in seconds; `limit_bytes` for the answer's decoded body.
    """

    method: str
    url: str
    name: str
    purpose: str
    authorizer: Authorizer | None
    writes: bool = False
    params: Mapping[str, str | int] | None = None
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    limit_bytes: int = 8 * 1024 * 1024
    timeout: float = 20.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: httpx.Headers
    body: bytes


@dataclass
class _Strategy(BaseAuthStrategy):
    """None: each request has a credential of its own (`_exchange`), by which httpx would read refusals to their end."""

    def get_auth_flow(self, github: Any) -> httpx.Auth:  # noqa: ARG002 - githubkit gives it
        return httpx.Auth()


class _KeptTransport(httpx.AsyncBaseTransport):
    """Counts what is sent, and survives the short-lived clients that githubkit builds over it."""

    def __init__(self, inner: httpx.AsyncBaseTransport, installation_id: int | None) -> None:
        self.inner = inner
        self._installation_id = installation_id
        self.counts: Counter[str] = Counter()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        purpose: str = request.extensions[_PURPOSE]
        self.counts[purpose] += 1
        count(purpose, self._installation_id)
        return await self.inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Closing a client must not close the connections of the others; see Wire.aclose."""


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """Building a context takes 20 ms, so there is one. It honours SSL_CERT_FILE and SSL_CERT_DIR."""
    return ssl.create_default_context()


def transport(verify: ssl.SSLContext | None = None, proxy: str | None = None) -> httpx.AsyncHTTPTransport:
    """Connections to one server; `proxy` is the address of an HTTP proxy on the way, if any."""
    limits = httpx.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=8, keepalive_expiry=30)
    return _Transport(verify=verify or tls(), limits=limits, proxy=proxy, trust_env=False)


class _Transport(httpx.AsyncHTTPTransport):
    """Loses no connection with a request that is cancelled, whenever that is.

    httpcore keeps one as if it were in use, for ever, when its request is cancelled just as it was given one to open
    or while its answer is closed, which also happens where a body is cut off; so a server that says nothing for a while
    takes some of them each time, until none is left.
    """

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        try:
            response = await super().handle_async_request(request)
        except BaseException:
            await self._drop_abandoned()
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _ClosedAnyway(response.stream, self._drop_abandoned)
        return response

    async def _drop_abandoned(self) -> None:
        pool = self._pool
        used = [one.connection for one in pool._requests]  # noqa: SLF001 - httpcore has no other way to tell
        for connection in pool.connections:
            if connection not in used and not connection.is_idle() and not connection.is_closed():
                pool._connections.remove(connection)  # noqa: SLF001
                await connection.aclose()
        await pool._close_connections(pool._assign_requests_to_connections())  # noqa: SLF001 - for those who wait


class _ClosedAnyway(httpx.AsyncByteStream):
    """An answer's body; who closes it and is cancelled meanwhile has closed it.

    One that breaks off closes itself, and may have been cancelled before it had.
    """

    def __init__(self, inner: httpx.AsyncByteStream, drop_abandoned: Callable[[], Awaitable[None]]) -> None:
        self._inner = inner
        self._drop_abandoned = drop_abandoned

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        async for piece in self._inner:
            yield piece

    async def aclose(self) -> None:
        await asyncio.shield(self._close())

    async def _close(self) -> None:
        await self._inner.aclose()
        await self._drop_abandoned()


class Wire:
    """The connections of one installation, or of the App itself or a person's own token (None)."""

    def __init__(self, api_url: str, inner: httpx.AsyncBaseTransport, installation_id: int | None) -> None:
        self._kept = _KeptTransport(inner, installation_id)
        self._github = GitHub(
            _Strategy(),
            base_url=api_url,
            user_agent="mergegate",
            async_transport=self._kept,
            auto_retry=False,
            http_cache=False,
            follow_redirects=False,
            trust_env=False,
            timeout=IDLE,
            ssl_verify=tls(),
        )

    @property
    def counts(self) -> Counter[str]:
        """Requests sent since the start, by purpose."""
        return self._kept.counts

    async def aclose(self) -> None:
        await self._kept.inner.aclose()

    async def send(self, call: Call) -> Answer:
        """GitHub's answer, whatever its status.

        Raises GitHubDown when there is none in time, TooLarge when it is longer than the call allows, UnexpectedAnswer
        for an address that is none, and what the call's authorizer raises.
        """
        failure: GitHubError
        try:
            async with asyncio.timeout(call.timeout):
                return await self._exchange(call)
        except TimeoutError:
            failure = _down(call, f"no complete answer within {call.timeout:g} s", sent=True)
        except httpx.InvalidURL:
            failure = UnexpectedAnswer(call.name, "the address that GitHub named is malformed")
        except httpx.HTTPError as error:
            because = f"the connection failed ({type(error).__name__})"
            failure = _down(call, because, sent=not isinstance(error, _NOT_SENT))
        # Raised out here so that the error does not carry the request, whose headers hold the token.
        raise failure

    async def _exchange(self, call: Call) -> Answer:
        """Again with another credential, as long as GitHub refuses one and there is another."""
        async with self._github.get_async_client() as http:
            while True:
                header = "" if call.authorizer is None else await call.authorizer.header()
                response = await http.send(_request(http, call, header), stream=True)
                try:
                    if not _again(call, header, response):
                        return Answer(response.status_code, response.headers, await _body(response, call))
                finally:
                    await response.aclose()
                    # It refers back to the response; both, and the body, would stay until garbage is looked for.
                    response.stream = httpx.ByteStream(b"")


def _request(http: httpx.AsyncClient, call: Call, header: str) -> httpx.Request:
    return http.build_request(
        call.method,
        call.url,
        params=call.params,
        content=_content(call.json),
        headers={**_headers(call), **call.headers, **({"Authorization": header} if header else {})},
        extensions={_PURPOSE: call.purpose},
    )


def _again(call: Call, header: str, response: httpx.Response) -> bool:
    if call.authorizer is None or response.status_code != httpx.codes.UNAUTHORIZED:
        return False
    return call.authorizer.refused(header, response.headers.get("date"))


def _down(call: Call, because: str, *, sent: bool) -> GitHubDown:
    return GitHubDown(call.name, f"{because}; it is tried again later", may_have_happened=call.writes and sent)


def _headers(call: Call) -> dict[str, str]:
    version = {"X-GitHub-Api-Version": API_VERSION}
    return version if call.json is None else {**version, "Content-Type": "application/json"}


def _content(body: Any) -> bytes | None:
    """JSON in UTF-8; a lone surrogate, left over from bytes that were no text, becomes a question mark."""
    return None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


async def _body(response: httpx.Response, call: Call) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > call.limit_bytes:
            raise TooLarge(call.name, call.limit_bytes)
    return bytes(body)
