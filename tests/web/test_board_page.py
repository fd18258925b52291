"""What the board's page says, from boards of any size, without a server."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from typing import get_args

import pytest

from app.web.board_page import shown
from app.web.board_silence import Silence
from app.web.pages import Pages
from policies.tickets.board import Board
from policies.tickets.words import Language
from tests.policies.tickets.fleet import ASKS, EMPTY, HOUR, ONE, fleet
from tests.web.golden_page import assert_golden

WELL = Silence(timedelta(), timedelta(minutes=1))
PAGES = Pages()
# Each takes 60 KB; a page shows what fits a line of it.
HOSTILE = (
    "<img src=x onerror=alert(1)>" * 2_200,
    "</bdi></a><script>alert(1)</script>" * 1_800,
    "\u202e\u2066" * 30_000,
    "a\u200b\u200d\ufeff" * 15_000,
    "{{ 7 * 7 }}{% raw %}" * 3_000,
    "`'\"><style>*{display:none}</style>`" * 1_700,
)


def page(board: Board, quiet: Silence = WELL) -> str:
    return bytes(PAGES.page("board.html", **shown(board, quiet, "/acme/shop")).body).decode()


class Elements(HTMLParser):
    """Names of the elements of a page, and of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("count", [0, 1, 30, 1_000])
def test_the_page_reads_as_its_golden_file(count: int) -> None:
    assert_golden(f"board-{count}", page(fleet(count)))


@pytest.mark.parametrize("words", HOSTILE, ids=["image", "script", "right-to-left", "zero-width", "template", "style"])
def test_words_of_outsiders_stay_words(words: str) -> None:
    row = replace(ASKS, title=words, said=words, pool=words, address="javascript:alert(1)")
    found = page(replace(EMPTY, rows=(row,), brake_by=words))
    plain = Elements(page(replace(EMPTY, rows=(replace(ASKS, pool="`x`"),), brake_by="eve")))
    elements = Elements(found)
    assert elements.names <= plain.names | {"code"}
    assert elements.attributes <= plain.attributes
    assert "javascript:" not in found
    assert not {"\u202e", "\u2066", "\u200b", "\ufeff"} & set(found)
    assert "49" not in found
    assert len(found) < 8_000


def test_the_first_line_says_who_must_do_what_and_silence_is_said_in_red() -> None:
    text = page(replace(EMPTY, rows=(ONE, ASKS)), Silence(timedelta(minutes=5), None))
    assert (
        '<h1><a href="#needs_you">1 need you</a> · 0 mergeable · 0 failed · '
        '<a href="#running">1 running</a> · 0 waiting</h1>'
    ) in text
    assert '<p class="late">The gate has done nothing for 5 minutes' in text
    assert '<p class="late">GitHub was not looked at yet' in text
    assert "41.20 of 120.00 USD today · At the worst 80.00 USD today." in text
    assert page(replace(EMPTY, missed="cost")).count('<p class="late">') == 1
    late = page(EMPTY, Silence(timedelta(), timedelta(hours=2)))
    assert "GitHub was last looked at 2 hours ago" in late
    assert 'class="late">' not in page(EMPTY).replace('id="silent" class="late"', "")
    quiet = Silence(timedelta(minutes=5), timedelta(hours=2))
    assert quiet.sentences("ja")[0].startswith("ゲートが 5 分 動いていません。")
    assert "2 時間 前" in quiet.sentences("ja")[1] and "2 小时 前" in quiet.sentences("zh")[1]


@pytest.mark.parametrize("language", get_args(Language))
def test_every_language_has_the_page(language: Language) -> None:
    text = page(replace(fleet(30), language=language), Silence(HOUR, HOUR))
    assert f'<html lang="{language}">' in text
    assert ("Needs you" in text) is (language == "en")
