"""The rows of parametrised tests: each is a test of its own, so one that is gone is looked for elsewhere too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from checks.tampering import sentences
from checks.tampering.alteration import Alteration
from checks.tampering.expectations import Context, subject_of_test
from checks.tampering.units import Unit
from checks.tampering.words import called_names, last_part, words

_Pairs = Iterable[tuple[Unit, Unit]]


def new_rows(pairs: _Pairs, added: Iterable[Unit], helpers: Iterable[Unit]) -> NewRows:
    """Rows that the new side has and the old one has not, over the whole difference."""
    rows = Counter(row for unit in added for row in unit.rows)
    for old, new in pairs:
        rows += Counter(new.rows) - Counter(old.rows)
    return NewRows(rows, {last_part(helper.name): frozenset(helper.rows) for helper in helpers})


@dataclass(frozen=True, slots=True)
class NewRows:
    """Where a row may have gone: `tests` are the rows that tests got, `functions` those of what tests call."""

    tests: Counter[str]
    functions: Mapping[str, frozenset[str]]

    def take(self, row: str, unit: Unit) -> bool:
        """Whether the row of `unit` is there; of another test it is taken."""
        if any(row in self.functions.get(name, ()) for name in called_names(unit)):
            return True
        found = self.tests[row] > 0
        self.tests[row] -= found
        return found


def compare_rows(old: Unit, new: Unit, elsewhere: NewRows, context: Context) -> Iterator[Alteration]:
    """Rows of one test on both sides. Those found `elsewhere` are taken out of there."""
    lost = list((Counter(old.rows) - Counter(new.rows)).elements())
    gained = list((Counter(new.rows) - Counter(old.rows)).elements())
    if old.cases == 0:
        return
    if new.cases == 0:
        yield sentences.rows_computed(old, new)
    elif new.cases >= old.cases:
        yield from _changed_rows(new, lost, gained, context)
    else:
        gone = [
            row for row in lost if not _is_somewhere(row, new, elsewhere) and not context.product.vanished(_words(row))
        ]
        missing = old.cases - new.cases if not old.rows else min(len(gone), old.cases - new.cases)
        if missing:
            yield sentences.rows_removed(new, gone, missing)


def _is_somewhere(row: str, new: Unit, elsewhere: NewRows) -> bool:
    """Among the rows that another test got, or in the body of this one, which is no table any more."""
    in_body = not new.rows and words(row)[0] <= words(new.body)[0]
    return in_body or elsewhere.take(row, new)


def _changed_rows(new: Unit, lost: list[str], gained: list[str], context: Context) -> Iterator[Alteration]:
    for before, after in zip(lost, gained, strict=False):
        if _holds_same(before, after):
            continue
        borne_out = context.bears_out(before, after, subject_of_test(new))
        yield sentences.expectation(new, before, after, new.line, is_borne_out=borne_out)


def _holds_same(before: str, after: str) -> bool:
    """Whether a row has the same values and names, but for where these come from: `_order()`, `build.order()`."""
    (old_values, old), (new_values, new) = words(before), words(after)
    return old_values == new_values and {name.lstrip("_") for name in old} <= new | {name.lstrip("_") for name in new}


def _words(row: str) -> frozenset[str]:
    values, names = words(row)
    return values | names
