"""Tickets put into the store as they are."""

from __future__ import annotations

from app.proxy.sessions import Wanted
from app.store.database import Connection, Database
from app.store.tickets import moving, runs, snapshots, ticket
from app.store.tickets.moving import Cause, Moved
from app.store.tickets.ticket import SeenIssue
from checks.tickets.form import TicketForm
from policies.tickets.states import Event

REPOSITORY, NUMBER = 42, 3
BRANCH = f"refs/heads/agent/{NUMBER}"
FORM = TicketForm(
    goal="Orders of more than 100 get a discount of ten percent.",
    allowed_paths=("shop/**",),
    forbidden_paths=(),
    done_when=("an order of 101 costs ten percent less",),
    verify=("python -m pytest -q",),
    risk="low",
    migration="no",
    submit="standard",
    max_minutes=90,
    max_attempts=3,
    max_cost="8.00",
    depends_on=(),
    pool=None,
    unsure="stop",
)
ADA = Cause("ada", "/accept")


async def draft(connection: Connection, number: int = NUMBER, form: TicketForm = FORM) -> None:
    await ticket.note(connection, SeenIssue(REPOSITORY, number, 1, "Discount", form.digest))


async def accepted(connection: Connection, number: int = NUMBER, form: TicketForm = FORM) -> None:
    await draft(connection, number, form)
    await snapshots.freeze(
        connection, REPOSITORY, number, form, issue_digest=form.digest, redirects=(), accepted_by="ada"
    )
    assert await moving.move(connection, REPOSITORY, number, Event.ACCEPTED, ADA)


async def claimed(connection: Connection, number: int = NUMBER) -> runs.Run:
    await accepted(connection, number)
    assert await moving.move(connection, REPOSITORY, number, Event.CLAIMED, Cause("claude", "claim"))
    return await runs.begin(connection, REPOSITORY, number, revision=1, agent="claude", pool=None, branch=BRANCH)


async def happened(database: Database, event: Event, number: int = NUMBER) -> Moved | None:
    async with database.transaction() as connection:
        return await moving.move(connection, REPOSITORY, number, event, Cause("test", event))


def wanted(number: int = NUMBER) -> Wanted:
    return Wanted(
        installation_id=1,
        repository_id=REPOSITORY,
        owner="acme",
        repository="shop",
        branch=f"refs/heads/agent/{number}",
        base="refs/heads/main",
        agent="claude",
        opened_by="test",
        ticket=number,
    )
