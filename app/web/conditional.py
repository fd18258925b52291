"""Answers with an entity tag: whoever has the same already is told so (RFC 9110, 13.1.2)."""

from __future__ import annotations

import hashlib

from fastapi import Request
from fastapi.responses import Response

LONGEST = 1_000  # characters of the header that are looked at


def conditional(request: Request, response: Response) -> Response:
    """The response with its tag, or 304 and its headers alone. Only what is shown well has a tag."""
    if response.status_code != 200:
        return response
    tag = '"' + hashlib.sha256(response.body).hexdigest()[:32] + '"'
    response.headers["etag"] = tag
    if tag not in known_tags(request.headers.get("if-none-match", "")):
        return response
    kept = {name: value for name, value in response.headers.items() if name not in ("content-length", "content-type")}
    return Response(status_code=304, headers=kept)


def known_tags(header: str) -> frozenset[str]:
    """The tags of an If-None-Match, which are compared weakly. `*` is no tag: it would hide what was never seen."""
    return frozenset(part.strip().removeprefix("W/") for part in header[:LONGEST].split(","))
