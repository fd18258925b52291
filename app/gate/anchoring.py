"""The audit log's head, put where whoever can change the log cannot change it: into a commit status on GitHub.

A status can be added and read, but by nobody edited or deleted (https://docs.github.com/rest/commits/statuses), and a
successful one notifies nobody; a check run or a comment could be edited with the App's own key. Each repository of
which the log tells something new gets one a day, on its default branch's tip; `mergegate audit verify --anchor`
compares.
"""

from __future__ import annotations

from datetime import timedelta

import structlog

from app.gate.gate import Gate
from app.github import graph, writes
from app.github.errors import GitHubError, NotFound, Refused
from app.store import audit
from app.store.audit import Entry
from app.store.audit_chain import Head, anchor_line
from checks.branches import BRANCHES

log = structlog.get_logger(__name__)

CONTEXT = "mergegate/audit-log"
EVERY = timedelta(days=1)
MOST = 100  # repositories at one go; the next go takes the rest
DUE = """
select repositories.repository_id, repositories.installation_id
from repositories
cross join lateral (
  select seq from audit_log where repository_id = repositories.repository_id and kind <> 'anchor'
  order by seq desc limit 1) newest
left join lateral (
  select seq, recorded_at from audit_log where kind = 'anchor' and repository_id = repositories.repository_id
  order by seq desc limit 1) last on true
where last.seq is null or (last.seq < newest.seq and last.recorded_at <= now() - %s::interval)
order by repositories.repository_id limit %s
"""


async def anchor_due(gate: Gate) -> None:
    """Anchor the log in every repository that is due. What GitHub does not take now is tried again tomorrow."""
    for repository_id, installation_id in await gate.database.query(DUE, (EVERY, MOST)):
        try:
            await _anchor(gate, installation_id, repository_id)
        except NotFound as gone:
            log.info("no anchor", repository=repository_id, because=gone.because)
        except GitHubError as away:  # an outage, or no budget: the next time is soon enough
            log.warning("no anchor", repository=repository_id, because=str(away))
            return


async def _anchor(gate: Gate, installation_id: int, repository_id: int) -> None:
    repository = await gate.repository(installation_id, repository_id)
    ref = BRANCHES + (repository.default_branch or "")
    client = gate.client(installation_id)
    tip = await graph.branch_tip(client, repository.owner, repository.name, ref)
    if tip is None:
        return
    async with gate.database.transaction() as connection:
        head = await audit.head(connection)
    because = None
    try:
        await writes.create_status(
            client, repository.owner, repository.name, tip.target.oid, CONTEXT, anchor_line(head)
        )
    except Refused as refused:
        because = refused.because
        log.warning("the audit log is not anchored", repository=repository.full_name, because=because)
    async with gate.database.transaction() as connection:
        await audit.append(connection, [_entry(repository_id, repository.full_name, tip.target.oid, head, because)])


def _entry(repository_id: int, name: str, sha: str, head: Head, refused: str | None) -> Entry:
    told = {"repository": name, "sha": sha, "line": anchor_line(head), "refused": refused}
    return Entry("anchor", sha, repository_id, told)
