"""Putting the proxy together: a database and the courier App become an application that serves while a block lasts."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ssl
from collections.abc import AsyncIterator, Collection, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from app.github.identity import AppIdentity
from app.proxy.api.limits import FETCHES, LFS_REQUESTS
from app.proxy.application import Proxy
from app.proxy.courier import Courier
from app.proxy.fetching import Fetching
from app.proxy.flights import Flights
from app.proxy.forward import Forward
from app.proxy.git_service import GitService
from app.proxy.health import Health
from app.proxy.late import Late
from app.proxy.managing import Managing
from app.proxy.minting import Minting
from app.proxy.others import Others
from app.proxy.pushing import LARGEST, Pushing
from app.proxy.upstream import Upstream
from app.proxy.watched import Watched
from app.secret import SecretStr
from app.store.database import Database

if TYPE_CHECKING:
    from app.config import LitellmSettings
    from app.proxy.api.application import Api
    from app.proxy.api.limits import Limits
    from app.proxy.lfs import Lfs

GIVING_BACK = 5.0  # seconds for giving tokens back when the process ends


@contextlib.asynccontextmanager
async def proxying(
    database: Database,
    identity: AppIdentity,
    verify: ssl.SSLContext | None = None,
    *,
    operator: Sequence[SecretStr] = (),
    issuers: Collection[str] = (),
    limits: Limits | None = None,
    largest: int = LARGEST,
    fetches: int = FETCHES,
    lfs_requests: int = LFS_REQUESTS,
    baseline: str | None = None,
    litellm: LitellmSettings | None = None,
) -> AsyncIterator[Proxy]:
    """The application while the block lasts. `identity` is the courier App's; `verify` is for a server of one's own.

    `operator` are the tokens of the operators' API, `issuers` are those whose identities may be exchanged for sessions.
    `limits` are of one session, `fetches` and `lfs_requests` too, in an hour. `largest` is the size of a push in
    bytes, `baseline` the text of the policy that every repository must meet, `litellm` the gateway that meters agents'
    calls of models.
    """
    async with contextlib.AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(Upstream(identity.api_url, verify))
        courier = Courier(Minting(identity, upstream), upstream.revoke)
        flights = Flights(database, courier)
        stack.push_async_callback(_given_back, courier, flights)
        await stack.enter_async_context(_watching(flights.watch()))
        health = Health()
        service = GitService(upstream, courier, health)
        await stack.enter_async_context(_watching(Late(database, Forward(database, service)).watch()))

        # Made when they are first asked for: GraphQL and the models of answers are memory that git alone does not need.
        @functools.cache
        def api() -> Api:
            from app.proxy.api.application import Api

            return Api(database, service, flights, limits)

        @functools.cache
        def lfs() -> Lfs:
            from app.proxy.lfs import Lfs

            return Lfs(service, flights, lfs_requests)

        managing = Managing(database, identity, upstream, verify, operator, issuers, baseline, api, litellm)
        stack.push_async_callback(managing.aclose)
        others = Others(database, health, managing, api)
        fetching = Fetching(service, flights, fetches)
        pushing = Pushing(database, service, flights, largest)
        yield Proxy(Watched(database, health, flights), fetching, pushing, lfs, others)


@contextlib.asynccontextmanager
async def _watching(watch: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(watch)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _given_back(courier: Courier, flights: Flights) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GIVING_BACK):
            await courier.aclose()
            await flights.settled()
