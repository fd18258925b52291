"""`mergegate ticket check FILE`: what the gate will say about a ticket, without GitHub."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.files import read_text
from app.cli.printing import print_json, print_line
from checks.tickets.canonical import ticket_schema
from checks.tickets.form import Miss, TicketForm
from checks.tickets.readiness import read_ticket
from policies.escape import clean

commands = typer.Typer(help="Tickets: issues that an agent can finish without a reply.", no_args_is_help=True)


@commands.command("check")
def check(
    file: Annotated[str, typer.Argument(help="The issue's body; `-` reads standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say whether a ticket is ready. Exit code 0: it is; 1: something is missing or open; 2: could not look."""
    body = read_text(file)
    form, misses = read_ticket(body)
    if as_json:
        print_json(_record(form, misses))
    else:
        _print(form, misses)
    raise typer.Exit(1 if misses else 0)


@commands.command("schema")
def schema() -> None:
    """Print the JSON Schema of a ticket's canonical form, which agents are given and the hash is taken of."""
    print_json(ticket_schema())


def _record(form: TicketForm | None, misses: tuple[Miss, ...]) -> dict[str, object]:
    return {
        "ready": not misses,
        "misses": [{"field": miss.field, "reason": miss.reason} for miss in misses],
        "ticket": form.fields if form else None,
        "digest": form.digest if form else None,
    }


def _print(form: TicketForm | None, misses: tuple[Miss, ...]) -> None:
    if not misses and form is not None:
        print_line(f"Ready: it can be finished without a reply. {form.digest}", "green")
        return
    print_line(f"Not ready: {len(misses)} to repair.", "bold red")
    for miss in misses:
        print_line(f"- {clean(str(miss), 600)}")
