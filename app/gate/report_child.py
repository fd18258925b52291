"""The process that opens artifacts' archives and reads the test reports in them, for `report_process`.

It reads `frames`: first the patterns of report files and the artifacts' names as JSON, then each archive. It writes
one JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import BinaryIO

from app.gate.frames import read_frame
from checks.paths import PathPatterns
from checks.reports.artifacts import read_artifacts
from checks.unread import Unread


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answers once: a list of reports, or an object that says why there is none."""
    wanted = json.loads(read_frame(source))
    read = read_artifacts(_archives(source, wanted["names"]), PathPatterns(wanted["files"]))
    answer = asdict(read) if isinstance(read, Unread) else [asdict(report) for report in read]
    sink.write(json.dumps(answer).encode())


def _archives(source: BinaryIO, names: list[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        yield name, read_frame(source)
