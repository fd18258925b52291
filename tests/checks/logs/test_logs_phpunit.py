"""PHPUnit 9 to 12 and ParaTest 7, in their wording; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.phpunit import PhpunitReader
from checks.logs.report import LogReport, Reading, Summary

GROUP = "##[group]Run vendor/bin/phpunit"
START = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors."
START_12 = "PHPUnit 12.4.2 by Sebastian Bergmann and contributors."
TIME = "Time: 00:00.005, Memory: 4.00 MB"
OK = "OK (2 tests, 3 assertions)"
GREEN = (START, "", "..                     2 / 2 (100%)", "", TIME, "", OK)


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(*GREEN)
    one = Summary("phpunit", 7, OK, 2, 0, 0, 0, green=True)
    assert found == LogReport("phpunit", 2, 0, 0, 0, True, True, (one,), 7, False, ())


@pytest.mark.parametrize(
    ("verdict", "named", "expected", "green"),
    [
        ("ERRORS!", "Errors: 1, Failures: 1, Warnings: 1, Skipped: 1, Incomplete: 1, Risky: 1", (3, 1, 1, 1), False),
        ("FAILURES!", "Failures: 2", (7, 2, 0, 0), False),
        ("WARNINGS!", "Warnings: 1", (8, 0, 0, 0), False),
        ("OK, but incomplete, skipped, or risky tests!", "Skipped: 1", (8, 0, 0, 1), True),
        ("OK, but incomplete, skipped, or risky tests!", "Risky: 9", (0, 0, 0, 0), False),
        ("OK, but incomplete, skipped, or risky tests!", "Incomplete: 4, Skipped: 5", (0, 0, 0, 5), False),
    ],
)
def test_version_9(verdict: str, named: str, expected: tuple[int, ...], green: bool) -> None:
    found = report(START, TIME, verdict, f"Tests: 9, Assertions: 8, {named}.")
    assert (counts(found), found.green, found.complete) == (expected, green, True)
    assert found.summaries[0].text == f"{verdict} Tests: 9, Assertions: 8, {named}."


@pytest.mark.parametrize(
    ("verdict", "named", "expected", "green"),
    [
        (
            "OK, but there were issues!",
            "PHPUnit Warnings: 1, Warnings: 2, Deprecations: 3, Notices: 4",
            (9, 0, 0, 0),
            True,
        ),
        ("OK, but there were issues!", "PHPUnit Deprecations: 1, Risky: 2", (7, 0, 0, 0), True),
        ("OK, but there are issues!", "Warnings: 1, Skipped: 1", (8, 0, 0, 1), True),
        ("OK, but some tests were skipped!", "Skipped: 1", (8, 0, 0, 1), True),
        ("ERRORS!", "Errors: 1, PHPUnit Warnings: 1", (8, 0, 1, 0), False),
        ("WARNINGS!", "Warnings: 1", (9, 0, 0, 0), False),
        ("DEPRECATIONS!", "Deprecations: 1", (9, 0, 0, 0), False),
        ("NOTICES!", "Notices: 1", (9, 0, 0, 0), False),
        ("RISKY!", "Risky: 1", (8, 0, 0, 0), False),
    ],
)
@pytest.mark.parametrize(
    "start",
    [
        START_12,
        "PHPUnit 10.0.0 by Sebastian Bergmann and contributors.",
        "PHPUnit 12.2-dev by Sebastian Bergmann and contributors.",
        "ParaTest v7.12.0 upon PHPUnit 12.3.8 by Sebastian Bergmann and contributors.",
        "ParaTest v7.3.0 upon PHPUnit 12.2.0",
    ],
)
def test_version_10_and_later(start: str, verdict: str, named: str, expected: tuple[int, ...], green: bool) -> None:
    found = report(start, TIME, verdict, f"Tests: 9, Assertions: 8, {named}.")
    assert (counts(found), found.green, found.complete) == (expected, green, True)


def test_reasons() -> None:
    failed = report(START, TIME, "FAILURES!", "Tests: 9, Assertions: 8, Failures: 2.")
    assert failed.reasons == ("line 4: 2 failed or broke",)
    warned = report(START, TIME, "WARNINGS!", "Tests: 9, Assertions: 8, Warnings: 1.")
    assert warned.reasons == ("line 4: the verdict is WARNINGS!",)
    assert report(START, TIME, "OK (0 tests, 0 assertions)").reasons == ("line 3: no test passed",)


@pytest.mark.parametrize("time", [TIME, "Time: 01:50.754, Memory: 28.00 MB", "Time: 36 ms, Memory: 4.00 MB"])
def test_wordings_of_the_time(time: str) -> None:
    assert report(START, time, OK).green is True


def test_a_single_test() -> None:
    assert report(START, TIME, "OK (1 test, 1 assertion)").passed == 1


def test_no_tests() -> None:
    found = report(START, "", "No tests executed!")
    assert (counts(found), found.green, found.complete) == ((0, 0, 0, 0), False, True)
    assert found.reasons == ("line 3: no test passed",)
    assert report("No tests executed!").runner is None


@pytest.mark.parametrize(
    "lines",
    [
        (OK,),
        ("OK (2 tests)",),
        (TIME, "OK (1234567890 tests, 1 assertions)"),
        (TIME, " OK (2 tests, 3 assertions)"),
        (TIME, "Tests: 2, Assertions: 1, Skipped: 1."),
        (TIME, "DANGER!", "Tests: 2, Assertions: 1, Skipped: 1."),
        ("OK, but some tests were skipped!", "Tests: 2, Assertions: 1, Skipped: 1."),
        (TIME, "OK, but some tests were skipped!", "Tests: 2, Assertions: 1, Skipped: 1"),
    ],
)
def test_lines_that_close_nothing(lines: tuple[str, ...]) -> None:
    assert report(*lines).runner is None
    assert report(*lines[:-1], START).runner is None
    assert report(*GREEN[:3], *lines[-1:], *GREEN[4:]).passed == 2


@pytest.mark.parametrize(
    "began",
    [
        ".",
        "..F.E.SIRWDN",
        "...............................................................  63 / 186 ( 33%)",
        "Runtime:       PHP 8.4.14",
        " ✔ Adds",
        " ☢ Risky",
    ],
)
@pytest.mark.parametrize("end", ["", GROUP, START])
def test_a_run_that_does_not_close(began: str, end: str) -> None:
    found = report("x", START, began, end)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == "line 2: the run of PHPUnit has no summary"


def test_the_version_alone_is_no_run() -> None:
    assert report(START, "x").runner is None
    assert report(START, *GREEN).green is True
    assert report(START, "Available test(s):", " - ATest::testA").runner is None
    assert report("..", "x").runner is None


def test_a_test_that_ends_the_process() -> None:
    died = "messageFatal error: Premature end of PHP process when running Tests\\ATest::testA."
    for lines in ((START_12, "Runtime:       PHP 8.4.14", died), (START_12, died)):
        found = report("x", *lines)
        assert (counts(found), found.green, found.complete) == ((0, 0, 1, 0), False, False)
        assert found.reasons[0] == "line 2: a test ended the process of PHPUnit"


@pytest.mark.parametrize("letters", ["F", ".E.", "SF"])
def test_progress_that_the_summary_denies(letters: str) -> None:
    progress = f"{letters}                                                   3 / 3 (100%)"
    found = report(START, progress, progress, TIME, OK)
    assert found.reasons == ("line 5: the summary names no failure, but line 2 shows one",)
    red = report(START, progress, TIME, "FAILURES!", "Tests: 3, Assertions: 3, Failures: 1.")
    assert red.reasons == ("line 5: 1 failed or broke",)


@pytest.mark.parametrize("words", ["END", "FINE", "Fine", "FF 3 of 3", "..SN   3 / 3 (100%)", "E 3 / 3 (100%) "])
def test_words_are_no_progress(words: str) -> None:
    assert report(START, words, TIME, OK).green is ("E 3" not in words)


def test_without_the_name_warnings_do_not_pass() -> None:
    found = report(TIME, "OK, but there were issues!", "Tests: 9, Assertions: 8, Warnings: 2.")
    assert (found.passed, found.green) == (7, True)


def test_runs_in_one_step() -> None:
    assert (report(*GREEN, *GREEN).green, report(*GREEN, *GREEN).passed) == (True, 4)
    red = (START, TIME, "FAILURES!", "Tests: 9, Assertions: 8, Failures: 2.")
    assert [one.green for one in report(*red, *GREEN).summaries] == [False, True]


def test_more_summaries_than_runs() -> None:
    found = report(*GREEN, TIME, OK)
    reason = "line 9: a summary without a run of PHPUnit: not all of them are real"
    assert (found.green, found.reasons) == (False, (reason,))
    assert report(*GREEN, GROUP, TIME, OK).green is True


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = PhpunitReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    more = ", Failures: 0" * 80_000
    for line in (f"Tests: 9, Assertions: 8{more}.", "PHPUnit 9." * 90_000, "." * 1_000_000, "OK, but " * 120_000):
        assert report(START, line, TIME, OK).passed == 2
