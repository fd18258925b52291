# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""What independent judges said. A row is written before a judge is called, and ended once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text
from checks.opinions import Word


@dataclass(frozen=True, slots=True)
class StoredOpinion:
    """One call of a judge about one subject. `base_sha` is the merge base, `target_sha` the target's tip when it was
    asked for; `ticket` is the ticket's number. Digests are `sha256:…`, `cost` is in US dollars."""

    id: str
    repository_id: int
    number: int
    ticket: int | None
    ticket_digest: str | None
    judge: str
    head_sha: str
    base_sha: str
    target_sha: str
    asked_at: datetime
    tries: int = 0
    began_at: datetime | None = None
    ended_at: datetime | None = None
    exit_code: int | None = None
    given_digest: str | None = None
    output_digest: str | None = None
    said: Word | None = None
    reasons: Sequence[str] = ()
    model: str | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call ended."""

    said: Word
    reasons: tuple[str, ...]
    exit_code: int | None = None
    given_digest: str | None = None
    output_digest: str | None = None
    model: str | None = None
    cost: Decimal | None = None


COLUMNS = (
    "id, repository_id, number, ticket, ticket_digest, judge, head_sha, base_sha, target_sha, asked_at, tries, "
    "began_at, ended_at, exit_code, given_digest, output_digest, said, reasons, model, cost"
)
ALONE = "select pg_advisory_xact_lock(hashtextextended('mergegate judges', %s))"
INSERT = """
insert into opinions (id, repository_id, number, ticket, ticket_digest, judge, head_sha, base_sha, target_sha, asked_at)
values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict (id) do nothing
"""
DAY = """
select coalesce(sum(greatest(tries, 1)), 0)::integer, coalesce(sum(cost), 0) from opinions
where repository_id = %s and asked_at >= %s
"""
END = """
update opinions set ended_at = %s, said = %s, reasons = %s, exit_code = %s, given_digest = %s, output_digest = %s,
  model = %s, cost = %s
where id = %s and said is null
"""


async def ask(connection: Connection, row: StoredOpinion, since: datetime, *, calls: int, cost: float) -> bool:
    """Note that the judge will be called; false where the day, which began `since`, has no room for it any more.

    Nobody else counts the repository's day until the transaction ends.
    """
    await connection.execute(ALONE, (row.repository_id,))
    used, spent = await of_day(connection, row.repository_id, since)
    if used >= calls or spent >= cost:
        return False
    subject = (row.ticket, row.ticket_digest, row.judge, row.head_sha, row.base_sha, row.target_sha)
    await connection.execute(INSERT, (row.id, row.repository_id, row.number, *subject, row.asked_at))
    return True


async def of_day(connection: Connection, repository_id: int, since: datetime) -> tuple[int, Decimal]:
    """Calls and US dollars of a repository since then."""
    row = await (await connection.execute(DAY, (repository_id, since))).fetchone()
    return (0, Decimal(0)) if row is None else (row[0], row[1])


async def of_head(connection: Connection, repository_id: int, number: int, head_sha: str) -> list[StoredOpinion]:
    """Those about a head of a pull request, by when they were asked for."""
    cursor = connection.cursor(row_factory=class_row(StoredOpinion))
    await cursor.execute(
        f"select {COLUMNS} from opinions where repository_id = %s and number = %s and head_sha = %s "
        "order by asked_at, id",
        (repository_id, number, head_sha),
    )
    return await cursor.fetchall()


async def find(connection: Connection, opinion_id: str) -> StoredOpinion | None:
    cursor = connection.cursor(row_factory=class_row(StoredOpinion))
    await cursor.execute(f"select {COLUMNS} from opinions where id = %s", (opinion_id,))
    return await cursor.fetchone()


async def begin(connection: Connection, opinion_id: str, now: datetime) -> None:
    """Count a call before it is made."""
    await connection.execute("update opinions set tries = tries + 1, began_at = %s where id = %s", (now, opinion_id))


async def end(connection: Connection, opinion_id: str, ended: Ended, now: datetime) -> bool:
    """Keep how it ended; false where that is known already, which stands."""
    cursor = await connection.execute(
        END,
        (
            *(now, ended.said, [text(reason) for reason in ended.reasons], ended.exit_code, ended.given_digest),
            *(ended.output_digest, None if ended.model is None else text(ended.model), ended.cost, opinion_id),
        ),
    )
    return cursor.rowcount == 1


async def disagree(connection: Connection, repository_id: int, number: int, head_sha: str, *, approved: bool) -> bool:
    """Whether two judges say different things of a head, or one says no of what a person has `approved`.

    Of each the newest word counts: one that was asked about the ticket as it was before does not disagree with itself.
    """
    cursor = await connection.execute(
        "select distinct on (judge) said from opinions where repository_id = %s and number = %s and head_sha = %s "
        "and said is not null order by judge, asked_at desc, id",
        (repository_id, number, head_sha),
    )
    said = {row[0] for row in await cursor.fetchall()}
    return "fail" in said and (approved or "pass" in said)
