"""Entry point of the `mergegate` command."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from app.cli import agent_prompt, bundle, check, explain, parse_log, policy, run, serve, stop_hook, wait
from app.config import Misconfigured
from app.local.clone import CannotLook
from app.logging import configure_logging
from app.store.database import DatabaseAway, UnfitServer
from app.store.embedded import EmbeddedFailed
from app.store.migrate import NewerDatabase

_ACTIONABLE = (CannotLook, Misconfigured, DatabaseAway, UnfitServer, EmbeddedFailed, NewerDatabase)
_COULD_NOT_LOOK = 2


class _Commands(TyperGroup):
    """Errors that a person can act on end with one sentence and exit code 2.

    Standard output is for the answer alone; what is logged on the way goes to standard error, and for most commands
    only where something is broken. The service sets its own level.
    """

    def invoke(self, ctx: Any) -> Any:
        configure_logging(logging.ERROR)
        try:
            return super().invoke(ctx)
        except _ACTIONABLE as wrong:
            typer.echo(f"mergegate: {wrong}", err=True)
            raise typer.Exit(_COULD_NOT_LOOK) from wrong


app = typer.Typer(
    name="mergegate",
    help="A merge gatekeeper for coding agents' pull requests.",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("web")(serve.web)
app.command("work")(serve.work)
app.command("migrate")(serve.migrate)
app.command("check")(check.check)
app.command("run", context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True})(run.run)
app.command("parse-log")(parse_log.parse_log)
app.command("explain")(explain.explain)
app.command("wait")(wait.wait)
app.command("stop-hook")(stop_hook.stop_hook)
app.command("agent-prompt")(agent_prompt.agent_prompt)
app.add_typer(policy.commands, name="policy")
app.add_typer(bundle.commands, name="bundle")


def main() -> None:
    """A fault of the program itself ends with 2 too: 1 says "something failed", which it must not claim."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        app()
    except Exception:  # noqa: BLE001 - Python's own exit code for a fault is 1, which scripts read as "failed"
        traceback.print_exc()
        sys.exit(_COULD_NOT_LOOK)


if __name__ == "__main__":
    main()
