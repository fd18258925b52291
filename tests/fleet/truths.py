"""What must be true after a night, each told by a sentence where it is not. Nothing of the gate's own code is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from app.proxy import sessions
from app.proxy.refusal import Refusal
from tests.fleet.agents import DEAREST
from tests.fleet.log import Log
from tests.fleet.night import Night
from tests.fleet.people import ATTEMPTS, CAP, MINUTES
from tests.fleet.traffic import most_within
from tests.tickets.litellm import Held

# The diagram of the design, written down once more: from where one comes to where.
ARROWS = """
draft waiting | draft cancelled | waiting running | running waiting | running verifying | running needs_human
verifying mergeable | verifying verify_failed | verifying needs_human | verify_failed running | verify_failed waiting
verify_failed needs_human | verify_failed mergeable | verify_failed verifying | mergeable verifying | mergeable merged
mergeable verify_failed | mergeable queued | queued merged | needs_human running | needs_human waiting
needs_human verifying | waiting needs_human | stopping stopped | stopping cap_hit | stopping cancelled
stopped waiting | cap_hit waiting | verifying merged | running merged | needs_human merged | waiting waiting
"""
KNOWN = {tuple(each.split()) for each in ARROWS.replace("\n", "|").split("|") if each.strip()}
AT_WORK = ("running", "verifying", "verify_failed", "mergeable", "queued", "needs_human")
IN_WORK = ("running", "verifying", "verify_failed")
MOST_PUSHES = 12  # a person and a day, where the policy says nothing else
SLACK = timedelta(minutes=2)  # the watch comes once a minute, and a step of the night is seconds


async def wrongs(night: Night, log: Log, running: int, day: tuple[int, Decimal]) -> list[str]:
    """Everything that is not as it must be. `running` tickets in work at a time; `day`: attempts and US dollars."""
    found = [*_histories(log), *_outside(night, log), *_spending(night, log), *_times(night, log)]
    found += [*_in_work(log, running), *_days(night, log, *day), *_writes(night), *_pushes(night)]
    found += [f"session {session} was live where none may be" for session in sorted(night.powers)]
    return found + [sentence async for sentence in _powers(night, log)]


def _histories(log: Log) -> Iterator[str]:
    for number, changes in log.by_ticket.items():
        state = "draft"
        for one in changes:
            if one.before != state:
                yield f"#{number} was {state} and left {one.before}"
            if (one.before, one.after) not in KNOWN and not (
                one.before in ("waiting", *AT_WORK) and one.after == "stopping"
            ):
                yield f"#{number} went from {one.before} to {one.after}"
            state = one.after
        if state != log.tickets[number].state:
            yield f"#{number} is {log.tickets[number].state}, its log says {state}"


def _outside(night: Night, log: Log) -> Iterator[str]:
    """Against what GitHub has and what is true of the heads."""
    verdicts, pulls = night.town.verdicts, night.town.shop.pulls
    merged = {pull.head_ref: pull for pull in pulls.values() if pull.merged_at is not None}
    for number, held in log.tickets.items():
        pull = merged.get(f"agent/ticket-{number}")
        if (pull is not None) is not (held.state == "merged"):
            yield f"#{number} is {held.state}, its pull request is{'' if pull else ' not'} merged"
        if pull is not None and verdicts.truth[pull.head_sha].fault is not None:
            yield f"#{number} was merged with a fault"
        open_tries = [one for one in log.tries if one.number == number and one.ended_at is None]
        if len(open_tries) > (held.state in AT_WORK):
            yield f"#{number} is {held.state} and has {len(open_tries)} attempts under way"
        if held.state == "needs_human" and log.by_ticket[number][-1].event not in ("asked", "exhausted", "repeated"):
            yield f"#{number} needs a person because of {log.by_ticket[number][-1].event}"


def _spending(night: Night, log: Log) -> Iterator[str]:
    """A ticket's keys together: what was let through after the cap was reached is at most the call that reached it."""
    keys: list[Held] = [*night.town.litellm.keys.values(), *night.town.litellm.deleted.values()]
    spent = Counter[int]()
    for key in keys:
        spent[key.metadata["ticket"]] += key.spend  # type: ignore[assignment]
    for number, amount in spent.items():
        if amount >= CAP + DEAREST:
            yield f"#{number} spent {amount} of {CAP}"
        metered = sum((one.cost or Decimal(0) for one in log.tries if one.number == number), Decimal(0))
        if log.tickets[number].state not in AT_WORK and metered != amount:
            yield f"#{number} spent {amount}, of which the store knows {metered}"


