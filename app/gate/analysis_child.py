"""The process that analyses changed files, for `analysis`: parsers of hostile sources, no credentials."""

from __future__ import annotations

import gc
import json
from dataclasses import asdict
from typing import BinaryIO

from app.gate.analysis_frames import read, read_tree
from checks.tampering.analyse import analyse


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Reads the tree's paths and changed files until the source ends, then writes the analysis as one JSON line."""
    gc.disable()  # it ends with its answer, and its memory is bounded; collecting would take a third of the time
    tree = read_tree(source)
    sink.write(json.dumps(asdict(analyse(tuple(read(source)), tree))).encode() + b"\n")
