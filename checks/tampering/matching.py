"""Which test of the old side is which of the new side, over the whole difference.

By place and name, then by the same body, then by name alone, then by what they check. The last two ask an index, whose
work is bounded: beyond `_MOST_STEPS` units stay unmatched, which can only find too much.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from checks.tampering.units import Unit
from checks.tampering.words import called_names, last_part, words

_MOST_STEPS = 2_000_000
_MOST_OWNERS = 40  # a feature of more units tells none of them apart
_MOST_FEATURES = 60  # of one unit
_ALIKE = 0.5  # of the old unit's features
_SHORTEST_BODY = 12  # characters; a shorter one (`pass`) is no mark of anything


@dataclass(slots=True)
class Matching:
    """`cut`: not every pair was looked for."""

    pairs: list[tuple[Unit, Unit]] = field(default_factory=list)
    removed: list[Unit] = field(default_factory=list)
    added: list[Unit] = field(default_factory=list)
    cut: bool = False


def match(before: Sequence[Unit], after: Sequence[Unit], renamed: Mapping[str, str]) -> Matching:
    """`renamed` are old paths with the new ones that git found for them."""
    matching = Matching(removed=list(before), added=list(after))
    keys: tuple[tuple[Callable[[Unit], Hashable], Callable[[Unit], Hashable]], ...] = (
        (lambda unit: (renamed.get(unit.path, unit.path), unit.name), lambda unit: (unit.path, unit.name)),
        (_body, _body),
        (
            lambda unit: (renamed.get(unit.path, unit.path), last_part(unit.name)),
            lambda unit: (unit.path, last_part(unit.name)),
        ),
    )
    for old_key, new_key in keys:
        _pair_by(matching, old_key, new_key)
    _pair_alike(matching)
    return matching


def _body(unit: Unit) -> Hashable:
    return unit.body if len(unit.body) >= _SHORTEST_BODY else None


def _pair_by(matching: Matching, old_key: Callable[[Unit], Hashable], new_key: Callable[[Unit], Hashable]) -> None:
    """Pairs of one key, in order; None is no key."""
    new: dict[Hashable, deque[Unit]] = defaultdict(deque)
    for unit in matching.added:
        new[new_key(unit)].append(unit)
    new.pop(None, None)
    removed = []
    for unit in matching.removed:
        others = new.get(old_key(unit))
        if others:
            matching.pairs.append((unit, others.popleft()))
        else:
            removed.append(unit)
    _keep_unpaired(matching, removed)


def _keep_unpaired(matching: Matching, removed: list[Unit]) -> None:
    paired = {id(after) for _, after in matching.pairs}
    matching.removed = removed
    matching.added = [unit for unit in matching.added if id(unit) not in paired]


def _pair_alike(matching: Matching) -> None:
    owners: dict[Hashable, list[int]] = defaultdict(list)
    for number, unit in enumerate(matching.added):
        for feature in features(unit):
            owners[feature].append(number)
    scored: list[tuple[float, int, int]] = []
    steps = 0
    for old, unit in enumerate(matching.removed):
        shared, looked = _shared(features(unit), owners)
        scored += [(score, old, new) for new, score in shared.items() if score >= _ALIKE]
        steps += looked
        if steps > _MOST_STEPS:
            matching.cut = True
            break
    _take_best(matching, scored)


def features(unit: Unit) -> tuple[Hashable, ...]:
    """What marks a test: its name, what it checks and with which values, what it calls."""
    checked: Iterable[Hashable] = (
        feature
        for one in unit.assertions
        for feature in (("target", one.target), (one.target, one.expected, one.matcher))
    )
    values, _ = words(unit.body)
    marks = (("name", last_part(unit.name)), *checked, *sorted(called_names(unit)), *sorted(values))
    return tuple(dict.fromkeys(marks))[:_MOST_FEATURES]


def _shared(marks: tuple[Hashable, ...], owners: Mapping[Hashable, list[int]]) -> tuple[dict[int, float], int]:
    """The share of the marks that each new unit has too, and how many owners were looked at."""
    telling = [owners[mark] for mark in marks if mark in owners and len(owners[mark]) <= _MOST_OWNERS]
    counts = Counter(number for numbers in telling for number in numbers)
    return {number: count / len(marks) for number, count in counts.items()}, sum(map(len, telling))


def _take_best(matching: Matching, scored: list[tuple[float, int, int]]) -> None:
    old_taken: set[int] = set()
    new_taken: set[int] = set()
    for _, old, new in sorted(scored, key=lambda one: (-one[0], one[1], one[2])):
        if old not in old_taken and new not in new_taken:
            old_taken.add(old)
            new_taken.add(new)
            matching.pairs.append((matching.removed[old], matching.added[new]))
    _keep_unpaired(matching, [unit for number, unit in enumerate(matching.removed) if number not in old_taken])
