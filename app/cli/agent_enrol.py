"""`mergegate agent enrol`: which machines may claim tickets. It runs where the database is, for operators.

What it needs is imported in the commands: the rest of `mergegate agent` runs on agents' machines and needs none of it.
"""

from __future__ import annotations

import asyncio
import getpass
import os
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.printing import print_json, print_line
from policies.escape import clean

if TYPE_CHECKING:
    from app.config import Settings
    from app.store.enrolments import Enrolment

_LIVE = "`mergegate agent enrol list` shows those that are."
commands = typer.Typer(help="Which machines may claim tickets: add, list, revoke.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@commands.command("add")
def add(
    repository: Annotated[str, typer.Argument(help="OWNER/NAME")],
    pool: Annotated[str, typer.Option(help="The agent or pool that tickets name.")],
    days: Annotated[int, typer.Option(help="How long it lasts.", min=1, max=3650)] = 90,
    json: Json = False,
) -> None:
    """Print a token, this once, with which machines claim the tickets of a pool, and do nothing else."""
    from app.agent_api.enrolling import Asked, enrol

    asked = Asked(repository, pool, getpass.getuser(), timedelta(days=days))
    token, made = asyncio.run(enrol(_settings(), asked))
    if json:
        print_json({**_record(made), "token": token.get_secret_value()})
        return
    print_line(token.get_secret_value())
    typer.echo(_line(made), err=True)


@commands.command("list")
def list_(json: Json = False) -> None:
    """List the enrolments, newest first; no token can be shown again."""
    from app.agent_api.enrolling import listed

    found = asyncio.run(listed(_settings()))
    if json:
        print_json([_record(one) for one in found])
        return
    for one in found:
        print_line(_line(one))
    if not found:
        print_line("No machine is enrolled.")


@commands.command("revoke")
def revoke(number: Annotated[int, typer.Argument(help="The enrolment's number, from the list.")]) -> None:
    """Let an enrolment claim nothing from now on. What it claimed before goes on. Exit code 1: it was not live."""
    from app.agent_api import enrolling

    done = asyncio.run(enrolling.revoke(_settings(), number))
    print_line(f"Enrolment {number} claims nothing any more." if done else f"Enrolment {number} is not live. {_LIVE}")
    if not done:
        raise typer.Exit(1)


def _settings() -> Settings:
    """Those of a service that has a database. Raises CannotLook."""
    from app.cli.gate_store import check_there
    from app.config import read_settings

    settings = read_settings(os.environ)
    check_there(settings)
    return settings


def _record(one: Enrolment) -> dict[str, Any]:
    return {name: _plain(value) for name, value in asdict(one).items()}


def _plain(value: Any) -> Any:
    return value.isoformat(timespec="seconds") if hasattr(value, "isoformat") else value


def _line(one: Enrolment) -> str:
    state = "" if one.live else " (revoked)" if one.revoked_at is not None else " (expired)"
    used = "never used" if one.used_at is None else f"used {one.used_at:%Y-%m-%d %H:%M} UTC"
    words = f"{one.id}{state}: {one.pool} of {one.owner}/{one.repository} until {one.expires_at:%Y-%m-%d} UTC, {used}"
    return clean(f"{words}, by {one.enrolled_by}", 500)
