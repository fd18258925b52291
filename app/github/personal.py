"""Requests with a person's or an agent's own token, for the commands that one types; the service never uses this."""

from __future__ import annotations

import httpx

from app.github.client import GitHubClient, Settings
from app.github.errors import GRANT_OWN
from app.github.identity import AppIdentity
from app.github.wire import Authorizer
from app.secret import SecretStr


class _OwnToken:
    grant = GRANT_OWN
    lacks = ""

    def __init__(self, token: SecretStr) -> None:
        self._token = token

    async def header(self) -> str:
        return f"Bearer {self._token.get_secret_value()}"

    def refused(self, header: str, date: str | None) -> bool:  # noqa: ARG002 - there is no other token to try
        return False


class PersonalClient(GitHubClient):
    """The client of one token; what it may do is what GitHub lets that token do."""

    def __init__(
        self,
        token: SecretStr,
        api_url: str,
        *,
        inner: httpx.AsyncBaseTransport | None = None,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(AppIdentity("gate", 0, (), api_url), None, inner=inner, settings=settings)
        self._own = _OwnToken(token)

    def _authorizer(self, purpose: str, repository: str | None) -> Authorizer:  # noqa: ARG002 - one token for all
        return self._own
