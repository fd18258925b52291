"""Tickets on the simulated GitHub: issues, comments of people, and an agent that claims through the courier App."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx

from app.github.clients import GitHubApp
from app.github.identity import AppIdentity
from app.keys import TicketKey
from app.proxy import ledger, sessions
from app.proxy.refusal import Refusal
from app.proxy.sessions import Wanted
from app.secret import SecretStr
from app.store import work
from app.store.tickets import moving, runs, ticket
from app.store.tickets.runs import Progress
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from app.tickets.claims import Claimed, NothingToClaim, claim
from app.tickets.parts import TicketParts, place_of
from app.tickets.supervisor import Supervisor
from policies.tickets.states import State
from tests.checks.test_tickets import body
from tests.gate.scene import Scene
from tests.gate.shop import BUNDLE, POLICY, open_shop
from tests.github.operations import issues
from tests.github.state import Comment, Issue, PullRequest, Repository
from tests.proxy.scene import COURIER_PERMISSIONS

TICKETS = POLICY + "ticket:\n  required: true\n"
FORM: dict[str, str | None] = {
    "Allowed paths": "shop/**\ntests/**",
    "Verification commands": "```\npython -m unittest\n```",
    "Risk level": "low",
    "Depends on": "_No response_",
}


@dataclass
class Desk:
    """A scene with tickets; `parts` has the courier that opens sessions."""

    stage: Scene
    shop: Repository
    parts: TicketParts

    async def open(self, text: str | None = None, title: str = "Discount", author: str = "ada") -> Issue:
        """An issue that is a ticket, looked at."""
        given = body(FORM) if text is None else text
        issue = await issues.open_issue(self.stage.github, self.shop, title=title, body=given, author=author)
        await self.stage.run_to_rest()
        return issue

    async def say(self, number: int, text: str, login: str = "ada") -> Comment:
        """A new comment, and everything that follows from it."""
        comment = await self.write(number, text, login)
        await self.stage.run_to_rest()
        return comment

    async def write(self, number: int, text: str, login: str = "ada") -> Comment:
        return await issues.create_comment(self.stage.github, self.shop, self.shop.issues[number], login, text)

    async def claim(self, agent: str = "claude", **more: str) -> Claimed | NothingToClaim:
        place = await place_of(self.parts, self.key(0))
        assert place is not None
        return await claim(self.parts, place, agent=agent, **more)  # type: ignore[arg-type]

    async def claimed(self, agent: str = "claude") -> Claimed:
        found = await self.claim(agent)
        assert isinstance(found, Claimed), found
        await self.report(found)
        await self.stage.run_to_rest()
        return found

    async def report(self, claimed: Claimed, progress: Progress | None = None) -> None:
        async with self.stage.gate.database.transaction() as connection:
            assert await runs.report(connection, claimed.run.id, progress or Progress())

    async def bring(self, claimed: Claimed, files: dict[str, str] | None = None, text: str = BUNDLE) -> PullRequest:
        """The agent's branch and pull request, past the proxy, with the proxy's own note of the push."""
        await self.push(claimed, files)
        branch = claimed.run.branch.removeprefix("refs/heads/")
        pull = await self.stage.github.open_pull(self.shop, branch, "main", claimed.title, text, "courier[bot]")
        await self.stage.run_to_rest()
        return pull

    async def push(self, claimed: Claimed, files: dict[str, str] | None = None) -> str:
        changed = files or {"shop/discount.py": "RATE = 0.1\n", "tests/test_discount.py": "import unittest\n"}
        branch = claimed.run.branch.removeprefix("refs/heads/")
        head = await self.stage.github.push(self.shop, branch, changed, author="courier[bot]")
        if claimed.grant is not None:
            grant = claimed.grant
            entry = await ledger.begin(
                self.stage.gate.database, grant, ledger.PUSH, ref=grant.branch, new_oid=str(head)
            )
            assert isinstance(entry, int), entry
            await ledger.end(self.stage.gate.database, entry, "done")
        return str(head)

    async def look(self, number: int) -> None:
        """One look at a ticket, whatever else waits."""
        async with self.stage.gate.database.transaction() as connection:
            await work.mark(connection, [Mark(str(self.key(number)))])
        await self.stage.worker.drain()

    async def row(self, number: int) -> TicketRow:
        async with self.stage.gate.database.transaction() as connection:
            row = await ticket.find(connection, self.shop.id, number)
        assert row is not None
        return row

    async def state(self, number: int) -> State:
        return (await self.row(number)).state

    async def changes(self, number: int) -> list[str]:
        async with self.stage.gate.database.transaction() as connection:
            found = await moving.transitions(connection, self.shop.id, number)
        return [f"{one.from_state} {one.event} {one.to_state} by {one.actor}" for one in found]

    async def changes_with_causes(self, number: int) -> list[str]:
        async with self.stage.gate.database.transaction() as connection:
            return [one.cause for one in await moving.transitions(connection, self.shop.id, number)]

    def key(self, number: int) -> TicketKey:
        return TicketKey(self.stage.installation.id, self.shop.id, number)

    def card(self, number: int) -> str:
        """The gate's one comment on a ticket."""
        ours = [one for one in self.of_gate(number) if "<!-- mergegate ticket -->" in one.body]
        assert len(ours) == 1, [one.body for one in ours]
        return ours[0].body

    def answers(self, number: int) -> list[str]:
        """What the gate said to commands."""
        return [one.body for one in self.of_gate(number) if "<!-- mergegate command" in one.body]

    def of_gate(self, number: int) -> list[Comment]:
        return [one for one in self.shop.issues[number].comments if one.user == self.stage.app.bot_login]

    def reactions(self, comment: Comment) -> list[str]:
        return [one.content for one in comment.reactions]

    def labels(self, number: int) -> list[str]:
        return [name for name in self.shop.issues[number].labels if name.startswith("agent/")]


@contextlib.asynccontextmanager
async def desk(stage: Scene, policy: str = TICKETS, supervisor: Supervisor | None = None) -> AsyncIterator[Desk]:
    """acme/shop with ada (admin), bob (write), eve (read), and an App that opens sessions."""
    shop = await open_shop(stage, policy)
    app, key = stage.github.register_app("porter", COURIER_PERMISSIONS, [])
    stage.github.install(app, "acme")
    identity = AppIdentity("courier", app.id, (SecretStr(key),), stage.github.world.base_url)
    courier = GitHubApp(identity, connect=lambda: httpx.ASGITransport(app=stage.github.app))
    try:
        parts = TicketParts(stage.gate, courier, supervisor)
        stage.tickets = parts
        yield Desk(stage, shop, parts)
    finally:
        await courier.aclose()


async def is_dead(at_desk: Desk, claimed: Claimed) -> bool:
    """Whether the token that the agent was given does nothing any more."""
    assert claimed.token is not None
    found = await sessions.find(at_desk.stage.gate.database, claimed.token.get_secret_value())
    return isinstance(found, Refusal)


def wanted_for(claimed: Claimed) -> Wanted:
    """A session for the same ticket and branch, as somebody would open it by hand."""
    grant = claimed.grant
    assert grant is not None
    names = ("installation_id", "repository_id", "owner", "repository", "branch", "base", "agent", "ticket")
    return Wanted(**{name: getattr(grant, name) for name in names}, opened_by="somebody")
