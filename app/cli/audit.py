"""`mergegate audit`: prove the audit log, report from it, export it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from app.cli.gate_store import in_store
from app.cli.printing import print_json, print_line, progress
from app.config import read_settings
from app.errors import ActionableError
from app.local.audit_report import Report, bypass_line, headline, merge_lines, report_of
from app.store import audit
from app.store.audit import Recorded, read_record
from app.store.audit_chain import Broken, Head, Verified, anchor_line, read_anchor
from app.store.database import Connection
from policies.escape import clean

T = TypeVar("T")
LONGEST_ANCHORS = 1024 * 1024  # bytes of a file with anchors
commands = typer.Typer(help="The audit log: prove it, report from it, export it.", no_args_is_help=True)
Since = Annotated[str | None, typer.Option(help="A date such as 2026-11-01, in UTC; the whole log without it.")]


class CannotRead(ActionableError, ValueError):
    """A date or an anchor that is none; the message says what is wanted."""


@commands.command("verify")
def verify(
    anchor: Annotated[
        list[str] | None,
        typer.Option(help="A line `mergegate-audit N sha256:…` that was kept elsewhere, or a file with such lines."),
    ] = None,
) -> None:
    """Say whether every record is there and as it was written. Exit code 0: it is; 1: it is not; 2: not all is seen."""
    anchors = [head for text in anchor or () for head in _anchors(text)]
    with progress("Reading the log"):
        found = _read(lambda connection: audit.verify(connection, anchors))
    if isinstance(found, Broken):
        print_line(f"The audit log is BROKEN at record {found.seq}: {found.because}.", "bold red")
        print_line("Whoever can write to the database changed it, or it was restored badly. Compare it with a backup.")
        raise typer.Exit(1)
    _print_whole(found, len(anchors))


def _print_whole(found: Verified, anchors: int) -> None:
    if found.uncompared:
        numbers = ", ".join(str(seq) for seq in found.uncompared)
        print_line(f"The audit log is whole, but anchors of removed records were not compared: {numbers}.", "yellow")
    elif found.last == 0:
        print_line("The audit log is empty.", "green")
    else:
        fits = f" and fits {anchors} anchor{'' if anchors == 1 else 's'}" if anchors else ""
        print_line(f"The audit log is whole{fits}: records {found.first} to {found.last}.", "green")
    if not anchors and found.last:
        print_line(
            "It was compared with no anchor: give --anchor with a line from outside to show it was not rewritten."
        )
    print_line(anchor_line(Head(found.last, found.digest)))
    raise typer.Exit(2 if found.uncompared else 0)


def _anchors(text: str) -> list[Head]:
    """Raises CannotRead."""
    inline = read_anchor(text)
    if inline is not None:
        return [inline]
    try:
        with Path(text).open("rb") as file:
            lines = file.read(LONGEST_ANCHORS).decode(errors="replace").splitlines()
    except OSError:
        lines = []
    found = [head for line in lines if (head := read_anchor(line)) is not None]
    if not found:
        raise CannotRead(f"{clean(text, 200)} is no anchor and no file with any; one is `mergegate-audit N sha256:…`")
    return found


@commands.command("report")
def report(
    since: Since = None, as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False
) -> None:
    """List what was merged: by whom, approved by whom, on what evidence and policy; overrides and bypasses."""
    moment = _moment(since)

    async def reported(connection: Connection) -> Report:
        records: list[Recorded] = []
        async for link in audit.links(connection, since=moment):
            record = read_record(link.record)
            if record.entry.kind in ("landing", "bypass"):
                records.append(record)
        return report_of(records)

    with progress("Reading the log"):
        found = _read(reported)
    if as_json:
        print_json({"since": since, "merges": list(found.merges), "bypasses": list(found.bypasses)})
        return
    print_line(headline(found, since), "bold red" if found.bypasses or found.alarms else "green")
    for bypass in found.bypasses:
        print_line(clean(f"! {bypass_line(bypass)}", 600), "bold red")
    for merge in found.merges:
        first, *more = merge_lines(merge)
        print_line(clean(first, 400))
        for line in more:
            print_line(f"  {clean(line, 800)}", "bold red" if line.startswith(("BYPASS", "ALARM", "OVERRIDE")) else "")


@commands.command("export")
def export(since: Since = None) -> None:
    """Write the records as JSON lines. `digest` is SHA-256 of the digest before and the bytes of `record` as it stands.

    Before the first record stands the digest of 32 zero bytes, or the one that the newest checkpoint names.
    """
    moment = _moment(since)

    async def write(connection: Connection) -> None:
        async for link in audit.links(connection, since=moment):
            # The record is put in as it is, so that whoever reads the line has the very bytes of the digest.
            sys.stdout.write(f'{{"digest":{json.dumps(link.digest.hex())},"record":{link.record}}}\n')

    _read(write)


def _moment(since: str | None) -> datetime | None:
    """Raises CannotRead."""
    if since is None:
        return None
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise CannotRead(f"--since {clean(since, 100)} is no date; write it as 2026-11-01") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read(work: Callable[[Connection], Awaitable[T]]) -> T:
    return asyncio.run(in_store(read_settings(os.environ), work))
