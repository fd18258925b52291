"""Git LFS, downloads only: GitHub's answer names a store and a signature that opens it, and neither goes to the agent.

The agent is sent back to the proxy for each object; the proxy asks GitHub again, checks where the object is kept, and
streams it. Source: https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

import re2
import structlog
from pydantic import ConfigDict, Field, ValidationError

from app.github.addresses import origin
from app.json_model import JsonModel
from app.proxy.api.limits import LFS_REQUESTS, Limits, Requests
from app.proxy.fetching import stream, unavailable
from app.proxy.flights import Flights
from app.proxy.git_service import READ, Failed, GitService
from app.proxy.grant import Grant
from app.proxy.incoming import Answering, BadRequest, Body, Incoming, Receive, Send, answer
from app.proxy.refusal import Refusal
from app.proxy.target import Target
from app.proxy.upstream import CHUNK, UpstreamDown, git_credentials
from policies.escape import clean

log = structlog.get_logger(__name__)

KIND = "application/vnd.git-lfs+json"
MOST_ASKED, MOST_ANSWERED = 1024 * 1024, 8 * 1024 * 1024  # bytes
MOST_OBJECTS = 1000
# Where GitHub keeps objects. Everything else, an address inside of some network above all, is not fetched from.
STORES = frozenset(
    (
        "github-cloud.githubusercontent.com",
        "github-cloud.s3.amazonaws.com",
        "media.githubusercontent.com",
        "objects.githubusercontent.com",
    )
)
_HOST = re2.compile(r"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")
_HEADER = re2.compile(r"[A-Za-z0-9-]{1,60}")
NO_UPLOADS = Refusal(
    "Mergegate passes Git LFS objects to agents, but takes none from them",
    "Commit the file without LFS, or ask a person to upload it",
)


class Wanted(JsonModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    oid: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    size: Annotated[int, Field(ge=0, lt=10**15)]


class Batch(JsonModel):
    """What is used of a request. `ref` and what else the client says about itself is not passed on."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    operation: Literal["download", "upload"]
    objects: Annotated[list[Wanted], Field(min_length=1, max_length=MOST_OBJECTS)]
    hash_algo: Literal["sha256"] = "sha256"


class _Action(JsonModel):
    href: str
    header: dict[str, str] = Field(default_factory=dict)


class _Actions(JsonModel):
    download: _Action | None = None


class _Error(JsonModel):
    code: int
    message: str = ""


class _Found(JsonModel):
    oid: str
    size: int
    actions: _Actions | None = None
    error: _Error | None = None


class _Answer(JsonModel):
    objects: list[_Found]


