"""Limits of tickets as they stand: what holds, what was used, what a day still takes."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from app.github.issues import Issue
from app.store.database import Connection
from app.store.tickets import runs, snapshots, ticket
from app.store.tickets.runs import Spent
from app.store.tickets.ticket import TicketRow
from app.tickets.parts import Place
from app.utc_day import day_begun
from checks.commands import Command
from checks.tickets.form import MOST_ATTEMPTS, MOST_MINUTES, TicketForm
from checks.tickets.readiness import read_ticket
from policies.tickets.cost import unsaid
from policies.tickets.limits import Asked, Day, Limits, Used, dollars, left, limits_of
from policies.tickets.states import AT_WORK, State
from policies.tickets.verbs import Raises

RISKY = ("high", "critical")
LONGEST_NUMBER = 8  # characters
_NAMES = {"minutes": "minutes", "time": "minutes", "attempts": "attempts", "cost": "cost"}


def limits_for(place: Place, row: TicketRow, form: TicketForm | None) -> Limits:
    """What holds for a ticket of this form, with what a person set later, the policy and the server's baseline."""
    later = Asked(row.max_minutes, row.max_attempts, row.max_cost)
    return limits_of(place.rules, Asked() if form is None else _asked_by(form), later, place.floor)


def _asked_by(form: TicketForm) -> Asked:
    return Asked(form.max_minutes, form.max_attempts, None if form.max_cost is None else Decimal(form.max_cost))


def used_of(place: Place, spent: Spent) -> Used:
    beyond = unsaid(place.rules, place.floor, spent.soft_cost, spent.soft_minutes)
    return Used(spent.minutes, spent.attempts, spent.cost, beyond)


async def used_by(connection: Connection, place: Place, number: int) -> Used:
    return used_of(place, await runs.spent_by(connection, place.repository.id, number))


async def alone(connection: Connection, repository_id: int) -> None:
    """Until the end of the transaction nobody else of this repository begins work or goes on with it. Taken before the
    row of a ticket."""
    await connection.execute("select pg_advisory_xact_lock(hashtextextended('mergegate claims', %s))", (repository_id,))


async def used_on(connection: Connection, place: Place, now: datetime) -> Used:
    """What the repository used of its day of UTC by now."""
    return used_of(place, await runs.spent_on(connection, place.repository.id, day_begun(now)))


async def day_of(connection: Connection, place: Place, now: datetime, pool: str | None) -> Day:
    """What the repository's day of UTC holds by now."""
    repository_id = place.repository.id
    at_work = await ticket.in_states(connection, repository_id, AT_WORK)
    accepted = await snapshots.newest_of(connection, repository_id, [row.number for row in at_work])
    spent = await runs.spent_by_each(connection, repository_id, [row.number for row in at_work])
    committed = Decimal(0)
    for row in at_work:
        held = accepted.get(row.number)
        limits = limits_for(place, row, None if held is None else held.form)
        committed += left(limits, used_of(place, spent[row.number]) if row.number in spent else Used()).cost
    return Day(
        used=await used_on(connection, place, now),
        running=len([row for row in at_work if row.state in (State.RUNNING, State.VERIFYING, State.VERIFY_FAILED)]),
        pool_running=0 if pool is None else await runs.open_count(connection, repository_id, pool),
        committed=committed,
    )


def asked_limits(command: Command) -> Asked | None:
    """The limits that `/limit` names; None where it names none, or one that is no number in its bounds."""
    options = dict(command.options or {})
    given = {_NAMES[name]: value for name, value in options.items() if name in _NAMES}
    if not given or len(given) != len(options) or command.words or max(map(len, given.values())) > LONGEST_NUMBER:
        return None
    try:
        minutes = _whole(given.get("minutes"), MOST_MINUTES)
        attempts = _whole(given.get("attempts"), MOST_ATTEMPTS)
        cost = _money(given.get("cost"))
    except ValueError:
        return None
    return Asked(minutes, attempts, cost)


def _whole(given: str | None, most: int) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and 1 <= int(given) <= most):
        raise ValueError(given)
    return int(given)


def _money(given: str | None) -> Decimal | None:
    if given is None:
        return None
    plain = given.removeprefix("$")
    if not plain.replace(".", "", 1).isascii() or not plain.replace(".", "", 1).isdigit() or dollars(plain) <= 0:
        raise ValueError(given)
    return dollars(plain)


async def raises_of(
    connection: Connection, place: Place, issue: Issue, row: TicketRow | None, command: Command
) -> Raises:
    """Whether a command would give an agent more than it has."""
    if row is None:
        return Raises()
    if command.verb == "accept":
        form, _ = read_ticket(issue.body or "")
        return Raises(risk_high=form is not None and form.risk in RISKY)
    if command.verb != "limit":
        return Raises()
    asked = asked_limits(command)
    held = await snapshots.newest(connection, row.repository_id, row.number)
    return Raises(limit=asked is not None and _is_above(asked, limits_for(place, row, held.form if held else None)))


def _is_above(asked: Asked, limits: Limits) -> bool:
    return (
        (asked.minutes or 0) > limits.minutes
        or (asked.attempts or 0) > limits.attempts
        or (asked.cost or Decimal(0)) > limits.cost
    )
