"""Pushing: the head is read and judged, the ledger notes it, then the pack streams to GitHub and its report back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

import structlog

from app.proxy import ledger, sessions
from app.proxy.ancestry import MOST_PACK
from app.proxy.api.limits import Limits, Requests
from app.proxy.audited import push_refused
from app.proxy.authorize import AllowedPush, decide
from app.proxy.flights import Flight, Flights, Stopped
from app.proxy.forward import Forward
from app.proxy.git_service import WRITE, Failed, GitService, passed_headers
from app.proxy.grant import Grant
from app.proxy.incoming import Answering, BadRequest, Body, BodyFailed, Incoming, Receive, answer
from app.proxy.refusal import Refusal
from app.proxy.report import Answer, NoReport, progress, refused
from app.proxy.upstream import CHUNK
from app.proxy.wire import HEAD_LIMIT, Malformed, PushHead
from app.store.database import Database, DatabaseAway

log = structlog.get_logger(__name__)

KIND = "application/x-git-receive-pack-result"
# Bytes. https://docs.github.com/get-started/using-git/troubleshooting-the-2-gb-push-limit
LARGEST = 2 * 1024**3
# Each is a row in the ledger, a request of git's service, and often one of the API's, which all sessions share.
PACE = Limits(burst=120, hourly=1200)
# What breaks off is looked after, which takes requests of the API too.
BROKEN = 10  # pushes that one of them counts as
# Refusals that are recorded: whoever tries names without end shall not fill the audit log.
RECORDED = Limits(burst=20, hourly=60)
AT_ONCE = 1.0  # seconds
DRAINED, DRAIN_SECONDS = 64 * 1024 * 1024, 30.0
PACK = b"PACK"
KEPT = 2048  # bytes of what GitHub said last
NO_WORKFLOWS = (
    "Agents change no workflow files: leave them out of the commits. If the change is not yours, a person has to merge "
    "the branch that it comes from first; then rebase."
)
_LESS = "Push a part of the commits first, then the rest, and leave out large files; send without pausing"
NO_DATABASE = Refusal(
    "The proxy cannot reach its database, so nothing was sent to GitHub", "Nothing is wrong with it", True
)


@dataclass
class Push:
    """One push under way. `beginning` is what was read of the pack, kept while that is little, else empty."""

    grant: Grant
    head: PushHead
    body: Body
    flight: Flight
    allowed: AllowedPush
    agent: dict[str, str]
    beginning: bytearray = field(default_factory=bytearray)
    words: Sequence[tuple[int, str]] = ()  # what is to be said with the answer, with their ids

    def keep(self, data: bytes) -> None:
        if self.body.size <= MOST_PACK:
            self.beginning += data
        else:
            self.beginning.clear()

    async def bytes(self) -> AsyncGenerator[bytes, None]:
        """The whole body as it goes upstream; what has come is one piece, and with a small push that is all."""
        yield self.head.head + bytes(self.beginning)
        while data := await self.body.chunk():
            self.keep(data)
            yield data
        self.flight.sent = True


class Pushing:
    """`now` is a clock in seconds that does not go back."""

    def __init__(
        self,
        database: Database,
        service: GitService,
        flights: Flights,
        largest: int = LARGEST,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._service = service
        self._flights = flights
        self._largest = largest
        self._pace = Requests(PACE, "pushes")
        self._recorded = Requests(RECORDED, "refusals")
        self._now = now
        self._forward = Forward(database, service)

    async def push(self, incoming: Incoming, grant: Grant, receive: Receive, send: Answering) -> None:
        """POST git-receive-pack. Raises BadRequest, BodyFailed, Stopped before an answer was begun."""
        if incoming.text(b"content-type") != "application/x-git-receive-pack-request":
            raise BadRequest("the content type is not application/x-git-receive-pack-request", 415)
        if b"content-encoding" in incoming.headers:
            raise BadRequest("a push has no content encoding", 415)
        head, body = PushHead(HEAD_LIMIT), Body(receive, self._largest)
        try:
            async with self._flights.flight(grant) as flight:
                await self._judged(incoming, flight, head, body, send)
        except BadRequest as full:
            await self._no_room(head, body, send, full)
        except Stopped as stopped:
            refusal = Refusal(f"Mergegate stopped this push: {stopped}", sessions.OPEN_ANOTHER)
            await self._refuse(head, body, send, refusal)

    async def _no_room(self, head: PushHead, body: Body, send: Answering, full: BadRequest) -> None:
        """In git's own words if the head is there at once: git shows nothing of another answer to a push."""
        try:
            async with asyncio.timeout(AT_ONCE):
                await _read_head(head, body)
        except (TimeoutError, Malformed, BodyFailed):
            raise full from None
        if not head.commands:
            raise full
        refusal = Refusal(f"Mergegate refused this push: {full}", "Nothing is wrong with it", True)
        await answer(send, 200, refused(head, "not now", [refusal.sentence]), KIND, close=True)

    async def _judged(self, incoming: Incoming, flight: Flight, head: PushHead, body: Body, send: Answering) -> None:
        allowed: AllowedPush | Refusal
        try:
            beginning = await _read_head(head, body)
            if beginning is None:
                await answer(send, 200, b"", KIND)
                return
            allowed = decide(flight.grant, head.commands)
            if isinstance(allowed, AllowedPush):
                allowed = _unfit(incoming, head, self._largest) or self._too_fast(flight.grant) or allowed
        except Malformed as malformed:
            allowed = Refusal(f"Mergegate refused this push: {malformed}", "Push with plain git push")
        if isinstance(allowed, Refusal):
            await self._refuse(head, body, send, allowed)
            if self._recorded.take(flight.grant.session, self._now()) is None:
                await push_refused(self._database, flight.grant, head.commands, allowed)
            return
        agent = passed_headers(incoming) | _length(incoming)
        await self._noted(Push(flight.grant, head, body, flight, allowed, agent, bytearray(beginning or b"")), send)

    def _too_fast(self, grant: Grant) -> Refusal | None:
        too_many = self._pace.take(grant.session, self._now())
        return None if too_many is None else too_many.refusal

    async def _noted(self, push: Push, send: Answering) -> None:
        """Around what may happen at GitHub: an entry in the ledger, which says in the end what did."""
        command = push.allowed.command
        try:
            begun = await ledger.begin_push(self._database, push.grant, command)
        except DatabaseAway:
            begun = NO_DATABASE
        if isinstance(begun, Refusal):
            await self._refuse(push.head, push.body, send, begun)
            return
        push.flight.entry = begun.entry
        outcome: ledger.Outcome = "unknown"
        push.words = begun.words if push.head.side_band else ()
        try:
            outcome = await self._sent(push, send)
        finally:
            size = push.body.size if push.flight.sent else None
            if outcome == "unknown":
                self._pace.take(push.grant.session, self._now(), BROKEN - 1)
            if outcome == "unknown" and push.allowed.forward_only:
                push.flight.sent = True  # a stop waits for this too
                outcome = await self._forward.settled(push.grant, command, begun.at)
            push.flight.entry = None
            await self._end(begun.entry, outcome, size)

    async def _end(self, entry: int, outcome: ledger.Outcome, size: int | None) -> None:
        try:
            await asyncio.shield(ledger.end(self._database, entry, outcome, size=size))
        except DatabaseAway:
            # The entry lapses and reads as unknown, which is what it then is.
            log.warning("the end of a push could not be noted", entry=entry, outcome=outcome)

    async def _sent(self, push: Push, send: Answering) -> ledger.Outcome:
        try:
            return await self._passed_on(push, send)
        except Failed as failed:
            wrong = push.body.failed
            if wrong is not None and wrong.gone:
                raise wrong from None
            await self._refuse(push.head, push.body, send, failed.refusal if wrong is None else _body_failed(wrong))
            return "unknown" if failed.may_have_happened else "failed"

    async def _passed_on(self, push: Push, send: Answering) -> ledger.Outcome:
        async with self._service.post(
            push.grant, "push", WRITE, "git-receive-pack", push.agent, push.bytes()
        ) as response:
            read, told = Answer(side_band=push.head.side_band), b""
            try:
                async for chunk in response.content.iter_chunked(CHUNK):
                    passed = read.feed(chunk)
                    told = (told + passed)[-KEPT:]
                    if passed:
                        await _open(send)
                        await send({"type": "http.response.body", "body": passed, "more_body": True})
                end = read.ended()
                why = read.outcome(push.allowed.command.ref)
            except NoReport as wrong:
                return await self._without_report(push, send, str(wrong))
            outcome: ledger.Outcome = "done" if why is None else "failed"
            if why is None and push.allowed.forward_only and (refusal := await self._only_forward(push)) is not None:
                end, outcome = refused(push.head, "not a fast-forward", [refusal.sentence]), "failed"
            await self._finish(push, send, end, () if why is None else _explained(why, told))
            return outcome

    async def _only_forward(self, push: Push) -> Refusal | None:
        return await self._forward.checked(push.grant, push.allowed.command, bytes(push.beginning), push.agent)

    async def _finish(self, push: Push, send: Answering, end: bytes, explained: Sequence[str] = ()) -> None:
        await _open(send)
        said = [*explained, *(sentence for _, sentence in push.words)]
        if said and push.head.side_band:
            await send({"type": "http.response.body", "body": progress(said), "more_body": True})
        await send({"type": "http.response.body", "body": end, "more_body": not push.body.ended})
        if not push.body.ended:
            await push.body.drain(DRAINED, DRAIN_SECONDS)
            await send({"type": "http.response.body", "body": b""})
        if push.words:
            await sessions.said(self._database, [number for number, _ in push.words])

    async def _without_report(self, push: Push, send: Answering, because: str) -> ledger.Outcome:
        sentence = f"GitHub's answer cannot be read ({because}). Look with git ls-remote whether the push arrived"
        await self._finish(push, send, refused(push.head, "it is not known whether it arrived", [sentence]))
        return "unknown"

    async def _refuse(self, head: PushHead, body: Body, send: Answering, refusal: Refusal) -> None:
        """The answer first, then what is left of the body, so that git reads the one while it writes the other."""
        log.info("a push was refused", because=refusal.because)
        reason = "refused by Mergegate" if not refusal.retry else "not now"
        whole = refused(head, reason, [refusal.sentence])
        if send.begun:
            await send({"type": "http.response.body", "body": whole, "more_body": True})
        else:
            await answer(send, 200, whole, KIND, close=not body.ended or body.failed is not None, more=True)
        await body.drain(DRAINED, DRAIN_SECONDS)
        await send({"type": "http.response.body", "body": b""})


