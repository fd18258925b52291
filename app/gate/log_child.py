"""The process that parses raw logs, for `log_process`.

It reads each log in `frames`, up to one of length 0, and writes one JSON line for each log.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import BinaryIO

from checks.job_log import read_job_log_stream

read_job_log_stream(())  # makes what every log is searched with, once, before children are forked


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Until the source ends."""
    while len(length := source.read(4)) == 4:
        report = read_job_log_stream(_log(length, source))
        sink.write(json.dumps(asdict(report)).encode() + b"\n")
        sink.flush()


def _log(length: bytes, source: BinaryIO) -> Iterator[bytes]:
    while size := int.from_bytes(length, "big"):
        yield source.read(size)
        length = source.read(4)
