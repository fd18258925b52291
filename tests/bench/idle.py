"""The service when nothing happens: how soon it is ready, and what it takes of memory and processor while it waits.

Web and worker in one process with the embedded server, against the simulated GitHub in this one. The processes of the
database are left out of memory and processor time.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx

from tests.bench import processors
from tests.bench.measured import Row, milliseconds
from tests.service.process import GateProcess
from tests.service.town import town

TIMES = 5
SETTLING = 10.0  # seconds after the start that are not measured
WATCHED = 60.0  # seconds


async def measure(folder: Path, say: Callable[[str], None]) -> list[Row]:
    say("starting from nothing")
    help_wall, help_cpu = zip(*[_help() for _ in range(TIMES)], strict=True)
    starts: list[tuple[float, float]] = []
    for number in range(TIMES):
        place = folder / f"idle-{number}"
        place.mkdir()
        async with town(place) as opened:
            gate = replace(opened.gate(), log=place / "gate.log")
            starts.append(await _ready(gate))
            rows = await _watched(gate, say) if number == TIMES - 1 else []
            await gate.cleanup()
    wall, cpu = (statistics.median(each) for each in zip(*starts, strict=True))
    return [
        Row(
            "--help",
            milliseconds(statistics.median(help_wall)),
            f"{_cpu(statistics.median(help_cpu))}, median of {TIMES}",
        ),
        Row("cold start to ready", milliseconds(wall), f"{_cpu(cpu)}, new data folder, median of {TIMES}"),
        *rows,
    ]


def _help() -> tuple[float, float]:
    """Seconds of `mergegate --help`: by the clock, and of the processor."""
    before, begun = _children_time(), time.perf_counter()
    subprocess.run([sys.executable, "-m", "app.cli.main", "--help"], capture_output=True, check=True)
    return time.perf_counter() - begun, _children_time() - before


def _children_time() -> float:
    times = os.times()
    return times.children_user + times.children_system


async def _ready(gate: GateProcess) -> tuple[float, float]:
    """Seconds until `/readyz` says so: by the clock, and of the service's own processor time."""
    begun = time.perf_counter()
    await gate.start()
    await gate.healthy()
    async with httpx.AsyncClient(trust_env=False) as client:
        for _ in range(1000):
            if (await client.get(f"{gate.address}/readyz")).status_code == 200:
                break
            await asyncio.sleep(0.02)
    return time.perf_counter() - begun, processors.seconds(gate.pid)


async def _watched(gate: GateProcess, say: Callable[[str], None]) -> list[Row]:
    say(f"watching the idle service for {WATCHED:.0f} s")
    await asyncio.sleep(SETTLING)
    before = processors.seconds(gate.pid)
    await asyncio.sleep(WATCHED)
    share = (processors.seconds(gate.pid) - before) / WATCHED
    memory = processors.resident(gate.pid)
    return [
        Row("idle service: memory", f"{memory / 1024**2:,.0f} MB", "web and worker, resident, without the database"),
        Row("idle service: processor", f"{share:.2%}", f"of one core, over {WATCHED:.0f} s"),
    ]


def _cpu(seconds: float) -> str:
    return f"{milliseconds(seconds)} of processor time"
