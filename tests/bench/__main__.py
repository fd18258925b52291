"""`python -m tests.bench [NAME,NAME…]`: measure everything, or the named parts, and print one table.

A part takes a folder on a disk and a way to say what it is doing, and gives lines of the table.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench import checking, day, idle, intake, judging, logs, night, proxying, queue, settling
from tests.bench.measured import Row

Say = Callable[[str], None]
Part = Callable[[Path, Say], Iterable[Row]]


def _judging(_: Path, say: Say) -> list[Row]:
    say("judging a pull request of 3,000 files")
    return judging.measure_verdict() + judging.measure_rules()


def _checking(folder: Path, say: Say) -> list[Row]:
    say("checking a clone with 3,000 changed files")
    return checking.measure(folder)


def _logs(folder: Path, say: Say) -> list[Row]:
    say("parsing logs")
    return logs.measure_collected() + logs.measure_large(folder, say)


def _queue(folder: Path, say: Say) -> list[Row]:
    say("claiming and finishing keys")
    return asyncio.run(queue.measure(folder / "queue"))


PARTS: Mapping[str, Part] = {
    "judging": _judging,
    "checking": _checking,
    "logs": _logs,
    "queue": _queue,
    "intake": lambda folder, say: asyncio.run(intake.measure(folder, say)),
    "settling": lambda folder, say: asyncio.run(settling.singly(folder, say)),
    "burst": lambda folder, say: asyncio.run(settling.burst(folder, say)),
    "day": lambda folder, say: asyncio.run(day.measure(folder, say)),
    "night": lambda folder, say: asyncio.run(night.measure(folder, say)),
    "proxying": lambda folder, say: asyncio.run(proxying.measure(folder, say)),
    "memory": proxying.measure_memory,
    "idle": lambda folder, say: asyncio.run(idle.measure(folder, say)),
}


def main(names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise SystemExit(f"no part is called {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    console, rows = Console(), list[Row]()
    if not console.is_terminal:
        console = Console(width=140)
    try:
        with console.status("") as status:
            for name in names or PARTS:
                with disk_folder() as folder:
                    for row in PARTS[name](folder, status.update):
                        console.print(f"{row.what}: {row.measured}, {row.of}", markup=False, highlight=False)
                        rows.append(row)
    finally:  # what was measured before something failed took minutes
        _print(console, rows)


@contextmanager
def disk_folder() -> Iterator[Path]:
    """A temporary folder on a disk, which PostgreSQL's user may enter also when this runs as root."""
    folder = Path(tempfile.mkdtemp(prefix="mergegate-bench-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _print(console: Console, rows: list[Row]) -> None:
    title = f"{os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    table = Table("what", "measured", "of", title=title, title_justify="left")
    for row in rows:
        table.add_row(row.what, row.measured, row.of)
    console.print(table)


if __name__ == "__main__":
    main([name for name in ",".join(sys.argv[1:]).replace(" ", ",").split(",") if name])
