"""Intake over a real socket: `mergegate web` as its own process, its embedded server with durable commits.

The senders share the machine with it, so they do as little as they can: prepared requests on open connections.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from app.intake.webhook import PATH
from tests.bench.measured import Row, milliseconds, percentile
from tests.demo.service import free_port
from tests.service.process import GateProcess
from tests.shared import SHARED

SECRET = "bench"
SECONDS = 10.0
CONNECTIONS = (1, 8, 32)
Payload = tuple[str, bytes]  # event, body


async def measure(folder: Path, say: Callable[[str], None]) -> list[Row]:
    gate = _web(folder)
    requests = list(_requests(_payloads()))
    await gate.start()
    try:
        await gate.healthy()
        rows = []
        for connections in CONNECTIONS:
            say(f"taking deliveries in on {connections} connections")
            rows += await _load(int(gate.environment["MERGEGATE_PORT"]), requests, connections)
        return rows
    finally:
        await gate.cleanup()


def _web(folder: Path) -> GateProcess:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    (folder / "app.pem").write_bytes(pem)
    environment = {
        "MERGEGATE_DATA": str(folder / "data"),
        "MERGEGATE_APP_ID": "1",
        "MERGEGATE_PRIVATE_KEY_FILE": str(folder / "app.pem"),
        "MERGEGATE_WEBHOOK_SECRET": SECRET,
        "MERGEGATE_PORT": str(free_port()),
    }
    return GateProcess("web", sys.executable, environment, folder / "web.log")


def _payloads() -> list[Payload]:
    """Real payloads where they are at hand, else a made-up one of a usual size; with an installation, as Apps get."""
    files = sorted((SHARED / "github" / "payloads").glob("*.json"))
    found = [(path.name.partition(".")[0], json.loads(path.read_bytes())) for path in files]
    if not found:
        found = [("pull_request", {"action": "labeled", "pull_request": {"number": 1, "body": "x" * 20_000}})]
    whole = [(event, body | {"installation": {"id": 7}}) for event, body in found]
    return [(event, json.dumps(body).encode()) for event, body in whole]


def _requests(payloads: list[Payload]) -> Iterator[tuple[bytes, bytes]]:
    """What stands before and after the delivery's id in each request."""
    for event, body in payloads:
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        start = f"POST {PATH} HTTP/1.1\r\nHost: gate.invalid\r\nX-GitHub-Event: {event}\r\nX-GitHub-Hook-ID: 1\r\n"
        end = f"Content-Length: {len(body)}\r\nX-Hub-Signature-256: sha256={signature}\r\n\r\n"
        yield f"{start}X-GitHub-Delivery: ".encode(), f"\r\n{end}".encode() + body


async def _load(port: int, requests: list[tuple[bytes, bytes]], connections: int) -> list[Row]:
    numbers, begun = itertools.count(), time.perf_counter()
    senders = [_send(port, requests, numbers, f"{connections}-", begun + SECONDS) for _ in range(connections)]
    durations = [duration for sent in await asyncio.gather(*senders) for duration in sent]
    taken = time.perf_counter() - begun
    size = sum(len(end) for _, end in requests) / len(requests) / 1000
    spread = f"p50 {milliseconds(percentile(durations, 50))}, p99 {milliseconds(percentile(durations, 99))}"
    of = f"{len(durations):,} durable deliveries of {size:.0f} kB on average, {connections} connections"
    return [Row("intake", f"{len(durations) / taken:,.0f} deliveries/s, {spread}", of)]


async def _send(
    port: int, requests: list[tuple[bytes, bytes]], numbers: Iterator[int], prefix: str, end: float
) -> list[float]:
    """One connection that sends a delivery as soon as the one before was answered; seconds of each."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    durations = []
    while (begun := time.perf_counter()) < end:
        number = next(numbers)
        before, after = requests[number % len(requests)]
        writer.write(before + f"{prefix}{number}".encode() + after)
        await _accepted(reader)
        durations.append(time.perf_counter() - begun)
    writer.close()
    return durations


async def _accepted(reader: asyncio.StreamReader) -> None:
    """Read one answer. AssertionError when it is not 202."""
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 202"), head
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(int(length.partition(b":")[2]))
