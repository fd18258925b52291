"""The rows of parametrised tests: each is a test of its own, so one that is gone is looked for elsewhere too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from checks.tampering import sentences
from checks.tampering.alteration import Alteration
from checks.tampering.expectations import Context, subject_of_test
from checks.tampering.units import Unit
from checks.tampering.words import called_names, last_part, words

_QUALIFIER = re.compile(r"\b[a-z_]\w*+\.(?=[A-Za-z_]\w*+\()")
_SHORTEST_TEXT = 6  # characters, with quotes
_Pairs = Iterable[tuple[Unit, Unit]]


@dataclass(frozen=True, slots=True)
class NewRows:
    """Where a row may have gone: `tests` are the rows that tests got, `functions` those of what tests call."""

    tests: Counter[str]
    functions: Mapping[str, frozenset[str]]
    by_text: Mapping[str, str]

    def take(self, row: str, unit: Unit) -> bool:
        """Whether the row of `unit` is there; of another test it is taken."""
        if any(row in self.functions.get(name, ()) for name in called_names(unit)):
            return True
        found = self.tests[row] > 0
        self.tests[row] -= found
        return found

    def akin(self, row: str) -> str | None:
        """A row of a test that has a longer text of this one in it."""
        return next((self.by_text[text] for text in sorted(_texts(row)) if text in self.by_text), None)


def new_rows(pairs: _Pairs, added: Iterable[Unit], helpers: Iterable[Unit]) -> NewRows:
    """Rows that the new side has and the old one has not, over the whole difference."""
    rows = Counter(row for unit in added for row in unit.rows)
    for old, new in pairs:
        rows += Counter(new.rows) - Counter(old.rows)
    functions = {last_part(helper.name): frozenset(helper.rows) for helper in helpers}
    return NewRows(rows, functions, {text: row for row in rows for text in _texts(row)})


def compare_rows(old: Unit, new: Unit, elsewhere: NewRows, context: Context) -> Iterator[Alteration]:
    """Rows of one test on both sides. Those found `elsewhere` are taken out of there."""
    lost = list((Counter(old.rows) - Counter(new.rows)).elements())
    gained = list((Counter(new.rows) - Counter(old.rows)).elements())
    if old.cases == 0:
        return
    if new.cases == 0:
        yield sentences.rows_computed(old, new)
    elif new.cases >= old.cases:
        for before, after in zip(lost, gained, strict=False):
            yield from _changed(new, before, after, context)
    else:
        yield from _fewer(old, new, lost, elsewhere, context)


def _fewer(old: Unit, new: Unit, lost: list[str], elsewhere: NewRows, context: Context) -> Iterator[Alteration]:
    missing = old.cases - new.cases
    if not old.rows:  # the adapter reads only how many there are
        yield sentences.rows_removed(new, [], missing)
        return
    gone = [row for row in lost if not _is_somewhere(row, new, elsewhere) and not context.product.vanished(_words(row))]
    akin = [(row, elsewhere.akin(row)) for row in gone]
    for row, other in akin:
        if other is not None:
            yield from _changed(new, row, other, context)
    gone = [row for row, other in akin if other is None]
    if gone:
        yield sentences.rows_removed(new, gone, min(len(gone), missing))


def _is_somewhere(row: str, new: Unit, elsewhere: NewRows) -> bool:
    """Among the rows that another test got, or in the body of this one, which is no table any more."""
    in_body = not new.rows and words(row)[0] <= words(new.body)[0]
    return in_body or elsewhere.take(row, new)


def _changed(new: Unit, before: str, after: str, context: Context) -> Iterator[Alteration]:
    if not _holds_same(before, after):
        borne_out = context.bears_out(before, after, subject_of_test(new))
        yield sentences.expectation(new, before, after, new.line, is_borne_out=borne_out)


def _holds_same(before: str, after: str) -> bool:
    """Whether a row has the same values and names, but for where these come from: `_order()`, `build.order()`."""
    (old_values, old), (new_values, new) = words(_QUALIFIER.sub("", before)), words(_QUALIFIER.sub("", after))
    return old_values == new_values and {_plain(name) for name in old} <= {_plain(name) for name in new}


def _plain(name: str) -> str:
    return name.lstrip("_").lower()


def _texts(row: str) -> list[str]:
    return [value for value in words(row)[0] if value[0] in "\"'`" and len(value) > _SHORTEST_TEXT]


def _words(row: str) -> frozenset[str]:
    values, names = words(row)
    return values | names
