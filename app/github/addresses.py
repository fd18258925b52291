"""Addresses on GitHub: how they are built, and which of those that an answer names may be followed."""

from __future__ import annotations

from urllib.parse import quote, unquote, urljoin, urlsplit

from app.github.errors import NotFound

_DEFAULT_PORTS = {"https": ":443", "http": ":80"}


def route(template: str, **parts: str | int) -> str:
    """A path with its parts quoted; only parts named `path` or `ref` may hold slashes.

    Raises NotFound for a part that would lead elsewhere, such as `..`; nothing on GitHub has such a name.
    """
    return template.format(**{name: _quoted(template, name, str(value)) for name, value in parts.items()})


def _quoted(template: str, name: str, value: str) -> str:
    free = name in ("path", "ref")
    segments = value.split("/") if free else [value]
    if any(segment in ("", ".", "..") for segment in segments) or not _is_text(value):
        raise NotFound(template, f"{value[:80]!r} is no name that GitHub could know")
    return quote(value, safe="/" if free else "")


def _is_text(value: str) -> bool:
    """Names in git are bytes; those that are not UTF-8 arrive as lone surrogates and cannot be asked for."""
    return not any("\ud800" <= character <= "\udfff" for character in value)


def repository_of(path: str) -> str | None:
    """The repository that a path is about, by name; a token for it needs no other one."""
    parts = path.split("/", 4)
    return unquote(parts[3]) if len(parts) > 3 and parts[1] == "repos" else None


def origin(url: str) -> tuple[str, str]:
    """Scheme and host with port: a credential never leaves this pair. An address that is none has empty ones."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme, ""))


def graphql_url(api_url: str) -> str:
    """Enterprise Server has REST under /api/v3 and GraphQL beside it under /api/graphql."""
    base = api_url.rstrip("/")
    return base.removesuffix("/v3") + "/graphql" if base.endswith("/api/v3") else base + "/graphql"


def redirect_target(url: str, location: str) -> str | None:
    """Where a redirect of `url` leads; None when it drops encryption, carries a login, or is no web address."""
    try:
        target = urljoin(url, location)
    except ValueError:
        return None
    scheme, host = origin(target)
    if scheme not in ("https", origin(url)[0]) or not host or "@" in host:
        return None
    return target if location else None


def next_page(link: str) -> str | None:
    """The address with rel="next" in a Link header (RFC 8288), as GitHub writes it."""
    for part in link.split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation and address.strip().startswith("<"):
            return address.strip()[1:].partition(">")[0]
    return None
