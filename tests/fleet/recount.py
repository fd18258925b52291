"""The week's numbers counted once more, from the plain rows alone and without a line of the code that reports them."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

from tests.fleet.log import Changed, Log, Tried

ENDS = ("merged", "stopped", "cap_hit", "cancelled")
GOES_UP = {"requirement_conflict", "permission_expansion", "repeated_failure", "data_migration"}
GOES_UP |= {"stop_unconfirmed", "judges_disagree", "cap_hits"}
# What `people.form` asks for, and what README says the default policy gives.
FORM = {"minutes": 110, "attempts": 3, "cost": 3}
USUAL = {"minutes": 120, "attempts": 3, "cost": 10}
ASKS_NOTHING = {"status", "help", "ticket"}


def recount(log: Log) -> dict[str, Any]:
    """All of it happened within one week, so that no date has to be looked at."""
    ended = {number: last for number, all_ in log.by_ticket.items() if (last := _last_end(all_)) is not None}
    merged = {one.number: one.at for one in reversed(log.changes) if one.event == "merged"}
    runs_ended = [one for one in log.tries if one.ended_at is not None and one.started_at is not None]
    return {
        "ended": len(ended),
        "completed": len(merged),
        "questions": (len({row[:3] for row in log.asked}), len(merged)),
        "reruns": (sum(last.attempt - 1 for last in ended.values() if last.attempt > 1), len(ended)),
        "cap_hits": _cap_hits(log),
        "first_pass": _first_pass(log, ended),
        "zero_touch": (sum(_is_untouched(log, number, at) for number, at in merged.items()), len(merged)),
        "escalations": (sum(_went_up(log, number) for number in ended), len(ended)),
        "cost": (sum((one.cost for one in runs_ended if one.cost is not None), Decimal(0)), len(merged)),
        "unknown_costs": sum(one.cost is None for one in runs_ended),
        "stops": _stops(log),
        "raised": _raised(log),
        "waiting": sum(all_[-1].after == "needs_human" and not _acts_since(log, all_[-1]) for all_ in _moved(log)),
    }


def _moved(log: Log) -> list[list[Changed]]:
    return [changes for changes in log.by_ticket.values() if changes]


def _last_end(changes: list[Changed]) -> Changed | None:
    return next((one for one in reversed(changes) if one.after in ENDS), None)


def _cap_hits(log: Log) -> tuple[int, int]:
    limited = {(one.number, one.attempt) for one in log.changes if one.event in ("cap", "exhausted")}
    over = [one for one in log.tries if one.started_at is not None and _is_over(log, one)]
    return sum((one.number, one.attempt) in limited for one in over), len(over)


def _is_over(log: Log, one: Tried) -> bool:
    """An attempt that rested for a question goes on when that is answered."""
    if one.ended_at is None or one.outcome != "asked":
        return one.ended_at is not None
    asked_at = one.ended_at
    left = [c for c in log.by_ticket[one.number] if c.before == "needs_human" and c.at >= asked_at]
    return bool(left) and left[0].event != "answered"


def _first_pass(log: Log, ended: dict[int, Changed]) -> tuple[int, int]:
    verdicts = [[c.event for c in log.by_ticket[number] if c.event in ("passed", "failed")] for number in ended]
    firsts = [events[0] for events in verdicts if events]
    return firsts.count("passed"), len(firsts)


def verbs_of(body: str) -> set[str]:
    """The verbs of the lines at the top."""
    return {verb.lower() for verb in re.findall(r"^[ \t]*[/／]([a-zA-Z-]+)", body, re.M)}


def _acts(log: Log, number: int) -> list[datetime]:
    """When people said to it what changes something."""
    pull = log.tickets[number].pull
    said = [*log.said_to.get(number, ()), *log.said_to.get(pull or 0, ())]
    return sorted(at for words, at in said if verbs_of(words) - ASKS_NOTHING)


def _acts_since(log: Log, change: Changed) -> bool:
    return any(at >= change.at for at in _acts(log, change.number))


def _is_untouched(log: Log, number: int, merged_at: datetime) -> bool:
    accepted = next(one.at for one in log.by_ticket[number] if one.event == "accepted")
    return not any(accepted < at < merged_at for at in _acts(log, number))


def _went_up(log: Log, number: int) -> bool:
    asked = any(row[0] == number and row[1] in GOES_UP for row in log.asked)
    return asked or any(one.event == "exhausted" for one in log.by_ticket[number])


def _stops(log: Log) -> tuple[int, float | None]:
    """How many were confirmed, and the 95th percentile of their seconds since the comment, by nearest rank."""
    seconds: list[float] = []
    for changes in _moved(log):
        for stop, gone in pairwise(changes):
            if stop.event == "stop":
                seconds.append((gone.at - _asked_at(log, stop)).total_seconds())
    seconds.sort()
    return len(seconds), seconds[math.ceil(0.95 * len(seconds)) - 1] if seconds else None


def _asked_at(log: Log, stop: Changed) -> datetime:
    said = [at for words, at in log.said_to.get(stop.number, ()) if "stop" in verbs_of(words)]
    return max([at for at in said if at <= stop.at], default=stop.at)


def _raised(log: Log) -> tuple[int, float | None]:
    """How often a limit was set higher than the form's or than it was set before, and the median of what it became as
    a multiple of what the policy gives every ticket."""
    hold: dict[tuple[int, str], float] = {}
    shares: list[float] = []
    for number, words, _, _ in log.said:
        for name, given in re.findall(r"\b(minutes|attempts|cost)=([0-9.]+)", words):
            before, hold[number, name] = hold.get((number, name), FORM[name]), float(given)
            if float(given) > before:
                shares.append(float(given) / USUAL[name])
    return len(shares), statistics.median(shares) if shares else None


def by_state(log: Log) -> Counter[str]:
    return Counter(one.state for one in log.tickets.values())
