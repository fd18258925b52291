"""A request as it is let in: headers that cannot be misread, a token, and a body that has limits."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.secret import SecretStr

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

IDLE = 60.0  # seconds without a byte from the client
WHOLE = 30.0  # seconds of a small body, however steadily it trickles
LONGEST_VALUE = 8 * 1024  # bytes of one header
LONGEST_HEADERS = 64 * 1024  # bytes of all
# What a proxy in front of this one may set; nothing here reads it, and nothing of it goes upstream.
_ONCE = frozenset((b"host", b"authorization", b"content-type", b"content-length", b"content-encoding", b"git-protocol"))


class BadRequest(Exception):
    """Answered with the status, and the connection is closed."""

    def __init__(self, because: str, status: int = 400) -> None:
        super().__init__(because)
        self.status = status


class BodyFailed(Exception):
    """The body did not come to its end: the client went away, was too slow, or sent more than it may."""

    def __init__(self, because: str, *, gone: bool = False) -> None:
        super().__init__(because)
        self.gone = gone


@dataclass(frozen=True, slots=True)
class Incoming:
    """`headers` are lower-case names with their one value; names that came twice and may not are a BadRequest.

    `address` is the client's, as the socket says it; empty on a unix socket.
    """

    method: str
    raw_path: bytes
    query: bytes
    headers: Mapping[bytes, bytes]
    address: str = ""

    def text(self, name: bytes) -> str:
        return self.headers.get(name, b"").decode("latin-1")


def let_in(scope: Scope) -> Incoming:
    """The request of an ASGI scope. Raises BadRequest for one that two readers could read in two ways."""
    headers: dict[bytes, bytes] = {}
    size = 0
    for name, value in scope["headers"]:
        if name in _ONCE and name in headers:
            raise BadRequest(f"the header {name.decode('ascii')} is there twice")
        size += len(name) + len(value)
        if len(value) > LONGEST_VALUE or size > LONGEST_HEADERS:
            raise BadRequest("the headers are too long", 431)
        headers[name] = value
    if not headers.get(b"host"):
        raise BadRequest("the header Host is missing")
    if headers.get(b"transfer-encoding", b"chunked").lower() != b"chunked":
        raise BadRequest("the only transfer encoding is chunked")
    if b"transfer-encoding" in headers and b"content-length" in headers:
        raise BadRequest("the body has two lengths")
    if b"expect" in headers:
        # What is allowed depends on the beginning of the body, so there is nothing to promise before it came.
        raise BadRequest("send the body without Expect", 417)
    if b"upgrade" in headers and b"upgrade" in headers.get(b"connection", b"").lower():
        raise BadRequest("there is nothing to upgrade to")
    address = (scope.get("client") or ("",))[0]
    return Incoming(scope["method"], scope["raw_path"], scope["query_string"], headers, address)


def token_of(incoming: Incoming) -> SecretStr | None:
    """The credential in Authorization: the password (or user) of Basic, as git sends it, or what gh sends."""
    scheme, _, rest = incoming.text(b"authorization").partition(" ")
    rest = rest.strip()
    if scheme.lower() in ("bearer", "token") and rest:
        return SecretStr(rest)
    if scheme.lower() != "basic":
        return None
    try:
        user, _, password = base64.b64decode(rest, validate=True).decode("utf-8").partition(":")
    except ValueError:  # no base64, no ASCII, no UTF-8
        return None
    return SecretStr(password if password and password != "x-oauth-basic" else user)  # noqa: S105 - GitHub's filler


class Body:
    """The request's body as it comes, counted; `limit` bytes at most, and never more than `idle` seconds silent."""

    def __init__(self, receive: Receive, limit: int, idle: float = IDLE) -> None:
        self._receive = receive
        self._limit = limit
        self._idle = idle
        self._more = True
        self._over = asyncio.Event()
        self.size = 0
        self.failed: BodyFailed | None = None

    @property
    def ended(self) -> bool:
        return not self._more

    async def chunk(self) -> bytes:
        """The next bytes; b"" at the end. Raises BodyFailed."""
        while self._more:
            message = await self._message()
            if not message.get("more_body"):
                self._end()
            data: bytes = message.get("body", b"")
            self.size += len(data)
            if self.size > self._limit:
                # It goes on, and may be drained so that whoever sends it reads the answer.
                self.failed = BodyFailed(f"the body is longer than {self._limit} bytes")
                raise self.failed
            if data:
                return data
        return b""

    async def rest(self) -> AsyncGenerator[bytes, None]:
        while data := await self.chunk():
            yield data

    async def whole(self) -> bytes:
        """All of it; only for bodies with a small limit. Raises BodyFailed."""
        whole = bytearray()
        try:
            async with asyncio.timeout(WHOLE):
                while data := await self.chunk():
                    whole += data
        except TimeoutError:
            raise self._fail(f"it did not come within {WHOLE:g} seconds") from None
        return bytes(whole)

    async def drain(self, most: int, seconds: float) -> None:
        """Read and forget what is left, so that the client reads its answer. Gives up without a word."""
        try:
            async with asyncio.timeout(seconds):
                self._limit = self.size + most
                while await self.chunk():
                    pass
        except (TimeoutError, BodyFailed):
            return

    async def _message(self) -> Message:
        try:
            async with asyncio.timeout(self._idle):
                message = await self._receive()
        except TimeoutError:
            # Out here, because the time limit of the whole request looks the same.
            raise self._fail(f"nothing came for {self._idle:g} seconds") from None
        if message["type"] != "http.request":
            raise self._fail("the client went away", gone=True)
        return message

    async def gone(self) -> None:
        """Returns when the client goes away after its body has come."""
        await self._over.wait()
        while (await self._receive())["type"] == "http.request":
            pass

    def _end(self) -> None:
        self._more = False
        self._over.set()

    def _fail(self, because: str, *, gone: bool = False) -> BodyFailed:
        self._more = False
        self.failed = BodyFailed(because, gone=gone)
        return self.failed


class Answering:
    """Sends on, and remembers the status of an answer that was begun: from then on only the connection can say no."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status: int | None = None

    @property
    def begun(self) -> bool:
        return self.status is not None

    async def __call__(self, message: Message) -> None:
        """Raises BodyFailed where another answer would begin."""
        if self.begun and message["type"] == "http.response.start":
            raise BodyFailed("an answer that was begun broke off", gone=True)
        self.status = message.get("status", self.status)
        await self._send(message)


async def answer(
    send: Send,
    status: int,
    body: bytes,
    content_type: str = "text/plain; charset=utf-8",
    headers: Mapping[str, str] | None = None,
    *,
    close: bool = False,
    more: bool = False,
) -> None:
    """One whole answer. With `more` it is left open, for a body that is still to be drained."""
    fields = {
        "content-type": content_type,
        "content-length": str(len(body)),
        "cache-control": "no-cache, max-age=0, must-revalidate",
        **(headers or {}),
        **({"connection": "close"} if close else {}),
    }
    pairs = [(name.encode("ascii"), value.encode("latin-1")) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body, "more_body": more})
