"""A supervisor elsewhere: whoever starts and ends agents is told by a signed webhook, as a program is beside it.

The body is the JSON that the program gets on its standard input, with its argument as `what` (`start` or `stop`). It is
signed as https://www.standardwebhooks.com/ has it (headers `webhook-id`, `webhook-timestamp`, `webhook-signature`), so
that the libraries there verify it. The same order has the same id: whoever has carried it out may say so again. Any 2xx
means started; a stop is confirmed by 2xx with `{"gone": true}` alone. What is not confirmed is sent again at the
ticket's next look, a stop every second, so both must bear being repeated.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import httpx
import structlog

from app.github.wire import tls
from app.secret import SecretStr

log = structlog.get_logger(__name__)

SECONDS = 30.0  # for one call
MOST_READ = 64 * 1024  # bytes of an answer
PLAIN = {"content-type": "application/json", "accept-encoding": "identity"}
MARK = "whsec_"  # of a key that is written in base64


def _connection() -> httpx.AsyncBaseTransport:
    """For one call. A stop is sent every second until it is confirmed; a TLS context each would cost most of that."""
    return httpx.AsyncHTTPTransport(verify=tls(), trust_env=False)


@dataclass(frozen=True, slots=True)
class SupervisorHook:
    """`url` is https, or http on this machine. No redirect is followed: the body of a start holds a token.

    `secrets` may change meanwhile. While there are several, each makes a signature, so that whoever is told may change
    theirs at any time.
    """

    url: str
    secrets: Sequence[SecretStr]
    seconds: float = SECONDS
    connect: Callable[[], httpx.AsyncBaseTransport] = _connection
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def tell(self, what: Literal["start", "stop"], about: Mapping[str, Any]) -> bool:
        """Whether it did what it was told. Whoever cannot be reached, or answers something else, did not."""
        body = json.dumps({"what": what, **about}).encode()
        try:
            async with asyncio.timeout(self.seconds):
                status, said = await self._post(body)
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as wrong:
            log.warning("the supervisor was not reached", what=what, error=type(wrong).__name__)
            return False
        done = 200 <= status < 300 and (what == "start" or is_gone(said))
        if not done:
            log.warning("the supervisor did not do it", what=what, status=status)
        return done

    async def _post(self, body: bytes) -> tuple[int, bytes]:
        """Status and answer; nothing of an answer that is too long."""
        headers = {**PLAIN, **signed(self.secrets, body, int(self.now().timestamp()))}
        said = b""
        async with (
            httpx.AsyncClient(transport=self.connect(), timeout=self.seconds, trust_env=False) as client,
            client.stream("POST", self.url, headers=headers, content=body) as answer,
        ):
            # What is sent compressed may become a thousand times as much, and nobody asked for that.
            if answer.headers.get("content-encoding", "identity") != "identity":
                return answer.status_code, b""
            async for part in answer.aiter_bytes():
                said += part
                if len(said) > MOST_READ:
                    return answer.status_code, b""
        return answer.status_code, said


def signed(secrets: Sequence[SecretStr], body: bytes, timestamp: int, message: str | None = None) -> dict[str, str]:
    """The three headers. `message` is the id, made of the body where none is given; `timestamp` in seconds."""
    identity = message or "msg_" + hashlib.sha256(body).hexdigest()[:32]
    content = f"{identity}.{timestamp}.".encode() + body
    digests = (base64.b64encode(hmac.digest(_key(secret), content, "sha256")).decode() for secret in secrets)
    signatures = " ".join(f"v1,{digest}" for digest in digests)
    return {"webhook-id": identity, "webhook-timestamp": str(timestamp), "webhook-signature": signatures}


def _key(secret: SecretStr) -> bytes:
    """What follows `whsec_` is base64; any other secret is taken as it stands."""
    given = secret.get_secret_value()
    if given.startswith(MARK):
        try:
            return base64.b64decode(given.removeprefix(MARK), validate=True)
        except binascii.Error:
            return given.encode()
    return given.encode()


def is_gone(said: bytes) -> bool:
    try:
        answer = json.loads(said)
    except (ValueError, RecursionError):
        return False
    return isinstance(answer, dict) and answer.get("gone") is True
