"""Children for hostile input: what reaches them, what stops them, and that none has anything of another."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.gate import child
from app.gate.child import ENVIRONMENT, ROOT, run_child
from app.gate.child_request import Child
from tests.gate.hostile import MEMORY, hostile

pytestmark = pytest.mark.anyio


async def surroundings() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(await run_child(hostile("tells_surroundings"), ()))
    return facts


@pytest.fixture
def own_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that no other test has."""
    servers = child._Servers()
    monkeypatch.setattr(child, "_SERVERS", servers)
    yield
    if servers._requests is not None:
        servers._requests.close()


def lives(pid: int) -> bool:
    """Not as one that is dead and not yet buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def until_dead(*pids: int) -> None:
    async with asyncio.timeout(10.0):
        while any(map(lives, pids)):  # noqa: ASYNC110 - it is no child of ours whose end we could await
            await asyncio.sleep(0.01)


async def test_nothing_of_this_process_reaches_a_child(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own_server: None
) -> None:
    """Not even what is open here and would be inherited, nor what other children have open."""
    monkeypatch.setenv("MERGEGATE_PRIVATE_KEY", "secret")
    with (tmp_path / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        facts, other = await asyncio.gather(surroundings(), surroundings())
    assert sorted(filter(None, facts["environment"])) == sorted(
        f"{name}={value}" for name, value in ENVIRONMENT.items()
    )
    descriptors = facts["descriptors"]
    assert set(descriptors) == {"0", "1", "2"}
    assert descriptors["0"] == descriptors["1"] != other["descriptors"]["0"]
    assert descriptors["0"].startswith("socket:")
    assert descriptors["2"] == "/dev/null"
    assert (facts["folder"], facts["group"]) == ("/", True)


async def test_children_are_forked_from_one_server_and_have_nothing_of_each_other() -> None:
    before = await surroundings()
    await run_child(hostile("spoils_modules"), ())
    after = await surroundings()
    assert after["server"] == before["server"] != os.getpid()
    assert after["pid"] != before["pid"]
    assert (after["environment"], after["folder"]) == (before["environment"], "/")


@pytest.mark.parametrize("name", ["dies", "crashes", "raises", "answers_nothing"])
async def test_a_child_that_dies_says_nothing_and_harms_no_other(name: str) -> None:
    before = await surroundings()
    assert await run_child(hostile(name), [b"x" * 100_000] * 20) == b""
    assert (await surroundings())["server"] == before["server"]


async def test_many_at_once() -> None:
    """One that stalls holds up no other."""
    stalled = asyncio.create_task(run_child(hostile("stalls"), ()))
    told = await asyncio.gather(*(surroundings() for _ in range(20)))
    assert len({facts["pid"] for facts in told}) == 20
    assert len({facts["server"] for facts in told}) == 1
    stalled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stalled


async def test_memory_is_bounded() -> None:
    """It may have what it is allowed, less what its libraries take."""
    bounded = hostile("takes_memory", memory=512 * 1024**2)
    assert await run_child(bounded, [b"%d" % (128 * 1024**2)]) == b"%d" % (128 * 1024**2)
    assert await run_child(bounded, [b"%d" % (1024 * 1024**2)]) == b""


async def test_an_answer_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "LARGEST_ANSWER", 3 * 1024**2)
    assert await run_child(hostile("answers_without_end"), ()) == b""


async def test_processor_time_is_bounded_also_where_nobody_waits(own_server: None) -> None:
    """The limit is the kernel's: the child ends long before this process loses patience."""
    started = time.monotonic()
    looping = hostile("loops", seconds=1.0)
    with child._SERVERS.ask(looping) as stream:
        stream.settimeout(30.0)
        said = b"".join(iter(lambda: stream.recv(100), b""))
    assert not lives(int(said[1:]))
    assert time.monotonic() - started >= 1.0


