"""The board as pages and programs have it: which ticket stands where, and what a record says of it."""

from __future__ import annotations

from dataclasses import replace

from policies.tickets.board_sections import board_record
from policies.tickets.escalation import Cause
from policies.tickets.states import State
from tests.policies.tickets.fleet import ASKS, EMPTY, HOUR, ONE


def test_who_must_decide_comes_first_in_the_order_of_the_board() -> None:
    rows = (
        replace(ONE, number=1),
        replace(ASKS, number=2),
        replace(ASKS, number=3, risk="critical"),
        replace(ASKS, number=4, uncertain=True),
        replace(ONE, number=5, state=State.STOPPING, cause=Cause.STOP_UNCONFIRMED, since=ONE.since - HOUR),
        replace(ONE, number=6, state=State.DRAFT, limits=None),
        replace(ONE, number=7, state=State.MERGED, since=ONE.since - 24 * HOUR),
    )
    record = board_record(replace(EMPTY, rows=rows))
    numbers = {key: [row["number"] for row in found] for key, found in record["sections"].items()}
    assert numbers == {
        "needs_you": [4, 3, 5, 2],
        "mergeable": [],
        "failed": [],
        "running": [1],
        "waiting": [],
        "draft": [6],
        "ended": [],
    }


def test_the_record_says_all_of_a_ticket() -> None:
    (row,) = board_record(replace(EMPTY, rows=(replace(ASKS, title="T", waits_for=(3,)),)))["sections"]["needs_you"]
    assert row == {
        "number": 12,
        "title": "T",
        "state": "needs_human",
        "since": "2026-11-30T06:42:00+00:00",
        "risk": "low",
        "pool": "claude",
        "pull": 13,
        "cause": "requirement_conflict",
        "said": "Round up or down?",
        "question": "https://github.example/acme/shop/issues/12#issuecomment-1",
        "uncertain": False,
        "waits_for": [3],
        "used": {"minutes": 31, "attempts": 1, "cost": "1.50"},
        "limits": {"minutes": 90, "attempts": 3, "cost": "8.00"},
        "progress": {"step": None, "steps": None, "percent": None, "silent": False},
    }
    draft = replace(ONE, limits=None, state=State.DRAFT)
    assert board_record(replace(EMPTY, rows=(draft,)))["sections"]["draft"][0]["limits"] is None
