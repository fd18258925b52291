"""The board: one issue of a repository that a person made it, written anew from the store when something is news."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from app.github import issues
from app.github.errors import NotFound, Refused
from app.github.issues import Issue
from app.keys import BoardKey, TicketKey
from app.store.database import Connection
from app.store.tickets import boards, brakes, canaries, escalations, runs, snapshots, ticket
from app.store.tickets.boards import BoardIssue, Doing, OpenQuestion
from app.store.tickets.escalations import Matter
from app.store.tickets.runs import Spent
from app.store.tickets.snapshots import TicketSnapshot
from app.store.tickets.ticket import TicketRow
from app.store.worker import Done, Outcome, Sleep
from app.tickets.limiting import day_of, limits_for, used_of
from app.tickets.parts import Place, TicketParts, place_of
from app.tickets.stopping import LATE
from app.utc_day import day_begun
from policies.tickets.board import AT_ONCE, Board, BoardRow, Progress, board_digest, board_text, is_due
from policies.tickets.card import card_digest
from policies.tickets.escalation import Cause
from policies.tickets.limits import Used, dollars
from policies.tickets.states import ACTIVE, Event, State

log = structlog.get_logger(__name__)

SHOWN = ACTIVE | {State.STOPPING}
DONE = frozenset({State.MERGED, State.SETTLED})


async def reconcile_board(parts: TicketParts, key: BoardKey) -> Outcome:
    """Raises GitHub's errors. An issue that is closed or gone is no board any more; `/board` makes it one again."""
    place = await place_of(parts, TicketKey(key.installation_id, key.repository_id, 0))
    async with parts.gate.database.transaction() as connection:
        board = await boards.find(connection, key.repository_id)
    if place is None or board is None:
        return Done()
    issue = await _issue(place, board)
    if issue is None or issue.state != "open":
        async with parts.gate.database.transaction() as connection:
            await boards.remove(connection, key.repository_id, board.number)
        return Done()
    await _write(parts, place, board, issue)
    return Sleep(AT_ONCE)


async def _issue(place: Place, board: BoardIssue) -> Issue | None:
    with suppress(NotFound):
        return await issues.issue(place.client, place.repository.owner, place.repository.name, board.number)
    return None


async def _write(parts: TicketParts, place: Place, board: BoardIssue, issue: Issue) -> None:
    """What a person changed in the body is written over like any news."""
    now = parts.gate.now()
    async with parts.gate.database.transaction() as connection:
        shown = await board_of(connection, place, issue.html_url.rpartition("/issues/")[0], now)
    shown = replace(shown, page=_page(parts, place))
    text, news = board_text(shown), board_digest(shown)
    standing = card_digest(issue.body or "")
    changed = news != board.news_digest or standing != board.text_digest
    if not is_due(board.written_at, now, news=changed, other=card_digest(text) != standing):
        return
    owner, name = place.repository.owner, place.repository.name
    after = await issues.write_body(place.client, owner, name, board.number, text)
    async with parts.gate.database.transaction() as connection:
        # As GitHub took it: were it to change a blank, the board would else be written for ever.
        await boards.written(connection, board, news, card_digest(after.body or ""), now)
    if board.written_at is None:
        await _pin(place, issue)


def _page(parts: TicketParts, place: Place) -> str | None:
    url = parts.gate.public_url
    return None if url is None else f"{url}/{place.repository.full_name}/board"


