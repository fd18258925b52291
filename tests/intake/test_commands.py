"""Which comments are kept as commands: those of people, as they were new, whose first line is one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.intake.events import interpret
from app.intake.facts import CommandFact
from app.keys import PullKey, TicketKey
from checks.commands import LONGEST
from tests.intake.test_events import SENDER, body

OWN_APP = 77
BOT = {"id": 6, "login": "mergegate[bot]", "type": "Bot"}


def said(text: str, event: str = "issue_comment", action: str = "created", **changes: Any) -> CommandFact | None:
    comment = {"id": 1, "created_at": "2026-11-29T10:00:00Z", "user": SENDER, "body": text, **changes}
    sender = changes.get("sender", SENDER)
    issue = {"number": 3}
    return interpret(
        event, body(action=action, issue=issue, comment=comment, sender=sender), frozenset({OWN_APP})
    ).command


def test_a_person_s_command_is_kept_as_it_was_delivered() -> None:
    fact = said("／stop now\r\nplease")
    assert fact is not None
    assert (fact.source, fact.number, fact.comment_id, fact.author.login) == ("comment", 3, 1, "ada")
    assert fact.body == "／stop now\r\nplease"
    long = said("/stop\n" + "x" * 9_000)
    assert long is not None
    assert len(long.body) == LONGEST


def test_one_on_a_pull_request_is_for_its_ticket_too() -> None:
    issue = {"number": 3, "pull_request": {}}
    comment = {"id": 1, "created_at": "2026-11-29T10:00:00Z", "user": SENDER, "body": "/hold"}
    found = interpret("issue_comment", body(action="created", issue=issue, comment=comment))
    assert found.keys == (PullKey(7, 9, 3), TicketKey(7, 9, 3))
    assert interpret("issue_comment", body(action="created", issue=issue, comment={**comment, "body": "hi"})).keys == (
        PullKey(7, 9, 3),
    )


def test_one_in_a_review_is_kept_when_the_review_is_new() -> None:
    review = {
        "id": 8,
        "user": SENDER,
        "state": "commented",
        "body": "/hold\nwait",
        "commit_id": "a" * 40,
        "submitted_at": "2026-11-29T10:00:00Z",
    }
    pull = {"number": 4, "head": {"ref": "x", "sha": "b" * 40}, "base": {"ref": "main", "sha": "a" * 40}}

    def given_review(action: str, **changes: Any) -> CommandFact | None:
        raw = body(action=action, review={**review, **changes}, pull_request=pull)
        return interpret("pull_request_review", raw).command

    fact = given_review("submitted")
    assert fact is not None
    assert (fact.source, fact.number, fact.comment_id, fact.body) == ("review", 4, 8, "/hold\nwait")
    assert given_review("edited") is None
    assert given_review("dismissed") is None
    assert given_review("submitted", body=None) is None
    assert given_review("submitted", submitted_at=None) is None


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_an_edit_and_a_deletion_command_nothing(action: str) -> None:
    assert said("/stop", action=action) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"sender": BOT, "user": BOT},
        {"user": BOT},
        {"user": {**SENDER, "id": 6}},
        {"user": None},
        {"performed_via_github_app": {"id": 78}},
    ],
)
def test_bots_apps_and_other_hands_command_nothing(changes: dict[str, Any]) -> None:
    assert said("/stop", **changes) is None


def test_our_own_page_writes_for_the_person_who_pressed() -> None:
    assert said("/stop", performed_via_github_app={"id": OWN_APP}) is not None


_WORDS = st.text(alphabet=st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=30)
_COMMAND = st.sampled_from(["/stop now", "/accept", "/gate stop", "／stop", "/grant path=** once"])


@given(
    st.sampled_from(["> {}", "```\n{}\n```", "~~~\n{}\n~~~", "    {}", "\t{}", "<!-- {} -->", "<!--\n{}\n-->"]),
    st.sampled_from(["", " ", "\n", "\u200b", "\ufeff\n"]),
    _COMMAND,
)
def test_nothing_is_commanded_from_quotations_code_and_hidden_text(wrapped: str, before: str, command: str) -> None:
    # Blanks before a quotation's mark or a fence may make code of it, never a command.
    assert said(before + wrapped.format(command)) is None


@given(_WORDS, st.sampled_from(["x", "1", "“", "é", "字"]), _COMMAND)
def test_nothing_is_commanded_below_other_words(words: str, first: str, command: str) -> None:
    assert said(f"{first}{words}\n{command}") is None
