"""The process that reads raw logs of other CI systems, for `other_log_process`.

It reads `frames`: first the system and the steps' headings as JSON, then each step's output. It writes one JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import BinaryIO

from app.gate.frames import read_frame
from checks.job_log import read_job_log_stream
from checks.other_ci_log import NotItsLog, plain_log

read_job_log_stream(())  # makes what every log is searched with, once, before children are forked


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answers once: what the log says, or why it is none."""
    asked = json.loads(read_frame(source))
    try:
        said = asdict(read_job_log_stream(plain_log(asked["system"], _parts(source, asked["headings"]))))
    except NotItsLog as wrong:
        said = {"because": str(wrong)}
    sink.write(json.dumps(said).encode())


def _parts(source: BinaryIO, headings: list[str]) -> Iterator[tuple[str, bytes]]:
    for heading in headings:
        yield heading, read_frame(source)
