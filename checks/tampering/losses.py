"""What a test that is still there does not check any more, and what makes that honest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from checks.tampering import sentences
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.expectations import Context, subject_of_assertion, subject_of_test
from checks.tampering.helpers import Helpers, own_assertions
from checks.tampering.product import Excuse
from checks.tampering.supply import Supply
from checks.tampering.units import Assertion, Strength, Unit
from checks.tampering.weakening import Turn, Turns, compare_assertions, holds, is_generalised, rank
from checks.tampering.words import called_names, names_of, words

_MOST_LOOKED_AT = 200  # assertions of one test
_NARROWING = 2 * Strength.SHAPE - 1  # the rank of a type; what merely exists has less
_WEIGHTS = {Excuse.NONE: Weight.FAILED, Excuse.REPLACED: Weight.PERSON, Excuse.GONE: Weight.RISK}


@dataclass(slots=True)
class Pair:
    """One test on both sides. `after` is all it asserts now; `missing` is covered by nothing in the difference, and
    `rewritten` has a new assertion of the same test in its place."""

    old: Unit
    new: Unit
    before: list[Assertion]
    after: list[Assertion]
    turns: Turns
    missing: list[Assertion] = field(default_factory=list)
    rewritten: list[tuple[Assertion, Assertion]] = field(default_factory=list)

    def resolve(self, supply: Supply) -> None:
        """Looks for what was lost in all that is new."""
        turns = self.turns
        turns.turned = [turned for turned in turns.turned if not supply.take_identical(turned[1])]
        self.missing = [one for one in turns.lost if supply.take(one, self.old, self.new) is None]

    def rewrite(self, supply: Supply) -> None:
        """Takes what is left of the test's own new assertions for those that are missing."""
        spare = [(one, supply.take_spare(one, self.new)) for one in self.missing if not self._is_implied(one)]
        self.missing = [one for one, other in spare if other is None]
        self.rewritten = [(one, other) for one, other in spare if other is not None]

    def _is_implied(self, lost: Assertion) -> bool:
        """Whether something stronger about the same value stands beside it, or in place of a look at a mock.

        `is not None` and `isinstance` often only narrow a type: they go where values are still checked.
        """
        if lost.matcher == "called" and len(self.after) >= len(self.before):
            return True
        if rank(lost) <= _NARROWING and any(rank(one) >= 2 * Strength.CLOSE for one in filter(holds, self.after)):
            return True
        beside = self.after[:_MOST_LOOKED_AT]
        return any(holds(one) and rank(one) > rank(lost) and _says_of(one, lost) for one in beside)


def _says_of(one: Assertion, lost: Assertion) -> bool:
    """Whether one assertion is about a part of what the other is about, or about all of it."""
    part, whole = names_of(one), names_of(lost)
    return bool(whole) and (whole <= part or (one.strength is Strength.EXACT and bool(part) and part <= whole))


def pair_of(old: Unit, new: Unit, old_helpers: Helpers, new_helpers: Helpers, *, counts: bool) -> Pair:
    """`counts` is false for a test that did not run before: it has nothing to lose."""
    common = called_names(old) & called_names(new)
    before = everything(old, old_helpers.called(old, common)) if counts else []
    after = everything(new, new_helpers.called(new, common))
    return Pair(old, new, before, after, compare_assertions(before, after, words(new.body)[0]))


def everything(unit: Unit, called: Iterable[Unit]) -> list[Assertion]:
    """Its own assertions and those of the functions `called`."""
    called = list(called)
    return [*own_assertions(unit, called), *(one for helper in called for one in helper.assertions)]


def judge(pair: Pair, context: Context) -> Iterator[Alteration]:
    """What a pair comes to, once all the others have taken what stands for their own losses."""
    changed = [(old, new) for turn, old, new in pair.turns.turned if turn is Turn.CHANGED]
    rewritten = ((old, new) for old, new in pair.rewritten if not is_generalised(old, new))
    for old, new in (*changed, *rewritten):
        yield _expectation(pair.new, old, new, context)
    for turn, old, new in pair.turns.turned:
        if turn is not Turn.CHANGED:
            yield sentences.turned(turn, pair.new, old, new)
    yield from _missing(pair, context)


def _expectation(unit: Unit, old: Assertion, new: Assertion, context: Context) -> Alteration:
    subject = subject_of_test(unit) | subject_of_assertion(new)
    borne_out = context.bears_out(*_values(old, new), subject)
    return sentences.expectation(unit, old.text, new.text, new.line, is_borne_out=borne_out)


def _values(old: Assertion, new: Assertion) -> tuple[str, str]:
    """What is expected on both sides; nothing where the opposite or something of another kind is."""
    if old.negated is not new.negated or old.matcher != new.matcher:
        return "", ""
    if old.target == new.target:
        return old.expected or "", new.expected or ""
    return f"{old.target} {old.expected}", f"{new.target} {new.expected}"


def _missing(pair: Pair, context: Context) -> Iterator[Alteration]:
    forgotten = words(pair.old.body)[1] - words(pair.new.body)[1]
    excuses = [(one, _excuse(one, forgotten, context)) for one in pair.missing]
    for excuse, weight in _WEIGHTS.items():
        lost = [one for one, given in excuses if given is excuse]
        if not lost:
            continue
        if weight is Weight.FAILED and not any(map(holds, pair.after)):
            yield sentences.emptied(pair.old, pair.new)
        else:
            yield sentences.assertion_removed(pair.new, lost, weight)


def _excuse(lost: Assertion, forgotten: frozenset[str], context: Context) -> Excuse:
    """`forgotten` are the names that the test does not use any more: the lost target may come from one of them."""
    values, names = words(f"{lost.target} {lost.expected or ''}")
    excuse = context.excuse(names | forgotten)
    return Excuse.GONE if excuse is Excuse.NONE and context.product.vanished(values | names) else excuse
