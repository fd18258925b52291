"""The board's own script in a browser, under the page's own headers: it follows, and says when nobody answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.web.board_page import shown
from app.web.pages import FOLDER, Pages
from policies.tickets.board import Board
from tests.policies.tickets.fleet import ASKS, EMPTY
from tests.web.painting import needs_chromium, opened
from tests.web.test_board_page import WELL

pytestmark = [pytest.mark.anyio, needs_chromium]

PAGES = Pages()
SECONDS = 130  # of the browser's own time: it asks thirteen times


class Board304:
    """Answers with one board, then with a later one for as long as it is not known, and at last not at all."""

    def __init__(self) -> None:
        self.statuses: list[int] = []

    async def answer(self, request: Request) -> Response:
        response = self._response(request.headers.get("if-none-match"))
        self.statuses.append(response.status_code)
        return response

    def _response(self, known: str | None) -> Response:
        if not self.statuses:
            return _page(EMPTY)
        if len(self.statuses) > 3:
            return Response(status_code=503)
        if known == '"later"':
            return Response(status_code=304)
        response = _page(replace(EMPTY, rows=(replace(ASKS, title="<script>document.title = 'ran'</script>"),)))
        response.headers["etag"] = '"later"'
        return response


def _page(board: Board) -> Response:
    return PAGES.page("board.html", script=True, **shown(board, WELL, "/acme/shop"))


async def test_the_board_follows_and_says_when_nobody_answers(tmp_path: Path) -> None:
    board, script = Board304(), (FOLDER / "board.js").read_text()
    routes = [
        Route("/acme/shop/board", board.answer),
        Route("/board.js", lambda _: Response(script, media_type="text/javascript")),
        Route("/style.css", lambda _: Response("", media_type="text/css")),
    ]
    dom = await opened(routes, "/acme/shop/board", tmp_path, f"--virtual-time-budget={SECONDS * 1000}")
    assert board.statuses[:5] == [200, 200, 304, 304, 503]
    assert "1 need you" in dom
    assert "<title>Board acme/shop" in dom
    assert "No answer any more. This is old: 1 min" in dom
