"""The listening side: uvicorn with the strict parser, and limits on what a connection may do before it is known.

uvicorn bounds neither the size of headers nor the time that they take, nor how many connections stand idle. Bodies and
answers have their limits where they are read and sent.
"""

from __future__ import annotations

import asyncio
import ipaddress
import resource
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.config import Misconfigured
from app.proxy.certificate import Certificate
from app.web.server import Server

HEADER_SECONDS = 10.0
HEADER_BYTES = 64 * 1024
MOST_CONNECTIONS = 1000
MOST_FILES = 65_536  # open at once: connections here and to GitHub, and those that have not got so far
KEEP_ALIVE = 15  # seconds between requests of a connection
DRAIN = 30  # seconds for requests under way when the process ends


class GuardedProtocol(HttpToolsProtocol):
    """One connection. It is closed when its headers are too long or too slow.

    When there are too many, the one that has been without a request for longest makes room; one that is being answered
    is never closed for another.
    """

    header_seconds = HEADER_SECONDS
    header_bytes = HEADER_BYTES
    most_connections = MOST_CONNECTIONS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._in_headers = True
        self._header_size = 0
        self._begun = 0  # requests
        self._between = False  # behind a whole request
        self._late: asyncio.TimerHandle | None = None
        self.idle_since = 0.0  # of the loop's clock

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.idle_since = self.loop.time()
        if len(self.connections) > self.most_connections and not self._make_room():
            transport.abort()
            return
        self._await_headers()

    def _make_room(self) -> bool:
        others = (one for one in self.connections if isinstance(one, GuardedProtocol) and one is not self)
        idle = [one for one in others if one.is_idle]
        if not idle:
            return False
        min(idle, key=lambda one: one.idle_since).transport.abort()
        return True

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is being answered. Headers that have not come yet are none."""
        return not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete)

    def on_response_complete(self) -> None:
        self.idle_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_headers:
            self._header_size += len(data)
        begun = self._begun if self._between else None
        super().data_received(data)
        if begun == self._begun and not self._in_headers and self.is_idle:
            # Empty lines, which the parser passes over: they have ended the wait for a next request.
            self._in_headers, self._header_size = True, len(data)
        if not self._in_headers:
            return
        if self._late is None:  # of most requests all headers come at once, and no clock is needed
            self._await_headers()
        if self._header_size > self.header_bytes:
            self._refuse("The headers are too long.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begun, self._between = self._begun + 1, False
        if not self._in_headers:
            self._in_headers, self._header_size = True, 0

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_headers:
            # A trailer: nothing here has a use for one, and a later reader could take it for a header.
            self._refuse("There are headers behind the body.")
            return
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._stop_clock()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._between = True
        super().on_message_complete()

    def _await_headers(self) -> None:
        self._in_headers = True
        self._stop_clock()
        self._late = self.loop.call_later(self.header_seconds, self._refuse, "The headers took too long.")

    def _stop_clock(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _refuse(self, because: str) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self.send_400_response(because)
        else:
            self.transport.abort()


@dataclass(frozen=True, slots=True)
class Address:
    """Where the proxy listens. `certificate` and `key` are PEM files, or both None for plain HTTP."""

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    plain_beyond_loopback: bool = False

    @property
    def scheme(self) -> str:
        return "https" if self.certificate is not None else "http"

    def check(self) -> None:
        """Raises Misconfigured: session tokens must not cross a network in clear."""
        if (self.certificate is None) != (self.key is None):
            raise Misconfigured("MERGEGATE_PROXY_CERTIFICATE and MERGEGATE_PROXY_KEY: set both or none")
        if self.certificate is None and not _is_loopback(self.host) and not self.plain_beyond_loopback:
            raise Misconfigured(
                f"MERGEGATE_PROXY_HOST: {self.host} is reached over a network, and session tokens would cross it in "
                "clear. Set MERGEGATE_PROXY_CERTIFICATE and MERGEGATE_PROXY_KEY (PEM files), or, where something in "
                "front of it speaks TLS, MERGEGATE_PROXY_PLAIN=1"
            )
        for name, path in (("CERTIFICATE", self.certificate), ("KEY", self.key)):
            if path is not None and not path.is_file():
                raise Misconfigured(f"MERGEGATE_PROXY_{name}: {path} is no file")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def server(application: Any, address: Address) -> Server:
    """Raises Misconfigured. It serves when its `serve` is awaited."""
    address.check()
    config = uvicorn.Config(
        application,
        host=address.host,
        port=address.port,
        http=GuardedProtocol,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=DRAIN,
        backlog=512,
        ssl_certfile=str(address.certificate) if address.certificate else None,
        ssl_keyfile=str(address.key) if address.key else None,
        ssl_version=ssl.PROTOCOL_TLS_SERVER,
    )
    if address.certificate is not None and address.key is not None:
        _renewing(config, Certificate(address.certificate, address.key))
    return Server(config)


def _renewing(config: uvicorn.Config, certificate: Certificate) -> None:
    config.load()
    assert config.ssl is not None
    config.ssl.sni_callback = certificate.choose


def more_files() -> int:
    """Raise this process's limit of open files as far as it may, for the connections it lets in; what it then is.

    The usual 1,024 are fewer than those, and a process that can open no file serves nobody.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)


def listener(address: Address) -> socket.socket:
    """A bound socket, so that a port of 0 is known before anything is served. Raises Misconfigured."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # asyncio sends small packets at once only where a socket names its protocol; else each answer waits 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address.host, address.port))
    except OSError as wrong:
        made.close()
        raise Misconfigured(
            f"MERGEGATE_PROXY_PORT: cannot listen on {address.host}:{address.port} ({wrong})"
        ) from wrong
    return made


def unix_listener(path: Path) -> socket.socket:
    """A bound unix socket, in place of one that a process left behind. Raises Misconfigured.

    Whoever may reach it needs a session's token all the same; its folder says who may reach it.
    """
    made = socket.socket(socket.AF_UNIX)
    try:
        _remove_stale(path)
        made.bind(str(path))
        path.chmod(0o666)
    except OSError as wrong:
        made.close()
        raise Misconfigured(f"MERGEGATE_PROXY_SOCKET: cannot listen on {path} ({wrong})") from wrong
    return made


def _remove_stale(path: Path) -> None:
    """Raises OSError where something listens, or where it is no socket."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX) as asking:
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
