"""Commands that people wrote: read as they were delivered, judged by right and state, carried out once each.

The order is that of the design: who may be heard at all was told at the delivery; then the comment is parsed, the
person's permission is read, and in one transaction with the comment's row the table of verbs and the ticket's state are
asked and the command is carried out. Whatever goes wrong on the way carries out nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import structlog

from app.gate import rights
from app.gate.gate import Gate
from app.gate.tickets import HEARD_WITHIN
from app.github import issues
from app.github.errors import GitHubDown, GitHubError, RateLimited
from app.github.issues import Issue
from app.github.rest_models import IssueComment
from app.store import audit
from app.store.audit import Entry
from app.store.database import Connection
from app.store.tickets import commands, ticket
from app.store.tickets.commands import CommandComment, Outcome
from app.store.tickets.ticket import TicketRow
from app.tickets import escalating, verbs
from app.tickets.doing import Doing, NotDone
from app.tickets.limiting import alone, raises_of
from app.tickets.parts import Place, TicketParts
from app.utc_day import day_begun
from checks.accounts import Permission
from checks.commands import LONGEST, Command, nearest, read_commands
from policies.escape import code
from policies.tickets.verbs import VERBS, Where, is_for_all, refusal

log = structlog.get_logger(__name__)

UNREADABLE = "Your permission on the repository could not be read, so nothing was done. Write it again in a while."


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a comment. `words` are None where a reaction says enough."""

    outcome: Outcome
    words: str | None = None


async def observe(gate: Gate, place: Place, issue: Issue) -> None:
    """Comments whose delivery was lost, or is never made. One that was changed since may have said anything."""
    since = day_begun(gate.now() - HEARD_WITHIN)
    owner, name = place.repository.owner, place.repository.name
    listing = await issues.comments_since(place.client, owner, name, issue.number, since)
    found = [
        CommandComment(
            place.repository.id,
            "comment",
            comment.id,
            issue.number,
            comment.user.login,
            comment.user.id,
            (comment.body or "")[:LONGEST],
            comment.created_at,
        )
        for comment in listing.items
        if comment.user is not None
        and comment.user.type == "User"
        and _is_own_word(gate, comment)
        and comment.updated_at == comment.created_at
        and read_commands(comment.body or "")
    ]
    if not found:
        return
    known = await gate.database.read(commands.known, place.repository.id, [one.comment_id for one in found])
    fresh = [one for one in found if one.comment_id not in known]
    if fresh:
        async with gate.database.transaction() as connection:
            await commands.record(connection, fresh)


def _is_own_word(gate: Gate, comment: IssueComment) -> bool:
    """Whether the person wrote it: with their own hands, or by a button on our pages."""
    via = comment.performed_via_github_app
    return via is None or via.id == gate.app_id


async def carry_out(parts: TicketParts, place: Place, issue: Issue) -> None:
    """Every comment of this issue or pull request that waits, in the order they were written."""
    for one in await parts.gate.database.read(commands.waiting, place.repository.id, issue.number):
        await _carry_out(parts, place, issue, one)


async def _carry_out(parts: TicketParts, place: Place, issue: Issue, one: CommandComment) -> None:
    said = read_commands(one.body, prefixed=place.rules.prefixed)
    permission = await _permission(place, one.author_login)
    async with parts.gate.database.transaction() as connection:
        if not await commands.take(connection, one):
            return
        if any(command.verb in VERBS and VERBS[command.verb].alone for command in said):
            await alone(connection, place.repository.id)
        hearing = _Hearing(parts, place, issue, one, permission)
        answered = await hearing.answer(connection, said)
        await commands.done(connection, one, answered.outcome, answered.words)
        await audit.append(connection, hearing.entries)
    log.info("command", key=str(place.key), by=one.author_login, outcome=answered.outcome)


async def _permission(place: Place, login: str) -> Permission | None:
    """None where it cannot be read, which permits nothing. Raises RateLimited and GitHubDown: it is asked again."""
    try:
        return await rights.permission(place.client, place.repository, login)
    except (RateLimited, GitHubDown):
        raise
    except GitHubError as wrong:
        log.warning("a permission could not be read", login=login, because=str(wrong))
        return None


@dataclass(frozen=True, slots=True)
class _Hearing:
    """One comment being heard; `permission` is its author's."""

    parts: TicketParts
    place: Place
    issue: Issue
    comment: CommandComment
    permission: Permission | None
    words: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    async def answer(self, connection: Connection, said: tuple[Command, ...]) -> Answer:
        """The commands in their order, up to the first that is not carried out."""
        outcomes: list[Outcome] = []
        for command in said:
            answered = await self._one(connection, command)
            outcomes.append(answered.outcome)
            if answered.words is not None:
                self.words.append(answered.words)
            if answered.outcome in ("refused", "unknown"):
                break
        heard = [outcome for outcome in outcomes if outcome != "ignored"]
        return Answer(heard[-1] if heard else "ignored", "\n\n".join(self.words) or None)

    async def _one(self, connection: Connection, command: Command) -> Answer:
        row = await self._ticket(connection)
        verb = VERBS.get(command.verb)
        if verb is None:
            return _unknown(command) if row is not None else Answer("ignored")
        if verb.elsewhere or (row is None and verb.ticket and self._is_silent(command)):
            return Answer("ignored")
        if self.permission is None:
            return Answer("refused", UNREADABLE)
        raises = await raises_of(connection, self.place, self.issue, row, command)
        state = None if row is None else row.state
        refused = refusal(command, verb, self._where, state, self.permission, raises)
        if refused is not None:
            return Answer("refused", refused)
        author = self.comment.author_login
        doing = Doing(self.parts, self.place, connection, self.issue, row, command, author, self.entries)
        try:
            told = await verbs.ACTS[command.verb](doing)
        except NotDone as cannot:
            return Answer("refused", str(cannot))
        if row is not None:
            await escalating.answered(connection, row, command, author, self.parts.gate.now())
        return Answer("done") if told is None else Answer("told", told)

    def _is_silent(self, command: Command) -> bool:
        """Another bot may be meant on an issue that is no ticket."""
        return self._where == "issue" and not is_for_all(command)

    @property
    def _where(self) -> Where:
        return "issue" if self.issue.pull_request is None else "pull"

    async def _ticket(self, connection: Connection) -> TicketRow | None:
        """Its row, held until the command is carried out."""
        repository_id, number = self.place.repository.id, self.issue.number
        if self._where == "pull":
            found = await ticket.find_of_pull(connection, repository_id, number)
            return None if found is None else await ticket.lock(connection, repository_id, found.number)
        return await ticket.lock(connection, repository_id, number)


def _unknown(command: Command) -> Answer:
    meant = nearest(command.verb, VERBS)
    hint = f"Did you mean `/{meant}`?" if meant is not None else "`/help` lists what there is."
    return Answer("unknown", f"{code('/' + command.verb, 40)} is no command here. {hint}")
