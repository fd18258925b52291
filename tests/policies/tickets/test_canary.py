"""Canary tickets, the pure part: when they run, what they are, and whether a change out of scope is refused."""

from __future__ import annotations

from datetime import timedelta

import pytest

from policies.tickets import canary
from policies.tickets.canary import AGAIN, LIMITS, Limit, Missed, form_of, is_due, scope_tried
from policies.tickets.limits import Asked, Used, dollars, hit, limits_of, no_attempt
from tests.policies.build import NOW, state

DAY = timedelta(days=1)
MISSED = Missed("cost", "it was handed out once more", NOW)


@pytest.mark.parametrize(
    ("ago", "missed", "due"),
    [
        (None, None, True),
        (DAY - timedelta(seconds=1), None, False),
        (DAY, None, True),
        (AGAIN - timedelta(seconds=1), MISSED, False),
        (AGAIN, MISSED, True),
        (-AGAIN, None, False),  # another machine's clock
        (-DAY, None, True),  # ours was ahead, and was set back
    ],
)
def test_they_run_once_in_so_long_and_soon_after_one_was_missed(
    ago: timedelta | None, missed: Missed | None, *, due: bool
) -> None:
    assert is_due(None if ago is None else NOW - ago, missed, DAY, NOW) is due


def test_what_was_missed_is_said_in_a_sentence() -> None:
    assert MISSED.words == "The canary of the cost limit was not stopped (it was handed out once more)"


@pytest.mark.parametrize("limit", LIMITS)
def test_each_leaves_room_for_everything_but_its_own_limit(limit: Limit) -> None:
    """Against the limits as the default policy has them: one attempt of a minute for a cent, and nothing else."""
    form, rules = form_of(limit), state().policy.ticket
    assert form.max_cost is not None
    asked = Asked(form.max_minutes, form.max_attempts, dollars(form.max_cost))
    holds = limits_of(rules, asked, Asked(), None)
    assert hit(holds, Used(minutes=0.9, attempts=1)) is None
    assert (hit(holds, Used(minutes=2)) is not None) is (limit == "time")
    assert (hit(holds, Used(cost=dollars(1))) is not None) is (limit == "cost")
    assert (no_attempt(holds, Used(attempts=1)) is not None) is (limit == "attempts")


def test_a_change_out_of_its_tickets_paths_is_refused() -> None:
    assert scope_tried(state(), NOW).passed


def test_a_gate_that_refuses_nothing_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = canary._pull("docs/a.md", NOW)
    monkeypatch.setattr(canary, "_pull", lambda *_: inside)
    ran = scope_tried(state(), NOW)
    assert (ran.passed, ran.seen) == (False, "a change of src/payments.py was not refused")


def test_a_gate_that_refuses_everything_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    outside = canary._pull("src/payments.py", NOW)
    monkeypatch.setattr(canary, "_pull", lambda *_: outside)
    ran = scope_tried(state(), NOW)
    assert (ran.passed, ran.seen) == (False, "a change of an allowed path was refused")
