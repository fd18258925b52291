"""`mergegate canary`: whether limits stopped the tickets that were made to exceed them, and work in spite of one."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer

from app.ages import ago
from app.cli.gate_store import opened
from app.cli.printing import print_json, print_line, progress
from app.config import read_settings
from app.errors import ActionableError
from app.logging import configure_logging
from app.store import audit
from app.store.audit import Entry
from app.store.tickets import canaries
from app.store.tickets.canaries import Tried
from policies.escape import clean
from policies.tickets.canary import Missed

LONGEST = 1_000  # characters of a reason
commands = typer.Typer(
    help="Canary tickets: whether limits stopped what was made to exceed them.", no_args_is_help=True
)


class NothingMissed(ActionableError, ValueError):
    """There is nothing to lift."""


@commands.command("list")
def list_(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """Say how each limit held when it was tried last.

    Exit code 0: nothing holds up work; 1: a missed stop does; 2: it could not be read.
    """
    configure_logging()
    with progress("Looking"):
        found, missed = asyncio.run(_read())
    if as_json:
        limits = [{**asdict(each), "at": each.at.isoformat()} for each in found]
        print_json({"missed": None if missed is None else missed.limit, "limits": limits})
    else:
        _print(found, missed, datetime.now(UTC))
    raise typer.Exit(0 if missed is None else 1)


def _print(found: list[Tried], missed: Missed | None, now: datetime) -> None:
    if missed is not None:
        print_line(f"{clean(missed.words, 300)}: no ticket is handed out.")
    elif not found:
        print_line("No canary ticket has run yet.")
    else:
        print_line("No missed stop holds up work.")
    for each in found:
        held = "held" if each.passed else "did NOT hold"
        print_line(f"  {each.limit} {held}, {ago(now - each.at)} ago: {clean(each.seen, 200)}")


@commands.command()
def lift(
    because: Annotated[str, typer.Argument(metavar="WHY", help="Why work may begin although a limit did not hold.")],
    by: Annotated[str, typer.Option(help="Who takes it upon themselves.")],
) -> None:
    """Let work begin in spite of a missed stop. The next one that is missed holds it up again."""
    configure_logging()
    missed = asyncio.run(_lift(by, because))
    print_line(f"Work may begin again. {clean(missed.words, 300)}, which stays to be mended.")


async def _lift(by: str, because: str) -> Missed:
    if not by.strip() or not because.strip() or max(len(by), len(because)) > LONGEST:
        raise NothingMissed("say who lifts it and why, in up to 1,000 characters each")
    async with opened(read_settings(os.environ)) as database, database.transaction() as connection:
        missed = await canaries.missed(connection)
        if missed is None:
            raise NothingMissed("no missed stop holds up work, so there is nothing to lift")
        await canaries.lift(connection, by, because, datetime.now(UTC))
        data = {"by": by, "because": because, "limit": missed.limit, "seen": missed.seen}
        await audit.append(connection, [Entry("configuration", "missed canary lifted", None, data)])
    return missed


async def _read() -> tuple[list[Tried], Missed | None]:
    async with opened(read_settings(os.environ)) as database, database.transaction() as connection:
        missed = await canaries.missed(connection)
        return await canaries.last(connection), missed
