"""`POST /webhooks/github`: verify, store, answer 202. Nothing is asked of GitHub here.

GitHub gives ten seconds, never tries again by itself and caps payloads at 25 MB. Source:
https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import prometheus_client
import psycopg
import structlog
from fastapi import APIRouter
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.intake.body import Room, Unacceptable, read_body
from app.intake.events import SPOKEN, Interpretation, UnreadableDelivery, interpret
from app.intake.facts import ApprovalFact, CommandFact, CommentGone
from app.priorities import COMMAND, NEWS, priority_of
from app.secret import SecretStr
from app.store.comment_approvals import CommentApproval, CommentWithdrawn
from app.store.database import DatabaseAway
from app.store.deliveries import Delivery, DeliveryWriter, Fact
from app.store.pulls import PullBase
from app.store.pushes import Push
from app.store.repositories import Repository
from app.store.reviews import Review
from app.store.tickets.commands import CommandComment
from app.store.work import Mark

log = structlog.get_logger(__name__)

PATH = "/webhooks/github"
LARGEST = 25 * 1024 * 1024  # bytes
SLOWEST = 9.0  # seconds for a delivery to arrive and be stored; GitHub hangs up after ten
LONGEST_HEADER = 200  # characters; GitHub's own are far shorter

RECEIVED = prometheus_client.Counter("mergegate_deliveries", "Webhook deliveries by answer", ["answer"])
ACCEPTED = RECEIVED.labels("202")
TAKEN = prometheus_client.Histogram(
    "mergegate_delivery_seconds",
    "From the headers of a delivery to its answer, storing included",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)

# Without a body the whole answer is one packet; which keys were marked stands beside the stored delivery.
STORED: tuple[Message, Message] = (
    {"type": "http.response.start", "status": 202, "headers": [(b"content-length", b"0")]},
    {"type": "http.response.body"},
)

Headers = Mapping[bytes, bytes]  # by lower-case name; the first of several


@dataclass(frozen=True, slots=True)
class Intake:
    """The endpoint, an ASGI application of its own.

    `secrets` are the webhook secrets that are accepted; two of them while one is rotated out.
    """

    writer: DeliveryWriter
    secrets: Sequence[SecretStr]
    own_app_ids: frozenset[int]
    room: Room = field(default_factory=Room)

    def router(self) -> APIRouter:
        return APIRouter(routes=[Route(PATH, self, methods=["POST"])])

    def in_front_of(self, other: ASGIApp) -> ASGIApp:
        """Deliveries come here, the rest goes to the other: its layers cost half of what storing a delivery does."""

        async def choose(scope: Scope, receive: Receive, send: Send) -> None:
            delivery = scope["type"] == "http" and scope["path"] == PATH and scope["method"] == "POST"
            await (self if delivery else other)(scope, receive, send)

        return choose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(reversed(scope["headers"]))
        try:
            with TAKEN.time():
                await self._accept(headers, receive)
        except Unacceptable as wrong:
            log.warning("delivery refused", status=wrong.status, because=wrong.message, **_named(headers))
            RECEIVED.labels(str(wrong.status)).inc()
            await JSONResponse({"message": wrong.message}, wrong.status)(scope, receive, send)
            return
        ACCEPTED.inc()
        for message in STORED:
            await send(message)

    async def _accept(self, headers: Headers, receive: Receive) -> None:
        """Return when it is stored. Raises Unacceptable."""
        arrived = False
        try:
            async with asyncio.timeout(SLOWEST):
                raw = await self._verified(headers, receive)
                arrived = True
                await self._store(_delivery(headers, raw, self.own_app_ids))
        except TimeoutError:
            if arrived:
                raise Unacceptable(503, f"the database did not store the delivery within {SLOWEST:g} s") from None
            raise Unacceptable(408, f"the body did not arrive within {SLOWEST:g} s") from None

    async def _verified(self, headers: Headers, receive: Receive) -> bytes:
        """The body, if it has the signature of a secret. Raises Unacceptable."""
        signature = headers.get(b"x-hub-signature-256")
        if signature is None:  # nothing of such a body needs to be read
            verify(b"", signature, self.secrets)
        try:
            with self.room.body() as grown:
                raw = await read_body(headers, receive, LARGEST, grown)
                verify(raw, signature, self.secrets)
                return raw
        except ClientDisconnect:  # nobody hears the answer
            raise Unacceptable(400, "the sender hung up before the body was here") from None

    async def _store(self, delivery: Delivery) -> None:
        try:
            await self.writer.accept(delivery)
        except DatabaseAway as away:
            raise Unacceptable(503, f"the delivery was not stored, the resync will find it: {away}") from away
        except psycopg.DataError as wrong:
            raise Unacceptable(400, f"the delivery cannot be stored: {type(wrong).__name__}") from wrong
        except psycopg.Error as wrong:  # a limit of the server, a deadlock, a statement that took too long
            raise Unacceptable(503, f"the delivery was not stored: {type(wrong).__name__}") from wrong


def verify(raw: bytes, signature: bytes | None, secrets: Sequence[SecretStr]) -> None:
    """SHA-256 over the raw body, compared in constant time. No other algorithm and no absence is accepted."""
    given = signature or b""
    good = False
    for secret in secrets:
        expected = "sha256=" + hmac.digest(secret.get_secret_value().encode(), raw, "sha256").hex()
        good |= hmac.compare_digest(expected.encode(), given)
    if not good:
        hint = "missing" if signature is None else "wrong"
        raise Unacceptable(
            401, f"X-Hub-Signature-256 is {hint}; the webhook secret here and at GitHub must be the same"
        )


def _delivery(headers: Headers, raw: bytes, own_app_ids: frozenset[int]) -> Delivery:
    event, hook_id, delivery_id = (
        _header(headers, b"x-github-" + name) for name in (b"event", b"hook-id", b"delivery")
    )
    if not (hook_id.isascii() and hook_id.isdigit() and len(hook_id) < 19):
        raise Unacceptable(400, "X-GitHub-Hook-ID is no number")
    try:
        about = interpret(event, raw, own_app_ids)
    except UnreadableDelivery as wrong:
        _check_json(raw)
        # Stored all the same: what it meant is found by the resync, and the body tells why it could not be read.
        log.error("delivery unreadable", because=str(wrong), **_named(headers))
        about = Interpretation(None, None, None)
    otherwise = COMMAND if event in SPOKEN else NEWS
    return Delivery(
        int(hook_id),
        delivery_id,
        event,
        raw,
        about.action,
        about.installation_id,
        about.repository.id if about.repository else None,
        tuple(Mark(str(key), about.delay, priority_of(key, otherwise), delivery=delivery_id) for key in about.keys),
        tuple(_facts(about)),
    )


def _named(headers: Headers) -> dict[str, str]:
    """For log lines; bound to the context they would cling to the writer's task as well, and cost each delivery."""
    named = {"delivery": b"x-github-delivery", "webhook_event": b"x-github-event"}
    return {name: headers.get(header, b"")[:LONGEST_HEADER].decode("latin-1") for name, header in named.items()}


