# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""What was accepted. A revision never changes; a redirect, a grant or a new acceptance makes the next one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from psycopg.rows import kwargs_row

from app.store.database import Connection
from app.store.stored import json as as_json
from app.store.stored import text
from checks.tickets.canonical import read_canonical
from checks.tickets.form import TicketForm


@dataclass(frozen=True, slots=True)
class TicketSnapshot:
    """One revision. `redirects` are what people said since the acceptance, the oldest first.

    `accepted_by` is the login of the person behind this revision, `digest` that of the form and the redirects, and
    `issue_digest` that of the form as the issue read when it was accepted.
    """

    repository_id: int
    number: int
    revision: int
    form: TicketForm
    digest: str
    issue_digest: str
    redirects: tuple[str, ...]
    accepted_by: str
    accepted_at: datetime


COLUMNS = "repository_id, number, revision, form, digest, issue_digest, redirects, accepted_by, accepted_at"


def digest_of(form: TicketForm, redirects: Sequence[str]) -> str:
    """The ticket's hash: of the canonical form, and of every word that was added to it."""
    if not redirects:
        return form.digest
    return "sha256:" + sha256("\0".join([form.canonical, *redirects]).encode("utf-8", "surrogatepass")).hexdigest()


async def freeze(
    connection: Connection,
    repository_id: int,
    number: int,
    form: TicketForm,
    *,
    issue_digest: str,
    redirects: Sequence[str],
    accepted_by: str,
) -> TicketSnapshot:
    """The next revision of a ticket, whose row the caller holds."""
    cursor = connection.cursor(row_factory=kwargs_row(_snapshot))
    await cursor.execute(
        "insert into ticket_snapshots (repository_id, number, revision, form, digest, issue_digest, "
        "redirects, accepted_by) "
        "values (%s, %s, (select coalesce(max(revision), 0) + 1 from ticket_snapshots where repository_id = %s and "
        f"number = %s), %s, %s, %s, %s, %s) returning {COLUMNS}",
        (
            *(repository_id, number, repository_id, number, as_json(form.fields)),
            *(digest_of(form, redirects), issue_digest),
            *([text(each) for each in redirects], text(accepted_by)),
        ),
    )
    snapshot = await cursor.fetchone()
    assert snapshot is not None
    await connection.execute(
        "update tickets set revision = %s where repository_id = %s and number = %s",
        (snapshot.revision, repository_id, number),
    )
    return snapshot


async def newest(connection: Connection, repository_id: int, number: int) -> TicketSnapshot | None:
    """What holds now; None for a ticket that was never accepted."""
    cursor = connection.cursor(row_factory=kwargs_row(_snapshot))
    await cursor.execute(
        f"select {COLUMNS} from ticket_snapshots where repository_id = %s and number = %s "
        "order by revision desc limit 1",
        (repository_id, number),
    )
    return await cursor.fetchone()


async def newest_of(connection: Connection, repository_id: int, numbers: Collection[int]) -> dict[int, TicketSnapshot]:
    """The same for many tickets, by number."""
    cursor = connection.cursor(row_factory=kwargs_row(_snapshot))
    await cursor.execute(
        f"select distinct on (number) {COLUMNS} from ticket_snapshots where repository_id = %s and number = any(%s) "
        "order by number, revision desc",
        (repository_id, sorted(numbers)),
    )
    return {each.number: each for each in await cursor.fetchall()}


def _snapshot(*, form: dict[str, object], redirects: list[str], **columns: object) -> TicketSnapshot:
    return TicketSnapshot(form=read_canonical(form), redirects=tuple(redirects), **columns)  # type: ignore[arg-type]
