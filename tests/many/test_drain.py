"""SIGTERM: what is under way is ended or handed on, and the recipes give each part the time that it takes."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from app.intake.webhook import PATH, SLOWEST
from app.proxy import listening
from app.proxy.running import GIVING_BACK
from app.serving import DRAIN
from app.store import work
from app.store.database import Database
from app.store.work import Lease, Mark
from tests.databases import anyio_backend, data_folder, database, database_url, server
from tests.demo.service import ROOT, free_port
from tests.gate.scene import SECRET
from tests.github.build import app_key
from tests.service.process import GateProcess
from tests.standby import SERVICE, standby

__all__ = ["anyio_backend", "database", "database_url", "server"]

BODY = b'{"zen": "Keep it logically awesome."}'
KEY = "pull:1:1:1"
# Uvicorn looks ten times a second whether it was told to end.
NOTICED = 0.5
HURRIED = 5.0  # seconds before a process that has ended what it was asked is gone


@pytest.fixture
def folder() -> Iterator[Path]:
    with data_folder() as made:
        yield made


def _process(part: str, folder: Path, url: str, api: str) -> GateProcess:
    (folder / "app.pem").write_text(app_key(0)[0], encoding="ascii")
    private = str(free_port())
    settings = {
        "MERGEGATE_DATA": str(folder / "data"),
        "MERGEGATE_DATABASE_URL": url,
        "MERGEGATE_GITHUB_API_URL": api,
        "MERGEGATE_APP_ID": "1",
        "MERGEGATE_PRIVATE_KEY_FILE": str(folder / "app.pem"),
        "MERGEGATE_WEBHOOK_SECRET": SECRET,
        "MERGEGATE_PORT": private if part == "work" else str(free_port()),
        "MERGEGATE_METRICS_PORT": private,
    }
    return GateProcess(part, sys.executable, settings, folder / f"{part}.log", standby=standby(*SERVICE))


@pytest.mark.anyio
async def test_a_delivery_that_is_half_way_here_is_taken_in(
    database: Database, database_url: str, folder: Path
) -> None:
    web = _process("web", folder, database_url, "http://127.0.0.1:9")
    await web.start()
    try:
        await web.healthy()
        answer = asyncio.create_task(_slowly(int(web.environment["MERGEGATE_PORT"])))
        await asyncio.sleep(NOTICED)
        code, _ = await web.stop()
        status = await answer
    finally:
        await web.cleanup()
    assert (code, status) == (0, b"HTTP/1.1 202 Accepted"), web.log_end()
    assert await database.query("select delivery_id from deliveries") == [("slow-1",)]


async def _slowly(port: int) -> bytes:
    """The first line of the answer to a delivery whose body comes in two halves with a pause."""
    signature = hmac.new(SECRET.encode(), BODY, hashlib.sha256).hexdigest()
    head = (
        f"POST {PATH} HTTP/1.1\r\nhost: x\r\nx-github-event: ping\r\nx-github-delivery: slow-1\r\n"
        "x-github-hook-id: 1\r\n"
        f"x-hub-signature-256: sha256={signature}\r\ncontent-length: {len(BODY)}\r\n\r\n"
    )
    source, sink = await asyncio.open_connection("127.0.0.1", port)
    sink.write(head.encode() + BODY[:10])
    await asyncio.sleep(4 * NOTICED)
    sink.write(BODY[10:])
    line = await source.readline()
    sink.close()
    return line.strip()


@pytest.mark.anyio
async def test_a_worker_hands_its_keys_on_when_it_is_told_to_end(
    database: Database, database_url: str, folder: Path
) -> None:
    """GitHub takes its question and never answers; the next worker need not wait for the lease to run out."""
    asked = asyncio.Event()

    def hear(_: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        asked.set()
        held.append(sink)

    held: list[asyncio.StreamWriter] = []
    github = await asyncio.start_server(hear, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{github.sockets[0].getsockname()[1]}"
    worker = _process("work", folder, database_url, address)
    await worker.start()
    try:
        await worker.healthy()
        async with database.transaction() as connection:
            await work.mark(connection, [Mark(KEY)])
        await asked.wait()
        await _leased(database)
        code, _ = await worker.stop()
        rows = await database.query(
            "select lease, attempts, last_error, due_at <= now() from work where key = %s", (KEY,)
        )
        lease = await _claimed(database)
    finally:
        await worker.cleanup()
        github.close()
        for sink in held:
            sink.close()
    assert code == 0, worker.log_end()
    assert rows == [(None, 0, None, True)]
    assert lease.attempts == 1


async def _leased(database: Database) -> None:
    sql = "select 1 from work where key = %s and leased_until > now()"
    while not await database.query(sql, (KEY,)):  # noqa: ASYNC110 - rows in a table
        await asyncio.sleep(0.02)


async def _claimed(database: Database) -> Lease:
    """The key, past others that are due."""
    while (lease := await work.claim(database)) is not None:
        if lease.key == KEY:
            return lease
    raise AssertionError("the key is not due")


def _needs(part: str) -> float:
    """Seconds that a part takes at most, from SIGTERM to its end."""
    web, proxy = DRAIN + HURRIED, listening.DRAIN + GIVING_BACK + HURRIED
    return {"web": web, "work": HURRIED, "proxy": proxy, "serve": max(web, proxy)}[part]


def test_a_delivery_has_its_time_also_at_the_end() -> None:
    assert DRAIN > SLOWEST


@pytest.mark.parametrize("part", ["web", "work", "proxy"])
def test_kubernetes_waits_as_long_as_a_part_takes(part: str) -> None:
    documents = yaml.safe_load_all((ROOT / "deploy" / "kubernetes" / f"{part}.yaml").read_text("utf-8"))
    pod = next(one["spec"]["template"]["spec"] for one in documents if one["kind"] == "Deployment")
    before = sum(
        one.get("lifecycle", {"preStop": {"sleep": {"seconds": 0}}})["preStop"]["sleep"]["seconds"]
        for one in pod["containers"]
    )
    assert pod["terminationGracePeriodSeconds"] >= before + _needs(part)
    assert (before > 0) == (part != "work"), "who is sent requests is taken out of the service first"


@pytest.mark.parametrize("part", ["web", "work", "proxy"])
def test_compose_waits_as_long_as_a_part_takes(part: str) -> None:
    service = yaml.safe_load((ROOT / "deploy" / "compose" / "compose.yml").read_text("utf-8"))["services"][part]
    assert int(service["stop_grace_period"].removesuffix("s")) >= _needs(part)


@pytest.mark.parametrize(("unit", "part"), [("mergegate", "serve"), ("mergegate-proxy", "proxy")])
def test_systemd_waits_as_long_as_a_part_takes_and_tells_it_alone(unit: str, part: str) -> None:
    lines = (ROOT / "deploy" / "systemd" / f"{unit}.service").read_text("utf-8").splitlines()
    given = dict(line.split("=", 1) for line in lines if line.startswith(("TimeoutStopSec=", "KillMode=")))
    assert float(given["TimeoutStopSec"]) >= _needs(part)
    assert given["KillMode"] == "mixed"
