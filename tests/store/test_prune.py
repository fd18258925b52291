"""Old rows go by the rules of their table, and there is no table without one."""

from __future__ import annotations

import asyncio
import re
from dataclasses import fields
from datetime import timedelta

import pytest

from app.store import decided_policies
from app.store.database import Database
from app.store.prune import KEPT, RULES, Periods, prune_all
from policies.tickets.states import ENDED

pytestmark = pytest.mark.anyio

OPEN, CLOSED = 7, 8
# One row of each table that remembers pull requests.
ROWS = """
insert into pulls (repository_id, number, installation_id, head_sha, head_ref, base_ref, open, kind, seen_at)
  values (2, %(number)s, 1, %(head)s, 'r', 'b', %(open)s, 'agent', %(old)s);
insert into pull_heads (repository_id, number, head_sha, base_ref, noted_at) values (2, %(number)s, %(head)s,
  'b', %(old)s);
insert into reviews (repository_id, pull_number, review_id, reviewer_id, reviewer_login, state, commit_id,
  base_ref, submitted_at, source, recorded_at) values (2, %(number)s, %(number)s, 5, 'ada', 'APPROVED',
  %(head)s, 'b', now(), 'delivery', %(old)s);
insert into approval_codes (repository_id, pull_number, code, verdict_key, head_sha, base_ref, shown_at) values
  (2, %(number)s, 'ABCD', 'k', %(head)s, 'b', %(old)s);
insert into comment_approvals (repository_id, comment_id, pull_number, author_id, author_login, word,
  created_at, source) values (2, %(number)s, %(number)s, 5, 'ada', 'w', %(old)s, 'delivery');
insert into review_requests (repository_id, pull_number, reviewer, asked_at) values (2, %(number)s, '@ada',
  %(old)s);
insert into notices (repository_id, pull_number, purpose, subject, created_at) values (2, %(number)s, 'p', 's',
  %(old)s);
insert into serial_entries (repository_id, number, installation_id, target_ref, head_sha, asked_by, joined_at,
  since, state) values (2, %(number)s, 1, 'b', %(head)s, 'gate', %(old)s, %(old)s, 'gone');
insert into requeues (repository_id, comment_id, number, head_sha, login, jump, despite_freeze, done_at) values
  (2, %(number)s, %(number)s, %(head)s, 'ada', false, false, %(old)s);
insert into pushes (repository_id, ref, after_sha, before_sha, sender_login, sender_id, sender_type,
  delivered_at) values (2, 'r', %(head)s, 'c', 'ada', 5, 'User', %(old)s);
insert into check_runs (repository_id, check_run_id, head_sha, name, external_id, status, output_digest,
  updated_at) values (2, %(number)s, %(head)s, 'n', '', 'completed', '', %(old)s);
insert into verifications (id, repository_id, head_sha, target_sha, policy_digest, restored, new_tests,
  started_at) values (%(number)s, 2, %(head)s, 't', 'p', '{}', '{}', %(old)s);
insert into sessions (token_hash, installation_id, repository_id, owner, repository, branch, base, agent,
  rights, opened_by, opened_at, expires_at, ended_at) values (%(head)s::bytea, 1, 2, 'o', 'r', %(head)s, 'b',
  'a', '{}', 'ada', %(old)s, %(old)s, %(old)s);
insert into ledger (session_id, repository_id, route, new_oid, began_at, alive_until, ended_at) select max(id),
  2, 'push', %(head)s, %(old)s, %(old)s, %(old)s from sessions
"""
HEADS = {OPEN: "a" * 40, CLOSED: "b" * 40}


async def test_every_table_has_a_rule_or_a_reason(database: Database) -> None:
    rows = await database.query("select tablename from pg_tables where schemaname = current_schema()")
    ruled = [rule.table for rule in RULES]
    assert sorted(row[0] for row in rows) == sorted([*ruled, *KEPT])
    assert len(set(ruled)) == len(ruled)


async def test_the_states_in_which_a_ticket_has_ended_are_those_of_its_table() -> None:
    rule = next(rule for rule in RULES if rule.table == "tickets")
    assert set(re.findall(r"'([a-z_]+)'", rule.condition)) == set(ENDED)