def _check_json(raw: bytes) -> None:
    """Raises Unacceptable unless it is a JSON object."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        raise Unacceptable(400, "the body is no JSON; set the webhook's content type to application/json") from None
    if not isinstance(value, dict):
        raise Unacceptable(400, "the body is JSON, but no object")


def _header(headers: Headers, name: bytes) -> str:
    value = headers.get(name, b"").decode("latin-1").strip()
    if not value or len(value) > LONGEST_HEADER:
        raise Unacceptable(400, f"{name.decode()} is missing or too long")
    return value


def _facts(about: Interpretation) -> list[Fact]:
    repository, installation_id = about.repository, about.installation_id
    if repository is None or installation_id is None:
        return []
    facts: list[Fact] = [
        Repository(repository.id, installation_id, repository.owner, repository.name, repository.default_branch)
    ]
    if about.push is not None:
        push, sender = about.push, about.push.sender
        facts.append(Push(repository.id, push.ref, push.after, push.before, sender.login, sender.id, sender.type))
    if about.base is not None:
        base = about.base
        facts.append(PullBase(repository.id, base.pull_number, base.head_sha, base.base_ref, base.head_repository_id))
    if about.review is not None:
        facts.append(_review(repository.id, about))
    if about.comment is not None:
        facts.append(_comment(repository.id, about.comment))
    if about.command is not None:
        facts.append(_command(repository.id, about.command))
    return facts


def _command(repository_id: int, said: CommandFact) -> CommandComment:
    return CommandComment(
        repository_id,
        said.source,
        said.comment_id,
        said.number,
        said.author.login,
        said.author.id,
        said.body,
        said.created_at,
    )


def _comment(repository_id: int, said: ApprovalFact | CommentGone) -> CommentApproval | CommentWithdrawn:
    if isinstance(said, CommentGone):
        return CommentWithdrawn(repository_id, said.comment_id)
    return CommentApproval(
        repository_id=repository_id,
        pull_number=said.pull_number,
        comment_id=said.comment_id,
        author_id=said.author.id,
        author_login=said.author.login,
        word=said.word,
        created_at=said.created_at,
        source="delivery",
    )


def _review(repository_id: int, about: Interpretation) -> Review:
    review = about.review
    assert review is not None
    return Review(
        repository_id=repository_id,
        pull_number=review.pull_number,
        review_id=review.review_id,
        reviewer_id=review.reviewer.id,
        reviewer_login=review.reviewer.login,
        state=review.state,
        commit_id=review.commit_id,
        base_ref=review.base_ref,
        submitted_at=review.submitted_at,
        source="delivery",
        bundle_digest=review.bundle_digest,
        dismissed_by=review.dismissed_by,
        at_head=review.at_head,
    )
