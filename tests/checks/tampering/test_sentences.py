"""What marks and removals of tests come to: kind, place, weight and the sentence that a stranger reads."""

from __future__ import annotations

from typing import Any

import pytest

from checks.tampering import sentences
from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.marking import compare_marks, marks_of_new, runs
from checks.tampering.units import SkipScope, Strength
from checks.tampering.weakening import Turn
from tests.checks.tampering.units_made import assertion, unit

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
ALWAYS, CONDITION, PLATFORM = SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM
PLACE = "tests/test_cart.py: test_total"
Marks = dict[str, Any]


def _told(alterations: Any) -> list[tuple[str, str, str, Weight]]:
    return [(one.kind, one.before, one.after, one.weight) for one in alterations]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ({}, {}, []),
        ({"skipped": "skip"}, {"skipped": "skip"}, []),
        ({}, {"skipped": "skip"}, [("test-skipped", "", "skip", FAILED)]),
        ({"skipped": "skip"}, {}, []),
        (
            {"skipped": "skipif(x)", "skip_scope": CONDITION},
            {"skipped": "skip"},
            [("test-skipped", "skipif(x)", "skip", FAILED)],
        ),
        ({"skipped": "skip"}, {"skipped": "skipif(x)", "skip_scope": CONDITION}, []),
        ({}, {"skipped": "skipif(x)", "skip_scope": CONDITION}, [("test-skipped", "", "skipif(x)", PERSON)]),
        ({}, {"skipped": "skipif(CI)", "skip_scope": CONDITION}, [("test-skipped", "", "skipif(CI)", FAILED)]),
        ({}, {"skipped": "skipif(win32)", "skip_scope": PLATFORM}, [("test-skipped", "", "skipif(win32)", RISK)]),
        ({}, {"may_fail": "xfail"}, [("test-may-fail", "", "xfail", FAILED)]),
        ({"may_fail": "xfail"}, {"may_fail": "todo"}, []),
        ({}, {"focused": "it.only"}, [("test-focused", "", "it.only", FAILED)]),
        ({"focused": "it.only"}, {"focused": "fit"}, []),
        ({}, {"collected": False}, [("test-uncollected", PLACE, PLACE, FAILED)]),
        ({"collected": False}, {"collected": False}, []),
        ({}, {"retries": "flaky(3)"}, [("test-retried", "", "flaky(3)", PERSON)]),
        ({"retries": "flaky(2)"}, {"retries": "flaky(3)"}, [("test-retried", "flaky(2)", "flaky(3)", PERSON)]),
        ({"retries": "flaky(3)"}, {"retries": "flaky(3)"}, []),
        ({"retries": "flaky(3)"}, {}, []),
        ({"timeout": "5"}, {"timeout": "50"}, [("timeout-changed", "5", "50", RISK)]),
        ({"timeout": "5"}, {}, [("timeout-changed", "5", "", RISK)]),
        ({}, {"timeout": "5"}, [("timeout-changed", "", "5", RISK)]),
        # https://hypothesis.readthedocs.io/en/latest/reference/api.html#hypothesis.settings.max_examples: 100 of itself
        ({}, {"examples": 99}, [("examples-lowered", "default", "99", RISK)]),
        ({}, {"examples": 100}, []),
        ({"examples": 500}, {"examples": 100}, [("examples-lowered", "500", "100", RISK)]),
        ({"examples": 10}, {"examples": 20}, []),
        ({"examples": 10}, {}, []),
    ],
)
def test_marks_of_one_test(old: Marks, new: Marks, wanted: list[tuple[str, str, str, Weight]]) -> None:
    assert _told(compare_marks(unit(**old), unit(**new))) == wanted


def test_a_test_moves_to_where_none_are_run() -> None:
    old, new = unit(), unit(path="tests/_archive/test_cart.py")
    (found,) = compare_marks(old, new)
    reason = f"The test `test_total` has moved to {new.path}, which looks like a place for tests that are not run."
    assert (found.kind, found.path, found.weight, found.reason) == ("test-uncollected", new.path, PERSON, reason)
    assert (found.before, found.after) == (old.path, new.path)
    assert list(compare_marks(new, new)) == []
    assert list(compare_marks(new, old)) == []


@pytest.mark.parametrize(
    ("marks", "wanted"),
    [
        ({}, []),
        ({"skipped": "skip"}, [("test-skipped", "", "skip", RISK)]),
        ({"may_fail": "xfail"}, [("test-may-fail", "", "xfail", RISK)]),
        ({"focused": "fit"}, [("test-focused", "", "fit", FAILED)]),  # it keeps others from running
        ({"retries": "flaky", "timeout": "5", "examples": 1}, []),
    ],
)
def test_marks_of_a_new_test(marks: Marks, wanted: list[tuple[str, str, str, Weight]]) -> None:
    assert _told(marks_of_new(unit(**marks))) == wanted


