"""Making the cost of a session hard: a key for models with a budget held to the ticket's limits, blocked at its end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import structlog

from app.proxy.grant import Grant
from app.secret import SecretStr
from app.store.database import Connection
from app.store.tickets import meters, snapshots, ticket
from app.store.tickets.meters import Meter
from app.tickets.limiting import day_of, limits_for, used_by
from app.tickets.litellm import Gateway, GatewayFailed
from app.tickets.parts import Place, TicketParts
from policies.tickets.cost import session_budget
from policies.tickets.limits import Limits, no_further

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """Where an agent calls models, and its own key for it."""

    url: str
    key: SecretStr


async def give_key(
    connection: Connection, gateway: Gateway, grant: Grant, number: int, remaining: Limits, now: datetime
) -> ModelAccess:
    """A key for the session of a ticket, with what the ticket has left. Raises GatewayFailed.

    In the claim's transaction: where that fails, nobody was given the key, and it dies by its own time.
    """
    about = {"repository": f"{grant.owner}/{grant.repository}", "ticket": number, "session": grant.session}
    seconds = _seconds(grant.expires_at, now)
    issued = await gateway.generate(budget=remaining.cost, seconds=seconds, metadata=about)
    await meters.add(
        *(connection, grant.session, grant.repository_id, number),
        key_hash=issued.key_hash,
        budget=issued.budget,
        expires_at=grant.expires_at,
    )
    return ModelAccess(gateway.url, issued.key)


async def keep(parts: TicketParts, place: Place, number: int) -> None:
    """Read what the ticket's keys spent, hold them to its limits as they are now, block those whose session is over."""
    for meter in await unsettled(parts, place, number):
        try:
            await _keep(parts, place, number, meter)
        except GatewayFailed as failed:
            log.error("the metering gateway failed", key=str(place.key), session=meter.session_id, because=str(failed))
            await _given_up(parts, meter)


async def unsettled(parts: TicketParts, place: Place, number: int) -> list[Meter]:
    """Keys that may still be used, or whose last spend is not known yet."""
    return await parts.gate.database.read(meters.unsettled, place.repository.id, number)


async def _keep(parts: TicketParts, place: Place, number: int, meter: Meter) -> None:
    """Raises GatewayFailed. A key is blocked before anything else is asked about it."""
    gateway, database = parts.gateway, parts.gate.database
    if gateway is None:
        raise GatewayFailed("MERGEGATE_LITELLM_URL is not set any more")
    if not meter.live and meter.blocked_at is None:
        await gateway.block(meter.key_hash)
        async with database.transaction() as connection:
            await meters.blocked(connection, meter.session_id)
    spend = await gateway.spend(meter.key_hash)
    if spend > meter.spend or not meter.borne:
        async with database.transaction() as connection:
            await meters.spent(connection, meter.session_id, spend)
    if meter.live:
        await _hold(parts, gateway, place, number, meter.session_id)
    elif meter.rested:
        await gateway.delete(meter.key_hash)
        async with database.transaction() as connection:
            await meters.settled(connection, meter.session_id)


async def _hold(parts: TicketParts, gateway: Gateway, place: Place, number: int, session_id: int) -> None:
    """The key's budget follows the ticket's limits, its time that of the session, which an attempt more makes longer.
    The row is locked, so that no `/limit` comes in between; where nothing is to be done, it is not.
    """
    database, own = parts.gate.database, (place, number, session_id, parts.gate.now())
    if await database.read(_other_budget, *own) is None:
        return
    async with database.transaction() as connection:
        await ticket.lock(connection, place.repository.id, number)
        found = await _other_budget(connection, *own)
        if found is not None:
            meter, budget = found
            seconds = _seconds(meter.expires_at, parts.gate.now())
            await gateway.renew(meter.key_hash, budget=budget, seconds=seconds)
            await meters.renewed(connection, meter.session_id, budget, meter.expires_at)


async def _other_budget(
    connection: Connection, place: Place, number: int, session_id: int, now: datetime
) -> tuple[Meter, Decimal] | None:
    """The key of a session with what it may spend now; None where that, and for how long, is what it was told.

    A ticket's limits may rise by the policy's, which nobody asked the day about: then the key rises when it has room.
    """
    row = await ticket.find(connection, place.repository.id, number)
    held = await snapshots.newest(connection, place.repository.id, number)
    found = await meters.unsettled(connection, place.repository.id, number)
    meter = next((one for one in found if one.session_id == session_id), None)
    if row is None or held is None or meter is None:
        return None
    used = await used_by(connection, place, number)
    budget = session_budget(limits_for(place, row, held.form), used, meter.spend)
    if budget > meter.budget and no_further(place.rules, place.floor, await day_of(connection, place, now, None)):
        budget = meter.budget
    return (meter, budget) if budget != meter.budget or meter.outlived else None


def _seconds(until: datetime, now: datetime) -> int:
    return max(1, int((until - now).total_seconds()))


async def _given_up(parts: TicketParts, meter: Meter) -> None:
    """A key whose own time is over does nothing any more, whether the gateway can be asked or not."""
    if meter.live or not meter.expired:
        return
    async with parts.gate.database.transaction() as connection:
        await meters.blocked(connection, meter.session_id)
        await meters.settled(connection, meter.session_id)
