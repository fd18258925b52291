"""Pushes of which the proxy does not hear what became, by the agent's own doing: they gain it nothing."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import subprocess
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from app.proxy import ledger
from tests.proxy.scene import Scene, agent_environment
from tests.proxy.test_attacks_http import TYPE, request
from tests.proxy.test_attacks_push import PUSH, ZERO, pack_of, push
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio


@pytest.fixture
def town(shared_town: Scene) -> Iterator[Scene]:
    yield shared_town
    shared_town.instead.clear()


def commit_beside(town: Scene, message: str, parent: str | None = None) -> tuple[str, bytes]:
    """A commit on top of main, or of the parent, that is not at GitHub, and the pack that holds it."""
    main = town.refs()["refs/heads/main"]
    tree = _at_github(town, "rev-parse", f"{main}^{{tree}}")
    who = "A <a@example.com> 1700000000 +0000"
    content = f"tree {tree}\nparent {parent or main}\nauthor {who}\ncommitter {who}\n\n{message}\n".encode()
    size = len(content)
    pack = b"PACK" + (2).to_bytes(4, "big") + (1).to_bytes(4, "big")
    pack += bytes((0x90 | size & 15, size >> 4)) + zlib.compress(content)
    return hashlib.sha1(b"commit %d\0" % size + content).hexdigest(), pack + hashlib.sha1(pack).digest()


def _at_github(town: Scene, *arguments: str) -> str:
    run = subprocess.run(
        ["git", *arguments], cwd=town.shop.git, env=agent_environment(), check=True, capture_output=True, text=True
    )
    return run.stdout.strip()


async def brought(town: Scene, ref: str, oid: str) -> int:
    async with town.database.transaction() as connection:
        return len(await ledger.pushes_of(connection, town.shop.id, ref, oid))


@contextlib.asynccontextmanager
async def begun(town: Scene, token: str, body: bytes, missing: int) -> AsyncIterator[None]:
    """A push that has not come to its end by so many bytes, and is broken off at the end of the block."""
    raw = request("POST", PUSH, TYPE, body=body + b"." * missing, token=token)
    _, writer = await asyncio.open_connection("127.0.0.1", town.port)
    writer.write(raw[:-missing])
    await writer.drain()
    try:
        yield
    finally:
        writer.transport.abort()


async def test_a_force_push_that_breaks_off_behind_its_pack_is_put_back(town: Scene) -> None:
    """git moves the branch when it has the pack, whatever length the request said that it has."""
    ref = "refs/heads/agent/broken-off"
    token, grant = await town.open(branch=ref)
    first, pack = commit_beside(town, "First")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    other, pack = commit_beside(town, "Other")
    async with begun(town, token, command(ref, old=first, new=other) + FLUSH + pack, 50), asyncio.timeout(20):
        while town.refs()[ref] != other:  # noqa: ASYNC110 - a ref at GitHub
            await asyncio.sleep(0.02)
    assert await town.outcomes(grant) == ["failed", "done"]
    assert town.refs()[ref] == first and await brought(town, ref, other) == 0
    words = [
        row[0]
        for row in await town.database.query("select words from session_words where session_id = %s", (grant.session,))
    ]
    assert len(words) == 1 and words[0].startswith(f"Mergegate put {ref} back")


async def test_another_push_on_top_does_not_keep_a_force_push(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = "refs/heads/agent/on-top"
    token, grant = await town.open(branch=ref)
    first, pack = commit_beside(town, "First")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    other, pack = commit_beside(town, "Other")
    forward, go_on = town.proxy._pushing._forward, asyncio.Event()
    compared = forward._compared

    async def late(*asked: Any) -> str:
        await go_on.wait()
        return await compared(*asked)

    monkeypatch.setattr(forward, "_compared", late)
    forced = asyncio.create_task(push(town, command(ref, old=first, new=other) + FLUSH + pack, token=token))
    async with asyncio.timeout(20):
        while town.refs()[ref] != other:  # noqa: ASYNC110 - a ref at GitHub
            await asyncio.sleep(0.02)
    above, pack = commit_beside(town, "Above", other)
    assert b"ok " + ref.encode() in await push(town, command(ref, old=other, new=above) + FLUSH + pack, token=token)
    async with asyncio.timeout(10):
        while await brought(town, ref, above) == 0:  # noqa: ASYNC110 - a row in a table
            await asyncio.sleep(0.01)
    go_on.set()
    assert b"not a fast-forward" in await forced
    assert town.refs()[ref] == first and await town.outcomes(grant) == ["done", "failed", "done"]


async def test_no_push_vouches_for_what_came_to_the_branch_by_other_ways(town: Scene) -> None:
    """A head that somebody put there: the session says that it brings it, in every way that moves nothing."""
    ref = "refs/heads/agent/foreign"
    token, grant = await town.open(branch=ref)
    main = town.refs()["refs/heads/main"]
    foreign = _at_github(
        town,
        "-c",
        "user.name=M",
        "-c",
        "user.email=m@example.com",
        "commit-tree",
        f"{main}^{{tree}}",
        "-p",
        main,
        "-m",
        "x",
    )
    _at_github(town, "update-ref", ref, foreign)
    pack = pack_of(foreign, town)
    same = await push(town, command(ref, old=foreign, new=foreign) + FLUSH + pack, token=token)
    assert b"ok " + ref.encode() in same
    assert await town.outcomes(grant) == ["done"] and await brought(town, ref, foreign) == 0
    silent = command(ref, old=main, new=foreign, capabilities=b"side-band-64k") + FLUSH + pack
    assert b"it asks for no report" in await push(town, silent, token=token)
    assert await town.outcomes(grant) == ["done"]
    lying = command(ref, old=main, new=foreign) + FLUSH
    assert b"ng " + ref.encode() in await push(town, lying + pack, token=token)
    async with begun(town, token, lying + b"PACK", 500), asyncio.timeout(10):
        while not await ledger.under_way(town.database, grant.session):  # noqa: ASYNC110 - a row in a table
            await asyncio.sleep(0.01)
        assert await brought(town, ref, foreign) == 0
    assert await town.outcomes(grant) == ["unknown", "failed", "done"]
    assert await brought(town, ref, foreign) == 0 and town.refs()[ref] == foreign


async def test_a_push_that_lies_about_where_the_branch_was_does_not_move_it_there(town: Scene) -> None:
    """To a commit that is at GitHub elsewhere: putting back a push that never was would be a force push."""
    ref, elsewhere = "refs/heads/agent/lying", "refs/heads/agent/lying-elsewhere"
    token, grant = await town.open(branch=ref)
    second, _ = await town.open(branch=elsewhere)
    first, pack = commit_beside(town, "First")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    other, pack = commit_beside(town, "Another")
    made = await push(town, command(elsewhere, old=ZERO, new=other) + FLUSH + pack, token=second)
    assert b"ok " + elsewhere.encode() in made
    async with begun(town, token, command(ref, old=other, new=first) + FLUSH + b"PACK", 500), asyncio.timeout(10):
        while not await ledger.under_way(town.database, grant.session):  # noqa: ASYNC110 - a row in a table
            await asyncio.sleep(0.01)
    assert await town.outcomes(grant) == ["unknown", "done"]
    assert town.refs()[ref] == first
