"""`mergegate agent`: an agent's machine, from enrolling it to its last word on a ticket."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.cli import agent_enrol as enrolments
from app.cli import agent_verbs
from app.cli.printing import Style, print_json, print_line, progress
from app.errors import ActionableError
from app.proxy.agent_setup import PROXY, SESSION, Files, Place, env_file, environment, files, shell
from app.secret import SecretStr

commands = typer.Typer(
    help="The agent's side: claim tickets and report, set up git and gh, and prove what they can do.",
    no_args_is_help=True,
)
commands.add_typer(enrolments.commands, name="enrol")
Proxy = Annotated[str, typer.Option("--proxy", envvar=PROXY, metavar="URL", help="The proxy's address.")]
TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", envvar=f"{SESSION}_FILE", help=f"Holds the session's token; else {SESSION}."),
]
Ca = Annotated[
    Path | None,
    typer.Option("--ca", exists=True, dir_okay=False, help="PEM file with the authority of the proxy's certificate."),
]
Server = Annotated[str, typer.Option("--server", help="GitHub's host, as in the addresses of repositories.")]
_AS_THEY_ARE = {"ignore_unknown_options": True, "allow_extra_args": True}
_SIGNS: dict[str, tuple[str, Style]] = {
    "passed": ("✓", "green"),
    "failed": ("✗", "bold red"),
    "errored": ("!", "bold magenta"),
    "skipped": ("-", "dim"),
}


# By the exit code.
_VERDICTS: dict[int, tuple[str, Style]] = {
    0: ("This machine can do what it should, and nothing else.", "green"),
    1: ("This machine is not as it should be:", "bold red"),
    2: ("Not all of this machine could be looked at:", "bold magenta"),
}


class Form(StrEnum):
    SHELL = "shell"
    ENV_FILE = "env-file"
    JSON = "json"


class NoToken(ActionableError):
    """There is no session token to set up."""


@commands.command()
def setup(
    proxy: Proxy,
    repo: Annotated[
        str | None, typer.Option("--repo", metavar="OWNER/NAME", help="The repository; else the proxy is asked.")
    ] = None,
    token_file: TokenFile = None,
    ca: Ca = None,
    server: Server = "github.com",
    socket: Annotated[
        Path | None, typer.Option("--socket", help="A unix socket on which gh reaches the proxy.")
    ] = None,
    write: Annotated[Path | None, typer.Option("--write", metavar="DIR", help="Write files instead.")] = None,
    form: Annotated[Form, typer.Option("--as", help="How variables are printed.")] = Form.SHELL,
) -> None:
    """Print variables that lead git and gh through the proxy, or write files and print what leads to them."""
    token, base = read_token(token_file), proxy.rstrip("/")
    place = Place(base, repo or _repository(base, token, _whole(ca)), token, _whole(ca), _whole(socket), server)
    if write is None:
        _print(environment(place), form)
        return
    folder = write.absolute()
    made = files(place, folder, _whole(token_file))
    _write(made, folder)
    _print(dict(made.environment), form)


@commands.command()
def doctor(
    proxy: Proxy,
    token_file: TokenFile = None,
    ca: Ca = None,
    server: Server = "github.com",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove from inside the agent's machine what it can do. Exit code 0: as it should be; 1: not; 2: could not look."""
    import asyncio
    from dataclasses import asdict

    from app.proxy.agent_doctor import Machine, examined, exit_code

    machine = Machine(proxy.rstrip("/"), read_token(token_file), _whole(ca), server=server)
    with progress("Trying what this machine can do"):
        seen = asyncio.run(examined(machine))
    code = exit_code(seen)
    if json:
        print_json([asdict(one) for one in seen])
        raise typer.Exit(code)
    print_line(*_VERDICTS[code])
    for one in seen:
        sign, style = _SIGNS[one.status]
        print_line(f"{sign} {one.words.rstrip('.')}" + (f". Fix: {one.fix}" if one.fix else ""), style)
    raise typer.Exit(code)


def _hand_over(verb: str, words: str) -> None:
    """`app.cli.main` runs these without this module; here they stand for the list of commands."""

    @commands.command(verb, help=words, add_help_option=False, context_settings=_AS_THEY_ARE)
    def _(context: typer.Context) -> None:
        raise typer.Exit(agent_verbs.run([verb, *context.args]))


for _verb, _words in agent_verbs.SUMMARIES.items():
    _hand_over(_verb, _words)


def read_token(path: Path | None) -> SecretStr:
    """The session's token; no argument, because everybody on the machine sees those. Raises NoToken."""
    try:
        text = path.read_text(encoding="utf-8") if path is not None else os.environ.get(SESSION, "")
    except (OSError, UnicodeError) as wrong:
        raise NoToken(
            f"--token-file: {path} cannot be read ({type(wrong).__name__}); name a file with the token"
        ) from wrong
    token = text.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise NoToken(f"there is no session token; put it into {SESSION}, or name a file with --token-file")
    return SecretStr(token)


def _repository(proxy: str, token: SecretStr, ca: Path | None) -> str:
    """The session's repository, as the proxy knows it. Raises NoToken."""
    import asyncio

    from app.proxy.agent_doctor import Machine, Seen, session_of

    found = asyncio.run(session_of(Machine(proxy, token, ca)))
    if isinstance(found, Seen):
        raise NoToken(f"{found.words.rstrip('.')}; {found.fix}, or name the repository with --repo")
    return str(found["repository"])


def _whole(path: Path | None) -> Path | None:
    return None if path is None else path.absolute()


def _print(variables: dict[str, str], form: Form) -> None:
    if form is Form.JSON:
        print_json(variables)
        return
    typer.echo((shell if form is Form.SHELL else env_file)(variables), nl=False)


def _write(made: Files, folder: Path) -> None:
    """Secrets are never readable for others, not even for a moment."""
    for name, text in made.contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        mode = 0o600 if name in made.secret else 0o644
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "w") as file:
            file.write(text)