async def test_a_child_for_whom_nobody_waits_any_more_is_ended() -> None:
    assert await run_child(hostile("loops", seconds=0.5), ()) == b""
    with child._SERVERS.ask(hostile("loops")) as stream:
        pid = await _pid(stream)
        assert lives(pid)
    await until_dead(pid)


async def test_cancelling_ends_it(own_server: None) -> None:
    server = (await surroundings())["server"]
    waiting = asyncio.create_task(run_child(hostile("loops"), ()))
    async with asyncio.timeout(10.0):
        while not (children := Path(f"/proc/{server}/task/{server}/children").read_text().split()):  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await until_dead(*map(int, children))


async def test_what_a_child_leaves_behind_ends_with_it() -> None:
    left = int(await run_child(hostile("leaves_another"), ()))
    await until_dead(left)


async def test_a_killed_server_takes_its_children_along_and_is_followed_by_another(own_server: None) -> None:
    first = await surroundings()
    with child._SERVERS.ask(hostile("loops")) as stream:
        pid = await _pid(stream)
        os.kill(first["server"], signal.SIGKILL)
        await until_dead(pid, first["server"])
    assert (await surroundings())["server"] != first["server"]
    assert await run_child(hostile("kills_its_server"), ()) == b""
    assert (await surroundings())["server"] != first["server"]


async def test_a_server_without_work_ends_and_leaves_nothing_unburied(
    own_server: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "SERVER", child.SERVER.replace("main()", "main(idle=0.05)"))
    first = (await surroundings())["server"]
    async with asyncio.timeout(10.0):
        while Path(f"/proc/{first}").exists():  # noqa: ASYNC110 - who buries it tells nobody
            await asyncio.sleep(0.01)
    assert (await surroundings())["server"] != first


async def test_an_entry_that_is_none_starts_nothing() -> None:
    before = (await surroundings())["server"]
    assert await run_child(hostile("no_such_function"), [b"x"]) == b""
    assert await run_child(Child("tests.gate.no_such_module:serve", MEMORY, 20.0), [b"x"]) == b""
    assert (await surroundings())["server"] == before


def test_every_event_loop_and_thread_of_a_process_asks_the_same() -> None:
    told: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda: told.append(asyncio.run(surroundings()))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told.append(asyncio.run(surroundings()))
    assert len(told) == 4
    assert len({facts["server"] for facts in told}) == 1


ASKS = f"""\
import sys, time
sys.path.insert(0, {ROOT!r})
from app.gate import child
stream = child._SERVERS.ask(child.Child("tests.gate.hostile:loops", 1024**3, 20.0))
print(stream.recv(1).decode(), stream.recv(100).decode(), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
async def test_nothing_outlives_the_process_that_asked(end: signal.Signals) -> None:
    asks = await asyncio.create_subprocess_exec(sys.executable, "-c", ASKS, stdout=asyncio.subprocess.PIPE)
    assert asks.stdout is not None
    pid = int((await asks.stdout.readline()).split()[1])
    server = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    assert lives(pid) and lives(server)
    asks.send_signal(end)
    await asks.wait()
    await until_dead(pid, server)


async def test_what_ends_a_service_politely_does_not_end_answers_under_way(own_server: None) -> None:
    """A service manager signals every process of the service; the one that asked decides when it is over."""
    server = (await surroundings())["server"]
    with child._SERVERS.ask(hostile("says_who_it_is")) as stream:
        pid = await _pid(stream)
        for told in (server, pid):
            os.kill(told, signal.SIGTERM)
            os.kill(told, signal.SIGINT)
        assert (await surroundings())["server"] == server
        assert lives(pid)


async def _pid(stream: Any) -> int:
    """What the child said of itself, after that it lives."""
    stream.setblocking(False)
    loop, said = asyncio.get_running_loop(), b""
    async with asyncio.timeout(20.0):
        while not said[1:]:
            piece = await loop.sock_recv(stream, 100)
            assert piece, "the child is dead"
            said += piece
    return int(said[1:])
