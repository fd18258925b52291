"""Properties that are tried on a few examples among the tests, and for ten minutes each under MERGEGATE_SOAK=1."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

SOAK = os.environ.get("MERGEGATE_SOAK") == "1"
SECONDS = float(os.environ.get("MERGEGATE_SOAK_SECONDS", "600"))  # of each property
BATCH = 5_000
QUIET = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much)
Test = Callable[..., None]


def lasting(*strategies: SearchStrategy[Any], few: int = 150, **named: SearchStrategy[Any]) -> Callable[[Test], Test]:
    """`given`, with `few` examples, or in a soak with batches until the time is over; each batch has its own seed.

    What fails is shrunk and printed by hypothesis as always.
    """

    def decorate(test: Test) -> Test:
        limits = settings(max_examples=BATCH if SOAK else few, deadline=None, suppress_health_check=QUIET)
        short = limits(given(*strategies, **named)(test))
        return _soaking(test, short, limits, given(*strategies, **named)) if SOAK else short

    return decorate


def _soaking(test: Test, short: Test, limits: settings, giving: Callable[[Test], Test]) -> Test:
    tried = 0

    @functools.wraps(test)
    def counted(*arguments: Any, **more: Any) -> None:
        nonlocal tried
        tried += 1
        test(*arguments, **more)

    @functools.wraps(short, updated=())
    def soak(*arguments: Any, **more: Any) -> None:
        begun, number = time.monotonic(), time.time_ns()
        while time.monotonic() - begun < SECONDS:
            seed(number + tried)(settings(limits, database=None)(giving(counted)))(*arguments, **more)
        print(f"{test.__name__}: {tried} examples in {time.monotonic() - begun:.0f} seconds without a violation")

    return soak
