"""A server's answers in one process: a respx router that mints tokens, and clients that talk to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import httpx
import respx
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import BaseModel

from app.github.budgets import UNLIMITED
from app.github.client import GitHubClient, Settings
from app.github.identity import AppIdentity
from app.secret import SecretStr

API = "https://api.example.test"
INSTALLATION = 7
MINT = f"{API}/app/installations/{INSTALLATION}/access_tokens"
START = datetime(2026, 11, 29, 12, tzinfo=UTC).timestamp()
SHORT = "ghs_" + "a" * 36
LONG = "ghs_12345_eyJhbGciOiJSUzI1NiJ9." + "B-_x" * 1000 + ".sig"


class Thing(BaseModel):
    number: int


@dataclass
class Clock:
    now: float = START

    def __call__(self) -> float:
        return self.now


@lru_cache(maxsize=4)
def pem(which: int) -> SecretStr:
    """A private key in PEM form, the same for the same `which`."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return SecretStr(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode())


@dataclass
class GitHubDouble:
    """`tokens` are handed out in turn, then numbered ones; `minted` are the requests that asked for them."""

    clock: Clock = field(default_factory=Clock)
    router: respx.MockRouter = field(default_factory=lambda: respx.MockRouter(assert_all_called=False))
    tokens: list[str] = field(default_factory=list)
    minted: list[httpx.Request] = field(default_factory=list)
    life: float = 3600.0

    def __post_init__(self) -> None:
        self.mint = self.router.post(MINT).mock(side_effect=self._mint)

    def _mint(self, request: httpx.Request) -> httpx.Response:
        self.minted.append(request)
        token = self.tokens.pop(0) if self.tokens else f"ghs_number{len(self.minted):026d}"
        expires = datetime.fromtimestamp(self.clock.now + self.life, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return httpx.Response(201, json={"token": token, "expires_at": expires})

    def get(self, path: str, **kwargs: Any) -> respx.Route:
        return self.router.get(API + path, **kwargs)

    def post(self, path: str, **kwargs: Any) -> respx.Route:
        return self.router.post(API + path, **kwargs)

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self.router.async_handler)

    def client(
        self,
        *,
        keys: tuple[SecretStr, ...] | None = None,
        installation_id: int | None = INSTALLATION,
        **settings: Any,
    ) -> GitHubClient:
        """A client of the installation, or of the App itself when it is None, without limits on writes."""
        identity = AppIdentity("gate", 1234, keys or (pem(0),), API)
        chosen = Settings(**{"writes": UNLIMITED, "now": self.clock, "timeout": 2.0, **settings})
        return GitHubClient(identity, installation_id, inner=self.transport(), settings=chosen)
