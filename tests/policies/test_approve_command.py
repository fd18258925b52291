"""The code that a person at a phone can approve by stands where they look, and only while somebody is asked."""

from __future__ import annotations

from dataclasses import replace

from checks.approval_code import code_of
from policies.evaluate import evaluate
from policies.explain import explain
from policies.titles import LONGEST, title
from tests.policies.build import change, snapshot, state


def _asked() -> str:
    return "version: 1\nrequirements: {low: {approvals: 1}}\n"


def test_the_code_stands_in_the_title_and_below_the_result() -> None:
    of = snapshot(**change("src/a.py"))
    verdict = evaluate(state(_asked()), of)
    assert verdict.code == code_of(verdict.key, {})
    assert title(verdict, "review") == f"Needs approval by anyone with write permission: /approve {verdict.code}"
    assert f"`/approve {verdict.code}`" in explain(verdict, of, "review").summary
    assert "/approve" not in explain(verdict, of, "evidence").summary


def test_a_code_that_meant_something_else_is_not_shown_again() -> None:
    of = snapshot(**change("src/a.py"))
    short = evaluate(state(_asked()), of).code or ""
    later = evaluate(state(_asked()), replace(of, approval_codes={short: "mg1:earlier"})).code or ""
    assert later.startswith(short)
    assert len(later) == len(short) + 1


def test_long_names_leave_room_for_the_code() -> None:
    teams = [f"a-team-with-a-long-name-{number}" for number in range(5)]
    verdict = evaluate(state(f"{_asked()}approvers: {{teams: {teams}}}\n"), snapshot(**change("src/a.py")))
    words = title(verdict, "review")
    assert words.endswith(f": /approve {verdict.code}")
    assert len(words) <= LONGEST


def test_nobody_asked_no_code() -> None:
    assert evaluate(state(), snapshot(**change("src/a.py"))).code is None
    assert evaluate(state(_asked()), snapshot(draft=True, **change("src/a.py"))).code is None
    local = evaluate(state(_asked()), snapshot(number=None, **change("src/a.py")))
    assert local.code is None
