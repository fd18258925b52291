"""`mergegate report`: the week's numbers of a repository's tickets, from the store."""

from __future__ import annotations

import asyncio
import csv
import os
import sys
from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from app.cli.gate_store import known_repository, opened
from app.cli.printing import print_json, print_line, progress
from app.cli.repository_name import parse_repository
from app.config import Settings, read_settings
from app.local.clone import CannotLook
from app.logging import configure_logging
from app.tickets.reporting import Report, read_report
from policies.escape import clean
from policies.tickets.limits import dollars
from policies.tickets.metrics import Metrics
from policies.tickets.projection import project
from policies.tickets.report import CSV_HEAD, csv_rows, headline, report_record, rows
from policies.tickets.week import Week, read_week, week_of

NO_COST = "Nothing was merged in that week, so nobody knows what a ticket costs."


def report(
    repository: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="For example acme/shop.")],
    week: Annotated[str, typer.Option(help="Like 2026-W48; the last one that has ended if it is left out.")] = "",
    zone: Annotated[str, typer.Option(help="Whose Monday begins a week, like Asia/Tokyo.")] = "UTC",
    plan: Annotated[
        int, typer.Option(min=0, max=100_000, help="Also say what so many tickets like these would cost.")
    ] = 0,
    cap: Annotated[
        float, typer.Option(min=0.01, max=100_000, help="The cost limit of one of them, in US dollars.")
    ] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print rows: week, metric, value, part, whole, unit.")] = False,
) -> None:
    """Show the week's numbers of a repository's tickets. Exit code 2: they could not be read."""
    configure_logging()
    owner, name = parse_repository(repository)
    now = datetime.now(UTC)
    asked = _week(week, zone, now)
    with progress("Counting"):
        found = asyncio.run(_read(read_settings(os.environ), owner, name, asked, now))
    if as_json:
        print_json(_record(found))
    elif as_csv:
        _print_rows(found.this)
    else:
        _print(found)
        if plan:
            planned = project(found.this, plan, dollars(cap))
            print_line(NO_COST if planned is None else planned.words)


def _week(written: str, zone: str, now: datetime) -> Week:
    """Raises CannotLook."""
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise CannotLook(f"{clean(zone, 80)!r} is no time zone. Write one like UTC or Asia/Tokyo.") from None
    try:
        return read_week(written, place) if written else week_of(now, place).before(1)
    except ValueError as wrong:
        raise CannotLook(str(wrong)) from None


async def _read(settings: Settings, owner: str, name: str, week: Week, now: datetime) -> Report:
    """Raises CannotLook."""
    async with opened(settings) as database, database.transaction() as connection:
        found = await known_repository(connection, owner, name)
        return await read_report(connection, found.repository_id, week, now)


def _record(found: Report) -> dict[str, object]:
    return {
        "week": found.this.week,
        "metrics": report_record(found.this),
        "before": {"week": found.before.week, "metrics": report_record(found.before)},
        "scale": {"step": found.scale.step, "raised": found.scale.raised, "because": list(found.scale.because)},
    }


def _print_rows(metrics: Metrics) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    writer.writerows(csv_rows(metrics))


def _print(found: Report) -> None:
    """The verdict, why not more, then each number with that of the week before where it is another one."""
    print_line(headline(found.this, found.scale))
    for reason in found.scale.because:
        print_line(f"  not more, because: {clean(reason, 300)}")
    before = {row.key: row.shown for row in rows(found.before)}
    for row in rows(found.this):
        earlier = before.get(row.key, "0")
        print_line(f"{row.words}: {row.shown}" + ("" if earlier == row.shown else f", before {earlier}"))
