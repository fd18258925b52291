"""Assertions that are new somewhere in the difference, and which of the lost ones they stand for.

A test that moved, was split, or became a row of another test is honest: what it checked is checked elsewhere now. So
the whole difference is one store, and each new assertion covers only as many lost ones as it can.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.tampering.units import Assertion, Unit
from checks.tampering.weakening import Key, holds, identity, rank
from checks.tampering.words import called_names, names_of, values_of, words

_MOST_LOOKED_AT = 40  # candidates for one lost assertion
_MOST_LOOKS = 300_000  # of all; what is lost after that counts as lost
_OFTEN = 10_000


@dataclass(slots=True, eq=False)
class Offer:
    """A new assertion of `unit` with how many lost ones it may still cover. `taken`: it covers one."""

    assertion: Assertion
    unit: Unit
    left: int
    values: frozenset[str]
    taken: bool = False

    def take(self) -> Unit:
        self.left -= 1
        self.taken = True
        return self.unit


class Supply:
    """What is new, found by what it checks and by the values it holds.

    `renamed` are names in lost assertions that what stands for them does not know: they go by another name now.
    """

    def __init__(self) -> None:
        self.renamed: set[str] = set()
        self._looks = _MOST_LOOKS
        self._same: dict[Key, list[Offer]] = defaultdict(list)
        self._holding: dict[str, list[Offer]] = defaultdict(list)
        self._naming: dict[str, list[Offer]] = defaultdict(list)
        self._of: dict[int, list[Offer]] = defaultdict(list)  # by the id of the test

    def add(self, unit: Unit, assertions: Iterable[Assertion], *, often: bool = False) -> None:
        """`often`: they stand in a function that tests call, so each may be met any number of times, as computed rows
        may be."""
        body = words(unit.body)[0]
        tabled = []
        for assertion in filter(holds, assertions):
            has_table = unit.cases != 1 or not words(assertion.expected or "")[0]
            values = body if has_table else values_of(assertion)
            left = _OFTEN if often or unit.cases == 0 else max(1, len(values), unit.cases)
            offer = Offer(assertion, unit, left, values)
            self._of[id(unit)].append(offer)
            self._same[identity(assertion)].append(offer)
            tabled += [offer] if has_table else []
            self._file(self._holding, () if has_table else values, [offer])
            self._file(self._naming, names_of(assertion), [offer])
        self._file(self._holding, body, tabled[:_MOST_LOOKED_AT])

    @staticmethod
    def _file(index: dict[str, list[Offer]], words: Iterable[str], offers: list[Offer]) -> None:
        for word in words if offers else ():
            index[word] += offers[: _MOST_LOOKED_AT - len(index[word])]

    def take(self, lost: Assertion, old: Unit, new: Unit | None = None) -> Unit | None:
        """The test in which something new stands for an assertion that `old` lost; it covers one less from then on.

        `new` is what became of the test, if anything.
        """
        offer = self._identical(lost) or self._own(lost, new) or self._covering(lost, old)
        if offer is None:
            return None
        self.renamed |= names_of(lost) - words(offer.unit.body)[1]
        return offer.take()

    def take_identical(self, lost: Assertion) -> bool:
        """Whether the very same assertion is new elsewhere."""
        offer = self._identical(lost)
        return offer is not None and offer.take() is offer.unit

    def take_spare(self, lost: Assertion, unit: Unit) -> Assertion | None:
        """A new assertion of the test `unit` that covers nothing yet and is as strong, if possible about the same."""
        fitting = self._fitting(self._of[id(unit)], lost)
        spare = [offer for offer in fitting if not offer.taken]
        if not spare:
            return None
        best = max(spare, key=lambda offer: len(names_of(lost) & names_of(offer.assertion)))
        best.take()
        return best.assertion

    def unused(self) -> Iterator[Offer]:
        """What covers nothing, so that it is news."""
        return (offer for offers in self._of.values() for offer in offers if not offer.taken)

    def _fitting(self, offers: Iterable[Offer], lost: Assertion) -> Iterator[Offer]:
        """Those that may cover something and are as strong, as long as not too many were looked at."""
        for offer in offers:
            self._looks -= 1
            if self._looks >= 0 and offer.left and rank(offer.assertion) >= rank(lost):
                yield offer

    def _identical(self, lost: Assertion) -> Offer | None:
        offers = self._same.get(identity(lost), [])
        while offers and not offers[-1].left:
            offers.pop()
        return offers[-1] if offers else None

    def _own(self, lost: Assertion, new: Unit | None) -> Offer | None:
        """In what became of the test, names may be others, as the code's own may be, and arguments may stand before."""
        expected = words(lost.expected or "")[0]
        if new is None or not expected:
            return None
        values, everywhere = values_of(lost), words(new.body)[0]
        offers = self._fitting(self._of[id(new)], lost) if values <= everywhere else ()
        return next((offer for offer in offers if expected <= offer.values), None)

    def _covering(self, lost: Assertion, unit: Unit) -> Offer | None:
        """Something as strong in a test that has names in common and holds all of its values."""
        values = values_of(lost)
        names = names_of(lost) | called_names(unit)
        candidates = self._that_hold(values) if values else self._that_name(names_of(lost))
        for offer in self._fitting(candidates, lost):
            about = names_of(offer.assertion), called_names(offer.unit)
            if values <= offer.values and not all(map(names.isdisjoint, about)):
                return offer
        return None

    def _that_hold(self, values: frozenset[str]) -> list[Offer]:
        """Those that hold the rarest of the values."""
        return min((self._holding.get(value, []) for value in values), key=len)

    def _that_name(self, names: frozenset[str]) -> list[Offer]:
        """Those that name at least half of the names: without values there is nothing else to go by."""
        counts = Counter(offer for name in names for offer in self._naming.get(name, ()))
        return [offer for offer, count in counts.items() if 2 * count >= len(names)]
