"""`mergegate bundle check`, `bundle make` and `bundle schema`."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.bundle_make import make
from app.cli.files import read_text, shown
from app.cli.printing import print_json, print_line
from checks.bundle import bundle_schema, read_given
from checks.document import Fault
from policies.escape import clean

commands = typer.Typer(help="The evidence bundle of an agent's pull request.", no_args_is_help=True)


@commands.command("check")
def check(
    file: Annotated[str, typer.Argument(help="A bundle, or a Markdown text that holds it; `-` reads stdin.")],
) -> None:
    """Say whether a bundle can be read. Exit code 0: yes; 1: it has faults; 2: the file could not be read."""
    reading = read_given(read_text(file))
    for fault in reading.faults:
        print_line(_fault_line(shown(file), fault))
    if reading.bundle is None:
        raise typer.Exit(1)
    given = ", ".join(name for name, value in reading.bundle if value is not None)
    print_line(f"{shown(file)} is a bundle that can be read. It gives: {given or 'nothing'}.")


commands.command("make")(make)


@commands.command("schema")
def schema() -> None:
    """Print the JSON Schema of the bundle."""
    print_json(bundle_schema())


def _fault_line(name: str, fault: Fault) -> str:
    place = ":".join(str(part) for part in (name, fault.line, fault.column) if part is not None)
    field = f"`{fault.field}`: " if fault.field else ""
    hint = f". {fault.hint[0].upper()}{fault.hint[1:]}" if fault.hint else ""
    return clean(f"{place}: {field}{fault.message}{hint}.", 1_000)
