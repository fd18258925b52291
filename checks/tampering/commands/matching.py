"""The runs of both sides of a change in pairs, over the whole difference, so that one that moves stays itself."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from checks.tampering.commands.runs import Run

Pair = tuple["Placed | None", "Placed | None"]


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


def pair_runs(before: Sequence[Placed], after: Sequence[Placed]) -> Iterator[Pair]:
    """Pairs of old and new, then what has no partner: `(old, None)` and `(None, new)`."""
    old, new = list(before), list(after)
    for key in _KEYS:
        waiting: dict[Hashable, deque[Placed]] = defaultdict(deque)
        for each in old:
            waiting[key(each)].append(each)
        unpaired = []
        for each in new:
            partners = waiting.get(key(each))
            if partners:
                yield partners.popleft(), each
            else:
                unpaired.append(each)
        new = unpaired
        old = [each for queue in waiting.values() for each in queue]
    yield from ((each, None) for each in old)
    yield from ((None, each) for each in new)
