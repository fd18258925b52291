"""A ticket's page on the board: its golden file, words of outsiders, and its width on a phone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from app.web.board_ticket import TicketSeen, ViewedAt, shown_ticket
from app.web.pages import FOLDER, Pages
from checks.accounts import Permission
from policies.tickets.escalation import Cause
from policies.tickets.escalation_question import Asked
from policies.tickets.offers import OpenQuestion, Standing, Suggested
from policies.tickets.states import State
from policies.tickets.verbs import ALL
from policies.tickets.words import Language
from tests.policies.tickets.fleet import ASKS, EMPTY, NOW
from tests.web.golden_page import assert_golden
from tests.web.painting import KEPT, needs_chromium, painted
from tests.web.test_board_page import HOSTILE, Elements

PAGES = Pages()
AT = ViewedAt(EMPTY.repository, NOW, "en", "/acme/shop")
ROW = replace(ASKS, title="Round prices")
QUESTION = OpenQuestion(1, "Round up or down?", "It stays stopped.", ("first", "second"))
CHOICES = (Suggested("/stop", "end it (recommended)"), Suggested("/answer 1 first", "the first line holds"))
STANDING = Standing(
    State.NEEDS_HUMAN, Permission.ADMIN, pull=True, head="a" * 40, questions=(QUESTION,), choices=CHOICES
)
MATTER = Asked(12, 1, Cause.REQUIREMENT_CONFLICT, "Round up or down?", "https://github.example/log")
SEEN = TicketSeen("12", ROW, STANDING, 12, 13, prefixed=False, matter=MATTER)


def page(seen: TicketSeen = SEEN, at: ViewedAt = AT, **more: object) -> str:
    values = shown_ticket(seen, at, "token", "ada") | more
    return bytes(PAGES.page("board-ticket.html", 200, form_action="", script=False, **values).body).decode()


def test_the_page_reads_as_its_golden_file() -> None:
    assert_golden("board-ticket", page())


def test_all_of_them_and_the_second_question() -> None:
    seen = TicketSeen(ALL, None, Standing(None, Permission.ADMIN, braked=True), 7, None, prefixed=False)
    assert "<code>/start all</code>" in page(seen)
    sure = page(seen, sure=(seen.offers[1], ""))
    assert '<button class="danger"><code>/stop all now</code></button>' in sure
    assert sure.count('name="command"') == 1
    assert "There is nothing that you can do here now." in page(replace(seen, thread=None))


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (None, "being carried out"),
        ("done", "it was done"),
        ("told", "the answer stands on GitHub"),
        ("refused", "it was not done"),
        ("unknown", "it was not done"),
        ("ignored", "it was not for the gate"),
    ],
)
def test_the_first_line_says_what_became_of_it(outcome: str | None, words: str) -> None:
    text = page(outcome=("/stop\n\nReason: x", outcome, "`/stop` needs <b>more</b>."))
    headings = text.split("<h1>")
    assert words in headings[1]
    assert "You wrote <code>/stop</code>" in headings[1]
    assert "<code>/stop</code> needs &lt;b&gt;more&lt;/b&gt;." in text
    assert ("http-equiv" in text) is (outcome is None)


@pytest.mark.parametrize("words", HOSTILE, ids=["image", "script", "right-to-left", "zero-width", "template", "style"])
def test_words_of_outsiders_stay_words(words: str) -> None:
    question = replace(QUESTION, question=words, safe=words, options=(words, "first"))
    text = page(
        replace(
            SEEN,
            row=replace(ROW, title=words, said=words, pool=words, address=words),
            standing=replace(STANDING, questions=(question,), choices=(Suggested(words, words), *CHOICES)),
            matter=replace(MATTER, detail=words, log=words),
        ),
        outcome=(words.replace("/", "x") or "x", "refused", words),
    )
    plain, elements = Elements(page(outcome=("/stop", "done", "`x`"))), Elements(text)
    assert elements.names <= plain.names | {"code"}
    assert elements.attributes <= plain.attributes
    assert not {"\u202e", "\u2066", "\u200b", "\ufeff"} & set(text)
    assert "49" not in text
    assert len(text) < 30_000


@pytest.mark.parametrize("language", get_args(Language))
def test_every_language_has_the_page(language: Language) -> None:
    text = page(at=replace(AT, language=language), outcome=("/stop", "done", None))
    assert f'<html lang="{language}">' in text
    assert ("What you can do" in text) is (language == "en")


@needs_chromium
@pytest.mark.anyio
@pytest.mark.parametrize("width", [360, *([1280] if KEPT else [])])
async def test_nothing_is_wider_than_the_screen(width: int, tmp_path: Path) -> None:
    wide = replace(QUESTION, question="long" * 400, options=("first", "x" * 110))
    seen = replace(SEEN, standing=replace(STANDING, questions=(wide,)))
    style = (FOLDER / "style.css").read_bytes()
    picture, title = await painted(page(seen), style, width, tmp_path / str(width))
    if KEPT:
        (Path(KEPT) / f"board-ticket-{width}.png").write_bytes(picture)
    assert title == "fits"
