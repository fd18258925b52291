"""`python -m tests.bench.log_reader FILE`: read a raw log once and say what that took, as one JSON object."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from checks.job_log import read_job_log_stream


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(256 * 1024):
            yield chunk


def _peak() -> int:
    """Bytes of memory that this process had at most; `getrusage` would count what it was forked from."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def main() -> None:
    begun = time.process_time()
    read = read_job_log_stream(_chunks(Path(sys.argv[1])))
    seconds = time.process_time() - begun
    print(json.dumps({"seconds": seconds, "peak": _peak(), "lines": read.report.lines, "green": read.report.green}))


if __name__ == "__main__":
    main()
