"""The process that analyses changed files, started by `analysis`: parsers of hostile sources, no credentials."""

from __future__ import annotations

import gc
import json
import sys
from dataclasses import asdict
from typing import BinaryIO

from app.gate.analysis_frames import read, read_tree
from app.gate.limits import limit
from checks.tampering.analyse import analyse


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Reads the tree's paths and changed files until the source ends, then writes the analysis as one JSON line."""
    tree = read_tree(source)
    sink.write(json.dumps(asdict(analyse(tuple(read(source)), tree))).encode() + b"\n")
    sink.flush()


def main(memory: int, seconds: int) -> None:
    """`memory` in bytes of address space, `seconds` of processor time."""
    limit(memory, seconds)
    gc.disable()  # it ends with its answer, and its memory is bounded; collecting would take a third of the time
    serve(sys.stdin.buffer, sys.stdout.buffer)
