"""pytest-sugar 1.1's printer: its own header, and `Results` with a line for each outcome. The sessions are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Summary

HEADER = "Test session starts (platform: linux, Python 3.11.7, pytest 9.2.0, pytest-sugar 1.1.1)"
RESULTS = "Results (0.03s):"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def session(*lines: str, collected: str = "collected 3 items") -> tuple[str, ...]:
    return (HEADER, "rootdir: /project", collected, "", " test_a.py ✓✓s     100% ██████████", "", *lines)


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_session_wholly() -> None:
    found = report(*session(RESULTS, "       2 passed", "       1 skipped"))
    one = Summary("pytest", 7, RESULTS, 2, 0, 0, 1, green=True)
    assert found == LogReport("pytest", 2, 0, 0, 1, True, True, (one,), 9, False, ())


def test_every_outcome() -> None:
    parts = ("3 passed", "1 failed", "  - test_a.py:4 test_bad", "1 error", "1 xfailed", "1 xpassed", "1 skipped")
    found = report(*session(RESULTS, *(f"       {part}" for part in parts), "       2 rerun", "       4 deselected"))
    one = found.summaries[0]
    assert counts(found) == (3, 1, 1, 1)
    assert (one.xfailed, one.xpassed, one.flaky, one.deselected) == (1, 1, 2, 4)
    assert found.reasons == ("line 7: 2 failed or broke",)


@pytest.mark.parametrize("length", [3, 5, 7])
def test_a_cut_session_is_not_green(length: int) -> None:
    found = report(*session(RESULTS, "       2 passed")[:length])
    assert (found.green, found.passed) == (False, 0)
    assert found.complete is (length == 7)


def test_no_tests() -> None:
    found = report(*session(RESULTS, "       7 deselected", collected="collected 7 items / 7 deselected / 0 selected"))
    assert (found.green, found.reasons) == (False, ("line 7: no test passed",))


def test_what_was_collected_must_have_ended() -> None:
    found = report(*session(RESULTS, "       2 passed"))
    assert found.reasons == ("line 7: 3 tests were collected, but the closing line accounts for 2",)


def test_the_listing_speaks_against_the_results() -> None:
    listing = ("================ short test summary info ================", "FAILED test_a.py::b - x")
    found = report(*session(*listing, "", RESULTS, "       3 passed"))
    assert found.reasons == ("line 10: the closing line names no failure, but the short test summary lists some",)


def test_an_interrupted_session() -> None:
    stopped = "!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!"
    found = report(*session(stopped, RESULTS, "       3 passed"))
    assert (found.green, found.summaries[0].interrupted) == (False, True)


def test_two_sessions_in_one_step() -> None:
    one = session(RESULTS, "       3 passed")
    assert (report(*one, *one).green, report(*one, *one).passed) == (True, 6)
    red = session(RESULTS, "       1 passed", "       2 failed")
    assert [found.green for found in report(*red, *one).summaries] == [False, True]
    assert report(*one, "##[group]Run next", "       5 passed").passed == 3


@pytest.mark.parametrize("line", [RESULTS, "       3 passed", "Test session starts (2 of 3)"])
def test_lines_that_say_nothing_alone(line: str) -> None:
    assert report(line, "x").runner is None


def test_results_of_something_else_in_a_plain_session() -> None:
    plain = ("=== test session starts ===", "collected 1 item", RESULTS, "       5 passed", "=== 1 passed in 0.1s ===")
    assert (report(*plain).green, report(*plain).passed) == (True, 1)


def test_a_plain_closing_line_in_a_session_of_sugar() -> None:
    found = report(*session("3 passed in 0.01s", RESULTS, "       3 passed"))
    assert found.green is False
