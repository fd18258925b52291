"""Asking GitHub for an installation token of the courier App: one request, over the proxy's own connections.

The large client of `app.github` would do it too, but it is a third of the memory of a proxy that needs nothing else of
it. Source: https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.github import tokens
from app.github.errors import (
    BadCredentials,
    GitHubDown,
    GitHubError,
    InstallationGone,
    RateLimited,
    Refused,
    UnexpectedAnswer,
)
from app.github.identity import AppIdentity
from app.proxy.upstream import CHUNK, Upstream, UpstreamDown

NAME = "POST /app/installations/{id}/access_tokens"
API_VERSION = "2026-03-10"
MOST = 256 * 1024  # bytes of an answer
SECONDS = 20.0
PAUSE = 60  # seconds, where GitHub does not say how long


class Named(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: int
    full_name: str
    default_branch: str | None = None  # short name


class Minted(tokens.Token):
    """GitHub's answer: the token, what it may really do, and its repositories as they are now."""

    permissions: dict[str, str] = Field(default_factory=dict)
    repositories: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    retry_after: str
    accepted: str
    body: bytes


class Minting:
    """`now` is Unix time. While keys are rotated, the one that GitHub took last is tried first."""

    def __init__(self, identity: AppIdentity, upstream: Upstream, now: Callable[[], float] = time.time) -> None:
        self._identity = identity
        self._upstream = upstream
        self._now = now
        self._key = 0

    async def __call__(self, installation_id: int, repository_id: int, permissions: Mapping[str, str]) -> Minted:
        """A token for one repository by its id. Raises the errors of `app.github.errors`."""
        wanted = {"repository_ids": [repository_id], "permissions": dict(permissions)}
        path = f"/app/installations/{installation_id}/access_tokens"
        answer = await self._asked(path, wanted)
        for _ in self._identity.private_keys[1:]:
            if answer.status != 401:
                break
            self._key = (self._key + 1) % len(self._identity.private_keys)
            answer = await self._asked(path, wanted)
        if answer.status != 201:
            raise self._failure(answer, installation_id)
        try:
            return self._served(Minted.model_validate_json(answer.body), installation_id)
        except ValidationError:
            # The error would quote the answer, and with it the token.
            pass
        raise UnexpectedAnswer(NAME, "the answer is not as GitHub documents it")

    def _served(self, minted: Minted, installation_id: int) -> Minted:
        """Raises InstallationGone for a repository of an account that is not served."""
        owners = {one.full_name.partition("/")[0] for one in minted.repositories}
        if not all(self._identity.serves(owner) for owner in owners):
            because = "the repository's account is not in MERGEGATE_ACCOUNTS"
            raise InstallationGone(NAME, because, installation_id)
        return minted

    async def _asked(self, path: str, wanted: Mapping[str, object]) -> _Answer:
        headers = {
            "User-Agent": "mergegate",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": API_VERSION,
            "Authorization": f"Bearer {self._identity.jwt(self._now(), self._key)}",
        }
        url, because = self._upstream.api_url + path, ""
        try:
            body = json.dumps(wanted).encode()
            async with asyncio.timeout(SECONDS), self._upstream.request("POST", url, headers, body) as response:
                read = bytearray()
                async for chunk in response.content.iter_chunked(CHUNK):
                    read += chunk
                    if len(read) > MOST:
                        raise UpstreamDown("the answer is too long", sent=True)
                said = response.headers
                accepted = said.get("X-Accepted-GitHub-Permissions", "")
                return _Answer(response.status, said.get("Retry-After", ""), accepted, bytes(read))
        except TimeoutError:
            because = f"no complete answer within {SECONDS:g} s"
        except UpstreamDown as down:
            because = str(down)
        raise GitHubDown(NAME, because)

    def _failure(self, answer: _Answer, installation_id: int) -> GitHubError:
        said = _message(answer.body)
        limited = answer.status == 429 or bool(answer.retry_after) or "rate limit" in said.lower()
        if answer.status in (403, 429) and limited:
            wait = int(answer.retry_after) if answer.retry_after.isdecimal() and len(answer.retry_after) < 5 else PAUSE
            until = datetime.fromtimestamp(self._now(), UTC) + timedelta(seconds=wait)
            return RateLimited(NAME, "GitHub asked for a pause", until)
        if answer.status >= 500:
            return GitHubDown(NAME, f"GitHub answered {answer.status}: {said}")
        if answer.status == 401:
            return BadCredentials(NAME, f"GitHub answered 401: {said}")
        if answer.status == 404 or (answer.status == 403 and "suspended" in said):
            how = "removed" if answer.status == 404 else "suspended"
            return InstallationGone(
                NAME, f"installation {installation_id} of the courier App was {how}", installation_id
            )
        if answer.status in (403, 422):
            because = f"GitHub refused ({answer.status}): {said}"
            return Refused(NAME, because, status=answer.status, wanted=answer.accepted)
        return UnexpectedAnswer(NAME, f"status {answer.status} is not known for this call: {said}")


def _message(body: bytes) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return "without a message"
    message = value.get("message") if isinstance(value, dict) else None
    return message if isinstance(message, str) else "without a message"