def _times(night: Night, log: Log) -> Iterator[str]:
    for number, held in log.tickets.items():
        tries = [one for one in log.tries if one.number == number and one.started_at is not None]
        used = sum(
            ((one.ended_at or night.town.clock.now) - one.started_at for one in tries if one.started_at), timedelta()
        )
        most = max(held.minutes or 0, MINUTES)
        if used > timedelta(minutes=most) + SLACK:
            yield f"#{number} took {used} of {most} minutes"
        if len({one.attempt for one in tries}) > max(held.attempts or 0, ATTEMPTS):
            yield f"#{number} had {len({one.attempt for one in tries})} attempts"


def _in_work(log: Log, running: int) -> Iterator[str]:
    """Counted at every claim; an answer or a repair lets one go on that was in work before."""
    states: dict[int, str] = {}
    for one in log.changes:
        if one.event == "claimed" and sum(state in IN_WORK for state in states.values()) >= running:
            yield f"#{one.number} was claimed at {one.at} while {running} were in work"
        states[one.number] = one.after


def _days(night: Night, log: Log, attempts: int, dollars: Decimal) -> Iterator[str]:
    """An attempt is of the day on which it was claimed first, a dollar of the one on which it was spent."""
    began: dict[tuple[int, int], datetime] = {}
    for one in log.tries:
        if one.started_at is not None:
            began.setdefault((one.number, one.attempt), one.claimed_at)
    for day, count in Counter(f"{at:%F}" for at in began.values()).items():
        if count > attempts:
            yield f"{count} attempts began on {day}, of {attempts}"
    spent: dict[str, Decimal] = {}
    for at, _, cost in night.seen.spent:
        spent[f"{at:%F}"] = spent.get(f"{at:%F}", Decimal(0)) + cost
    for day, amount in spent.items():
        if amount > dollars + DEAREST * night.plan.agents:
            yield f"{amount} USD were spent on {day} of {dollars}"


def _writes(night: Night) -> Iterator[str]:
    traffic = night.town.traffic
    for length, most in ((timedelta(minutes=1), 80), (timedelta(hours=1), 500)):
        found = most_within(traffic.written_at, length)
        if found > most:
            yield f"{found} writes within {length}"
    if traffic.refused:
        yield f"GitHub refused {traffic.refused} requests"


def _pushes(night: Night) -> Iterator[str]:
    """Comments of the gate that mention a person are what GitHub pushes to a phone."""
    shop, bot = night.town.shop, night.town.app.bot_login
    comments = [one for issue in shop.issues.values() for one in issue.comments if one.user == bot]
    by_day = Counter[tuple[str, str]]()
    for one in comments:
        for login in re.findall(r"(?<![\w`/])@(ada|bob)\b", one.body):
            by_day[login, f"{one.created_at:%F}"] += 1
            if not 8 <= one.created_at.hour < 20 and "stop" not in one.body:
                yield f"{login} was woken at {one.created_at}: {one.body[:60]}"
    for (login, date), count in by_day.items():
        if count > MOST_PUSHES:
            yield f"{login} was told {count} times on {date}"


async def _powers(night: Night, log: Log) -> AsyncIterator[str]:
    """Every token and every key for models that was handed out."""
    for number, token in night.seen.tokens:
        live = not isinstance(await sessions.find(night.town.database, token), Refusal)
        if live and log.tickets[number].state not in AT_WORK:
            yield f"a token of #{number}, which is {log.tickets[number].state}, works"
    for key in night.town.litellm.keys.values():
        number = key.metadata["ticket"]
        if not key.blocked and log.tickets[number].state not in AT_WORK:
            yield f"a key for models of #{number}, which is {log.tickets[number].state}, is not blocked"


def unshown(night: Night, log: Log) -> list[int]:
    """Tickets whose one label on GitHub says something else than the store."""
    issues = night.town.shop.issues
    wanted = {number: f"agent/{held.state.replace('_', '-')}" for number, held in log.tickets.items()}
    return [
        n for n, label in wanted.items() if [each for each in issues[n].labels if each.startswith("agent/")] != [label]
    ]
