"""A ticket's page and its buttons: what is pressed is written as a comment, and nothing else happens here."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from app.tickets.parts import Place
from app.web.board_page import BoardPage
from app.web.board_silence import silence
from app.web.board_ticket import TicketSeen, ViewedAt, all_seen, said, shown_ticket, ticket_seen
from app.web.board_writing import Wanted, Writing
from app.web.entrance import Entrance, Visit
from app.web.forms import Forms, NotOurs, read_form
from policies.tickets.offers import NotSaid, comment
from policies.tickets.verbs import ALL

TICKET = f"^({ALL}|[1-9][0-9]{{0,11}})$"


class BoardActs:
    def __init__(self, board: BoardPage, entrance: Entrance, forms: Forms, web_url: str) -> None:
        self._board = board
        self._entrance = entrance
        self._pages = entrance.pages
        self._forms = forms
        self._web_url = web_url
        self._writing = Writing(board.database, entrance, web_url)
        entrance.sign_in.errand = self._writing

    def router(self) -> APIRouter:
        router, path = APIRouter(), "/{owner}/{name}/board/{ticket}"
        router.add_api_route(path, self._show, methods=["GET", "HEAD"], response_class=Response)
        router.add_api_route(path, self._press, methods=["POST"], response_class=Response)
        return router

    async def _show(
        self,
        request: Request,
        owner: str = Path(max_length=100),
        name: str = Path(max_length=100),
        ticket: str = Path(pattern=TICKET),
    ) -> Response:
        written = request.query_params.get("said", "")
        return await self._entrance.page(request, owner, name, partial(self._page, ticket, written))

    async def _press(
        self,
        request: Request,
        owner: str = Path(max_length=100),
        name: str = Path(max_length=100),
        ticket: str = Path(pattern=TICKET),
    ) -> Response:
        return await self._entrance.page(request, owner, name, partial(self._pressed, ticket, request))

    async def _seen(self, visit: Visit, place: Place, ticket: str) -> TicketSeen | None:
        async with self._board.database.transaction() as connection:
            if ticket == ALL:
                return await all_seen(connection, place, visit.permission)
            address = self._web_url + visit.path
            return await ticket_seen(connection, place, int(ticket), visit, address, self._board.now())

    async def _page(self, ticket: str, written: str, visit: Visit) -> Response:
        place = await self._board.place(visit.repository)
        seen = None if place is None else await self._seen(visit, place, ticket)
        if place is None or seen is None:
            return self._pages.not_found()
        async with self._board.database.transaction() as connection:
            outcome = await said(connection, visit, written)
        quiet = await silence(self._board.database, visit.repository.repository_id)
        return self._rendered(visit, place, seen, outcome=outcome, quiet=quiet.sentences(place.rules.language))

    def _rendered(self, visit: Visit, place: Place, seen: TicketSeen, **more: Any) -> Response:
        now = self._board.now().replace(second=0, microsecond=0)
        at = ViewedAt(self._web_url + visit.path, now, place.rules.language, visit.path)
        values = shown_ticket(seen, at, self._forms.token(visit.person), visit.person.login)
        return self._pages.page("board-ticket.html", **(values | more))

    async def _pressed(self, ticket: str, request: Request, visit: Visit) -> Response:
        place = await self._board.place(visit.repository)
        seen = None if place is None else await self._seen(visit, place, ticket)
        if place is None or seen is None:
            return self._pages.not_found()
        language = place.rules.language
        try:
            fields = await read_form(request)
            page = self._forms.page_of(request, visit.person, fields)
        except NotOurs:
            return self._writing.told("old", 403, language)
        offer = next((one for one in seen.offers if one.command == fields.get("command")), None)
        if offer is None or offer.elsewhere:
            return self._writing.told("gone", 409, language)
        try:
            body = comment(offer, fields.get("words", ""), fields.get("reason", ""), prefixed=seen.prefixed)
        except NotSaid:
            return self._writing.told("words", 422, language)
        if offer.sure and fields.get("sure") != "yes":
            return self._rendered(visit, place, seen, sure=(offer, fields.get("reason", "")), token=fields["token"])
        return await self._writing.press(visit, Wanted(page, seen.thread_of(offer), seen.ticket, body), language)
