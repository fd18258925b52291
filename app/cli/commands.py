"""The commands of `mergegate` and their options."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

import typer
from typer.core import TyperGroup

from app.errors import ActionableError

_COULD_NOT_LOOK = 2
# Name to module and function, or to module and group. Each is imported when it is wanted: `check` needs neither the
# database nor the client of GitHub, and whoever types it waits for every import.
COMMANDS = {
    "serve": "serve:serve",
    "web": "serve:web",
    "work": "serve:work",
    "migrate": "serve:migrate",
    "proxy": "proxy:proxy",
    "session": "session:commands",
    "check": "check:check",
    "run": "run:run",
    "parse-log": "parse_log:parse_log",
    "explain": "explain:explain",
    "wait": "wait:wait",
    "setup-ci": "setup_ci:setup_ci",
    "stop-hook": "stop_hook:stop_hook",
    "agent-prompt": "agent_prompt:agent_prompt",
    "policy": "policy:commands",
    "bundle": "bundle:commands",
}
_SETTINGS = {"run": {"allow_interspersed_args": False, "ignore_unknown_options": True}}


class _Commands(TyperGroup):
    """Errors that a person can act on end with one sentence and exit code 2.

    Standard output is for the answer alone; what is logged on the way goes to standard error, and for most commands
    only where something is broken, see `app.logging`. The service sets its own level.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ActionableError as wrong:
            typer.echo(f"mergegate: {wrong}", err=True)
            raise typer.Exit(_COULD_NOT_LOOK) from wrong

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - click's signature
        return _load(cmd_name) if cmd_name in COMMANDS else None


@lru_cache
def _load(name: str) -> Any:
    module, _, attribute = COMMANDS[name].partition(":")
    found = getattr(importlib.import_module(f"app.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        group = typer.main.get_command(found)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name, context_settings=_SETTINGS.get(name))(found)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="mergegate",
    help="A merge gatekeeper for coding agents' pull requests.",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root() -> None:
    """A merge gatekeeper for coding agents' pull requests."""
