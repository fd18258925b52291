"""Connections to GitHub for the agents' traffic: streams both ways, never redirected, never inflated.

Addresses are built from checked parts and sent as they are; the client's own headers do not come this far. Source of
the credentials' form: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/authenticating-as-a-github-app-installation
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

import aiohttp
from yarl import URL

from app.github.errors import GitHubDown
from app.github.git_access import clone_url
from app.secret import SecretStr

CONNECT = 10.0  # seconds
SILENCE = 300.0  # seconds without a byte of the answer; GitHub takes its time over large pushes
CHUNK = 128 * 1024
# A long answer that comes in small pieces is waited for that long after each, not read: a piece costs far more than its
# bytes, and takes the processor from what makes the next one where both are on one machine.
PAUSE = 0.001  # seconds
LONG = 256 * 1024  # bytes from which on
# Two for each request of `flights.MOST`: a push asks whether it only added before its answer ends. The others are for
# tokens.
MOST_CONNECTIONS = 600
Data = AsyncIterator[bytes] | bytes | None


class UpstreamDown(Exception):
    """There was no answer; the message says why in a clause. `sent` tells whether the request may have arrived."""

    def __init__(self, because: str, *, sent: bool) -> None:
        super().__init__(because)
        self.sent = sent


class Upstream:
    """One server. Use as a context manager within the event loop; `verify` is for a server with its own authority."""

    def __init__(self, api_url: str, verify: ssl.SSLContext | None = None) -> None:
        self.api_url = api_url.rstrip("/")
        self._verify = verify
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Upstream:
        # True is the library's own default context, which verifies and honours SSL_CERT_FILE and SSL_CERT_DIR; another
        # one would hold all authorities a second time.
        verify = self._verify or True
        connector = aiohttp.TCPConnector(limit=MOST_CONNECTIONS, ssl=verify, keepalive_timeout=30)
        self._session = aiohttp.ClientSession(
            connector=connector,
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            raise_for_status=False,
            read_bufsize=CHUNK,
            timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT, sock_connect=CONNECT, sock_read=SILENCE),
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    def repository_url(self, owner: str, repository: str) -> str:
        """`https://github.com/owner/repository.git`, without an end."""
        return clone_url(self.api_url, owner, repository)

    @contextlib.asynccontextmanager
    async def request(
        self, method: str, url: str, headers: Mapping[str, str], data: Data = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """One request, sent once; its answer while the block lasts. Raises UpstreamDown, also while it is read."""
        assert self._session is not None
        target = URL(url, encoded=True)
        begun: list[aiohttp.ClientResponse] = []
        sent = data if data is None or isinstance(data, bytes) else _ending(data, begun)
        try:
            async with self._session.request(
                method, target, headers=headers, data=sent, allow_redirects=False
            ) as response:
                begun.append(response)
                yield response
        except aiohttp.ClientConnectorError as wrong:
            raise UpstreamDown(f"no connection ({type(wrong).__name__})", sent=False) from None
        except (aiohttp.ClientError, ConnectionError) as wrong:
            # The error's own text can hold the request with its headers.
            raise UpstreamDown(f"the connection failed ({type(wrong).__name__})", sent=True) from None
        except aiohttp.ServerTimeoutError:
            raise UpstreamDown("no answer in time", sent=True) from None

    async def revoke(self, token: SecretStr) -> None:
        """Give an installation token back. https://docs.github.com/rest/apps/installations#revoke-an-installation-access-token"""
        url, headers = f"{self.api_url}/installation/token", {"Authorization": f"token {token.get_secret_value()}"}
        try:
            async with asyncio.timeout(CONNECT), self.request("DELETE", url, self.plain(headers)):
                return
        except (UpstreamDown, TimeoutError) as wrong:
            raise GitHubDown("DELETE /installation/token", f"a token could not be given back ({wrong})") from None

    @staticmethod
    def plain(headers: Mapping[str, str]) -> dict[str, str]:
        """Headers of a request to the REST API."""
        return {"User-Agent": "mergegate", "Accept": "application/vnd.github+json", **headers}


async def in_large_pieces(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The body of an answer, at most CHUNK bytes at a time; a long one hardly ever in much less."""
    passed = 0
    async for chunk in response.content.iter_chunked(CHUNK):
        yield chunk
        passed += len(chunk)
        if passed > LONG and len(chunk) < CHUNK // 2:
            await _gathered(response)


async def _gathered(response: aiohttp.ClientResponse) -> None:
    """Let the system take what comes, for a moment. Without a connection all of it has come."""
    protocol = None if response.connection is None else response.connection.protocol
    if protocol is None:
        return
    protocol.pause_reading()
    try:
        await asyncio.sleep(PAUSE)
    finally:
        protocol.resume_reading()


def git_credentials(token: SecretStr) -> str:
    """The Authorization header with which git reaches a repository."""
    pair = f"x-access-token:{token.get_secret_value()}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")


async def _ending(data: AsyncIterator[bytes], begun: Sequence[aiohttp.ClientResponse]) -> AsyncGenerator[bytes, None]:
    """The body, and the end of an answer that began before it broke off: GitHub waits for the rest, and so would we."""
    try:
        async for piece in data:
            yield piece
    except BaseException:
        for response in begun:
            response.close()
        raise
