# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Old rows go away, a bounded number at a time so that nobody waits for it.

Every table stands here: in `RULES`, with the condition under which a row of it may go, or in `KEPT`, with the reason
why it needs none. A migration that adds a table adds it to one of them, else a test fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, LiteralString

from app.store.database import Connection, Database

BATCH = 2000  # rows of one table in one transaction
Kind = Literal["deliveries", "facts", "decisions", "sessions", "ledger"]


@dataclass(frozen=True, slots=True)
class Periods:
    """How long rows are kept, by kind; at least a day each.

    `deliveries`: webhook bodies. `facts`: what can be read from GitHub again, excerpts of logs included. `decisions`:
    decisions with their snapshots, and what is remembered of pull requests that are closed. `sessions`: from their end
    on. `ledger`: what sessions wrote. `audit`: records of the audit log, see `app.store.audit`.
    """

    deliveries: timedelta = timedelta(days=14)
    facts: timedelta = timedelta(days=90)
    decisions: timedelta = timedelta(days=400)
    sessions: timedelta = timedelta(days=400)
    ledger: timedelta = timedelta(days=400)
    audit: timedelta = timedelta(days=400)


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of `table` may go when `condition` holds, which names the row `old` and its age `%(age)s`."""

    table: LiteralString
    kind: Kind
    condition: LiteralString

    @property
    def statement(self) -> LiteralString:
        """Rows that somebody changes at this moment are left: their place in the table is another one then."""
        return (
            f"delete from {self.table} where ctid = any(array("
            f"select old.ctid from {self.table} old where {self.condition} limit %(batch)s))"
        )


def _aged(column: LiteralString) -> LiteralString:
    return f"old.{column} < now() - %(age)s::interval"


def _no_open_pull(number: LiteralString) -> LiteralString:
    return (
        f"not exists (select from pulls where open and pulls.repository_id = old.repository_id "
        f"and pulls.number = old.{number})"
    )


def _no_open_head(sha: LiteralString) -> LiteralString:
    return (
        f"not exists (select from pulls where open and pulls.repository_id = old.repository_id "
        f"and pulls.head_sha = old.{sha})"
    )


_NO_TICKET: LiteralString = (
    "not exists (select from tickets where tickets.repository_id = old.repository_id and tickets.number = old.number)"
)

# In this order: what hangs on a row goes after it. What an open pull request leans on stays whatever its age.
RULES: tuple[Rule, ...] = (
    Rule("deliveries", "deliveries", _aged("received_at")),
    Rule("ci_runs", "facts", _aged("recorded_at")),
    Rule("ci_builds", "facts", _aged("recorded_at")),
    Rule("analyses", "facts", _aged("recorded_at")),
    Rule("merge_groups", "facts", _aged("seen_at")),
    Rule("verifications", "facts", f"{_aged('started_at')} and {_no_open_head('head_sha')}"),
    Rule("opinions", "decisions", f"{_aged('asked_at')} and {_no_open_head('head_sha')}"),
    Rule("pushes", "facts", f"{_aged('delivered_at')} and {_no_open_head('after_sha')}"),
    Rule("check_runs", "facts", f"{_aged('updated_at')} and {_no_open_head('head_sha')}"),
    # The newest decision of a key stays whatever its age: it is the record of what stands on GitHub. Of a merge group
    # nothing stands there once it has landed or gone, and each has a key of its own.
    Rule(
        "decisions",
        "decisions",
        f"{_aged('decided_at')} and (starts_with(old.key, 'group:') or exists (select from decisions newer "
        "where newer.key = old.key and newer.id > old.id))",
    ),
    Rule("decided_policies", "decisions", "not exists (select from decisions where decisions.policy = old.digest)"),
    Rule("landings", "decisions", _aged("seen_at")),
    Rule("pulls", "decisions", f"not old.open and {_aged('seen_at')}"),
    Rule(
        "pull_heads",
        "decisions",
        f"{_aged('noted_at')} and not exists (select from pulls where pulls.repository_id = old.repository_id "
        "and pulls.number = old.number)",
    ),
    Rule("reviews", "decisions", f"{_aged('recorded_at')} and {_no_open_pull('pull_number')}"),
    Rule("approval_codes", "decisions", f"{_aged('shown_at')} and {_no_open_pull('pull_number')}"),
    Rule("comment_approvals", "decisions", f"{_aged('created_at')} and {_no_open_pull('pull_number')}"),
    Rule("review_requests", "decisions", f"{_aged('asked_at')} and {_no_open_pull('pull_number')}"),
    Rule("notices", "decisions", f"{_aged('created_at')} and {_no_open_pull('pull_number')}"),
    # A row with a trial's branch is the only trace of a branch that is still to be deleted.
    Rule("serial_entries", "decisions", f"{_aged('since')} and old.trial_ref = '' and {_no_open_pull('number')}"),
    Rule("requeues", "decisions", f"{_aged('done_at')} and {_no_open_pull('number')}"),
    Rule("page_commands", "deliveries", _aged("pressed_at")),
    Rule("used_identities", "deliveries", "old.expires_at < now() - interval '1 day'"),
    # The states in which a ticket has ended. Its history goes after it.
    Rule(
        "tickets",
        "decisions",
        f"{_aged('since')} and old.state in ('merged', 'settled', 'reverted', 'stopped', 'cap_hit', 'cancelled')",
    ),
    Rule("ticket_snapshots", "decisions", f"{_aged('accepted_at')} and {_NO_TICKET}"),
    Rule("ticket_transitions", "decisions", f"{_aged('at')} and {_NO_TICKET}"),
    Rule("ticket_runs", "decisions", f"{_aged('claimed_at')} and {_NO_TICKET}"),
    Rule("ticket_questions", "decisions", f"{_aged('asked_at')} and {_NO_TICKET}"),
    Rule("ticket_messages", "decisions", f"{_aged('said_at')} and {_NO_TICKET}"),
    Rule("ticket_evidence", "decisions", f"{_aged('given_at')} and {_NO_TICKET}"),
    Rule("ticket_escalations", "decisions", f"{_aged('opened_at')} and {_NO_TICKET}"),
    Rule("ticket_pushes", "decisions", _aged("planned_at")),
    Rule("ticket_raises", "decisions", _aged("at")),
    # The newest try of a limit is what holds.
    Rule(
        "canaries",
        "decisions",
        f"{_aged('ran_at')} and exists (select from canaries newer where newer.limit_name = old.limit_name "
        "and newer.ran_at > old.ran_at)",
    ),
    Rule("enrolments", "sessions", "coalesce(old.revoked_at, old.expires_at) < now() - %(age)s::interval"),
    Rule("ticket_commands", "decisions", f"{_aged('created_at')} and {_NO_TICKET} and {_no_open_pull('number')}"),
    # Where a head came from is told by the push that brought it.
    Rule(
        "ledger",
        "ledger",
        f"{_aged('began_at')} and (old.ended_at is not null or {_aged('alive_until')}) and {_no_open_head('new_oid')}",
    ),
    # To whom the branch of an open pull request belongs is told by its sessions, whatever brought its head.
    Rule(
        "sessions",
        "sessions",
        "least(old.ended_at, old.expires_at) < now() - %(age)s::interval "
        "and not exists (select from ledger where ledger.session_id = old.id) "
        "and not exists (select from pulls where open and pulls.repository_id = old.repository_id "
        "and pulls.head_ref = old.branch)",
    ),
)
KEPT: Mapping[str, str] = {
    "migrations": "one row a version of the tables",
    "work": "one row a key that is due; it goes when the key is finished",
    "repositories": "one row a repository",
    "baseline_looks": "one row a gated branch",
    "baselines": "bounded where it is written: the newest hundred of a workflow file on a branch",
    "session_words": "goes with its session",
    "session_meters": "goes with its session",
    "ticket_costs": "goes with its attempt",
    "ticket_brakes": "one row a repository",
    "ticket_boards": "one row a repository",
    "ticket_steps": "one row a week of a repository",
    "canary_lifts": "one row for each time that a person let work begin",
    "delivery_search": "one row",
    "audit_log": "goes by `app.store.audit.prune`, which keeps the rest provable",
    "audit_head": "one row",
    "guarded_branches": "one row a repository",
}


async def prune(connection: Connection, rule: Rule, age: timedelta, batch: int = BATCH) -> int:
    """How many rows of one table went; if it is the batch's size there may be more."""
    return (await connection.execute(rule.statement, {"age": age, "batch": batch})).rowcount


async def prune_all(database: Database, periods: Periods, batch: int = BATCH) -> dict[str, int]:
    """Rows that went, by table, at most `batch` of each, each table in a transaction of its own."""
    gone = {}
    for rule in RULES:
        async with database.transaction() as connection:
            gone[rule.table] = await prune(connection, rule, getattr(periods, rule.kind), batch)
    return gone