async def _read_head(head: PushHead, body: Body) -> bytes | None:
    """What was read of the pack beyond the head; None for git's probe. Raises Malformed, BodyFailed."""
    while not head.ended:
        data = await body.chunk()
        if not data:
            head.end()
        head.feed(data)
    beginning = head.rest
    if not head.commands:
        if beginning or await body.chunk():
            raise Malformed("something stands behind a list without commands")
        return None
    if all(command.deletes for command in head.commands):
        if beginning or await body.chunk():
            raise Malformed("something stands behind commands that only delete")
        return b""
    while len(beginning) < len(PACK):
        data = await body.chunk()
        if not data:
            raise Malformed("the pack is missing")
        beginning += data
    if not beginning.startswith(PACK):
        raise Malformed("what stands behind the commands is no pack (push options are not passed on)")
    return beginning


def _unfit(incoming: Incoming, head: PushHead, largest: int) -> Refusal | None:
    """Why a push is refused whose commands are allowed."""
    if not head.wants_report:
        because = "it asks for no report, so nobody could say what became of it"
        return Refusal(f"Mergegate refused this push: {because}", "Push with plain git push")
    length = incoming.text(b"content-length")
    if not length or int(length) <= largest:
        return None
    return Refusal(f"Mergegate refused this push: it is {length} bytes long, and {largest} are the most", _LESS)


def _body_failed(wrong: BodyFailed) -> Refusal:
    return Refusal(f"Mergegate refused this push: {wrong}", _LESS)


def _explained(why: str, told: bytes) -> tuple[str, ...]:
    """What to do about a refusal of GitHub's, where that is known. GitHub says it in the reason or beside it."""
    return (NO_WORKFLOWS,) if "workflow" in why.lower() or b"without `workflows`" in told else ()


async def _open(send: Answering) -> None:
    if not send.begun:
        pairs = [(b"content-type", KIND.encode()), (b"cache-control", b"no-cache, max-age=0, must-revalidate")]
        await send({"type": "http.response.start", "status": 200, "headers": pairs})


def _length(incoming: Incoming) -> dict[str, str]:
    """The length of the whole body, where the client said it; without one it goes on in chunks too."""
    given = {"Content-Length": incoming.text(b"content-length")} if b"content-length" in incoming.headers else {}
    return {"Accept-Encoding": "identity", **given}
