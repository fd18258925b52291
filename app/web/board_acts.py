"""Buttons on the board's pages: what is pressed becomes a comment in the person's own name, and nothing else happens.

Whoever presses is sent to GitHub, which knows them and sends them back at once; the token that this brings writes the
one comment and is revoked, so that none is ever kept. The gate hears the comment like every other one, by its delivery
or its resync: right, state and limits are judged there, and the comment stays as the record.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog
from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from githubkit.exception import GitHubException, RequestFailed
from starlette.responses import RedirectResponse

from app.github.addresses import route
from app.github.issues import ISSUE
from app.store import page_commands, repositories
from app.store.page_commands import PageCommand
from app.store.repositories import Repository
from app.tickets.parts import Place
from app.web.board_page import BoardPage
from app.web.board_ticket import EVERY, TicketSeen, ViewedAt, all_seen, said, shown_ticket, ticket_seen
from app.web.entrance import Entrance, Visit
from app.web.forms import Forms, NotOurs, read_form
from app.web.sign_in import Person, UserGitHub
from policies.tickets.offers import NotSaid, Offer, comment

log = structlog.get_logger(__name__)

SECONDS = 20.0  # for GitHub to take the comment
OLD = ("Nothing was written: this button is too old.", "Open the board again and press it there.")
GONE = (
    "Nothing was written: that cannot be said here now.",
    "The ticket has changed. Open it again to see what can be.",
)
OTHER = ("Nothing was written: GitHub knows you as somebody else.", "Sign out here and at GitHub, and sign in as one.")
UNSURE = ("It may have been written or not.", "Look at the thread on GitHub before you say it again.")


@dataclass(frozen=True, slots=True)
class Pressed:
    """A form that was sent: on which page, and what."""

    page: str
    fields: Mapping[str, str]


class BoardActs:
    def __init__(self, board: BoardPage, entrance: Entrance, forms: Forms, web_url: str) -> None:
        self._board = board
        self._entrance = entrance
        self._pages = entrance.pages
        self._forms = forms
        self._web_url = web_url
        entrance.sign_in.errand = self

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
        ticket: str = Path(pattern=f"^({EVERY}|[1-9][0-9]{{0,11}})$"),
    ) -> Response:
        written = request.query_params.get("said", "")
        return await self._entrance.page(request, owner, name, partial(self._page, ticket, written))

    async def _press(
        self,
        request: Request,
        owner: str = Path(max_length=100),
        name: str = Path(max_length=100),
        ticket: str = Path(pattern=f"^({EVERY}|[1-9][0-9]{{0,11}})$"),
    ) -> Response:
        person = self._entrance.sign_in.person(request)
        if person is None:
            return self._entrance.sign_in.ask(request)
        try:
            fields = await read_form(request)
            pressed = Pressed(self._forms.page_of(request, person, fields), fields)
        except NotOurs:
            return self._pages.message(*OLD, 403)
        return await self._entrance.page(request, owner, name, partial(self._pressed, ticket, pressed))

    async def _seen(self, visit: Visit, place: Place, ticket: str) -> TicketSeen | None:
        async with self._board.database.transaction() as connection:
            if ticket == EVERY:
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
        return self._rendered(visit, place, seen, outcome=outcome)

    def _rendered(self, visit: Visit, place: Place, seen: TicketSeen, **more: Any) -> Response:
        now = self._board.now().replace(second=0, microsecond=0)
        at = ViewedAt(self._web_url + visit.path, now, place.rules.language, visit.path)
        values = shown_ticket(seen, at, self._forms.token(visit.person), visit.person.login)
        return self._pages.page("board-ticket.html", **(values | more))

    async def _pressed(self, ticket: str, pressed: Pressed, visit: Visit) -> Response:
        place = await self._board.place(visit.repository)
        seen = None if place is None else await self._seen(visit, place, ticket)
        if place is None or seen is None:
            return self._pages.not_found()
        fields = pressed.fields
        offer = next((one for one in seen.offers if one.command == fields.get("command")), None)
        if offer is None or offer.elsewhere:
            return self._pages.message(*GONE, 409)
        try:
            body = comment(offer, fields.get("words", ""), fields.get("reason", ""), prefixed=seen.prefixed)
        except NotSaid as wrong:
            return self._pages.message(f"Nothing was written: {wrong}", "Go back and write it anew.", 422)
        if offer.sure and fields.get("sure") != "yes":
            return self._rendered(visit, place, seen, sure=(offer, fields.get("reason", "")), token=fields["token"])
        return await self._kept(visit, seen, offer, body, pressed.page)

    async def _kept(self, visit: Visit, seen: TicketSeen, offer: Offer, body: str, page: str) -> Response:
        """The same button of the same page is one command, however often it is sent."""
        repository, thread = visit.repository, seen.thread_of(offer)
        told = f"{page} {repository.repository_id} {thread} {body}"
        key = hashlib.sha256(told.encode()).hexdigest()
        command = PageCommand(key, repository.repository_id, thread, seen.ticket, visit.person.id, body)
        async with self._board.database.transaction() as connection:
            kept = await page_commands.press(connection, command)
        return self._again(repository, kept) if kept.begun else self._entrance.sign_in.send(key)

    def _again(self, repository: Repository, kept: PageCommand) -> Response:
        return self._pages.message(*UNSURE, 409) if kept.comment_id is None else _result(repository, kept)

    async def run(self, github: UserGitHub, person: Person, key: str) -> Response:
        """Write the comment that was pressed, as whom GitHub says has come back, if that is who pressed."""
        async with self._board.database.transaction() as connection:
            kept = await page_commands.find(connection, key)
            repository = None if kept is None else await repositories.find(connection, kept.repository_id)
            if kept is None or repository is None:
                return self._pages.message(*GONE, 409)
            if kept.person_id != person.id:
                return self._pages.message(*OTHER, 403)
            if not await page_commands.begin(connection, key):
                return self._again(repository, kept)
        return await self._commented(github, repository, kept)

    async def give_up(self, key: str) -> Response:
        """The command to say oneself."""
        async with self._board.database.transaction() as connection:
            kept = await page_commands.find(connection, key)
            repository = None if kept is None else await repositories.find(connection, kept.repository_id)
        if kept is None or repository is None:
            return self._pages.message(*GONE, 409)
        return self._to_copy(repository, kept, "GitHub did not confirm who you are")

    def _to_copy(self, repository: Repository, kept: PageCommand, because: str) -> Response:
        path = f"/{repository.owner}/{repository.name}"
        return self._pages.page(
            "board-copy.html",
            409,
            because=because,
            body=kept.body,
            thread=f"{self._web_url}{path}/issues/{kept.thread}",
            back=f"{path}/board/{kept.ticket}",
        )

    async def _commented(self, github: UserGitHub, repository: Repository, kept: PageCommand) -> Response:
        path = route(ISSUE + "/comments", owner=repository.owner, name=repository.name, number=kept.thread)
        try:
            async with asyncio.timeout(SECONDS):
                answer = await github.arequest("POST", path, json={"body": kept.body})
            comment_id = int(answer.json()["id"])
        except RequestFailed as wrong:
            return await self._not_written(repository, kept, wrong.response.status_code)
        except (GitHubException, TimeoutError, ValueError, KeyError, TypeError) as wrong:
            log.warning("a comment may not have been written", error=type(wrong).__name__)
            return self._pages.message(*UNSURE, 502)
        async with self._board.database.transaction() as connection:
            await page_commands.written(connection, kept.key, comment_id)
        return _result(repository, replace(kept, comment_id=comment_id))

    async def _not_written(self, repository: Repository, kept: PageCommand, status: int) -> Response:
        """GitHub did nothing where it refuses; where it fails nobody knows."""
        log.warning("a comment was not written", status=status)
        if status >= 500:
            return self._pages.message(*UNSURE, 502)
        async with self._board.database.transaction() as connection:
            await page_commands.unwritten(connection, kept.key)
        return self._to_copy(repository, kept, "GitHub refused it")


def _result(repository: Repository, written: PageCommand) -> Response:
    """The page of the ticket, which says what became of it."""
    path = f"/{repository.owner}/{repository.name}/board/{written.ticket}"
    return RedirectResponse(f"{path}?said={written.comment_id}", 303)
