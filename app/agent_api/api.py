"""Serving the agents' API: the route, who asks, how often, the body, then the route's own function; errors as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from collections.abc import AsyncIterator, Callable

import structlog
from pydantic import BaseModel, ValidationError

from app.agent_api.buckets import Buckets
from app.agent_api.call import Answer, Call, ClientGone, Parts, Refused, session_of
from app.agent_api.openapi import document
from app.agent_api.proving import proven
from app.agent_api.routes import BY_NAME, MOST_WAIT, PATHS, Route
from app.agent_api.under_way import UnderWay
from app.github.errors import GitHubError
from app.proxy.describing import json_answer
from app.proxy.incoming import BadRequest, Body, BodyFailed, Incoming, Receive, Send, answer, token_of
from app.secret import SecretStr
from app.store.database import DatabaseAway

log = structlog.get_logger(__name__)

DOCUMENT = "/agent/openapi.json"
NO_TOKEN = Refused(
    401, "This needs a token.", "Give it as a bearer token: the session's, or for /agent/claim an enrolment's."
)
TEXT = ("text/plain", "application/yaml", "application/x-yaml", "text/yaml", "text/markdown", "application/json", "")


class AgentApi:
    """`now` is a clock in seconds that does not go back."""

    def __init__(self, parts: Parts, now: Callable[[], float] = time.monotonic) -> None:
        self._parts = parts
        self._sessions = Buckets(burst=60, rate=1)
        self._claims = Buckets(burst=300, rate=20)  # all machines of a pool may share one token
        self._under_way = UnderWay()
        self._now = now

    async def __call__(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        """Answers every request but those whose client has gone."""
        try:
            found = await self._answered(incoming, receive)
        except ClientGone:
            return
        except BodyFailed as failed:
            if failed.gone:
                return
            found = _no(Refused(413, f"The body is not taken: {failed}.", "Send less, and all of it."))
        except BadRequest as bad:
            found = _no(Refused(bad.status, f"The request is not taken: {bad}.", f"Look at {DOCUMENT}."))
        except Refused as no:
            found = _no(no)
        except DatabaseAway:
            found = _no(_later("The gate's database cannot be reached."))
        except GitHubError as wrong:
            log.warning("an agent's request needs GitHub", path=incoming.raw_path.decode("latin-1"), because=str(wrong))
            found = _no(_later("GitHub cannot be asked just now."))
        await _send(send, found)

    async def _answered(self, incoming: Incoming, receive: Receive) -> Answer:
        """Raises Refused and what serves the route raises."""
        path = incoming.raw_path.decode("latin-1")
        if path == DOCUMENT and incoming.method == "GET":
            return Answer(document())
        route = BY_NAME.get((incoming.method, path))
        if route is None:
            raise _nothing_there(path)
        token = token_of(incoming)
        if token is None:
            raise NO_TOKEN
        digest = hashlib.sha256(token.get_secret_value().encode("utf-8", "replace")).digest()
        self._take(route, digest)
        with self._under_way.one(digest, incoming.address, session=route.session):
            return await self._asked(route, token, incoming, receive)

    async def _asked(self, route: Route, token: SecretStr, incoming: Incoming, receive: Receive) -> Answer:
        # Before the body: whoever proves nothing does not keep a connection by sending it slowly.
        await proven(self._parts, token, session=route.session)
        body = Body(receive, route.most)
        raw = await body.whole()
        async with _until_gone(body) as gone:
            call = Call(self._parts, incoming, token, _wait(route, incoming.query), raw, gone)
            return await _served(route, call)

    def _take(self, route: Route, digest: bytes) -> None:
        """Raises Refused."""
        seconds = (self._sessions if route.session else self._claims).take(digest, self._now())
        if seconds:
            headers = {"retry-after": str(seconds)}
            raise Refused(429, "Too many requests of this token.", f"Go on in {seconds} seconds; let it wait.", headers)


async def _served(route: Route, call: Call) -> Answer:
    """Who asks is looked at before what they sent."""
    asker = await session_of(call) if route.session else call
    if route.takes is not None:
        return await route.serves(asker, _read(route.takes, call))
    if route.most:
        if call.incoming.text(b"content-type").partition(";")[0].strip().lower() not in TEXT:
            raise Refused(415, "The body's type is none that is read.", "Send it as application/yaml or text/plain.")
        return await route.serves(asker, call.raw)
    return await route.serves(asker)


def _read(model: type[BaseModel], call: Call) -> BaseModel:
    """Raises Refused with the first fault."""
    if call.raw and call.incoming.text(b"content-type").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "The body's type is not application/json.", "Send `Content-Type: application/json`.")
    try:
        return model.model_validate_json(call.raw or b"{}")
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the body"
        raise Refused(422, f"{where}: {first['msg']}.", f"Look at {DOCUMENT}.") from None


def _wait(route: Route, query: bytes) -> float:
    """Raises Refused for anything but a route's own `wait`."""
    if not query:
        return 0.0
    seconds = _seconds(query) if route.waits else None
    if seconds is None:
        words = f"`?wait=` with whole seconds, at most {MOST_WAIT}" if route.waits else "nothing"
        raise Refused(422, "The query is not understood.", f"Behind the path stands {words}.")
    return seconds


def _seconds(query: bytes) -> float | None:
    given = query.decode("latin-1").removeprefix("wait=")
    if not query.startswith(b"wait=") or not (given.isascii() and given.isdigit() and len(given) <= 3):
        return None
    return float(given) if int(given) <= MOST_WAIT else None


@contextlib.asynccontextmanager
async def _until_gone(body: Body) -> AsyncIterator[asyncio.Task[None]]:
    """A task that ends when the client goes away."""
    task = asyncio.create_task(body.gone())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _nothing_there(path: str) -> Refused:
    if path in PATHS:
        return Refused(405, "This path is asked in another way.", f"Look at {DOCUMENT}.")
    return Refused(404, "There is nothing here.", f"Look at {DOCUMENT}.")


def _later(message: str) -> Refused:
    return Refused(503, message, "Nothing is wrong with the request: try again in a few seconds.", {"retry-after": "5"})


def _no(refused: Refused) -> Answer:
    return Answer({"message": refused.message, "fix": refused.fix}, refused.status, refused.headers)


async def _send(send: Send, found: Answer) -> None:
    headers = dict(found.headers)
    if found.value is None:
        await answer(send, found.status, b"", headers=headers)
        return
    await json_answer(send, found.status, found.value, headers)
