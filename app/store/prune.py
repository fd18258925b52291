"""Old rows go away, a bounded number at a time so that nobody waits for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from app.store.database import Connection

BATCH = 2000
DELIVERIES = """
delete from deliveries where (hook_id, delivery_id) in (
  select hook_id, delivery_id from deliveries where received_at < now() - %s::interval
  order by received_at limit %s)
"""
# The newest decision of a key stays whatever its age: it is the record of what stands on GitHub.
DECISIONS = """
delete from decisions where id in (
  select old.id from decisions old where old.decided_at < now() - %s::interval
    and exists (select from decisions newer where newer.key = old.key and newer.id > old.id)
  order by old.decided_at limit %s)
"""
CI_RUNS = """
delete from ci_runs where (repository_id, run_id, attempt) in (
  select repository_id, run_id, attempt from ci_runs where recorded_at < now() - %s::interval
  order by recorded_at limit %s)
"""

ANALYSES = """
delete from analyses where (repository_id, old_oid, new_oid) in (
  select repository_id, old_oid, new_oid from analyses where recorded_at < now() - %s::interval
  order by recorded_at limit %s)
"""

CI_BUILDS = """
delete from ci_builds where (repository_id, check_run_id) in (
  select repository_id, check_run_id from ci_builds where recorded_at < now() - %s::interval
  order by recorded_at limit %s)
"""


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many rows went; if a number is the batch's size there may be more."""

    deliveries: int
    decisions: int
    ci_runs: int
    analyses: int
    ci_builds: int


async def prune(
    connection: Connection, *, deliveries: timedelta, decisions: timedelta, facts: timedelta, batch: int = BATCH
) -> Pruned:
    """Remove rows that are older than these ages, at most `batch` of a kind. `facts`: what can be read again."""
    ages = ((DELIVERIES, deliveries), (DECISIONS, decisions), (CI_RUNS, facts), (ANALYSES, facts), (CI_BUILDS, facts))
    gone = [(await connection.execute(sql, (age, batch))).rowcount for sql, age in ages]
    return Pruned(*gone)
