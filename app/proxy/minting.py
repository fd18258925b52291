"""Asking GitHub for an installation token of the courier App: one request, over the proxy's own connections.

The large client of `app.github` would do it too, but it is a third of the memory of a proxy that needs nothing else of
it. Source: https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from app.github.budgets import other_clock
from app.github.errors import (
    BadCredentials,
    GitHubDown,
    GitHubError,
    InstallationGone,
    RateLimited,
    Refused,
    UnexpectedAnswer,
)
from app.github.identity import TOKEN_MARGIN, AppIdentity
from app.json_fields import field, optional_field
from app.key_process import app_jwt_apart
from app.proxy.upstream import CHUNK, Upstream, UpstreamDown
from app.secret import SecretStr

NAME = "POST /app/installations/{id}/access_tokens"
API_VERSION = "2026-03-10"
MOST = 256 * 1024  # bytes of an answer
SECONDS = 20.0
PAUSE = 60  # seconds, where GitHub does not say how long
JWT_LIFE = 240.0  # seconds that one is used for, of the nine minutes that it lives


@dataclass(frozen=True, slots=True)
class Named:
    id: int
    full_name: str
    default_branch: str | None  # short name


@dataclass(frozen=True, slots=True)
class Minted:
    """GitHub's answer: the token, what it may really do, and its repositories as they are now.

    `ahead` are the seconds by which our clock is ahead of GitHub's, by which the token ends.
    """

    token: SecretStr
    expires_at: datetime
    permissions: Mapping[str, str]
    repositories: tuple[Named, ...]
    ahead: float = 0.0

    def usable(self, now: float) -> bool:
        """Whether it lives long enough; `now` is Unix time by our clock."""
        return self.expires_at.timestamp() - (now - self.ahead) > TOKEN_MARGIN


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    date: str
    retry_after: str
    accepted: str
    body: bytes


@dataclass(frozen=True, slots=True)
class _Signed:
    """The App's own token, by which of its keys, when by our clock (Unix time), and how far ahead that was taken to be
    (seconds)."""

    jwt: str
    key: SecretStr
    at: float
    ahead: float


class Minting:
    """`now` is Unix time. While keys are rotated, the one that GitHub took last is tried first.

    What is signed bears GitHub's time: once a refusal has shown that our clock is wrong, what it is ahead is taken off.
    """

    def __init__(self, identity: AppIdentity, upstream: Upstream, now: Callable[[], float] = time.time) -> None:
        self._identity = identity
        self._upstream = upstream
        self._now = now
        self._key = 0
        self._ahead = 0.0
        self._signed: _Signed | None = None

    async def __call__(self, installation_id: int, repository_id: int, permissions: Mapping[str, str]) -> Minted:
        """A token for one repository by its id. Raises the errors of `app.github.errors`."""
        wanted = {"repository_ids": [repository_id], "permissions": dict(permissions)}
        path = f"/app/installations/{installation_id}/access_tokens"
        answer = await self._answered(path, wanted)
        if answer.status != 201:
            raise self._failure(answer, installation_id)
        try:
            return self._served(_minted(json.loads(answer.body)), installation_id)
        except (ValueError, RecursionError):
            # The error would quote the answer, and with it the token.
            pass
        raise UnexpectedAnswer(NAME, "the answer is not as GitHub documents it")

    def _served(self, minted: Minted, installation_id: int) -> Minted:
        """Raises InstallationGone for a repository of an account that is not served."""
        owners = {one.full_name.partition("/")[0] for one in minted.repositories}
        if not all(self._identity.serves(owner) for owner in owners):
            because = "the repository's account is not in MERGEGATE_ACCOUNTS"
            raise InstallationGone(NAME, because, installation_id)
        return replace(minted, ahead=self._ahead)

    async def _answered(self, path: str, wanted: Mapping[str, object]) -> _Answer:
        """As `_of_any_key`; once more where the refusal may be for our clock."""
        signed_with = self._ahead
        answer = await self._of_any_key(path, wanted, signed_with)
        ahead = other_clock(answer.date, self._now(), signed_with) if answer.status == 401 else None
        if ahead is None:
            return answer
        answer = await self._of_any_key(path, wanted, ahead)
        # If that was of no use either it is not for the clock, or the date was not GitHub's.
        self._ahead = ahead if answer.status != 401 else 0.0
        return answer

    async def _of_any_key(self, path: str, wanted: Mapping[str, object], ahead: float) -> _Answer:
        """To the first key that GitHub takes, or its refusal. Raises BadCredentials where no key can be read."""
        refused, unreadable = None, None
        first, count = self._key, max(1, len(self._identity.private_keys))
        for key in ((first + further) % count for further in range(count)):
            try:
                jwt = await self._jwt(key, ahead)
            except BadCredentials as wrong:
                unreadable = wrong
            else:
                answer = await self._asked(path, wanted, jwt)
                if answer.status != 401:
                    self._key = key  # only now: others are asking meanwhile, each with all keys in turn
                    return answer
                refused = answer
        if refused is None:
            assert unreadable is not None
            raise unreadable
        return refused

    async def _asked(self, path: str, wanted: Mapping[str, object], jwt: str) -> _Answer:
        headers = {
            "User-Agent": "mergegate",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": API_VERSION,
            "Authorization": f"Bearer {jwt}",
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
                date, retry_after = said.get("Date", ""), said.get("Retry-After", "")
                accepted = said.get("X-Accepted-GitHub-Permissions", "")
                return _Answer(response.status, date, retry_after, accepted, bytes(read))
        except TimeoutError:
            because = f"no complete answer within {SECONDS:g} s"
        except UpstreamDown as down:
            because = str(down)
        raise GitHubDown(NAME, because)

    async def _jwt(self, index: int, ahead: float) -> str:
        """Made anew for another key, and where the clock was set back or has proved wrong."""
        now, signed, key = self._now(), self._signed, self._identity.private_key(index)
        if signed is None or (signed.key, signed.ahead) != (key, ahead) or not 0 <= now - signed.at < JWT_LIFE:
            signed = _Signed(await app_jwt_apart(self._identity, now - ahead, index), key, now, ahead)
            self._signed = signed
        return signed.jwt

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


def _minted(value: object) -> Minted:
    """Raises ValueError for what GitHub does not document."""
    expires_at = datetime.fromisoformat(field(value, "expires_at", str))
    if expires_at.tzinfo is None:
        raise ValueError("expires_at has no zone")
    permissions = field(value, "permissions", dict)
    return Minted(
        token=SecretStr(field(value, "token", str)),
        expires_at=expires_at,
        permissions={name: field(permissions, name, str) for name in permissions},
        repositories=tuple(_named(one) for one in field(value, "repositories", list)),
    )


def _named(value: object) -> Named:
    """Raises ValueError. A repository without commits may have no default branch."""
    default = optional_field(value, "default_branch", str)
    return Named(field(value, "id", int), field(value, "full_name", str), default)
