"""Signing in with GitHub: the App's web flow for its users, through githubkit.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app

The user's token answers who they are, does at most one errand that they sent us on, and is revoked within the same
request: it is never kept, neither here nor in their browser. What they may read is asked with the App's own token.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeVar
from urllib.parse import quote, urlencode

import httpx
import re2
import structlog
from fastapi import APIRouter, Request
from githubkit import GitHub, OAuthAppAuthStrategy, OAuthTokenAuthStrategy, OAuthWebAuthStrategy
from githubkit.exception import GitHubException
from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from app.github.git_access import web_url
from app.json_model import JsonModel
from app.secret import SecretStr
from app.web.cookies import Cookie
from app.web.pages import Pages

log = structlog.get_logger(__name__)

Auth = TypeVar("Auth", OAuthAppAuthStrategy, OAuthTokenAuthStrategy)
PATH = "/sign-in"
RETURN_PATH = "/signed-in"
SESSION = timedelta(hours=12)
PENDING = timedelta(minutes=10)
SECONDS = 20.0  # for GitHub to confirm
# Only to pages of our own; anything else would send people elsewhere in our name.
_OWN_PAGE = re2.compile(
    r"/(?:boards|[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(?:/pull/[0-9]{1,12}|/board(?:/(?:[0-9]{1,12}|all))?|/report)?)?"
)


@dataclass(frozen=True, slots=True)
class UserAuthorization:
    """How people sign in: the App's client and where this service is reached."""

    client_id: str
    client_secrets: Sequence[SecretStr]  # the newest first; they may change meanwhile
    public_url: str  # without a slash at its end
    api_url: str

    @property
    def secure(self) -> bool:
        return self.public_url.startswith("https://")


@dataclass(frozen=True, slots=True)
class Person:
    """Who has signed in. The login may change its owner; `id` does not."""

    id: int
    login: str


class _User(JsonModel):
    """GET /user, as far as it is needed."""

    id: int
    login: str


UserGitHub = GitHub[OAuthTokenAuthStrategy]


class Errand(Protocol):
    """What is done once in a person's own name; `about` is what it is about. It deals with GitHub's errors itself."""

    async def run(self, github: UserGitHub, person: Person, about: str) -> Response: ...

    async def give_up(self, about: str) -> Response:
        """GitHub did not say who it is, because they refused, or it is away."""


class NotConfirmed(Exception):
    """GitHub did not say who it is."""


