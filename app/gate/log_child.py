"""The process that parses raw logs, started by `log_process`. It imports little, so that it starts quickly.

It reads frames of four bytes length (big-endian) and a log, and writes one JSON line for each.
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
from dataclasses import asdict
from typing import BinaryIO

from checks.job_log import read_job_log


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Until the source ends."""
    while len(size := source.read(4)) == 4:
        data = source.read(int.from_bytes(size, "big"))
        report = read_job_log(data, f"sha256:{hashlib.sha256(data).hexdigest()}")
        sink.write(json.dumps(asdict(report)).encode() + b"\n")
        sink.flush()


def main(memory: int, seconds: int) -> None:
    """`memory` in bytes of address space, `seconds` of processor time."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    serve(sys.stdin.buffer, sys.stdout.buffer)
