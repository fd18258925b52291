"""The tests of both sides against each other, over the whole difference.

First every test finds its counterpart (`matching`), then what each pair lost is looked for in all that is new
(`supply`), and only what is found nowhere is an alteration. A test or assertion that goes with the code it tested is
none, as far as the product's own files show it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from checks.tampering import sentences
from checks.tampering.alteration import Alteration
from checks.tampering.expectations import Context, subject_of_assertion, subject_of_test
from checks.tampering.helpers import Helpers, own_assertions
from checks.tampering.losses import Pair, everything, judge, pair_of
from checks.tampering.marking import compare_marks, marks_of_new, runs
from checks.tampering.matching import Matching, match
from checks.tampering.product import Product
from checks.tampering.removal import NewSide, judge_removed, look_for
from checks.tampering.rows import NewRows, compare_rows, new_rows
from checks.tampering.supply import Supply
from checks.tampering.units import Assertion, FileUnits, Strength, Unit
from checks.tampering.words import last_part


@dataclass(frozen=True, slots=True)
class Comparison:
    """`cut`: there were too many tests to look for the counterpart of each."""

    alterations: tuple[Alteration, ...]
    cut: bool = False


def compare(
    before: Sequence[FileUnits], after: Sequence[FileUnits], renamed: Mapping[str, str], product: Product
) -> Comparison:
    """`renamed` are old paths with the new ones that git found for them."""
    tests = match(_tests(before), _tests(after), renamed)
    functions = match(_checking(before), _checking(after), renamed)
    comparing = _Comparing(tests, functions, Helpers(_helpers(before)), Helpers(_helpers(after)), product)
    return Comparison(tuple(comparing.alterations(after)), tests.cut or functions.cut)


@dataclass(slots=True)
class _Comparing:
    tests: Matching
    functions: Matching
    old_helpers: Helpers
    new_helpers: Helpers
    product: Product

    def alterations(self, after: Sequence[FileUnits]) -> Iterator[Alteration]:
        """Everybody takes what is the same first, then what is left over is news that bears other changes out."""
        supply = Supply()
        pairs = list(self._pairs())
        for pair in pairs:
            self._offer(supply, pair)
        for unit in filter(runs, self.tests.added):
            self._offer_new(supply, unit)
        for pair in pairs:
            pair.resolve(supply)
        removed = [look_for(unit, self._all_of(unit), supply) for unit in self.tests.removed]
        for pair in pairs:
            pair.rewrite(supply)
        context = Context(self.product, self._checked(supply), frozenset(supply.renamed))
        for pair in pairs:
            yield from judge(pair, context)
        yield from self._marks(context, new_rows(self.tests.pairs, self.tests.added, _helpers(after)))
        side = NewSide(after)
        for one in removed:
            yield from judge_removed(one, side, context)

    def _pairs(self) -> Iterator[Pair]:
        for old, new in self.tests.pairs:
            if not _is_untouched(old, new):
                yield pair_of(old, new, self.old_helpers, self.new_helpers, counts=runs(old))
        for old, new in self.functions.pairs:
            if not _is_untouched(old, new):
                yield pair_of(old, new, self.old_helpers, self.new_helpers, counts=True)

    def _offer(self, supply: Supply, pair: Pair) -> None:
        """What a function asserts that a test calls now may be met any number of times."""
        own = {id(one) for one in pair.new.assertions}
        supply.add(pair.new, [one for one in pair.turns.gained if id(one) in own])
        supply.add(pair.new, [one for one in pair.turns.gained if id(one) not in own], often=True)

    def _offer_new(self, supply: Supply, unit: Unit) -> None:
        called = self.new_helpers.called(unit, self.old_helpers.names)
        supply.add(unit, own_assertions(unit, called))
        for helper in called:
            supply.add(unit, helper.assertions, often=True)

    def _all_of(self, unit: Unit) -> list[Assertion]:
        return everything(unit, self.old_helpers.called(unit, self.new_helpers.names))

    def _checked(self, supply: Supply) -> frozenset[str]:
        """What is checked that was not: by new tests, new rows and new assertions of other tests."""
        added = {id(unit) for unit in self.tests.added}
        found = [subject_of_test(new) for old, new in self.tests.pairs if new.cases > old.cases > 0]
        for offer in supply.unused():
            if offer.assertion.strength >= Strength.CLOSE:
                found.append(subject_of_assertion(offer.assertion))
                found.append(subject_of_test(offer.unit) if id(offer.unit) in added else frozenset())
        return frozenset().union(*found)

    def _marks(self, context: Context, elsewhere: NewRows) -> Iterator[Alteration]:
        for old, new in self.tests.pairs:
            yield from compare_marks(old, new)
            yield from compare_rows(old, new, elsewhere, context)
            yield from self._mocks(old, new)
        for new in self.tests.added:
            yield from marks_of_new(new)

    def _mocks(self, old: Unit, new: Unit) -> Iterator[Alteration]:
        names = sorted(new.mocks - old.mocks)
        checked = [name for name in names if any(_is_called(name, one.target) for one in new.assertions)]
        touched = [name for name in names if self.product.defines(last_part(name))]
        if checked:
            yield sentences.mocked(new, checked, is_checked=True)
        elif touched:
            yield sentences.mocked(new, touched, is_checked=False)


def _is_called(name: str, target: str) -> bool:
    """One that ends with a bracket is meant as a whole: `cart.total(`, which some languages call without one."""
    whole = name.removesuffix("(")
    if whole == name:
        return f"{last_part(name)}(" in target
    return target == whole or f"{whole}(" in target


def _is_untouched(old: Unit, new: Unit) -> bool:
    """The same text, the same constants of the module in it, and nothing around it that swallows."""
    expected = [(one.expected, one.swallowed) for one in old.assertions]
    return old.body == new.body and expected == [(one.expected, one.swallowed) for one in new.assertions]


def _tests(files: Sequence[FileUnits]) -> list[Unit]:
    return [unit for file in files for unit in file.units]


def _helpers(files: Sequence[FileUnits]) -> list[Unit]:
    return [helper for file in files for helper in file.helpers]


def _checking(files: Sequence[FileUnits]) -> list[Unit]:
    """Functions that assert for tests: beside tests, or by their names. What else asserts is its own business."""
    return [helper for file in files if file.is_test_file for helper in file.helpers if file.units or _asserts(helper)]


def _asserts(helper: Unit) -> bool:
    return last_part(helper.name).lstrip("_").startswith(("assert", "expect"))
