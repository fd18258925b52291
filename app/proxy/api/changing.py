"""What a session writes: looked up, counted and noted in the ledger before it is sent; what it made is noted after."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog

from app.github.addresses import graphql_url
from app.proxy import ledger
from app.proxy.api.answering import whole
from app.proxy.api.asking import Asking
from app.proxy.api.call import Call
from app.proxy.api.denied import Denied, NotDone
from app.proxy.api.graph import Change
from app.proxy.api.limits import Limits, too_many_writes
from app.proxy.api.looks import Look
from app.proxy.api.mutations import ALIAS
from app.proxy.api.reading import rest_url
from app.proxy.api.rest import Forward
from app.proxy.api.routes import Makes, Permissions
from app.proxy.api.subjects import Found, Subjects
from app.proxy.git_service import Failed
from app.proxy.grant import Grant
from app.proxy.refusal import Refusal
from app.store.database import Database, DatabaseAway

log = structlog.get_logger(__name__)

Answered = tuple[int, Mapping[str, str], bytes]
TALKING: Mapping[str, Permissions] = {"issue": {"issues": "write"}, "pull": {"pull_requests": "write"}}
_PERHAPS = "Look whether it is there before trying again"


@dataclass(frozen=True, slots=True)
class Made:
    """What GitHub says that it made."""

    number: int | None = None
    object_id: int | None = None
    node_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Write:
    """`name` as in the ledger; `send` gives GitHub's answer, `read` what it made, None when it made nothing."""

    name: str
    makes: Makes | None
    looks: tuple[Look, ...]
    number: int | None
    refused: int  # the status of refusals
    send: Callable[[Found | None], Awaitable[Answered]]
    read: Callable[[Answered], tuple[Made | None, bytes]]


class Changing:
    """Every method may raise NotDone, Failed, DatabaseAway."""

    def __init__(self, database: Database, asking: Asking, subjects: Subjects, limits: Limits) -> None:
        self._database = database
        self._asking = asking
        self._subjects = subjects
        self._limits = limits

    async def rest(self, call: Call, asked: Forward) -> None:
        """POST or PATCH of an allowed route."""
        body = json.dumps(asked.body).encode("ascii")
        headers = {**call.headers(), "Content-Type": "application/json"}
        url = rest_url(self._asking.api_url, asked)

        async def send(found: Found | None) -> Answered:
            permissions = asked.route.permissions or _talking(call.grant, found, asked.number)
            return await self._asking.write(call.grant, permissions, asked.route.method, url, headers, body)

        def read(answered: Answered) -> tuple[Made | None, bytes]:
            return _rest_made(asked.route.makes, answered), answered[2]

        write = _Write(asked.route.name, asked.route.makes, asked.looks, asked.number, 403, send, read)
        await self._noted(call, write)

    async def graphql(self, call: Call, asked: Change) -> None:
        """A mutation."""
        body = json.dumps({"query": asked.document}).encode("ascii")
        headers = {**call.headers(), "Content-Type": "application/json"}
        url = graphql_url(self._asking.api_url)

        async def send(found: Found | None) -> Answered:
            permissions = asked.mutation.permissions or _talking(call.grant, found, None)
            return await self._asking.write(call.grant, permissions, "POST", lambda _: url, headers, body)

        def read(answered: Answered) -> tuple[Made | None, bytes]:
            return _graph_made(asked, answered)

        name = f"GraphQL {asked.name}"
        await self._noted(call, _Write(name, asked.mutation.makes, asked.looks, None, 200, send, read))

    async def _noted(self, call: Call, write: _Write) -> None:
        found = await self._found(call.grant, write)
        recent = await ledger.of_session(self._database, call.grant.session, self._limits.writes * 2)
        too_many = too_many_writes(self._limits, recent, write.makes == "comment", datetime.now(UTC))
        if too_many is not None:
            raise NotDone(too_many)
        entry = await ledger.begin(self._database, call.grant, write.name)
        if isinstance(entry, Refusal):
            raise NotDone(Denied(write.refused, entry))
        call.flight.entry = entry
        call.flight.sent = True  # what is this short cannot be taken back; a stop waits for it
        await self._sent(call, write, entry, found)

    async def _found(self, grant: Grant, write: _Write) -> Found | None:
        """The issue or pull request that is written to."""
        first = None
        for look in write.looks:
            found = await self._subjects.look(grant, look)
            if isinstance(found, Refusal):
                raise NotDone(Denied(write.refused, found))
            first = first or found
        return first

    async def _sent(self, call: Call, write: _Write, entry: int, found: Found | None) -> None:
        outcome: ledger.Outcome = "unknown"
        made = None
        try:
            answered = await write.send(found)
            made, body = write.read(answered)
            outcome = "failed" if made is None else "done"
        except Failed:
            outcome = "failed"
            raise
        except NotDone as wrong:
            outcome = "unknown" if wrong.may_have_happened else "failed"
            raise _perhaps(wrong) if wrong.may_have_happened else wrong from None
        finally:
            call.flight.entry = None
            await self._end(entry, outcome, made or Made(), found.number if found else write.number)
        status, headers, _ = answered
        await whole(call.send, status, headers, body, call.addresses)

    async def _end(self, entry: int, outcome: ledger.Outcome, made: Made, number: int | None) -> None:
        number = made.number or number
        ending = ledger.end(
            self._database, entry, outcome, number=number, object_id=made.object_id, node_id=made.node_id
        )
        try:
            await asyncio.shield(ending)
        except DatabaseAway:
            # The entry lapses and reads as unknown: the comment stays, but cannot be edited through the proxy.
            log.warning("the end of a write could not be noted", entry=entry, outcome=outcome)


