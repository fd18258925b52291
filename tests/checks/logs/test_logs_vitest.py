"""vitest's closing block in the wording of its versions 1 to 5; the numbers are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

RUN = " RUN  v3.2.7 /project"
MISSING = "no line says that vitest began: the beginning is missing, or something else printed this"
TWICE = "the same run closes a second time, with other numbers"
SUMS = "the parts of the summary do not add up to its totals: something did not run"
CUT = "the run of vitest has no whole summary"


def block(files: str, tests: str, *more: str) -> tuple[str, ...]:
    return (
        f" Test Files  {files}",
        f"      Tests  {tests}",
        *more,
        "   Start at  00:49:58",
        "   Duration  675ms (tests 7ms)",
    )


GREEN = block("1 passed (1)", "4 passed (4)")


def test_a_green_run_wholly() -> None:
    one = Summary("vitest", 2, "      Tests  4 passed (4)", 4, 0, 0, 0, green=True)
    assert report(RUN, *GREEN) == LogReport("vitest", 4, 0, 0, 0, True, True, (one,), 5, False, ())


@pytest.mark.parametrize(
    ("files", "tests", "expected", "reasons"),
    [
        ("2 passed (2)", "9 passed | 1 skipped | 1 todo (11)", (9, 0, 0, 1), ()),
        ("1 failed | 1 passed (2)", "1 failed | 3 passed (4)", (3, 1, 0, 0), ("1 failed",)),
        ("1 failed | 1 passed (2)", "2 passed (2)", (2, 0, 1, 0), ("1 broke outside the tests",)),
        ("1 failed (1)", "no tests", (0, 0, 1, 0), ("1 broke outside the tests", "no test passed")),
        ("1 passed (1)", "7 passed | 1 expected fail (8)", (7, 0, 0, 0), ()),
        ("1 skipped (1)", "2 skipped (2)", (0, 0, 0, 2), ("no test passed",)),
        ("1 passed (2)", "1 passed (1)", (1, 0, 0, 0), (SUMS,)),
        ("1 passed (1)", "1 passed (2)", (1, 0, 0, 0), (SUMS,)),
        ("no tests", "no tests", (0, 0, 0, 0), ("no test passed",)),
    ],
)
def test_blocks(files: str, tests: str, expected: tuple[int, ...], reasons: tuple[str, ...]) -> None:
    one = only(RUN, *block(files, tests))
    assert (counts(one), one.reasons, one.green) == (expected, reasons, not reasons)


def test_fields_of_their_own() -> None:
    retried = " ✓ flaky.test.js > passes at the second try 5ms (retry x1)"
    one = only(RUN, retried, "   × other (retry x2)", *block("1 passed (1)", "7 passed | 2 expected fail (9)"))
    assert (one.xfailed, one.flaky) == (2, 1)
    assert only(retried, RUN, *GREEN).flaky == 0


@pytest.mark.parametrize("label", ["     Errors  1 error", "Type Errors  1 failed", "     Errors  1 errors"])
def test_errors_outside_tests(label: str) -> None:
    one = only(RUN, *block("1 passed (1)", "1 passed (1)", label))
    assert (counts(one), one.green) == ((1, 0, 1, 0), False)


def test_no_type_errors() -> None:
    assert only(RUN, *block("1 passed (1)", "1 passed (1)", "Type Errors  no errors")).green is True


def test_broken_suites_are_counted_by_their_headline() -> None:
    headline = "⎯⎯⎯⎯⎯⎯ Failed Suites 2 ⎯⎯⎯⎯⎯⎯⎯"
    red = block("3 failed (3)", "1 failed | 3 passed (4)", "     Errors  1 error")
    assert counts(only(RUN, headline, *red)) == (3, 1, 3, 0)
    assert counts(only(RUN, *red, headline)) == (3, 1, 3, 0)


@pytest.mark.parametrize(
    "red",
    [
        "⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯",
        "⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯",
        "⎯⎯⎯⎯⎯⎯ Unhandled Error ⎯⎯⎯⎯⎯⎯⎯",
        "  Snapshots  1 failed",
    ],
)
def test_headlines_of_failures_speak_against_a_green_block(red: str) -> None:
    reasons = ("the summary names no failure, but line 2 does",)
    assert only(RUN, red, "⎯ Failed Tests 2 ⎯", *GREEN).reasons == reasons
    assert only(red, RUN, *GREEN).green is True
    assert only(RUN, red, *block("1 failed (1)", "1 failed | 1 passed (2)")).reasons == ("1 failed",)


@pytest.mark.parametrize(
    "line", ["  Snapshots  1 written", "  Snapshots  1 obsolete", "Failed Tests 1", "⎯ Failed Tests ⎯"]
)
def test_noise_does_not_speak_against_green(line: str) -> None:
    assert only(RUN, line, *GREEN).green is True


def test_a_block_without_a_beginning() -> None:
    assert only(*GREEN).reasons == (MISSING,)
    assert report(RUN, *GREEN, GROUP, *GREEN).green is False


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_a_cut_run_is_unfinished(length: int) -> None:
    found = report(RUN, *GREEN[:length])
    assert (found.complete, found.green, found.reasons[0]) == (False, False, f"line 1: {CUT}")
    assert counts(found) == ((4 if length > 1 else 0), 0, 0, 0)


def test_a_cut_run_keeps_what_is_known_of_it() -> None:
    first = block("1 failed (1)", "1 failed | 2 skipped (3)")
    found = report(RUN, "⎯ Failed Suites 3 ⎯", *first, *GREEN[:1])
    assert (counts(found), found.complete) == ((0, 0, 3, 0), False)


def test_each_run_closes_the_one_before() -> None:
    found = report(RUN, *GREEN, RUN, *GREEN)
    assert (counts(found), found.green, len(found.summaries)) == ((8, 0, 0, 0), True, 2)
    assert report(RUN, RUN, *GREEN).reasons == (f"line 1: {CUT}",)


def test_a_block_that_is_drawn_again_replaces_the_one_before() -> None:
    drawn = (*block("0 passed (2)", "0 passed (0)"), *block("1 passed (2)", "3 passed (3)"))
    final = block("2 passed (2)", "5 passed (5)")
    one = only(RUN, *drawn, *final, *final)
    assert (counts(one), one.green, one.line) == ((5, 0, 0, 0), True, 14)


def test_a_block_that_lost_its_failures_when_it_was_drawn_again() -> None:
    drawn = block("1 passed (2)", "1 failed | 3 passed (4)")
    assert only(RUN, *drawn, *block("2 passed (2)", "5 passed (5)")).reasons == (
        "the summary names no failure, but line 2 does",
    )


@pytest.mark.parametrize(
    ("files", "tests"),
    [
        ("40 passed (40)", "250 passed (250)"),
        ("1 passed (1)", "5 passed (5)"),
        ("1 passed (1)", "1 failed | 3 passed (4)"),
        ("1 failed (1)", "4 passed (4)"),
    ],
)
def test_a_whole_block_followed_by_another(files: str, tests: str) -> None:
    found = report(RUN, *block(files, tests), *GREEN)
    printed, true = found.summaries
    assert (printed.green, printed.counted, printed.reasons[-1]) == (False, False, TWICE)
    assert (true.counted, counts(found), found.green) == (True, (4, 0, 0, 0), False)


def test_no_files() -> None:
    line = "No test files found, exiting with code 0"
    one = only(RUN, line)
    assert (counts(one), one.text, one.reasons) == (
        (0, 0, 0, 0),
        line,
        ("no tests were found", "no test passed"),
    )


def test_benchmarks_prove_nothing() -> None:
    one = only(RUN, " BENCH  Summary")
    assert (one.green, one.reasons, counts(one)) == (None, (), (0, 0, 0, 0))
    assert report(RUN, " BENCH  Summary", GROUP, RUN, *GREEN).green is True
    assert report(RUN, " BENCH  Summary").green is not True


@pytest.mark.parametrize(
    "files", ["passed (1)", "1 passed", "1 passed (x)", "1 passed, 2 failed (3)", "1234567890 passed (1)", "| 1 passed"]
)
def test_blocks_that_cannot_be_read(files: str) -> None:
    assert report(RUN, *block(files, "1 passed (1)")).reasons[0] == f"line 1: {CUT}"
    assert report(RUN, *block("1 passed (1)", files)).reasons[0] == f"line 1: {CUT}"
    assert report(*block(files, "1 passed (1)")).runner is None


def test_lines_that_say_nothing_alone() -> None:
    found = report("      Tests  4 passed (4)", "   Duration  1s", "⎯ Failed Tests 1 ⎯", "RUN v3", " ✓ a (retry x1)")
    assert (found.runner, found.green) == (None, None)


def test_versions_and_colours() -> None:
    coloured = "\x1b[2m Test Files \x1b[22m \x1b[1m\x1b[32m1 passed\x1b[39m\x1b[22m\x1b[90m (1)\x1b[39m"
    assert only("\x1b[46m RUN \x1b[49m\x1b[22m \x1b[36mv0.34.6 \x1b[39m", coloured, *GREEN[1:]).green is True
    assert only(RUN, *GREEN[:3], "      Time  1.2s").green is True
