"""Cookies that only this service can have made: short claims, signed, with an end.

They are JSON web tokens (RFC 7519) under a key that follows from the App's client secret, so that all processes share
it, nothing need be stored, and a new secret signs everybody out.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """One kind of cookie. Claims of another kind never pass for it."""

    name: str
    lifetime: timedelta
    key: bytes
    secure: bool

    @classmethod
    def of(cls, name: str, lifetime: timedelta, secret: SecretStr, *, secure: bool) -> Cookie:
        """`secure` over https; then no page of another host or scheme can plant one (`__Host-`, RFC 6265bis 4.1.3)."""
        derived = HKDF(hashes.SHA256(), 32, None, f"mergegate cookie {name}".encode())
        key = derived.derive(secret.get_secret_value().encode())
        return cls(f"__Host-{name}" if secure else name, lifetime, key, secure)

    def put(self, response: Response, claims: Mapping[str, Any], now: datetime) -> None:
        value = self.sealed(claims, now)
        age = round(self.lifetime.total_seconds())
        response.set_cookie(self.name, value, max_age=age, secure=self.secure, httponly=True, samesite="lax")

    def read(self, cookies: Mapping[str, str], now: datetime) -> Mapping[str, Any] | None:
        """The claims; None where there are none, they are not ours, or their time is over."""
        return self.opened(cookies.get(self.name, ""), now)

    def sealed(self, claims: Mapping[str, Any], now: datetime) -> str:
        """The same as text for a form."""
        return jwt.encode({**claims, "exp": now + self.lifetime}, self.key, ALGORITHM)

    def opened(self, value: str, now: datetime) -> Mapping[str, Any] | None:
        if not value or len(value) > LONGEST:
            return None
        try:
            # The time is this service's own, as everywhere, and not the library's.
            claims: dict[str, Any] = jwt.decode(
                value, self.key, [ALGORITHM], options={"require": ["exp"], "verify_exp": False}
            )
        except jwt.InvalidTokenError:
            return None
        return claims if claims["exp"] > now.timestamp() else None

    def remove(self, response: Response) -> None:
        response.delete_cookie(self.name, secure=self.secure, httponly=True, samesite="lax")
