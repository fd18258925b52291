"""Buttons: what the table of verbs allows and nothing else, and each writes exactly one command."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.accounts import Permission
from checks.commands import read_commands
from policies.tickets.offers import LONGEST, NotSaid, Offer, OpenQuestion, Standing, Suggested, comment, offers
from policies.tickets.states import ACTIVE, State
from policies.tickets.verbs import VERBS

HEAD = "0123456789abcdef0123456789abcdef01234567"
QUESTION = OpenQuestion(2, "Which?", "It stops.", ("first", "@acme/all see #1", "", "x" * 200))
FULL = Standing(State.RUNNING, Permission.ADMIN, pull=True, head=HEAD, questions=(QUESTION,))


def said(standing: Standing) -> list[str]:
    return [one.command for one in offers(standing)]


def test_a_ticket_in_work_with_a_question_and_a_pull_request() -> None:
    assert said(FULL) == [
        "/answer 2 first",
        "/answer 2 option 2",
        "/answer 2 option 3",
        "/answer 2 option 4",
        "/answer 2",
        "/approve 0123456789ab",
        "/hold",
        "/requeue",
        "/redirect",
        "/pause",
        "/limit",
        "/grant",
        "/status",
        "/stop",
        "/stop now",
    ]
    options = [one.says for one in offers(FULL)[:4]]
    assert options == list(QUESTION.options)


def test_an_option_does_not_pass_for_another_ones_place() -> None:
    tricky = replace(QUESTION, options=("option 2", "drop @acme/all", "Option　1", "optional"))
    commands = [(one.command, one.says) for one in offers(replace(FULL, questions=(tricky,)))[:4]]
    assert commands == [
        ("/answer 2 option 1", "option 2"),
        ("/answer 2 option 2", "drop @acme/all"),
        ("/answer 2 option 3", "Option　1"),
        ("/answer 2 optional", "optional"),
    ]


def test_choices_of_the_question_come_first_and_once() -> None:
    chosen = tuple(
        Suggested(command, "because")
        for command in (
            "/answer 2 second",
            "/grant path=docs/** once",
            "/limit attempts=4",
            "/stop",
            "/stop all now",
            f"/approve {HEAD[:12]}",
            "/grant path=@acme/all once",
            "/grant path=a\n/stop once",
            "/unknown",
            "stop",
        )
    )
    found = offers(replace(FULL, choices=chosen))
    assert [one.command for one in found[:7]] == [
        "/answer 2 second",
        "/grant path=docs/** once",
        "/limit attempts=4",
        "/stop",
        "/stop all now",
        "/approve 0123456789ab",
        "/answer 2 first",
    ]
    assert [one.must_reason for one in found[:5]] == [False, True, True, False, False]
    assert [one.sure for one in found[:5]] == [False, False, False, False, True]
    assert [one.command for one in found].count("/stop") == 1
    assert found[0].says == "because"
    assert comment(found[1], "", "docs", prefixed=False) == "/grant path=docs/** once\n\nReason: docs"
    alone = replace(FULL, pull=False, choices=(Suggested("/hold", ""), Suggested("/reject", "")))
    assert said(alone)[0] == "/answer 2 first"


def test_what_was_done_is_offered_the_other_way_round() -> None:
    there = said(replace(FULL, paused=True, held=True, head=None, questions=()))
    assert {"/resume", "/unhold", "/requeue"} <= set(there)
    assert not {"/pause", "/hold", "/approve 0123456789ab"} & set(there)
    assert "/hold" not in said(replace(FULL, pull=False))


@pytest.mark.parametrize(
    ("permission", "expected"),
    [
        (Permission.NONE, []),
        (Permission.READ, []),
        (Permission.TRIAGE, ["/status", "/stop", "/stop now"]),
        (
            Permission.WRITE,
            ["/accept", "/start", "/assign", "/redirect", "/pause", "/limit", "/status", "/stop", "/stop now"],
        ),
    ],
)
def test_rights_decide(permission: Permission, expected: list[str]) -> None:
    assert said(Standing(State.WAITING, permission)) == expected


def test_high_risk_is_accepted_by_a_maintainer() -> None:
    draft = Standing(State.DRAFT, Permission.WRITE)
    assert "/accept" in said(draft)
    assert "/accept" not in said(replace(draft, risky=True))
    assert "/accept" in said(replace(draft, risky=True, permission=Permission.MAINTAIN))


def test_everything_is_stopped_and_started_by_a_maintainer_who_is_asked_once_more() -> None:
    found = offers(Standing(None, Permission.MAINTAIN))
    assert [(one.command, one.sure) for one in found] == [("/stop all", True), ("/stop all now", True)]
    assert said(Standing(None, Permission.WRITE, braked=True)) == []
    braked = offers(Standing(None, Permission.MAINTAIN, braked=True))
    assert (braked[-1].command, braked[-1].must_reason) == ("/start all", True)


@pytest.mark.parametrize("permission", Permission)
@pytest.mark.parametrize("state", State)
def test_no_button_is_for_another_state_or_right(state: State, permission: Permission) -> None:
    for one in offers(replace(FULL, state=state, permission=permission)):
        verb = VERBS[read_commands(one.command)[0].verb]
        assert permission >= verb.least
        assert verb.states is None or state in verb.states
        assert one.elsewhere is verb.elsewhere
        assert one.where in verb.where


def test_what_counts_only_as_the_persons_own_comment_is_marked() -> None:
    assert {one.command.split()[0] for one in offers(FULL) if one.elsewhere} == {"/approve", "/requeue"}


def _offer(command: str, standing: Standing = FULL) -> Offer:
    return next(one for one in offers(standing) if one.command == command)


def test_a_comment_is_the_command_the_words_and_the_reason() -> None:
    assert comment(_offer("/stop now"), "ignored", "ignored", prefixed=False) == "/stop now"
    assert comment(_offer("/stop now"), "", "", prefixed=True) == "/gate stop now"
    grant = _offer("/grant")
    assert comment(grant, "path=docs/** once", "It is only docs", prefixed=False) == (
        "/grant path=docs/** once\n\nReason: It is only docs"
    )
    limit = _offer("/limit")
    assert comment(limit, "minutes=5", " ", prefixed=False) == "/limit minutes=5"
    (read,) = read_commands(comment(grant, "path=a once", "b", prefixed=True), prefixed=True)
    assert (read.verb, read.option("path"), read.reason) == ("grant", "a", "b")


@pytest.mark.parametrize(
    ("command", "words", "reason"),
    [
        ("/redirect", " \n ", ""),
        ("/grant", "path=a once", " "),
        ("/redirect", "x" * (LONGEST + 1), ""),
        ("/redirect", "\u202e" * 600, ""),
    ],
)
def test_what_cannot_be_said_is_told(command: str, words: str, reason: str) -> None:
    with pytest.raises(NotSaid):
        comment(_offer(command), words, reason, prefixed=False)


_EVERY = [one for state in ACTIVE for one in offers(replace(FULL, state=state))]


@given(st.sampled_from(_EVERY), st.text(max_size=300), st.text(max_size=100), st.booleans())
def test_whatever_the_words_are_it_is_one_command_of_that_verb(
    offer: Offer, words: str, reason: str, prefixed: bool
) -> None:
    try:
        text = comment(offer, words, reason, prefixed=prefixed)
    except NotSaid:
        return
    (read,) = read_commands(text, prefixed=prefixed)
    assert read.verb == read_commands(offer.command)[0].verb
    assert text.startswith(("/gate " + offer.command[1:]) if prefixed else offer.command)
    assert len(text.splitlines()) <= 3
