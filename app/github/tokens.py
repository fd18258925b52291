"""Installation tokens: one a purpose and repository, minted once however many ask, kept until shortly before the end.

Tokens are opaque text of any length: https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import AwareDatetime, ConfigDict

from app.github.identity import TOKEN_MARGIN
from app.json_model import JsonModel
from app.secret import SecretStr


@dataclass(frozen=True)
class Grant:
    """What a token may do: permissions as sorted pairs, and one repository by name or all of the installation."""

    permissions: tuple[tuple[str, str], ...]
    repository: str | None = None


class Token(JsonModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    token: SecretStr
    expires_at: AwareDatetime

    def usable(self, now: float) -> bool:
        return self.expires_at.timestamp() - now > TOKEN_MARGIN


Mint = Callable[[Grant], Awaitable[Token]]


class Tokens:
    """The tokens of one installation. `mint` asks GitHub; its errors reach everyone who waits, and nothing is kept.

    `now` is GitHub's time, by which they end.
    """

    def __init__(self, mint: Mint, now: Callable[[], float]) -> None:
        self._mint = mint
        self._now = now
        self._tokens: dict[Grant, Token] = {}
        self._minting: dict[Grant, asyncio.Task[Token]] = {}

    async def get(self, grant: Grant) -> Token:
        """A token with at least five minutes to live. Raises what minting raises."""
        token = self._tokens.get(grant)
        if token is not None and token.usable(self._now()):
            return token
        task = self._minting.get(grant)
        if task is None:
            task = self._minting[grant] = asyncio.create_task(self._mint_and_keep(grant))
            task.add_done_callback(_seen)
        return await asyncio.shield(task)

    def evict(self, grant: Grant, token: SecretStr) -> None:
        """Forget a token that GitHub refused, unless a newer one has taken its place."""
        kept = self._tokens.get(grant)
        if kept is not None and kept.token == token:
            del self._tokens[grant]

    def evict_all(self) -> None:
        """Forget every token: permissions were changed, or the installation is gone."""
        self._tokens.clear()

    async def _mint_and_keep(self, grant: Grant) -> Token:
        try:
            token = await self._mint(grant)
            self._drop_expired()
            self._tokens[grant] = token
            return token
        finally:
            del self._minting[grant]

    def _drop_expired(self) -> None:
        now = self._now()
        self._tokens = {grant: token for grant, token in self._tokens.items() if token.usable(now)}


def _seen(task: asyncio.Task[Token]) -> None:
    """Take note of an error that nobody waits for any more, so that asyncio does not complain about it."""
    if not task.cancelled():
        task.exception()
