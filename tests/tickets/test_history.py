"""The week's numbers from the store: rows as they are written, counted by hand; and the step that holds claims back."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from psycopg.types.json import Jsonb

from app.store.database import Connection, Database
from app.store.tickets import history, steps
from app.tickets.claims import Claimed, NothingToClaim
from policies.evaluate import evaluate
from policies.tickets.metrics import measure
from policies.tickets.rates import Drift, Ratio, Reruns
from policies.tickets.records import Act, ActKind, PullSpan
from policies.tickets.scale import Decision
from policies.tickets.waits import Stops, Waits
from policies.tickets.week import Week
from tests.checks.test_tickets import body
from tests.gate.scene import scene
from tests.policies import build
from tests.tickets.desk import FORM, TICKETS, desk
from tests.tickets.rows import REPOSITORY

pytestmark = pytest.mark.anyio

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
WEEK = Week(MONDAY.date(), UTC)


def at(hours: float) -> datetime:
    return MONDAY + timedelta(hours=hours)


# number, state, pull request
TICKETS_THERE = [(1, "merged", 101), (2, "stopped", None), (3, "needs_human", None), (4, "stopped", None)]
CHANGES = [  # number, from, to, event, attempt, hour of the week
    (1, "draft", "waiting", "accepted", 0, 8),
    (1, "waiting", "running", "claimed", 0, 9),
    (1, "running", "verifying", "submitted", 1, 10),
    (1, "verifying", "verify_failed", "failed", 1, 11),
    (1, "verify_failed", "running", "resumed", 1, 11),
    (1, "running", "verifying", "submitted", 2, 12),
    (1, "verifying", "mergeable", "passed", 2, 13),
    (1, "mergeable", "merged", "merged", 2, 16),
    (2, "running", "stopping", "stop", 1, 20),
    (2, "stopping", "stopped", "confirmed", 1, 20.01),
    (3, "running", "needs_human", "asked", 1, -500),  # three weeks ago, and it still waits
    (4, "stopping", "stopped", "confirmed", 1, -2000),  # long ago: not read
]
RUNS = [  # number, attempt, started, ended, outcome, cost
    (1, 1, 9, 11, "failed", "1.25"),
    (1, 2, 11, 13, "passed", "2.00"),
    (2, 1, 19, 20, "stop", None),
    (2, 1, None, 18, "not_started", "9.00"),  # never began: no attempt
    (4, 1, -2001, -2000, "stop", "50.00"),
]
COMMANDS = [  # comment, number, login, body, hour, outcome
    (1, 1, "ada", "/status", 9.5, "told"),  # changes nothing
    (2, 101, "bob", "/hold", 12.5, "done"),  # on the pull request
    (3, 2, "ada", "/stop now", 19.99, "done"),
    (4, 2, "eve", "/stop", 19, "refused"),
]
OVERRIDDEN = {"author": {"login": "dan"}, "comment_id": 8}
# As the gate judges a head that git cannot merge, and one that it can.
CONFLICTING, READY = (
    asdict(evaluate(build.state(), build.snapshot(mergeable=mergeable))) for mergeable in (False, True)
)
DECISIONS = [  # hour of the week, verdict
    (10.5, {**CONFLICTING, "needed": []}),
    (11.5, {**READY, "needed": [], "overridden_by": OVERRIDDEN}),
    (11.7, {**READY, "needed": ["@cyd"], "overridden_by": OVERRIDDEN}),
]


JUDGED = [  # opinion, ticket, tries, hour of the week, word, cost
    ("a", 1, 1, 11.2, "fail", "0.25"),
    ("b", 1, 0, 11.3, "cannot_tell", None),  # was never called
    ("c", 1, 2, 12.9, "pass", None),
    ("d", 4, 1, -2000, "pass", "9.00"),
]


async def write_week(connection: Connection) -> None:
    for number, state, pull in TICKETS_THERE:
        await connection.execute(
            "insert into tickets (repository_id, number, installation_id, title, state, pull_number) "
            "values (%s, %s, 1, 'Discount', %s, %s)",
            (REPOSITORY, number, state, pull),
        )
    for number, before, after, event, attempt, hours in CHANGES:
        await connection.execute(
            "insert into ticket_transitions (repository_id, number, from_state, to_state, event, actor, cause, "
            "attempt, at) values (%s, %s, %s, %s, %s, 'x', 'x', %s, %s)",
            (REPOSITORY, number, before, after, event, attempt, at(hours)),
        )
    for number, attempt, started, ended, outcome, cost in RUNS:
        began = None if started is None else at(started)
        await connection.execute(
            "insert into ticket_runs (repository_id, number, attempt, revision, agent, branch, claimed_at, started_at, "
            "ended_at, outcome, cost) values (%s, %s, %s, 1, 'claude', 'refs/heads/agent/x', %s, %s, %s, %s, %s)",
            (REPOSITORY, number, attempt, at(ended - 3), began, at(ended), outcome, cost),
        )
    for comment, number, login, text, hours, outcome in COMMANDS:
        await connection.execute(
            "insert into ticket_commands (repository_id, source, comment_id, number, author_login, author_id, body, "
            "created_at, done_at, outcome) values (%s, 'comment', %s, %s, %s, 5, %s, %s, %s, %s)",
            (REPOSITORY, comment, number, login, text, at(hours), at(hours), outcome),
        )
    await connection.execute(
        "insert into ticket_questions (repository_id, number, ordinal, cause, fingerprint, question, safe, asked_at) "
        "values (%s, 3, 1, 'requirement_conflict', 'f', 'Which?', 'Nothing.', %s)",
        (REPOSITORY, at(1)),
    )
    await connection.execute(
        "insert into ticket_escalations (repository_id, number, cause, matter, way, detail, ordinal, opened_at) values "
        "(%(of)s, 2, 'repeated_failure', 'failed', 'push', 'x', null, %(at)s), "
        "(%(of)s, 3, 'requirement_conflict', 'question 1', 'push', 'x', 1, %(at)s)",
        {"of": REPOSITORY, "at": at(19)},
    )
    await connection.execute(
        "insert into ticket_pushes (repository_id, person, cause, numbers, planned_at, outcome) values "
        "(%(of)s, 'ada', 'repeated_failure', '{2,3}', %(at)s, 'posted'), "
        "(%(of)s, 'bob', 'repeated_failure', '{2}', %(at)s, 'failed'), "
        "(%(of)s, 'bob', 'requirement_conflict', '{3}', %(at)s, 'posted')",
        {"of": REPOSITORY, "at": at(19)},
    )
    await connection.execute(
        "insert into ticket_raises (repository_id, number, what, was, became, usual, raised_by, because, at) values "
        "(%(of)s, 2, 'cost', 8, 15, 10, 'ada', 'x', %(at)s), (%(of)s, 3, 'minutes', 90, 240, 120, 'ada', 'x', %(at)s), "
        "(%(of)s, 3, 'path', null, null, null, 'ada', 'x', %(at)s), "
        "(%(of)s, 3, 'cost', 8, 50, 10, 'ada', 'x', %(old)s)",
        {"of": REPOSITORY, "at": at(19), "old": at(-24 * 8)},
    )
    await connection.execute(
        "insert into comment_approvals (repository_id, comment_id, pull_number, author_id, author_login, word, "
        "created_at, source) values (%s, 9, 101, 6, 'cyd', 'abc', %s, 'delivery')",
        (REPOSITORY, at(15)),
    )
    for opinion, number, tries, hours, said, cost in JUDGED:
        await connection.execute(
            "insert into opinions (id, repository_id, number, ticket, judge, head_sha, base_sha, target_sha, asked_at, "
            "tries, ended_at, said, cost) values (%s, %s, 101, %s, 'one', 'a', 'b', 'c', %s, %s, %s, %s, %s)",
            (opinion, REPOSITORY, number, at(hours), tries, at(hours), said, cost),
        )
    for hours, verdict in DECISIONS:
        await connection.execute(
            "insert into decisions (key, repository_id, head_sha, verdict_key, verdict, snapshot, plan, requests, "
            "decided_at) values ('pull:1:42:101', %s, 'a', 'k', %s, '', '[]', '{}', %s)",
            (REPOSITORY, Jsonb(verdict), at(hours)),
        )
    await connection.execute(
        "insert into landings (repository_id, ref, sha, pull_number, judged, merged_by_person, seen_at) "
        "values (%s, 'refs/heads/main', 'b', 101, true, true, %s)",
        (REPOSITORY, at(17)),
    )


async def test_the_stores_rows_give_the_numbers_that_were_counted_by_hand(database: Database) -> None:
    async with database.transaction() as connection:
        await write_week(connection)
        records = await history.read_records(connection, REPOSITORY, WEEK)
    assert records.acts == (
        Act(1, ActKind.OVERRIDE, "dan", at(11.5)),  # once, when it was judged with first
        Act(1, ActKind.OTHER, "bob", at(12.5)),
        Act(1, ActKind.APPROVAL, "cyd", at(15)),
        Act(1, ActKind.APPROVAL, "", at(16)),  # the merge of a person, not later than the ticket's
        Act(2, ActKind.STOP, "ada", at(19.99)),
    )
    found = measure(records, WEEK, WEEK.ends)
    assert (found.ended, found.completed) == (2, 1)
    assert found.questions == Ratio(2, 1)  # an agent's, and a matter of the gate's own
    assert (found.escalations, found.escalated_by) == (Ratio(1, 2), {"repeated_failure": 1})
    assert found.pushes is not None
    assert list(found.pushes.by_day.values()) == [1, 1]  # what could not be posted told nobody
    assert found.pushes.actionable == Ratio(1, 2)  # ada stopped one of the two
    assert found.reruns == Reruns(Ratio(1, 2), {"verification": 1})
    assert found.review_wait == Waits(1, 2.0, 2.0, 2.0, 1, 500 + 7 * 24, 0)  # 13 to 15 o'clock; 3 still waits
    assert (found.cap_hits, found.first_pass) == (Ratio(0, 3), Ratio(0, 1))
    assert (found.cost, found.unknown_costs) == (Ratio(Decimal("3.50"), 1), 2)
    assert found.zero_touch == Ratio(0, 1)
    assert found.stops == Stops(1, 72.0, 0)  # 0.02 of an hour
    assert records.pulls == (PullSpan(101, at(10), at(16), (at(10.5),)),)
    assert found.conflicts == Ratio(1, 1)
    assert found.overruled == Ratio(1, 1)  # failed at 11 o'clock, let through at 11:30
    assert found.judge_overruled == Ratio(1, 1)  # said no, and was let through at 11:30
    assert (found.canaries, found.cap_drift) == (None, Drift(2, 1.75, 1))  # 15 of 10 dollars, 240 of 120 minutes


async def test_a_week_is_decided_once(database: Database) -> None:
    async with database.transaction() as connection:
        assert await steps.current(connection, REPOSITORY) == 2
        assert await steps.save(connection, REPOSITORY, date(2026, 11, 16), Decision(5, raised=True, because=()))
        again = Decision(20, raised=True, because=())
        assert not await steps.save(connection, REPOSITORY, date(2026, 11, 16), again)
        assert await steps.current(connection, REPOSITORY) == 5


async def test_no_more_are_handed_out_than_the_step_allows(tmp_path: Path, database: Database) -> None:
    policy = TICKETS + "  running: 9\n"
    async with scene(tmp_path, database) as stage, desk(stage, policy) as at_desk:
        for _ in range(3):
            await at_desk.say((await at_desk.open(body(FORM))).number, "/accept")
        shown = await database.query("select step, raised, because from ticket_steps")
        assert [(step, raised) for step, raised, _ in shown] == [(2, False)]
        assert "no canary ticket ran, so that nobody knows whether limits stop work" in shown[0][2]
        rows = await database.query("select count(*) from audit_log where subject = 'tickets in work'")
        assert rows == [(1,)]
        assert [type(await at_desk.claim()) for _ in range(2)] == [Claimed, Claimed]
        await database.query("update ticket_runs set started_at = claimed_at, heartbeat_at = claimed_at")
        refused = await at_desk.claim()
        assert isinstance(refused, NothingToClaim)
        assert "2 of 2 tickets are in work, the step that the last weeks allow" in refused.because
        async with database.transaction() as connection:
            week = (stage.gate.now() + timedelta(days=7)).date()
            await steps.save(connection, at_desk.shop.id, week, Decision(5, raised=True, because=()))
        assert isinstance(await at_desk.claim(), Claimed)
