"""What an operator's programs do by HTTP: open, list, show, extend, freeze and stop sessions.

It has a token of its own, from the settings, and two while that is changed; without one it is not there at all.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Literal, TypeVar

import re2
from pydantic import ConfigDict, Field, ValidationError

from app.github.clients import GitHubApp
from app.json_model import JsonModel
from app.proxy import sessions
from app.proxy.describing import described, json_answer
from app.proxy.grant import Right
from app.proxy.incoming import BadRequest, Body, Incoming, Receive, Send, token_of
from app.proxy.opening import Asked, opened
from app.proxy.sessions import DEFAULT_RIGHTS, FEWEST_HOURS, CannotOpen
from app.proxy.stopping import stop
from app.secret import SecretStr
from app.store.database import Database

MOST_ASKED = 16 * 1024  # bytes
PATIENCE = 45.0  # seconds that a stop is waited for
_PATH = re2.compile(r"/operator/sessions(?:/([1-9][0-9]{0,17}))?")
_REPOSITORY = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}$"
_Model = TypeVar("_Model", bound=JsonModel)
Hours = Annotated[float, Field(ge=FEWEST_HOURS, le=168)]
Line = Annotated[str, Field(min_length=1, max_length=500)]


class _Asked(JsonModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Opening(_Asked):
    """Body of `POST /operator/sessions`."""

    repository: Annotated[str, Field(pattern=_REPOSITORY)]
    branch: Line
    agent: Line = "agent"
    opened_by: Line = "operator"
    base: Line | None = None
    ticket: Annotated[int, Field(gt=0)] | None = None
    operator: Line | None = None
    rights: list[Right] | None = None
    hours: Hours = 8


class Change(_Asked):
    """Body of `PATCH /operator/sessions/{id}`: any of them. `frozen` is the reason, or false to let it write again."""

    hours: Hours | None = None
    frozen: Line | Literal[False] | None = None
    say: Line | None = None


class Ending(_Asked):
    """Body of `DELETE /operator/sessions/{id}`, which may be left out."""

    because: Line = "its operator stopped it"


class OperatorApi:
    def __init__(
        self, database: Database, courier: GitHubApp, presets: Mapping[str, str], tokens: Sequence[SecretStr]
    ) -> None:
        self._database = database
        self._courier = courier
        self._presets = presets
        self._tokens = tokens

    async def __call__(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        """Raises BodyFailed and DatabaseAway."""
        path = incoming.raw_path.decode("latin-1")
        found = _PATH.fullmatch(path) if path.isascii() else None
        if not self._tokens or not found:
            await json_answer(send, 404, {"message": "Not Found"})
            return
        if not self._is_operator(incoming):
            await json_answer(send, 401, {"message": "This needs the operator's token (MERGEGATE_OPERATOR_TOKEN)."})
            return
        raw = await Body(receive, MOST_ASKED).whole()
        try:
            await self._answer(incoming, found[1], raw, send)
        except BadRequest as bad:
            await json_answer(send, bad.status, {"message": str(bad)})

    async def _answer(self, incoming: Incoming, number_given: str | None, raw: bytes, send: Send) -> None:
        match (incoming.method, number_given):
            case ("POST", None):
                await self._open(raw, send)
            case ("GET", None):
                await self._list(incoming.query == b"all=1", send)
            case ("GET", str(number)):
                await self._show(int(number), send)
            case ("PATCH", str(number)):
                await self._change(int(number), raw, send)
            case ("DELETE", str(number)):
                await self._stop(int(number), raw, send)
            case _:
                await json_answer(send, 405, {"message": "POST or GET sessions; GET, PATCH or DELETE one of them."})

    def _is_operator(self, incoming: Incoming) -> bool:
        given = token_of(incoming)
        if given is None:
            return False
        theirs, good = _digest(given), False
        for token in self._tokens:
            good |= hmac.compare_digest(_digest(token), theirs)
        return good

    async def _list(self, every: bool, send: Send) -> None:
        found = await sessions.listed(self._database, every=every)
        await json_answer(send, 200, [await described(self._database, one.grant) for one in found])

    async def _open(self, raw: bytes, send: Send) -> None:
        given = _read(Opening, raw)
        owner, _, name = given.repository.partition("/")
        asked = Asked(
            owner=owner,
            repository=name,
            branch=given.branch,
            agent=given.agent,
            opened_by=given.opened_by,
            base=given.base,
            ticket=given.ticket,
            operator=given.operator,
            rights=DEFAULT_RIGHTS if given.rights is None else frozenset(given.rights),
            lasts=timedelta(hours=given.hours),
        )
        try:
            token, grant = await opened(self._database, self._courier, self._presets, asked)
        except CannotOpen as cannot:
            await json_answer(send, 422, {"message": str(cannot)})
            return
        await json_answer(send, 201, await described(self._database, grant) | {"token": token.get_secret_value()})

    async def _show(self, number: int, send: Send) -> None:
        found = await sessions.session(self._database, number)
        if found is None:
            await json_answer(send, 404, {"message": "There is no such session."})
            return
        await json_answer(send, 200, await described(self._database, found.grant))

    async def _change(self, number: int, raw: bytes, send: Send) -> None:
        change, done = _read(Change, raw), True
        if change.hours is not None:
            done &= await sessions.extend(self._database, number, timedelta(hours=change.hours)) is not None
        if change.frozen:
            done &= await sessions.freeze(self._database, number, change.frozen)
        elif change.frozen is False:
            done &= await sessions.thaw(self._database, number)
        if done and change.say is not None and await sessions.session(self._database, number) is not None:
            await sessions.say(self._database, number, change.say)
        if not done:
            await json_answer(send, 409, {"message": "The session is not live; open another one."})
            return
        await self._show(number, send)

    async def _stop(self, number: int, raw: bytes, send: Send) -> None:
        """200 only when the stop is confirmed; 202 when the session has ended, but something may still be under way."""
        ending = _read(Ending, raw or b"{}")
        stopped = await stop(self._database, self._courier, number, ending.because, patience=PATIENCE)
        if stopped is None:
            await json_answer(send, 404, {"message": "There is no such session."})
            return
        said = {"message": stopped.sentence, "confirmed": stopped.confirmed, "oid": stopped.oid}
        await json_answer(send, 200 if stopped.confirmed else 202, said)


def _digest(token: SecretStr) -> bytes:
    """Of one length, so that a comparison tells nothing of the token's."""
    return hashlib.sha256(token.get_secret_value().encode("utf-8", "surrogatepass")).digest()


def _read(model: type[_Model], raw: bytes) -> _Model:
    try:
        return model.model_validate_json(raw)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the body"
        raise BadRequest(f"{where}: {first['msg']}", 422) from None
