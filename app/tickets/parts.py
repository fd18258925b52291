"""What every part of the work on tickets is given."""

from __future__ import annotations

from dataclasses import dataclass

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.policies import policy_of_tip
from app.gate.target import BRANCHES
from app.github import graph
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.keys import TicketKey
from app.tickets.supervisor import Supervisor
from policies.load import PolicyState
from policies.ticket_section import TicketRules


@dataclass(frozen=True, slots=True)
class TicketParts:
    """The gate; the courier App, without which no session can be opened; and the program that runs agents, if any."""

    gate: Gate
    courier: GitHubApp | None = None
    supervisor: Supervisor | None = None


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


async def place_of(gate: Gate, key: TicketKey) -> Place | None:
    """None where the repository has no commit yet. Raises GitHub's errors."""
    repository = await gate.repository(key.installation_id, key.repository_id)
    client = gate.client(key.installation_id)
    default = BRANCHES + (repository.default_branch or "main")
    tip = await graph.branch_tip(client, repository.owner, repository.name, default)
    if tip is None:
        return None
    policy = await policy_of_tip(gate, key.installation_id, repository, default, tip.target)
    return Place(key, repository, client, policy)
