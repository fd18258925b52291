"""The agents' proxy: clones and pushes through `mergegate proxy` and directly, one after the other, five times.

The upstream is the simulated GitHub's `git http-backend` in a process of its own. Ratios are of medians; memory is the
proxy's largest resident set, the interpreter and its libraries included.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.proxy import sessions
from app.store.database import Database
from tests.bench.measured import Row
from tests.demo.service import ROOT, free_port
from tests.proxy.build import wanted
from tests.proxy.scene import agent_environment
from tests.service.process import GateProcess

ROUNDS = 5
MEGABYTES = int(os.environ.get("MERGEGATE_BENCH_MEGABYTES", "190"))
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


async def measure(folder: Path, say: Callable[[str], None]) -> list[Row]:
    (folder / "proxying").mkdir()
    folder = folder / "proxying"
    say("making a repository for the proxy")
    upstream = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", UPSTREAM, str(folder), str(MEGABYTES)),
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
        return await _measured(folder, known, proxy, say)
    finally:
        await proxy.cleanup()
        upstream.stdin.close()
        await upstream.wait()


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


async def _measured(folder: Path, known: dict[str, str], proxy: GateProcess, say: Callable[[str], None]) -> list[Row]:
    direct = Line("direct", f"{known['url']}/acme/shop.git", _basic(known["url"], known["token"]))
    branches = [f"refs/heads/agent/b{number}" for number in range(AT_ONCE)]
    tokens = await _sessions(folder / "data", known, branches)
    proxied = [Line("proxied", f"{proxy.address}/git/acme/shop.git", _basic(proxy.address, one)) for one in tokens]
    rows = []
    idle = _memory(proxy.pid)
    for what, one in (("clone", _clone), ("push", _push), ("push of one commit", _push_small)):
        say(f"proxy: {what}")
        times: dict[str, list[float]] = {"direct": [], "proxied": []}
        await one(folder, direct, "warm0")
        await one(folder, proxied[0], "warm1")
        for turn in range(ROUNDS if what != "push of one commit" else 4 * ROUNDS):
            for line in (direct, proxied[0]) if turn % 2 == 0 else (proxied[0], direct):
                times[line.name].append(await one(folder, line, f"{line.name}{turn}"))
        rows.append(_row(what, times))
    single = _memory(proxy.pid)
    say(f"proxy: {AT_ONCE} clones at once")
    begun = time.perf_counter()
    await asyncio.gather(*(_clone(folder, line, f"many{number}") for number, line in enumerate(proxied)))
    took, many = time.perf_counter() - begun, _memory(proxy.pid)
    said = f"{idle:.0f} MB idle, {single:.0f} MB after single transfers"
    rows.append(Row("proxy memory", said, f"packs of {MEGABYTES} MB"))
    rows.append(Row("proxy memory", f"{many:.0f} MB", f"{AT_ONCE} clones of {MEGABYTES} MB at once, {took:.1f} s"))
    return rows


def _row(what: str, times: dict[str, list[float]]) -> Row:
    direct, proxied = statistics.median(times["direct"]), statistics.median(times["proxied"])
    size = "one small file" if "one commit" in what else f"a pack of {MEGABYTES} MB"
    said = f"{proxied / direct:.2f} x direct ({direct:.3f} s, {proxied:.3f} s)"
    return Row(f"proxied {what}", said, f"{size}, medians of {len(times['direct'])}, interleaved")


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


async def _clone(folder: Path, line: Line, name: str) -> float:
    took = await _git(folder, line, "clone", "-q", "--bare", "--single-branch", "-b", "main", line.url, name)
    await asyncio.to_thread(shutil.rmtree, folder / name)
    return took


def _branch(line: Line) -> str:
    return "agent/b0" if line.name == "proxied" else "agent/direct"


async def _work(folder: Path, line: Line) -> Path:
    """A clone without the large history, for pushes of one line."""
    path = folder / f"work-{line.name}"
    if not path.exists():
        await _git(folder, line, "clone", "-q", "--depth=1", "--single-branch", "-b", "small", line.url, path.name)
    return path


async def _push(folder: Path, line: Line, name: str) -> float:
    path = await _work(folder, line)
    noise = random.Random(name)
    for number in range(10):
        size = MEGABYTES * 1_000_000 // 10
        await asyncio.to_thread((path / f"noise{number}.bin").write_bytes, noise.randbytes(size))
    await _git(path, line, "add", ".")
    await _git(path, line, "commit", "-q", "-m", name)
    took = await _git(path, line, "push", "-q", line.url, f"HEAD:refs/heads/{_branch(line)}")
    for number in range(10):
        (path / f"noise{number}.bin").unlink()
    return took


async def _push_small(folder: Path, line: Line, name: str) -> float:
    path = await _work(folder, line)
    (path / "line.txt").write_text(name)
    await _git(path, line, "add", "line.txt")
    await _git(path, line, "commit", "-q", "-m", name)
    return await _git(path, line, "push", "-q", line.url, f"HEAD:refs/heads/{_branch(line)}")


def _memory(pid: int) -> float:
    """The largest resident set of a process so far, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    line = next(one for one in status.splitlines() if one.startswith("VmHWM:"))
    return int(line.split()[1]) / 1000
