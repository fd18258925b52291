"""Fetching: the advertisement and the packs, passed through as they are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping

from app.proxy.advertisement import LS_REFS, SERVICE, NotAnAdvertisement, ReceiveAdvertisement
from app.proxy.api.limits import FETCHES, Limits, Requests
from app.proxy.flights import Flights
from app.proxy.git_service import READ, Failed, GitService, passed_headers
from app.proxy.grant import Grant
from app.proxy.incoming import BadRequest, Body, BodyFailed, Incoming, Receive, Send, answer
from app.proxy.refusal import Refusal
from app.proxy.upstream import CHUNK, in_large_pieces
from app.proxy.wire import packet

NEGOTIATION = 32 * 1024 * 1024  # bytes of a request body: wants and haves
STALLED = 120.0  # seconds in which the client takes nothing
BURST = 300  # requests of one session
_QUESTION = {  # headers
    "Git-Protocol": "version=2",
    "Content-Type": "application/x-git-upload-pack-request",
    "Accept": "application/x-git-upload-pack-result",
    "Accept-Encoding": "identity",
}


class Fetching:
    """`hourly` is of one session, `now` a clock in seconds that does not go back."""

    def __init__(
        self,
        service: GitService,
        flights: Flights,
        hourly: int = FETCHES,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = service
        self._flights = flights
        self._pace = Requests(Limits(burst=min(BURST, hourly), hourly=hourly), "fetches")
        self._now = now

    async def advertise(self, incoming: Incoming, grant: Grant, receive: Receive, send: Send) -> None:
        """GET info/refs?service=git-upload-pack."""
        kind = "application/x-git-upload-pack-advertisement"
        headers = passed_headers(incoming) | _encoding(incoming)
        if await self._too_many(grant, send):
            return
        async with self._flights.flight(grant):
            body = await _no_body(receive)
            try:
                path = "info/refs?service=git-upload-pack"
                async with self._service.read(grant, path, headers, kind) as response:
                    await stream(body, send, kind, _kept(response.headers), response.content.iter_chunked(CHUNK))
            except Failed as failed:
                await unavailable(send, failed.refusal)

    async def advertise_pushing(self, incoming: Incoming, grant: Grant, receive: Receive, send: Send) -> None:
        """GET info/refs?service=git-receive-pack."""
        seen, kind = "application/x-git-upload-pack-result", "application/x-git-receive-pack-advertisement"
        headers = passed_headers(incoming) | _QUESTION
        if await self._too_many(grant, send):
            return
        async with self._flights.flight(grant):
            body = await _no_body(receive)
            try:
                async with self._service.read(grant, "git-upload-pack", headers, seen, LS_REFS) as response:
                    await _whole_or_streamed(body, send, kind, _turned(response.content.iter_chunked(CHUNK)))
            except Failed as failed:
                await unavailable(send, failed.refusal)

    async def fetch(self, incoming: Incoming, grant: Grant, receive: Receive, send: Send) -> None:
        """POST git-upload-pack."""
        if incoming.text(b"content-type") != "application/x-git-upload-pack-request":
            raise BadRequest("the content type is not application/x-git-upload-pack-request", 415)
        if incoming.text(b"content-encoding") not in ("", "gzip"):
            raise BadRequest("the only content encoding is gzip", 415)
        headers = passed_headers(incoming) | _encoding(incoming) | _body_headers(incoming)
        body, kind = Body(receive, NEGOTIATION), "application/x-git-upload-pack-result"
        if (too_many := self._pace.take(grant.session, self._now())) is not None:
            await _in_git_s_words(send, kind, too_many.refusal)
            return
        async with self._flights.flight(grant):
            try:
                async with self._service.post(
                    grant, "fetch", READ, "git-upload-pack", headers, body.rest()
                ) as response:
                    await stream(body, send, kind, _kept(response.headers), in_large_pieces(response))
            except Failed as failed:
                if body.failed is not None:
                    raise body.failed from None
                await _in_git_s_words(send, kind, failed.refusal)

    async def _too_many(self, grant: Grant, send: Send) -> bool:
        """Whether the session has asked too often; then the answer was given."""
        too_many = self._pace.take(grant.session, self._now())
        if too_many is None:
            return False
        said = f"mergegate: {too_many.refusal.sentence}\n".encode()
        await answer(send, 429, said, headers={"retry-after": str(too_many.seconds)})
        return True


async def _in_git_s_words(send: Send, kind: str, refusal: Refusal) -> None:
    """In the answer's own language, because git hides the body of an HTTP error."""
    await answer(send, 200, packet(b"ERR " + refusal.sentence.encode()), kind, close=True)


async def stream(body: Body, send: Send, kind: str, headers: Mapping[str, str], chunks: AsyncIterator[bytes]) -> None:
    """Pass an answer on as fast as the client takes it. Ends early, with the connection, when the client goes away."""
    fields = {"content-type": kind, "cache-control": "no-cache, max-age=0, must-revalidate", **headers}
    pairs = [(name.encode("ascii"), value.encode("latin-1")) for name, value in fields.items()]
    gone = asyncio.create_task(body.gone())
    try:
        await send({"type": "http.response.start", "status": 200, "headers": pairs})
        async for chunk in chunks:
            if gone.done():
                raise BodyFailed("the client went away", gone=True)
            await _part(send, chunk)
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()


async def _part(send: Send, chunk: bytes) -> None:
    try:
        async with asyncio.timeout(STALLED):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    except TimeoutError:
        raise BodyFailed(f"the client took nothing for {STALLED:g} seconds") from None


async def _whole_or_streamed(body: Body, send: Send, kind: str, chunks: AsyncIterator[bytes]) -> None:
    """The same for what is mostly one chunk, which then goes at once."""
    first = await anext(chunks)
    second = await anext(chunks, None)
    if second is None:
        await answer(send, 200, first, kind)
    else:
        await stream(body, send, kind, {}, _behind((first, second), chunks))


async def _behind(those: Iterable[bytes], chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    for one in those:
        yield one
    async for chunk in chunks:
        yield chunk


async def _no_body(receive: Receive) -> Body:
    """The body of a GET, which has none. Raises BodyFailed."""
    body = Body(receive, 0)
    await body.chunk()
    return body


async def _turned(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """In large pieces: git does nothing before the end, and every piece wakes it."""
    advertisement, made = ReceiveAdvertisement(), bytearray(SERVICE)
    try:
        async for chunk in chunks:
            made += advertisement.feed(chunk)
            if len(made) >= CHUNK:
                yield bytes(made)
                made.clear()
        made += advertisement.ended()
    except NotAnAdvertisement as wrong:
        made += packet(f"ERR GitHub's list of branches cannot be used: {wrong}".encode())
    yield bytes(made)


async def unavailable(send: Send, refusal: Refusal) -> None:
    """The answer to a GET that GitHub did not answer; git shows a plain text of it."""
    status, headers = (503, {"retry-after": "10"}) if refusal.retry else (502, {})
    await answer(send, status, f"mergegate: {refusal.sentence}\n".encode(), headers=headers)


def _encoding(incoming: Incoming) -> dict[str, str]:
    """What the client can inflate, as git says it."""
    return {"Accept-Encoding": "gzip" if "gzip" in incoming.text(b"accept-encoding") else "identity"}


def _body_headers(incoming: Incoming) -> dict[str, str]:
    names = {b"content-encoding": "Content-Encoding", b"content-length": "Content-Length"}
    return {given: incoming.text(name) for name, given in names.items() if name in incoming.headers}


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    encoding = headers.get("Content-Encoding", "")
    return {"content-encoding": "gzip"} if encoding == "gzip" else {}
