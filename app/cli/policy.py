"""`mergegate policy`: check, schema, test, simulate, replay and import."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli import policy_tries
from app.cli.files import read_text, shown
from app.cli.printing import print_json, print_line
from app.gate.presets import read_presets
from app.local.clone import CannotLook
from app.local.policy import fault_line
from policies.errors import InvalidPolicyError
from policies.escape import clean
from policies.importing.detect import import_policy
from policies.importing.imported import ForeignError, render
from policies.load import load
from policies.schema import policy_schema

commands = typer.Typer(help="The policy file .github/mergegate.yml.", no_args_is_help=True)


@commands.command("check")
def check(
    file: Annotated[str, typer.Argument(help="A policy file; `-` reads standard input.")],
    reused: Annotated[
        str | None, typer.Option("--reused", metavar="FILE", help="The file that its `reuse` points at.")
    ] = None,
) -> None:
    """Say whether a policy file can be used. Exit code 0: yes; 1: it has faults; 2: it could not be read."""
    try:
        policy = load(read_text(file), read_presets(), None if reused is None else read_text(reused))
    except InvalidPolicyError as invalid:
        for error in invalid.errors:
            print_line(fault_line(shown(file), error))
        raise typer.Exit(1) from None
    print_line(f"{shown(file)} is a policy that can be used (mode {policy.mode}, extends {policy.extends}).")


commands.command("test")(policy_tries.try_cases)
commands.command("simulate")(policy_tries.simulate)
commands.command("replay")(policy_tries.replay)


@commands.command("import")
def import_(
    file: Annotated[
        str,
        typer.Argument(help="policy-bot's or Mergify's file, CODEOWNERS, or a branch's rules as `gh api` prints them."),
    ],
) -> None:
    """Print another tool's configuration as a policy file, with what could not be carried over as comments on top.

    Exit code 2: it is none that is known.
    """
    try:
        text = render(import_policy(file, read_text(file)), shown(file))
    except ForeignError as wrong:
        raise CannotLook(f"{shown(file)} cannot be imported: {clean(str(wrong), 500)}.") from None
    typer.echo(text, nl=False)


@commands.command("schema")
def schema() -> None:
    """Print the JSON Schema of the policy file."""
    print_json(policy_schema())
