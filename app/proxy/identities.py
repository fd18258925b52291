"""Tokens of workload identities (OpenID Connect): the issuer's keys, and whether a token is genuine.

Only issuers that the operator named are asked, at their own address, without redirects. Source:
https://openid.net/specs/openid-connect-discovery-1_0.html and https://docs.github.com/actions/concepts/security/openid-connect
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import jwt

from app.proxy.upstream import Upstream, UpstreamDown

LONGEST_TOKEN = 16 * 1024  # characters
MOST_BYTES = 256 * 1024
SECONDS = 5.0
FRESH, SOONEST = 3600.0, 60.0  # seconds that keys are kept, and between two looks for a key that is not known
MOST_KEYS = 50
LEEWAY = 30  # seconds
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
DISCOVERY = "/.well-known/openid-configuration"


class NotGenuine(Exception):
    """The token proves nothing; the message is a clause without anything of it."""


@dataclass
class _Keys:
    keys: dict[str, jwt.PyJWK] = field(default_factory=dict)
    read_at: float = float("-inf")
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Identities:
    """`issuers` are exact addresses. `now` is a clock in seconds that does not go back."""

    def __init__(self, upstream: Upstream, issuers: Collection[str], now: Callable[[], float] = time.monotonic) -> None:
        self._upstream = upstream
        self._keys = {issuer: _Keys() for issuer in issuers}
        self._now = now

    async def genuine(self, token: str) -> dict[str, Any]:
        """The claims of a token whose signature and times are right. Its audience is still to be compared.

        Raises NotGenuine, and UpstreamDown when the issuer does not answer.
        """
        header, issuer = _unverified(token)
        if issuer not in self._keys:
            raise NotGenuine("its issuer is not one that this proxy accepts (MERGEGATE_OIDC_ISSUERS)")
        algorithm, kid = header.get("alg"), header.get("kid")
        if algorithm not in ALGORITHMS or not isinstance(kid, str):
            raise NotGenuine("it is not signed in an accepted way")
        key = await self._key(issuer, kid)
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                issuer=issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iat", "iss", "aud", "sub"], "verify_aud": False},
            )
        except (jwt.PyJWTError, ValueError, TypeError) as wrong:
            raise NotGenuine(f"it is not valid ({type(wrong).__name__})") from None
        return claims

    async def _key(self, issuer: str, kid: str) -> jwt.PyJWK:
        held = self._keys[issuer]
        async with held.lock:
            age = self._now() - held.read_at
            if age > FRESH or (kid not in held.keys and age > SOONEST):
                held.keys = await self._read(issuer)
                held.read_at = self._now()
            if kid not in held.keys:
                raise NotGenuine("its key is not one of its issuer's")
            return held.keys[kid]

    async def _read(self, issuer: str) -> dict[str, jwt.PyJWK]:
        found = await self._document(issuer.rstrip("/") + DISCOVERY)
        if found.get("issuer") != issuer or not isinstance(found.get("jwks_uri"), str):
            raise UpstreamDown("the issuer's own description names another one", sent=False)
        keys = (await self._document(found["jwks_uri"])).get("keys")
        made: dict[str, jwt.PyJWK] = {}
        for one in keys[:MOST_KEYS] if isinstance(keys, list) else ():
            kid = one.get("kid") if isinstance(one, dict) else None
            if not isinstance(kid, str) or one.get("use", "sig") != "sig" or one.get("kty") == "oct":
                continue
            try:
                made[kid] = jwt.PyJWK(one)
            except (jwt.PyJWTError, ValueError, TypeError):
                continue
        return made

    async def _document(self, url: str) -> dict[str, Any]:
        if not _may_ask(url):
            raise UpstreamDown("the issuer's address is not https", sent=False)
        body = bytearray()
        try:
            async with asyncio.timeout(SECONDS), self._upstream.request("GET", url, _HEADERS) as response:
                if response.status != 200:
                    raise UpstreamDown(f"the issuer answered {response.status}", sent=True)
                async for chunk in response.content.iter_chunked(65536):
                    body += chunk
                    if len(body) > MOST_BYTES:
                        raise UpstreamDown("the issuer's answer is too long", sent=True)
            value = json.loads(bytes(body))
        except (TimeoutError, ValueError, RecursionError):
            raise UpstreamDown("the issuer's answer cannot be read", sent=True) from None
        return value if isinstance(value, dict) else {}


_HEADERS = {"User-Agent": "mergegate", "Accept": "application/json"}


def _unverified(token: str) -> tuple[dict[str, Any], object]:
    if len(token) > LONGEST_TOKEN or not token.isascii():
        raise NotGenuine("it is too long")
    try:
        header = jwt.get_unverified_header(token)
        claims = jwt.decode(token, options={"verify_signature": False})
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise NotGenuine("it is no JSON web token") from None
    issuer = claims.get("iss")
    return header, issuer if isinstance(issuer, str) else None


def _may_ask(url: str) -> bool:
    """https, or plain on this very machine."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.username is not None or not host:
        return False
    if parts.scheme == "https":
        return True
    try:
        return parts.scheme == "http" and ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
