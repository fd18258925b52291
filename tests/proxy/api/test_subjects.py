"""Whose an object is, by what GitHub says of it: a table."""

from __future__ import annotations

from typing import Any

import pytest

from app.proxy.api.looks import DiscussedNode, HomeNode, Look, OwnPull, OwnPullNode, PullNumber, ReadableNode
from app.proxy.api.subjects import Found, Subject, judged
from app.proxy.refusal import Refusal
from tests.proxy.build import grant

GRANT = grant(ticket=3)
HERE, FAR = {"databaseId": 42}, {"databaseId": 43}


def pull(**changes: Any) -> dict[str, Any]:
    own = {"number": 7, "state": "OPEN", "headRefName": "agent/work", "headRepository": HERE, "repository": HERE}
    return {"__typename": "PullRequest", **own, **changes}


def issue(**changes: Any) -> dict[str, Any]:
    return {"__typename": "Issue", "number": 3, "repository": HERE, **changes}


OWN = Found(7, "pull")
TICKET, THIRD = Found(3, "issue"), Found(3, "pull")
LOOKS: tuple[Look, ...] = (
    OwnPull(7),
    OwnPullNode("x"),
    DiscussedNode("x"),
    ReadableNode("x"),
    PullNumber(7),
    HomeNode("x"),
)
# What GitHub says, and what the six looks above make of it; "no" is a refusal.
TABLE: list[tuple[str, dict[str, Any] | None, tuple[Found | str | None, ...]]] = [
    ("own pull request", pull(), (OWN, OWN, OWN, OWN, OWN, "no")),
    ("merged", pull(state="MERGED"), (OWN, "no", OWN, OWN, OWN, "no")),
    ("closed", pull(state="CLOSED"), (OWN, "no", OWN, OWN, OWN, "no")),
    ("in no state", pull(state=None), (OWN, "no", OWN, OWN, OWN, "no")),
    ("another's", pull(headRefName="theirs"), ("no", "no", "no", OWN, OWN, "no")),
    ("branch that begins so", pull(headRefName="agent/work2"), ("no", "no", "no", OWN, OWN, "no")),
    ("other letters' case", pull(headRefName="Agent/Work"), ("no", "no", "no", OWN, OWN, "no")),
    ("a fork's branch of that name", pull(headRepository=FAR), ("no", "no", "no", OWN, OWN, "no")),
    ("the fork is gone", pull(headRepository=None), ("no", "no", "no", OWN, OWN, "no")),
    ("in another repository", pull(repository=FAR, headRepository=FAR), ("no",) * 6),
    ("of the own branch into another repository", pull(repository=FAR), ("no",) * 6),
    ("numbered as the ticket", pull(number=3, headRefName="theirs"), ("no", "no", "no", THIRD, THIRD, "no")),
    ("the ticket", issue(), ("no", "no", TICKET, TICKET, "no", "no")),
    ("another issue", issue(number=4), ("no",) * 6),
    ("another repository's issue of that number", issue(repository=FAR), ("no",) * 6),
    ("issue without a repository", issue(repository=None), ("no",) * 6),
    ("the repository", {"__typename": "Repository", "databaseId": 42}, ("no", "no", "no", "no", "no", None)),
    ("another repository", {"__typename": "Repository", "databaseId": 43}, ("no",) * 6),
    ("a repository without id", {"__typename": "Repository", "databaseId": None}, ("no",) * 6),
    ("a person of that id", {"__typename": "User", "databaseId": 42}, ("no",) * 6),
    ("a comment", {"__typename": "IssueComment", "repository": HERE}, ("no",) * 6),
    ("a discussion", {"__typename": "Discussion", "number": 3, "repository": HERE}, ("no",) * 6),
    ("nothing", None, ("no",) * 6),
]


@pytest.mark.parametrize(("said", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_whose_it_is(said: dict[str, Any] | None, expected: tuple[Found | str | None, ...]) -> None:
    subject = None if said is None else Subject.model_validate(said)
    for look, wanted in zip(LOOKS, expected, strict=True):
        found = judged(GRANT, look, subject)
        assert isinstance(found, Refusal) if wanted == "no" else found == wanted, look


@pytest.mark.parametrize("look", LOOKS)
def test_a_no_does_not_say_what_there_is(look: Look) -> None:
    missing = judged(GRANT, look, None)
    far = judged(GRANT, look, Subject.model_validate(issue(number=9, repository=FAR)))
    assert isinstance(missing, Refusal) and missing == far


def test_a_session_without_a_ticket_has_none() -> None:
    without = grant(ticket=None)
    assert isinstance(judged(without, DiscussedNode("x"), Subject.model_validate(issue(number=3))), Refusal)
    assert isinstance(judged(without, DiscussedNode("x"), Subject.model_validate(issue(number=0))), Refusal)


def test_by_number_too_only_an_open_one_is_edited() -> None:
    look = OwnPull(7, edited=True)
    assert judged(GRANT, look, Subject.model_validate(pull())) == OWN
    assert isinstance(judged(GRANT, look, Subject.model_validate(pull(state="MERGED"))), Refusal)
