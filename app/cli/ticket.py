"""`mergegate ticket check FILE`: what the gate will say about a ticket, without GitHub."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from app.cli.files import read_text
from app.cli.printing import print_json, print_line
from checks.tickets.form import Miss, TicketForm, parse_form
from checks.tickets.readiness import lint
from policies.escape import clean

commands = typer.Typer(help="Tickets: issues that an agent can finish without a reply.", no_args_is_help=True)


@commands.callback()
def _group() -> None:
    """A group with one command is still a group."""


@commands.command("check")
def check(
    file: Annotated[str, typer.Argument(help="The issue's body; `-` reads standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say whether a ticket is ready. Exit code 0: it is; 1: something is missing or open; 2: could not look."""
    body = read_text(file)
    form = parse_form(body)
    misses = lint(form, body) if isinstance(form, TicketForm) else form
    if as_json:
        print_json(_record(form, misses))
    else:
        _print(form, misses)
    raise typer.Exit(1 if misses else 0)


def _record(form: TicketForm | tuple[Miss, ...], misses: tuple[Miss, ...]) -> dict[str, object]:
    ticket = form if isinstance(form, TicketForm) else None
    return {
        "ready": not misses,
        "misses": [{"field": miss.field, "reason": miss.reason} for miss in misses],
        "ticket": json.loads(ticket.canonical) if ticket else None,
        "digest": ticket.digest if ticket else None,
    }


def _print(form: TicketForm | tuple[Miss, ...], misses: tuple[Miss, ...]) -> None:
    if not misses and isinstance(form, TicketForm):
        print_line(f"Ready: it can be finished without a reply. {form.digest}", "green")
        return
    print_line(f"Not ready: {len(misses)} to repair.", "bold red")
    for miss in misses:
        print_line(f"- {clean(str(miss), 600)}")
