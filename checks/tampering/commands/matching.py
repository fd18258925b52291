"""The runs of both sides of a change in pairs, over the whole difference, so that one that moves stays itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

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
    """Pairs of the same key; where there are several, those with the most words in common."""
    old_groups, new_groups = _grouped(key, matching.lost), _grouped(key, matching.added)
    matching.lost = [each for name, group in old_groups.items() if name not in new_groups for each in group]
    matching.added = [each for name, group in new_groups.items() if name not in old_groups for each in group]
    for name in (name for name in old_groups if name in new_groups):
        _match_group(old_groups[name], new_groups[name], matching)


def _grouped(key: Callable[[Placed], Hashable], runs: Sequence[Placed]) -> dict[Hashable, list[Placed]]:
    groups: dict[Hashable, list[Placed]] = defaultdict(list)
    for each in runs:
        groups[key(each)].append(each)
    return groups


def _match_group(old: Sequence[Placed], new: Sequence[Placed], matching: Matching) -> None:
    candidates = [(-_likeness(was, now), *at) for at, was, now in _crossed(old, new)]
    free_old, free_new = dict(enumerate(old)), dict(enumerate(new))
    for _, old_at, new_at in sorted(candidates):
        if old_at in free_old and new_at in free_new:
            matching.pairs.append((free_old.pop(old_at), free_new.pop(new_at)))
    matching.lost += free_old.values()
    matching.added += free_new.values()


def _crossed(old: Sequence[Placed], new: Sequence[Placed]) -> Iterator[tuple[tuple[int, int], Placed, Placed]]:
    """Every old run with every new one; of very many only those at the same place in their row."""
    if len(old) * len(new) > _MOST_CANDIDATES:
        yield from (((at, at), was, now) for at, (was, now) in enumerate(zip(old, new, strict=False)))
        return
    for (old_at, was), (new_at, now) in product(enumerate(old), enumerate(new)):
        yield (old_at, new_at), was, now


def _likeness(was: Placed, now: Placed) -> int:
    """Words in common, less those that are not."""
    one, other = set(was.run.text.split()), set(now.run.text.split())
    return len(one & other) - len(one ^ other)


_MOST_CANDIDATES = 2_500
