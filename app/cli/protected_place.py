"""Where `mergegate protect` writes: a repository or an organisation, with the token of whoever may administer it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from app.cli.asking_github import cannot_ask
from app.cli.repository_name import parse_repository
from app.github import contents, rulesets
from app.github.errors import GitHubError, NotFound, Refused
from app.github.personal import PersonalClient
from app.local.clone import CannotLook
from app.local.protection import (
    ADMINS,
    OWNERS,
    QueueKind,
    Ruleset,
    break_glass,
    difference,
    in_repositories,
    open_gaps,
)
from app.secret import SecretStr
from policies.escape import clean

T = TypeVar("T")
_WANTED = (
    "A classic token needs the scope `repo` (for an organisation `admin:org`), a fine-grained one Administration for "
    "reading and writing."
)
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


def place_of(text: str, repositories: Sequence[str], api_url: str, token: SecretStr) -> Place:
    """`OWNER/REPO`, or an organisation with names or patterns of its repositories. Raises CannotLook."""
    if "/" in text:
        owner, name = parse_repository(text)
        if repositories:
            raise CannotLook("--repositories is for an organisation; leave it out, or leave out the repository's name.")
        return Place(owner, name, (), api_url, token)
    if not repositories:
        raise CannotLook(
            "say which repositories of the organisation: --repositories with a name, a pattern, or ~ALL. Where the App "
            "is not installed, pull requests would wait for ever."
        )
    return Place(text, None, tuple(repositories), api_url, token)


class Place:
    """A repository, or with `name` None an organisation, and whoever may administer it."""

    def __init__(
        self, owner: str, name: str | None, repositories: Sequence[str], api_url: str, token: SecretStr
    ) -> None:
        self.owner, self.name, self._repositories = owner, name, repositories
        self._at = rulesets.of_organization(owner) if name is None else rulesets.of_repository(owner, name)
        self._api_url = api_url
        self._token = token

    def queue(self, wanted: QueueKind) -> QueueKind:
        """GitHub has merge queues for single repositories alone."""
        return "none" if self.name is None and wanted == "native" else wanted

    async def actors(self, names: Sequence[str]) -> list[Ruleset]:
        """Bypass actors for `admins`, `owners` and teams. Raises CannotLook for what is none of them."""

        async def work(client: PersonalClient) -> list[Ruleset]:
            return [break_glass(await _actor(client, name)) for name in names]

        return await self._asking(work) if names else []

    async def changes(self, wanted: Sequence[Ruleset]) -> list[Change]:
        async def work(client: PersonalClient) -> list[Change]:
            return [await self._change(client, self._placed(one)) for one in wanted]

        return await self._asking(work)

    def _placed(self, wanted: Ruleset) -> Ruleset:
        return wanted if self.name is not None else in_repositories(wanted, self._repositories)

    async def _change(self, client: PersonalClient, wanted: Ruleset) -> Change:
        there = await rulesets.named(client, self._at, wanted["name"])
        if there is not None and "bypass_actors" not in there:
            raise CannotLook(f"this token may not see who bypasses the ruleset `{wanted['name']}`. {_WANTED}")
        return Change(wanted, int(there["id"]) if there else None, difference(there, wanted))

    async def written(self, changes: Sequence[Change], wanted: Sequence[Ruleset], queue: QueueKind) -> list[str]:
        """What stays open after writing, read back: a repository's rules in force, an organisation's rulesets."""

        async def work(client: PersonalClient) -> list[str]:
            for change in changes:
                await rulesets.write(client, self._at, change.wanted, change.replaces)
            if self.name is not None:
                return await self._gaps(client, self.name, wanted[0], queue)
            kept = [await self._change(client, self._placed(one)) for one in wanted]
            return [f"GitHub keeps `{one.wanted['name']}` otherwise than it was written" for one in kept if one.lines]

        try:
            return await self._asking(work)
        except Refused as wrong:
            return [_refusal(wrong, queue)]

    async def _gaps(self, client: PersonalClient, name: str, wanted: Ruleset, queue: QueueKind) -> list[str]:
        checks = next(rule["parameters"] for rule in wanted["rules"] if rule["type"] == "required_status_checks")
        about = await contents.about(client, self.owner, name)
        effective = await rulesets.in_force(client, self.owner, name, about.default_branch)
        return list(open_gaps(effective, checks["required_status_checks"][0]["integration_id"], queue))

    async def _asking(self, work: Callable[[PersonalClient], Awaitable[T]]) -> T:
        client = PersonalClient(self._token, self._api_url)
        try:
            return await work(client)
        except NotFound as wrong:
            kind = "organisation" if self.name is None else "repository"
            shown = clean(self.owner if self.name is None else f"{self.owner}/{self.name}", 200)
            raise CannotLook(f"there is no {kind} {shown} that this token may administer. {_WANTED}") from wrong
        except Refused:
            raise
        except GitHubError as wrong:
            raise cannot_ask(wrong, self._api_url) from wrong
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
