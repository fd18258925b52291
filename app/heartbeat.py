"""A sign of life for a watchdog elsewhere: an address is asked every minute while the worker makes progress.

Whoever is asked alarms when the asking ends; so it ends also when this machine, its network or its database is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import structlog

from app.secret import SecretStr

log = structlog.get_logger(__name__)

FIRST = 5.0  # seconds after the start
EVERY = 60.0  # seconds
PATIENCE = 10.0  # seconds for the answer


async def beat(
    address: SecretStr,
    alive: Callable[[], bool],
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Until cancelled. What the watchdog answers is of no interest; the address is a secret and never logged."""
    async with httpx.AsyncClient(transport=transport, timeout=PATIENCE, trust_env=False) as client:
        await sleep(FIRST)
        while True:
            if alive():
                await _ask(client, address)
            else:
                log.error("the worker makes no progress; the watchdog is not told that it does")
            await sleep(EVERY)


async def _ask(client: httpx.AsyncClient, address: SecretStr) -> None:
    try:
        async with client.stream("GET", address.get_secret_value()) as answer:
            if answer.status_code >= 400:
                log.warning("the watchdog refused the heartbeat", status=answer.status_code)
    except httpx.HTTPError as wrong:
        log.warning("the watchdog was not reached", error=type(wrong).__name__)