class SignIn:
    """`connect` replaces the connection to GitHub, for a server in the same process."""

    def __init__(
        self,
        authorization: UserAuthorization,
        pages: Pages,
        now: Callable[[], datetime],
        connect: Callable[[], httpx.AsyncBaseTransport] | None = None,
    ) -> None:
        self._authorization = authorization
        self._pages = pages
        self._now = now
        self._connect = connect or httpx.AsyncHTTPTransport
        self.errand: Errand | None = None
        secrets, secure = authorization.client_secrets, authorization.secure
        self._session = Cookie("mergegate", SESSION, secrets, secure)
        self._pending = Cookie("mergegate-sign-in", PENDING, secrets, secure)

    def person(self, request: Request) -> Person | None:
        """Who asks; None for whoever has not signed in, or too long ago."""
        claims = self._session.read(request.cookies, self._now())
        return None if claims is None else Person(int(claims["sub"]), claims["login"])

    def ask(self, request: Request) -> Response:
        """To the sign-in, and from there back to the page that was asked for."""
        return RedirectResponse(f"{PATH}?to={quote(request.url.path)}", 303)

    def router(self) -> APIRouter:
        router = APIRouter()
        router.add_api_route(PATH, self._begin, response_class=Response)
        router.add_api_route(RETURN_PATH, self._end, response_class=Response)
        router.add_api_route("/sign-out", self._sign_out, methods=["POST"], response_class=Response)
        return router

    async def _begin(self, request: Request) -> Response:
        state = secrets.token_urlsafe(32)
        response = RedirectResponse(self._at_github(state), 303)
        to = own_page(request.query_params.get("to", "/"))
        self._pending.put(response, {"state": state, "to": to}, self._now())
        return response

    def send(self, about: str, heading: str, language: str) -> Response:
        """To GitHub, so that the errand is done in the name of whoever comes back.

        By a page of its own: where a form was sent, browsers follow redirects only to where its page let it go, and
        whither an organisation's sign-in leads nobody knows (https://www.w3.org/TR/CSP3/#directive-form-action).
        """
        state = secrets.token_urlsafe(32)
        response = self._pages.page("onward.html", address=self._at_github(state), heading=heading, language=language)
        self._pending.put(response, {"state": state, "about": about}, self._now())
        return response

    def _at_github(self, state: str) -> str:
        asked = {"client_id": self._authorization.client_id, "redirect_uri": self._return_url, "state": state}
        return f"{web_url(self._authorization.api_url)}/login/oauth/authorize?{urlencode(asked)}"

    async def _end(self, request: Request) -> Response:
        pending = self._pending.read(request.cookies, self._now())
        state, code = request.query_params.get("state", ""), request.query_params.get("code", "")
        if pending is None or not secrets.compare_digest(state.encode(), pending["state"].encode()):
            return self._refused("This sign-in was begun elsewhere or too long ago.")
        try:
            response = await self._confirmed(code, pending)
        except NotConfirmed as wrong:
            response = await self._given_up(str(wrong), pending)
        self._pending.remove(response)  # each state is for one return
        return response

    async def _given_up(self, because: str, pending: Mapping[str, str]) -> Response:
        if "about" in pending and self.errand is not None:
            return await self.errand.give_up(pending["about"])
        return self._refused(because)

    async def _sign_out(self, request: Request) -> Response:
        """Only from a page of our own (https://developer.mozilla.org/en-US/docs/Web/HTTP/Headers/Sec-Fetch-Site)."""
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return self._refused("Signing out was asked for by another page.")
        response = self._pages.message("You are signed out.", "Open a pull request's page to sign in again.")
        self._session.remove(response)
        return response

    def _refused(self, because: str) -> Response:
        return self._pages.message("You are not signed in.", f"{because} Open the page you wanted again.", 400)

    @property
    def _return_url(self) -> str:
        return self._authorization.public_url + RETURN_PATH

    async def _confirmed(self, code: str, pending: Mapping[str, str]) -> Response:
        """Raises NotConfirmed."""
        if not code or len(code) > 200:
            raise NotConfirmed("GitHub did not confirm who you are.")
        try:
            return await self._exchange(code, pending)
        except (GitHubException, ValidationError, ValueError, KeyError, TimeoutError) as wrong:
            log.info("sign-in failed", error=type(wrong).__name__)
            raise NotConfirmed("GitHub did not confirm who you are.") from None

    async def _exchange(self, code: str, pending: Mapping[str, str]) -> Response:
        one = self._authorization
        secret = one.client_secrets[0].get_secret_value()
        flow = OAuthWebAuthStrategy(one.client_id, secret, code, self._return_url)
        # As the flow's own client githubkit would exchange the code twice, and the second time fails.
        async with asyncio.timeout(SECONDS):
            token = await flow.async_exchange_token(self._github(flow.as_oauth_app()))
        async with self._github(token) as github:
            try:
                async with asyncio.timeout(SECONDS):
                    user = _User.model_validate((await github.arequest("GET", "/user")).json())
                return await self._came_back(github, Person(user.id, user.login), pending)
            finally:
                await self._forget(github, token.token)

    async def _came_back(self, github: UserGitHub, person: Person, pending: Mapping[str, str]) -> Response:
        if "about" in pending:
            assert self.errand is not None
            return await self.errand.run(github, person, pending["about"])
        response = RedirectResponse(own_page(pending["to"]), 303)
        self._session.put(response, {"sub": str(person.id), "login": person.login}, self._now())
        return response

    def _github(self, auth: Auth) -> GitHub[Auth]:
        url = self._authorization.api_url
        return GitHub(auth, base_url=url, auto_retry=False, http_cache=False, async_transport=self._connect())

    async def _forget(self, github: UserGitHub, token: str | None) -> None:
        """Revoke the token; one that cannot be revoked now ends by itself, and nobody keeps it."""
        path = f"/applications/{self._authorization.client_id}/token"
        try:
            async with asyncio.timeout(SECONDS):
                await github.arequest("DELETE", path, json={"access_token": token})
        except (GitHubException, TimeoutError) as wrong:
            log.info("the user's token was not revoked", error=type(wrong).__name__)


def own_page(to: str) -> str:
    """The path if it is a page of this service, else its front page."""
    return to if _OWN_PAGE.fullmatch(to[:300]) else "/"
