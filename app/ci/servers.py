"""The CI servers that the gate may ask, from its settings: addresses, credentials, hosts of pages and of outputs."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.secret import SecretStr
from checks.other_ci_log import System

LOOPBACK = ("127.0.0.1", "::1", "localhost")
# Where circleci.com keeps the output of steps, by the answers of its own API.
CIRCLECI_OUTPUTS = ("circle-production-action-output.s3.amazonaws.com",)


@dataclass(frozen=True)
class CiServer:
    """`api` is the base address. The header (name, value) that names us is sent to it and nowhere else.

    `pages` are hosts that a check run's link may have. `outputs` are hosts that outputs are fetched from as well.
    """

    system: System
    api: str
    header: str
    credential: SecretStr
    pages: frozenset[str]
    outputs: frozenset[str] = frozenset()


def ci_servers(setting: Callable[[str], str | None]) -> tuple[CiServer, ...]:
    """`setting` gives a variable's value without its prefix. Raises ValueError that names the variable."""
    found = (_buildkite(setting), _circleci(setting), _jenkins(setting))
    return tuple(server for server in found if server is not None)


def _buildkite(setting: Callable[[str], str | None]) -> CiServer | None:
    token = setting("BUILDKITE_TOKEN")
    if token is None:
        return None
    api = _address("BUILDKITE_URL", setting("BUILDKITE_URL") or "https://api.buildkite.com")
    return CiServer("buildkite", api, "Authorization", SecretStr(f"Bearer {token}"), frozenset({"buildkite.com"}))


def _circleci(setting: Callable[[str], str | None]) -> CiServer | None:
    token = setting("CIRCLECI_TOKEN")
    if token is None:
        return None
    api = _address("CIRCLECI_URL", setting("CIRCLECI_URL") or "https://circleci.com")
    host = urlsplit(api).hostname or ""
    outputs = (setting("CIRCLECI_OUTPUTS") or " ".join(CIRCLECI_OUTPUTS)).replace(",", " ").split()
    pages = frozenset({host, f"app.{host}"})
    return CiServer("circleci", api, "Circle-Token", SecretStr(token), pages, frozenset(outputs))


def _jenkins(setting: Callable[[str], str | None]) -> CiServer | None:
    names = ("JENKINS_URL", "JENKINS_USER", "JENKINS_TOKEN")
    url, user, token = map(setting, names)
    if url is None and user is None and token is None:
        return None
    if url is None or user is None or token is None:
        missing = next(name for name in names if setting(name) is None)
        raise ValueError(f"MERGEGATE_{missing}: missing; a Jenkins server needs {', '.join(names)}")
    api = _address("JENKINS_URL", url)
    basic = base64.b64encode(f"{user}:{token}".encode()).decode()
    pages = frozenset({urlsplit(api).hostname or ""})
    return CiServer("jenkins", api, "Authorization", SecretStr(f"Basic {basic}"), pages)


def _address(name: str, text: str) -> str:
    """Encrypted, or it would carry a credential in the clear; a server on this machine may do without."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    plain = host in LOOPBACK and parts.scheme == "http"
    if not host or port == 0 or not (plain or parts.scheme == "https"):
        raise ValueError(f"MERGEGATE_{name}: {text!r} is no address that begins with https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(f"MERGEGATE_{name}: give the address alone, without a name, a query or a fragment")
    return text.rstrip("/")
