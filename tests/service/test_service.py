"""The service in parts: signals, two processes on one database, and life without any webhook."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import httpx
import pytest

from app.intake.webhook import PATH
from tests.databases import anyio_backend, data_folder, database_url, server
from tests.service.process import GateProcess, postmaster, processes_of
from tests.service.town import KINDS, Town, town
from tests.standby import SERVICE, standby

__all__ = ["anyio_backend", "database_url", "server"]

pytestmark = pytest.mark.anyio

SECONDS_TO_STOP = 5.0


@pytest.fixture
async def place() -> AsyncIterator[Town]:
    with data_folder() as folder:
        async with town(folder, standby=standby(*SERVICE)) as opened:
            yield opened


@pytest.fixture
async def quiet_place() -> AsyncIterator[Town]:
    """GitHub knows no address to send webhooks to."""
    with data_folder() as folder:
        async with town(folder, webhooks=False, standby=standby(*SERVICE)) as opened:
            yield opened


async def _until(done: Callable[[], bool], what: str, *gates: GateProcess, seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, f"{what}: not within {seconds} s\n" + "\n".join(gate.log_end() for gate in gates)
        await asyncio.sleep(0.1)


async def _works(place: Town, *gates: GateProcess) -> None:
    """Two pull requests come to their ends: a repair and an approval, then the merge queue."""
    for kind in ("silent", "payment"):
        await place.open(kind)
    await _until(lambda: not place.wrong(), "the first looks", *gates)
    for number in place.kinds:
        await place.touch(number)
    await _until(lambda: not place.wrong() and not place.unfinished(), "the merges", *gates)
    assert place.duplicates() == []


async def test_sigterm_stops_it_cleanly_and_leaves_no_process(place: Town) -> None:
    gate = replace(place.gate(), standby=None)  # all is its own then, also its environment
    await gate.start()
    try:
        await gate.healthy()
        assert postmaster(place.data) is not None
        for kind in KINDS:
            await place.open(kind)
        await asyncio.sleep(1)
        code, seconds = await gate.stop()
    finally:
        await gate.cleanup()
    assert code == 0, gate.log_end()
    assert seconds < SECONDS_TO_STOP
    assert postmaster(place.data) is None
    assert processes_of(place.data) == []
    assert "Traceback" not in gate.log_end()


async def test_what_was_in_work_at_sigterm_is_done_at_once_after_the_next_start(place: Town) -> None:
    gate = place.gate()
    await gate.start()
    try:
        await gate.healthy()
        await place.open("honest")
        await place.open("payment")
        await asyncio.sleep(0.5)
        await gate.stop()
        await gate.start()
        await _until(lambda: not place.wrong(), "the looks that were given back", gate, seconds=30)
    finally:
        await gate.cleanup()
    assert place.duplicates() == []


@pytest.mark.parametrize("own", [True, False], ids=["one data folder", "one MERGEGATE_DATABASE_URL"])
async def test_web_and_work_as_two_processes_do_the_same_job(
    place: Town, request: pytest.FixtureRequest, own: bool
) -> None:
    url = "" if own else request.getfixturevalue("database_url")
    gates = [place.gate(part, MERGEGATE_DATABASE_URL=url) for part in ("web", "work")]
    try:
        for gate in gates:
            await gate.start()
        await gates[0].healthy()
        await _works(place, *gates)
        if own:
            await gates[0].stop()
            assert postmaster(place.data) is not None, "the other one still uses it"
            code, seconds = await gates[1].stop()
            assert (code, seconds < SECONDS_TO_STOP) == (0, True)
    finally:
        for gate in gates:
            await gate.cleanup()
    assert postmaster(place.data) is None
    assert processes_of(place.data) == []


async def test_two_workers_share_the_work_and_one_may_die(place: Town) -> None:
    gates = [place.gate(part) for part in ("web", "work", "work")]
    try:
        for gate in gates:
            await gate.start()
        await gates[0].healthy()
        for kind in KINDS:
            await place.open(kind)
        await gates[1].kill()
        await _until(lambda: not place.wrong(), "the other worker's looks", *gates)
    finally:
        for gate in gates:
            await gate.cleanup()
    assert place.duplicates() == []


async def test_polling_works_with_no_webhook_at_all(quiet_place: Town) -> None:
    place, asked = quiet_place, asyncio.Event()

    def hear(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        writer.close()

    watchdog = await asyncio.start_server(hear, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{watchdog.sockets[0].getsockname()[1]}/alive"
    gate = place.gate(MERGEGATE_POLLING="1", MERGEGATE_RESYNC_SECONDS="2", MERGEGATE_HEARTBEAT_URL=address)
    await gate.start()
    try:
        await gate.healthy()
        await _works(place, gate)
        await _until(asked.is_set, "the heartbeat", gate)
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.post(gate.address + PATH, content=b"{}")).status_code == 404
    finally:
        await gate.cleanup()
        watchdog.close()
    assert [one for one in place.github.world.deliveries if one.app_id == place.app.id] == []


async def test_without_secret_and_without_polling_it_says_what_to_set(quiet_place: Town) -> None:
    gate = quiet_place.gate()
    await gate.start()
    assert gate.process is not None
    assert await gate.process.wait() == 2
    assert "MERGEGATE_WEBHOOK_SECRET" in gate.log_end()
    assert processes_of(quiet_place.data) == []


async def test_a_second_serve_on_the_same_port_says_so_and_harms_nothing(place: Town) -> None:
    first, second = place.gate(), place.gate()
    await first.start()
    try:
        await first.healthy()
        await second.start()
        assert second.process is not None
        assert await second.process.wait() != 0
        assert "address" in second.log_end().lower()
        await first.healthy()
        await place.open("payment")
        await _until(lambda: not place.wrong(), "the look", first)
    finally:
        await second.cleanup()
        await first.cleanup()
