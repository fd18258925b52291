"""The board as a browser paints it: nothing is wider than a phone, whatever people and agents wrote."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.web.pages import FOLDER
from policies.tickets.board import Board
from tests.policies.tickets.fleet import ASKS, EMPTY, fleet
from tests.web.painting import KEPT, needs_chromium, painted
from tests.web.test_board_page import HOSTILE, page

pytestmark = [pytest.mark.anyio, needs_chromium]

WIDE = "long" * 400
HOSTILE_ROWS = tuple(replace(ASKS, number=n, title=words, said=words, pool=words) for n, words in enumerate(HOSTILE, 1))
ODD = replace(EMPTY, rows=(*HOSTILE_ROWS, replace(ASKS, number=9, title=WIDE, said=f"`{WIDE}`", pool=WIDE)))


async def test_nothing_is_wider_than_a_phone(tmp_path: Path) -> None:
    _, title = await _paint(ODD, 360, tmp_path)
    assert title == "fits"


@pytest.mark.skipif(KEPT is None, reason="pictures are not asked for: MERGEGATE_PICTURES=folder")
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("count", [0, 1, 30, 1_000])
async def test_pictures_to_look_at(count: int, width: int, tmp_path: Path) -> None:
    picture, title = await _paint(fleet(count), width, tmp_path)
    assert KEPT is not None
    (Path(KEPT) / f"board-{count}-{width}.png").write_bytes(picture)
    assert title == "fits"


async def _paint(board: Board, width: int, folder: Path) -> tuple[bytes, str]:
    return await painted(page(board), (FOLDER / "style.css").read_bytes(), width, folder / str(width))
