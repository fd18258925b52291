"""Asking GitHub's git service for a session: the token of the route, the address, and what a failure means in words."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Mapping

import aiohttp
import structlog

from app.github.errors import BadCredentials, GitHubError, InstallationGone, RateLimited, Refused
from app.proxy.courier import Courier, Credential
from app.proxy.grant import Grant
from app.proxy.health import Direction, Health
from app.proxy.incoming import Incoming
from app.proxy.refusal import Refusal
from app.proxy.upstream import Data, Upstream, UpstreamDown, git_credentials
from checks.branches import BRANCHES

log = structlog.get_logger(__name__)

READ: Mapping[str, str] = {"contents": "read"}
WRITE: Mapping[str, str] = {"contents": "write"}
FRESH = 10.0  # seconds in which GitHub may not know a new token everywhere
WAITS = (0.2, 0.5, 1.0)  # seconds before reads are tried again
_UNKNOWN_YET = (401, 403, 404)
_AGENT = re.compile(r"git/[ -~]{1,150}")
_PROTOCOL = re.compile(r"version=[0-9]{1,3}(:[a-z0-9=-]{1,40}){0,4}")


DEFAULT_BRANCH = Refusal(
    "The session's branch has become the default branch of the repository, which no agent writes to",
    "Ask the person who started this agent for a session on another branch (`mergegate session open`)",
)


class Failed(Exception):
    """GitHub's git service did not do it. `refusal` says why; `may_have_happened` is for pushes."""

    def __init__(self, refusal: Refusal, *, may_have_happened: bool = False) -> None:
        super().__init__(refusal.because)
        self.refusal = refusal
        self.may_have_happened = may_have_happened


class GitService:
    """The git service of one server, for all sessions."""

    def __init__(self, upstream: Upstream, courier: Courier, health: Health) -> None:
        self.upstream = upstream
        self.courier = courier
        self.health = health

    @contextlib.asynccontextmanager
    async def read(
        self, grant: Grant, rest: str, headers: Mapping[str, str], content_type: str, question: bytes | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A GET below the repository, or a POST of a `question`, which changes nothing either: tried again while a new
        token is not known everywhere. Raises Failed.
        """
        method = "GET" if question is None else "POST"
        for wait in (*WAITS, None):
            credential = await self.credential(grant, READ)
            async with self._asked("fetch", method, credential, rest, headers, question) as response:
                young = time.time() - credential.minted_at < FRESH
                if wait is None or response.status not in _UNKNOWN_YET or not (young or response.status == 401):
                    self._check(grant, "fetch", credential, response, content_type)
                    yield response
                    return
                if response.status == 401:
                    self.courier.evict(grant, credential.token)
            await asyncio.sleep(wait)

    @contextlib.asynccontextmanager
    async def post(
        self,
        grant: Grant,
        direction: Direction,
        permissions: Mapping[str, str],
        service: str,
        headers: Mapping[str, str],
        data: Data,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A POST to `git-upload-pack` or `git-receive-pack`, sent once. Raises Failed."""
        credential = await self.credential(grant, permissions)
        named = {
            "Content-Type": f"application/x-{service}-request",
            "Accept": f"application/x-{service}-result",
            **headers,
        }
        async with self._asked(direction, "POST", credential, service, named, data) as response:
            self._check(grant, direction, credential, response, f"application/x-{service}-result")
            yield response

    async def credential(self, grant: Grant, permissions: Mapping[str, str]) -> Credential:
        """Raises Failed; also when GitHub, giving the token, names the session's branch as the default branch."""
        try:
            credential = await self.courier.credential(grant, permissions)
        except GitHubError as wrong:
            log.warning("no token for a session", session=grant.session, because=str(wrong))
            raise Failed(_minting(wrong)) from None
        if f"{BRANCHES}{credential.default_branch}" == grant.branch:
            raise Failed(DEFAULT_BRANCH)
        return credential

    @contextlib.asynccontextmanager
    async def _asked(
        self,
        direction: Direction,
        method: str,
        credential: Credential,
        rest: str,
        headers: Mapping[str, str],
        data: Data = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        url = f"{self.upstream.repository_url(credential.owner, credential.repository)}/{rest}"
        whole = {**headers, "Authorization": git_credentials(credential.token)}
        try:
            async with self.upstream.request(method, url, whole, data) as response:
                yield response
        except UpstreamDown as down:
            self.health.failed(direction, str(down))
            refusal = Refusal(f"GitHub's git service did not answer: {down}", "Nothing is wrong with the session", True)
            raise Failed(refusal, may_have_happened=down.sent) from None

    def _check(
        self,
        grant: Grant,
        direction: Direction,
        credential: Credential,
        response: aiohttp.ClientResponse,
        content_type: str,
    ) -> None:
        """Raises Failed unless it is an answer of git's."""
        status, seen = response.status, response.headers.get("Content-Type", "")
        if status == 200 and seen.lower() == content_type:
            self.health.worked(direction)
            return
        if status in (301, 302, 303, 307, 308, 401):
            # After a renaming the next token comes with the new name.
            self.courier.evict(grant, credential.token)
        refusal = _status(status, seen)
        if refusal.retry:
            self.health.failed(direction, refusal.because)
        log.warning("github's git service refused", session=grant.session, status=status, direction=direction)
        raise Failed(refusal, may_have_happened=status == 200 or status >= 500)


def passed_headers(incoming: Incoming) -> dict[str, str]:
    """Of the client's headers those that the git service needs, each in the only form that git gives it."""
    agent, protocol = incoming.text(b"user-agent"), incoming.text(b"git-protocol")
    headers = {"User-Agent": agent if _AGENT.fullmatch(agent) else "git/mergegate"}
    if _PROTOCOL.fullmatch(protocol):
        headers["Git-Protocol"] = protocol
    return headers


def _minting(wrong: GitHubError) -> Refusal:
    """The operator finds GitHub's own words in the log; an agent cannot act on them."""
    if isinstance(wrong, RateLimited):
        return Refusal("GitHub's limit for the courier App is used up", f"Wait until {wrong.until:%H:%M} UTC", True)
    if isinstance(wrong, BadCredentials | InstallationGone | Refused):
        return Refusal(
            "GitHub gives the courier App no token for this repository",
            "A person has to look at the App's key, installation and permissions (the proxy's log says which)",
        )
    return Refusal("GitHub gave no token just now", "Nothing is wrong with the session", True)


def _status(status: int, content_type: str) -> Refusal:
    if status == 200:
        kind = content_type.partition(";")[0].strip()[:60] or "no type"
        because = f"What answered is not GitHub's git service, but a page of the type {kind}"
        return Refusal(because, "Something between the proxy and GitHub is in the way", True)
    if status in (301, 302, 303, 307, 308):
        because = f"GitHub answered with a redirect ({status}), which is never followed"
        return Refusal(because, "The repository may have been renamed or moved, which is looked up now", True)
    if status >= 500 or status == 429:
        return Refusal(f"GitHub answered {status}", "Nothing is wrong with the session", True)
    if status == 404:
        return Refusal(
            "GitHub does not know the repository any more, or the courier App may not see it",
            "A person has to look at the App's installation",
        )
    return Refusal(
        f"GitHub refused the courier App ({status})", "A person has to look at the App's permissions and key"
    )
