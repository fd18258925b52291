"""Who is told, where and how often: storms, full days, a process that dies in between, the morning and the week."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest

from app.github.errors import Refused
from app.keys import PeopleKey
from app.store import work
from app.store.database import Database
from app.store.tickets import pushes
from app.store.work import Mark
from app.web.push_metrics import push_metrics
from policies.tickets.escalation import Cause
from policies.tickets.words import Language
from tests.github.operations import issues
from tests.github.state import Issue
from tests.tickets.desk import Desk
from tests.tickets.telling import assert_harmless, brought_up, tell, telling, telling_desk, told

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)
BEFORE = datetime(2026, 1, 1, tzinfo=UTC)


async def _issue(at_desk: Desk, title: str = "Board") -> Issue:
    return await issues.open_issue(at_desk.stage.github, at_desk.shop, title=title, body="", author="ada")


async def _board(at_desk: Desk) -> Issue:
    board = await _issue(at_desk)
    await at_desk.say(board.number, "/board")
    return board


async def test_a_storm_of_two_hundred_tickets_is_one_message_and_a_full_day_is_counted(
    tmp_path: Path, database: Database
) -> None:
    async with telling_desk(tmp_path, database, telling(more=", daily: 1")) as at_desk:
        board = await _board(at_desk)
        await brought_up(at_desk, range(1_000, 1_200))
        await tell(at_desk)
        (said,) = told(at_desk, board.number)
        assert said.startswith("**200 tickets need you: the same failure again, or no attempt is left**\n#1000 · ")
        assert_harmless(said)
        await brought_up(at_desk, range(2_000, 2_003), Cause.DATA_MIGRATION)
        await tell(at_desk, 2 * HOUR)
        assert len(told(at_desk, board.number)) == 1  # ada has had her one message of today
        rows = await database.query("select count(*), min(number) from ticket_escalations where capped_at is not null")
        assert rows == [(3, 2_000)]
        assert await database.query("select person, outcome, cardinality(numbers) from ticket_pushes") == [
            ("ada", "posted", 200)
        ]


async def test_without_a_board_the_first_ticket_has_the_message(tmp_path: Path, database: Database) -> None:
    async with telling_desk(tmp_path, database) as at_desk:
        first, second = await _issue(at_desk), await _issue(at_desk)
        await brought_up(at_desk, range(first.number, second.number + 1))
        await tell(at_desk)
        assert "**2 tickets need you" in told(at_desk, first.number)[0]
        assert told(at_desk, second.number) == []


async def test_a_process_that_dies_after_the_comment_posts_no_second_one(tmp_path: Path, database: Database) -> None:
    async with telling_desk(tmp_path, database) as at_desk:
        issue = await _issue(at_desk)
        await brought_up(at_desk, range(issue.number, issue.number + 1))
        await tell(at_desk)
        # What was written after the comment is not there, as after a kill at that moment. Much was said before it.
        (posted,) = issue.comments
        old = [replace(posted, id=10**9 + n, body="x", created_at=BEFORE, updated_at=BEFORE) for n in range(1_000)]
        issue.comments[:0] = old
        await database.query("update ticket_pushes set outcome = null, comment_id = null, issue = null")
        await database.query("update notices set comment_id = null where purpose = 'push'")
        await tell(at_desk)
        (said,) = told(at_desk, issue.number)
        assert_harmless(said)
        (row,) = await database.query("select outcome, issue, comment_id from ticket_pushes")
        assert row == ("posted", issue.number, at_desk.of_gate(issue.number)[-1].id)


async def test_what_was_answered_before_it_was_posted_and_what_cannot_be_posted_is_over(
    tmp_path: Path, database: Database
) -> None:
    async with telling_desk(tmp_path, database) as at_desk:
        await brought_up(at_desk, range(4_000, 4_001))  # an issue that is gone
        await tell(at_desk)
        assert await database.query("select outcome from ticket_pushes") == [("failed",)]
        board = await _board(at_desk)
        await brought_up(at_desk, range(4_001, 4_002), Cause.DATA_MIGRATION)
        await tell(at_desk)
        assert "**#4001 needs you" in told(at_desk, board.number)[0]
        issue = await _issue(at_desk)
        await brought_up(at_desk, range(issue.number, issue.number + 1))
        await database.query(
            "insert into ticket_pushes (repository_id, person, cause, numbers, planned_at) "
            "select repository_id, 'bob', cause, array[number], now() from ticket_escalations where number = %s",
            (issue.number,),
        )
        await database.query("update ticket_escalations set closed_at = now() where number = %s", (issue.number,))
        await tell(at_desk)
        assert told(at_desk, issue.number) == []
        rows = await database.query("select outcome from ticket_pushes where person = 'bob'")
        assert rows == [("dropped",)]


@pytest.mark.parametrize("language", get_args(Language))
async def test_the_morning_and_the_week_are_told_once_on_the_board(
    tmp_path: Path, database: Database, language: Language
) -> None:
    """The gate's clock is put to the Monday after: a day and a week ended since the board was made."""
    more = f", digest: '12:00'}}\n  language: {language}\n  limits: {{minutes: 120, attempts: 3, cost: 10"
    async with telling_desk(tmp_path, database, telling(more=more)) as at_desk:
        board = await _board(at_desk)
        await brought_up(at_desk, range(7, 9), people=())
        await tell(at_desk)
        before = len(at_desk.of_gate(board.number))
        now = datetime.now(UTC)
        await tell(at_desk, timedelta(days=7 - now.weekday(), hours=1))
        digest, report = at_desk.of_gate(board.number)[before:]
        first = {"en": "**Good morning: 2 for you", "ja": "**おはようございます：2 件", "zh": "**早上好："}[language]
        assert digest.body.startswith(first)
        assert "\n1. #7 · " in digest.body
        named = {"en": "| Merged | 0 | 0 |", "ja": "| マージ | 0 | 0 |", "zh": "| 已合并 | 0 | 0 |"}[language]
        assert named in report.body.splitlines()
        assert "`mergegate-audit " in report.body
        await tell(at_desk, timedelta(minutes=5))
        assert len(at_desk.of_gate(board.number)) == before + 2


