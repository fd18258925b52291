"""`mergegate protect OWNER/REPO` or `ORG`: writes the rulesets that make the checks binding, with a person's token."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Annotated

import typer

from app.cli.printing import print_line, progress
from app.cli.protected_place import Change, place_of
from app.cli.wait import token_of
from app.config import Settings, read_settings
from app.local.clone import CannotLook
from app.local.protection import QueueKind, Ruleset, agents_ruleset, gate_ruleset
from app.local.shipped import ruleset_template
from policies.escape import clean


def protect(
    place: Annotated[str, typer.Argument(metavar="OWNER/REPO|ORG", help="For example acme/shop, or acme for many.")],
    gate: Annotated[int | None, typer.Option(help="The gate App's id; the one that is configured.")] = None,
    courier: Annotated[
        int | None, typer.Option(help="The courier App's id; without it agents' branches stay open.")
    ] = None,
    branch: Annotated[list[str] | None, typer.Option(help="More gated branches or patterns. May be repeated.")] = None,
    agents: Annotated[list[str] | None, typer.Option(help="The agents' namespace.")] = None,
    queue: Annotated[QueueKind, typer.Option(help="native, serial (the gate's own) or none.")] = "native",
    repositories: Annotated[
        list[str] | None, typer.Option(help="Of an organisation: which ones, names or patterns; ~ALL. May be repeated.")
    ] = None,
    glass: Annotated[
        list[str] | None,
        typer.Option(
            "--break-glass", help="Who may merge past the checks when the gate is down: admins, owners or ORG/TEAM."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the difference; change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before writing.")] = False,
) -> None:
    """Require the checks, pinned to the gate's App, with the token in GH_TOKEN or GITHUB_TOKEN.

    Shows the difference first. Exit code 0: protected; 1: something stays open, and what; 2: could not look.
    """
    settings = read_settings(os.environ)
    token = token_of(os.environ, f"administer {clean(place, 200)}")
    guarded = place_of(place, repositories or (), settings.github_api_url, token)
    kind = guarded.queue(queue)
    with progress(f"Looking at {clean(place, 200)}"):
        bypass = asyncio.run(guarded.actors(glass or ()))
        wanted = _wanted(settings, gate, courier, branch or (), agents or ("agent/*",), kind, bypass)
        changes = asyncio.run(guarded.changes(wanted))
    missing = [change for change in changes if change.lines]
    _show(place, missing)
    if dry_run and not missing:
        print_line(f"{clean(place, 200)}: nothing would be written, every ruleset is there as it should be.")
    if dry_run or (missing and not yes and not typer.confirm(f"Write this to {clean(place, 200)}?", err=True)):
        raise typer.Exit(1 if missing else 0)
    with progress("Writing"):
        gaps = asyncio.run(guarded.written(missing, wanted, kind))
    _say(place, gaps, glass or ())
    if guarded.name is None and queue == "native":
        print_line("GitHub's merge queue is set for each repository: `mergegate protect OWNER/REPO` adds it.")


def _show(place: str, missing: Sequence[Change]) -> None:
    for change in missing:
        there = "is not there yet" if change.replaces is None else "is not as it should be"
        print_line(f"{clean(place, 200)}: the ruleset `{change.wanted['name']}` {there}. This would be written:")
        for line in change.lines:
            print_line(_line(line))


def _line(line: str) -> str:
    """A line of a difference, whose indentation stays."""
    words = line[1:].lstrip(" ")
    return line[: len(line) - len(words)] + clean(words, 300)


def _say(place: str, gaps: Sequence[str], glass: Sequence[str]) -> None:
    name = clean(place, 200)
    if not gaps:
        print_line(f"{name} is protected: nothing is merged past the checks, and only the gate can post them.", "green")
        if glass:
            who = clean(", ".join(glass), 300)
            print_line(f"Except by {who}, by hand, when the gate is down; `mergegate audit report` lists each time.")
        return
    print_line(f"{name} is NOT protected:", "bold red")
    for gap in gaps:
        print_line(f"- {clean(gap, 600)}")
    raise typer.Exit(1)


def _wanted(
    settings: Settings,
    gate: int | None,
    courier: int | None,
    branches: Sequence[str],
    agents: Sequence[str],
    queue: QueueKind,
    bypass: Sequence[Ruleset],
) -> tuple[Ruleset, ...]:
    """Raises CannotLook when it is not known which App the checks are to be pinned to."""
    gate = gate or (settings.gate.app_id if settings.gate else None)
    courier = courier or (settings.courier.app_id if settings.courier else None)
    if gate is None:
        raise CannotLook("it is not known which App is the gate. Give --gate with its id (it is on the App's page).")
    made = gate_ruleset(ruleset_template(), gate, branches, queue, bypass)
    return (made,) if courier is None else (made, agents_ruleset(courier, agents))
