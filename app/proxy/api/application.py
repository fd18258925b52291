"""The API slice as an ASGI application: who asks, whether it is theirs, what must be looked up, then GitHub."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import re2

from app.proxy import sessions
from app.proxy.api import graph, rest
from app.proxy.api.answering import deny, say
from app.proxy.api.asking import Asking
from app.proxy.api.bodies import BODY_BYTES, read_object
from app.proxy.api.call import Call
from app.proxy.api.changing import Changing
from app.proxy.api.denied import Denied, NotDone
from app.proxy.api.limits import Limits, Requests
from app.proxy.api.reading import Reading
from app.proxy.api.rewriting import Addresses, api_base
from app.proxy.api.subjects import Subjects
from app.proxy.api.target import Target, read_target
from app.proxy.flights import Flights, Stopped
from app.proxy.git_service import Failed, GitService
from app.proxy.grant import Grant
from app.proxy.incoming import Answering, BadRequest, Body, BodyFailed, Incoming, Receive, Scope, Send, let_in, token_of
from app.proxy.others import NO_TOKEN
from app.proxy.refusal import Refusal
from app.store.database import Database, DatabaseAway

METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
OVERRIDES = (b"x-http-method-override", b"x-http-method", b"x-method-override")
BODY_SECONDS = 30.0
_JSON = re2.compile(r"(?i)application/(?:[a-z0-9.+-]{1,60}\+)?json(?:; ?charset=utf-?8)?")
_NOT_NOW = Refusal("The proxy cannot reach its database", "Nothing is wrong with the session", retry=True)


class Api:
    """`now` is a clock in seconds that does not go back."""

    def __init__(
        self,
        database: Database,
        service: GitService,
        flights: Flights,
        limits: Limits | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        limits = limits or Limits()
        asking = Asking(service)
        subjects = Subjects(database, asking)
        self._database = database
        self._flights = flights
        self._requests = Requests(limits)
        self._now = now
        self._api_url = service.upstream.api_url
        self._reading = Reading(asking, subjects)
        self._changing = Changing(database, asking, subjects, limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers every request but those whose client has gone."""
        answering = Answering(send)
        wrong: Denied
        try:
            await self._answered(scope, receive, answering)
            return
        except NotDone as not_done:
            wrong = not_done.denied
        except Failed as failed:
            wrong = Denied(503 if failed.refusal.retry else 502, failed.refusal)
        except BadRequest as bad:
            wrong = Denied(bad.status, Refusal(f"The request is not taken: {bad}", "Send it in its usual form"))
        except DatabaseAway:
            wrong = Denied(503, _NOT_NOW, retry_after=5)
        except Stopped as stopped:
            wrong = Denied(403, Refusal(f"This was ended: {stopped}", sessions.OPEN_ANOTHER))
        # Out here, because an error's own context may hold a request with its headers.
        if not answering.begun:
            is_graphql = scope["raw_path"] in (b"/graphql", b"/api/graphql")
            await deny(answering, wrong, f"{_root(scope)}/session", graphql=is_graphql)

    async def _answered(self, scope: Scope, receive: Receive, send: Answering) -> None:
        incoming = let_in(scope)
        grant = await self._grant(incoming)
        too_many = self._requests.take(grant.session, self._now())
        if too_many is not None:
            raise NotDone(too_many.denied)
        target = _target(incoming)
        ours = api_base(scope["scheme"], incoming.text(b"host"), incoming.raw_path)
        if ours is None:
            raise BadRequest("the header Host is no host")
        addresses = Addresses(self._api_url, ours, grant)
        async with self._flights.flight(grant) as flight:
            raw = await _body(incoming, receive)
            call = Call(incoming, grant, flight, send, addresses)
            await (self._graphql(call, raw) if target.kind == "graphql" else self._rest(call, target, raw))

    async def _grant(self, incoming: Incoming) -> Grant:
        token = token_of(incoming)
        found = NO_TOKEN if token is None else await sessions.find(self._database, token.get_secret_value())
        if isinstance(found, Refusal):
            raise NotDone(Denied(401, found))
        return found

    async def _rest(self, call: Call, target: Target, raw: bytes) -> None:
        match rest.decide(call.grant, call.incoming.method, target, raw):
            case Denied() as denied:
                raise NotDone(denied)
            case rest.Local(body):
                await say(call.send, body)
            case rest.Forward() as asked if asked.route.writes:
                await self._changing.rest(call, asked)
            case rest.Forward() as asked:
                await self._reading.rest(call, asked)

    async def _graphql(self, call: Call, raw: bytes) -> None:
        if call.incoming.method != "POST" or call.incoming.query:
            raise NotDone(Denied(404, None))
        body = read_object(raw)
        if isinstance(body, Refusal):
            raise NotDone(Denied(400, body))
        match graph.decide(call.grant, body):
            case Denied() as denied:
                raise NotDone(denied)
            case rest.Local(answer):
                await say(call.send, answer)
            case graph.Query() as asked:
                await self._reading.graphql(call, asked)
            case graph.Change() as asked:
                await self._changing.graphql(call, asked)


def _target(incoming: Incoming) -> Target:
    """Raises NotDone."""
    if incoming.method not in METHODS:
        raise NotDone(Denied(404, None))
    if any(name in incoming.headers for name in OVERRIDES):
        raise BadRequest("a header asks for another method")
    target = read_target(incoming.raw_path, incoming.query)
    if isinstance(target, Refusal):
        raise NotDone(Denied(400, target))
    return target


async def _body(incoming: Incoming, receive: Receive) -> bytes:
    """The whole body. Raises NotDone, BadRequest, BodyFailed."""
    raw = bytearray()
    body = Body(receive, BODY_BYTES)
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while data := await body.chunk():
                raw += data
    except TimeoutError:
        raise BadRequest(f"the body did not come in {BODY_SECONDS:g} seconds", 408) from None
    except BodyFailed as failed:
        if failed.gone:
            raise
        raise BadRequest(str(failed), 413) from None
    if raw and incoming.text(b"content-encoding") not in ("", "identity"):
        raise BadRequest("the body is compressed", 415)
    if raw and _JSON.fullmatch(incoming.text(b"content-type")) is None:
        raise BadRequest("the body's type is not application/json", 415)
    return bytes(raw)


def _root(scope: Scope) -> str:
    """The proxy's address as whoever asked has it; empty where the Host is none."""
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    return api_base(scope["scheme"], host, b"/") or ""
