"""The runs of both sides of a change in pairs, over the whole difference, so that one that moves stays itself."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from checks.tampering.commands.runs import Run


@dataclass(frozen=True, slots=True)
class Placed:
    """A run and where it stands. `change` is the number of the changed file, the same for both of its names."""

    change: int
    path: str
    scope: str
    run: Run
    implied: bool

    @property
    def tool(self) -> str:
        return self.run.program.tool

    @property
    def purpose(self) -> str:
        return self.run.program.purpose


# From the same text in the same place down to any run that serves the same purpose in the same file.
_KEYS: tuple[Callable[[Placed], Hashable], ...] = (
    lambda each: (each.change, each.scope, each.run.text, each.run.hidden, each.implied),
    lambda each: (each.change, each.scope, each.tool, each.implied),
    lambda each: (each.tool, each.run.text, each.run.hidden, each.implied),
    lambda each: (each.change, each.tool, each.implied),
    lambda each: (each.tool, each.implied),
    lambda each: (each.change, each.scope, each.purpose, each.implied),
    lambda each: (each.change, each.purpose, each.implied),
)


@dataclass(slots=True)
class Matching:
    """Pairs of old and new runs; `lost` are old ones without a partner, `added` new ones."""

    lost: list[Placed]
    added: list[Placed]
    pairs: list[tuple[Placed, Placed]] = field(default_factory=list)


def match_runs(before: Sequence[Placed], after: Sequence[Placed]) -> Matching:
    """Each run has at most one partner: the nearest by `_KEYS`."""
    matching = Matching(list(before), list(after))
    for key in _KEYS:
        _match_by(key, matching)
    return matching


def _match_by(key: Callable[[Placed], Hashable], matching: Matching) -> None:
    waiting: dict[Hashable, deque[Placed]] = defaultdict(deque)
    for each in matching.lost:
        waiting[key(each)].append(each)
    added = []
    for each in matching.added:
        partners = waiting.get(key(each))
        if partners:
            matching.pairs.append((partners.popleft(), each))
        else:
            added.append(each)
    matching.added = added
    matching.lost = [each for queue in waiting.values() for each in queue]
