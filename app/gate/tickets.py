"""Which ticket a pull request is for, as it was accepted, and who must look again when the pull request changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import structlog

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.reviews import TICKET_NOT_TOLD, unchanged_since
from app.github import issues
from app.github.errors import GitHubDown, GitHubError, RateLimited
from app.github.issues import Issue
from app.github.pull_models import PullRequest
from app.keys import BoardKey, PeopleKey, PullKey, RepositoryKey, TicketKey
from app.proxy import sessions
from app.store import work
from app.store.database import Connection
from app.store.tickets import boards, commands, escalations, moving, runs, snapshots, ticket
from app.store.tickets.moving import Transition
from app.store.tickets.snapshots import TicketSnapshot
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from checks.accounts import Review
from checks.commands import read_commands
from checks.snapshot import Risk, Snapshot, Ticket
from checks.tickets.form import is_ticket
from checks.tickets.sections import TooLong, read_sections
from checks.unread import Unread
from policies.tickets.states import AT_WORK, BLOCKS_MERGE, Event

log = structlog.get_logger(__name__)

GATHERS = timedelta(seconds=20)  # what many tickets bring up in that time is one message
HEARD_WITHIN = timedelta(days=1)  # a comment whose delivery was lost is heard as long after it was written


async def with_ticket(gate: Gate, snapshot: Snapshot) -> Snapshot:
    """The snapshot with its ticket. A pull request becomes a ticket's by the session or the branch of its agent.

    What the pull request itself says about tickets counts for nothing: whoever opened it could name any.
    """
    row = await _ticket_of(gate, snapshot)
    if row is None:
        return _with_reviews_of(snapshot, None)
    async with gate.database.transaction() as connection:
        accepted = await snapshots.newest(connection, row.repository_id, row.number)
        run = await runs.newest(connection, row.repository_id, row.number)
        changes = await moving.latest(connection, row.repository_id, row.number)
    seen = _as_seen(row, accepted, None if run is None else run.agent)
    snapshot = _with_reviews_of(snapshot, accepted)
    return replace(snapshot, ticket=replace(seen, blocked=seen.blocked or _rejected(changes, snapshot.head.sha)))


def _with_reviews_of(snapshot: Snapshot, accepted: TicketSnapshot | None) -> Snapshot:
    """The snapshot whose reviews say which ticket stood when they were given: the present one if accepted before.

    A code says by itself which one it stands for.
    """
    if isinstance(snapshot.reviews, Unread):
        return snapshot
    return replace(snapshot, reviews=tuple(_with_ticket_of(review, accepted) for review in snapshot.reviews))


def _with_ticket_of(review: Review, accepted: TicketSnapshot | None) -> Review:
    if review.ticket_digest is not TICKET_NOT_TOLD:
        return review
    stood = accepted is not None and unchanged_since(accepted.accepted_at, review.submitted_at)
    return replace(review, ticket_digest=accepted.digest if accepted is not None and stood else None)


def _rejected(changes: Sequence[Transition], head: str) -> str | None:
    """Whether a person sent this very head back."""
    found = next((one for one in changes if one.event is Event.REJECTED and one.sha == head), None)
    return None if found is None else f"was rejected at this commit by @{found.actor}"


async def ticket_marks(connection: Connection, key: PullKey) -> list[Mark]:
    """The ticket of a pull request that changed."""
    row = await ticket.find_of_pull(connection, key.repository_id, key.number)
    return [] if row is None else [Mark(str(TicketKey(key.installation_id, key.repository_id, row.number)))]


async def hear(gate: Gate, key: PullKey, pull: PullRequest) -> None:
    """Commands on a pull request whose delivery was lost or is never made: its conversation is looked at for them."""
    since = gate.now() - HEARD_WITHIN
    said = {
        one.full_database_id
        for one in pull.comments.nodes
        if one.created_at > since and one.author is not None and one.author.type == "User" and read_commands(one.body)
    }
    if not said:
        return
    async with gate.database.transaction() as connection:
        if said - await commands.known(connection, key.repository_id, said):
            await work.mark(connection, [Mark(str(TicketKey(key.installation_id, key.repository_id, key.number)))])


async def marks_of_repository(gate: Gate, key: RepositoryKey, *, webhooks: bool) -> list[Mark]:
    """Tickets that may have changed without a word: those at work, those whose time of proving may be over, issues that
    became tickets and nobody told of; the board, and who must be told. Without `webhooks` every lately changed issue is
    looked at."""
    repository = await gate.repository(key.installation_id, key.repository_id)
    found = await _newest_issues(gate, key.installation_id, repository)
    async with gate.database.transaction() as connection:
        known = await ticket.looked_after(connection, key.repository_id)
        states = await ticket.states_of(connection, key.repository_id, [issue.number for issue in found])
        board = await boards.find(connection, key.repository_id)
        told = board is not None or bool(await escalations.all_open(connection, key.repository_id))
    fresh = [one.number for one in found if _is_news(one, known=one.number in states, webhooks=webhooks)]
    numbers = sorted({*known, *fresh})
    own = (key.installation_id, key.repository_id)
    shown = [] if board is None else [Mark(str(BoardKey(*own)), news=False)]
    if told:
        shown.append(Mark(str(PeopleKey(*own)), delay=GATHERS, news=False, periodic=True))
    return shown + [Mark(str(TicketKey(*own, each)), news=False) for each in numbers]


async def _newest_issues(gate: Gate, installation_id: int, repository: RepositoryName) -> tuple[Issue, ...]:
    """None where the repository has no issues, or the App may not see them; its pull requests are looked at still."""
    try:
        return (await issues.newest_issues(gate.client(installation_id), repository.owner, repository.name)).items
    except (RateLimited, GitHubDown):
        raise
    except GitHubError as wrong:
        log.info("issues cannot be listed", repository=repository.full_name, because=str(wrong))
        return ()


def _is_news(issue: Issue, *, known: bool, webhooks: bool) -> bool:
    if known:
        return not webhooks
    try:
        return is_ticket(read_sections(issue.body or ""))
    except TooLong:
        return False


async def _ticket_of(gate: Gate, snapshot: Snapshot) -> TicketRow | None:
    repository_id, number, ref = snapshot.repository.id, snapshot.number, snapshot.head.ref
    if number is None:
        return None
    async with gate.database.transaction() as connection:
        known = await ticket.find_of_pull(connection, repository_id, number)
    if known is not None or snapshot.is_fork:
        return known
    named = [one.grant.ticket for one in await sessions.of_branch(gate.database, repository_id, ref)]
    async with gate.database.transaction() as connection:
        found = next((one for one in named if one is not None), None)
        if found is None:
            found = await runs.ticket_of_branch(connection, repository_id, ref)
        row = None if found is None else await ticket.lock(connection, repository_id, found)
        if row is None or row.state not in AT_WORK:
            return None
        await ticket.set_pull(connection, repository_id, row.number, number)
        return await ticket.find_of_pull(connection, repository_id, number)


def _as_seen(row: TicketRow, accepted: TicketSnapshot | None, agent: str | None) -> Ticket:
    blocked = BLOCKS_MERGE.get(row.state)
    if accepted is None:
        return Ticket(str(row.number), "", blocked=blocked or "was never accepted", agent=agent)
    form = accepted.form
    return Ticket(
        id=str(row.number),
        digest=accepted.digest,
        allowed_paths=form.allowed_paths,
        forbidden_paths=form.forbidden_paths,
        risk=Risk[form.risk.upper()],
        verification_commands=form.verify,
        agent=agent,
        operator=accepted.accepted_by,
        blocked=blocked,
        held_by=row.held_by,
        held_because=row.held_because,
        migration=form.migration == "yes",
    )
