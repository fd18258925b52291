"""The store of tickets: changes of state, attempts, snapshots, questions, messages and commands."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import psycopg.errors
import pytest

from app.proxy import sessions
from app.proxy.sessions import CannotOpen
from app.store.database import Database
from app.store.tickets import brakes, commands, messages, moving, questions, runs, snapshots, ticket
from app.store.tickets.commands import CommandComment
from app.store.tickets.moving import Cause
from app.store.tickets.questions import Asking
from app.store.tickets.runs import Progress
from app.store.tickets.ticket import SeenIssue
from policies.tickets.states import Event, Position, State
from tests.tickets.rows import ADA, BRANCH, FORM, NUMBER, REPOSITORY, accepted, claimed, draft, happened, wanted

pytestmark = pytest.mark.anyio

COMMAND = CommandComment(
    REPOSITORY, "comment", 70, NUMBER, "ada", 5, "/stop now", datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
)


async def test_an_issue_is_a_draft_and_its_words_follow(database: Database) -> None:
    async with database.transaction() as connection:
        await draft(connection)
        await ticket.note(connection, SeenIssue(REPOSITORY, NUMBER, 1, "Other \0title", None))
        row = await ticket.find(connection, REPOSITORY, NUMBER)
        assert row is not None
        assert (row.position, row.title, row.form_digest, row.revision) == (
            Position(State.DRAFT),
            "Other \N{REPLACEMENT CHARACTER}title",
            None,
            0,
        )
        assert await ticket.find(connection, REPOSITORY, 9) is None


async def test_each_change_is_recorded_with_who_and_why(database: Database) -> None:
    async with database.transaction() as connection:
        await claimed(connection)
        assert await moving.move(connection, REPOSITORY, NUMBER, Event.SUBMITTED, Cause("gate", "push", "a" * 40))
        assert await moving.move(connection, REPOSITORY, NUMBER, Event.ACCEPTED, ADA) is None
        assert await moving.move(connection, REPOSITORY, 9, Event.ACCEPTED, ADA) is None
        rows = await moving.transitions(connection, REPOSITORY, NUMBER)
    assert [(row.from_state, row.event, row.to_state, row.actor, row.sha, row.attempt) for row in rows] == [
        (State.DRAFT, Event.ACCEPTED, State.WAITING, "ada", None, 0),
        (State.WAITING, Event.CLAIMED, State.RUNNING, "claude", None, 0),
        (State.RUNNING, Event.SUBMITTED, State.VERIFYING, "gate", "a" * 40, 1),
    ]


async def test_a_stop_ends_the_sessions_and_the_attempt_in_the_same_transaction(database: Database) -> None:
    async with database.transaction() as connection:
        await claimed(connection)
        token, grant = await sessions.open_within(connection, wanted())
    moved = await happened(database, Event.STOP)
    assert moved is not None
    assert (moved.after, moved.sessions) == (Position(State.STOPPING, State.STOPPED), (grant.session,))
    found = await sessions.find(database, token.get_secret_value())
    assert "ticket #3: stop" in str(found)
    async with database.transaction() as connection:
        (run,) = await runs.of_ticket(connection, REPOSITORY, NUMBER)
    assert (run.outcome, run.ended_at is not None) == ("stop", True)


async def test_a_session_that_is_opened_while_a_stop_is_under_way_is_ended_or_refused(database: Database) -> None:
    """Whichever of the two is first, the other one waits for it."""
    async with database.transaction() as connection:
        await claimed(connection)

    async def opened() -> str:
        try:
            token, _ = await sessions.open_session(database, wanted())
        except CannotOpen:
            return "refused"
        return token.get_secret_value()

    token, _ = await asyncio.gather(opened(), happened(database, Event.STOP))
    assert token == "refused" or not hasattr(await sessions.find(database, token), "session")
    for event in (Event.CONFIRMED, Event.RETRIED):
        with pytest.raises(CannotOpen, match="only an agent that has claimed it"):
            await sessions.open_session(database, wanted())
        await happened(database, event)


async def test_two_at_once_make_one_change(database: Database) -> None:
    async with database.transaction() as connection:
        await accepted(connection)
    moved = await asyncio.gather(*[happened(database, Event.CLAIMED) for _ in range(4)])
    assert [one is not None for one in moved].count(True) == 1


async def test_an_attempt_counts_once_it_has_begun(database: Database) -> None:
    async with database.transaction() as connection:
        run = await claimed(connection)
        assert (run.attempt, run.started_at, run.minutes) == (1, None, 0)
        with pytest.raises(psycopg.errors.UniqueViolation):
            async with connection.transaction():
                await runs.begin(connection, REPOSITORY, NUMBER, revision=1, agent="x", pool=None, branch=BRANCH)
        await runs.end_open(connection, REPOSITORY, NUMBER, outcome="not_started")
        row = await ticket.find(connection, REPOSITORY, NUMBER)
        assert row is not None
        assert row.attempts == 0
        assert await runs.end_open(connection, REPOSITORY, NUMBER, outcome="silent") is None


async def test_progress_is_a_sign_of_life_and_cost_only_grows(database: Database) -> None:
    async with database.transaction() as connection:
        run = await claimed(connection)
        said = Progress(2, 5, 40, "writing \0 tests", "no network", Decimal("1.25"))
        assert await runs.report(connection, run.id, said)
        again = await runs.report(connection, run.id, Progress(cost=Decimal("0.50"), cost_kind="hard"))
        assert again is not None
        assert (again.step, again.steps, again.percent, again.blocker) == (2, 5, 40, "no network")
        assert (again.cost, again.cost_kind, again.started_at is not None) == (Decimal("1.25"), "hard", True)
        await runs.clear_blocker(connection, run.id)
        await runs.set_session(connection, run.id, 77)
        found = await runs.of_session(connection, 77)
        assert found is not None
        assert found.blocker is None
        spent = await runs.spent_by(connection, REPOSITORY, NUMBER)
        assert (spent.attempts, spent.cost) == (1, Decimal("1.25"))
        assert (spent.soft_cost, spent.soft_minutes) == (Decimal(0), 0.0)  # it was metered
        assert 0 <= spent.minutes < 1
        assert (await runs.spent_on(connection, REPOSITORY, datetime.now(UTC) - timedelta(days=1))).attempts == 1
        assert (await runs.spent_on(connection, REPOSITORY, datetime.now(UTC) + timedelta(days=1))).attempts == 0
        assert (await runs.spent_by_each(connection, REPOSITORY, [NUMBER, 9]))[NUMBER].cost == Decimal("1.25")
        assert await runs.open_count(connection, REPOSITORY) == 1
        assert await runs.open_count(connection, REPOSITORY, "night") == 0
        await runs.end_open(connection, REPOSITORY, NUMBER, outcome="silent")
        assert await runs.report(connection, run.id, said) is None
        assert await runs.open_run(connection, REPOSITORY, NUMBER) is None


async def test_an_attempt_counts_for_the_day_though_another_of_its_number_never_started(database: Database) -> None:
    async with database.transaction() as connection:
        await claimed(connection)
        await runs.end_open(connection, REPOSITORY, NUMBER, outcome="not_started")
        await connection.execute("update ticket_runs set claimed_at = claimed_at - interval '1 day'")
        own = (connection, REPOSITORY, NUMBER)
        run = await runs.begin(*own, revision=1, agent="claude", pool=None, branch=BRANCH)
        assert await runs.report(connection, run.id, Progress())
        assert run.attempt == 1
        assert (await runs.spent_on(connection, REPOSITORY, datetime.now(UTC) - timedelta(hours=1))).attempts == 1


async def test_a_snapshot_is_what_was_accepted(database: Database) -> None:
    async with database.transaction() as connection:
        await accepted(connection)
        first = await snapshots.newest(connection, REPOSITORY, NUMBER)
        await snapshots.freeze(
            connection,
            REPOSITORY,
            NUMBER,
            replace(FORM, risk="high"),
            issue_digest=FORM.digest,
            redirects=["no, so"],
            accepted_by="b",
        )
        second = await snapshots.newest(connection, REPOSITORY, NUMBER)
        assert first is not None
        assert second is not None
        assert (first.form, first.revision, first.digest) == (FORM, 1, FORM.digest)
        assert (second.form.risk, second.revision, second.redirects) == ("high", 2, ("no, so",))
        assert await snapshots.newest_of(connection, REPOSITORY, [NUMBER, 9]) == {NUMBER: second}
        row = await ticket.find(connection, REPOSITORY, NUMBER)
        assert row is not None
        assert row.revision == 2


async def test_a_question_is_asked_once_and_answered_once(database: Database) -> None:
    asking = Asking("requirement_conflict", "f1", "This or that?", "it stays stopped", ["this", "that"], "this")
    async with database.transaction() as connection:
        await claimed(connection)
        question = await questions.ask(connection, REPOSITORY, NUMBER, asking)
        assert question is not None
        assert (question.ordinal, question.options, question.answer) == (1, ["this", "that"], None)
        assert await questions.ask(connection, REPOSITORY, NUMBER, asking) is None
        await questions.posted(connection, REPOSITORY, NUMBER, 1, 99)
        answered = await questions.answer(connection, REPOSITORY, NUMBER, 1, "that", "ada")
        assert answered is not None
        assert (answered.answer, answered.answered_by, answered.comment_id) == ("that", "ada", 99)
        assert await questions.answer(connection, REPOSITORY, NUMBER, 1, "this", "bob") is None
        assert await questions.answer(connection, REPOSITORY, NUMBER, 2, "this", "bob") is None
        assert await questions.of_ticket(connection, REPOSITORY, NUMBER) == [answered]


async def test_messages_reach_the_agent_by_both_ways(database: Database) -> None:
    async with database.transaction() as connection:
        await claimed(connection)
        _, grant = await sessions.open_within(connection, wanted())
        await messages.say(connection, REPOSITORY, NUMBER, "redirect", "use the other module", "ada")
        (message,) = await messages.undelivered(connection, REPOSITORY, NUMBER)
        await messages.delivered(connection, [message.id])
        assert await messages.undelivered(connection, REPOSITORY, NUMBER) == []
        assert len(await messages.of_ticket(connection, REPOSITORY, NUMBER)) == 1
    told = await sessions.unsaid(database, grant.session)
    assert [words for _, words in told] == ["redirect by ada: use the other module"]


async def test_a_command_is_taken_once_and_keeps_its_first_words(database: Database) -> None:
    async with database.transaction() as connection:
        await commands.record(connection, [COMMAND, replace(COMMAND, comment_id=60)])
        await commands.record(connection, [replace(COMMAND, body="/accept")])
        await commands.record(connection, [])
        assert await commands.waiting(connection, REPOSITORY, NUMBER) == [replace(COMMAND, comment_id=60), COMMAND]

    async def taken() -> bool:
        async with database.transaction() as connection:
            if not await commands.take(connection, COMMAND):
                return False
            await commands.done(connection, COMMAND, "done", "It is \0 stopped.")
            return True

    assert sorted(await asyncio.gather(taken(), taken(), taken())) == [False, False, True]
    async with database.transaction() as connection:
        (done,) = await commands.unanswered(connection, REPOSITORY, NUMBER)
        assert (done.outcome, done.answer) == ("done", "It is \N{REPLACEMENT CHARACTER} stopped.")
        await commands.reacted(connection, done)
        assert await commands.unanswered(connection, REPOSITORY, NUMBER) == []


async def test_flags_limits_and_what_is_shown(database: Database) -> None:
    async with database.transaction() as connection:
        await accepted(connection)
        await accepted(connection, 4)
        await ticket.set_pull(connection, REPOSITORY, NUMBER, 7)
        await ticket.set_pull(connection, REPOSITORY, 4, 7)
        await ticket.set_pool(connection, REPOSITORY, NUMBER, "night")
        await ticket.set_paused(connection, REPOSITORY, NUMBER, True)
        await ticket.set_held(connection, REPOSITORY, NUMBER, "ada", "wait for the release")
        await ticket.set_limits(connection, REPOSITORY, NUMBER, minutes=30, attempts=None, cost=Decimal("2.5"))
        await ticket.set_limits(connection, REPOSITORY, NUMBER, minutes=None, attempts=2, cost=None)
        await ticket.save_label(connection, REPOSITORY, NUMBER, "agent/waiting")
        await ticket.save_comment(connection, REPOSITORY, NUMBER, 9, "sha256:1")
        row = await ticket.find_of_pull(connection, REPOSITORY, 7)
        assert row is not None
        assert (row.number, row.pool, row.paused, row.held, row.held_because) == (
            NUMBER,
            "night",
            True,
            True,
            "wait for the release",
        )
        assert (row.max_minutes, row.max_attempts, row.max_cost) == (30, 2, Decimal("2.50"))
        assert (row.label, row.comment_id, row.comment_digest) == ("agent/waiting", 9, "sha256:1")
        await ticket.set_held(connection, REPOSITORY, NUMBER, None)
        (first, second) = await ticket.in_states(connection, REPOSITORY, [State.WAITING])
        assert (first.held, second.pull_number) == (False, None)
        assert await ticket.states_of(connection, REPOSITORY, [NUMBER, 9]) == {NUMBER: State.WAITING}


async def test_the_brake_stays_the_firsts(database: Database) -> None:
    async with database.transaction() as connection:
        await brakes.pull(connection, REPOSITORY, "ada", "too dear")
        await brakes.pull(connection, REPOSITORY, "bob", "other")
        brake = await brakes.find(connection, REPOSITORY)
        assert brake is not None
        assert (brake.pulled_by, brake.because) == ("ada", "too dear")
        assert await brakes.release(connection, REPOSITORY)
        assert not await brakes.release(connection, REPOSITORY)
        assert await brakes.find(connection, REPOSITORY) is None
