"""The request target of an API request, read from its raw bytes.

Stricter than GitHub on purpose: a path that two readers could understand in two ways is understood by none. What is
sent to GitHub is built anew from what was read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote_to_bytes, urlencode

import re2

from app.proxy.refusal import Refusal

PATH_BYTES = 2048
QUERY_BYTES = 4096
PARAMETERS = 16
Kind = Literal["rest", "graphql"]
_SEGMENT = re2.compile(rb"[A-Za-z0-9._~@:+,=-]+")
_KEY = re2.compile(rb"[a-z][a-z_]{0,39}")
_VALUE = re2.compile(rb"(?:[A-Za-z0-9._~!$'()*+,/:@-]|%[0-9A-Fa-f]{2})*")
_PREFIXES = (("api", "v3"), ())


@dataclass(frozen=True, slots=True)
class Target:
    """`segments` are the path's below the API's base; `query` its parameters, decoded, in their order."""

    kind: Kind
    segments: tuple[str, ...]
    query: tuple[tuple[str, str], ...]


def read_target(raw_path: bytes, raw_query: bytes) -> Target | Refusal:
    """The target of `/api/v3/…`, `/api/graphql` (a server under its own name) or `/…`, `/graphql` (api.github.com)."""
    segments = _segments(raw_path)
    if isinstance(segments, Refusal):
        return segments
    query = _query(raw_query)
    if isinstance(query, Refusal):
        return query
    if segments in (("graphql",), ("api", "graphql")):
        return Target("graphql", (), query)
    below = segments[2:] if segments[:2] == _PREFIXES[0] else segments
    return Target("rest", below, query)


def _segments(raw_path: bytes) -> tuple[str, ...] | Refusal:
    if len(raw_path) > PATH_BYTES:
        return Refusal(f"The path is longer than {PATH_BYTES} bytes", "Use a shorter one")
    if not raw_path.startswith(b"/"):
        return Refusal("The request target is not a path", "Send a path that begins with a slash")
    if b"%" in raw_path:
        return Refusal("The path is percent-encoded", "Write it plainly; slashes of a branch's name stay slashes")
    if raw_path in (b"/", b"/api/v3/"):
        return tuple(raw_path.decode().strip("/").split("/")) if len(raw_path) > 1 else ()
    parts = raw_path[1:].split(b"/")
    if any(part in (b"", b".", b"..") or _SEGMENT.fullmatch(part) is None for part in parts):
        return Refusal("The path has an empty, relative or unusual segment", "Write it as GitHub's documentation does")
    return tuple(part.decode("ascii") for part in parts)


def _query(raw_query: bytes) -> tuple[tuple[str, str], ...] | Refusal:
    if not raw_query:
        return ()
    pairs = raw_query.split(b"&", PARAMETERS)
    if len(raw_query) > QUERY_BYTES or len(pairs) > PARAMETERS:
        return Refusal(f"The query is longer than {PARAMETERS} parameters or {QUERY_BYTES} bytes", "Ask for less")
    read = [_parameter(pair) for pair in pairs]
    good = tuple(one for one in read if one is not None)
    if len(good) != len(read):
        return Refusal("A parameter of the query is malformed", "Write the query as name=value&name=value, in UTF-8")
    if len({name for name, _ in good}) != len(good):
        return Refusal("A parameter is given twice", "Give every parameter once")
    return good


def _parameter(pair: bytes) -> tuple[str, str] | None:
    name, equals, value = pair.partition(b"=")
    if not equals or _KEY.fullmatch(name) is None or _VALUE.fullmatch(value) is None:
        return None
    try:
        text = unquote_to_bytes(value.replace(b"+", b" ")).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return (name.decode("ascii"), text) if text.isprintable() else None


def written(segments: tuple[str, ...], query: tuple[tuple[str, str], ...]) -> str:
    """Path and query as they go to GitHub. Slashes within a segment are a branch's and stay."""
    path = "".join("/" + quote(segment, safe="/") for segment in segments)
    return path + ("?" + urlencode(query, quote_via=quote, safe="") if query else "")
