"""At most so many alterations of a kind that hold nothing: a cut list is for a person, and honest work is not.

A thousand rewritten snapshots or suppressions are worth one line each only to begin with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from checks.tampering.alteration import Alteration, Weight

MOST_OF_A_KIND = 20


def few_of_each(alterations: Iterable[Alteration]) -> Iterator[Alteration]:
    """All that fail or need a person, and the first ones of each kind that only raise the risk.

    Of a kind with more, the first one says how many there are.
    """
    of_kind: dict[str, list[Alteration]] = defaultdict(list)
    for alteration in alterations:
        if alteration.weight is Weight.RISK:
            of_kind[alteration.kind].append(alteration)
        else:
            yield alteration
    for found in of_kind.values():
        more = len(found) - MOST_OF_A_KIND
        first = replace(found[0], reason=f"{found[0].reason} (One of {len(found)}.)") if more > 0 else found[0]
        yield from (first, *found[1:MOST_OF_A_KIND])
