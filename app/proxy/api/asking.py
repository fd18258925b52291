"""What was allowed goes to GitHub with the courier's token; what silence or anger of GitHub means in words."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping

import aiohttp
import structlog

from app.proxy.api.denied import Denied, NotDone
from app.proxy.courier import Credential
from app.proxy.git_service import FRESH, WAITS, GitService
from app.proxy.grant import Grant
from app.proxy.refusal import Refusal
from app.proxy.upstream import UpstreamDown

log = structlog.get_logger(__name__)

ANSWER_SECONDS = 30.0  # until GitHub begins to answer
WRITTEN_BYTES = 1024 * 1024  # of the answer to a write
_UNKNOWN_YET = (401, 403, 404)
_REDIRECTS = (301, 302, 303, 307, 308)
_FINE = "Nothing is wrong with the session"
Url = Callable[[Credential], str]


class Asking:
    """GitHub's API for all sessions. Every method may raise NotDone, and `Failed` when there is no token."""

    def __init__(self, service: GitService) -> None:
        self._service = service
        self.api_url = service.upstream.api_url

    @contextlib.asynccontextmanager
    async def read(
        self,
        grant: Grant,
        permissions: Mapping[str, str],
        url: Url,
        headers: Mapping[str, str],
        document: bytes | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A GET, or a GraphQL query; again while a new token is not known everywhere. Redirects are the caller's."""
        for wait in (*WAITS, None):
            credential = await self._service.credential(grant, permissions)
            method = "GET" if document is None else "POST"
            async with self._sent(method, url(credential), _signed(credential, headers), document) as response:
                young = time.time() - credential.minted_at < FRESH
                if wait is None or response.status not in _UNKNOWN_YET or not (young or response.status == 401):
                    self._check(grant, credential, response)
                    yield response
                    return
                if response.status == 401:
                    self._service.courier.evict(grant, credential.token)
            await asyncio.sleep(wait)

    async def write(
        self,
        grant: Grant,
        permissions: Mapping[str, str],
        method: str,
        url: Url,
        headers: Mapping[str, str],
        body: bytes,
    ) -> tuple[int, Mapping[str, str], bytes]:
        """A write, sent once: GitHub's status, headers and whole answer."""
        credential = await self._service.credential(grant, permissions)
        async with self._sent(method, url(credential), _signed(credential, headers), body) as response:
            self._check(grant, credential, response)
            if is_redirect(response):
                raise moved()
            return response.status, response.headers, await read_whole(response, WRITTEN_BYTES)

    @contextlib.asynccontextmanager
    async def abroad(self, url: str) -> AsyncIterator[aiohttp.ClientResponse]:
        """What a redirect leads to, asked for without any credential; the address was checked before."""
        async with self._sent("GET", url, {"User-Agent": "mergegate", "Accept": "*/*"}, None) as response:
            if response.status != 200:
                raise NotDone(_odd(f"where GitHub keeps this answered {response.status}"))
            yield response

    @contextlib.asynccontextmanager
    async def _sent(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        asked = self._service.upstream.request(method, url, {**headers, "Accept-Encoding": "identity"}, body)
        writes = body is not None
        try:
            async with contextlib.AsyncExitStack() as stack:
                async with asyncio.timeout(ANSWER_SECONDS):
                    response = await stack.enter_async_context(asked)
                if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                    raise NotDone(
                        _odd("What answered is compressed, though it was not asked to be"), may_have_happened=writes
                    )
                yield response
        except UpstreamDown as down:
            log.warning("github's api did not answer", because=str(down))
            raise NotDone(_silent(), may_have_happened=writes and down.sent) from None
        except TimeoutError:
            raise NotDone(_silent(), may_have_happened=writes) from None

    def _check(self, grant: Grant, credential: Credential, response: aiohttp.ClientResponse) -> None:
        """Raises NotDone for what is no answer to the agent."""
        status = response.status
        if status == 401:
            self._service.courier.evict(grant, credential.token)
            log.warning("github refused the courier's token", session=grant.session)
            raise NotDone(_odd("GitHub did not take the courier's token"))
        if status >= 500:
            raise NotDone(_odd(f"GitHub answered {status}"), may_have_happened=True)
        if "html" in response.headers.get("Content-Type", ""):
            raise NotDone(_odd("What answered is a page, not GitHub's API"))


async def read_whole(response: aiohttp.ClientResponse, most: int) -> bytes:
    """The answer's body of at most so many bytes. Raises NotDone."""
    raw = bytearray()
    async for chunk in response.content.iter_any():
        raw += chunk
        if len(raw) > most:
            raise NotDone(_odd("GitHub's answer is too long"), may_have_happened=True)
    return bytes(raw)


def is_redirect(response: aiohttp.ClientResponse) -> bool:
    return response.status in _REDIRECTS


def moved() -> NotDone:
    """For a redirect that is not followed: after a renaming the next token comes with the new name."""
    return NotDone(_odd("GitHub answered with a redirect, which is not followed here"))


def _signed(credential: Credential, headers: Mapping[str, str]) -> dict[str, str]:
    return {**headers, "User-Agent": "mergegate", "Authorization": f"token {credential.token.get_secret_value()}"}


def _silent() -> Denied:
    return Denied(503, Refusal("GitHub's API did not answer", _FINE, retry=True), retry_after=10)


def _odd(because: str) -> Denied:
    return Denied(502, Refusal(because, _FINE, retry=True), retry_after=10)
