"""The gate of pull requests, simulated at the seam where tickets read it: its decision in the store, and the merge.

What is true of a head is known to whoever pushed it (`truth`); agents' words are not asked. As the real gate does, it
ties a pull request to the ticket of its branch, takes its time (`CI`), records a decision about that very head, marks
the ticket, and lets nothing land that the ticket's state or a hold keeps out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.keys import PullKey
from app.store import decisions, work
from app.store.database import Connection, Database
from app.store.decisions import Decision
from app.store.tickets import runs, ticket
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from app.store.worker import Done, Outcome, Sleep
from app.tickets.changing import key_of
from policies.tickets.states import AT_WORK, State
from tests.fleet.clock import Clock
from tests.github.operations.pulls import mark_merged
from tests.github.server import SimulatedGitHub
from tests.github.state import PullRequest, Repository

CI = timedelta(minutes=6)
QUEUE = timedelta(minutes=2)


@dataclass(frozen=True)
class Truth:
    """What is the matter with a head, in words; None where it is what its ticket asked for."""

    pushed_at: datetime
    fault: str | None


@dataclass
class Verdicts:
    clock: Clock
    database: Database
    github: SimulatedGitHub
    shop: Repository
    installation_id: int
    truth: dict[str, Truth] = field(default_factory=dict)  # by head
    merged: dict[int, datetime] = field(default_factory=dict)  # by number of the pull request

    async def look(self, key: PullKey) -> Outcome:
        """Again until the pull request is closed."""
        pull = self.shop.pulls[key.number]
        if pull.issue.state != "open":
            return await self._told(key)
        row = await self._ticket(key, pull)
        truth = self.truth[pull.head_sha]
        if row is None or self.clock.now < truth.pushed_at + CI:
            return Sleep(CI)
        if await self._judged(key, row, pull.head_sha, truth):
            return Sleep(QUEUE)
        if truth.fault is None and row.state is State.MERGEABLE and row.held_by is None:
            await self._merge(key, row, pull)
            return Done()
        return Sleep(QUEUE)

    async def _ticket(self, key: PullKey, pull: PullRequest) -> TicketRow | None:
        """As `app.gate.tickets` ties them."""
        async with self.database.transaction() as connection:
            row = await ticket.find_of_pull(connection, key.repository_id, key.number)
            if row is not None:
                return row
            branch = f"refs/heads/{pull.head_ref}"
            number = await runs.ticket_of_branch(connection, key.repository_id, branch)
            row = None if number is None else await ticket.lock(connection, key.repository_id, number)
            if row is None or row.state not in AT_WORK:
                return None
            await ticket.set_pull(connection, key.repository_id, row.number, key.number)
            await self._mark(connection, row)
            return await ticket.find_of_pull(connection, key.repository_id, key.number)

    async def _judged(self, key: PullKey, row: TicketRow, head: str, truth: Truth) -> bool:
        """False where the head was judged before."""
        async with self.database.transaction() as connection:
            last = await decisions.latest(connection, str(key))
            if last is not None and last.head_sha == head:
                return False
            await decisions.record(connection, _decision(key, head, truth.fault))
            await self._mark(connection, row)
        return True

    async def _merge(self, key: PullKey, row: TicketRow, pull: PullRequest) -> None:
        """The merge commit itself is left out: nothing here reads it."""
        await mark_merged(self.github, self.shop, pull, "mergegate[bot]", pull.head_sha)
        self.merged[key.number] = self.clock.now
        async with self.database.transaction() as connection:
            await self._mark(connection, row)

    async def _told(self, key: PullKey) -> Outcome:
        async with self.database.transaction() as connection:
            row = await ticket.find_of_pull(connection, key.repository_id, key.number)
            if row is not None:
                await self._mark(connection, row)
        return Done()

    async def _mark(self, connection: Connection, row: TicketRow) -> None:
        await work.mark(connection, [Mark(str(key_of(row)))])


def _decision(key: PullKey, head: str, fault: str | None) -> Decision:
    status, reason = ("passed", "everything was found") if fault is None else ("failed", fault)
    evidence = {"status": status, "reason": reason, "children": []}
    review = {"status": "passed", "reason": "nobody has to approve", "children": []}
    verdict = {"gated": True, "evidence": evidence, "review": review, "needed": []}
    return Decision(str(key), key.repository_id, head, head, verdict, b"", [], {})
