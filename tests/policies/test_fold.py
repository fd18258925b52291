"""The fold over five statuses: every pair by hand, every longer sequence by its pairs."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from checks.finding import Status
from policies.verdict import fold_all, fold_any, fold_at_least, settled

P, F, W, E, S = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED, Status.SKIPPED

# Rows and columns: passed, failed, pending, errored, skipped.
ALL = {
    P: (P, F, W, E, P),
    F: (F, F, F, F, F),
    W: (W, F, W, E, W),
    E: (E, F, E, E, E),
    S: (P, F, W, E, S),
}
ANY = {
    P: (P, P, P, P, P),
    F: (P, F, W, E, F),
    W: (P, W, W, W, W),
    E: (P, E, W, E, E),
    S: (P, F, W, E, S),
}
ORDER = (P, F, W, E, S)
PAIRS = [(left, right) for left in ORDER for right in ORDER]


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_every_pair_under_all(left: Status, right: Status) -> None:
    assert fold_all((left, right)) is ALL[left][ORDER.index(right)]


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_every_pair_under_any(left: Status, right: Status) -> None:
    assert fold_any((left, right)) is ANY[left][ORDER.index(right)]


def test_longer_sequences_are_folded_pair_by_pair() -> None:
    for triple in product(Status, repeat=3):
        assert fold_all(triple) is fold_all((fold_all(triple[:2]), triple[2]))
        assert fold_any(triple) is fold_any((fold_any(triple[:2]), triple[2]))


def test_order_never_matters() -> None:
    for order in permutations(Status):
        assert fold_all(order) is F
        assert fold_any(order) is P
        assert fold_at_least(2, order) is W


@pytest.mark.parametrize("status", Status)
def test_one_alone_is_itself(status: Status) -> None:
    assert fold_all((status,)) is status
    assert fold_any((status,)) is status
    assert fold_at_least(1, (status,)) is status


def test_nothing_never_passes() -> None:
    assert fold_all(()) is F
    assert fold_any(()) is F
    assert fold_at_least(1, ()) is F
    assert fold_at_least(0, ()) is F


AT_LEAST = [
    (0, (P, P), F),
    (-1, (P,), F),
    (0, (S,), F),
    (1, (P, F), P),
    (1, (F, W), W),
    (1, (F, E), E),
    (1, (E, W), W),
    (1, (S, F), F),
    (1, (S, S), S),
    (2, (P, P), P),
    (2, (P, P, F, E), P),
    (2, (P, W), W),
    (2, (P, W, E), W),
    (2, (P, E), E),
    (2, (W, E), E),
    (2, (P, F), F),
    (2, (P, S), F),
    (2, (P,), F),
    (2, (S, S), S),
    (3, (P, P, S), F),
    (3, (P, W, E), E),
    (3, (P, P, W), W),
    (3, (P, F, E), F),
]


@pytest.mark.parametrize(("count", "statuses", "expected"), AT_LEAST)
def test_at_least(count: int, statuses: tuple[Status, ...], expected: Status) -> None:
    assert fold_at_least(count, statuses) is expected


def test_at_least_one_is_any() -> None:
    for triple in product(Status, repeat=3):
        assert fold_at_least(1, triple) is fold_any(triple)


@pytest.mark.parametrize(("status", "expected"), [(P, P), (F, F), (W, W), (E, E), (S, F)])
def test_a_required_check_is_never_skipped(status: Status, expected: Status) -> None:
    assert settled(status) is expected
