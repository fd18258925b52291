"""The process that analyses changed files, started by `analysis`: parsers of hostile sources, no credentials."""

from __future__ import annotations

import json
import resource
import sys
from dataclasses import asdict
from typing import BinaryIO

from checks.tampering.analyse import analyse

from app.gate.analysis_frames import read


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Reads changed files until the source ends, then writes the analysis as one JSON line."""
    sink.write(json.dumps(asdict(analyse(tuple(read(source))))).encode() + b"\n")
    sink.flush()


def main(memory: int, seconds: int) -> None:
    """`memory` in bytes of address space, `seconds` of processor time."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    serve(sys.stdin.buffer, sys.stdout.buffer)
