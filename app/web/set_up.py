"""The set-up page: registers both Apps on GitHub from their manifests and keeps what GitHub answers.

It is there only while no App is configured, and only for whoever has the key that the service printed.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

import httpx
import structlog
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.errors import ActionableError
from app.github.errors import GitHubError
from app.github.git_access import web_url
from app.github.registering import convert
from app.local.shipped import app_manifest
from app.registrations import Role, load, registration_of, save
from app.web.manifests import REGISTERED_PATH, BadAccount, manifest, reasons, registration_address
from app.web.pages import Pages

log = structlog.get_logger(__name__)

PATH = "/set-up"
COOKIE = "mergegate-set-up"
Step = Literal["gate", "courier", "done"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the person chose; the same for both Apps. `account` is an organisation, or empty for their own."""

    account: str = ""
    public_url: str = ""
    polling: bool = False


class BadAddress(ActionableError, ValueError):
    """The public address is none that GitHub or people could reach."""


class SetUp:
    """`connected` is set once the gate's App is there and the person has gone on or registered the courier too."""

    def __init__(
        self,
        data: Path,
        api_url: str,
        key: str,
        pages: Pages,
        connect: Callable[[], httpx.AsyncBaseTransport] = httpx.AsyncHTTPTransport,
    ) -> None:
        self.connected = asyncio.Event()
        self._data = data
        self._api_url = api_url
        self._key = key
        self._pages = pages
        self._connect = connect
        self._wanted = Wanted()
        self._states: dict[str, tuple[Role, Wanted]] = {}  # each is good for one App

    def router(self) -> APIRouter:
        router = APIRouter()
        router.add_api_route("/", self._front, response_class=Response)
        router.add_api_route("/healthz", self._healthz, response_class=Response)
        router.add_api_route("/readyz", self._readyz, response_class=Response)
        router.add_api_route(PATH, self._begin, response_class=Response)
        router.add_api_route(f"{PATH}/app", self._app, response_class=Response)
        router.add_api_route(REGISTERED_PATH, self._registered, response_class=Response)
        router.add_api_route(f"{PATH}/done", self._done, methods=["POST"], response_class=Response)
        return router

    async def _front(self) -> Response:
        return self._pages.message("Mergegate is not connected to GitHub yet.", "Open the address that it printed.")

    async def _healthz(self) -> Response:
        """A probe must not end the service while a person registers the App."""
        return JSONResponse({"status": "waits to be connected to GitHub"})

    async def _readyz(self) -> Response:
        return JSONResponse({"status": "not ready", "troubles": ["not connected to GitHub"]}, 503)

    async def _begin(self, request: Request) -> Response:
        """The form; the key in the address becomes a cookie, so that it stays out of what the browser shows."""
        given = request.query_params.get("key")
        if given is not None and secrets.compare_digest(given.encode(), self._key.encode()):
            response = RedirectResponse(PATH, 303)
            secure = request.url.scheme == "https"
            response.set_cookie(COOKIE, self._key, httponly=True, samesite="lax", secure=secure)
            return response
        if not self._knows(request):
            return self._pages.message(
                "Who are you?", "Open the whole address that the service printed, key and all.", 403
            )
        role = self._next()
        if role == "done":
            return self._finished()
        here = str(request.base_url).rstrip("/")
        return self._pages.page("set-up.html", role=role, here=here, wanted=self._wanted, wrong=None)

    async def _app(self, request: Request) -> Response:
        """What will be registered and why, and the button that does it on GitHub."""
        if not self._knows(request):
            return await self._begin(request)
        role, query = self._next(), request.query_params
        if role == "done":
            return self._finished()
        try:
            if role == "gate":
                self._wanted = _wanted(query)
            return self._offered(role)
        except (BadAddress, BadAccount) as wrong:
            words = "That is no name of an organisation." if isinstance(wrong, BadAccount) else str(wrong)
            here = str(request.base_url).rstrip("/")
            return self._pages.page("set-up.html", 400, role=role, here=here, wanted=self._wanted, wrong=words)

    def _offered(self, role: Role) -> Response:
        wanted, template = self._wanted, app_manifest(role)
        state = secrets.token_urlsafe(24)
        address = registration_address(web_url(self._api_url), wanted.account, state)
        self._states[state] = role, wanted
        made = manifest(role, template, wanted.public_url, wanted.account, polling=wanted.polling)
        return self._pages.page(
            "set-up-app.html",
            form_action=web_url(self._api_url),
            role=role,
            address=address,
            made=made,
            reasons=reasons(role, template),
        )

    async def _registered(self, request: Request) -> Response:
        """GitHub sends the browser here; the state shows that it was this page that sent it there, and with what.

        What was asked for since does not count: another site's link may have asked.
        """
        begun = self._states.pop(request.query_params.get("state", ""), None)
        if begun is None or not self._knows(request):
            return self._pages.message("That registration was not begun here.", f"Begin again at {PATH}.", 403)
        try:
            app = await convert(self._api_url, request.query_params.get("code", ""), self._connect)
        except GitHubError as wrong:
            log.warning("the App was not registered", error=str(wrong))
            return self._pages.message("GitHub did not hand over the App.", f"Begin again at {PATH}. {wrong}", 502)
        role, self._wanted = begun
        registration = registration_of(app, self._wanted.public_url, polling=self._wanted.polling)
        await asyncio.to_thread(save, self._data, role, registration)
        log.info("an App was registered", role=role, app_id=app.id, slug=app.slug)
        if role == "courier":
            self.connected.set()
            return self._finished()
        return RedirectResponse(PATH, 303)

    async def _done(self, request: Request) -> Response:
        """Without a courier: the proxy can be set up later."""
        if not self._knows(request) or self._next() == "gate":
            return await self._begin(request)
        self.connected.set()
        return self._finished()

    def _finished(self) -> Response:
        roles: tuple[Role, ...] = ("gate", "courier")
        apps = [app for app in (load(self._data, role) for role in roles) if app is not None]
        return self._pages.page("set-up-done.html", apps=apps)

    def _knows(self, request: Request) -> bool:
        return secrets.compare_digest(request.cookies.get(COOKIE, "").encode(), self._key.encode())

    def _next(self) -> Step:
        gate = load(self._data, "gate")
        if gate is None:
            return "gate"
        if self._wanted.public_url == "":
            self._wanted = replace(self._wanted, public_url=gate.public_url, polling=gate.polling)
        return "courier" if load(self._data, "courier") is None and not self.connected.is_set() else "done"


def key_address(base: str, key: str) -> str:
    """What the service prints."""
    return f"{base}{PATH}?{urlencode({'key': key})}"


def _wanted(query: Mapping[str, Any]) -> Wanted:
    """Raises BadAddress."""
    url = public_address(str(query.get("address", "")))
    return Wanted(str(query.get("account", "")).strip()[:100], url, query.get("polling") == "on")


def public_address(text: str) -> str:
    """The address at which GitHub and people reach the service, without a slash at its end. Raises BadAddress."""
    url = text.strip().rstrip("/")[:300]
    parts = urlsplit(url)
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if (
        parts.scheme not in ("https", "http")
        or not parts.hostname
        or parts.query
        or (parts.scheme == "http" and not local)
    ):
        raise BadAddress(f"{url or 'An empty address'} is no address for the service. Write https:// and its name.")
    return url
