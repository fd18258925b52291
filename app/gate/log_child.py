"""The process that parses raw logs, started by `log_process`. It imports little, so that it starts quickly.

It reads each log in frames, four bytes length (big-endian) and so many bytes of the log, up to one of length 0, and
writes one JSON line for each log.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import BinaryIO

from app.gate.limits import limit
from checks.job_log import read_job_log_stream


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


def main(memory: int, seconds: int) -> None:
    """`memory` in bytes of address space, `seconds` of processor time."""
    limit(memory, seconds)
    serve(sys.stdin.buffer, sys.stdout.buffer)
