"""How a change looks against what it is: what a reader of the difference is not shown, or shown wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checks.tampering.alteration import Alteration
from checks.tampering.attributes import hiding_attributes
from checks.tampering.bounded import few_of_each
from checks.tampering.change import Change
from checks.tampering.disguises import disguises
from checks.tampering.invisible import invisible_characters


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Everything that is found, in no order that means anything. Never raises for what a change holds."""
    return few_of_each(_alterations(changes))


def _alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    yield from invisible_characters(changes)
    yield from hiding_attributes(changes)
    for change in changes:
        yield from disguises(change)
