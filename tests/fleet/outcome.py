"""A whole night from nothing to what came of it: played, left to rest, compared with what must be true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from app.store.tickets import history
from policies.tickets.metrics import Metrics, measure
from policies.tickets.week import week_of
from tests.fleet.log import Log, read_log
from tests.fleet.night import BEGINS, Night, Plan
from tests.fleet.recount import recount
from tests.fleet.town import town
from tests.fleet.truths import unshown, wrongs


@dataclass(frozen=True)
class Rules:
    """Limits of the night's policy. `attempts` and `dollars` are those of a day."""

    running: int
    attempts: int
    dollars: Decimal

    @property
    def policy(self) -> str:
        return f"""\
version: 1
ticket:
  required: true
  running: {self.running}
  costs: hard
  scale: {{enforced: false}}
  day: {{minutes: 1000000, attempts: {self.attempts}, cost: {self.dollars}}}
  pools: {{night: {{agents: {self.running}}}}}
"""


@dataclass(frozen=True)
class Outcome:
    """`wrongs` are sentences, none after a night as it should be; `counted` and `reported` are the week's numbers."""

    night: Night
    log: Log
    wrongs: list[str]
    counted: dict[str, Any]
    reported: dict[str, Any]
    unshown: list[int]


async def play(
    folder: Path, conninfo: str, plan: Plan, rules: Rules, told: Callable[[str], None] = lambda _: None
) -> Outcome:
    async with town(folder, conninfo, BEGINS, rules.policy) as place:
        night = Night(place, plan)
        await night.play(told)
        log = await read_log(place.database)
        found = await wrongs(night, log, rules.running, (rules.attempts, rules.dollars))
        counted, reported = recount(log), await _reported(night)
        await night.until(plan.ends + timedelta(hours=plan.rest))
        after = await read_log(place.database)
        found += await wrongs(night, after, rules.running, (rules.attempts, rules.dollars))
        return Outcome(night, log, found, counted, reported, unshown(night, after))


async def _reported(night: Night) -> dict[str, Any]:
    place = night.town
    now = place.clock.now
    week = week_of(now, UTC)
    async with place.database.transaction() as connection:
        found = measure(await history.read_records(connection, place.shop.id, week), week, now)
    return _as_counted(found)


def _as_counted(found: Metrics) -> dict[str, Any]:
    ratios = {
        "questions": found.questions,
        "reruns": found.reruns.rate,
        "cap_hits": found.cap_hits,
        "first_pass": found.first_pass,
        "zero_touch": found.zero_touch,
        "escalations": found.escalations,
        "cost": found.cost,
    }
    return {
        **{name: (ratio.part, ratio.whole) for name, ratio in ratios.items()},
        "ended": found.ended,
        "completed": found.completed,
        "unknown_costs": found.unknown_costs,
        "stops": (found.stops.confirmed, found.stops.p95),
        "raised": found.cap_drift and (found.cap_drift.raised, found.cap_drift.median),
        "waiting": found.review_wait.open,
    }
