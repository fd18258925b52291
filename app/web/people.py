"""The pages that people sign in for, put together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

import httpx
from fastapi import APIRouter
from starlette.responses import Response

from app.github.client import GitHubClient
from app.github.git_access import web_url
from app.store.database import Database
from app.web.pages import Pages
from app.web.pull_page import PullPage
from app.web.readers import Readers
from app.web.sign_in import SignIn, UserAuthorization


def people_router(
    database: Database,
    client: Callable[[int], GitHubClient],
    authorization: UserAuthorization,
    now: Callable[[], datetime],
    connect: Callable[[], httpx.AsyncBaseTransport] | None = None,
) -> APIRouter:
    """`client` gives the App's client of an installation; `connect` replaces the connection of the sign-in."""
    pages = Pages()
    sign_in = SignIn(authorization, pages, now, connect)
    pull_page = PullPage(database, Readers(database, client, now), sign_in, pages, web_url(authorization.api_url), now)
    router = APIRouter()
    for part in (pages, sign_in, pull_page):
        router.include_router(part.router())
    router.add_api_route("/", front_page(pages), response_class=Response)
    return router


def front_page(pages: Pages) -> Callable[[], Awaitable[Response]]:
    async def front() -> Response:
        return pages.message("Mergegate", "Open a pull request on GitHub, then the details of a mergegate check.")

    return front
