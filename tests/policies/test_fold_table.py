"""The fold as one table: every set of statuses under `all` and `any`, and every sequence under `at_least`.

Letters: P passed, F failed, W pending (waits), E errored, S skipped.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product

import pytest

from checks.finding import Status
from policies.outcome import Outcome, all_of, any_of, at_least
from policies.verdict import fold_all, fold_any, fold_at_least

LETTERS = {"P": Status.PASSED, "F": Status.FAILED, "W": Status.PENDING, "E": Status.ERRORED, "S": Status.SKIPPED}
# What is there, then what it comes to under `all` and under `any`. Which and not how many of each is what counts.
TABLE = """
-      F F
P      P P
F      F F
W      W W
E      E E
S      S S
PF     F P
PW     W P
PE     E P
PS     P P
FW     F W
FE     F E
FS     F F
WE     E W
WS     W W
ES     E E
PFW    F P
PFE    F P
PFS    F P
PWE    E P
PWS    W P
PES    E P
FWE    F W
FWS    F W
FES    F E
WES    E W
PFWE   F P
PFWS   F P
PFES   F P
PWES   E P
FWES   F W
PFWES  F P
"""
ROWS = [row.split() for row in TABLE.strip().splitlines()]


def _statuses(letters: str) -> tuple[Status, ...]:
    return tuple(LETTERS[letter] for letter in letters.replace("-", ""))


def test_the_table_is_whole() -> None:
    sets = ["".join(chosen) for size in range(1, 6) for chosen in combinations("PFWES", size)]
    assert sorted(row[0] for row in ROWS) == sorted(["-", *sets])


@pytest.mark.parametrize(("present", "all_", "any_"), ROWS, ids=[row[0] for row in ROWS])
def test_all_and_any(present: str, all_: str, any_: str) -> None:
    for statuses in (_statuses(present), _statuses(present[::-1]), _statuses(present * 2)):
        assert fold_all(statuses) is LETTERS[all_]
        assert fold_any(statuses) is LETTERS[any_]


def _by_outcomes(count: int, statuses: tuple[Status, ...]) -> Status:
    """`at_least` by trying every way in which what is open can still end."""
    if set(statuses) <= {Status.SKIPPED}:
        return Status.SKIPPED

    def can_reach(open_: tuple[Status, ...]) -> bool:
        ends = [(True, False) if status in open_ else (status is Status.PASSED,) for status in statuses]
        return any(sum(end) >= count for end in product(*ends))

    if can_reach(()):
        return Status.PASSED
    if can_reach((Status.PENDING,)):
        return Status.PENDING
    return Status.ERRORED if can_reach((Status.PENDING, Status.ERRORED)) else Status.FAILED


def test_at_least() -> None:
    for size in range(1, 6):
        for statuses in combinations_with_replacement(Status, size):
            for count in range(1, size + 2):
                assert fold_at_least(count, statuses) is _by_outcomes(count, statuses), (count, statuses)


def test_composed_demands_use_this_table() -> None:
    for statuses in product(Status, repeat=3):
        parts = [Outcome(f"part {number}", status, "x") for number, status in enumerate(statuses)]
        assert all_of(parts).status is fold_all(statuses)
        assert any_of(parts).status is fold_any(statuses)
        for count in (1, 2, 3):
            assert at_least(count, parts).status is fold_at_least(count, statuses)
