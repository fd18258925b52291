"""Whom to ask for a review, and whose request to take back: each person once, those with the fewest open ones first.

A reviewer is written `@login` or `organisation/team`, and compared without regard to case.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from checks.electorate import Electorate
from policies.verdict import Ask


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known about the requests of one pull request.

    `requested` are those whom GitHub shows as asked now, by whomever. `asked` are those whom the gate asked and did
    not withdraw: who of them is not requested any more has answered, or was taken off by a person, and is left alone.
    `answered` are those who reviewed it in any way. `loads` are open requests of the gate's elsewhere.
    """

    requested: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    answered: frozenset[str] = frozenset()
    loads: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Routing:
    """Both in the order found; nobody is in both."""

    ask: tuple[str, ...] = ()
    withdraw: tuple[str, ...] = ()


def ask_of(count: int, who: Electorate, owner: str, excluded: Collection[str]) -> Ask | None:
    """Who by name can still give `count` approvals; None where nobody is named, as when a permission suffices.

    `excluded` are folded logins whose approval would not count.
    """
    people = tuple(f"@{login}" for login in who.users if login.casefold() not in excluded)
    reviewers = people + tuple(f"{owner}/{team}" for team in who.teams)
    return Ask(count, reviewers) if reviewers and count > 0 else None


def route(asks: Iterable[Ask], standing: Standing, seed: str) -> Routing:
    """The requests to make and to take back. `seed` decides between those with equally many, always the same way."""
    chosen: dict[str, str] = {}
    wanted: set[str] = set()
    for ask in asks:
        names = {reviewer.casefold(): reviewer for reviewer in ask.reviewers}
        there = [name for name in names if name in standing.requested or name in chosen]
        engaged = [name for name in names if name in standing.answered and name not in there]
        wanted.update(there)
        left_alone = standing.asked | standing.answered
        free = [name for name in names if name not in there and name not in left_alone]
        for name in _fewest(free, standing.loads, seed)[: max(ask.count - len(there) - len(engaged), 0)]:
            chosen[name] = names[name]
    unneeded = sorted((standing.asked & standing.requested) - wanted)
    return Routing(tuple(chosen.values()), tuple(unneeded))


def _fewest(names: Iterable[str], loads: Mapping[str, int], seed: str) -> list[str]:
    return sorted(names, key=lambda name: (loads.get(name, 0), hashlib.sha256(f"{seed}\0{name}".encode()).digest()))
