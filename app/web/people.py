"""The pages that people sign in for, put together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import httpx
from fastapi import APIRouter
from starlette.responses import Response

from app.gate.gate import Gate
from app.github.git_access import web_url
from app.tickets.parts import TicketParts
from app.web.board_acts import BoardActs
from app.web.board_page import BoardPage
from app.web.entrance import Entrance
from app.web.forms import Forms
from app.web.pages import Pages
from app.web.pull_page import PullPage
from app.web.readers import Readers
from app.web.report_page import ReportPage
from app.web.sign_in import SignIn, UserAuthorization


def people_router(
    gate: Gate,
    authorization: UserAuthorization,
    connect: Callable[[], httpx.AsyncBaseTransport] | None = None,
) -> APIRouter:
    """`connect` replaces the connection of the sign-in."""
    pages, github = Pages(), web_url(authorization.api_url)
    sign_in = SignIn(authorization, pages, gate.now, connect)
    entrance = Entrance(Readers(gate.database, gate.client, gate.now), sign_in, pages)
    pull_page = PullPage(gate.database, entrance, github, gate.now)
    board_page = BoardPage(TicketParts(gate), entrance, github, gate.now)
    board_acts = BoardActs(board_page, entrance, Forms.of(authorization, gate.now), github)
    report_page = ReportPage(gate.database, entrance, gate.now, board_page.place)
    router = APIRouter()
    for part in (pages, sign_in, pull_page, board_page, board_acts, report_page):
        router.include_router(part.router())
    router.add_api_route("/", front_page(pages), response_class=Response)
    return router


def front_page(pages: Pages) -> Callable[[], Awaitable[Response]]:
    async def front() -> Response:
        return pages.page("front.html")

    return front
