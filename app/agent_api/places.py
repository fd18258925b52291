"""Repositories as the courier App sees them, with the policy in force on their default branch.

The same sources as the gate's: the repository's file, else its organisation's, and the server's baseline. The courier
must see the organisation's repository `.github` where that holds a policy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.gate.names import RepositoryName
from app.gate.policies import policy_of_tip
from app.gate.shared_policies import SharedPolicies
from app.github import graph
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.github.errors import GitHubDown, RateLimited
from app.keys import TicketKey
from app.proxy.opening import Place as CourierPlace
from app.proxy.opening import find_place
from app.proxy.sessions import CannotOpen
from app.store.database import Database
from app.tickets.parts import Place
from checks.branches import BRANCHES
from policies.schema import Policy

KEPT = timedelta(minutes=1)
MOST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Seen:
    """The repository for what tickets need and for what sessions need."""

    place: Place
    courier: CourierPlace


@dataclass(frozen=True, slots=True)
class Places:
    """`floor` is the server's baseline. What was read stands for a minute."""

    database: Database
    courier: GitHubApp
    presets: Mapping[str, str]
    now: Callable[[], datetime]
    floor: Policy | None = None
    shared: SharedPolicies = field(default_factory=SharedPolicies)
    kept: dict[tuple[str, str], tuple[datetime, Seen]] = field(default_factory=dict)
    reading: dict[tuple[str, str], asyncio.Lock] = field(default_factory=dict)

    def client(self, installation_id: int) -> GitHubClient:
        return self.courier.installation(installation_id)

    async def find(self, owner: str, repository: str) -> Seen:
        """Raises CannotOpen where the courier cannot see or read it, and the errors of `app.github.errors`."""
        name = (owner.lower(), repository.lower())
        if len(self.kept) + len(self.reading) > MOST_KEPT:
            self.kept.clear()
            self.reading.clear()
        async with self.reading.setdefault(name, asyncio.Lock()):  # who comes meanwhile asks GitHub nothing
            until, seen = self.kept.get(name, (self.now(), None))
            if seen is None or until <= self.now():
                seen = await self._read(owner, repository)
                self.kept[name] = (self.now() + KEPT, seen)
            return seen

    async def _read(self, owner: str, repository: str) -> Seen:
        courier = await self._courier(owner, repository)
        found, installation_id = courier.repository, courier.installation_id
        client = self.client(installation_id)
        tip = await graph.branch_tip(client, owner, repository, courier.default)
        if tip is None:
            raise GitHubDown(f"GET {owner}/{repository}", "its default branch is gone")
        real_owner, _, real_name = found.full_name.partition("/")
        name = RepositoryName(found.id, real_owner, real_name, courier.default.removeprefix(BRANCHES))
        policy = await policy_of_tip(self, installation_id, name, courier.default, tip.target)
        return Seen(Place(TicketKey(installation_id, found.id, 0), name, client, policy), courier)

    async def _courier(self, owner: str, repository: str) -> CourierPlace:
        """What only has to be asked again is told as what it is."""
        try:
            return await find_place(self.courier, self.presets, owner, repository)
        except CannotOpen as cannot:
            if isinstance(cannot.__cause__, RateLimited | GitHubDown):
                raise cannot.__cause__ from None
            raise
