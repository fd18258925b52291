"""A simulated night: 1,000 tickets, 200 agents at a time, twelve hours. What it is made of stands in `tests.fleet`."""

from __future__ import annotations

import logging
import resource
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import structlog

from app.store.database import running
from tests.bench.measured import Row
from tests.fleet.night import Plan
from tests.fleet.outcome import Outcome, Rules, play
from tests.fleet.recount import by_state
from tests.fleet.traffic import most_within

PLAN = Plan(tickets=1_000, agents=200, hours=12, phone=6, rest=6)
RULES = Rules(running=200, attempts=900, dollars=Decimal(1_400))
SIZE = f"{PLAN.tickets:,} tickets, {PLAN.agents} agents, {PLAN.hours:g} hours"


async def measure(folder: Path, say: Callable[[str], None]) -> list[Row]:
    """Raises AssertionError with what is not as it must be."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    begun = time.perf_counter()

    def told(words: str) -> None:
        say(f"a simulated night, {time.perf_counter() - begun:,.0f} s: {words}")

    async with running(folder / "postgres") as server:
        outcome = await play(folder, server.conninfo, PLAN, RULES, told)
    assert outcome.wrongs == [], "\n".join(outcome.wrongs[:20])
    assert outcome.reported == outcome.counted, (outcome.reported, outcome.counted)
    return list(_rows(outcome, time.perf_counter() - begun))


def _rows(outcome: Outcome, seconds: float) -> Iterator[Row]:
    traffic, counted = outcome.night.town.traffic, outcome.counted
    minutes, hours = (most_within(traffic.written_at, timedelta(**{unit: 1})) for unit in ("minutes", "hours"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    states = ", ".join(f"{count} {state}" for state, count in sorted(by_state(outcome.log).items()))
    yield Row("simulated night", f"{seconds / 60:.1f} min", f"{SIZE}; {memory:.0f} MB with the simulated GitHub")
    yield Row("its tickets in the morning", states, f"{counted['completed']} merged; every state as its log says")
    yield Row("writes of content to GitHub", f"{minutes} a minute, {hours} an hour", "at most; GitHub takes 80 and 500")
    each = f"{traffic.charged / PLAN.tickets:.0f} charged, {traffic.requests / PLAN.tickets:.0f} in all"
    yield Row("requests to GitHub for a ticket", each, "without the judgement of its pull request")
    yield Row("tickets not shown as they are", str(len(outcome.unshown)), f"{PLAN.rest:g} hours later")
