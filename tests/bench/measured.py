"""One line of the table, and how durations are summed up."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    what: str
    measured: str
    of: str  # what it was measured on


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms"


def percentile(durations: Sequence[float], percent: int) -> float:
    return statistics.quantiles(durations, n=100, method="inclusive")[percent - 1]


def best_of(times: int, call: Callable[[], object]) -> float:
    """Processor seconds of the quickest of several calls: what others do on the machine does not count."""
    durations = []
    for _ in range(times):
        begun = time.process_time()
        call()
        durations.append(time.process_time() - begun)
    return min(durations)
