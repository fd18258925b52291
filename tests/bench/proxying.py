"""The agents' proxy: clones and pushes through `mergegate proxy` and directly, one after the other, in several series.

The upstream is the simulated GitHub's `git http-backend` in a process of its own. A series gives the ratio of two
medians; what is told is the median of the series, and all of them. Whatever else the machine does lengthens both lines
unevenly, so the proxy's own processor time is told with each. Memory is the largest resident set (RSS) of the proxy's
one process, the interpreter and its libraries included, the database not.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import random
import shutil
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.proxy import sessions
from app.store.database import Database
from tests.bench import processors
from tests.bench.measured import Row, milliseconds
from tests.demo.service import ROOT, free_port
from tests.proxy.build import wanted
from tests.proxy.scene import agent_environment
from tests.service.process import GateProcess

SERIES = int(os.environ.get("MERGEGATE_BENCH_SERIES", "3"))
ROUNDS = {"clone": 5, "push": 5, "push of one commit": 20}  # of one series
MEGABYTES = int(os.environ.get("MERGEGATE_BENCH_MEGABYTES", "190"))
# Memory shall not depend on a pack's size: these are carried by fresh proxies. Eight clones of the largest fill a disk.
OTHER_MEGABYTES = [int(size) for size in os.environ.get("MERGEGATE_BENCH_OTHER_MEGABYTES", "20 1000").split()]
AT_ONCE = 8
# What is measured is not how git packs.
PLAIN = {"gc.auto": "0", "core.fsync": "none", "core.compression": "0", "pack.window": "0"}
UPSTREAM = "tests.bench.proxied_upstream"


@dataclass
class Line:
    """Where transfers go: `url` of the repository, and git's settings for it."""

    name: str
    url: str
    settings: dict[str, str]


@dataclass(frozen=True)
class Series:
    """Medians in seconds of either line, and the seconds of a processor that the proxy took for one transfer."""

    direct: float
    proxied: float
    processor: float

    @property
    def ratio(self) -> float:
        return self.proxied / self.direct


@dataclass
class Place:
    """A proxy that runs in front of an upstream with one large repository. `tokens` are those of eight sessions."""

    folder: Path
    megabytes: int
    known: dict[str, str]
    proxy: GateProcess
    tokens: Sequence[str]

    @property
    def direct(self) -> Line:
        url = self.known["url"]
        return Line("direct", f"{url}/acme/shop.git", _basic(url, self.known["token"]))

    @property
    def proxied(self) -> list[Line]:
        address = self.proxy.address
        return [Line("proxied", f"{address}/git/acme/shop.git", _basic(address, one)) for one in self.tokens]


Transfer = Callable[[Place, Line, str], Awaitable[float]]


async def measure(folder: Path, say: Callable[[str], None]) -> list[Row]:
    async with _place(folder / "proxying", MEGABYTES, say) as place:
        return [*await _times(place, say), await _memory_of_many(place, say)]


def measure_memory(folder: Path, say: Callable[[str], None]) -> Iterator[Row]:
    """Rows as they are measured: the largest pack takes minutes, and ten times its size of disk."""
    with asyncio.Runner() as runner:
        for megabytes in OTHER_MEGABYTES:
            opened = contextlib.AsyncExitStack()
            placing = _place(folder / f"proxying-{megabytes}", megabytes, say)
            place = runner.run(opened.enter_async_context(placing))
            try:
                yield runner.run(_memory_of_one(place, say))
                yield runner.run(_memory_of_many(place, say))
            finally:
                runner.run(opened.aclose())


@asynccontextmanager
async def _place(folder: Path, megabytes: int, say: Callable[[str], None]) -> AsyncIterator[Place]:
    folder.mkdir()
    say(f"making a repository of {megabytes} MB for the proxy")
    upstream = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", UPSTREAM, str(folder), str(megabytes)),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert upstream.stdout is not None and upstream.stdin is not None
    known = json.loads(await upstream.stdout.readline())
    proxy = _proxy(folder, known)
    await proxy.start()
    try:
        await proxy.healthy()
        branches = [f"refs/heads/agent/b{number}" for number in range(AT_ONCE)]
        yield Place(folder, megabytes, known, proxy, await _sessions(folder / "data", known, branches))
    finally:
        await proxy.cleanup()
        upstream.stdin.close()
        await upstream.wait()
        await asyncio.to_thread(shutil.rmtree, folder)


def _proxy(folder: Path, known: dict[str, str]) -> GateProcess:
    port = str(free_port())
    environment = {
        "MERGEGATE_DATA": str(folder / "data"),
        "MERGEGATE_GITHUB_API_URL": known["url"],
        "MERGEGATE_COURIER_APP_ID": known["app_id"],
        "MERGEGATE_COURIER_PRIVATE_KEY_FILE": known["key"],
        "MERGEGATE_PROXY_PORT": port,
        "MERGEGATE_PORT": port,
    }
    return GateProcess("proxy", sys.executable, environment, folder / "proxy.log")


async def _times(place: Place, say: Callable[[str], None]) -> list[Row]:
    rows, idle = [], _memory(place.proxy.pid)
    for what, one in (("clone", _clone), ("push", _push), ("push of one commit", _push_small)):
        await one(place, place.direct, "warm0")
        await one(place, place.proxied[0], "warm1")
        made = []
        for number in range(SERIES):
            say(f"proxy: {what}, series {number + 1} of {SERIES}")
            made.append(await _series(place, one, ROUNDS[what], number))
        rows.append(_row(what, made))
    said = f"{_memory(place.proxy.pid):.0f} MiB ({idle:.0f} MiB idle)"
    return [*rows, Row("proxy memory, one transfer", said, f"packs of {MEGABYTES} MB, cloned and pushed")]


