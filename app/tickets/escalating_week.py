"""The week's report as a comment on the board's issue, with the head of the audit log.

The comment anchors nothing: whoever holds the App's key can edit it. The log is anchored in commit statuses
(`app.gate.anchoring`); the line stands here so that people come across it, and `mergegate audit verify --anchor` takes
it like that of a status.
"""

from __future__ import annotations

from datetime import UTC, timedelta

from app.gate.anchoring import CONTEXT
from app.gate.apply import Applier
from app.gate.effects import PostNotice
from app.store import audit, notices
from app.store.audit_chain import Head, anchor_line
from app.store.notices import Notice
from app.store.tickets.boards import BoardIssue
from app.tickets.parts import Place, TicketParts
from app.tickets.reporting import Report, read_report
from app.tickets.scaling import decide_week
from policies.tickets.report import report_text
from policies.tickets.week import week_of
from policies.tickets.words import Language

PURPOSE = "report"
LATE = timedelta(days=3)  # who was away for longer reads it with `mergegate report`


async def tell_week(parts: TicketParts, applier: Applier, place: Place, board: BoardIssue) -> None:
    """Raises GitHub's errors. A week that ended before there was a board is not told."""
    now = parts.gate.now()
    week = week_of(now, UTC).before(1)
    if board.set_at is None or board.set_at >= week.ends or now - week.ends > LATE:
        return
    async with parts.gate.database.transaction() as connection:
        if await notices.stands(connection, Notice(place.repository.id, board.number, PURPOSE, week.name)):
            return
    async with parts.gate.database.transaction() as connection:
        await decide_week(connection, place, now)  # the report says what was decided
    async with parts.gate.database.transaction() as connection:
        report = await read_report(connection, place.repository.id, week, week.ends)
        head = await audit.head(connection)
    await applier.apply((PostNotice(board.number, PURPOSE, week.name, week_text(report, head, place.rules.language)),))


def week_text(report: Report, head: Head, language: Language = "en") -> str:
    told = f"Audit log: `{anchor_line(head)}`, anchored once a day in the commit status `{CONTEXT}`."
    return f"{report_text(report.this, report.before, report.scale, language)}\n\n{told}"
