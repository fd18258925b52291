"""One command as it is carried out: what every verb's act is given."""

from __future__ import annotations

from dataclasses import dataclass

from app.github.issues import Issue
from app.keys import TicketKey
from app.store import work
from app.store.audit import Entry
from app.store.database import Connection
from app.store.tickets.moving import Cause
from app.store.tickets.ticket import TicketRow
from app.tickets.changing import change, key_of, marks, recorded
from app.tickets.parts import Place, TicketParts
from checks.commands import Command
from policies.escape import clean
from policies.tickets.states import Event


class NotDone(Exception):
    """A command that was allowed and cannot be carried out; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Doing:
    """One command of one person. `row` is the ticket's, held; None where there is no ticket."""

    parts: TicketParts
    place: Place
    connection: Connection
    issue: Issue
    row: TicketRow | None
    command: Command
    author: str
    entries: list[Entry]  # for the audit log, when everything is done

    @property
    def ticket(self) -> TicketRow:
        assert self.row is not None
        return self.row

    @property
    def key(self) -> TicketKey:
        return key_of(self.ticket)

    @property
    def own(self) -> tuple[Connection, int, int]:
        return self.connection, self.ticket.repository_id, self.ticket.number

    def cause(self, sha: str | None = None) -> Cause:
        words = f"/{self.command.verb} {clean(self.command.text, 200)}".strip()
        because = f"{words} ({clean(self.command.reason, 200)})" if self.command.reason else words
        return Cause(self.author, because, sha)

    async def change(self, event: Event, sha: str | None = None) -> None:
        if not await self.change_of(self.key, event, self.cause(sha)):
            raise NotDone(f"The ticket is {self.ticket.state.replace('_', ' ')}, where that changes nothing.")

    async def change_of(self, key: TicketKey, event: Event, cause: Cause) -> bool:
        moved = await change(self.connection, key, event, cause)
        if moved is not None:
            self.entries.extend(recorded(key, event, cause, moved))
        return moved is not None

    async def wake(self) -> None:
        """The ticket and its pull request are looked at again."""
        await work.mark(self.connection, await marks(self.connection, self.key))