async def test_a_board_that_takes_no_comment_keeps_nobody_from_being_told(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    async def locked(*given: object) -> None:
        asked.append(1)
        raise Refused("POST /issues/1/comments", "the issue is locked", status=403)

    for name in ("tell_missed", "tell_morning", "tell_week"):
        monkeypatch.setattr(f"app.tickets.escalating_people.{name}", locked)
    async with telling_desk(tmp_path, database) as at_desk:
        await _board(at_desk)
        asked.clear()
        issue = await _issue(at_desk)
        await brought_up(at_desk, range(issue.number, issue.number + 1))
        await tell(at_desk)
        assert len(told(at_desk, issue.number)) == 1
        assert len(asked) == 6  # at both looks
        rows = await database.query("select attempts, parked from work where key like 'people:%%'")
        assert rows == [(0, False)]


async def test_a_person_has_one_day_over_all_repositories(database: Database) -> None:
    async with database.transaction() as connection:
        for repository, outcome in ((1, None), (2, "posted"), (2, "failed"), (3, "dropped")):
            await connection.execute(
                "insert into ticket_pushes (repository_id, person, cause, numbers, planned_at, outcome) "
                "values (%s, 'Ada', 'cap_hits', '{1}', now(), %s)",
                (repository, outcome),
            )
        since = datetime.now(UTC) - HOUR
        assert await pushes.elsewhere(connection, 1, since) == {"ada": 1}
        assert await pushes.elsewhere(connection, 2, since) == {"ada": 1}
        assert await pushes.elsewhere(connection, 4, since) == {"ada": 2}


async def test_prometheus_sees_matters_by_cause_and_messages_by_person(database: Database) -> None:
    await database.query(
        "insert into ticket_escalations (repository_id, number, cause, matter, way, detail, opened_at, capped_at, "
        "closed_at) values (42, 1, 'data_migration', 'a', 'push', '', now(), now(), null), "
        "(42, 2, 'data_migration', 'a', 'push', '', now() - interval '2 days', null, now())"
    )
    await database.query(
        "insert into ticket_pushes (repository_id, person, cause, numbers, planned_at, outcome) values "
        "(42, 'ada', 'data_migration', '{1}', now(), 'posted'), (42, 'ada', 'data_migration', '{1}', now(), 'failed'), "
        "(42, 'bob', 'data_migration', '{1}', now() - interval '25 hours', 'posted')"
    )
    shown = {
        (sample.name, *sample.labels.values()): sample.value
        for family in await push_metrics(database)
        for sample in family.samples
    }
    assert shown == {
        ("mergegate_escalations_open", "42", "data_migration"): 1,
        ("mergegate_escalations_day", "42", "data_migration"): 1,
        ("mergegate_pushes_day", "42", "ada"): 1,
        ("mergegate_pushes_capped_day", "42"): 1,
    }


async def test_nobody_is_looked_for_where_nothing_waits(tmp_path: Path, database: Database) -> None:
    async with telling_desk(tmp_path, database) as at_desk:
        key = str(PeopleKey(at_desk.stage.installation.id, at_desk.shop.id))
        async with database.transaction() as connection:
            await work.mark(connection, [Mark(key)])
        await at_desk.stage.worker.drain()
        assert await database.query("select true from work where key = %s", (key,)) == []
