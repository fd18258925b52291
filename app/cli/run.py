"""`mergegate run -- COMMAND…`: run a command and record it for the bundle."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.local.recording import record_command
from policies.escape import clean


def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="The command and its arguments.")],
) -> None:
    """Run a command, pass its output and exit code through, and record what it did for `mergegate bundle make`.

    The record (command, exit code, times, output with its digest, files before and after) stays in the clone's git
    folder. It is never proof; the gate only compares it. Exit code: the command's; 2 also where it could not be run.
    """
    record = asyncio.run(record_command(Path.cwd(), command))
    moved = "" if record.kept_still else "; it changed files, so run it again before the commit"
    line = f"mergegate: {clean(record.command, 200)} ended with {record.exit_code}, recorded{moved}."
    sys.stdout.flush()
    typer.echo(line, err=True)
    raise typer.Exit(record.exit_code)
