"""Programs that tests start as processes of their own, to kill them.

python -m tests.store.processes use DATA SECONDS    start the app's server, print a line, use it so long, stop
python -m tests.store.processes work URL FILE       work for ever; append each key to FILE when it is begun
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

from app.store.database import Database
from app.store.embedded import Embedded
from app.store.work import Lease
from app.store.worker import Done, Outcome, Worker

ROOT = Path(__file__).resolve().parents[2]


def begin(*arguments: str | Path) -> subprocess.Popen[str]:
    """Start one of them; wait for its first line of output with `ready`."""
    command = [sys.executable, "-m", "tests.store.processes", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line, f"the process ended with {process.wait()}"
    return line


def end(process: subprocess.Popen[str]) -> None:
    """Kill it as kill -9 does, if it still runs, and clean up; harmless when done twice."""
    if process.poll() is None:
        process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def use(data: str, seconds: str) -> None:
    embedded = Embedded(Path(data))
    embedded.start()
    print(embedded.conninfo, flush=True)
    time.sleep(float(seconds))
    print("stopped" if embedded.stop() else "others use it", flush=True)


async def work(url: str, file: str) -> None:
    """Hang on every key that ends in `hang`; finish all others."""

    async def look(lease: Lease) -> Outcome:
        with Path(file).open("a") as seen:  # noqa: ASYNC230 - a line
            seen.write(f"{os.getpid()} {lease.key} {lease.attempts}\n")
        if lease.key.endswith("hang"):
            await asyncio.sleep(3600)
        return Done()

    async with Database.open(url, Path("/nonexistent")) as db:
        print("working", flush=True)
        await Worker(db, look).run()


if __name__ == "__main__":
    what, first, second = sys.argv[1:]
    if what == "use":
        use(first, second)
    else:
        asyncio.run(work(first, second))
