"""`mergegate check`: a change in a local clone, judged without GitHub."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.files import read_bytes, read_text, shown
from app.cli.printing import print_json, print_line, print_verdict, progress, verdict_record
from app.local.clone import CannotLook, find_clone
from app.local.judge import Request, judge
from app.local.work import finish
from checks.finding import Status
from policies.escape import clean

if TYPE_CHECKING:
    from checks.snapshot import Ticket
    from policies.verdict import Verdict

_EXIT_CODES = {Status.FAILED: 1, Status.ERRORED: 2}


def check(
    repo: Annotated[str, typer.Option("--repo", metavar="DIR", help="A clone, or a folder in it.")] = ".",
    base: Annotated[str, typer.Option("--base", metavar="REV", help="The target branch's tip.")] = "origin/HEAD",
    head: Annotated[str, typer.Option("--head", metavar="REV", help="The commit to judge.")] = "HEAD",
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="FILE", help="Instead of .github/mergegate.yml at --base.")
    ] = None,
    bundle: Annotated[
        str | None, typer.Option("--bundle", metavar="FILE", help="The evidence bundle, or a text that holds it.")
    ] = None,
    log: Annotated[
        list[str] | None, typer.Option("--log", metavar="FILE", help="A raw job log to compare with the bundle.")
    ] = None,
    ticket: Annotated[str | None, typer.Option("--ticket", metavar="FILE", help="The ticket.")] = None,
    tampering: Annotated[bool, typer.Option(help="Whether tests before and after are compared.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Judge a change in a local clone without GitHub.

    What only GitHub can tell is pending, and the change is judged as an agent's: nobody is known to be a person. Exit
    code 0: nothing failed; 1: something failed; 2: it could not be looked at.
    """
    # Models of a gate have no plugins; pydantic would search all that is installed for some.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    request = Request(
        repository=Path(repo),
        base=base,
        head=head,
        now=datetime.now(UTC),
        policy=None if policy is None else (shown(policy), read_text(policy)),
        bundle=None if bundle is None else read_text(bundle),
        ticket=None if ticket is None else read_ticket(ticket),
        logs=_logs(log or ()),
        tampering=tampering,
    )
    with progress("Reading the change"):
        verdict = finish(judge(request))
    if find_clone(request.repository).is_shallow:
        typer.echo("mergegate: the clone is shallow, so where the branches parted is not certain.", err=True)
    _print(verdict, as_json=as_json)
    raise typer.Exit(_EXIT_CODES.get(verdict.status, 0))


def _print(verdict: Verdict, *, as_json: bool) -> None:
    if as_json:
        print_json(verdict_record(verdict))
        return
    print_verdict(verdict)
    print_line("Judged without GitHub, and therefore as an agent's: nobody is known to be a person.", "dim")


def read_ticket(name: str) -> Ticket:
    """Raises CannotLook."""
    from checks.snapshot import Ticket
    from checks.ticket import parse_ticket

    ticket = parse_ticket(read_text(name))
    if isinstance(ticket, Ticket):
        return ticket
    faults = "; ".join(f"{fault}{f' ({fault.hint})' if fault.hint else ''}" for fault in ticket)
    raise CannotLook(f"the ticket {shown(name)} cannot be used: {clean(faults, 1_000)}. Correct it.")


def _logs(names: Sequence[str]) -> dict[str, bytes]:
    if not names:
        return {}
    from app.gate.log_process import LOG_LIMIT

    return {shown(name): read_bytes(name, LOG_LIMIT) for name in names}
