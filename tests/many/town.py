"""What happens meanwhile: pull requests, the ends of their CI, approvals, comments on tickets, agents' branches."""

from __future__ import annotations

import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.checks.test_tickets import body
from tests.gate.shop import FILES
from tests.github.rate_limits import DEFAULT_LIMITS
from tests.github.state import Comment, Installation, Issue, Repository
from tests.many.fleet import Spread
from tests.proxy.scene import COURIER_PERMISSIONS
from tests.service.town import KINDS, POLICY_FILE, Town, town
from tests.tickets.desk import FORM, TICKETS

PEOPLE = {"ada": "admin", "bob": "write"}
HOURS = 4
CARD = "<!-- mergegate ticket -->"


@dataclass
class Ticket:
    """An issue with what people said to it, and the label that must be on it in the end."""

    issue: Issue
    said: list[Comment] = field(default_factory=list)
    label: str = "agent/draft"


@dataclass
class Street:
    """Pull requests on acme/shop, tickets on acme/office, agents' branches on acme/yard."""

    town: Town
    office: Repository
    yard: Repository
    yard_main: str | None  # the commit at which its default branch stays
    installation: Installation  # of the App that carries agents' pushes
    settings: dict[str, str]
    tickets: list[Ticket] = field(default_factory=list)

    async def happen(self, chance: random.Random) -> None:
        """Something, somewhere."""
        place = self.town
        kinds = len(place.kinds)
        await place.open(KINDS[kinds % len(KINDS)])
        await place.touch(chance.randint(1, kinds + 1))
        await self._open_ticket()
        await self._say(chance.choice(self.tickets))

    async def _open_ticket(self) -> None:
        issue = await self.town.github.open_issue(self.office, f"Ticket {len(self.tickets)}", body(FORM), "ada")
        self.tickets.append(Ticket(issue))
        await self._say(self.tickets[-1])

    async def _say(self, ticket: Ticket) -> None:
        """The next word of a person, who waits until the last one has had its effect."""
        following = {"agent/draft": ("/accept", "agent/waiting"), "agent/waiting": ("/stop", "agent/stopped")}
        if ticket.label not in following or (ticket.said and self.labels(ticket) != [ticket.label]):
            return
        words, ticket.label = following[ticket.label]
        ticket.said.append(await self.town.github.comment(self.office, ticket.issue.number, "bob", words))

    def labels(self, ticket: Ticket) -> list[str]:
        return [name for name in ticket.issue.labels if name.startswith("agent/")]

    def wrong_tickets(self) -> list[str]:
        """Tickets that do not show what people said, each with what it shows."""
        return [
            f"{ticket.issue.number}: {self.labels(ticket)}, not {ticket.label}; {self._reactions(ticket)}"
            for ticket in self.tickets
            if self.labels(ticket) != [ticket.label] or set(self._reactions(ticket)) != {("rocket",)}
        ]

    def duplicates(self) -> list[str]:
        """Everything that stands twice, on pull requests and tickets."""
        cards = {ticket.issue.number: self._ours(ticket) for ticket in self.tickets}
        return self.town.duplicates() + [f"ticket {number}: {said}" for number, said in cards.items() if len(said) > 1]

    def _reactions(self, ticket: Ticket) -> list[tuple[str, ...]]:
        return [tuple(one.content for one in comment.reactions) for comment in ticket.said]

    def _ours(self, ticket: Ticket) -> list[str]:
        return [one.body for one in ticket.issue.comments if one.app_id == self.town.app.id]


@contextlib.asynccontextmanager
async def street(folder: Path, database_url: str, spread: Spread) -> AsyncIterator[Street]:
    """Nothing has happened yet. Webhooks go through `spread`."""
    async with town(folder) as place:
        github = place.github
        github.webhooks.transport = spread
        # Two minutes of these events, resyncs every few seconds among them, are hours elsewhere.
        github.rate_limits.limits = {name: HOURS * most for name, most in DEFAULT_LIMITS.items()}
        app, key = github.register_app("porter", COURIER_PERMISSIONS, [])
        (folder / "courier.pem").write_text(key, encoding="ascii")
        office = await github.repository("acme/office", FILES | {POLICY_FILE: TICKETS}, collaborators=PEOPLE)  # type: ignore[arg-type]
        yard = await github.repository("acme/yard", {"README.md": "# Yard\n"}, private=True)
        settings = {
            **place.environment,
            "MERGEGATE_DATABASE_URL": database_url,
            "MERGEGATE_COURIER_APP_ID": str(app.id),
            "MERGEGATE_COURIER_PRIVATE_KEY_FILE": str(folder / "courier.pem"),
            "MERGEGATE_RESYNC_SECONDS": "5",
        }
        main = await github.git(yard).rev_parse("refs/heads/main")
        yield Street(place, office, yard, main, github.install(app, "acme"), settings)
