"""Bodies of deliveries as they come, of which nobody knows yet who sent them: bounded each, and all together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
        self.left = size

    def body(self) -> Held:
        """To be entered, for the time that a body is held."""
        return Held(self)


class Held:
    """What one body has of the room. As a class, because entering a generator costs each delivery twice as much."""

    __slots__ = ("_room", "_size")

    def __init__(self, room: Room) -> None:
        self._room = room
        self._size = 0

    def __enter__(self) -> Callable[[int], None]:
        """To be told the size that the body has by now. Raises Unacceptable when told."""
        return self._grown

    def __exit__(self, *_: object) -> None:
        self._room.left += self._size

    def _grown(self, size: int) -> None:
        more = max(size - SMALL, 0) - self._size
        if more > self._room.left:
            raise Unacceptable(503, "too many large bodies are under way; this one can be delivered again later")
        self._size, self._room.left = self._size + more, self._room.left - more


async def read_body(
    headers: Mapping[bytes, bytes], receive: Receive, limit: int, grown: Callable[[int], None]
) -> bytes:
    """The body, refused as soon as it is known to be longer than `limit` bytes. ClientDisconnect when it is cut off."""
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and int(declared[:20]) > limit:
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
