"""Webhooks as an independent receiver sees them, over a real socket; and the deliveries API.

Headers and limits: https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import jwt
import pytest
import uvicorn
from githubkit_schemas.v2026_03_10 import models

from tests.github import webhooks
from tests.github.server import QuietServer, SimulatedGitHub
from tests.github.state import App
from tests.simulator.shop import client, pull, shop, valid

pytestmark = pytest.mark.anyio
SECRET = "It's a Secret to Everybody"
EVENTS = ["push", "pull_request", "issue_comment", "pull_request_review"]


@dataclass
class Receiver:
    """A bare ASGI application that writes down what is posted to it; nothing of the simulator is in it."""

    status: int = 202
    delay: float = 0.0
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message.get("more_body", False)
        self.got.append(({k.decode(): v.decode() for k, v in scope["headers"]}, body))
        await asyncio.sleep(self.delay)
        await send({"type": "http.response.start", "status": self.status, "headers": [(b"x-here", b"yes")]})
        await send({"type": "http.response.body", "body": b"seen"})

    def events(self) -> list[str]:
        return [headers["x-github-event"] for headers, _ in self.got]


@dataclass
class Hooked:
    hub: SimulatedGitHub
    receiver: Receiver
    app: App
    key: str

    def api(self) -> httpx.AsyncClient:
        now = int(time.time())
        return client(self.hub, jwt.encode({"iat": now, "exp": now + 60, "iss": str(self.app.id)}, self.key, "RS256"))


@pytest.fixture
async def receiver() -> AsyncIterator[tuple[Receiver, str]]:
    receiving = Receiver()
    server = QuietServer(uvicorn.Config(receiving, port=0, log_config=None, lifespan="off"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn offers but a flag
        await asyncio.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield receiving, f"http://127.0.0.1:{port}/webhooks"
    server.should_exit = True
    await serving


@pytest.fixture
async def hooked(hub: SimulatedGitHub, receiver: tuple[Receiver, str]) -> Hooked:
    await shop(hub)
    app, key = hub.register_app("gate", {"pull_requests": "write"}, EVENTS, receiver[1], SECRET)
    hub.install(app, "acme")
    return Hooked(hub, receiver[0], app, key)


async def test_headers_and_signatures(hooked: Hooked) -> None:
    await hooked.hub.push("acme/shop", "work", {"a": "b"})
    await hooked.hub.settle()
    [(headers, body)] = hooked.receiver.got
    for name, algorithm in (("x-hub-signature", hashlib.sha1), ("x-hub-signature-256", hashlib.sha256)):
        kind, _, signature = headers[name].partition("=")
        assert kind == algorithm().name
        assert hmac.compare_digest(signature, hmac.new(SECRET.encode(), body, algorithm).hexdigest())
    assert headers["x-github-event"] == "push"
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", headers["x-github-delivery"])
    assert headers["x-github-hook-id"] == str(hooked.app.hook_id)
    assert headers["x-github-hook-installation-target-id"] == str(hooked.app.id)
    assert headers["x-github-hook-installation-target-type"] == "integration"
    assert headers["user-agent"].startswith("GitHub-Hookshot/")
    assert (headers["accept"], headers["content-type"]) == ("*/*", "application/json")
    payload = json.loads(body)
    assert (payload["ref"], payload["created"], payload["pusher"]["name"]) == ("refs/heads/work", True, "ada")
    assert payload["installation"]["id"] in hooked.hub.world.installations


async def test_without_a_secret_nothing_is_signed(hooked: Hooked) -> None:
    hooked.app.webhook_secret = None
    await hooked.hub.push("acme/shop", "work", {"a": "b"})
    await hooked.hub.settle()
    [(headers, _)] = hooked.receiver.got
    assert not [name for name in headers if name.startswith("x-hub-signature")]


async def test_the_story_of_a_pull_request(hooked: Hooked) -> None:
    hub = hooked.hub
    change = await pull(hub, hub.repo("acme/shop"))
    await hub.push("acme/shop", "change", {"more": "x"})
    await hub.comment("acme/shop", change.number, "bob", "Nice")
    await hub.review("acme/shop", change.number, "bob")
    await hub.edit_pull("acme/shop", change.number, "ada", body="Longer")
    await hub.close_pull("acme/shop", change.number, "ada")
    await hub.settle()
    payloads = [json.loads(body) for _, body in hooked.receiver.got]
    told = [(event, p.get("action")) for event, p in zip(hooked.receiver.events(), payloads, strict=True)]
    assert told == [
        ("push", None),
        ("pull_request", "opened"),
        ("push", None),
        ("pull_request", "synchronize"),
        ("issue_comment", "created"),
        ("pull_request_review", "submitted"),
        ("pull_request", "edited"),
        ("pull_request", "closed"),
    ]
    assert payloads[3]["before"] == payloads[1]["pull_request"]["head"]["sha"]
    assert payloads[3]["after"] == payloads[3]["pull_request"]["head"]["sha"] == change.head_sha
    assert payloads[5]["review"]["state"] == "approved"
    assert payloads[6]["changes"] == {"body": {"from": ""}}
    assert (payloads[7]["pull_request"]["merged"], payloads[7]["sender"]["login"]) == (False, "ada")


async def test_only_subscribed_events_of_installed_repositories(hooked: Hooked) -> None:
    hub = hooked.hub
    await hub.open_issue("acme/shop", "An issue", None, "bob")  # `issues` is not subscribed to
    await hub.repository("other/place", {"a": "b"})
    await hub.push("other/place", "work", {"a": "c"})
    [installation] = hub.world.installations.values()
    installation.suspended = True
    await hub.push("acme/shop", "work", {"a": "b"})
    await hub.settle()
    assert hooked.receiver.got == []
    await hub.announce_installation(installation, "suspend", "ada")
    await hub.settle()
    assert hooked.receiver.events() == ["installation"]


async def test_two_apps_get_the_same_guid(hooked: Hooked) -> None:
    other, _ = hooked.hub.register_app("second", {}, ["push"], hooked.app.webhook_url, "another")
    hooked.hub.install(other, "acme")
    await hooked.hub.push("acme/shop", "work", {"a": "b"})
    await hooked.hub.settle()
    guids = {headers["x-github-delivery"] for headers, _ in hooked.receiver.got}
    hooks = {headers["x-github-hook-id"] for headers, _ in hooked.receiver.got}
    assert (len(hooked.receiver.got), len(guids), len(hooks)) == (2, 1, 2)


async def test_an_app_hears_of_its_own_doing(hooked: Hooked) -> None:
    hub = hooked.hub
    change = await pull(hub, hub.repo("acme/shop"))
    await hub.comment("acme/shop", change.number, "gate[bot]", "Hello")
    await hub.settle()
    payload = json.loads(hooked.receiver.got[-1][1])
    assert (payload["sender"]["type"], payload["comment"]["performed_via_github_app"]["id"]) == ("Bot", hooked.app.id)


async def test_lost_repeated_and_reordered(hooked: Hooked) -> None:
    hub, switches = hooked.hub, hooked.hub.world.switches
    switches.lose_deliveries = True
    await hub.push("acme/shop", "lost", {"a": "b"})
    await hub.settle()
    assert hooked.receiver.got == []
    switches.lose_deliveries, switches.repeat_deliveries = False, True
    await hub.push("acme/shop", "twice", {"a": "b"})
    await hub.settle()
    assert hooked.receiver.events() == ["push", "push"]
    assert len({headers["x-github-delivery"] for headers, _ in hooked.receiver.got}) == 1
    switches.repeat_deliveries, switches.reorder_deliveries = False, True
    hooked.receiver.got.clear()
    await pull(hub, hub.repo("acme/shop"))
    await hub.settle()
    assert hooked.receiver.events() == ["pull_request", "push"]
    switches.reorder_deliveries, switches.deliveries_at_once = False, 3
    hooked.receiver.got.clear()
    await hub.push("acme/shop", "more", {"a": "c"})
    await hub.push("acme/shop", "most", {"a": "d"})
    await hub.settle()
    assert sorted(json.loads(raw)["ref"] for _, raw in hooked.receiver.got) == ["refs/heads/more", "refs/heads/most"]


async def test_deliveries_and_redelivery(hooked: Hooked) -> None:
    hub = hooked.hub
    hooked.receiver.status = 500
    await hub.push("acme/shop", "work", {"a": "b"})
    await hub.settle()
    hooked.receiver.status = 202
    await pull(hub, hub.repo("acme/shop"))
    await hub.settle()
    async with hooked.api() as api:
        listed = valid(list[models.HookDeliveryItem], (await api.get("/app/hook/deliveries")).json())
        assert [(d["event"], d["status_code"]) for d in listed] == [("pull_request", 202), ("push", 202), ("push", 500)]
        assert listed[0]["id"] > 2**53
        [failed] = (await api.get("/app/hook/deliveries?status=failure")).json()
        one = valid(models.HookDelivery, (await api.get(f"/app/hook/deliveries/{failed['id']}")).json())
        assert one["request"]["headers"]["X-GitHub-Delivery"] == failed["guid"]
        assert one["request"]["payload"]["ref"] == "refs/heads/work"
        assert (one["response"]["payload"], one["response"]["headers"]["x-here"]) == ("seen", "yes")
        hooked.receiver.got.clear()
        again = await api.post(f"/app/hook/deliveries/{failed['id']}/attempts")
        assert again.status_code == 202
        await hub.settle()
        [(headers, _)] = hooked.receiver.got
        assert headers["x-github-delivery"] == failed["guid"]
        newest = (await api.get("/app/hook/deliveries?per_page=1")).json()[0]
    assert (newest["guid"], newest["redelivery"], newest["status"]) == (failed["guid"], True, "OK")
    assert newest["id"] != failed["id"]


async def test_deliveries_are_paged_by_cursor_and_kept_three_days(hooked: Hooked) -> None:
    for n in range(5):
        await hooked.hub.push("acme/shop", f"work{n}", {"a": "b"})
    await hooked.hub.settle()
    async with hooked.api() as api:
        seen, url = [], "/app/hook/deliveries?per_page=2"
        while url:
            page = await api.get(url)
            seen += [d["id"] for d in page.json()]
            url = page.links.get("next", {}).get("url", "")
        assert len(seen) == 5
        assert seen == sorted(seen, reverse=True)
    hooked.hub.world.clock_offset = timedelta(days=4)
    hooked.hub.world.deliveries[0].delivered_at += timedelta(days=4)
    now = int(time.time() + 4 * 86400)
    assertion = jwt.encode({"iat": now, "exp": now + 60, "iss": str(hooked.app.id)}, hooked.key, "RS256")
    async with client(hooked.hub, assertion) as api:
        assert len((await api.get("/app/hook/deliveries")).json()) == 1


async def test_a_receiver_that_is_away_or_slow(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never tried again by itself."""
    monkeypatch.setattr(webhooks, "SECONDS_TO_ANSWER", 0.2)
    address, hooked.app.webhook_url = hooked.app.webhook_url, "http://127.0.0.1:9/nobody"
    await hooked.hub.push("acme/shop", "one", {"a": "b"})
    await hooked.hub.settle()
    hooked.app.webhook_url, hooked.receiver.delay = address, 0.5
    await hooked.hub.push("acme/shop", "two", {"a": "b"})
    await hooked.hub.settle()
    assert [(d.status, d.status_code) for d in hooked.hub.world.deliveries] == [
        ("failed to connect to host", 0),
        ("timed out", 0),
    ]
    assert len(hooked.receiver.got) == 1
