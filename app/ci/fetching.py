"""One server's answers: its address alone, bounded in size and time, its credential nowhere else."""

from __future__ import annotations

import asyncio
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import httpx
from pydantic import ConfigDict, ValidationError

from app.ci.servers import CiServer
from app.github.wire import IDLE, transport
from app.json_model import JsonModel

MEGABYTE = 1024 * 1024
ANSWER_BYTES = 8 * MEGABYTE
LOG_BYTES = 32 * MEGABYTE
MOST_BYTES = 64 * MEGABYTE  # of one build's logs together, which are in memory at once
TIME_LIMIT = 60.0  # seconds for one answer
_REDIRECTS = (301, 302, 303, 307, 308)
_REFUSED = {
    401: "the server does not accept the credential of the settings",
    403: "the credential of the settings may not read it",
    404: "the server has no such build, or the credential may not see it",
}
Model = TypeVar("Model", bound="Answer")


class NotReadable(Exception):
    """The build or its log could not be read; the message says why, without any address or credential."""


class Answer(JsonModel):
    """Only what is used; unknown fields are left."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class CiClient:
    """For one build. Use as an asynchronous context manager."""

    def __init__(self, server: CiServer, inner: httpx.AsyncBaseTransport | None = None) -> None:
        self.server = server
        self._left = MOST_BYTES
        self._http = httpx.AsyncClient(
            transport=inner or transport(), timeout=IDLE, follow_redirects=False, trust_env=False
        )

    async def __aenter__(self) -> CiClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def answer(self, path: str, model: type[Model]) -> Model:
        """`path` follows the server's base address. Raises NotReadable."""
        body = await self._fetch(self.server.api + path, ANSWER_BYTES)
        try:
            return model.model_validate_json(body)
        except ValidationError:
            raise NotReadable("the server's answer is not as it documents it") from None

    async def log(self, path: str) -> bytes:
        """Raises NotReadable."""
        return await self.output(self.server.api + path)

    async def output(self, url: str) -> bytes:
        """An output at an address that the server's answer names, which must be of a host of the settings."""
        body = await self._fetch(url, min(LOG_BYTES, self._left))
        self._left -= len(body)
        return body

    async def _fetch(self, url: str, limit: int) -> bytes:
        try:
            async with asyncio.timeout(TIME_LIMIT):
                return await self._followed(url, limit)
        except TimeoutError:
            raise NotReadable(f"there was no whole answer within {TIME_LIMIT:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL) as wrong:
            raise NotReadable(f"the connection failed ({type(wrong).__name__})") from None

    async def _followed(self, url: str, limit: int) -> bytes:
        """One redirect at most: logs may lie elsewhere."""
        status, body = await self._get(url, limit)
        if status in _REDIRECTS:
            status, body = await self._get(urljoin(url, body.decode("latin-1")), limit)
        if status != 200:
            raise NotReadable(_REFUSED.get(status, f"the server answered {status}"))
        return body

    async def _get(self, url: str, limit: int) -> tuple[int, bytes]:
        """Status and body; for a redirect the body is the address that it names."""
        headers = self._headers(url)
        async with self._http.stream("GET", url, headers=headers) as response:
            if response.status_code in _REDIRECTS:
                return response.status_code, response.headers.get("location", "").encode("latin-1", "replace")
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > limit:
                    raise NotReadable(f"it is longer than {limit} bytes")
            return response.status_code, bytes(body)

    def _headers(self, url: str) -> dict[str, str]:
        """Raises NotReadable for an address that is not of the settings."""
        if _origin(url) == _origin(self.server.api):
            return {self.server.header: self.server.credential.get_secret_value()}
        if _origin(url) in {("https", host, 443) for host in self.server.outputs}:
            return {}
        raise NotReadable("it lies on a host that the gate's settings do not name")


def _origin(url: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme, 0)
    except ValueError:
        return None
    return None if "@" in parts.netloc else (parts.scheme, parts.hostname or "", port)
