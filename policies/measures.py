"""How large a change is, as far as it was seen: what was counted can only grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from checks.diff import ChangedFile, Diff
from checks.unread import Unread
from policies.rule_sections import Range, Size
from policies.unknown import NeverKnown


@dataclass(frozen=True, slots=True)
class _Measure:
    """What was counted, and why there may be more; None where that is all."""

    least: int
    more: Unread | None


def is_of_size(wanted: Size, sides: Sequence[Diff | Unread]) -> bool | Unread:
    """Whether all bounds hold. Of the `sides` (the pull request's own change, and what merging it changes) the larger
    counts. Unread where what was not seen, such as the lines of a binary file, could decide."""
    measured = _measured(wanted, sides)
    answers = [_within(bounds, measure) for bounds, measure in measured if bounds is not None]
    if False in answers:
        return False
    return next((answer for answer in answers if isinstance(answer, Unread)), True)


def _measured(wanted: Size, sides: Sequence[Diff | Unread]) -> list[tuple[Range | None, _Measure]]:
    unread = next((side for side in sides if isinstance(side, Unread)), None)
    read = [side for side in sides if isinstance(side, Diff)]
    cut = None if all(side.complete for side in read) else Unread("not every changed file is listed")
    binary = next((file.path for side in read for file in side.files if _is_unmeasured(file)), None)
    lines = None if binary is None else NeverKnown(f"{binary} is binary, so its lines cannot be counted")
    unseen = unread or cut
    of_lines = unseen or lines
    return [
        (wanted.files, _Measure(_largest(read, lambda _: 1), unseen)),
        (wanted.additions, _Measure(_largest(read, lambda file: file.additions), of_lines)),
        (wanted.deletions, _Measure(_largest(read, lambda file: file.deletions), of_lines)),
        (wanted.lines, _Measure(_largest(read, lambda file: file.additions + file.deletions), of_lines)),
    ]


def _is_unmeasured(file: ChangedFile) -> bool:
    """A binary file that was only moved has no changed lines."""
    return file.binary and (file.old_oid is None or file.old_oid != file.new_oid)


def _largest(sides: Sequence[Diff], lines: Callable[[ChangedFile], int]) -> int:
    return max((sum(map(lines, side.files)) for side in sides), default=0)


def _within(bounds: Range, measure: _Measure) -> bool | Unread:
    """What was counted may break an upper bound or reach a lower one for good; anything else is known only of all."""
    if bounds.at_most is not None and measure.least > bounds.at_most:
        return False
    if bounds.at_least is not None and measure.least < bounds.at_least:
        return measure.more or False
    return True if bounds.at_most is None else measure.more or True