@pytest.mark.parametrize(
    ("marks", "wanted"),
    [
        ({}, True),
        ({"skipped": "skip"}, False),
        ({"skipped": "skipif(x)", "skip_scope": CONDITION}, True),
        ({"may_fail": "xfail"}, False),
        ({"collected": False}, False),
    ],
)
def test_whether_a_failure_counts(marks: Marks, wanted: bool) -> None:
    assert runs(unit(**marks)) is wanted


OLD, NEW = assertion("total(cart)", "3"), assertion("total(cart)", "4", line=5)
TOTAL = unit(body="assert total(cart) == 3", assertions=(OLD,))


@pytest.mark.parametrize(
    ("found", "kind", "weight", "reason"),
    [
        (
            sentences.removed(TOTAL, 1, FAILED),
            "test-removed",
            FAILED,
            "The test `test_total` is gone, and 1 of its 1 assertions are checked nowhere now.",
        ),
        (sentences.removed(unit(), 0, FAILED), "test-removed", FAILED, "The test `test_total` is gone."),
        (
            sentences.replaced(TOTAL),
            "test-removed",
            PERSON,
            "The test `test_total` is gone with code that it called, and no new test calls what stands there instead.",
        ),
        (
            sentences.removed_with_code(TOTAL),
            "test-removed-with-code",
            RISK,
            "The test `test_total` is gone with code that it called.",
        ),
        (
            sentences.never_ran(TOTAL),
            "test-removed",
            RISK,
            "The test `test_total` is gone; it did not count before.",
        ),
        (
            sentences.rows_computed(unit(rows=("1", "2")), unit(rows=("*ROWS",))),
            "rows-computed",
            RISK,
            "The rows of `test_total` are computed now; whether they are the same cannot be told.",
        ),
        (
            sentences.examples(unit(), None, 5),
            "examples-lowered",
            RISK,
            "`test_total` tries at most 5 generated examples.",
        ),
        (
            sentences.mocked(unit(), ["a.tax", "a.b"], is_checked=True),
            "subject-mocked",
            PERSON,
            "`test_total` replaces `a.tax, a.b` and then checks what it returns, so it checks its own replacement.",
        ),
        (
            sentences.mocked(unit(), ["shop.total"], is_checked=False),
            "subject-mocked",
            RISK,
            "`test_total` replaces code that this change touches: `shop.total`.",
        ),
        (
            sentences.assertion_removed(unit(), [OLD], FAILED),
            "assertion-removed",
            FAILED,
            "An assertion of `test_total` is gone, and nothing checks that now.",
        ),
        (
            sentences.assertion_removed(unit(), [OLD, NEW], RISK),
            "assertion-removed",
            RISK,
            "2 assertions of `test_total` are gone, with code that it named.",
        ),
    ],
)
def test_sentence(found: Alteration, kind: str, weight: Weight, reason: str) -> None:
    assert (found.kind, found.weight, found.reason) == (kind, weight, reason)
    assert (found.path, found.line, found.subject) == ("tests/test_cart.py", 2, "test_total")


@pytest.mark.parametrize(
    ("turn", "kind", "weight"),
    [
        (Turn.LOOSER, "assertion-weakened", PERSON),
        (Turn.WEAKER, "assertion-weakened", FAILED),
        (Turn.SWALLOWED, "assertion-swallowed", FAILED),
    ],
)
def test_an_assertion_stands_at_its_own_line(turn: Turn, kind: str, weight: Weight) -> None:
    found = sentences.turned(turn, TOTAL, OLD, NEW)
    assert (found.kind, found.weight, found.line) == (kind, weight, 5)
    assert (found.before, found.after) == (OLD.text, NEW.text)


def test_quotes_are_short() -> None:
    found = sentences.altered("kind", unit(), "b" * 301, "a" * 301, "It is.", RISK)
    assert (found.before, found.after) == ("b" * LONGEST_QUOTE, "a" * LONGEST_QUOTE)


def test_an_emptied_test() -> None:
    """It is told with what it checked and what is left."""
    weak = unit(body="pass", assertions=(assertion("True", strength=Strength.NOTHING),))
    found = sentences.emptied(TOTAL, weak)
    assert (found.kind, found.before, found.after) == ("test-emptied", OLD.text, "pass")
    assert found.reason == "The test `test_total` does not check anything any more."
