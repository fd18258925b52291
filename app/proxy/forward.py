"""Whether a push that was let through only added to its branch, and putting the branch back where it did not.

On the wire a forced push looks like any other: the old commit is simply not behind the new one. A small pack can prove
that it is; else GitHub is asked, after the push, before its success is passed on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import quote

import structlog

from app.github.addresses import graphql_url, route
from app.proxy import ledger, sessions
from app.proxy.ancestry import adds_to
from app.proxy.authorize import not_forward, not_known_forward
from app.proxy.courier import Credential
from app.proxy.git_service import READ, WRITE, Failed, GitService
from app.proxy.grant import Grant
from app.proxy.refusal import Refusal
from app.proxy.report import Answer, NoReport
from app.proxy.upstream import CHUNK, UpstreamDown
from app.proxy.wire import Command, packet
from app.store.database import Database, DatabaseAway

log = structlog.get_logger(__name__)

AT_ONCE = 16 * 1024  # bytes of a pack that are looked at in less time than a thread takes
MOST_ANSWERED = 4 * 1024 * 1024  # bytes
TRIES = 3  # at putting a branch back onto which the session goes on pushing
LOOKS = (0.5, 2.5)  # seconds after which GitHub has mostly ended what it had begun when a push broke off
LOGIN_HOLDS = 3600.0  # seconds; whoever owns the courier App may rename it
LOGIN_DOUBTED = 60.0  # seconds, where nothing that GitHub lists is the courier's
SKEW = timedelta(minutes=1)  # between GitHub's clock and the database's
AGENT = {"User-Agent": "git/mergegate"}
_FORWARD = ("ahead", "identical")
_UNKNOWN = (Failed, UpstreamDown, ValueError, KeyError, TypeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Moves:
    """Where a branch is (None: GitHub does not say), and GitHub's list of how it was moved, the newest first.

    `courier` is the login that the courier App has there.
    Source: https://docs.github.com/rest/repos/repos#list-repository-activities
    """

    tip: str | None
    rows: Sequence[Any] = ()
    courier: str = ""


class Forward:
    def __init__(self, database: Database, service: GitService, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._service = service
        self._clock = clock
        self._courier: str | None = None  # its login
        self._courier_asked = 0.0  # by the clock

    async def checked(self, grant: Grant, command: Command, pack: bytes, agent: Mapping[str, str]) -> Refusal | None:
        """None when the push that GitHub just took only added; else why not, after the branch was put back.

        `pack` is what is known of the pack's bytes, `agent` the headers of git's requests.
        """
        asked = (pack, command.old, command.new)
        proved = adds_to(*asked) if len(pack) <= AT_ONCE else await asyncio.to_thread(adds_to, *asked)
        if proved:
            return None
        word = await self._compared(grant, command.old, command.new)
        if word in _FORWARD:
            return None
        refusal = not_forward(grant) if word in ("behind", "diverged") else not_known_forward(grant)
        log.warning("a push is taken back", session=grant.session, because=word)
        await self._put_back(grant, command, agent, refusal)
        return refusal

    async def settled(self, grant: Grant, command: Command, began_at: datetime) -> Literal["failed", "unknown"]:
        """After a push of which nobody heard what became: what it did all the same is checked like any other.

        git begins when it has the whole pack, whether or not the request came to its end; so whoever breaks off the
        request behind the pack could else keep what a report would have shown. What GitHub does later than this is
        seen by `app.proxy.late`.
        """
        for wait in LOOKS:
            await asyncio.sleep(wait)
            moves = await self.moves(grant, [command.old])
            if (outcome := await self.arrived(grant, command, began_at, moves)) is not None:
                return outcome
        return "unknown"

    async def moves(self, grant: Grant, olds: Collection[str]) -> Moves:
        """Where the branch is and how it came there; that is not asked for while it is at the one of `olds`."""
        tip = await self._tip(grant)
        if tip is None or set(olds) == {tip}:
            return Moves(tip)
        try:
            query = f"?per_page=100&ref={quote(grant.branch, safe='')}"
            listed = await self._asked(grant, "/repos/{owner}/{name}/activity", query)
            rows = listed if isinstance(listed, list) else []
            return Moves(tip, rows, await self._own_login(grant, rows))
        except _UNKNOWN as wrong:
            log.warning("who moved a branch cannot be read", session=grant.session, because=type(wrong).__name__)
            return Moves(tip)

    async def arrived(
        self, grant: Grant, command: Command, began_at: datetime, moves: Moves
    ) -> Literal["failed", "unknown"] | None:
        """None while such a push has not moved the branch; then `failed` if it had to be put back.

        What a push says of itself proves nothing: putting back one that never was would be a force push. So would be
        putting back another push that moved the branch alike, of a session that may. Where the branch has left behind
        what it brought, nothing is to be put back.
        """
        told = sum(_is_row_of(row, command, began_at - SKEW, moves.courier) for row in moves.rows)
        if moves.tip is None or not told or told <= await self._moved_alike(grant, command, began_at - 2 * SKEW):
            return None
        if moves.tip != command.new and await self._compared(grant, command.new, moves.tip) not in _FORWARD:
            return "unknown"
        refusal = await self.checked(grant, command, b"", AGENT)
        if refusal is None:
            return "unknown"
        await self._say(grant, refusal)
        return "failed"

    async def _moved_alike(self, grant: Grant, command: Command, since: datetime) -> float:
        """Pushes that are known to have moved the branch so; any number while that cannot be read."""
        try:
            return await ledger.moved_alike(self._database, grant, command, since)
        except DatabaseAway:
            return math.inf

    async def _say(self, grant: Grant, refusal: Refusal) -> None:
        """With the next push: to this one the answer was given."""
        try:
            await sessions.say(self._database, grant.session, refusal.sentence)
        except DatabaseAway:
            log.warning("why a branch was put back could not be noted", session=grant.session)

    async def _tip(self, grant: Grant) -> str | None:
        """Where GitHub says that the session's branch is; None when it does not say."""
        ref = grant.branch.removeprefix("refs/")
        try:
            answer = await self._asked(grant, "/repos/{owner}/{name}/git/ref/{ref}", ref=ref)
            return str(answer["object"]["sha"])
        except _UNKNOWN as wrong:
            log.warning("where a branch is cannot be read", session=grant.session, because=type(wrong).__name__)
            return None

    async def _compared(self, grant: Grant, old: str, new: str) -> str:
        """GitHub's word for where `new` is from `old`; another one when it does not say."""
        try:
            # The files stand on the first page only. https://docs.github.com/rest/commits/commits#compare-two-commits
            template, query = "/repos/{owner}/{name}/compare/{range}", "?per_page=1&page=2"
            return str((await self._asked(grant, template, query, range=f"{old}...{new}"))["status"])
        except _UNKNOWN as wrong:
            return f"unknown ({type(wrong).__name__})"

    async def _own_login(self, grant: Grant, rows: Sequence[Any]) -> str:
        """The courier App's, such as `courier[bot]`. Raises one of _UNKNOWN when it cannot be had.

        Asked again each hour, and sooner where it did none of what GitHub lists: then it may have another name by now.
        """
        holds = LOGIN_HOLDS if any(_actor_of(row) == self._courier for row in rows) else LOGIN_DOUBTED
        now = self._clock()
        if self._courier is None or now - self._courier_asked >= holds:
            self._courier, self._courier_asked = await self._login(grant), now
        return self._courier

    async def _login(self, grant: Grant) -> str:
        credential = await self._service.credential(grant, READ)
        url, question = graphql_url(self._service.upstream.api_url), b'{"query": "{ viewer { login } }"}'
        login = str((await self._answer(credential, "POST", url, question))["data"]["viewer"]["login"])
        return login.removesuffix("[bot]") + "[bot]"  # GraphQL leaves it away in places

    async def _asked(self, grant: Grant, template: str, query: str = "", **named: str) -> Any:
        """GitHub's JSON. Raises one of _UNKNOWN when it cannot be had."""
        credential = await self._service.credential(grant, READ)
        path = route(template, owner=credential.owner, name=credential.repository, **named)
        return await self._answer(credential, "GET", f"{self._service.upstream.api_url}{path}{query}")

    async def _answer(self, credential: Credential, method: str, url: str, question: bytes | None = None) -> Any:
        upstream, body = self._service.upstream, bytearray()
        headers = upstream.plain({"Authorization": f"token {credential.token.get_secret_value()}"})
        if question is not None:
            headers["Content-Type"] = "application/json"
        async with upstream.request(method, url, headers, question) as response:
            if response.status != 200:
                raise ValueError(f"it answered {response.status}")
            async for chunk in response.content.iter_chunked(CHUNK):
                body += chunk
                if len(body) > MOST_ANSWERED:
                    raise ValueError("the answer is too long")
        return json.loads(body)

    async def _put_back(self, grant: Grant, command: Command, agent: Mapping[str, str], refusal: Refusal) -> None:
        """Move the branch back to where it was, unless others moved it since; if that fails the session is frozen."""
        for _ in range(TRIES):
            try:
                because = await self._moved(grant, command, agent)
            except (Failed, NoReport) as wrong:
                because = str(wrong)
            if because is None:
                return
            on_top = await self._on_top(grant, command)
            if on_top is None:
                break
            command = on_top
        log.error("a branch could not be put back", session=grant.session, because=because)
        try:
            await sessions.freeze(self._database, grant.session, f"{refusal.because}; but putting it back failed")
        except DatabaseAway:
            log.error("and the session could not be frozen", session=grant.session)

    async def _on_top(self, grant: Grant, command: Command) -> Command | None:
        """The same for where the session itself moved the branch since, by another push; None if it did not."""
        tip = await self._tip(grant)
        if tip is None or tip == command.new:
            return None
        try:
            async with self._database.transaction() as connection:
                pushes = await ledger.pushes_of(connection, grant.repository_id, grant.branch, tip)
        except DatabaseAway:
            return None
        return replace(command, new=tip) if any(one.session_id == grant.session for one in pushes) else None

    async def _moved(self, grant: Grant, command: Command, agent: Mapping[str, str]) -> str | None:
        """One ref update without objects, which GitHub does only while the ref is where the push left it.

        None when it is done, else GitHub's reason.
        """
        line = f"{command.new} {command.old} ".encode() + command.ref
        body = packet(line + b"\0report-status object-format=sha1 agent=mergegate") + b"0000" + _empty_pack()
        headers = {name: value for name, value in agent.items() if name != "Content-Length"}
        read = Answer(side_band=False)
        async with self._service.post(grant, "push", WRITE, "git-receive-pack", headers, body) as response:
            async for chunk in response.content.iter_chunked(CHUNK):
                read.feed(chunk)
        return read.outcome(command.ref)


def _actor_of(row: Any) -> object:
    try:
        return row["actor"]["login"]
    except (KeyError, TypeError):
        return None


def _is_row_of(row: Any, command: Command, since: datetime, courier: str) -> bool:
    """Whether the courier App (its login) moved the branch just so since then."""
    try:
        moved = (row["before"], row["after"], _actor_of(row)) == (command.old, command.new, courier)
        return moved and datetime.fromisoformat(row["timestamp"]) >= since
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def _empty_pack() -> bytes:
    header = b"PACK" + (2).to_bytes(4, "big") + (0).to_bytes(4, "big")
    return header + hashlib.sha1(header, usedforsecurity=False).digest()
