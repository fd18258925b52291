"""`make demo-fleet`: the first weeks of a fleet of two agents, up to the decision about the third.

Exits 0 only when everything was seen that the story expects.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from pathlib import Path

import structlog
from rich.console import Console

from app.store.database import running
from tests.databases import data_folder
from tests.demo.fleet_story import MONDAY, POLICY, NotAsExpected, Story, play
from tests.fleet.agents import Over
from tests.fleet.town import town


async def main(console: Console) -> int:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    started = time.monotonic()
    try:
        with data_folder("mergegate-demo-") as folder, console.status("A GitHub without the internet, and a gate …"):
            await _played(folder, console)
    except (NotAsExpected, Over) as wrong:
        console.print(f"Not as expected: {wrong or 'an agent lost its session'}", style="red", markup=False)
        return 1
    console.print(f"\nThree weeks as expected, in {time.monotonic() - started:.0f} s.")
    return 0


async def _played(folder: Path, console: Console) -> None:
    def tell(line: str) -> None:
        console.print(line, markup=False, highlight=False)

    def head(line: str) -> None:
        console.print(f"\n{line}", style="bold", markup=False)

    async with running(folder / "postgres") as server, town(folder, server.conninfo, MONDAY, POLICY) as place:
        await play(Story(place, tell, head))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Console())))
