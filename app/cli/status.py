"""`mergegate status`: how the gate is, for the person who must act, on one screen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from app.ages import ago
from app.cli.gate_store import opened
from app.cli.printing import counted, print_json, print_line, progress
from app.config import Settings, read_settings
from app.logging import configure_logging
from app.store import work
from app.store.database import Database
from app.store.overview import Overview, overview
from app.store.tickets import canaries
from app.store.work import Counts, Parked
from policies.escape import clean
from policies.tickets.canary import Missed

SHOWN = 5  # parked keys


@dataclass(frozen=True, slots=True)
class State:
    counts: Counts
    parked: list[Parked]
    overview: Overview
    tried: datetime | None = None  # when canary tickets ran last
    missed: Missed | None = None
    canary_hours: int = 24


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong and what to do next."""

    what: str
    fix: str


def status(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """Say how the gate is: work, what was given up, when it last heard of GitHub.

    Exit code 0: well; 1: somebody should look; 2: it could not be read.
    """
    configure_logging()
    settings = read_settings(os.environ)
    with progress("Looking"):
        state = asyncio.run(_read(settings))
    found = troubles(state)
    if as_json:
        print_json(_record(state, found))
    else:
        _print(state, found)
    raise typer.Exit(1 if found else 0)


async def _read(settings: Settings) -> State:
    """Raises CannotLook."""
    async with opened(settings) as database:
        return await state_of(database, settings.canary_hours)


async def state_of(database: Database, canary_hours: int) -> State:
    async with database.transaction() as connection:
        seen = await overview(connection)
        tried, missed = await canaries.newest(connection), await canaries.missed(connection)
    return State(await work.counts(database), await work.parked(database), seen, tried, missed, canary_hours)


def troubles(state: State) -> list[Trouble]:
    """What somebody should look at, the most urgent first."""
    return [*_of_canaries(state), *_of_work(state.counts), *_of_beginning(state)]


def _of_beginning(state: State) -> Iterator[Trouble]:
    """A worker leaves keys of its own at once, so without any none has ever run."""
    if state.overview.last_listing is None and not _known(state.counts):
        yield Trouble(
            "No worker has ever run here",
            "Start `mergegate serve`, or set MERGEGATE_DATA or MERGEGATE_DATABASE_URL as the service has it.",
        )


def _known(counts: Counts) -> int:
    return counts.due + counts.leased + counts.later + counts.parked


def _of_canaries(state: State) -> Iterator[Trouble]:
    if state.missed is not None:
        yield Trouble(
            clean(state.missed.words, 300),
            "No ticket is handed out. Mend what let it go on; it is tried again every ten minutes. "
            "`mergegate canary lift` lets work begin all the same.",
        )
    if _is_late(state):
        yield Trouble(
            f"Canary tickets have not run for {ago(state.overview.now - (state.tried or state.overview.now))}",
            "Nobody knows whether limits still hold. Is a worker running? Its log says why they do not.",
        )


def _of_work(counts: Counts) -> Iterator[Trouble]:
    waits = timedelta(seconds=counts.oldest)
    if waits > work.LATE:
        yield Trouble(
            f"Work has waited for {ago(waits)}",
            "Is a worker running (`mergegate serve` or `work`)? If it is, its log says what it waits for.",
        )
    if counts.parked:
        yield Trouble(
            f"{counts.parked} given up after {work.PARKS_AT} attempts",
            "Mend what the last error names. A push, a comment or *Re-run* on the check starts it again.",
        )


def _is_late(state: State) -> bool:
    """Twice as long as they should rest."""
    if state.tried is None or not state.canary_hours:
        return False
    return state.overview.now - state.tried > 2 * timedelta(hours=state.canary_hours)


def _record(state: State, found: list[Trouble]) -> dict[str, Any]:
    seen = asdict(state.overview)
    return {
        "well": not found,
        "troubles": [asdict(each) for each in found],
        "work": asdict(state.counts),
        "parked": [
            {"key": each.key, "attempts": each.attempts, "last_error": each.last_error} for each in state.parked
        ],
        "canaries": {
            "hours": state.canary_hours,
            "tried": None if state.tried is None else state.tried.isoformat(),
            "missed": None if state.missed is None else state.missed.limit,
        },
        **{name: value.isoformat() if isinstance(value, datetime) else value for name, value in seen.items()},
    }


def _print(state: State, found: list[Trouble]) -> None:
    print_line("; ".join(each.what for each in found) + "." if found else "All is well: nothing waits.")
    for each in found:
        print_line(f"  {each.fix}")
    counts, seen = state.counts, state.overview
    print_line(f"Work: {counts.due} due, {counts.leased} in work, {counts.later} later, {counts.parked} given up.")
    for parked in state.parked[:SHOWN]:
        print_line(f"  {clean(parked.key, 120)}: {clean(parked.last_error or 'no error was kept', 200)}")
    if len(state.parked) > SHOWN:
        print_line(f"  and {len(state.parked) - SHOWN} more; --json shows all.")
    pulls, places = (
        counted(seen.open_pulls, "open pull request"),
        counted(seen.repositories, "repository", "repositories"),
    )
    print_line(f"Watched: {pulls} in {places}.")
    print_line(f"Last delivery {_age(seen, seen.last_delivery)}, last listing {_age(seen, seen.last_listing)}.")
    print_line(
        f"Decisions: {seen.decisions_of_an_hour} in the last hour, the last one {_age(seen, seen.last_decision)}."
    )
    print_line(f"Sessions of agents: {seen.open_sessions}.")
    off = "" if state.canary_hours else "; they are off (MERGEGATE_CANARY_HOURS=0), so nobody knows whether limits hold"
    print_line(f"Canary tickets tried every limit: {_age(seen, state.tried)}{off}.")


def _age(seen: Overview, moment: datetime | None) -> str:
    return "never" if moment is None else f"{ago(seen.now - moment)} ago"
