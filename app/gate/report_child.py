"""The process that opens artifacts' archives and reads the test reports in them, started by `report_process`.

It reads frames of four bytes length (big-endian) and content: first the patterns of report files and the artifacts'
names as JSON, then each archive. It writes one JSON text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import BinaryIO

from app.gate.limits import limit
from checks.paths import PathPatterns
from checks.reports.artifacts import read_artifacts
from checks.snapshot import Unread


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answers once: a list of reports, or an object that says why there is none."""
    wanted = json.loads(_frame(source))
    read = read_artifacts(_archives(source, wanted["names"]), PathPatterns(wanted["files"]))
    answer = asdict(read) if isinstance(read, Unread) else [asdict(report) for report in read]
    sink.write(json.dumps(answer).encode())


def _archives(source: BinaryIO, names: list[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        yield name, _frame(source)


def _frame(source: BinaryIO) -> bytes:
    return source.read(int.from_bytes(source.read(4), "big"))


def main(memory: int, seconds: int) -> None:
    limit(memory, seconds)
    serve(sys.stdin.buffer, sys.stdout.buffer)
