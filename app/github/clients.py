"""One App on one server: a client for each installation, and one for the App itself."""

from __future__ import annotations

import ssl
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import httpx

from app.github import installations
from app.github.client import GitHubClient, Settings
from app.github.identity import AppIdentity
from app.github.wire import transport

APP_PATIENCE = 60.0  # seconds that a write of the App itself may wait for its moment
LOGIN_HOLDS = 3600.0  # seconds; whoever owns the App may rename it
Connect = Callable[[], httpx.AsyncBaseTransport]


class GitHubApp:
    """The clients of one App. `app` speaks as the App itself (installations, deliveries).

    `verify` is the TLS context for a server with its own authority, `proxy` the address of an HTTP proxy on the way;
    `connect` replaces the connections altogether, for a server in the same process.
    """

    def __init__(
        self,
        identity: AppIdentity,
        *,
        settings: Settings | None = None,
        verify: ssl.SSLContext | None = None,
        proxy: str | None = None,
        connect: Connect | None = None,
    ) -> None:
        self.identity = identity
        self._settings = settings or Settings()
        self._connect: Connect = connect or (lambda: transport(verify, proxy))
        self._clients: dict[int, GitHubClient] = {}
        self._login: str | None = None
        self._login_until = 0.0  # of the clock
        self.app = self._new(None)

    def installation(self, installation_id: int) -> GitHubClient:
        """The client of an installation; the same one every time, because budgets and answers are kept in it."""
        if installation_id not in self._clients:
            self._clients[installation_id] = self._new(installation_id)
        return self._clients[installation_id]

    async def login(self) -> str:
        """How GitHub names the actor of what this App does; asked each hour. Raises GitHub's errors."""
        now = self._settings.clock()
        if self._login is None or now >= self._login_until:
            self._login = f"{(await installations.this_app(self.app)).slug}[bot]"
            self._login_until = now + LOGIN_HOLDS
        return self._login

    @property
    def counts(self) -> Counter[str]:
        """Requests sent since the start for all installations and the App itself, by purpose."""
        return sum((client.counts for client in (self.app, *self._clients.values())), Counter())

    def clients(self) -> list[tuple[int | None, GitHubClient]]:
        """The clients that were used so far, by installation; None for the App's own."""
        return [(None, self.app), *self._clients.items()]

    async def forget(self, installation_id: int) -> None:
        """The installation was removed: close its connections and drop its tokens and answers."""
        client = self._clients.pop(installation_id, None)
        if client is not None:
            await client.aclose()

    async def aclose(self) -> None:
        for client in (self.app, *self._clients.values()):
            await client.aclose()

    def _new(self, installation_id: int | None) -> GitHubClient:
        settings = self._settings
        if installation_id is None:
            # What the App itself writes are redeliveries, which nobody waits for.
            settings = replace(settings, writes=replace(settings.writes, patience=APP_PATIENCE))
        return GitHubClient(self.identity, installation_id, inner=self._connect(), settings=settings)
