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
class Came:
    """What came of a write, what was made, and the body of the answer to the agent."""

    outcome: ledger.Outcome
    made: Made
    body: bytes


@dataclass(frozen=True, slots=True)
class _Write:
    """`name` as in the ledger; `send` gives GitHub's answer, `read` what came of it."""

    name: str
    makes: Makes | None
    looks: tuple[Look, ...]
    number: int | None
    refused: int  # the status of refusals
    send: Callable[[Found | None], Awaitable[Answered]]
    read: Callable[[Answered], Came]


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

        def read(answered: Answered) -> Came:
            return _rest_came(asked.route.makes, answered)

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

        def read(answered: Answered) -> Came:
            return _graph_came(asked, answered)

        name = f"GraphQL {asked.name}"
        await self._noted(call, _Write(name, asked.mutation.makes, asked.looks, None, 200, send, read))

    async def _noted(self, call: Call, write: _Write) -> None:
        found = await self._found(call.grant, write)
        recent = await ledger.written(self._database, call.grant.session, self._limits.writes * 2)
        too_many = too_many_writes(self._limits, recent, write.makes == "comment", datetime.now(UTC))
        if too_many is not None:
            raise NotDone(too_many.denied)
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
        came = Came("unknown", Made(), b"")
        try:
            answered = await write.send(found)
            came = write.read(answered)
        except Failed:
            came = Came("failed", Made(), b"")
            raise
        except NotDone as wrong:
            came = Came("unknown" if wrong.may_have_happened else "failed", Made(), b"")
            raise _perhaps(wrong) if wrong.may_have_happened else wrong from None
        finally:
            call.flight.entry = None
            await self._end(entry, came, found.number if found else write.number)
        await whole(call.send, answered[0], answered[1], came.body, call.addresses)

    async def _end(self, entry: int, came: Came, number: int | None) -> None:
        made = came.made
        known = made.number or number
        ending = ledger.end(
            self._database, entry, came.outcome, number=known, object_id=made.object_id, node_id=made.node_id
        )
        try:
            await asyncio.shield(ending)
        except DatabaseAway:
            # The entry lapses and reads as unknown: the comment stays, but cannot be edited through the proxy.
            log.warning("the end of a write could not be noted", entry=entry, outcome=came.outcome)


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


def _rest_came(makes: Makes | None, answered: Answered) -> Came:
    status, _, raw = answered
    if status not in (200, 201):
        return Came("failed", Made(), raw)
    answer = _object(raw)
    if makes == "pull":
        return Came("done", Made(number=_number(answer, "number"), node_id=_text(answer, "node_id")), raw)
    if makes == "comment":
        return Came("done", Made(object_id=_number(answer, "id"), node_id=_text(answer, "node_id")), raw)
    return Came("done", Made(), raw)


def _graph_came(asked: Change, answered: Answered) -> Came:
    """The answer is without what was asked for beside the agent's own selection."""
    answer = _object(answered[2])
    data = answer.get("data")
    payload = data.get(asked.answer_key) if isinstance(data, dict) else None
    if not isinstance(payload, dict):
        # GitHub says why it did not do it; what says neither is no answer of GitHub's.
        refused = answered[0] != 200 or isinstance(answer.get("errors"), list)
        return Came("failed" if refused else "unknown", Made(), answered[2])
    asked_for = payload.pop(ALIAS, None) or {}
    return Came("done", _graph_made(asked.mutation.makes, asked_for), json.dumps(answer).encode("ascii"))


def _graph_made(makes: Makes | None, asked_for: Mapping[str, Any]) -> Made:
    if makes == "pull":
        return Made(number=_number(asked_for, "number"), node_id=_text(asked_for, "id"))
    if makes == "comment":
        node = asked_for.get("node") or {}
        return Made(object_id=_number(node, "fullDatabaseId"), node_id=_text(node, "id"))
    return Made()


def _object(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _number(answer: Mapping[str, Any], name: str) -> int | None:
    """A number, or the text of one: GraphQL writes those of more than 32 bits so."""
    value = answer.get(name)
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return value if isinstance(value, int) else None


def _text(answer: Mapping[str, Any], name: str) -> str | None:
    value = answer.get(name)
    return value if isinstance(value, str) else None
