"""Entry point of the `mergegate` command."""

from __future__ import annotations

import sys

import typer

from app.cli import serve
from app.config import Misconfigured
from app.store.database import DatabaseAway, UnfitServer
from app.store.embedded import EmbeddedFailed
from app.store.migrate import NewerDatabase

app = typer.Typer(
    name="mergegate",
    help="A merge gatekeeper for coding agents' pull requests.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("web")(serve.web)
app.command("work")(serve.work)
app.command("migrate")(serve.migrate)


def main() -> None:
    """Errors that an operator can act on end with one sentence and exit code 2; everything else is a bug."""
    try:
        app()
    except (Misconfigured, DatabaseAway, UnfitServer, EmbeddedFailed, NewerDatabase) as wrong:
        sys.stderr.write(f"mergegate: {wrong}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
