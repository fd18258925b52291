"""What every part of the work on tickets is given."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.policies import policy_of_tip
from app.github import graph
from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.github.git_access import web_url
from app.keys import TicketKey
from app.tickets.escalating_channels import Channels
from app.tickets.litellm import Gateway
from app.tickets.put_off import Waiting
from app.tickets.supervisor import Supervisor
from app.tickets.supervisor_hook import SupervisorHook
from checks.branches import BRANCHES
from policies.load import PolicyState
from policies.ticket_section import TicketRules

KEPT = timedelta(minutes=1)
MOST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class TicketParts:
    """The gate; the courier App, without which no session can be opened; who runs agents, the gateway that meters their
    calls of models, and further channels to people, if there are any."""

    gate: Gate
    courier: GitHubApp | None = None
    supervisor: Supervisor | SupervisorHook | None = None
    gateway: Gateway | None = None
    channels: Channels | None = None
    waiting: Waiting = field(default_factory=Waiting)
    places: dict[int, tuple[datetime, Place]] = field(default_factory=dict)  # by repository, and until when they stand


@dataclass(frozen=True, slots=True)
class Place:
    """A repository with the policy of its default branch, at the commit where it was read."""

    key: TicketKey
    repository: RepositoryName
    client: GitHubClient
    policy: PolicyState

    @property
    def rules(self) -> TicketRules:
        return self.policy.policy.ticket

    @property
    def floor(self) -> TicketRules | None:
        return None if self.policy.floor is None else self.policy.floor.ticket

    @property
    def readable(self) -> bool:
        """Whether the policy says what may be done; where it does not, nothing begins."""
        return self.policy.origin not in ("broken", "unread")


def issue_address(place: Place, number: int) -> str:
    """Of an issue or pull request, for people."""
    names = {"owner": place.repository.owner, "name": place.repository.name}
    return web_url(place.client.identity.api_url) + route("/{owner}/{name}/issues/{number}", **names, number=number)


async def place_of(parts: TicketParts, key: TicketKey) -> Place | None:
    """None where the repository has no commit yet. Raises GitHub's errors.

    Kept for a minute: tickets at work are looked at as often, and hundreds of one repository then cost one request.
    """
    now = parts.gate.now()
    until, kept = parts.places.get(key.repository_id, (now, None))
    if kept is not None and until > now:
        return replace(kept, key=key)
    place = await _read(parts.gate, key)
    if len(parts.places) >= MOST_KEPT:
        parts.places.clear()
    if place is not None:
        parts.places[key.repository_id] = (now + KEPT, place)
    return place


async def _read(gate: Gate, key: TicketKey) -> Place | None:
    repository = await gate.repository(key.installation_id, key.repository_id)
    client = gate.client(key.installation_id)
    default = BRANCHES + (repository.default_branch or "main")
    tip = await graph.branch_tip(client, repository.owner, repository.name, default)
    if tip is None:
        return None
    policy = await policy_of_tip(gate, key.installation_id, repository, default, tip.target)
    return Place(key, repository, client, policy)
