"""`python -m tests.bench`: measure everything in a few minutes and print one table."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench import checking, idle, intake, judging, logs, proxying, queue
from tests.bench.measured import Row


@contextmanager
def disk_folder() -> Iterator[Path]:
    """A temporary folder on a disk, which PostgreSQL's user may enter also when this runs as root."""
    folder = Path(tempfile.mkdtemp(prefix="mergegate-bench-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    console, rows = Console(), list[Row]()
    if not console.is_terminal:
        console = Console(width=140)
    with disk_folder() as folder, console.status("") as status:
        status.update("judging a pull request of 3,000 files")
        rows += judging.measure_verdict() + judging.measure_rules()
        status.update("checking a clone with 3,000 changed files")
        rows += checking.measure(folder)
        status.update("parsing logs")
        rows += logs.measure_collected()
        rows += logs.measure_large(folder, status.update)
        status.update("claiming and finishing keys")
        rows += asyncio.run(queue.measure(folder / "queue"))
        status.update("taking deliveries in")
        rows += asyncio.run(intake.measure(folder, status.update))
        rows += asyncio.run(proxying.measure(folder, status.update))
        rows += asyncio.run(idle.measure(folder, status.update))
    _print(console, rows)


def _print(console: Console, rows: list[Row]) -> None:
    cores, load = os.cpu_count(), os.getloadavg()[0]
    table = Table("what", "measured", "of", title=f"{cores} cores, load {load:.1f}", title_justify="left")
    for row in rows:
        table.add_row(row.what, row.measured, row.of)
    console.print(table)


if __name__ == "__main__":
    main()
