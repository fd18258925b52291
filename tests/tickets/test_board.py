"""The board on the simulated GitHub: made by a maintainer, written from the store, rebuilt after an edit, let go."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.gate.tickets import marks_of_repository
from app.keys import BoardKey, RepositoryKey
from app.store import work
from app.store.tickets import boards, questions
from app.store.tickets.moving import GATE
from app.store.tickets.moving import Cause as Because
from app.store.tickets.questions import Asking
from app.store.tickets.runs import Progress
from app.store.work import Mark
from app.tickets.board import board_of
from app.tickets.changing import changed
from app.tickets.parts import place_of
from policies.tickets.board import BoardRow
from policies.tickets.board import Progress as Shown
from policies.tickets.escalation import Cause
from policies.tickets.states import Event, State
from tests.github.operations import issues
from tests.github.state import Issue
from tests.tickets.desk import Desk

pytestmark = pytest.mark.anyio

MINUTE = timedelta(minutes=1)


async def _made(at_desk: Desk, login: str = "ada") -> Issue:
    """An issue of which somebody says that it shall be the board."""
    issue = await issues.open_issue(at_desk.stage.github, at_desk.shop, title="Board", body="Mine", author="ada")
    await at_desk.say(issue.number, "/board", login)
    return issue


def _text(board: Issue) -> str:
    assert board.body is not None
    return board.body


async def _look(at_desk: Desk, later: timedelta = timedelta()) -> None:
    at_desk.stage.clock += later
    key = BoardKey(at_desk.stage.installation.id, at_desk.shop.id)
    async with at_desk.stage.gate.database.transaction() as connection:
        await work.mark(connection, [Mark(str(key))])
    await at_desk.stage.worker.drain()


async def _rows(at_desk: Desk, later: timedelta = timedelta()) -> dict[int, BoardRow]:
    place = await place_of(at_desk.parts, at_desk.key(0))
    assert place is not None
    async with at_desk.stage.gate.database.transaction() as connection:
        board = await board_of(connection, place, "https://github.test/acme/shop", datetime.now(UTC) + later)
    return {row.number: row for row in board.rows}


async def test_a_maintainer_makes_an_issue_the_board_and_it_follows_the_tickets(at_desk: Desk) -> None:
    board = await _made(at_desk)
    assert _text(board).startswith("**0 need you · 0 mergeable · 0 failed · 0 running · 0 waiting · 0.00 of ")
    assert "(https://gate.example/acme/shop/board)" in _text(board)
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    await _look(at_desk, MINUTE)
    assert " 1 waiting " in _text(board).splitlines()[0]
    assert f"\n1. #{number} · low · " in _text(board)


async def test_it_is_pinned_once_and_whoever_unpins_it_is_let(at_desk: Desk) -> None:
    board = await _made(at_desk)
    assert board.pinned
    board.pinned = False
    await issues.edit_issue(at_desk.stage.github, at_desk.shop, board, "ada", body="mine again")
    await _look(at_desk, MINUTE)
    assert _text(board) != "mine again"
    assert not board.pinned


async def test_where_three_issues_are_pinned_already_the_board_is_one_all_the_same(at_desk: Desk) -> None:
    for _ in range(3):
        other = await issues.open_issue(at_desk.stage.github, at_desk.shop, title="News", body="", author="ada")
        other.pinned = True
    board = await _made(at_desk)
    assert not board.pinned
    assert _text(board).startswith("**0 need you")


async def test_within_a_minute_and_without_news_nothing_is_written(at_desk: Desk) -> None:
    board = await _made(at_desk)
    first = board.body
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    await _look(at_desk, MINUTE / 2)
    assert board.body == first
    await _look(at_desk, MINUTE)
    second = board.body
    assert second != first
    await _look(at_desk, 2 * MINUTE)
    assert board.body == second  # only its time would be another one


async def test_what_a_person_wrote_over_it_is_written_over(at_desk: Desk) -> None:
    board = await _made(at_desk)
    kept = _text(board)
    await issues.edit_issue(at_desk.stage.github, at_desk.shop, board, "ada", body="/stop all")
    await _look(at_desk, MINUTE)
    assert _text(board).splitlines()[1:] == kept.splitlines()[1:]


async def test_a_board_whose_key_was_lost_is_looked_at_again_by_the_resync(at_desk: Desk) -> None:
    await _made(at_desk)
    key = RepositoryKey(at_desk.stage.installation.id, at_desk.shop.id)
    marks = await marks_of_repository(at_desk.stage.gate, key, webhooks=True)
    assert str(BoardKey(key.installation_id, key.repository_id)) in [mark.key for mark in marks]


async def test_who_may_not_and_a_ticket_make_no_board(at_desk: Desk) -> None:
    issue = await issues.open_issue(at_desk.stage.github, at_desk.shop, title="Board", body="Mine", author="ada")
    said = await at_desk.say(issue.number, "/board", "bob")
    assert at_desk.reactions(said) == ["-1"]
    assert issue.body == "Mine"
    of_ticket = await at_desk.open()
    said = await at_desk.say(of_ticket.number, "/board")
    assert at_desk.reactions(said) == ["-1"]
    assert "This issue is a ticket" in at_desk.answers(of_ticket.number)[-1]


@pytest.mark.parametrize("end", ["closed", "deleted"])
async def test_an_issue_that_is_closed_or_gone_is_no_board_any_more(at_desk: Desk, end: str) -> None:
    board = await _made(at_desk)
    if end == "closed":
        await issues.set_issue_state(at_desk.stage.github, at_desk.shop, board, "ada", "closed")
    else:
        del at_desk.shop.issues[board.number]
    await _look(at_desk, MINUTE)
    async with at_desk.stage.gate.database.transaction() as connection:
        assert await boards.find(connection, at_desk.shop.id) is None
    await _look(at_desk, MINUTE)  # and a look at none is no failure


async def test_everything_stops_from_the_board(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    await at_desk.claimed()
    board = await _made(at_desk)
    said = await at_desk.say(board.number, "/stop all now")
    assert at_desk.reactions(said) == ["rocket"]
    assert await at_desk.state(number) in (State.STOPPING, State.STOPPED)
    await _look(at_desk, MINUTE)
    assert "⚠️ `ada` pulled the brake" in _text(board)


async def test_a_row_tells_what_the_store_has(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    claimed = await at_desk.claimed()
    await at_desk.report(claimed, Progress(step=2, steps=5, percent=40))
    running = (await _rows(at_desk))[number]
    assert (running.state, running.risk, running.used.attempts) == (State.RUNNING, "low", 1)
    assert running.progress == Shown(2, 5, 40)
    assert (await _rows(at_desk, timedelta(hours=1)))[number].progress.silent
    asking = Asking("requirement_conflict", "f", "Up or down?", "It stays stopped.")
    async with at_desk.stage.gate.database.transaction() as connection:
        asked = await questions.ask(connection, at_desk.shop.id, number, asking)
        assert asked is not None
        await questions.posted(connection, at_desk.shop.id, number, asked.ordinal, 77)
        assert await changed(connection, at_desk.key(number), Event.ASKED, Because(GATE, "a question"))
    needing = (await _rows(at_desk))[number]
    assert (needing.cause, needing.said) == (None, "Up or down?")  # the agent calls it a conflict
    assert needing.address == f"https://github.test/acme/shop/issues/{number}#issuecomment-77"


async def test_a_stop_that_is_late_and_attempts_used_up_are_causes(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    async with at_desk.stage.gate.database.transaction() as connection:
        assert await changed(connection, at_desk.key(number), Event.EXHAUSTED, Because(GATE, "all 3 are used up"))
    assert (await _rows(at_desk))[number].cause is Cause.REPEATED_FAILURE
    async with at_desk.stage.gate.database.transaction() as connection:
        assert await changed(connection, at_desk.key(number), Event.STOP, Because("ada", "/stop"))
    assert (await _rows(at_desk))[number].cause is None
    assert (await _rows(at_desk, MINUTE))[number].cause is Cause.STOP_UNCONFIRMED
