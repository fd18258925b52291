"""Bodies of deliveries as they come, of which nobody knows yet who sent them: bounded each, and all together."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping

from starlette.requests import ClientDisconnect
from starlette.types import Receive

SMALL = 256 * 1024  # bytes, which most deliveries are far below; so much of each body always finds room
ROOM = 128 * 1024 * 1024  # bytes that bodies may have beyond that, all together in this process


class Unacceptable(Exception):
    """A delivery that is answered with an error status and not stored."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Room:
    """The memory for large bodies until their signatures are verified: whoever has no secret could else take all.

    Those who take it keep out other large bodies only, which the search for lost deliveries finds.
    """

    def __init__(self, size: int = ROOM) -> None:
        self._left = size

    @contextlib.contextmanager
    def body(self) -> Iterator[Callable[[int], None]]:
        """To be told the size that a body has by now, while the block lasts. Raises Unacceptable when told."""
        held = 0

        def grown(size: int) -> None:
            nonlocal held
            more = max(size - SMALL, 0) - held
            if more > self._left:
                raise Unacceptable(503, "too many large bodies are under way; this one can be delivered again later")
            held, self._left = held + more, self._left - more

        try:
            yield grown
        finally:
            self._left += held


async def read_body(headers: Mapping[str, str], receive: Receive, limit: int, grown: Callable[[int], None]) -> bytes:
    """The body, refused as soon as it is known to be longer than `limit` bytes. ClientDisconnect when it is cut off."""
    declared = headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > limit:
        raise Unacceptable(413, f"the body is larger than {limit} bytes")
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part, more = message.get("body", b""), message.get("more_body", False)
        size += len(part)
        if size > limit:
            raise Unacceptable(413, f"the body is larger than {limit} bytes")
        grown(size)
        parts.append(part)
    return b"".join(parts)
