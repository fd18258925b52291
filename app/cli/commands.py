"""The commands of `mergegate` and their options."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from app.errors import ActionableError
from app.logging import keep_quiet

_COULD_NOT_LOOK = 2
_LONGEST = 300  # characters of a command's summary
# All questions are asked before anything is written.
_UNANSWERED = "a question had no answer, so nothing was changed. Run the same command again at a terminal."


class Command(NamedTuple):
    target: str  # module and function, or module and group
    summary: str


# Each is imported when it is wanted: `check` needs neither the database nor the client of GitHub, and whoever types it
# waits for every import. The summaries, which the list of all commands shows, are those of the commands' own help.
COMMANDS = {
    "serve": Command(
        "serve:serve",
        "Run all parts: webhooks, pages, the worker and, where the courier App is set up, the agents' proxy.",
    ),
    "web": Command("serve:web", "Run only the web part: webhooks in, health and metrics."),
    "work": Command("serve:work", "Run only workers; any number of them may share one database."),
    "migrate": Command("serve:migrate", "Bring the database to this version and end."),
    "status": Command("status:status", "Say how the gate is: work, what was given up, when it last heard of GitHub."),
    "proxy": Command(
        "proxy:proxy",
        "Run only the agents' proxy: git and GitHub's API for sessions. Needs the courier App, never the gate's key.",
    ),
    "session": Command("session:commands", "Sessions: what agents may do through the proxy."),
    "check": Command("check:check", "Judge a change in a local clone without GitHub."),
    "run": Command(
        "run:run",
        "Run a command, pass its output and exit code through, and record what it did for `mergegate bundle make`.",
    ),
    "parse-log": Command(
        "parse_log:parse_log",
        "Read a raw job log and say which tests ran. Exit code 0: it could be read; 2: it could not.",
    ),
    "replay": Command(
        "replay:replay_decision",
        "Judge a stored decision again. Exit code 0: the same verdict; 1: another one; 2: it could not be judged.",
    ),
    "audit": Command("audit:commands", "The audit log: prove it, report from it, export it."),
    "backup": Command("backup:backup", "Write the database, as it is at one moment, into one file."),
    "restore": Command("backup:restore", "Put a backup back into an empty database, all of it or nothing."),
    "explain": Command("explain:explain", "Show the last decision about a pull request. Exit code 2: there is none."),
    "wait": Command(
        "wait:wait", "Wait for the gate's answer on a pull request, with the token in GH_TOKEN or GITHUB_TOKEN."
    ),
    "setup": Command("setup:setup", "Register the gate's App, or the courier's, from a server without a browser."),
    "rotate": Command(
        "rotate:rotate",
        "Take a new private key, webhook secret or client secret beside the old one, or it alone.",
    ),
    "setup-ci": Command(
        "setup_ci:setup_ci",
        "Open a pull request with the workflow files that are missing, with the token in GH_TOKEN or GITHUB_TOKEN.",
    ),
    "protect": Command(
        "protect:protect",
        "Require the checks, pinned to the gate's App, with the token in GH_TOKEN or GITHUB_TOKEN.",
    ),
    "doctor": Command(
        "doctor:doctor",
        "Say what lets somebody past the gate, or with no repository what is wrong with the service.",
    ),
    "stop-hook": Command(
        "stop_hook:stop_hook",
        "Hold an agent back once while `mergegate check` finds something wrong with what it committed.",
    ),
    "agent": Command(
        "agent:commands", "The agent's side: claim tickets and report, set up git and gh, and prove what they can do."
    ),
    "mcp": Command("mcp:mcp", "Serve the agent's side as MCP tools on standard input and output."),
    "agent-prompt": Command(
        "agent_prompt:agent_prompt",
        "Print a section of at most 600 tokens for an agent's instruction file, from the policy at --base.",
    ),
    "policy": Command("policy:commands", "The policy file .github/mergegate.yml."),
    "bundle": Command("bundle:commands", "The evidence bundle of an agent's pull request."),
    "report": Command("report:report", "Show the week's numbers of a repository's tickets."),
    "canary": Command("canary:commands", "Canary tickets: whether limits stopped what was made to exceed them."),
    "ticket": Command("ticket:commands", "Tickets: issues that an agent can finish without a reply."),
}
_SETTINGS = {"run": {"allow_interspersed_args": False, "ignore_unknown_options": True}}


class _Group(TyperGroup):
    """Whose help says of each command a whole sentence: the first of the command's own help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(_LONGEST)) for name, one in self.commands.items()])


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
        except typer.Abort as ended:
            typer.echo(f"\nmergegate: {_UNANSWERED}", err=True)
            raise typer.Exit(_COULD_NOT_LOOK) from ended

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.summary) for name, command in COMMANDS.items()])

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - click's signature
        return _load(cmd_name) if cmd_name in COMMANDS else None


@lru_cache
def _load(name: str) -> Any:
    module, _, attribute = COMMANDS[name].target.partition(":")
    found = getattr(importlib.import_module(f"app.cli.{module}"), attribute)
    keep_quiet()
    if isinstance(found, typer.Typer):
        group = typer.main.get_command(_plain(found))
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name, context_settings=_SETTINGS.get(name))(found)
    return typer.main.get_command(alone)


def _plain(group: typer.Typer) -> typer.Typer:
    """The same, and the groups in it, with help as the whole command has it; completion of a part completes nothing."""
    group.rich_markup_mode, group.info.cls = None, _Group
    group._add_completion = False  # noqa: SLF001 - an option of its constructor, said here once for all groups
    for part in group.registered_groups:
        if part.typer_instance is not None:
            _plain(part.typer_instance)
    return group


app = typer.Typer(
    name="mergegate",
    help="A merge gatekeeper for coding agents' pull requests.",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is there at once
)


@app.callback()
def _root() -> None:
    """A merge gatekeeper for coding agents' pull requests."""
