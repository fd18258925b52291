"""What the week's numbers are counted from, as the store has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any, LiteralString

from app.store.database import Connection
from app.store.tickets import canaries, raises
from checks.commands import read_commands
from policies.tickets.records import Act, ActKind, Asked, Change, Judgement, PullSpan, Push, Records, Stretch
from policies.tickets.states import Event, State
from policies.tickets.week import Week

# Those that changed since then and, however old, those that have not ended: one of them may wait for a person.
CHOSEN: LiteralString = """
with chosen as (
  select number, installation_id, pull_number from tickets where repository_id = %(repository)s
  and (state not in ('merged', 'settled', 'reverted', 'stopped', 'cap_hit', 'cancelled')
       or exists (select from ticket_transitions moved where moved.repository_id = tickets.repository_id
                  and moved.number = tickets.number and moved.at >= %(since)s))
)
"""
CHANGES: LiteralString = """
select number, from_state, to_state, event, attempt, at from ticket_transitions
join chosen using (number) where repository_id = %(repository)s order by id
"""
# An attempt that never started is none.
STRETCHES: LiteralString = """
select number, attempt, revision, ended_at, outcome, cost from ticket_runs
join chosen using (number) where repository_id = %(repository)s and started_at is not null order by id
"""
# An agent's question counts under its cause where that made it go up; a matter of the gate's own is none of an agent's.
ASKED: LiteralString = """
select number, case when exists (select from ticket_escalations up where up.repository_id = asked.repository_id
    and up.number = asked.number and up.ordinal = asked.ordinal) then cause else 'question' end, fingerprint, asked_at
from ticket_questions asked
join chosen using (number) where repository_id = %(repository)s
union all
select number, cause, matter, opened_at from ticket_escalations
join chosen using (number) where repository_id = %(repository)s and ordinal is null order by 4
"""
PUSHES: LiteralString = """
select numbers, person, planned_at from ticket_pushes
where repository_id = %(repository)s and planned_at >= %(since)s and outcome = 'posted' order by planned_at
"""
COMMANDS: LiteralString = """
select chosen.number, body, author_login, created_at from ticket_commands
join chosen on ticket_commands.number in (chosen.number, chosen.pull_number)
where repository_id = %(repository)s and outcome in ('done', 'told') order by created_at
"""
REVIEWS: LiteralString = """
select chosen.number, given = 'APPROVED', reviewer_login, submitted_at from reviews
join chosen using (pull_number) where repository_id = %(repository)s and reviewer_login not like '%%[bot]'
union all
select chosen.number, true, author_login, created_at from comment_approvals
join chosen using (pull_number) where repository_id = %(repository)s and not withdrawn
"""
# Whose merge it was is not kept, only that it was a person's. The landing may be seen after the ticket was moved.
MERGES: LiteralString = """
select chosen.number, least(landings.seen_at, min(moved.at)) from landings join chosen using (pull_number)
left join ticket_transitions moved on moved.repository_id = landings.repository_id
  and moved.number = chosen.number and moved.event = 'merged'
where landings.repository_id = %(repository)s and merged_by_person group by chosen.number, landings.seen_at
"""
# Those whose verdict named anybody who must approve.
APPROVED: LiteralString = """
select chosen.number from chosen where exists (
  select from decisions where key = 'pull:' || installation_id || ':' || %(repository)s || ':' || pull_number
  and jsonb_array_length(coalesce(verdict -> 'needed', '[]')) > 0)
"""
# A person let a head through that had not passed; told when the gate first judged with it.
OVERRIDES: LiteralString = """
select chosen.number, verdict #>> '{overridden_by,author,login}', min(decided_at) from decisions
join chosen on key = 'pull:' || installation_id || ':' || %(repository)s || ':' || pull_number
where jsonb_typeof(verdict -> 'overridden_by') = 'object'
group by chosen.number, verdict #>> '{overridden_by,author,login}', verdict #>> '{overridden_by,comment_id}'
"""
# `checks.risk` fails for this alone: git itself could not merge.
CONFLICTS: LiteralString = """
select chosen.number, decided_at from decisions
join chosen on key = 'pull:' || installation_id || ':' || %(repository)s || ':' || pull_number
where decided_at >= %(since)s and verdict #>> '{evidence,status}' = 'failed' and jsonb_path_exists(verdict,
  '$.evidence.**.finding ? (@.check == "risk" && @.status == "failed" && @.fix.action == "update-branch")')
