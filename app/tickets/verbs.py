"""What each verb does. Right, place, state and reason were judged before; all happens in the comment's transaction.

An act says nothing where a reaction is enough, tells what was asked for, or raises NotDone with what is in the way.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import re2

from app.keys import BoardKey
from app.store import work
from app.store.tickets import boards, brakes, messages, moving, questions, snapshots, ticket
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from app.tickets import giving
from app.tickets.changing import key_of
from app.tickets.doing import Doing, NotDone
from app.tickets.escalating import people_mark
from app.tickets.limiting import limits_for, used_by
from app.tickets.telling import skeleton, status_of
from checks.tickets.readiness import read_ticket
from policies.escape import clean, code, inert
from policies.ticket_section import POOL
from policies.tickets.batch import NoBatch, batch_of
from policies.tickets.limits import dollars, no_attempt
from policies.tickets.states import ACTIVE, Event, State
from policies.tickets.status import status_text
from policies.tickets.verbs import VERBS, is_for_all

_ORDINAL = re2.compile(r"([0-9]{1,4})[.:)]?\s+(\S.*)")
_POOL = re2.compile(POOL)
LONGEST_WORDS = 2_000  # characters of what a person tells an agent
MOST_REDIRECTS = 20


async def _accept(doing: Doing) -> None:
    if not doing.place.readable:
        raise NotDone("The repository's policy cannot be used, so nothing says what agents may do. Repair it first.")
    form, misses = read_ticket(doing.issue.body or "")
    if form is None or misses:
        listed = "\n".join(f"- {inert(str(miss), 300)}" for miss in misses)
        raise NotDone(f"It is not ready. Edit the issue, then accept it:\n{listed}")
    limits = limits_for(doing.place, doing.ticket, form)
    budget = dollars(doing.place.rules.day.cost)
    if limits.cost > budget:
        raise NotDone(f"It may cost {limits.cost} USD, more than a day's budget of {budget} USD. Lower its cost limit.")
    held = await snapshots.newest(*doing.own)
    await snapshots.freeze(*doing.own, form, issue_digest=form.digest, redirects=(), accepted_by=doing.author)
    if held is not None:
        before = limits_for(doing.place, doing.ticket, held.form)
        await giving.keep_raises(doing, before, limits)
    if form.pool is not None:
        await ticket.set_pool(*doing.own, form.pool)
    await doing.change(Event.ACCEPTED)


async def _assign(doing: Doing) -> None:
    name = doing.command.words[0].removeprefix("@") if doing.command.words else ""
    if not _POOL.fullmatch(name):
        raise NotDone("Name one agent or pool, in letters, digits and `. _ -`.")
    await ticket.set_pool(*doing.own, name)
    await doing.wake()


async def _start(doing: Doing) -> str | None:
    if is_for_all(doing.command):
        if not await brakes.release(doing.connection, doing.place.repository.id):
            raise NotDone("The brake is not pulled.")
        await _wake_all(doing)
        return None
    brake = await brakes.find(doing.connection, doing.ticket.repository_id)
    if brake is not None:
        raise NotDone(f"{code(brake.pulled_by)} pulled the brake; `/start all` with a reason lets it go.")
    pool = doing.place.rules.pools.get(doing.ticket.pool or "")
    await doing.wake()
    if pool is None or pool.start == "claim":
        return "Nothing here starts that agent: its own program claims tickets. It gets this one when it asks next."
    return None


async def _pause(doing: Doing) -> None:
    await ticket.set_paused(*doing.own, True)
    await doing.wake()


async def _resume(doing: Doing) -> None:
    await ticket.set_paused(*doing.own, False)
    await doing.wake()


async def _status(doing: Doing) -> str:
    return status_text(await status_of(doing.connection, doing.place, doing.ticket, doing.parts.gate.now()))


async def _stop(doing: Doing) -> None:
    if is_for_all(doing.command):
        await _stop_all(doing)
        return
    now = "now" in doing.command.words
    if now:
        await ticket.set_stop_now(*doing.own, True)
    if doing.ticket.state in ACTIVE:
        await _stop_one(doing, doing.ticket)
    elif now:
        await doing.wake()


async def _stop_all(doing: Doing) -> None:
    """The brake first: whoever claims now waits for this transaction, and then gets nothing."""
    repository_id = doing.place.repository.id
    await brakes.pull(doing.connection, repository_id, doing.author, doing.cause().because)
    for row in await ticket.in_states(doing.connection, repository_id, ACTIVE):
        await ticket.set_stop_now(doing.connection, repository_id, row.number, "now" in doing.command.words)
        await _stop_one(doing, row)


async def _stop_one(doing: Doing, row: TicketRow) -> None:
    await messages.say(doing.connection, row.repository_id, row.number, "stop", doing.cause().because, doing.author)
    await doing.change_of(key_of(row), Event.STOP, doing.cause())


async def _redirect(doing: Doing) -> None:
    words = clean(doing.command.text, LONGEST_WORDS)
    held = await snapshots.newest(*doing.own)
    if held is None:
        raise NotDone("It was never accepted.")
    if len(held.redirects) >= MOST_REDIRECTS:
        raise NotDone("It was redirected too often. Stop it, edit the issue, and accept it anew.")
    redirects = (*held.redirects, f"{doing.author}: {words}")
    by = held.accepted_by
    await snapshots.freeze(*doing.own, held.form, issue_digest=held.issue_digest, redirects=redirects, accepted_by=by)
    await messages.say(*doing.own, "redirect", words, doing.author)
    await doing.wake()


async def _answer(doing: Doing) -> None:
    found = _ORDINAL.fullmatch(doing.command.text)
    if found is None:
        raise NotDone("Write the question's number and the answer: `/answer 1 the first one`.")
    ordinal, words = int(found.group(1)), clean(found.group(2), LONGEST_WORDS)
    if await questions.answer(*doing.own, ordinal, words, doing.author) is None:
        open_ones = [str(one.ordinal) for one in await questions.of_ticket(*doing.own) if one.answered_at is None]
        raise NotDone(f"Question {ordinal} is not open. Open: {', '.join(open_ones) or 'none'}.")
    await messages.say(*doing.own, "answer", f"{ordinal}: {words}", doing.author)
    await doing.wake()


async def _retry(doing: Doing) -> None:
    held = await snapshots.newest(*doing.own)
    if held is None:
        raise NotDone("It was never accepted; comment `/accept`.")
    limits = limits_for(doing.place, doing.ticket, held.form)
    because = no_attempt(limits, await used_by(doing.connection, doing.place, doing.ticket.number))
    if because is not None:
        raise NotDone(f"{because[:1].upper()}{because[1:]}. Raise it first: `/limit …` with a line `Reason: …`.")
    await doing.change(Event.RETRIED)


async def _reject(doing: Doing) -> None:
    words = clean(doing.command.text, LONGEST_WORDS)
    await messages.say(*doing.own, "rejected", words, doing.author)
    await doing.change(Event.REJECTED, await _judged_head(doing))


async def _judged_head(doing: Doing) -> str | None:
    return next((one.sha for one in await moving.latest(*doing.own) if one.sha is not None), None)


async def _hold(doing: Doing) -> None:
    await ticket.set_held(*doing.own, doing.author, clean(doing.command.text, 200))
    await doing.wake()


async def _unhold(doing: Doing) -> None:
    await ticket.set_held(*doing.own, None)
    await doing.wake()


async def _reverted(doing: Doing) -> None:
    await doing.change(Event.REVERTED)


async def _split(doing: Doing) -> str:
    """The children are opened after this, one by one; here it is only told whether they can be."""
    try:
        batch = batch_of(doing.issue.title, doing.issue.body or "")
    except NoBatch as wrong:
        raise NotDone(f"It cannot be split: {inert(str(wrong), 400)}.") from None
    await ticket.set_split(*doing.own, batch.template)
    return f"{len(batch.children)} drafts are made, all of the template {code(batch.template[:19])}."


async def _ticket(doing: Doing) -> str:
    return skeleton(doing.place.rules.language)


async def _board(doing: Doing) -> None:
    if doing.row is not None or doing.issue.pull_request is not None:
        raise NotDone("This issue is a ticket, whose text is needed. Open an empty issue and say it there.")
    place = doing.place
    await boards.put(doing.connection, place.repository.id, doing.issue.number, doing.author)
    own = (place.key.installation_id, place.repository.id)
    await work.mark(doing.connection, [Mark(str(BoardKey(*own))), people_mark(*own)])


async def _help(_: Doing) -> str:
    rows = [f"- `{verb.usage}`: {verb.says} ({verb.least.name.lower()})" for verb in VERBS.values()]
    return "\n".join(["**What can be said here.** At the top of a new comment, one a line.", "", *rows])


async def _wake_all(doing: Doing) -> None:
    rows = await ticket.in_states(doing.connection, doing.place.repository.id, [State.WAITING])
    await work.mark(doing.connection, [Mark(str(key_of(row))) for row in rows])


Act = Callable[[Doing], Awaitable[str | None]]
ACTS: Mapping[str, Act] = {
    "ticket": _ticket,
    "accept": _accept,
    "assign": _assign,
    "start": _start,
    "pause": _pause,
    "resume": _resume,
    "status": _status,
    "stop": _stop,
    "redirect": _redirect,
    "answer": _answer,
    "retry": _retry,
    "limit": giving.limit,
    "grant": giving.grant,
    "reject": _reject,
    "hold": _hold,
    "unhold": _unhold,
    "split": _split,
    "reverted": _reverted,
    "board": _board,
    "help": _help,
}