async def test_every_period_is_somebodys() -> None:
    assert {each.name for each in fields(Periods)} == {rule.kind for rule in RULES} | {"audit"}


async def _two_old_pulls(database: Database) -> None:
    """One open and one closed pull request, and what is remembered of each, all of it three years old."""
    async with database.transaction() as connection:
        for number, head in HEADS.items():
            for statement in ROWS.split(";"):
                await connection.execute(
                    statement,
                    {"number": number, "head": head, "open": number == OPEN, "old": "2020-01-01T00:00:00Z"},
                )


OF_PULLS = {
    *("pulls", "pull_heads", "reviews", "approval_codes", "comment_approvals", "review_requests", "notices"),
    *("serial_entries", "requeues", "pushes", "check_runs", "verifications", "ledger", "sessions"),
}


async def test_what_is_remembered_of_a_closed_pull_goes_and_of_an_open_one_stays(database: Database) -> None:
    await _two_old_pulls(database)
    gone = await prune_all(database, Periods())
    assert {table for table, count in gone.items() if count} == OF_PULLS
    assert set(gone.values()) == {0, 1}
    assert set((await prune_all(database, Periods())).values()) == {0}


async def test_what_is_young_stays(database: Database) -> None:
    await _two_old_pulls(database)
    ages = Periods(**{each.name: timedelta(days=36_500) for each in fields(Periods)})
    assert set((await prune_all(database, ages)).values()) == {0}


async def test_a_session_stays_as_long_as_what_it_wrote(database: Database) -> None:
    await _two_old_pulls(database)
    gone = await prune_all(database, Periods(ledger=timedelta(days=36_500)))
    assert (gone["ledger"], gone["sessions"]) == (0, 0)


async def test_an_entry_of_the_serial_queue_stays_while_its_branch_is_to_be_deleted(database: Database) -> None:
    await _two_old_pulls(database)
    await database.query("update serial_entries set trial_ref = 'refs/heads/mergegate/queue/main/8'")
    assert (await prune_all(database, Periods()))["serial_entries"] == 0


async def test_a_policy_goes_with_the_last_decision_that_was_judged_by_it(database: Database) -> None:
    async with database.transaction() as connection:
        used = await decided_policies.keep(connection, b"used")
        unused = await decided_policies.keep(connection, b"unused")
        await connection.execute(
            "insert into decisions (key, repository_id, head_sha, verdict_key, verdict, snapshot, plan, requests, "
            "policy) values ('pull:1:2:7', 2, 'h', 'k', '{}', '', '[]', '{}', %s)",
            (used,),
        )
    async with database.transaction() as connection:
        # Another decision is about to be recorded by it: the clean-up looks meanwhile, and leaves it.
        assert await decided_policies.keep(connection, b"unused") == unused
        looking = asyncio.create_task(prune_all(database, Periods()))
        await asyncio.wait([looking], timeout=0.3)
    assert (await looking)["decided_policies"] == 0
    assert (await prune_all(database, Periods()))["decided_policies"] == 1
    assert await database.query("select digest from decided_policies") == [(used,)]
    await database.query("delete from decisions")
    assert (await prune_all(database, Periods()))["decided_policies"] == 1


async def test_the_newest_decision_of_a_pull_stays_and_of_a_group_goes(database: Database) -> None:
    sql = """
    insert into decisions (key, repository_id, head_sha, verdict_key, verdict, snapshot, plan, requests, decided_at)
    values (%s, 2, 'h', 'k', '{}', '', '[]', '{}', '2020-01-01T00:00:00Z')
    """
    async with database.transaction() as connection:
        for key in ("pull:1:2:7", "pull:1:2:7", "queue:1:2:refs/heads/main", "group:1:2:h:refs/heads/main"):
            await connection.execute(sql, (key,))
    assert (await prune_all(database, Periods()))["decisions"] == 2
    left = await database.query("select key from decisions order by key")
    assert [key for (key,) in left] == ["pull:1:2:7", "queue:1:2:refs/heads/main"]
