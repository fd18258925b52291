"""The board's text: golden files at 0, 1, 30 and 1,000 tickets, its length, and when it is written.

`MERGEGATE_REWRITE_GOLDEN=1 pytest tests/policies` writes the files anew; read the difference as prose first.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.commands import read_commands
from policies.tickets.board import Progress, board_digest, board_text, is_due
from policies.tickets.escalation import Cause
from policies.tickets.limits import Used
from policies.tickets.states import State
from policies.tickets.words import Language
from tests.policies.golden import FOLDER
from tests.policies.test_escape import live_text, tokens
from tests.policies.tickets.fleet import ASKS, EMPTY, HOUR, NOW, ONE, STATES, fleet, row_of

MONEY = "41.20 of 120.00 USD today"
LONG = "`@everybody` <b> #1 /stop all ‮ " * 20


def _section(text: str, heading: str) -> list[str]:
    """The lines below a heading that begins so."""
    _, _, after = text.partition(f"\n### {heading}")
    return [line for line in after.partition("\n### ")[0].splitlines()[1:] if line]


@pytest.mark.parametrize("count", [0, 1, 30, 1_000])
def test_the_board_reads_as_its_golden_file(count: int) -> None:
    path, text = FOLDER / f"board-{count}.md", board_text(fleet(count)) + "\n"
    if os.environ.get("MERGEGATE_REWRITE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; see this module's docstring"


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("state", STATES)
def test_a_thousand_tickets_stay_far_below_what_github_takes(language: Language, state: State) -> None:
    rows = [
        replace(
            row_of(number),
            state=state,
            said=LONG,
            pool=f"{number}-{LONG}",
            address="https://github.example/" + "a" * 470,
            waits_for=tuple(range(10**6, 10**6 + 100)),
        )
        for number in range(10**6, 10**6 + 1_000)
    ]
    assert len(board_text(replace(EMPTY, language=language, rows=tuple(rows)))) < 30_000


def test_the_first_line_says_who_must_do_what() -> None:
    rows = (ONE, replace(ASKS, number=14), replace(ONE, number=15, state=State.WAITING))
    text = board_text(replace(EMPTY, rows=rows, brake_by="eve"))
    assert text.splitlines()[:3] == [
        f"**1 need you · 0 mergeable · 0 failed · 1 running · 1 waiting · {MONEY} · updated 07:42 UTC**",
        "",
        "⚠️ `eve` pulled the brake: nothing begins until `/start all`",
    ]


def test_the_page_with_buttons_is_linked_where_there_is_one() -> None:
    page = "https://gate.example/acme/shop/board"
    assert board_text(replace(EMPTY, page=page)).splitlines()[2] == f"[The same with buttons]({page})"
    assert "buttons" not in board_text(replace(EMPTY, page="javascript:alert(1)"))


def test_what_needs_a_person_is_told_with_its_question() -> None:
    text = board_text(replace(EMPTY, rows=(ASKS,)))
    (line,) = _section(text, "Needs you")
    assert line.startswith("1. #12 · two lines of the ticket cannot both hold · 1 h · Round up or down? · [→](")
    assert line.endswith(f"[→]({ASKS.address})")
    bare = board_text(replace(EMPTY, rows=(replace(ASKS, cause=None, said="", address=None, uncertain=True),)))
    assert _section(bare, "Needs you") == ["1. #12 · It needs a person · 1 h · uncertain"]


def test_uncertain_then_grave_then_old_comes_first_and_the_rest_is_a_link() -> None:
    rows = [replace(ASKS, number=number) for number in range(1, 13)]
    rows[10] = replace(rows[10], uncertain=True)
    rows[11] = replace(rows[11], risk="critical")
    rows[9] = replace(rows[9], since=NOW - 2 * HOUR)
    lines = _section(board_text(replace(EMPTY, rows=tuple(rows))), "Needs you (12)")
    assert [line.split(" ")[1] for line in lines[:4]] == ["#11", "#12", "#10", "#1"]
    assert lines[10:] == [
        "[and 2 more](https://github.example/acme/shop/issues?q=is%3Aopen+label%3Aagent%2Fneeds-human)"
    ]


def test_a_stop_that_is_not_confirmed_needs_a_person() -> None:
    stopping = replace(ONE, state=State.STOPPING)
    assert "### Needs you" not in board_text(replace(EMPTY, rows=(stopping,)))
    late = replace(stopping, cause=Cause.STOP_UNCONFIRMED)
    assert "a stop is not confirmed" in _section(board_text(replace(EMPTY, rows=(late,))), "Needs you (1)")[0]


def test_work_is_told_singly_up_to_fifteen_and_as_totals_above() -> None:
    rows = tuple(replace(ONE, number=number, pool="codex" if number > 10 else None) for number in range(1, 16))
    rows = (replace(rows[0], progress=Progress(3, 7, 40, silent=True), pool="codex"), *rows[1:])
    lines = _section(board_text(replace(EMPTY, rows=rows)), "Running (15)")
    assert len(lines) == 17
    assert lines[10:12] == [
        "- `codex`: 6",
        "  - #1 · step 3 of 7 · 40 % · silent · 31 of 90 minutes · 1.50 of 8.00 USD",
    ]
    more = (*rows, replace(ONE, number=16, state=State.QUEUED))
    assert _section(board_text(replace(EMPTY, rows=more)), "Running (16)") == [
        "- any agent: 9",
        "- `claude`: 1",
        "- `codex`: 6",
    ]


def test_what_is_not_known_is_left_out() -> None:
    rows = (
        replace(ONE, limits=None, progress=Progress(step=1)),
        replace(ONE, number=2, state=State.VERIFY_FAILED, limits=None, pull_number=None, said="`pytest` fails"),
        replace(ONE, number=3, state=State.VERIFY_FAILED, said=""),
        replace(ONE, number=4, state=State.WAITING, since=NOW + HOUR),
        replace(ONE, number=5, state=State.WAITING, waits_for=(2, 3), since=NOW - 72 * HOUR),
    )
    text = board_text(replace(EMPTY, rows=rows))
    assert _section(text, "Running")[1:] == ["  - #12 · step 1 of ?"]
    assert _section(text, "Verification failed") == ["1. #2 · `pytest` fails", "2. #3 · attempt 1 of 3 · → #13"]
    assert _section(text, "Waiting") == ["1. #5 · low · waits for #2, #3 · 3 d", "2. #4 · low · 0 min"]


def test_only_what_ended_on_the_day_of_utc_is_counted() -> None:
    rows = (
        replace(ONE, state=State.MERGED),
        replace(ONE, state=State.MERGED, since=NOW - 8 * HOUR),
        replace(ONE, state=State.CAP_HIT),
        replace(ONE, state=State.CANCELLED),
    )
    lines = _section(board_text(replace(EMPTY, rows=rows)), "Ended today (3)")
    assert lines[0] == "- merged: 1 · stopped at a limit: 1 · stopped: 1"


def test_times_and_amounts_alone_are_no_news() -> None:
    board = replace(EMPTY, rows=(ONE, replace(ASKS, number=14), replace(ONE, number=15, state=State.STOPPED)))
    later = replace(
        board,
        updated=NOW + 3 * HOUR,
        spent=Decimal(50),
        worst=Decimal(90),
        rows=(replace(ONE, used=Used(80.0, 1, Decimal(5)), progress=Progress(5, 7)), *board.rows[1:]),
    )
    assert board_digest(board) == board_digest(later)
    for other in (
        replace(board, brake_by="eve"),
        replace(board, missed="cost"),
        replace(board, rows=(replace(ONE, used=Used(31.4, 1), state=State.VERIFYING), *board.rows[1:])),
        replace(board, rows=board.rows[:2]),
        replace(later, updated=NOW + 24 * HOUR),  # what was stopped is of yesterday
    ):
        assert board_digest(other) != board_digest(board)


def test_it_is_written_once_a_minute_at_most() -> None:
    second, minute = timedelta(seconds=1), timedelta(minutes=1)
    assert is_due(None, NOW, news=False, other=False)
    assert not is_due(NOW, NOW + minute - second, news=True, other=True)
    assert is_due(NOW, NOW + minute, news=True, other=True)
    assert not is_due(NOW, NOW + 10 * minute - second, news=False, other=True)
    assert is_due(NOW, NOW + 10 * minute, news=False, other=True)
    assert not is_due(NOW, NOW + 24 * HOUR, news=False, other=False)


@given(st.text(max_size=200), st.text(max_size=60), st.sampled_from(STATES), st.text(max_size=80))
def test_nothing_that_an_agent_wrote_is_live(said: str, name: str, state: State, address: str) -> None:
    row = replace(ASKS, state=state, said=said, pool=name, address="https://x/" + address)
    text = board_text(replace(EMPTY, rows=(row,), brake_by=name or "x"))
    assert read_commands(text) == ()
    assert not any(read_commands(line) for line in text.splitlines())
    assert not set(live_text(text)) & {"@", "<"}
    assert not {token.type for token in tokens(text)} & {"html_inline", "html_block", "image"}


@pytest.mark.parametrize(("language", "words"), [("en", "did not stop"), ("ja", "カナリア"), ("zh", "金丝雀")])
def test_a_limit_that_did_not_stop_its_canary_is_said(language: Language, words: str) -> None:
    text = board_text(replace(EMPTY, language=language, missed="cost"))
    (line,) = (line for line in text.splitlines() if line.startswith("⚠️"))
    assert "`cost`" in line and words in line and "`mergegate canary list`" in line
