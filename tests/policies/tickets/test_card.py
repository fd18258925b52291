"""The gate's comment on a ticket and the answer to `/status`, in three languages, with nothing live in them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.commands import read_commands
from policies.tickets.card import Card, CardQuestion, card_digest, card_text
from policies.tickets.limits import Limits
from policies.tickets.states import State
from policies.tickets.status import Status, status_text
from policies.tickets.words import WORDS, Language
from tests.policies.test_escape import live_text, tokens

LANGUAGES: tuple[Language, ...] = get_args(Language)
LIMITS = Limits(90, 3, Decimal("8.00"))
DRAFT = Card("en", State.DRAFT, "", limits=LIMITS, worst_together=Decimal("28.00"))
WHOLE = Card(
    "en",
    State.NEEDS_HUMAN,
    "all 3 attempts are used up",
    edited=True,
    accepted_by="ada",
    digest="sha256:" + "a" * 64,
    revision=2,
    limits=LIMITS,
    overlaps=(4, 9),
    agent="claude",
    attempt=3,
    pull_number=12,
    held_by="bob",
    paused=True,
    brake_by="eve",
    questions=(CardQuestion(1, "This or that?", ("this", "that"), "It stays stopped."),),
)


def test_a_draft_says_whether_it_can_be_accepted() -> None:
    assert card_text(DRAFT).startswith(
        "**Ready: an agent can finish it without a reply.** Somebody with write permission comments `/accept`."
    )
    unready = card_text(replace(DRAFT, misses=("Goal: it has 3 characters",), limits=None))
    assert unready.startswith("**Not ready: 1 to repair.** Edit the issue; this comment follows.\n- Goal: it has")
    many = card_text(replace(DRAFT, misses=("x",) * 25))
    assert "- +5" in many


def test_limits_and_the_worst_case_stand_there_before_it_is_accepted() -> None:
    text = card_text(replace(DRAFT, overlaps=(4,)))
    assert "- Limits: 90 minutes, 3 attempts, 8.00 USD" in text
    assert "- At the worst 8.00 USD for this ticket, 28.00 USD with all accepted ones." in text
    assert "- May change the same files as: #4" in text


def test_a_whole_card() -> None:
    lines = card_text(WHOLE).split("\n")
    assert lines[0] == "**It needs a person.** Answer below, or comment `/retry`, `/limit …` or `/stop`."
    assert "all `3` attempts are used up" in lines[2] or "all 3 attempts are used up" in lines[2]
    assert any("edited after it was accepted" in line for line in lines)
    assert any("Held by `bob`" in line for line in lines)
    assert any("Paused" in line for line in lines)
    assert any("`eve` pulled the brake" in line for line in lines)
    assert "1. This or that?" in lines
    assert "   - `/answer 1 …` · It stays stopped." in lines
    assert "- Agent: `claude` (3)" in lines
    assert "- Pull request: #12" in lines
    assert "- Accepted: `ada`, 2, `sha256:aaaaaaaaaaaa`" in lines


def test_the_digest_is_that_of_the_words() -> None:
    assert card_digest(card_text(DRAFT)) == card_digest(card_text(replace(DRAFT)))
    assert card_digest(card_text(DRAFT)) != card_digest(card_text(replace(DRAFT, paused=True)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", State)
def test_each_language_has_words_for_each_state(language: Language, state: State) -> None:
    verdict, following = WORDS[language].states[state]
    text = card_text(replace(WHOLE, language=language, state=state))
    assert text.startswith(f"**{verdict}" if state is not State.DRAFT else f"**{WORDS[language].ready[0]}")
    assert verdict
    assert following
    assert language == "en" or not verdict.isascii()


@given(st.text(max_size=200), st.text(max_size=50))
def test_nothing_that_was_written_is_live(words: str, name: str) -> None:
    card = replace(
        WHOLE,
        reason=words,
        held_by=name or "x",
        agent=name or "x",
        questions=(CardQuestion(1, words, (words,), words),),
    )
    for text in (card_text(card), card_text(replace(DRAFT, misses=(words,)))):
        assert not any(read_commands(line) for line in text.split("\n"))
        assert not set(live_text(text)) & {"@", "<"}
        assert not {token.type for token in tokens(text)} & {"html_inline", "html_block"}


def test_a_status_says_how_far_it_is() -> None:
    status = Status(
        *("en", State.RUNNING, LIMITS, 31.6, 2, Decimal("1.5"), "hard", 3, 7, 40),
        doing="writing tests",
        blocker="no network",
        agent="claude",
        stalled=True,
    )
    assert status_text(status).split("\n") == [
        "**An agent works on it (step 3 of 7, 40 %, silent).**",
        "- Doing: writing tests",
        "- Blocked: no network",
        "- Agent: `claude`",
        "- Attempt 2 of 3, 32 of 90 minutes, 1.50 of 8.00 USD (hard)",
        "- Nothing to do; `/status` says how far it is.",
    ]
    bare = Status("zh", State.DRAFT, None, 0, 0, Decimal(0), step=1)
    assert status_text(bare).split("\n") == ["**未接受 (step 1 of ?).**", "- 请有写权限的人评论 `/accept`。"]
    assert status_text(replace(bare, step=None)).startswith("**未接受.**")


def test_what_people_must_decide_stands_above_the_questions() -> None:
    lines = card_text(replace(WHOLE, brought_up="**#1 needs you**")).splitlines()
    assert lines.index("**#1 needs you**") < lines.index(f"**{WORDS['en'].questions}**")
