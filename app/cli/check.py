"""`mergegate check`: a change in a local clone, judged without GitHub."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.judging import Asked, report


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
    asked = Asked(repo, base, head, policy, bundle, tuple(log or ()), ticket, tampering, as_json)
    raise typer.Exit(report(asked))
