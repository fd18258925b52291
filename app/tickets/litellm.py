"""LiteLLM's proxy as a metering gateway: keys that stop working when their budget is spent.

Its key API: https://docs.litellm.ai/docs/proxy/virtual_keys and https://litellm-api.up.railway.app (key management).
The gateway keeps keys by their SHA-256 and takes that in the key's place, so we need not keep them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx

from app.github.wire import tls
from app.secret import SecretStr

SECONDS = 5.0  # for one call; a claim waits for it
MOST_READ = 256 * 1024  # bytes of an answer
NO_MODEL = "mergegate-canary"
LONGEST_AMOUNT = 1_000_000  # US dollars; more is no spend of one key


class GatewayFailed(Exception):
    """The gateway did not do what it was asked; the message says what, without any key."""


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key. `budget` is the one that the gateway holds it to, in US dollars."""

    key: SecretStr
    budget: Decimal

    @property
    def key_hash(self) -> str:
        return hashlib.sha256(self.key.get_secret_value().encode()).hexdigest()


def _connection() -> httpx.AsyncBaseTransport:
    """For one call. Keys are read every few minutes each, and a TLS context of its own would cost most of that."""
    return httpx.AsyncHTTPTransport(verify=tls(), trust_env=False)


@dataclass(frozen=True, slots=True)
class Gateway:
    """`url` is where agents reach the gateway too, without a slash at its end; `admin_key` may make keys."""

    url: str
    admin_key: SecretStr
    connect: Callable[[], httpx.AsyncBaseTransport] = _connection

    async def generate(self, *, budget: Decimal, seconds: int, metadata: Mapping[str, Any]) -> IssuedKey:
        """A key for so long and so much. Raises GatewayFailed, also where the gateway does not say that it holds to it.

        The gateway's own upper bounds may make the budget smaller, never larger.
        """
        asked = {"max_budget": float(budget), "duration": f"{seconds}s", "metadata": dict(metadata)}
        answer = await self._call("POST", "/key/generate", asked)
        key, held = answer.get("key"), _amount(answer.get("max_budget"))
        if not isinstance(key, str) or not key.startswith("sk-") or not key.isascii() or len(key) > 200:
            raise GatewayFailed("its answer to /key/generate holds no key")
        issued = IssuedKey(SecretStr(key), min(budget, held if held is not None else budget))
        if held is None or held > budget:
            await self.delete(issued.key_hash)
            raise GatewayFailed("it does not hold the new key to the budget that was asked for")
        return issued

    async def spend(self, key_hash: str) -> Decimal:
        """US dollars that a key has spent so far. Raises GatewayFailed."""
        answer = await self._call("GET", f"/key/info?key={key_hash}")
        info = answer.get("info")
        found = _amount(info.get("spend")) if isinstance(info, dict) else None
        if found is None:
            raise GatewayFailed("its answer to /key/info holds no spend")
        return found

    async def renew(self, key_hash: str, *, budget: Decimal, seconds: int) -> None:
        """What a key may spend in all, what it spent before included, and how long from now. Raises GatewayFailed."""
        asked = {"key": key_hash, "max_budget": float(budget), "duration": f"{seconds}s"}
        await self._call("POST", "/key/update", asked)

    async def block(self, key_hash: str) -> None:
        """No call with this key is let through any more; what it spent can still be read. Raises GatewayFailed."""
        await self._call("POST", "/key/block", {"key": key_hash})

    async def delete(self, key_hash: str) -> None:
        """Raises GatewayFailed."""
        await self._call("POST", "/key/delete", {"keys": [key_hash]})

    async def refuses(self, key: SecretStr) -> bool:
        """Whether a call of a model with this key is refused because its budget is used up, and for nothing else.

        LiteLLM looks at the budget before it looks for the model, so that a key with a budget of nothing costs nothing:
        https://docs.litellm.ai/docs/proxy/users. Raises GatewayFailed where it is not answered.
        """
        asked = {"model": NO_MODEL, "messages": [{"role": "user", "content": "-"}], "max_tokens": 1}
        status, raw = await self._send("POST", "/v1/chat/completions", asked, key)
        wrong = _read("/v1/chat/completions", raw).get("error")
        return status >= 400 and isinstance(wrong, dict) and wrong.get("type") == "budget_exceeded"

    async def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        name = path.partition("?")[0]
        status, raw = await self._send(method, path, body, self.admin_key)
        if status != httpx.codes.OK:
            raise GatewayFailed(f"{name} was answered with status {status}")
        return _read(name, raw)

    async def _send(self, method: str, path: str, body: Mapping[str, Any] | None, key: SecretStr) -> tuple[int, bytes]:
        name = path.partition("?")[0]
        headers = {"Authorization": f"Bearer {key.get_secret_value()}"}
        try:
            async with (
                asyncio.timeout(SECONDS),
                httpx.AsyncClient(transport=self.connect(), timeout=SECONDS, trust_env=False) as client,
                client.stream(method, self.url + path, headers=headers, json=body) as answer,
            ):
                raw = await _whole(answer)
        except (httpx.HTTPError, TimeoutError) as wrong:
            raise GatewayFailed(f"{name} was not answered ({type(wrong).__name__})") from None
        return answer.status_code, raw


async def _whole(answer: httpx.Response) -> bytes:
    raw = b""
    async for part in answer.aiter_bytes():
        raw += part
        if len(raw) > MOST_READ:
            raise GatewayFailed(f"its answer is larger than {MOST_READ} bytes")
    return raw


def _read(name: str, raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise GatewayFailed(f"its answer to {name} is no JSON object")
    return found


def _amount(given: object) -> Decimal | None:
    """US dollars; None for what is none."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return None
    return Decimal(str(given)) if 0 <= given <= LONGEST_AMOUNT else None
