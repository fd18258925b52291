"""What an agent is told: messages of people and of the gate, the verdict on its pull request, and its limits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from app.agent_api import bodies
from app.agent_api.call import Answer, Refused, Session
from app.agent_api.saying import next_of
from app.proxy.sessions import CannotOpen
from app.store import decisions
from app.store.tickets import messages, runs, snapshots
from app.store.tickets.messages import Message
from app.tickets.limiting import limits_for, used_by
from checks.finding import Status
from policies.escape import clean
from policies.tickets.limits import Limits, dollars, left

LONGEST_REASON = 1_000  # characters of a finding
MOST_FINDINGS = 50
SETTLED = (Status.PASSED, Status.SKIPPED)


async def read_messages(session: Session) -> Answer:
    """Those that were not acknowledged; waits for the first. Raises Refused, ClientGone, DatabaseAway."""

    async def look() -> list[Message] | None:
        await session.still_live()
        async with session.call.database.transaction() as connection:
            return await messages.undelivered(connection, *session.own) or None

    found = await session.call.until(look) or []
    told = [bodies.Message(id=one.id, kind=one.kind, words=one.words, by=one.said_by, at=one.said_at) for one in found]
    return Answer(bodies.Messages(messages=told).model_dump(mode="json"))


async def acknowledge(session: Session, asked: bodies.Acknowledged) -> Answer:
    """They were read. Again it does nothing. Raises DatabaseAway."""
    async with session.call.database.transaction() as connection:
        waiting = await messages.undelivered(connection, *session.own)
        await messages.delivered(connection, [one.id for one in waiting if one.id <= asked.through])
        rest = len([one for one in waiting if one.id > asked.through])
    return Answer(bodies.Remaining(messages=rest).model_dump(mode="json"))


async def read_verdict(session: Session) -> Answer:
    """The newest verdict. With `If-None-Match` it waits for another one, and is 304 without a body where none comes.

    Raises Refused, ClientGone, DatabaseAway.
    """
    known = session.call.incoming.text(b"if-none-match").strip()

    async def look() -> Answer | None:
        await session.still_live()
        told = (await _verdict(session)).model_dump(mode="json")
        tag = '"' + hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:32] + '"'
        return None if tag == known else Answer(told, 200, {"etag": tag})

    found = await session.call.until(look)
    return Answer(None, 304, {"etag": known}) if found is None else found


async def _verdict(session: Session) -> bodies.VerdictTold:
    async with session.call.database.transaction() as connection:
        row = await session.row(connection)
        latest = None if row.pull_key is None else await decisions.latest(connection, row.pull_key)
    verdict = None if latest is None else latest.verdict
    return bodies.VerdictTold(
        state=row.state,
        pull_request=row.pull_number,
        head=None if latest is None else latest.head_sha,
        evidence=None if verdict is None else _judged(verdict["evidence"]),
        review=None if verdict is None else _judged(verdict["review"]),
        next=next_of(row),
    )


def _judged(node: Mapping[str, Any]) -> bodies.Judged:
    found = [_found(one) for one in _findings(node) if one["status"] not in SETTLED]
    reason = clean(str(node["reason"]), LONGEST_REASON)
    return bodies.Judged(status=node["status"], reason=reason, findings=found[:MOST_FINDINGS])


def _findings(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Those of the stored tree's leaves, in their order."""
    if node.get("finding") is not None:
        yield node["finding"]
    for child in node.get("children") or ():
        yield from _findings(child)


def _found(finding: Mapping[str, Any]) -> bodies.Found:
    fix = finding.get("fix") or {}
    return bodies.Found(
        check=finding["check"],
        status=finding["status"],
        reason=clean(str(finding["reason"]), LONGEST_REASON),
        fix=None if fix.get("text") is None else clean(str(fix["text"]), LONGEST_REASON),
        action=fix.get("action"),
    )


async def read_limits(session: Session) -> Answer:
    """Raises Refused, DatabaseAway, GitHub's errors."""
    grant, call = session.grant, session.call
    try:
        seen = await call.parts.places.find(grant.owner, grant.repository)
    except CannotOpen as cannot:
        raise Refused(409, f"{cannot}.", "Ask whoever runs the gate.") from None
    async with call.database.transaction() as connection:
        row = await session.row(connection)
        held = await snapshots.newest(connection, *session.own)
        used = await used_by(connection, seen.place, row.number)
        run = await runs.of_session(connection, grant.session)
    limits = limits_for(seen.place, row, None if held is None else held.form)
    told = bodies.LimitsTold(
        limits=_of(limits),
        used=bodies.Left(minutes=int(used.minutes), attempts=used.attempts, cost=str(dollars(used.cost))),
        left=_of(left(limits, used)),
        cost_kind="soft" if run is None else run.cost_kind,
        expires_at=grant.expires_at,
    )
    return Answer(told.model_dump(mode="json"))


def _of(limits: Limits) -> bodies.Left:
    return bodies.Left(minutes=limits.minutes, attempts=limits.attempts, cost=str(dollars(limits.cost)))
