"""Tokens of the courier App for the agents' traffic: one repository by its id, a route's permissions, one session.

They are kept in memory for one session, and revoked when it ends. Nothing outside of `app.proxy` sees one. GitHub's
answer to minting names the repository, which is how a renamed one is followed. Source:
https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog

from app.github.errors import GitHubError, UnexpectedAnswer
from app.proxy.grant import Grant
from app.proxy.minting import Minted
from app.secret import SecretStr

log = structlog.get_logger(__name__)

# What a token may ever hold. Workflows and administration are no part of it, and what the gate's word rests on (checks,
# statuses, runs) is read only.
MOST: Mapping[str, tuple[str, ...]] = {
    "metadata": ("read",),
    "contents": ("read", "write"),
    "pull_requests": ("read", "write"),
    "issues": ("read", "write"),
    "checks": ("read",),
    "statuses": ("read",),
    "actions": ("read",),
}


@dataclass(frozen=True, slots=True)
class Credential:
    """A token, when it was minted (Unix time), and the repository's owner, name and default branch at that time."""

    token: SecretStr
    owner: str
    repository: str
    minted_at: float
    default_branch: str | None  # short name


@dataclass(frozen=True, slots=True)
class _Kept:
    credential: Credential
    minted: Minted


@dataclass(frozen=True, slots=True)
class _Key:
    session: int
    installation_id: int
    repository_id: int
    permissions: tuple[tuple[str, str], ...]


Mint = Callable[[int, int, Mapping[str, str]], Awaitable[Minted]]


class Courier:
    """`mint` asks GitHub for a token (installation, repository, permissions); `revoke` gives one back and may fail."""

    def __init__(
        self, mint: Mint, revoke: Callable[[SecretStr], Awaitable[None]], now: Callable[[], float] = time.time
    ) -> None:
        self._ask = mint
        self._revoke = revoke
        self._now = now
        self._held: dict[_Key, asyncio.Task[_Kept]] = {}

    async def token(self, grant: Grant, permissions: Mapping[str, str]) -> SecretStr:
        """A token with exactly these permissions on the grant's repository, for this session.

        Raises the errors of `app.github.errors` (in words for an operator), ValueError for what no route may have.
        """
        return (await self.credential(grant, permissions)).token

    async def credential(self, grant: Grant, permissions: Mapping[str, str]) -> Credential:
        """The same with the present name of the repository. However many ask, one request is sent."""
        key = _Key(grant.session, grant.installation_id, grant.repository_id, _checked(permissions))
        task = self._held.get(key)
        if task is None or (task.done() and not _usable(task, self._now())):
            task = self._held[key] = asyncio.create_task(self._mint(key))
        return (await asyncio.shield(task)).credential

    def evict(self, grant: Grant, token: SecretStr) -> None:
        """Forget a token that GitHub refused; the next one is new."""
        for key, task in list(self._held.items()):
            if key.session == grant.session and _token_of(task) == token:
                del self._held[key]

    @property
    def sessions(self) -> set[int]:
        """The sessions for which tokens are held."""
        return {key.session for key in self._held}

    async def end(self, session_id: int) -> None:
        """The session is over: its tokens are forgotten and given back."""
        ended = [self._held.pop(key) for key in list(self._held) if key.session == session_id]
        await asyncio.gather(*(self._give_back(task) for task in ended))

    async def aclose(self) -> None:
        """Give all tokens back."""
        held, self._held = list(self._held.values()), {}
        await asyncio.gather(*(self._give_back(task) for task in held))

    async def _give_back(self, task: asyncio.Task[_Kept]) -> None:
        try:
            kept = await task
            await self._revoke(kept.credential.token)
        except GitHubError as wrong:
            # It ends by itself within the hour, and nobody but this process ever had it.
            log.warning("a token of the courier could not be given back", because=str(wrong))

    async def _mint(self, key: _Key) -> _Kept:
        minted = await self._ask(key.installation_id, key.repository_id, dict(key.permissions))
        named = next((one for one in minted.repositories if one.id == key.repository_id), None)
        if named is None or len(minted.repositories) != 1:
            raise UnexpectedAnswer("POST access_tokens", "the token is not for the one repository that was asked for")
        if excess := {name: level for name, level in minted.permissions.items() if not _asked(key, name, level)}:
            raise UnexpectedAnswer("POST access_tokens", f"the token may do more than was asked for: {sorted(excess)}")
        owner, _, name = named.full_name.partition("/")
        return _Kept(Credential(minted.token, owner, name, self._now(), named.default_branch), minted)


def _checked(permissions: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    for name, level in permissions.items():
        if level not in MOST.get(name, ()):
            raise ValueError(f"no route of the proxy has the permission {name}={level}")
    return tuple(sorted({**permissions, "metadata": "read"}.items()))


def _asked(key: _Key, name: str, level: str) -> bool:
    wanted = dict(key.permissions).get(name)
    return wanted == level or (wanted == "write" and level == "read")


def _usable(task: asyncio.Task[_Kept], now: float) -> bool:
    return not task.cancelled() and task.exception() is None and task.result().minted.usable(now)


def _token_of(task: asyncio.Task[_Kept]) -> SecretStr | None:
    if not task.done() or task.cancelled() or task.exception() is not None:
        return None
    return task.result().credential.token
