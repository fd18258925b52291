"""What a proxy that runs alone shows to those who run it, and to nobody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.proxy.watched import PrivatePages
from app.store.database import DatabaseAway
from app.web.private_server import serving_privately
from tests.demo.service import free_port
from tests.proxy.scene import Scene
from tests.proxy.test_attacks_http import ADVERTISEMENT, TYPE, ask, status
from tests.proxy.test_attacks_push import PUSH
from tests.proxy.test_crowds import begun, connected, under_way

pytestmark = pytest.mark.anyio


@pytest.fixture
def town(shared_town: Scene) -> Iterator[Scene]:
    yield shared_town
    for direction in ("fetch", "push"):
        shared_town.proxy.watched.health.worked(direction)


async def got(town: Scene, path: str, *, draining: bool = False) -> httpx.Response:
    pages = PrivatePages(town.proxy.watched, lambda: draining)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=cast("Any", pages)), base_url="http://proxy"
    ) as client:
        return await client.get(path)


async def values(town: Scene) -> dict[tuple[str, tuple[str, ...]], float]:
    families = text_string_to_metric_families((await got(town, "/metrics")).text)
    return {(one.name, tuple(one.labels.values())): one.value for family in families for one in family.samples}


async def test_requests_and_what_they_were_answered(town: Scene) -> None:
    before = await values(town)
    for token, path in ((town.token, ADVERTISEMENT), (None, ADVERTISEMENT), (town.token, "/HEAD")):
        await ask(town, "GET", "/git/acme/shop.git" + path, token=token)
    await ask(town, "GET", "/session")
    async with connected(town, 2, begun(PUSH, TYPE, b"00", town.token)):
        await under_way(town, 2)
        after = await values(town)
    name = "mergegate_proxy_answers_total"
    for labels in (("git", "200"), ("git", "401"), ("git", "404"), ("api", "200")):
        assert after[name, labels] == before.get((name, labels), 0.0) + 1, labels
    assert (before["mergegate_proxy_requests_under_way", ()], after["mergegate_proxy_requests_under_way", ()]) == (0, 2)
    assert after["mergegate_proxy_sessions", ("open",)] == 1 and after["mergegate_database_up", ()] == 1
    assert after["process_resident_memory_bytes", ()] > 0
    shown = (await got(town, "/metrics")).text
    assert town.token not in shown and "acme" not in shown


async def test_trouble_with_github_is_told_and_no_reason_not_to_be_ready(town: Scene) -> None:
    watched = town.proxy.watched
    watched.health.failed("push", "GitHub answered 503")
    since = watched.health.directions["push"].failing_since
    assert since is not None
    pages = PrivatePages(watched, lambda: False, lambda: since + timedelta(seconds=90))
    (_, failing) = pages._now_metrics()
    assert {one.labels["direction"]: one.value for one in failing.samples} == {"fetch": 0.0, "push": 90.0}
    healthy = await got(town, "/healthz")
    assert healthy.status_code == 200 and healthy.json()["push"]["because"] == "GitHub answered 503"
    assert (await got(town, "/readyz")).json() == {"status": "ready", "troubles": {}}


async def test_what_keeps_it_is_named(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: Any) -> None:
        raise DatabaseAway("no connection to the database: refused by db.internal")

    assert (await got(town, "/readyz", draining=True)).json()["troubles"].keys() == {"draining"}
    monkeypatch.setattr(town.database, "query", away)
    ready, healthy = await got(town, "/readyz"), await got(town, "/healthz")
    assert (ready.status_code, healthy.status_code) == (503, 503)
    assert "db.internal" in ready.json()["troubles"]["database"] and "db.internal" in healthy.json()["because"]
    assert (await values(town))["mergegate_database_up", ()] == 0
    public = await ask(town, "GET", "/healthz")
    assert status(public) == 503 and b"db.internal" not in public


async def test_it_is_not_where_agents_are(town: Scene) -> None:
    """And a port that is taken, or none, is no reason not to serve agents."""
    for path in ("/metrics", "/readyz"):
        assert status(await ask(town, "GET", path)) == 404
    assert (await got(town, "/anything")).status_code == 404
    port, pages = free_port(), PrivatePages(town.proxy.watched, lambda: False)
    async with (
        serving_privately("127.0.0.1", port, pages),
        serving_privately("127.0.0.1", port, pages),
        serving_privately("127.0.0.1", 0, pages),
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert json.loads((await reader.read()).partition(b"\r\n\r\n")[2]) == {"status": "ready", "troubles": {}}
        writer.close()
