"""Forms that change something: sent once from a page of our own, by the person whose page it was."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

from fastapi import Request
from starlette.requests import ClientDisconnect

from app.web.cookies import Cookie
from app.web.sign_in import Person, UserAuthorization

LIFETIME = timedelta(hours=12)
LONGEST = 32 * 1024  # bytes of a form
MOST_FIELDS = 10
DEFAULT_PORTS = {"https": 443, "http": 80}
SECONDS = 20.0  # until all of it is there


class NotOurs(ValueError):
    """The form was not sent from a page that this person has open."""


@dataclass(frozen=True, slots=True)
class Forms:
    """`origin` is that of our own pages. A form's token is a signed claim of whose page it is on, and of which one."""

    origin: str
    seal: Cookie
    now: Callable[[], datetime]

    @classmethod
    def of(cls, authorization: UserAuthorization, now: Callable[[], datetime]) -> Forms:
        seal = Cookie("mergegate-form", LIFETIME, authorization.client_secrets, authorization.secure)
        return cls(origin_of(authorization.public_url), seal, now)

    def token(self, person: Person) -> str:
        """For all forms of one page."""
        return self.seal.sealed({"sub": str(person.id), "once": secrets.token_urlsafe(16)}, self.now())

    def page_of(self, request: Request, person: Person, fields: Mapping[str, str]) -> str:
        """What tells the page from every other one. Raises NotOurs.

        A browser sends the origin with every form, and none but our own pages' is taken (RFC 6454, 7.3).
        """
        if request.headers.get("origin") != self.origin:
            raise NotOurs
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise NotOurs
        claims = self.seal.opened(fields.get("token", ""), self.now())
        if claims is None or claims.get("sub") != str(person.id):
            raise NotOurs
        return str(claims["once"])


def origin_of(url: str) -> str:
    """As a browser writes it in `Origin`: small letters, and no port that is the scheme's own (RFC 6454, 6.2)."""
    parts = urlsplit(url)
    port = None if parts.port == DEFAULT_PORTS.get(parts.scheme) else parts.port
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port is None else f":{port}")


async def read_form(request: Request, seconds: float = SECONDS) -> dict[str, str]:
    """The fields of a form as browsers send it. Raises NotOurs for anything else, for too much of it, and for one that
    does not come to its end."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise NotOurs
    try:
        async with asyncio.timeout(seconds):
            body = await _body(request)
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"))
    except (ValueError, TimeoutError, ClientDisconnect):
        raise NotOurs from None


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST:
            raise NotOurs
    return bytes(body)
