"""Cookies that only this service can have made: short claims, signed, with an end.

They are JSON web tokens (RFC 7519) under a key that follows from the App's client secret, so that all processes share
it, nothing need be stored, and whoever signed in under a secret is signed out when it is taken away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from starlette.responses import Response

from app.secret import SecretStr

ALGORITHM = "HS256"
LONGEST = 4096  # bytes; browsers keep no longer cookie (RFC 6265, 6.1)


@dataclass(frozen=True, slots=True)
class Cookie:
    """One kind of cookie. Claims of another kind never pass for it. The first of `secrets` is what new ones are made
    under; those of the others are good too. They may change meanwhile."""

    kind: str
    lifetime: timedelta
    secrets: Sequence[SecretStr]
    secure: bool  # over https

    @property
    def name(self) -> str:
        """Over https no page of another host or scheme can plant one (`__Host-`, RFC 6265bis 4.1.3)."""
        return f"__Host-{self.kind}" if self.secure else self.kind

    def put(self, response: Response, claims: Mapping[str, Any], now: datetime) -> None:
        value = self.sealed(claims, now)
        age = round(self.lifetime.total_seconds())
        response.set_cookie(self.name, value, max_age=age, secure=self.secure, httponly=True, samesite="lax")

    def read(self, cookies: Mapping[str, str], now: datetime) -> Mapping[str, Any] | None:
        """The claims; None where there are none, they are not ours, or their time is over."""
        return self.opened(cookies.get(self.name, ""), now)

    def sealed(self, claims: Mapping[str, Any], now: datetime) -> str:
        """The same as text for a form."""
        return jwt.encode({**claims, "exp": now + self.lifetime}, self._keys()[0], ALGORITHM)

    def opened(self, value: str, now: datetime) -> Mapping[str, Any] | None:
        if not value or len(value) > LONGEST:
            return None
        read = (_claims(value, key) for key in self._keys())
        claims = next((one for one in read if one is not None), None)
        return claims if claims is not None and claims["exp"] > now.timestamp() else None

    def remove(self, response: Response) -> None:
        response.delete_cookie(self.name, secure=self.secure, httponly=True, samesite="lax")

    def _keys(self) -> list[bytes]:
        return [_key(self.kind, secret) for secret in self.secrets]


def _key(kind: str, secret: SecretStr) -> bytes:
    derived = HKDF(hashes.SHA256(), 32, None, f"mergegate cookie {kind}".encode())
    return derived.derive(secret.get_secret_value().encode())


def _claims(value: str, key: bytes) -> dict[str, Any] | None:
    """Whenever they end: the time is this service's own, as everywhere, and not the library's."""
    try:
        claims: dict[str, Any] = jwt.decode(value, key, [ALGORITHM], options={"require": ["exp"], "verify_exp": False})
    except jwt.InvalidTokenError:
        return None
    return claims
