"""What a demand comes to: a status, words for people, and whom it still waits for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from checks.electorate import Electorate
from checks.finding import Status
from policies.verdict import Node, fold_all, fold_any, fold_at_least


@dataclass(frozen=True, slots=True)
class Outcome:
    """A demand and what it comes to.

    `words` say what is wanted and how far it is, without a full stop. `waits_for` are the people whose approval is
    still missing, `counted` logins whose approval counts, `people` how many different approvals are asked for at most.
    """

    name: str
    status: Status
    words: str
    parts: tuple[Outcome, ...] = ()
    waits_for: tuple[Electorate, ...] = ()
    counted: tuple[str, ...] = ()
    people: int = 0

    @property
    def node(self) -> Node:
        """For the result tree; it carries no finding, the rule's own says it all."""
        return Node(self.name, self.status, f"{self.words[:1].upper()}{self.words[1:]}.", self.nodes)

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(part.node for part in self.parts)


def all_of(parts: Sequence[Outcome]) -> Outcome:
    status = fold_all(part.status for part in parts)
    return _joined("all", status, _words(status, parts, " and "), parts)


def any_of(parts: Sequence[Outcome]) -> Outcome:
    status = fold_any(part.status for part in parts)
    return _joined("any", status, _words(status, parts, " or "), parts)


def at_least(count: int, parts: Sequence[Outcome]) -> Outcome:
    status = fold_at_least(count, (part.status for part in parts))
    passed = sum(part.status is Status.PASSED for part in parts)
    words = f"{passed} of {count} of: " + "; ".join(part.words for part in parts)
    return _joined("at least", status, words, parts)


def _words(status: Status, parts: Sequence[Outcome], joint: str) -> str:
    """What has the status is what decides."""
    told = [part for part in parts if part.status is status] or list(parts)
    return joint.join(f"({part.words})" if len(told) > 1 and part.parts else part.words for part in told)


def _joined(name: str, status: Status, words: str, parts: Sequence[Outcome]) -> Outcome:
    open_parts = [part for part in parts if part.status is Status.PENDING] if status is Status.PENDING else []
    return Outcome(
        name,
        status,
        words,
        tuple(parts),
        waits_for=tuple(dict.fromkeys(who for part in open_parts for who in part.waits_for)),
        counted=_logins(part.counted for part in parts),
        people=max(part.people for part in parts),
    )


def _logins(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(login for logins in lists for login in logins))
