"""The rows of parametrised tests: each is a test of its own, so one that is gone is looked for elsewhere too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from checks.tampering import sentences
from checks.tampering.alteration import Alteration
from checks.tampering.expectations import Context, subject_of_test
from checks.tampering.units import Unit
from checks.tampering.words import words

_Pairs = Iterable[tuple[Unit, Unit]]


def new_rows(pairs: _Pairs, added: Iterable[Unit]) -> Counter[str]:
    """Rows that the new side has and the old one has not, over the whole difference."""
    rows = Counter(row for unit in added for row in unit.rows)
    for old, new in pairs:
        rows += Counter(new.rows) - Counter(old.rows)
    return rows


def compare_rows(old: Unit, new: Unit, elsewhere: Counter[str], context: Context) -> Iterator[Alteration]:
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


def _is_somewhere(row: str, new: Unit, elsewhere: Counter[str]) -> bool:
    """Among the rows that another test got, or in the body of this one, which is no table any more."""
    in_body = not new.rows and words(row)[0] <= words(new.body)[0]
    if in_body or not elsewhere[row]:
        return in_body
    elsewhere[row] -= 1
    return True


def _changed_rows(new: Unit, lost: list[str], gained: list[str], context: Context) -> Iterator[Alteration]:
    for before, after in zip(lost, gained, strict=False):
        borne_out = context.bears_out(before, after, subject_of_test(new))
        yield sentences.expectation(new, before, after, new.line, is_borne_out=borne_out)


def _words(row: str) -> frozenset[str]:
    values, names = words(row)
    return values | names
