"""jasmine's console reporter and jasmine-spec-reporter; the specs are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

SEED = "Randomized with seed 95058"
CLOSING = "3 specs, 0 failures"
GREEN = (SEED, "Started", "...", CLOSING, "Finished in 0.01 seconds", f"{SEED} (jasmine --random=true --seed=95058)")
UNCLOSED = "jasmine started, but printed no summary"
NO_START = "no line says that jasmine began: the beginning is missing, or something else printed this"


def test_a_green_run_wholly() -> None:
    one = Summary("jasmine", 4, CLOSING, 3, 0, 0, 0, green=True)
    assert report(*GREEN) == LogReport("jasmine", 3, 0, 0, 0, True, True, (one,), 6, False, ())


@pytest.mark.parametrize(
    ("closing", "expected", "green"),
    [
        ("1 spec, 0 failures", (1, 0, 0, 0), True),
        ("3 specs, 1 failure, 1 pending spec", (1, 1, 0, 1), False),
        ("6 specs, 0 failures, 2 pending specs", (4, 0, 0, 2), True),
        ("2 specs, 0 failures, 2 pending specs", (0, 0, 0, 2), False),
        ("0 specs, 0 failures", (0, 0, 0, 0), False),
        ("1 spec, 2 failures", (0, 2, 0, 0), False),
    ],
)
def test_closings(closing: str, expected: tuple[int, ...], green: bool) -> None:
    one = only(SEED, "Started", closing)
    assert (counts(one), one.green) == (expected, green)


def test_broken_suites_are_errors() -> None:
    assert counts(only("Started", "Suite error: net", "1 spec, 1 failure")) == (1, 0, 1, 0)
    assert counts(only("Started", "Suite error: a", "Suite error: b", "3 specs, 3 failures")) == (2, 1, 2, 0)
    assert counts(only("Started", "Suite error: a", "3 specs, 0 failures")) == (3, 0, 0, 0)
    assert counts(only("Started", " Suite error: a", "3 specs, 1 failure")) == (2, 1, 0, 0)


@pytest.mark.parametrize(
    "line", ["3 specs, 1 failed", "x 3 specs, 0 failures", "3 specs, 0 failures!", "3 examples, 0 failures"]
)
def test_lines_that_close_nothing(line: str) -> None:
    assert report(line).runner is None


def test_a_closing_without_a_beginning() -> None:
    assert only(CLOSING).reasons == (NO_START,)
    assert [one.green for one in report(*GREEN[:3], "250 specs, 0 failures", CLOSING).summaries] == [True, False]


def test_deselected_specs() -> None:
    one = only("Started", "Ran 1 of 3 specs", "1 spec, 0 failures")
    assert (one.deselected, one.green) == (2, True)
    assert only("Started", "Ran 3 of 1 specs", "1 spec, 0 failures").deselected == 0


def test_incomplete() -> None:
    line = "Incomplete: fit() or fdescribe() was found"
    assert only(*GREEN, line).reasons == ("incomplete: fit() or fdescribe() was found",)
    assert only(line, *GREEN).green is True
    assert only(*GREEN, GROUP, line).green is True
    assert report(*GREEN, *GREEN, line).summaries[0].green is True


def test_no_specs() -> None:
    found = report(SEED, "Started", "No specs found", "Incomplete: No specs found")
    assert (counts(found), found.complete) == ((0, 0, 0, 0), True)
    assert found.summaries[0].reasons == ("no specs were found", "no test passed", "incomplete: No specs found")
    assert report("No specs found").runner is None


@pytest.mark.parametrize("lines", [(SEED, "Started"), ("Started", ".F*"), (SEED, "Started", "..", GROUP)])
def test_a_run_that_never_closes(lines: tuple[str, ...]) -> None:
    found = report(*lines)
    at = lines.index("Started") + 1
    assert (found.complete, found.green, found.reasons[0]) == (False, False, f"line {at}: {UNCLOSED}")


@pytest.mark.parametrize(
    "lines",
    [
        ("Started",),
        ("...",),
        (SEED,),
        ("Started", "... x"),
        ("Started", GROUP, "..."),
        (SEED, GROUP, "Started"),
        (GREEN[5], "Started"),
        ("Started", "Started"),
    ],
)
def test_what_may_be_of_something_else(lines: tuple[str, ...]) -> None:
    assert report(*lines).runner is None


def test_each_start_ends_the_run_before() -> None:
    found = report(SEED, "Started", *GREEN[1:])
    assert (found.complete, counts(found)) == (False, (3, 0, 0, 0))
    assert report(*GREEN, *GREEN).green is True
    assert report(*GREEN, "Started", "Incomplete: x").summaries[0].green is False


@pytest.mark.parametrize(
    ("line", "expected", "green"),
    [
        ("Executed 3 of 3 specs SUCCESS in 0.01 sec.", (3, 0, 0, 0), True),
        ("Executed 1 of 1 spec SUCCESS.", (1, 0, 0, 0), True),
        ("Executed 3 of 5 specs INCOMPLETE (1 PENDING) (1 SKIPPED) in 2 mins.", (3, 0, 0, 1), True),
        ("Executed 3 of 4 specs (1 FAILED) (1 PENDING) in 0.01 sec.", (2, 1, 0, 1), False),
        ("Executed 3 of 3 specs (1 ERROR).", (3, 0, 1, 0), False),
        ("Executed 3 of 3 specs (2 ERRORS) (3 FAILED).", (0, 3, 2, 0), False),
        ("Executed 0 of 1 spec INCOMPLETE (1 SKIPPED).", (0, 0, 0, 0), False),
        ("Executed 1 of 1 spec (2 FAILED).", (0, 2, 0, 0), False),
    ],
)
def test_the_spec_reporter(line: str, expected: tuple[int, ...], green: bool) -> None:
    one = only(line)
    assert (counts(one), one.green, one.runner) == (expected, green, "jasmine")
    assert one.deselected == line.count("SKIPPED")


def test_other_lines_of_executions() -> None:
    assert report("Executed 3 of 3 specs SUCCESS").runner is None
    assert report("Executed 3 of 3 SUCCESS (0.1 secs / 0.1 secs)").runner is None
