"""The proxy as an ASGI application: who asks, what for, whether it is theirs; then the route's own module."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import structlog
from prometheus_client import Counter

from app.proxy import sessions
from app.proxy.authorize import policy
from app.proxy.fetching import Fetching
from app.proxy.flights import Stopped
from app.proxy.grant import Grant, Right
from app.proxy.incoming import (
    Answering,
    Application,
    BadRequest,
    BodyFailed,
    Incoming,
    Receive,
    Scope,
    Send,
    answer,
    let_in,
    token_of,
)
from app.proxy.others import CHALLENGE, NO_TOKEN
from app.proxy.pushing import Pushing
from app.proxy.recent import RecentGrants
from app.proxy.refusal import Refusal
from app.proxy.target import BadTarget, Endpoint, NoSuchTarget, Target, is_git, read_target
from app.store.database import DatabaseAway

if TYPE_CHECKING:
    from app.proxy.lfs import Lfs
    from app.proxy.watched import Watched

log = structlog.get_logger(__name__)

NOTHING_HERE = b"mergegate: there is no such repository here, or this session may not use it\n"
NO_DATABASE = Refusal("The proxy cannot reach its database", "Nothing is wrong with the session", True)
ANSWERS = Counter("mergegate_proxy_answers", "Answers to agents, for git and for the APIs", ["of", "status"])
MAY_PUSH = frozenset((Right.PUSH, Right.FORCE, Right.DELETE))


class Proxy:
    """`others` answers all but git: the slice of GitHub's API, sessions and health; `lfs` gives what serves LFS."""

    def __init__(
        self, watched: Watched, fetching: Fetching, pushing: Pushing, lfs: Callable[[], Lfs], others: Application
    ) -> None:
        self.watched = watched
        self._database = watched.database
        self._fetching = fetching
        self._pushing = pushing
        self._lfs = lfs
        self._others = others
        self._recent = RecentGrants()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answering = Answering(send)
        try:
            await self._answered(scope, receive, answering)
        finally:
            of = "git" if is_git(scope["raw_path"]) else "api"
            ANSWERS.labels(of, answering.status or "none").inc()

    async def _answered(self, scope: Scope, receive: Receive, answering: Answering) -> None:
        try:
            await self._answer(scope, receive, answering)
        except BadRequest as bad:
            await _refuse(answering, bad.status, f"mergegate: {bad}\n".encode(), close=True)
        except BodyFailed as failed:
            if not failed.gone:
                await _refuse(answering, 408, f"mergegate: {failed}\n".encode(), close=True)
        except Stopped as stopped:
            await _refuse(answering, 403, f"mergegate: {stopped}\n".encode(), close=True)
        except DatabaseAway:
            await _refuse(answering, 503, _line(NO_DATABASE), headers={"retry-after": "5"})

    async def _answer(self, scope: Scope, receive: Receive, send: Answering) -> None:
        incoming = let_in(scope)
        if not is_git(incoming.raw_path):
            await self._others(scope, receive, send)
            return
        try:
            target = read_target(incoming.method, incoming.raw_path, incoming.query)
        except BadTarget as bad:
            raise BadRequest(str(bad)) from None
        except NoSuchTarget:
            target = None
        grant = await self._grant(incoming, target, send)
        if grant is None:
            return
        if target is None or not _granted(grant, target):
            await answer(send, 404, NOTHING_HERE)
            return
        if target.endpoint is Endpoint.LFS_BATCH:
            await self._lfs().batch(incoming, scope["scheme"], grant, receive, send)
            return
        await self._routed(target, incoming, grant, receive, send)

    async def _routed(
        self, target: Target, incoming: Incoming, grant: Grant, receive: Receive, send: Answering
    ) -> None:
        match target.endpoint:
            case Endpoint.UPLOAD_ADVERTISEMENT:
                await self._fetching.advertise(incoming, grant, receive, send)
            case Endpoint.UPLOAD_PACK:
                await self._fetching.fetch(incoming, grant, receive, send)
            case Endpoint.RECEIVE_ADVERTISEMENT:
                await self._receive_advertisement(incoming, grant, receive, send)
            case Endpoint.RECEIVE_PACK:
                await self._pushing.push(incoming, grant, receive, send)
            case Endpoint.LFS_OBJECT:
                await self._lfs().download(target, grant, receive, send)

    async def _receive_advertisement(self, incoming: Incoming, grant: Grant, receive: Receive, send: Answering) -> None:
        if grant.rights.isdisjoint(MAY_PUSH):
            refusal = Refusal(f"This session may not push. {policy(grant)}", "Ask for one that may push")
            await answer(send, 403, _line(refusal))
            return
        await self._fetching.advertise_pushing(incoming, grant, receive, send)

    async def _grant(self, incoming: Incoming, target: Target | None, send: Send) -> Grant | None:
        """The grant of the token that came, or None when the answer has been given. Raises DatabaseAway."""
        token = token_of(incoming)
        found = NO_TOKEN if token is None else await self._found(token.get_secret_value(), target)
        if isinstance(found, Grant):
            return found
        if token is not None and incoming.text(b"authorization").partition(" ")[0].lower() != "basic":
            # To a 401 git would ask for a password, find nobody to ask, and say only that.
            await answer(send, 403, _line(found))
        else:
            await answer(send, 401, _line(found), headers=CHALLENGE)
        return None

    async def _found(self, token: str, target: Target | None) -> Grant | Refusal:
        endpoint = None if target is None else target.endpoint
        if endpoint is Endpoint.RECEIVE_PACK and (recent := self._recent.get(token)) is not None:
            return recent
        found = await sessions.find(self._database, token)
        if endpoint is Endpoint.RECEIVE_ADVERTISEMENT and isinstance(found, Grant):
            self._recent.keep(token, found)
        return found


async def _refuse(answering: Answering, status: int, body: bytes, **more: Any) -> None:
    if not answering.begun:
        await answer(answering, status, body, **more)


def _granted(grant: Grant, target: Target) -> bool:
    """GitHub's names have no case, as its addresses do not either."""
    return (grant.owner.lower(), grant.repository.lower()) == (target.owner.lower(), target.repository.lower())


def _line(refusal: Refusal) -> bytes:
    return f"mergegate: {refusal.sentence}\n".encode()