async def _series(place: Place, one: Transfer, rounds: int, number: int) -> Series:
    """Both lines in turn, each as often the first as the other."""
    lines = (place.direct, place.proxied[0])
    times: dict[str, list[float]] = {line.name: [] for line in lines}
    before = processors.seconds(place.proxy.pid)
    for turn in range(rounds):
        for line in lines if turn % 2 == 0 else reversed(lines):
            times[line.name].append(await one(place, line, f"{line.name}{number}-{turn}"))
    took = processors.seconds(place.proxy.pid) - before
    return Series(statistics.median(times["direct"]), statistics.median(times["proxied"]), took / rounds)


async def _memory_of_one(place: Place, say: Callable[[str], None]) -> Row:
    say(f"proxy: one transfer of {place.megabytes} MB")
    idle = _memory(place.proxy.pid)
    await _clone(place, place.proxied[0], "one")
    await _push(place, place.proxied[0], "one")
    said = f"{_memory(place.proxy.pid):.0f} MiB ({idle:.0f} MiB idle)"
    return Row("proxy memory, one transfer", said, f"a pack of {place.megabytes} MB, cloned and pushed")


async def _memory_of_many(place: Place, say: Callable[[str], None]) -> Row:
    say(f"proxy: {AT_ONCE} clones of {place.megabytes} MB at once")
    begun = time.perf_counter()
    await asyncio.gather(*(_clone(place, line, f"many{number}") for number, line in enumerate(place.proxied)))
    took = time.perf_counter() - begun
    what = f"clones of {place.megabytes} MB at once, {took:.1f} s"
    return Row(f"proxy memory, {AT_ONCE} transfers", f"{_memory(place.proxy.pid):.0f} MiB", what)


def _row(what: str, made: Sequence[Series]) -> Row:
    ratio = statistics.median(one.ratio for one in made)
    direct, proxied, processor = (
        milliseconds(statistics.median(values))
        for values in zip(*((one.direct, one.proxied, one.processor) for one in made), strict=True)
    )
    said = f"{ratio:.2f} x direct ({direct}, {proxied}; the proxy's processor {processor})"
    size = "one small file" if "one commit" in what else f"a pack of {MEGABYTES} MB"
    each = ", ".join(f"{one.ratio:.2f}" for one in made)
    return Row(f"proxied {what}", said, f"{size}, interleaved, {each} in series of {ROUNDS[what]}")


async def _sessions(data: Path, known: dict[str, str], branches: list[str]) -> list[str]:
    tokens = []
    async with Database.open(None, data) as database:
        for branch in branches:
            asked = wanted(
                installation_id=int(known["installation"]), repository_id=int(known["repository"]), branch=branch
            )
            tokens.append((await sessions.open_session(database, asked))[0].get_secret_value())
    return tokens


def _basic(origin: str, token: str) -> dict[str, str]:
    credentials = base64.b64encode(f"x:{token}".encode()).decode()
    return {f"http.{origin}/.extraHeader": f"Authorization: Basic {credentials}"}


async def _git(folder: Path, line: Line, *arguments: str) -> float:
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *("git", *arguments),
        cwd=folder,
        env=agent_environment(line.settings | PLAIN),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    assert process.returncode == 0, said.decode(errors="replace")
    return time.perf_counter() - begun


async def _clone(place: Place, line: Line, name: str) -> float:
    took = await _git(place.folder, line, "clone", "-q", "--bare", "--single-branch", "-b", "main", line.url, name)
    await asyncio.to_thread(shutil.rmtree, place.folder / name)
    return took


def _branch(line: Line) -> str:
    return "agent/b0" if line.name == "proxied" else "agent/direct"


async def _work(place: Place, line: Line) -> Path:
    """A clone without the large history, for pushes of one line."""
    path = place.folder / f"work-{line.name}"
    if not path.exists():
        await _git(
            place.folder, line, "clone", "-q", "--depth=1", "--single-branch", "-b", "small", line.url, path.name
        )
    return path


async def _push(place: Place, line: Line, name: str) -> float:
    path = await _work(place, line)
    noise = random.Random(name)
    for number in range(10):
        size = place.megabytes * 1_000_000 // 10
        await asyncio.to_thread((path / f"noise{number}.bin").write_bytes, noise.randbytes(size))
    await _git(path, line, "add", ".")
    await _git(path, line, "commit", "-q", "-m", name)
    took = await _git(path, line, "push", "-q", line.url, f"HEAD:refs/heads/{_branch(line)}")
    for number in range(10):
        (path / f"noise{number}.bin").unlink()
    return took


async def _push_small(place: Place, line: Line, name: str) -> float:
    path = await _work(place, line)
    (path / "line.txt").write_text(name)
    await _git(path, line, "add", "line.txt")
    await _git(path, line, "commit", "-q", "-m", name)
    return await _git(path, line, "push", "-q", line.url, f"HEAD:refs/heads/{_branch(line)}")


def _memory(pid: int) -> float:
    """The largest resident set of a process so far, in MiB. The kernel's kB are 1024 bytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    line = next(one for one in status.splitlines() if one.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024
