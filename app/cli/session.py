"""`mergegate session`: open, list, show, extend, freeze and stop what agents work with."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, TypeVar

import typer

from app.cli.files import read_text, shown
from app.cli.gate_store import opened as in_whichever_version
from app.cli.printing import print_json, print_line, progress
from app.config import Settings, read_settings
from app.gate.presets import read_presets
from app.github.clients import GitHubApp
from app.proxy import ledger, sessions
from app.proxy.courier_app import courier_identity
from app.proxy.describing import described
from app.proxy.grant import Right
from app.proxy.opening import Asked, opened
from app.proxy.sessions import DEFAULT_RIGHTS, FEWEST_HOURS, CannotOpen, Session
from app.proxy.stopping import stop
from app.proxy.trust import BadTrust, Rule, read_trust
from app.store.database import Database
from policies.escape import clean

T = TypeVar("T")
commands = typer.Typer(help="Sessions: what agents may do through the proxy.", no_args_is_help=True)
Id = Annotated[int, typer.Argument(help="The session's number, from `mergegate session list`.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Hours = Annotated[float, typer.Option(help="How long it lasts.", min=FEWEST_HOURS, max=168)]
_LIVE = "`mergegate session list` shows those that are."
Because = Annotated[str, typer.Option(help="Why; the agent reads it.")]


@dataclass(frozen=True)
class _Place:
    database: Database
    settings: Settings

    @contextlib.asynccontextmanager
    async def courier(self) -> AsyncIterator[GitHubApp]:
        """For what GitHub is asked about. Raises Misconfigured."""
        courier = GitHubApp(courier_identity(self.settings))
        try:
            yield courier
        finally:
            await courier.aclose()


@commands.command("open")
def open_(
    repository: Annotated[str, typer.Argument(help="OWNER/NAME")],
    branch: Annotated[str, typer.Argument(help="The one branch that it may push to, in the agents' namespace.")],
    agent: Annotated[str, typer.Option(help="What the agent is called.")] = "agent",
    ticket: Annotated[int | None, typer.Option(help="Number of the issue that it works on.")] = None,
    operator: Annotated[str | None, typer.Option(help="Login of the person who answers for the agent.")] = None,
    base: Annotated[str | None, typer.Option(help="Branch that its pull request targets; the default branch.")] = None,
    right: Annotated[
        list[Right] | None, typer.Option(help="May be given several times; replaces the usual three.")
    ] = None,
    hours: Hours = 8,
    json: Json = False,
) -> None:
    """Open a session and print its token, this once. The agent gives it to git and gh as a password."""
    owner, slash, name = repository.partition("/")
    if not slash or not owner or not name:
        raise CannotOpen(f"{repository!r} is no repository; write OWNER/NAME")
    asked = Asked(
        owner=owner,
        repository=name,
        branch=branch,
        agent=agent,
        opened_by=getpass.getuser(),
        base=base,
        ticket=ticket,
        operator=operator,
        rights=frozenset(right) if right else DEFAULT_RIGHTS,
        lasts=timedelta(hours=hours),
    )

    async def work(place: _Place) -> None:
        async with place.courier() as courier:
            with progress("Asking GitHub"):
                token, grant = await opened(place.database, courier, read_presets(), asked)
        if json:
            print_json({**await described(place.database, grant), "token": token.get_secret_value()})
            return
        print_line(token.get_secret_value())
        said = f"session {grant.session}: {grant.branch} of {grant.owner}/{grant.repository}"
        typer.echo(f"{said} until {_shown(grant.expires_at)}", err=True)

    _run(work)


@commands.command("list")
def list_(
    every: Annotated[bool, typer.Option("--all", help="Also those that have ended.")] = False, json: Json = False
) -> None:
    """List the live sessions, newest first."""

    async def work(place: _Place) -> None:
        found = await sessions.listed(place.database, every=every)
        if json:
            print_json([await described(place.database, one.grant) | _times(one) for one in found])
            return
        for one in found:
            print_line(_line(one))
        if not found:
            print_line("There is no live session.")

    _run(work)


@commands.command("show")
def show(session: Id, json: Json = False) -> None:
    """Show what a session may do and what it wrote. Exit code 1: there is no such session."""

    async def work(place: _Place) -> None:
        found = await sessions.session(place.database, session)
        if found is None:
            raise _none(session)
        entries = await ledger.of_session(place.database, session, most=50)
        if json:
            wrote = [{name: _plain(value) for name, value in asdict(one).items()} for one in entries]
            print_json(await described(place.database, found.grant) | _times(found) | {"wrote": wrote})
            return
        print_line(_line(found))
        for one in entries:
            what = f"{one.ref} {one.old_oid} -> {one.new_oid}" if one.route == ledger.PUSH else one.route
            print_line(clean(f"  {one.began_at:%Y-%m-%d %H:%M:%S} {what}: {one.outcome or 'under way'}", 300))

    _run(work)


@commands.command("extend")
def extend(session: Id, hours: Hours = 8) -> None:
    """Let a live session last that long from now. Exit code 1: it has ended, and dead tokens stay dead."""

    async def work(place: _Place) -> None:
        grant = await sessions.extend(place.database, session, timedelta(hours=hours))
        if grant is None:
            print_line(f"There is no live session {session}. {_LIVE} Or open another one.")
            raise typer.Exit(1)
        print_line(f"Session {session} lasts until {_shown(grant.expires_at)}.")

    _run(work)


@commands.command("freeze")
def freeze(session: Id, because: Because) -> None:
    """Let a session read, but write nothing, until `thaw`. Exit code 1: there is no such live session."""
    _run(lambda place: _changed(sessions.freeze(place.database, session, because), session, "is frozen"))


@commands.command("thaw")
def thaw(session: Id) -> None:
    """Let a frozen session write again. Exit code 1: there is no such live session."""
    _run(lambda place: _changed(sessions.thaw(place.database, session), session, "may write again"))


@commands.command("say")
def say(session: Id, words: Annotated[str, typer.Argument(help="One line.")]) -> None:
    """Tell the agent something: git shows it with its next push. Exit code 1: there is no such session."""

    async def work(place: _Place) -> None:
        if await sessions.session(place.database, session) is None:
            raise _none(session)
        await sessions.say(place.database, session, words)
        print_line(f"The next push of session {session} says it.")

    _run(work)


@commands.command("trust")
def trust(file: Annotated[str, typer.Argument(help="A trust file; `-` reads standard input.")]) -> None:
    """Say whether a trust file can be used, and whom it lets in; read just as the exchange reads it.

    Exit code 0: it can be used; 1: it has a fault; 2: it could not be read.
    """
    try:
        rules = read_trust(read_text(file)).trust
    except BadTrust as bad:
        print_line(clean(f"{shown(file)} cannot be used, nobody gets a session by it. {bad}", 1000))
        raise typer.Exit(1) from None
    print_line(f"{shown(file)} can be used. Its rules, of which the first that fits counts:")
    for rule in rules:
        print_line(clean(_rule(rule), 1000))


@commands.command("revoke")
def revoke(session: Id, because: Because = "its operator stopped it") -> None:
    """Stop a session: no token of it works any more, pushes under way have ended, and the branch was read again.

    Exit code 0 only when all of that is so; 1 when there is no such session or the stop is not confirmed.
    """

    async def work(place: _Place) -> None:
        async with place.courier() as courier:
            with progress("Its token is dead; waiting for what is under way"):
                stopped = await stop(place.database, courier, session, because)
        if stopped is None:
            raise _none(session)
        print_line(stopped.sentence)
        if not stopped.confirmed:
            print_line("Its token is dead. Run the same command again to confirm the rest.")
            raise typer.Exit(1)

    _run(work)


async def _changed(change: Awaitable[bool], session: int, done: str) -> None:
    if not await change:
        print_line(f"There is no live session {session}. {_LIVE}")
        raise typer.Exit(1)
    print_line(f"Session {session} {done}.")


def _none(session: int) -> typer.Exit:
    print_line(f"There is no session {session}. `mergegate session list --all` shows all.")
    return typer.Exit(1)


def _rule(rule: Rule) -> str:
    claims = [f"{name} is {value}" for name, value in rule.claims.items()]
    claims += [f"{name} is all of {pattern}" for name, pattern in rule.patterns.items()]
    rights = ", ".join(sorted(rule.rights)) or "nothing but read"
    whom = f"{rule.issuer} for {rule.audience}, where {' and '.join(claims)}"
    if rule.pool is not None:
        which = "tickets" if rule.ticket is None else f"ticket {rule.ticket}"
        return f"- {whom}: claims {which} of the pool {rule.pool} on {', '.join(rule.branches)}, may {rights}"
    return f"- {whom}: {rule.agent} on {', '.join(rule.branches)}, may {rights}, for {rule.hours:g} hours"


def _line(one: Session) -> str:
    grant = one.grant
    state = "live" if one.live else f"ended ({one.ended_because or 'it expired'})"
    state = f"frozen ({one.frozen_because})" if one.live and one.frozen_at else state
    ticket = f" ticket {grant.ticket}" if grant.ticket else ""
    words = f"{grant.session} {state}: {grant.owner}/{grant.repository} {grant.branch}{ticket} by {grant.agent}"
    return clean(f"{words} [{', '.join(sorted(grant.rights))}] until {_shown(grant.expires_at)}", 500)


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _times(one: Session) -> dict[str, object]:
    return {
        "live": one.live,
        "opened_by": one.opened_by,
        "opened_at": _plain(one.opened_at),
        "ended_at": _plain(one.ended_at),
        "ended_because": one.ended_because,
    }


def _plain(value: object) -> object:
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else value


def _run(work: Callable[[_Place], Awaitable[T]]) -> T:
    async def whole() -> T:
        settings = read_settings(os.environ)
        async with in_whichever_version(settings, size=2) as database:
            return await work(_Place(database, settings))

    return asyncio.run(whole())