def _talking(grant: Grant, found: Found | None, number: int | None) -> Permissions:
    """Comments on issues and on pull requests have a permission each. Only the ticket needs no looking up."""
    assert found is not None or number == grant.ticket
    return TALKING["issue" if found is None else found.kind]


def _perhaps(wrong: NotDone) -> NotDone:
    """GitHub may have done it: trying again could do it twice."""
    refusal = wrong.denied.refusal
    because = "GitHub did not answer" if refusal is None else refusal.because
    refusal = Refusal(f"{because}; it may have been done all the same", _PERHAPS, retry=True)
    return NotDone(Denied(wrong.denied.status, refusal), may_have_happened=True)


def _rest_made(makes: Makes | None, answered: Answered) -> Made | None:
    status, _, raw = answered
    if status not in (200, 201):
        return None
    answer = _object(raw)
    if makes == "pull":
        return Made(number=_number(answer, "number"), node_id=_text(answer, "node_id"))
    if makes == "comment":
        return Made(object_id=_number(answer, "id"), node_id=_text(answer, "node_id"))
    return Made()


def _graph_made(asked: Change, answered: Answered) -> tuple[Made | None, bytes]:
    """What was made, and the answer without what was asked for beside the agent's own selection."""
    answer = _object(answered[2])
    data = answer.get("data")
    payload = data.get(asked.answer_key) if isinstance(data, dict) else None
    if answered[0] != 200 or not isinstance(payload, dict):
        return None, answered[2]
    asked_for = payload.pop(ALIAS, None) or {}
    if asked.mutation.makes == "pull":
        made = Made(number=_number(asked_for, "number"), node_id=_text(asked_for, "id"))
    elif asked.mutation.makes == "comment":
        node = asked_for.get("node") or {}
        made = Made(object_id=_number(node, "databaseId"), node_id=_text(node, "id"))
    else:
        made = Made()
    return made, json.dumps(answer).encode("ascii")


def _object(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _number(answer: Mapping[str, Any], name: str) -> int | None:
    value = answer.get(name)
    return value if isinstance(value, int) else None


def _text(answer: Mapping[str, Any], name: str) -> str | None:
    value = answer.get(name)
    return value if isinstance(value, str) else None
