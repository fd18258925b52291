"""Asking the agents' API from an agent's machine, with the standard library alone, so that it starts quickly.

Neither a proxy of the environment nor a redirect is followed: the token goes to the address that was given.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.errors import ActionableError
from app.secret import SecretStr

PROXY = "MERGEGATE_PROXY"
LARGEST = 1024 * 1024  # bytes of an answer
SECONDS = 15.0  # beyond what the request itself may wait
LONGEST_WAIT = 30  # seconds, as the API takes them
ENDED = 401  # the status of a session that has ended


class CannotAsk(ActionableError):
    """The API gave no answer that can be used; the message says what to look at."""


class Refused(ActionableError):
    """The API said no, in its own words; `ended` where nothing of this session will be taken any more."""

    def __init__(self, status: int, message: str, fix: str) -> None:
        super().__init__(f"{message} {fix}".strip())
        self.ended = status == ENDED


@dataclass(frozen=True, slots=True)
class Said:
    """An answer that is no refusal. `value` is None where nothing changed (304)."""

    value: Any
    etag: str | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """One request. `body` is JSON, `text` a body as it is; `wait` is seconds."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    text: bytes | None = None
    wait: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Api:
    """`address` is the proxy's, `https://host[:port]`; `ca` a PEM file with the authority of its certificate."""

    address: str
    token: SecretStr
    ca: Path | None = None

    def ask(self, asking: Asking) -> Said:
        """Raises Refused and CannotAsk."""
        try:
            status, headers, raw = self._exchanged(asking)
        except (OSError, http.client.HTTPException) as wrong:
            raise CannotAsk(
                f"the proxy at {self.address} cannot be asked ({type(wrong).__name__}); check {PROXY}, the network to "
                "it, and --ca for its certificate"
            ) from wrong
        if status == http.client.NOT_MODIFIED:
            return Said(None, headers.get("etag"))
        value = _value(raw)
        if status // 100 == 2 and value is not None:
            return Said(value, headers.get("etag"))
        raise _no(status, value, self.address)

    def _exchanged(self, asking: Asking) -> tuple[int, Mapping[str, str], bytes]:
        connection = self._connection(asking.wait + SECONDS)
        headers = {"Authorization": f"Bearer {self.token.get_secret_value()}", "Accept": "application/json"}
        raw = asking.text
        if asking.body is not None:
            raw = json.dumps(asking.body).encode()
        if raw is not None:
            headers["Content-Type"] = "application/json" if asking.body is not None else "text/plain"
        target = asking.path + (f"?wait={asking.wait}" if asking.wait else "")
        try:
            connection.request(asking.method, target, raw, {**headers, **asking.headers})
            answer = connection.getresponse()
            whole = answer.read(LARGEST + 1)
        finally:
            connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, whole

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        parts = urlsplit(self.address)
        host, port = parts.hostname or "", parts.port
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=None if self.ca is None else str(self.ca))
            return http.client.HTTPSConnection(host, port, timeout=seconds, context=context)
        return http.client.HTTPConnection(host, port, timeout=seconds)


def checked_address(given: str | None) -> str:
    """The proxy's address without a slash at its end. Raises CannotAsk."""
    address = (given or "").rstrip("/")
    try:
        parts = urlsplit(address)
        usable = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.path and parts.username is None
        )
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise CannotAsk(f"{PROXY} is no address; set it, or give --proxy https://HOST[:PORT]")
    return address


def read_secret(name: str) -> SecretStr:
    """A token from the variable of that name, or from the file that `NAME_FILE` names. Raises CannotAsk.

    No argument of the command line, because everybody on the machine sees those.
    """
    path, text = os.environ.get(f"{name}_FILE", ""), os.environ.get(name, "")
    try:
        text = text or (Path(path).read_text(encoding="ascii") if path else "")
    except (OSError, UnicodeError) as wrong:
        raise CannotAsk(f"{name}_FILE: {path} cannot be read ({type(wrong).__name__}); name a file with it") from wrong
    token = text.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise CannotAsk(f"there is no token; put it into {name}, or name a file with it in {name}_FILE")
    return SecretStr(token)


def _value(raw: bytes) -> Any:
    if len(raw) > LARGEST:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _no(status: int, value: Any, address: str) -> ActionableError:
    if not isinstance(value, dict) or not isinstance(value.get("message"), str):
        return CannotAsk(f"what answers at {address} is no proxy of Mergegate ({status}); check {PROXY}")
    if status >= http.client.INTERNAL_SERVER_ERROR or status == http.client.TOO_MANY_REQUESTS:
        return CannotAsk(f"not now ({status}): {value['message']} {value.get('fix', '')}".strip())
    return Refused(status, value["message"], str(value.get("fix", "")))
