"""Raw logs: real ones, and made ones of 200 MB that a process of its own reads from a file, as `parse-log` does."""

from __future__ import annotations

import codecs
import itertools
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from checks.job_log import read_job_log
from tests.bench.measured import Row, best_of
from tests.policies import build
from tests.shared import SHARED

SIZE = 200_000_000
WORDS = ("the", "quick", "module", "compiled", "src/app/total.ts", "with", "no", "changes", "and", "12", "warnings")
STAMP = "2026-11-29T10:{:02}:{:02}.{:07}Z "


def measure_collected() -> list[Row]:
    logs = [path.read_bytes() for path in sorted((SHARED / "logs").glob("*.log"))] or [build.LOG.encode() * 200]
    digest = "sha256:" + "0" * 64
    size = sum(map(len, logs))
    taken = best_of(2, lambda: [read_job_log(log, digest) for log in logs])
    return [
        Row("raw logs: collected ones", f"{size / taken / 1e6:,.1f} MB/s", f"{len(logs)} logs, {size / 1e6:.1f} MB")
    ]


def measure_large(folder: Path, say: Callable[[str], None]) -> list[Row]:
    made = {
        "time stamps, colours, groups, 1 % lines of runners": mixed(stamps=True),
        "no time stamps": mixed(stamps=False),
        "UTF-16": utf16(mixed(stamps=False)),
        "every line is one of pytest -v": _pytest(),
        "every line is one of go test -v, with time stamps": _go(),
        "every line is one of TAP": _tap(),
        "one line": itertools.repeat(b"and no end of it " * 4096),
        "every line is one of cargo test": _cargo(),
    }
    rows = []
    for what, chunks in made.items():
        say(f"parsing a log: {what}")
        size = _written(folder / "large.log", chunks, SIZE)
        rows.append(_row(what, size, _read_apart(folder / "large.log")))
    return rows


def _written(path: Path, chunks: Iterator[bytes], wanted: int) -> int:
    size = 0
    with path.open("wb") as file:
        while size < wanted:
            size += file.write(next(chunks))
    return size


def _row(what: str, size: int, found: dict[str, float]) -> Row:
    measured = f"{size / found['seconds'] / 1e6:,.1f} MB/s, {found['peak'] / 1e6:.0f} MB of memory at most"
    return Row("raw logs: a large one", measured, f"{size / 1e6:.0f} MB, {found['lines']:,} lines: {what}")


def _read_apart(path: Path) -> dict[str, float]:
    """Processor seconds and peak memory (bytes, libraries included) of a process that reads the file."""
    done = subprocess.run((sys.executable, "-m", "tests.bench.log_reader", path), capture_output=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def mixed(*, stamps: bool) -> Iterator[bytes]:
    """Without an end; every block is different, and a hundredth of the lines is a runner's."""
    chance = random.Random(7)
    numbers = itertools.count()
    while True:
        lines = [_line(chance, number) for number in itertools.islice(numbers, 5000)]
        if stamps:
            seconds = [chance.randrange(600_000_000) for _ in lines]
            lines = [f"{_stamp(second)}{line}" for second, line in zip(sorted(seconds), lines, strict=True)]
        yield ("\n".join(lines) + "\n").encode()


def _stamp(moment: int) -> str:
    return STAMP.format(moment // 10_000_000 % 60, moment // 100_000 % 60, moment % 10_000_000)


def _line(chance: random.Random, number: int) -> str:
    kind = chance.random()
    if kind < 0.01:
        return chance.choice(
            (f"tests/test_a.py::test_{number} PASSED  [ 50%]", f"--- PASS: Test{number} (0.01s)", f"ok {number} - adds")
        )
    text = " ".join(chance.choices(WORDS, k=chance.randrange(3, 14)))
    if kind < 0.20:
        return f"\x1b[36;1m{text}\x1b[0m \x1b[32mok\x1b[39m"
    if kind < 0.24:
        return chance.choice((f"##[group]{text}", "##[endgroup]"))
    if kind < 0.30:
        return f"Downloading https://registry.test/{number}.tgz ({number % 900} kB) at 10:{number % 60:02}"
    return f"{text} {number}"


def _blocks(line: str) -> Iterator[bytes]:
    """Lines without an end; `{0}` is the number of the block, `{1}` of the line in it, `{2}` of the line at all."""
    for block in itertools.count():
        yield "".join(line.format(block, at, block * 1000 + at + 1) for at in range(1000)).encode()


def _pytest() -> Iterator[bytes]:
    yield b"=== test session starts ===\n"
    yield from _blocks("tests/test_{0}.py::TestTotal::test_{1} PASSED   [ 50%]\n")


def _go() -> Iterator[bytes]:
    stamp = _stamp(0)
    return _blocks(stamp + "=== RUN   TestTotal{2}\n" + stamp + "--- PASS: TestTotal{2} (0.00s)\n")


def _tap() -> Iterator[bytes]:
    yield b"TAP version 13\n"
    yield from _blocks("ok {2} - adds number {1} to the total of block {0}\n")


def _cargo() -> Iterator[bytes]:
    yield b"running 100000000 tests\n"
    yield from _blocks("test module_{0}::adds_{1} ... ok\n")


def utf16(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """As PowerShell writes it."""
    yield codecs.BOM_UTF16_LE
    for chunk in chunks:
        yield chunk.decode().replace("\n", "\r\n").encode("utf-16-le")