async def _pin(place: Place, issue: Issue) -> None:
    """Once, when it became the board: whoever unpins it afterwards wants it so."""
    try:
        await issues.pin(place.client, place.repository.name, issue.node_id)
    except Refused as refused:
        log.info("the board is not pinned", number=issue.number, because=refused.because)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store has about all tickets shown, each by number."""

    accepted: dict[int, TicketSnapshot]
    spent: dict[int, Spent]
    doing: dict[int, Doing]
    questions: dict[int, OpenQuestion]
    causes: dict[int, tuple[str, str]]
    brought_up: dict[int, Matter]
    done: frozenset[int]  # of the tickets that others wait for, those that were merged


async def board_of(
    connection: Connection, place: Place, repository: str, now: datetime, shown: frozenset[State] = SHOWN
) -> Board:
    """The board as the store has it now; `repository` is its address on GitHub.

    `shown` are the states of which every ticket is listed, beside what ended today.
    """
    own = (connection, place.repository.id)
    begun = day_begun(now)
    rows = [*await ticket.in_states(*own, shown), *await ticket.ended_since(*own, begun)]
    known = await _known(connection, place, [row.number for row in rows])
    day, brake = await day_of(connection, place, now, None), await brakes.find(*own)
    missed = await canaries.missed(connection)
    budgets = [place.rules.day.cost] if place.floor is None else [place.rules.day.cost, place.floor.day.cost]
    return Board(
        language=place.rules.language,
        repository=repository,
        updated=now,
        rows=tuple(_row(place, repository, row, known, now) for row in rows),
        spent=day.used.cost,
        most=dollars(min(budgets)),
        worst=day.used.at_most + day.committed,
        brake_by=None if brake is None else brake.pulled_by,
        missed=None if missed is None else missed.limit,
    )


async def row_of(connection: Connection, place: Place, repository: str, number: int, now: datetime) -> BoardRow | None:
    """One ticket as the board has it, whatever its state; None where there is no such ticket."""
    found = await ticket.find(connection, place.repository.id, number)
    if found is None:
        return None
    return _row(place, repository, found, await _known(connection, place, [number]), now)


async def _known(connection: Connection, place: Place, numbers: list[int]) -> _Known:
    own = (connection, place.repository.id)
    accepted = await snapshots.newest_of(*own, numbers)
    awaited = {number for held in accepted.values() for number in held.form.depends_on}
    states = await ticket.states_of(*own, awaited)
    return _Known(
        accepted,
        await runs.spent_by_each(*own, numbers),
        await boards.doing(*own, numbers),
        await boards.questions(*own, numbers),
        await boards.causes(*own, numbers),
        {one.number: one.matter for one in await escalations.all_open(*own)},
        frozenset(number for number, state in states.items() if state in DONE),
    )


def _row(place: Place, repository: str, row: TicketRow, known: _Known, now: datetime) -> BoardRow:
    held, spent = known.accepted.get(row.number), known.spent.get(row.number)
    question = known.questions.get(row.number)
    cause, said = _why(row, known, now)
    comment = None if question is None else question.comment_id
    return BoardRow(
        row.number,
        row.state,
        row.since,
        risk="?" if held is None else held.form.risk,
        limits=None if held is None else limits_for(place, row, held.form),
        used=Used() if spent is None else used_of(place, spent),
        pool=row.pool,
        pull_number=row.pull_number,
        cause=cause,
        said=said,
        address=None if comment is None else f"{repository}/issues/{row.number}#issuecomment-{comment}",
        progress=_progress(place, row, known.doing.get(row.number), now),
        waits_for=() if held is None else tuple(n for n in held.form.depends_on if n not in known.done),
        title=row.title,
    )


def _why(row: TicketRow, known: _Known, now: datetime) -> tuple[Cause | None, str]:
    """The cause for which it went up to people, if it did, and in words what stands in the way.

    What an agent calls its question is no cause: a conflict is one once the two lines were found in the ticket.
    """
    event, because = known.causes.get(row.number, ("", ""))
    if row.state is State.STOPPING:
        return (Cause.STOP_UNCONFIRMED if now - row.since >= LATE else None), because
    brought_up = known.brought_up.get(row.number)
    if brought_up is not None:
        return brought_up.cause, brought_up.detail
    question = known.questions.get(row.number)
    if question is not None:
        return None, question.question
    return (Cause.REPEATED_FAILURE if event == Event.EXHAUSTED else None), because


def _progress(place: Place, row: TicketRow, doing: Doing | None, now: datetime) -> Progress:
    if doing is None:
        return Progress()
    patience = timedelta(minutes=place.rules.silent_after)
    silent = row.state is State.RUNNING and doing.alive_at is not None and now - doing.alive_at >= patience
    return Progress(doing.step, doing.steps, doing.percent, silent)
