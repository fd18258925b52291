"""Whom the gate asks for a review: each once, balanced, always the same way, and nobody who said no."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.accounts import Permission
from checks.electorate import Electorate
from policies.evaluate import evaluate
from policies.routing import Routing, Standing, ask_of, route
from policies.verdict import Ask
from tests.policies.build import change, state
from tests.policies.rule_case import CY, approved_by, pull

ALL = ("@ada", "@Bea", "acme/core")


def routed(*asks: Ask, **known: Any) -> Routing:
    known = {name: value if name == "loads" else frozenset(value) for name, value in known.items()}
    return route(asks, Standing(**known), "9/4")


@pytest.mark.parametrize(
    ("asks", "known", "expected"),
    [
        # The fewest open requests first; the name as the policy writes it.
        ([Ask(1, ALL)], {"loads": {"@ada": 2, "acme/core": 1}}, Routing(("@Bea",))),
        ([Ask(2, ALL)], {"loads": {"@bea": 2, "@ada": 1}}, Routing(("acme/core", "@ada"))),
        # Whoever GitHub shows as asked, by whomever, is not asked twice.
        ([Ask(1, ALL)], {"requested": ["acme/core"]}, Routing()),
        ([Ask(2, ALL)], {"requested": ["@bea"], "loads": {"@ada": 1}}, Routing(("acme/core",))),
        # Whoever reviewed an earlier head looks again without being asked; a push asks nobody.
        ([Ask(1, ALL)], {"answered": ["@bea"], "asked": ["@bea"]}, Routing()),
        # Somebody who was taken off is not asked again; another one is.
        ([Ask(1, ("@ada", "@bea"))], {"asked": ["@ada"]}, Routing(("@bea",))),
        ([Ask(1, ("@ada",))], {"asked": ["@ada"]}, Routing()),
        # One who can serve two demands is asked for both.
        ([Ask(1, ("@ada",)), Ask(1, ("@ada", "@bea"))], {}, Routing(("@ada",))),
        # Requests of the gate's own that nothing needs any more are taken back; those of others never.
        ([], {"requested": ["@ada", "@bea"], "asked": ["@ada"]}, Routing((), ("@ada",))),
        ([Ask(1, ("acme/core",))], {"requested": ["@ada"], "asked": ["@ada"]}, Routing(("acme/core",), ("@ada",))),
        ([Ask(1, ALL)], {"requested": ["@ada", "@bea"], "asked": ["@ada", "@bea"]}, Routing()),
    ],
)
def test_routing(asks: list[Ask], known: dict[str, Any], expected: Routing) -> None:
    assert routed(*asks, **known) == expected


@given(st.sets(st.sampled_from("abcdefgh"), min_size=1), st.integers(1, 8), st.text(max_size=5))
def test_the_same_choice_again_and_then_nothing_more(names: set[str], count: int, seed: str) -> None:
    ask = Ask(count, tuple(f"@{name}" for name in sorted(names)))
    first = route([ask], Standing(), seed)
    assert first == route([ask], Standing(), seed)
    assert len(first.ask) == min(count, len(names))
    asked = frozenset(first.ask)
    assert route([ask], Standing(asked, asked), seed) == Routing()


def test_equal_loads_are_shared_out_over_pull_requests() -> None:
    ask = Ask(1, ("@ada", "@bea", "@cy"))
    assert {route([ask], Standing(), f"9/{number}").ask for number in range(40)} == {("@ada",), ("@bea",), ("@cy",)}


def test_only_who_is_named_and_may_approve_is_asked() -> None:
    who = Electorate(Permission.WRITE, users=("Ada", "bea"), teams=("core",))
    assert ask_of(2, who, "acme", {"ada"}) == Ask(2, ("@bea", "acme/core"))
    assert ask_of(1, Electorate(Permission.WRITE), "acme", ()) is None
    assert ask_of(0, who, "acme", ()) is None


NAMED = "approvers: {users: [cy, ada], teams: [core]}\nrequirements: {low: {approvals: 2}}\n"
RULE = "rules: {a: {require: {approvals: {teams: [security]}}}}\n"


def test_a_verdict_says_whose_reviews_it_lacks() -> None:
    asked = evaluate(state(f"version: 1\n{NAMED}{RULE}"), pull(*approved_by(CY), **change("src/a.py")))
    assert asked.asks == (Ask(1, ("@ada", "acme/core")),)
    both = evaluate(state(f"version: 1\n{NAMED}{RULE}"), pull(**change("src/a.py")))
    assert both.asks == (Ask(2, ("@cy", "@ada", "acme/core")), Ask(1, ("acme/security",)))
    draft = evaluate(state(f"version: 1\n{NAMED}"), pull(draft=True, **change("src/a.py")))
    assert draft.asks == ()
