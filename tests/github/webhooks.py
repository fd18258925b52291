"""Webhook deliveries to Apps: who gets what, signing, sending, and the switches that lose, repeat and reorder.

https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers. GitHub waits ten seconds for an answer
and never tries again by itself; a redelivery keeps the GUID.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx

from tests.github import payloads_repositories
from tests.github.auth import installation_for
from tests.github.events import DomainEvent
from tests.github.payloads import Message, messages_for
from tests.github.state import App, Delivery, Installation

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

SECONDS_TO_ANSWER = 10.0
LARGEST_PAYLOAD = 25 * 1024 * 1024  # bytes; a larger event is not delivered at all
QUIET_SECONDS = 0.25  # deliveries that are to be reordered wait until none has come for so long
RESPONSE_KEPT = 65536
ALWAYS_SENT = ("installation", "installation_repositories", "github_app_authorization", "ping")
USER_AGENT = "GitHub-Hookshot/5f2a9c1"

assert payloads_repositories  # registers its builders


class Webhooks:
    """The outgoing side of every App's hook."""

    def __init__(self, github: SimulatedGitHub) -> None:
        self.github = github
        self.transport: httpx.AsyncBaseTransport | None = None  # to be set before the first delivery
        self._client: httpx.AsyncClient | None = None
        self._queues: dict[int, list[Delivery]] = {}
        self._sending: set[int] = set()

    async def listen(self, event: DomainEvent) -> None:
        for message in await messages_for(self.github, event):
            self.send(message)

    def send(self, message: Message) -> None:
        """Queues one delivery for every App that is to get it; all have the same GUID, as GitHub gives them."""
        guid = str(uuid.uuid4())
        for app, installation in list(self._receivers(message)):
            delivery = self._delivery(guid, app, installation, message)
            if delivery is not None:
                self.queue(delivery)

    def _receivers(self, message: Message) -> Iterator[tuple[App, Installation]]:
        for app in self.github.world.apps.values():
            installation = self._installation(app, message)
            if installation is None or not app.webhook_url:
                continue
            if message.only_app is not None and message.only_app != app.id:
                continue
            if message.event in ALWAYS_SENT or message.event in installation.events:
                yield app, installation

    def _installation(self, app: App, message: Message) -> Installation | None:
        world = self.github.world
        if message.installation_id is not None:
            found = world.installations.get(message.installation_id)
            return found if found and found.app_id == app.id else None
        if message.repository is not None:
            found = installation_for(world, app.id, message.repository)
        else:
            found = next(
                (i for i in world.installations.values() if (i.app_id, i.account) == (app.id, message.organization)),
                None,
            )
        return None if found is None or found.suspended else found

    def _delivery(self, guid: str, app: App, installation: Installation, message: Message) -> Delivery | None:
        body = dict(message.body)
        body.setdefault("installation", simple_installation(installation))
        payload = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        if len(payload) > LARGEST_PAYLOAD:
            return None
        world = self.github.world
        return Delivery(
            id=world.new_delivery_id(),
            guid=guid,
            app_id=app.id,
            event=message.event,
            action=message.action,
            payload=payload,
            installation_id=installation.id,
            repository_id=message.repository.id if message.repository else None,
            delivered_at=world.now(),
        )

    def redeliver(self, delivery: Delivery) -> Delivery:
        """A new attempt with the same GUID and body."""
        world = self.github.world
        again = Delivery(
            id=world.new_delivery_id(),
            guid=delivery.guid,
            app_id=delivery.app_id,
            event=delivery.event,
            action=delivery.action,
            payload=delivery.payload,
            installation_id=delivery.installation_id,
            repository_id=delivery.repository_id,
            delivered_at=world.now(),
            redelivery=True,
        )
        self.queue(again)
        return again

    def queue(self, delivery: Delivery) -> None:
        world = self.github.world
        world.deliveries.append(delivery)
        for observe in self.github.delivery_observers:
            observe(delivery)
        if world.switches.lose_deliveries:
            delivery.status = "LOST"
            return
        self._queues.setdefault(delivery.app_id, []).append(delivery)
        if delivery.app_id not in self._sending:
            self._sending.add(delivery.app_id)
            self.github.spawn(self._drain(delivery.app_id))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
        self._client = None

    def _sender(self) -> httpx.AsyncClient:
        """One for all deliveries: making one costs some twenty milliseconds."""
        if self._client is None:
            self._client = httpx.AsyncClient(transport=self.transport, trust_env=False)
        return self._client

    async def _drain(self, app_id: int) -> None:
        """Sends an App's queue until it is empty, in order where one is sent at a time."""
        queue = self._queues[app_id]
        try:
            while queue:
                await self._send_batch(self._sender(), queue)
        finally:
            self._sending.discard(app_id)

    async def _send_batch(self, client: httpx.AsyncClient, queue: list[Delivery]) -> None:
        switches = self.github.world.switches
        if switches.reorder_deliveries:
            await _until_quiet(queue)
        batch = list(reversed(queue)) if switches.reorder_deliveries else list(queue)
        queue.clear()
        attempts = (delivery for delivery in batch for _ in range(2 if switches.repeat_deliveries else 1))
        await asyncio.gather(*[self._post_each(client, attempts) for _ in range(switches.deliveries_at_once)])

    async def _post_each(self, client: httpx.AsyncClient, deliveries: Iterator[Delivery]) -> None:
        for delivery in deliveries:
            await self._post(client, delivery)

    async def _post(self, client: httpx.AsyncClient, delivery: Delivery) -> None:
        app = self.github.world.apps[delivery.app_id]
        delivery.request_headers = headers(app, delivery)
        started = time.monotonic()
        try:
            url = app.webhook_url or ""
            sent = delivery.request_headers
            response = await client.post(url, content=delivery.payload, headers=sent, timeout=SECONDS_TO_ANSWER)
        except httpx.TimeoutException:
            delivery.status, delivery.status_code = "timed out", 0
        except httpx.HTTPError:
            delivery.status, delivery.status_code = "failed to connect to host", 0
        else:
            delivery.status = "OK" if response.is_success else f"Invalid HTTP Response: {response.status_code}"
            delivery.status_code = response.status_code
            delivery.response_headers = dict(response.headers)
            delivery.response_body = response.text[:RESPONSE_KEPT]
        delivery.duration = time.monotonic() - started


def simple_installation(record: Installation) -> dict[str, Any]:
    """Installations still have node ids of the old form."""
    return {"id": record.id, "node_id": base64.b64encode(f"023:IntegrationInstallation{record.id}".encode()).decode()}


async def _until_quiet(queue: list[Delivery]) -> None:
    seen = 0
    while len(queue) > seen:
        seen = len(queue)
        await asyncio.sleep(QUIET_SECONDS)


def headers(app: App, delivery: Delivery) -> dict[str, str]:
    """The delivery headers; signatures only when the App has a secret, over the bytes of the body."""
    found = {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-ID": str(app.hook_id),
        "X-GitHub-Hook-Installation-Target-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
    }
    if app.webhook_secret:
        secret = app.webhook_secret.encode()
        found["X-Hub-Signature"] = "sha1=" + hmac.new(secret, delivery.payload, hashlib.sha1).hexdigest()
        found["X-Hub-Signature-256"] = "sha256=" + hmac.new(secret, delivery.payload, hashlib.sha256).hexdigest()
    return found


def attach(github: SimulatedGitHub) -> None:
    github.listeners.insert(0, github.webhooks.listen)