"""
# What a call ended with that was made; a judge that was never called cost nothing and said nothing.
JUDGEMENTS: LiteralString = """
select chosen.number, said, ended_at, cost from opinions join chosen on opinions.ticket = chosen.number
where repository_id = %(repository)s and said is not null and tries > 0 order by ended_at
"""
PULLS: LiteralString = "select number, pull_number from chosen where pull_number is not null"
CLOSED = frozenset({Event.MERGED, Event.PULL_CLOSED, Event.CONFIRMED})
TELL_NOTHING = frozenset({"status", "help", "ticket"})  # they change nothing
KINDS = {"stop": ActKind.STOP, "override": ActKind.OVERRIDE}


async def read_records(connection: Connection, repository_id: int, week: Week) -> Records:
    """Enough for the numbers of a week and of the one before it, which looks at what was merged two weeks earlier:
    everything about the tickets that changed since then, and about those that have not ended.

    Pull requests are those of tickets. One counts as open from the first head that was brought until it was merged or
    closed or its ticket ended, and its conflicts are those of the gate's own judgements. Canary tickets are those of
    the whole server.
    """

    since = week.before(3).begins

    async def rows(sql: LiteralString) -> list[tuple[Any, ...]]:
        cursor = await connection.execute(CHOSEN + sql, {"repository": repository_id, "since": since})
        return await cursor.fetchall()

    acts = [
        *_commands(await rows(COMMANDS)),
        *(Act(number, _approves(yes), by, at) for number, yes, by, at in await rows(REVIEWS)),
        *(Act(number, ActKind.APPROVAL, "", at) for number, at in await rows(MERGES)),
        *(Act(number, ActKind.OVERRIDE, by, at) for number, by, at in await rows(OVERRIDES)),
    ]
    changes = tuple(_change(*row) for row in await rows(CHANGES))
    return Records(
        changes=changes,
        stretches=tuple(_stretch(*row) for row in await rows(STRETCHES)),
        asked=tuple(Asked(*row) for row in await rows(ASKED)),
        acts=tuple(sorted(acts, key=lambda act: act.at)),
        approved_by_people=frozenset(row[0] for row in await rows(APPROVED)),
        pulls=tuple(_pulls(changes, await rows(PULLS), await rows(CONFLICTS))),
        pushes=tuple(Push(tuple(numbers), by, at) for numbers, by, at in await rows(PUSHES)),
        canaries=await canaries.ran_since(connection, since),
        raised=await raises.raised_since(connection, repository_id, since),
        judgements=tuple(Judgement(*row) for row in await rows(JUDGEMENTS)),
    )


def _change(number: int, before: str, after: str, event: str, attempt: int, at: datetime) -> Change:
    return Change(number, State(before), State(after), Event(event), attempt, at)


def _stretch(
    number: int, attempt: int, revision: int, ended_at: datetime | None, outcome: str | None, cost: Any
) -> Stretch:
    return Stretch(number, attempt, revision, ended_at, None if outcome is None else Event(outcome), cost)


def _approves(yes: bool | None) -> ActKind:
    return ActKind.APPROVAL if yes else ActKind.OTHER


def _commands(rows: list[tuple[Any, ...]]) -> list[Act]:
    found = [(number, [each.verb for each in read_commands(body)], by, at) for number, body, by, at in rows]
    return [Act(number, _kind(verbs), by, at) for number, verbs, by, at in found if not TELL_NOTHING.issuperset(verbs)]


def _kind(verbs: list[str]) -> ActKind:
    return next((KINDS[verb] for verb in verbs if verb in KINDS), ActKind.OTHER)


def _pulls(
    changes: tuple[Change, ...], pulls: list[tuple[Any, ...]], conflicts: list[tuple[Any, ...]]
) -> Iterator[PullSpan]:
    opened, closed, conflicting = (defaultdict[int, list[datetime]](list) for _ in range(3))
    for change in changes:
        kept = opened if change.event is Event.SUBMITTED else closed if change.event in CLOSED else None
        if kept is not None:
            kept[change.number].append(change.at)
    for number, at in conflicts:
        conflicting[number].append(at)
    for number, pull in pulls:
        if number in opened:
            ended = next((at for at in closed[number] if at >= opened[number][-1]), None)
            yield PullSpan(pull, opened[number][0], ended, tuple(conflicting[number]))
