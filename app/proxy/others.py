"""What the proxy answers beside git: health, a session's description, operators, agents, and the API's slice."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from app.proxy import sessions
from app.proxy.describing import described, json_answer
from app.proxy.health import Health
from app.proxy.incoming import Application, Incoming, Receive, Scope, Send, let_in, token_of
from app.proxy.managing import Managing
from app.proxy.refusal import Refusal
from app.store.database import Database, DatabaseAway

log = structlog.get_logger(__name__)

CHALLENGE = {"www-authenticate": 'Basic realm="Mergegate", charset="UTF-8"'}
NO_TOKEN = Refusal(
    "Mergegate needs a session token", "Give it as the password of any user, or as a bearer token, and ask again"
)


def _is_of_agents(path: bytes) -> bool:
    """What a session says and asks about its ticket; the exchange, below the same path, makes sessions."""
    return path.startswith(b"/session/") and path != b"/session/exchange"


class Others:
    """`api` gives what answers everything else: the slice of GitHub's API."""

    def __init__(self, database: Database, health: Health, managing: Managing, api: Callable[[], Application]) -> None:
        self._database = database
        self._managing = managing
        self._health = health
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        incoming = let_in(scope)
        if incoming.raw_path.startswith(b"/operator/"):
            await self._managing.operate(incoming, receive, send)
            return
        if incoming.raw_path.startswith(b"/agent/") or _is_of_agents(incoming.raw_path):
            await self._managing.agent(incoming, receive, send)
            return
        match (incoming.method, incoming.raw_path):
            case ("GET", b"/healthz"):
                await self._healthz(send)
            case ("GET", b"/session"):
                await self._session(incoming, send)
            case ("POST", b"/session/exchange"):
                await self._managing.exchange(incoming, receive, send)
            case _:
                await self._api()(scope, receive, send)

    async def _healthz(self, send: Send) -> None:
        """200 while the database answers; fetching and pushing are told apart."""
        try:
            await self._database.query("select 1")
        except DatabaseAway as away:
            # Anybody may ask; where the database is and as whom it is asked is for those who run it.
            log.warning("the database is away", because=str(away))
            await json_answer(send, 503, {"status": "database away"})
            return
        await json_answer(send, 200, {"status": "ok", **self._health.as_json()})

    async def _session(self, incoming: Incoming, send: Send) -> None:
        """What the holder of a token may do, in the words of refusals."""
        token = token_of(incoming)
        found = NO_TOKEN if token is None else await sessions.find(self._database, token.get_secret_value())
        if isinstance(found, Refusal):
            await json_answer(send, 401, {"message": found.sentence}, CHALLENGE)
            return
        await json_answer(send, 200, await described(self._database, found))
