"""Giving a ticket other limits, or another path that it may change. See `verbs`."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from app.store.tickets import messages, raises, snapshots, ticket
from app.store.tickets.ticket import TicketRow
from app.tickets.doing import Doing, NotDone
from app.tickets.limiting import asked_limits, day_of, limits_for
from checks.paths import PathPatterns
from policies.escape import inert
from policies.tickets.limits import Asked, Limits, dollars, limits_of, no_raise
from policies.tickets.raising import raises as raised
from policies.tickets.states import AT_WORK


async def limit(doing: Doing) -> None:
    asked = asked_limits(doing.command)
    if asked is None:
        raise NotDone("Write `/limit minutes=90 attempts=3 cost=8`, any of the three, each a number.")
    _within_most(doing, asked)
    before = await _limits(doing)
    after = await _limits(replace(doing, row=_with_limits(doing.ticket, asked)))
    await _ask_the_day(doing, after.cost - before.cost)
    await ticket.set_limits(*doing.own, minutes=asked.minutes, attempts=asked.attempts, cost=asked.cost)
    await keep_raises(doing, before, after)
    await doing.wake()


async def keep_raises(doing: Doing, before: Limits, after: Limits) -> None:
    """What is beyond what it had, compared with what a ticket has that says nothing of its own: what the week's numbers
    call raised limits."""
    usual = limits_of(doing.place.rules, Asked(), Asked(), doing.place.floor)
    cause, found = doing.cause(), raised(before, after, usual)
    await raises.add(*doing.own, found, by=cause.actor, because=cause.because)


def _within_most(doing: Doing, asked: Asked) -> None:
    most = doing.place.rules.most
    over = [
        f"{name} {given} (the policy allows {limit})"
        for name, given, limit in (
            ("minutes", asked.minutes, most.minutes),
            ("attempts", asked.attempts, most.attempts),
            ("cost", asked.cost, dollars(most.cost)),
        )
        if given is not None and given > limit
    ]
    if over:
        raise NotDone(f"Too much: {', '.join(over)}. No ticket goes beyond the policy's `ticket.most`.")


def _with_limits(row: TicketRow, asked: Asked) -> TicketRow:
    """As `ticket.set_limits` leaves it."""
    return replace(
        row,
        max_minutes=asked.minutes or row.max_minutes,
        max_attempts=asked.attempts or row.max_attempts,
        max_cost=asked.cost or row.max_cost,
    )


async def _ask_the_day(doing: Doing, more: Decimal) -> None:
    """What a ticket may spend is set apart when it is claimed, and what it is given later when that is said."""
    if more <= 0 or doing.ticket.state not in AT_WORK:
        return
    place = doing.place
    day = await day_of(doing.connection, place, doing.parts.gate.now(), None)
    because = no_raise(place.rules, place.floor, day, more)
    if because is not None:
        raise NotDone(f"Not while it is in work: {because}. Say it tomorrow (UTC), or raise the policy's `ticket.day`.")


async def _limits(doing: Doing) -> Limits:
    held = await snapshots.newest(*doing.own)
    return limits_for(doing.place, doing.ticket, None if held is None else held.form)


async def grant(doing: Doing) -> None:
    pattern = doing.command.option("path")
    held = await snapshots.newest(*doing.own)
    if pattern is None or held is None:
        raise NotDone("Write `/grant path=<pattern> once`, below it `Reason: …`.")
    try:
        PathPatterns((*held.form.allowed_paths, pattern))
    except ValueError as wrong:
        raise NotDone(f"That is no pattern of paths: {inert(str(wrong), 200)}.") from None
    form = replace(held.form, allowed_paths=(*held.form.allowed_paths, pattern))
    by = held.accepted_by
    await snapshots.freeze(*doing.own, form, issue_digest=held.issue_digest, redirects=held.redirects, accepted_by=by)
    cause = doing.cause()
    await raises.grant(*doing.own, pattern, by=cause.actor, because=cause.because)
    await messages.say(*doing.own, "redirect", f"{pattern} may be changed too", doing.author)
    await doing.wake()