class Lfs:
    """`hourly` is of one session, `now` a clock in seconds that does not go back."""

    def __init__(
        self,
        service: GitService,
        flights: Flights,
        hourly: int = LFS_REQUESTS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = service
        self._flights = flights
        # A checkout asks for all that it needs at once.
        self._pace = Requests(Limits(burst=hourly, hourly=hourly), "requests for Git LFS")
        self._now = now

    async def batch(self, incoming: Incoming, scheme: str, grant: Grant, receive: Receive, send: Answering) -> None:
        """POST info/lfs/objects/batch."""
        if incoming.text(b"content-type").partition(";")[0].strip() != KIND or b"content-encoding" in incoming.headers:
            raise BadRequest(f"the content type is not {KIND}", 415)
        if await self._too_many(grant, send):
            return
        async with self._flights.flight(grant):
            asked = _asked(await Body(receive, MOST_ASKED).whole())
            if asked.operation != "download":
                await _say(send, 403, {"message": NO_UPLOADS.sentence})
                return
            try:
                found = await self._found(grant, asked.objects)
            except Failed as failed:
                await _say(send, 503 if failed.refusal.retry else 502, {"message": failed.refusal.sentence})
                return
        base = _own_address(incoming, scheme, grant)
        wanted = {one.oid for one in asked.objects}
        shown = [self._shown(one, base) for one in found if one.oid in wanted]
        await _say(send, 200, {"transfer": "basic", "objects": shown, "hash_algo": "sha256"})

    async def download(self, target: Target, grant: Grant, receive: Receive, send: Answering) -> None:
        """GET info/lfs/objects/{oid}/{size}: one object from where GitHub keeps it."""
        if await self._too_many(grant, send):
            return
        async with self._flights.flight(grant):
            body = Body(receive, 0)
            await body.chunk()
            try:
                asked = Wanted(oid=target.oid, size=target.size)
                found = next((one for one in await self._found(grant, [asked]) if one.oid == asked.oid), None)
                action = None if found is None or found.actions is None else found.actions.download
                if action is None or not self._may_fetch(action.href):
                    await answer(send, 404, b"mergegate: there is no such object in this repository\n")
                    return
                await self._streamed(action, target.size, body, send)
            except Failed as failed:
                await unavailable(send, failed.refusal)

    async def _too_many(self, grant: Grant, send: Send) -> bool:
        """Whether the session has asked too often; then the answer was given."""
        too_many = self._pace.take(grant.session, self._now())
        if too_many is None:
            return False
        # The client of LFS waits for so long: https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md
        await _say(send, 429, {"message": too_many.refusal.sentence}, {"retry-after": str(too_many.seconds)})
        return True

    async def _streamed(self, action: _Action, size: int, body: Body, send: Send) -> None:
        headers = {name: value for name, value in action.header.items() if _HEADER.fullmatch(name)}
        try:
            async with self._service.upstream.request("GET", action.href, headers) as response:
                if response.status != 200 or response.headers.get("Content-Length") not in (None, str(size)):
                    raise Failed(_status(response.status))
                length = {"content-length": str(size)}
                chunks = response.content.iter_chunked(CHUNK)
                await stream(body, send, "application/octet-stream", length, chunks)
        except UpstreamDown as down:
            raise Failed(Refusal(f"GitHub's store of LFS objects did not answer: {down}", "Try later", True)) from None

    async def _found(self, grant: Grant, wanted: list[Wanted]) -> list[_Found]:
        """What GitHub says about the objects. Raises Failed."""
        credential = await self._service.credential(grant, READ)
        url = self._service.upstream.repository_url(credential.owner, credential.repository)
        headers = {"Authorization": git_credentials(credential.token), "Accept": KIND, "Content-Type": KIND}
        objects = [{"oid": one.oid, "size": one.size} for one in wanted]
        asked = json.dumps({"operation": "download", "transfers": ["basic"], "objects": objects}).encode()
        upstream, address = self._service.upstream, f"{url}/info/lfs/objects/batch"
        try:
            async with upstream.request(
                "POST", address, headers | {"User-Agent": "git-lfs/mergegate"}, asked
            ) as response:
                if response.status != 200:
                    raise Failed(_status(response.status))
                body = bytearray()
                async for chunk in response.content.iter_chunked(CHUNK):
                    body += chunk
                    if len(body) > MOST_ANSWERED:
                        raise Failed(_unreadable())
            return _Answer.model_validate_json(bytes(body)).objects
        except UpstreamDown as down:
            raise Failed(Refusal(f"GitHub's LFS service did not answer: {down}", "Try later", True)) from None
        except ValidationError:
            raise Failed(_unreadable()) from None

    def _shown(self, found: _Found, base: str) -> dict[str, object]:
        """An object as the agent sees it: an address here, or why there is none."""
        known: dict[str, object] = {"oid": found.oid, "size": found.size}
        if found.error is not None:
            return known | {"error": {"code": found.error.code, "message": clean(found.error.message, 200)}}
        action = None if found.actions is None else found.actions.download
        if action is None or not self._may_fetch(action.href):
            log.warning("an lfs object is kept where nothing is fetched from", oid=found.oid)
            return known | {"error": {"code": 404, "message": "it is kept where Mergegate does not fetch from"}}
        return known | {"actions": {"download": {"href": f"{base}/info/lfs/objects/{found.oid}/{found.size}"}}}

    def _may_fetch(self, href: str) -> bool:
        """GitHub's own stores over TLS, or the very server that was asked."""
        try:
            parts = urlsplit(href)
            port = parts.port
        except ValueError:
            return False
        if parts.username is not None or not href.isascii() or any(byte <= " " for byte in href):
            return False
        if origin(href) == origin(self._service.upstream.repository_url("o", "r")):
            return True
        return parts.scheme == "https" and parts.hostname in STORES and port in (None, 443)


def _asked(body: bytes) -> Batch:
    try:
        return Batch.model_validate_json(body)
    except ValidationError:
        raise BadRequest(f"the body is no request for up to {MOST_OBJECTS} objects with SHA-256 ids", 422) from None


def _own_address(incoming: Incoming, scheme: str, grant: Grant) -> str:
    """Where the client reached us. A Host that lies misleads only the client that sent it."""
    host = incoming.text(b"host")
    if not _HOST.fullmatch(host):
        raise BadRequest("the header Host is no host")
    return f"{scheme}://{host}/git/{grant.owner}/{grant.repository}.git"


def _status(status: int) -> Refusal:
    if status in (404, 410):
        return Refusal("GitHub does not know the object or the repository", "A person has to look at it")
    return Refusal(f"GitHub's LFS service answered {status}", "Nothing is wrong with the session", status >= 500)


def _unreadable() -> Refusal:
    return Refusal("GitHub's LFS service answered in an unknown form", "Nothing is wrong with the session", True)


async def _say(send: Send, status: int, value: Mapping[str, object], headers: Mapping[str, str] | None = None) -> None:
    await answer(send, status, json.dumps(value).encode(), KIND, headers)
