"""Webhook deliveries for a receiver on loopback: signed `pull_request` payloads of 26 kB, and two ways to send them.

*Closed*: every connection sends its next delivery when the one before was answered; that finds the most a receiver can
take. *Open*: deliveries are due at fixed times whatever the receiver does, and each one's duration counts from when it
was due, so that a stall is felt by all that were due in it (no coordinated omission).

The sender shares the machine with the receiver, so it does as little as it can: bodies are made and signed before.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import random
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.shared import SHARED

SECRET = "bench"
SIZE = 26_000  # bytes of a body
PULLS = 1000  # pull requests that the deliveries are about
WORDS = (
    "keeps",
    "the",
    "total",
    "of",
    "every",
    "cart",
    "as",
    "it",
    "was",
    "when",
    "`checkout`",
    "began;",
    "#12",
    "and",
)


@dataclass(frozen=True, slots=True)
class Request:
    """One POST without its delivery id, which stands between the two parts."""

    before: bytes
    after: bytes

    def bytes_for(self, delivery_id: str) -> bytes:
        return b"".join((self.before, delivery_id.encode(), self.after))


Payload = dict[str, Any]


def requests(path: str) -> list[Request]:
    """Real payloads where they are at hand, else a made-up one; as Apps get them, each of another pull request."""
    chance, found = random.Random(7), originals()
    heads = [f"{chance.getrandbits(160):040x}" for _ in range(PULLS)]
    bodies = (
        about_pull(found[number % len(found)], number, {"sha": head}) for number, head in enumerate(heads, start=1)
    )
    return [signed(path, body) for body in bodies]


def originals() -> list[dict[str, object]]:
    files = sorted((SHARED / "github" / "payloads").glob("pull_request.*.[0-9].json"))
    found = [json.loads(path.read_bytes()) for path in files]
    return [one for one in found if len(_compact(one)) < SIZE - 1000] or [_made_up()]


def _made_up() -> Payload:
    repository = {"id": 1, "name": "shop", "full_name": "acme/shop", "default_branch": "main"}
    head = {"ref": "agent/1", "sha": "a" * 40, "repo": {"id": 1}}
    pull = {"number": 1, "body": "", "head": head, "base": {"ref": "main", "sha": "b" * 40}}
    sender = {"login": "ada", "id": 2, "type": "User"}
    return {"action": "synchronize", "repository": repository, "sender": sender, "pull_request": pull}


def about_pull(original: Payload, number: int, head: Payload, **changed: object) -> bytes:
    """The payload with a number, a head and a description of its own, SIZE bytes as GitHub writes JSON.

    `head` and `changed` replace members of the pull request's head and of the payload.
    """
    pull = original["pull_request"]
    pull = pull | {"number": number, "head": pull["head"] | head, "body": ""}
    delivered = original | {"number": number, "installation": {"id": 7}, "pull_request": pull} | changed
    missing = SIZE - len(_compact(delivered))
    pull["body"] = " ".join(random.Random(number).choices(WORDS, k=max(0, missing) // 2))[: max(0, missing)]
    return _compact(delivered)


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def signed(path: str, body: bytes, secret: str = SECRET) -> Request:
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    before = (
        f"POST {path} HTTP/1.1\r\nHost: gate.invalid\r\nAccept: */*\r\nContent-Type: application/json\r\n"
        "User-Agent: GitHub-Hookshot/044aadd\r\nX-GitHub-Event: pull_request\r\nX-GitHub-Hook-ID: 1\r\n"
        "X-GitHub-Hook-Installation-Target-ID: 1\r\nX-GitHub-Hook-Installation-Target-Type: integration\r\n"
        f"X-Hub-Signature-256: sha256={signature}\r\nContent-Length: {len(body)}\r\nX-GitHub-Delivery: "
    )
    return Request(before.encode(), b"\r\n\r\n" + body)


class _Connection(asyncio.Protocol):
    """One connection, one delivery at a time."""

    def __init__(self, expected: bytes) -> None:
        self._expected = expected  # status
        self._received = b""
        self._answered: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def send(self, request: bytes) -> asyncio.Future[None]:
        """Done when the answer is here; AssertionError when it has another status than expected."""
        assert self._transport is not None
        self._received, self._answered = b"", asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answered

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if self._answered is None or not end or len(body) < _length(head):
            return
        if head.split(b" ", 2)[1] == self._expected:
            self._answered.set_result(None)
        else:
            self._answered.set_exception(AssertionError(self._received))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(AssertionError(f"the receiver hung up: {exc}"))

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()


def _length(head: bytes) -> int:
    return int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])


@dataclass
class Sender:
    """Deliveries to 127.0.0.1:`port`; ids are never used twice."""

    port: int
    requests: Sequence[Request]
    expected: int  # status of every answer

    def __post_init__(self) -> None:
        self._ids: Iterator[int] = itertools.count()

    async def closed(self, connections: int, seconds: float) -> tuple[int, float]:
        """How many deliveries were answered, in how many seconds."""
        begun = time.perf_counter()
        opened = await self._open(connections)
        counts = await asyncio.gather(*[self._one_after_another(each, begun + seconds) for each in opened])
        taken = time.perf_counter() - begun
        _close(opened)
        return sum(counts), taken

    async def exactly(self, count: int, connections: int) -> None:
        """So many deliveries, as fast as they are taken."""
        opened = await self._open(connections)
        now = deque([time.perf_counter()] * count)
        await asyncio.gather(*[self._when_due(each, now, []) for each in opened])
        _close(opened)

    async def at_rate(self, rate: float, connections: int, seconds: float) -> list[float]:
        """Seconds of each delivery, from when it was due; `rate` of them are due a second."""
        opened = await self._open(connections)
        begun, durations = time.perf_counter(), list[float]()
        due = deque(begun + number / rate for number in range(int(rate * seconds)))
        await asyncio.gather(*[self._when_due(each, due, durations) for each in opened])
        _close(opened)
        return durations

    async def _open(self, connections: int) -> list[_Connection]:
        loop, expected = asyncio.get_running_loop(), str(self.expected).encode()
        made = [
            loop.create_connection(lambda: _Connection(expected), "127.0.0.1", self.port) for _ in range(connections)
        ]
        return [protocol for _, protocol in await asyncio.gather(*made)]

    async def _one_after_another(self, connection: _Connection, end: float) -> int:
        count = 0
        while time.perf_counter() < end:
            await connection.send(self._next())
            count += 1
        return count

    async def _when_due(self, connection: _Connection, due: deque[float], durations: list[float]) -> None:
        """A free connection waits for the next moment; one that is past was waited for by nobody, and counts so."""
        while due:
            moment = due.popleft()
            await asyncio.sleep(max(0.0, moment - time.perf_counter()))
            await connection.send(self._next())
            durations.append(time.perf_counter() - moment)

    def _next(self) -> bytes:
        number = next(self._ids)
        return self.requests[number % len(self.requests)].bytes_for(f"bench-{number}")


def _close(connections: Sequence[_Connection]) -> None:
    for each in connections:
        each.close()
