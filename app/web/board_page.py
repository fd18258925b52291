"""The board of a repository as a page and as a record for programs, and the list of a person's boards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, Response

from app.keys import TicketKey
from app.store import repositories
from app.store.database import Database
from app.store.repositories import Repository
from app.store.tickets import boards
from app.tickets.board import SHOWN, board_of
from app.tickets.parts import Place, TicketParts, place_of
from app.web.board_silence import Silence, silence
from app.web.conditional import conditional
from app.web.entrance import Entrance, Visit
from app.web.pages import HEADERS
from app.web.recent import Recent
from app.web.sign_in import Person
from checks.accounts import Permission
from policies.tickets.board import Board, age
from policies.tickets.board_sections import Key, board_record, sections
from policies.tickets.page_texts import PAGE_TEXTS
from policies.tickets.states import State
from policies.tickets.texts import TEXTS
from policies.tickets.words import WORDS

MOST_ROWS = 50  # of a section; GitHub lists the rest
REMEMBERED = timedelta(seconds=3)  # however many look at it
MOST_BOARDS = 50  # of the list; each costs a question to GitHub the first time
# The words of the first line, by section.
COUNTED: dict[Key, str] = {
    "needs_you": "need_you",
    "mergeable": "mergeable",
    "failed": "failed",
    "running": "running",
    "waiting": "waiting",
}
LISTED = SHOWN | {State.DRAFT}


@dataclass(frozen=True, slots=True)
class Listed:
    """A board in the list; `open` counts tickets that have not ended."""

    repository: Repository
    open: int


class BoardPage:
    def __init__(
        self,
        parts: TicketParts,
        entrance: Entrance,
        web_url: str,
        now: Callable[[], datetime],
    ) -> None:
        self._parts = parts
        self._entrance = entrance
        self._pages = entrance.pages
        self._web_url = web_url
        self.now = now
        self._recent = Recent[tuple[Board, Silence]](REMEMBERED, now, at_once=4, most=1_000)

    @property
    def database(self) -> Database:
        return self._parts.gate.database

    def router(self) -> APIRouter:
        router = APIRouter()
        methods = ["GET", "HEAD"]
        router.add_api_route("/boards", self._list, methods=methods, response_class=Response)
        router.add_api_route("/{owner}/{name}/board", self._show, methods=methods, response_class=Response)
        router.add_api_route("/{owner}/{name}/board.json", self._record, methods=methods, response_class=Response)
        return router

    async def _show(
        self, request: Request, owner: str = Path(max_length=100), name: str = Path(max_length=100)
    ) -> Response:
        return conditional(request, await self._entrance.page(request, owner, name, self._page))

    async def _record(
        self, request: Request, owner: str = Path(max_length=100), name: str = Path(max_length=100)
    ) -> Response:
        return conditional(request, await self._entrance.record(request, owner, name, self._json))

    async def _page(self, visit: Visit) -> Response:
        place = await self.place(visit.repository)
        if place is None:
            return self._pages.not_found()
        board, quiet = await self._read(visit, place)
        return self._pages.page("board.html", script=True, **shown(board, quiet, visit.path))

    async def _json(self, visit: Visit) -> Response:
        place = await self.place(visit.repository)
        if place is None:
            return JSONResponse({"error": "The repository has no commit yet."}, 404, HEADERS)
        board, quiet = await self._read(visit, place)
        return JSONResponse({**board_record(board), "silence": quiet.record()}, headers=HEADERS)

    async def place(self, repository: Repository) -> Place | None:
        """None where the repository has no commit yet. Raises GitHub's errors."""
        return await place_of(self._parts, TicketKey(repository.installation_id, repository.repository_id, 0))

    async def _read(self, visit: Visit, place: Place) -> tuple[Board, Silence]:
        return await self._recent.get(place.repository.id, partial(self._read_anew, visit, place))

    async def _read_anew(self, visit: Visit, place: Place) -> tuple[Board, Silence]:
        """As of the minute: within it nothing is another page but for what happened."""
        now = self.now()
        async with self.database.transaction() as connection:
            board = await board_of(connection, place, self._web_url + visit.path, now, LISTED)
        quiet = await silence(self.database, visit.repository.repository_id)
        return replace(board, updated=now.replace(second=0, microsecond=0)), quiet

    async def _list(self, request: Request) -> Response:
        person = self._entrance.sign_in.person(request)
        if person is None:
            return self._entrance.sign_in.ask(request)
        return conditional(request, await self._entrance.guarded(partial(self._boards, person)))

    async def _boards(self, person: Person) -> Response:
        async with self.database.transaction() as connection:
            found = await boards.with_tickets(connection, MOST_BOARDS + 1)
            known = [(await repositories.find(connection, repository_id), count) for repository_id, count in found]
        listed = [Listed(one, count) for one, count in known[:MOST_BOARDS] if one is not None]
        allowed = await asyncio.gather(*(self._may_read(person, one) for one in listed))
        seen = [one for one, may in zip(listed, allowed, strict=True) if may]
        return self._pages.page("board-list.html", boards=seen, cut=len(found) > MOST_BOARDS)

    async def _may_read(self, person: Person, one: Listed) -> bool:
        return await self._entrance.readers.permission(person, one.repository) >= Permission.READ


def shown(board: Board, quiet: Silence, path: str) -> dict[str, Any]:
    """What the template is given."""
    words, found = {**TEXTS[board.language], **PAGE_TEXTS[board.language]}, sections(board)
    return {
        "board": board,
        "sections": found,
        "counted": COUNTED,
        "counts": [(one.key, len(one.rows)) for one in found if one.key in COUNTED],
        "most": MOST_ROWS,
        "path": path,
        "words": words,
        "states": WORDS[board.language].states,
        "quiet": quiet.sentences(board.language),
        "age": age,
        "total": len(board.rows),
    }
