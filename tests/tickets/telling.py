"""People being told of tickets: hours that are day or night whenever the tests run, and what stands on GitHub."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.keys import PeopleKey
from app.proxy import ledger
from app.store import work
from app.store.database import Database
from app.store.tickets import escalations, questions, ticket
from app.store.tickets.escalations import Matter
from app.store.tickets.moving import Cause as Because
from app.store.tickets.questions import Asking
from app.store.work import Mark
from app.tickets.changing import changed
from app.tickets.claims import Claimed
from checks.commands import read_commands
from policies.tickets.escalation import Cause
from policies.tickets.states import Event
from tests.gate.scene import scene
from tests.policies.test_escape import live_text
from tests.tickets.desk import TICKETS, Desk, desk
from tests.tickets.rows import FORM

DAY, NIGHT = 12, 2
PUSHED = "<!-- mergegate push "


def zone_at(hour: int) -> str:
    """A zone in whose clocks it is about that hour now. `Etc/GMT+3` is three hours behind (tz database, etcetera)."""
    behind = (datetime.now(UTC).hour - hour + 12) % 24 - 12
    return f"Etc/GMT{behind:+d}"


def telling(hour: int = DAY, more: str = "", on_call: str = "bob") -> str:
    days = "days: [mon, tue, wed, thu, fri, sat, sun]"
    return f"{TICKETS}  pushes: {{zone: {zone_at(hour)}, {days}, on_call: [{on_call}]{more}}}\n"


@contextlib.asynccontextmanager
async def telling_desk(folder: Path, database: Database, policy: str | None = None) -> AsyncIterator[Desk]:
    async with scene(folder, database) as stage, desk(stage, policy or telling()) as at_desk:
        yield at_desk


async def tell(at_desk: Desk, later: timedelta = timedelta()) -> None:
    """Time goes by, and one look at whom to tell; twice, for the second must tell nothing more."""
    at_desk.stage.clock += later
    for _ in range(2):
        async with at_desk.stage.gate.database.transaction() as connection:
            await work.mark(connection, [Mark(str(PeopleKey(at_desk.stage.installation.id, at_desk.shop.id)))])
        await at_desk.stage.worker.drain()


def told(at_desk: Desk, number: int) -> list[str]:
    """The messages on an issue."""
    return [one.body for one in at_desk.of_gate(number) if PUSHED in one.body]


def assert_harmless(body: str) -> None:
    """No command begins a line, and exactly one person is mentioned, in the last line before the marker."""
    assert read_commands(body) == ()
    lines = body.split("\n\n")
    assert live_text(body).count("@") == 1  # what stands in code mentions nobody
    assert lines[-2].startswith("@")
    assert lines[-1].startswith(PUSHED)


async def ask(at_desk: Desk, claimed: Claimed, cause: str, words: str) -> None:
    """The agent asks, and the ticket is looked at."""
    number = claimed.key.number
    asking = Asking(cause, words, words, "It stays as it is.")
    async with at_desk.stage.gate.database.transaction() as connection:
        await ticket.lock(connection, at_desk.shop.id, number)
        assert await questions.ask(connection, at_desk.shop.id, number, asking)
        assert await changed(connection, claimed.key, Event.ASKED, Because("claude", words))
    await at_desk.look(number)


async def push_under_way(at_desk: Desk, claimed: Claimed) -> int:
    """A push that does not come to its end."""
    assert claimed.grant is not None
    entry = await ledger.begin(at_desk.stage.gate.database, claimed.grant, ledger.PUSH, ref=claimed.grant.branch)
    assert isinstance(entry, int)
    return entry


async def brought_up(at_desk: Desk, numbers: range, cause: Cause = Cause.REPEATED_FAILURE, **more: object) -> None:
    """Matters of many tickets, as the store has them after a look at each."""
    given = {"people": ("ada", "bob"), "detail": FORM.goal, **more}
    async with at_desk.stage.gate.database.transaction() as connection:
        for number in numbers:
            one = Matter(cause, "it", "push", **given)  # type: ignore[arg-type]
            now = at_desk.stage.gate.now()
            assert await escalations.bring_up(connection, at_desk.shop.id, number, one, now)
