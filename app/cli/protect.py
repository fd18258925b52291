"""`mergegate protect OWNER/REPO`: writes the rulesets that make the checks binding, with a person's token."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import typer

from app.cli.printing import print_line, progress
from app.cli.repository_name import parse_repository
from app.cli.wait import token_of
from app.config import Settings, read_settings
from app.github import contents, rulesets
from app.github.errors import BadCredentials, GitHubError, NotFound, Refused
from app.github.personal import PersonalClient
from app.local.clone import CannotLook
from app.local.protection import (
    ADMINS,
    OWNERS,
    QueueKind,
    Ruleset,
    agents_ruleset,
    break_glass,
    difference,
    gate_ruleset,
    open_gaps,
)
from app.local.shipped import ruleset_template
from app.secret import SecretStr
from policies.escape import clean

T = TypeVar("T")
_WANTED = "A classic token needs the scope `repo`, a fine-grained one Administration for reading and writing."
_ACTORS = {"admins": ADMINS, "owners": OWNERS}
_NO_PLAN = (
    "GitHub's plan for this account has no rulesets here, so nothing binds anybody to the checks. Make the repository "
    "public, or take a plan that has them."
)


@dataclass(frozen=True, slots=True)
class Change:
    """One ruleset that is wanted, the one that it replaces, and what that changes; no lines where it is met."""

    wanted: Ruleset
    replaces: int | None
    lines: list[str]


def protect(
    repository: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="For example acme/shop.")],
    gate: Annotated[int | None, typer.Option(help="The gate App's id; the one that is configured.")] = None,
    courier: Annotated[
        int | None, typer.Option(help="The courier App's id; without it agents' branches stay open.")
    ] = None,
    branch: Annotated[list[str] | None, typer.Option(help="More gated branches or patterns. May be repeated.")] = None,
    agents: Annotated[list[str] | None, typer.Option(help="The agents' namespace.")] = None,
    queue: Annotated[QueueKind, typer.Option(help="native, serial (the gate's own) or none.")] = "native",
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
    place = _Place(repository, settings.github_api_url, token_of(os.environ))
    with progress(f"Looking at {clean(repository, 200)}"):
        bypass = asyncio.run(place.actors(glass or ()))
        wanted = _wanted(settings, gate, courier, branch or (), agents or ("agent/*",), queue, bypass)
        changes = asyncio.run(place.changes(wanted))
    for change in changes:
        for line in change.lines:
            print_line(clean(line, 300) if line.strip() else line)
    missing = [change for change in changes if change.lines]
    if dry_run or (missing and not yes and not typer.confirm(f"Write this to {clean(repository, 200)}?", err=True)):
        raise typer.Exit(1 if missing else 0)
    with progress("Writing"):
        gaps = asyncio.run(place.written(missing, wanted[0]["rules"], queue))
    _say(repository, gaps, glass or ())


def _say(repository: str, gaps: Sequence[str], glass: Sequence[str]) -> None:
    name = clean(repository, 200)
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


class _Place:
    """A repository, and whoever may administer it."""

    def __init__(self, repository: str, api_url: str, token: SecretStr) -> None:
        self.owner, self.name = parse_repository(repository)
        self._api_url = api_url
        self._token = token

    async def actors(self, names: Sequence[str]) -> list[Ruleset]:
        """Bypass actors for `admins`, `owners` and teams. Raises CannotLook for what is none of them."""

        async def work(client: PersonalClient) -> list[Ruleset]:
            return [break_glass(await _actor(client, name)) for name in names]

        return await self._asking(work) if names else []

    async def changes(self, wanted: Sequence[Ruleset]) -> list[Change]:
        async def work(client: PersonalClient) -> list[Change]:
            return [await self._change(client, one) for one in wanted]

        return await self._asking(work)

    async def _change(self, client: PersonalClient, wanted: Ruleset) -> Change:
        there = await rulesets.named(client, self.owner, self.name, wanted["name"])
        if there is not None and "bypass_actors" not in there:
            raise CannotLook(f"this token may not see who bypasses the ruleset `{wanted['name']}`. {_WANTED}")
        return Change(wanted, int(there["id"]) if there else None, difference(there, wanted))

    async def written(self, changes: Sequence[Change], rules: Sequence[Any], queue: QueueKind) -> list[str]:
        """What stays open after writing, read back from the rules in force."""
        pins = next(
            rule["parameters"]["required_status_checks"] for rule in rules if rule["type"] == "required_status_checks"
        )

        async def work(client: PersonalClient) -> list[str]:
            about = await contents.about(client, self.owner, self.name)
            for change in changes:
                await rulesets.write(client, self.owner, self.name, change.wanted, change.replaces)
            effective = await rulesets.in_force(client, self.owner, self.name, about.default_branch)
            return list(open_gaps(effective, pins[0]["integration_id"], queue))

        try:
            return await self._asking(work)
        except Refused as wrong:
            return [_refusal(wrong, queue)]

    async def _asking(self, work: Callable[[PersonalClient], Awaitable[T]]) -> T:
        client = PersonalClient(self._token, self._api_url)
        try:
            return await work(client)
        except BadCredentials as wrong:
            raise CannotLook("GitHub does not know this token, or it has expired. Make a new one.") from wrong
        except NotFound as wrong:
            shown = clean(f"{self.owner}/{self.name}", 200)
            raise CannotLook(f"there is no repository {shown} that this token may administer. {_WANTED}") from wrong
        except Refused:
            raise
        except GitHubError as wrong:
            raise CannotLook(
                f"GitHub cannot be asked: {clean(str(wrong), 600)}. Run the same command again."
            ) from wrong
        finally:
            await client.aclose()


async def _actor(client: PersonalClient, name: str) -> Mapping[str, Any]:
    if name in _ACTORS:
        return _ACTORS[name]
    organization, slash, slug = name.partition("/")
    if not slash:
        raise CannotLook(f"{clean(name, 100)} can break no glass. Name admins, owners, or a team as ORG/TEAM.")
    try:
        team = await rulesets.team(client, organization, slug)
    except NotFound as missing:
        raise CannotLook(f"there is no team {clean(name, 200)} that this token may see.") from missing
    return {"actor_id": team, "actor_type": "Team"}


def _refusal(wrong: Refused, queue: QueueKind) -> str:
    said = wrong.because
    if wrong.status == 403 and "upgrade" in said.lower():
        return f"{_NO_PLAN} GitHub says: {said}"
    if wrong.status == 422 and queue == "native":
        hint = (
            "If it has no merge queue (private, below Enterprise Cloud), use `queue.kind: serial` and --queue serial."
        )
        return f"GitHub does not take the ruleset: {said}. {hint}"
    return f"GitHub refused the ruleset: {said}. {_WANTED}"
