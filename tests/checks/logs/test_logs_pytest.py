"""pytest sessions in the forms of its terminal reporter (pytest 9.2, pytest-xdist, -rerunfailures, -timeout, -cov).

The bodies are made up; wording and layout are those of the programs.
"""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Summary

HEADER = "=" * 29 + " test session starts " + "=" * 30
GROUP = "##[group]Run pytest"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def session(closing: str, *body: str) -> LogReport:
    return report(HEADER, *body, f"==== {closing} ====")


def test_a_green_session_wholly() -> None:
    found = report(HEADER, "collected 2 items", "", "test_a.py ..      [100%]", "", "=== 2 passed in 0.02s ===")
    summary = Summary("pytest", 6, "=== 2 passed in 0.02s ===", 2, 0, 0, 0, green=True)
    assert found == LogReport("pytest", 2, 0, 0, 0, True, True, (summary,), 6, False, ())


@pytest.mark.parametrize(("number", "green"), [(2, True), (3, False)])
def test_a_line_that_speaks_of_something_else_is_not_the_number_of_tests(number: int, green: bool) -> None:
    found = session("2 passed in 0.02s", "collected 9 stamps", f"collected {number} items", "test_a.py ..      [100%]")
    assert (counts(found), found.green) == ((2, 0, 0, 0), green)


@pytest.mark.parametrize(
    ("closing", "expected", "green"),
    [
        ("32 passed in 48.55s", (32, 0, 0, 0), True),
        ("32 passed, 5 warnings in 0.51s", (32, 0, 0, 0), True),
        ("1 passed, 1 warning in 0.51s", (1, 0, 0, 0), True),
        ("2 passed in 87.72 seconds", (2, 0, 0, 0), True),
        ("2 passed in 1284.21s (0:21:24)", (2, 0, 0, 0), True),
        ("2 passed in 87000.21s (1 day, 0:10:00)", (2, 0, 0, 0), True),
        ("2 passed, 3 skipped in 0.1s", (2, 0, 0, 3), True),
        ("2 passed, 3 deselected in 0.1s", (2, 0, 0, 0), True),
        ("2 passed, 1 xfailed, 1 xpassed in 0.1s", (2, 0, 0, 0), True),
        ("4 passed, 2 rerun in 0.04s", (4, 0, 0, 0), True),
        ("1 failed, 2 passed in 2.05s", (2, 1, 0, 0), False),
        ("1 failed, 7 passed, 2 skipped, 1 xfailed, 1 xpassed, 1 error in 0.07s", (7, 1, 1, 2), False),
        ("13 error in 3.74s", (0, 0, 13, 0), False),
        ("2 passed, 3 errors in 3.74s", (2, 0, 3, 0), False),
        ("3 skipped in 0.02s", (0, 0, 0, 3), False),
        ("2 xfailed in 0.02s", (0, 0, 0, 0), False),
        ("1 xpassed in 0.02s", (0, 0, 0, 0), False),
        ("6 deselected in 0.02s", (0, 0, 0, 0), False),
        ("no tests ran in 0.02s", (0, 0, 0, 0), False),
        ("6 tests collected in 0.01s", (0, 0, 0, 0), False),
        ("1 test collected in 0.01s", (0, 0, 0, 0), False),
        ("2/6 tests collected (4 deselected) in 0.01s", (0, 0, 0, 0), False),
        ("no tests collected in 0.01s", (0, 0, 0, 0), False),
        ("no tests collected, 1 error in 0.01s", (0, 0, 1, 0), False),
        ("2 failed, 1 passed, 2 subtests passed in 0.05s", (1, 2, 0, 0), False),
        ("1 passed, 1 subtest passed in 0.05s", (1, 0, 0, 0), True),
    ],
)
def test_closing_lines(closing: str, expected: tuple[int, ...], green: bool) -> None:
    found = session(closing)
    assert counts(found) == expected
    assert (found.green, found.complete, found.runner) == (green, True, "pytest")


@pytest.mark.parametrize("closing", ["1 passed in 0.1s", "1 passed, 2 skipped in 10.12s (0:00:10)"])
def test_quiet_closing_lines_have_no_rule(closing: str) -> None:
    found = report(".s        [100%]", closing)
    assert (found.green, found.passed, found.summaries[0].line) == (True, 1, 2)


@pytest.mark.parametrize(
    "line",
    [
        "3 failed, 1 error",
        "1 passed",
        "25 packages in 3.12s",
        "3 warnings in 1.00s",
        "added 544 packages, removed 1 package, and audited 546 packages in 19s",
        "1 passed in 19s",
        "1 passed in 1.0s.",
        "x 1 passed in 1.0s",
        "1 passed and more in 1.0s",
        "1 passed,, in 1.0s",
        "passed in 1.0s",
        "no tests in 1.0s",
        "1234567890 passed in 1.0s",
        "= 1 Passed in 1.0s =",
        "-= 1 passed in 1.0s =-",
        "=1 passed in 1.0s =",
    ],
)
def test_lines_that_are_no_closing_line(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, counts(found)) == (None, None, (None, None, None, None))
    assert found.complete is False


def test_extras_of_a_closing_line() -> None:
    found = session("1 passed, 2 deselected, 3 xfailed, 4 xpassed, 5 rerun in 0.1s").summaries[0]
    assert (found.deselected, found.xfailed, found.xpassed, found.flaky) == (2, 3, 4, 5)
    assert session("1 passed, 2 reruns in 0.1s").summaries[0].flaky == 2
    assert session("2/6 tests collected (4 deselected) in 0.01s").summaries[0].deselected == 4


def test_reasons_name_what_is_wrong() -> None:
    assert session("1 failed, 2 error, 1 passed in 0.1s").reasons == ("line 2: 3 failed or broke",)
    assert session("3 skipped in 0.1s").reasons == ("line 2: no test passed",)
    assert session("6 tests collected in 0.1s").reasons[0] == "line 2: only collected, nothing ran"
    assert session("no tests collected in 0.1s").reasons[0] == "line 2: only collected, nothing ran"


def test_a_long_closing_line_is_quoted_in_part() -> None:
    closing = "==== 1 passed, " + "1 warning, " * 40 + "1 warning in 0.1s ===="
    assert report(HEADER, closing).summaries[0].text == closing[:300]


@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        "=== test session starts (platform: linux, pytest 7.4) ===",
        "= test session starts =",
    ],
)
def test_headers(header: str) -> None:
    assert report(header, "= 1 passed in 0.1s =").green is True


@pytest.mark.parametrize(
    "lines",
    [
        ("=== 1 passed in 0.1s ===",),
        (HEADER, "1 passed in 0.1s"),
        ("test session starts", "=== 1 passed in 0.1s ==="),
        (".    [100%]", "=== 1 passed in 0.1s ==="),
    ],
)
def test_header_and_rule_belong_together(lines: tuple[str, ...]) -> None:
    found = report(*lines)
    assert found.green is False
    assert found.summaries[0].reasons == (
        "header and closing line do not belong together: the beginning is missing, or something else printed the line",
    )


@pytest.mark.parametrize(
    ("collected", "closing", "green"),
    [
        ("collected 3 items", "3 passed in 0.1s", True),
        ("collected 1 item", "1 passed in 0.1s", True),
        ("collecting ... collected 3 items", "3 passed in 0.1s", True),
        ("collected 4 items", "1 passed, 1 skipped, 1 xfailed, 1 xpassed in 0.1s", True),
        ("collected 3 items", "2 passed in 0.1s", False),
        ("collected 3 items", "4 passed in 0.1s", False),
        ("collected 50 items / 37 deselected / 13 selected", "13 passed, 37 deselected in 0.1s", True),
        ("collected 50 items / 37 deselected", "13 passed, 37 deselected in 0.1s", True),
        ("collected 50 items / 37 deselected", "12 passed, 37 deselected in 0.1s", False),
        ("collected 4 items / 1 skipped", "4 passed, 1 skipped in 0.1s", True),
        ("collected 4 items / 1 skipped", "4 passed in 0.1s", False),
        ("collected 4 items / 1 error / 3 selected", "3 passed in 0.1s", True),
        ("gw0 [13] / gw1 [13]", "13 passed in 0.1s", True),
        ("gw0 [13] / gw1 [13]", "12 passed in 0.1s", False),
        ("4 workers [13 items]", "13 passed in 0.1s", True),
        ("1 worker [1 item]", "1 passed in 0.1s", True),
        ("4 workers [13 items]", "12 passed in 0.1s", False),
        ("4 workers [12 items]", "12 passed, 1 skipped in 0.1s", True),
        ("4 workers [12 items]", "13 passed, 1 skipped in 0.1s", False),
        ("4 workers [12 items]", "10 passed, 1 skipped in 0.1s", False),
        ("gw0 [12]", "11 passed, 1 skipped in 0.1s", True),
        ("collected 12 items", "12 passed, 1 skipped in 0.1s", False),
        ("collecting ... collected 12 items", "12 passed, 1 skipped in 0.1s", False),
        ("Installing collected packages: x", "2 passed in 0.1s", True),
        ("collected 2 items", "2 passed, 3 subtests passed, 1 skipped in 0.1s", True),
        ("collected 2 items", "1 passed, 3 subtests passed in 0.1s", False),
    ],
)
def test_collected_tests_all_have_an_outcome(collected: str, closing: str, green: bool) -> None:
    assert session(closing, collected).green is green


def test_the_first_collected_line_of_a_session_counts() -> None:
    found = session("3 passed in 0.1s", "collected 3 items", "collected 5 items")
    assert found.green is True
    wanted = "line 3: 3 tests were collected, but the closing line accounts for 2"
    assert session("2 passed in 0.1s", "collected 3 items").reasons == (wanted,)


@pytest.mark.parametrize(
    "line",
    [
        "test_a.py .F.      [100%]",
        "..E    [ 50%]",
        "test_a.py::test_b FAILED                 [ 10%]",
        "test_a.py::test_b ERROR                  [ 10%]",
        "test_a.py::test_b[x y] FAILED            [ 10%]",
        "test_a.py::test_b FAILED (because) [ 10%]",
        "test_a.py::test_b <- base.py FAILED [0.0180s] [ 98%]",
        "=========== FAILURES ===========",
        "===== ERRORS =====",
    ],
)
def test_a_body_that_shows_failures_speaks_against_a_green_closing_line(line: str) -> None:
    found = session("3 passed in 0.1s", line)
    assert (found.green, found.failed, found.errors) == (False, 0, 0)
    assert "the closing line names no failure, but " in found.reasons[0]


@pytest.mark.parametrize(
    "line",
    [
        "test_a.py .sxXR      [100%]",
        "..p    [ 50%]",
        "Fs     50%]",
        "F      [half%]",
        "a b F  [ 50%]",
        "[ 50%]",
        "[ 50%] Building FAILED",
        "test_a.py::test_b PASSED  [ 10%]",
        "test_a.py::FAILED PASSED  [ 10%]",
        "test_a.py::test_b FAILED",
        "x FAILED [ 10%]",
        "==== FAILURES ====",
        "===== FAILURES",
        "FAILED test_a.py::test_b - printed by a test",
        "ERROR test_a.py::test_b",
        "test_a.py .FAILED tests/old.py::test_gone - not a real failure",
    ],
)
def test_noise_does_not_speak_against_green(line: str) -> None:
    assert session("3 passed in 0.1s", line).green is True


def test_the_first_contradiction_is_named() -> None:
    found = session("3 passed in 0.1s", "test_a.py F [ 10%]", "===== FAILURES =====", "E    [ 20%]")
    assert found.reasons == (
        "line 5: the closing line names no failure, but the progress in line 2 shows a failed test",
    )
    found = session("3 passed in 0.1s", "===== FAILURES =====", "test_a.py E [ 10%]", "===== ERRORS =====")
    assert found.reasons == ("line 5: the closing line names no failure, but line 2 opens a section of failures",)
    found = session("3 passed in 0.1s", "test_a.py E [ 10%]")
    assert "line 2 shows a error test" in found.reasons[0]


LISTING = "=========== short test summary info ============"


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (("FAILED test_a.py::b - x",), (3, 1, 0, 0)),
        (("ERROR test_a.py::b - x",), (3, 0, 1, 0)),
        (("SUBFAILED(i=1) test_a.py::b", "SUBFAILED[m] test_a.py::b"), (3, 2, 0, 0)),
        (("PASSED a", "PASSED b", "SKIPPED [4] c", "FAILED d", "ERROR e"), (2, 1, 1, 4)),
        (("PASSED a", "FAILED d", "FAILED e", "ERROR e", "ERROR f", "ERROR g"), (1, 2, 3, 0)),
    ],
)
def test_a_listing_that_names_failures_is_believed(listed: tuple[str, ...], expected: tuple[int, ...]) -> None:
    found = session("3 passed in 0.1s", LISTING, *listed)
    assert (counts(found), found.green) == (expected, False)
    assert found.reasons[0].endswith("the closing line names no failure, but the short test summary lists some")


def test_a_listing_without_failures_changes_nothing() -> None:
    found = session("3 passed, 1 skipped in 0.1s", LISTING, "PASSED a", "SKIPPED [1] b", "XFAIL c")
    assert (counts(found), found.green) == ((3, 0, 0, 1), True)
    found = session("1 failed, 2 passed in 0.1s", LISTING, "PASSED a", "FAILED b", "FAILED c")
    assert counts(found) == (2, 1, 0, 0)
    found = session("2 passed, 1 error in 0.1s", LISTING, "PASSED a", "FAILED b", "FAILED c")
    assert counts(found) == (2, 0, 1, 0)


@pytest.mark.parametrize(
    "line",
    [
        "!!!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!!!",
        "!!! Interrupted: 1 error during collection !!!",
        "! stopping after 1 failures !",
        "! _pytest.outcomes.Exit: bye !",
        "!!!!!!!!!! any words !!!!!!!!!!",
    ],
)
def test_stopped_sessions(line: str) -> None:
    found = session("1 passed in 0.1s", "collected 3 items", line)
    assert (found.green, found.summaries[0].interrupted) == (False, True)
    assert found.reasons == ("line 4: the session was stopped before its end",)


@pytest.mark.parametrize(
    "line", ["!!! hello !!!", "!!!!!!!!! any words !!!!!!!!!!", "!!!!!!!!!! any !!!!!!!!!", "!!!!"]
)
def test_exclamations_do_not_stop(line: str) -> None:
    assert session("1 passed in 0.1s", line).green is True


def test_internal_error_is_an_error() -> None:
    found = session("no tests ran in 0.02s", "INTERNALERROR> Traceback", "INTERNALERROR> RuntimeError")
    assert (counts(found), found.green) == ((0, 0, 1, 0), False)
    found = session("2 passed in 0.02s", "INTERNALERROR> Traceback")
    assert (counts(found), found.green) == ((2, 0, 1, 0), False)
    assert found.reasons == ("line 3: 1 failed or broke",)


@pytest.mark.parametrize(
    "line",
    [
        "FAIL Required test coverage of 95% not reached. Total coverage: 75.00%",
        "ERROR: Coverage failure: total of 75 is less than fail-under=95",
    ],
)
def test_missed_coverage(line: str) -> None:
    found = session("1 passed in 0.1s", line)
    assert (found.green, found.passed) == (False, 1)
    assert found.reasons == ("line 2: the required test coverage was not reached",)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (("test_a.py::b PASSED  [ 33%]", "test_a.py::c exit code: 0"), (1, 0, 0, 0)),
        (("test_a.py::b PASSED  [ 33%]", "test_a.py::c Fatal Python error: Segmentation fault"), (1, 0, 1, 0)),
        (("test_a.py .Fatal Python error: Aborted",), (1, 0, 1, 0)),
        (("test_a.py .F",), (1, 1, 0, 0)),
        (("test_a.py .sxE",), (1, 0, 1, 1)),
        (("test_a.py .exit code: 0",), (1, 0, 0, 0)),
        (("test_a.py .xyz",), (0, 0, 0, 0)),
        (("test_a.txt ..",), (0, 0, 0, 0)),
        (("test_a.py ..s [ 50%]", "test_b.py ."), (3, 0, 0, 1)),
        (("[gw0] [ 50%] PASSED a.py::b ", "[gw1] [100%] SKIPPED a.py::c "), (1, 0, 0, 1)),
        (("[gw0] [ 50%] FAILED a.py::b ", "[gw0] [ 60%] ERROR a.py::b ", "[gw0] node down"), (0, 1, 1, 0)),
        (("INTERNALERROR> x",), (0, 0, 1, 0)),
        (("test_a.py .", "++++++++++ Timeout ++++++++++"), (1, 1, 0, 0)),
        (("test_a.py .s++++++++++ Timeout ++++++++++",), (1, 1, 0, 1)),
        (("test_a.py .", "+++++++++ Timeout +++++++++"), (1, 0, 0, 0)),
    ],
)
def test_sessions_without_a_closing_line(body: tuple[str, ...], expected: tuple[int, ...]) -> None:
    found = report(HEADER, *body)
    assert counts(found) == expected
    assert (found.runner, found.green, found.complete, found.summaries) == ("pytest", False, False, ())
    assert found.reasons[0] == "line 1: the pytest session has no closing line"


@pytest.mark.parametrize(
    "line",
    [
        "..    [ 50%]",
        "test_a.py::b PASSED [ 50%]",
        "===== FAILURES =====",
        LISTING,
        "INTERNALERROR> x",
        "Fatal Python error: Aborted",
        "! KeyboardInterrupt !",
        "++++++++++ Timeout ++++++++++",
    ],
)
def test_a_session_whose_head_is_missing_must_close_too(line: str) -> None:
    found = report(HEADER, "= 1 passed in 0.1s =", GROUP, line)
    assert (found.green, found.complete) == (False, False)
    assert "line 4: the pytest session has no closing line" in found.reasons


def test_unfinished_sessions_keep_what_was_seen() -> None:
    found = report(HEADER, "test_a.py .xX [ 50%]", "! KeyboardInterrupt !", HEADER, "= 2 passed in 0.1s =")
    assert (counts(found), found.green, found.complete) == ((3, 0, 0, 0), False, False)
    assert found.reasons == ("line 1: the pytest session has no closing line",)


def test_two_whole_sessions_in_one_step() -> None:
    found = report(HEADER, "= 1 passed in 0.1s =", HEADER, "= 2 passed, 1 skipped in 0.1s =")
    assert (counts(found), found.green) == ((3, 0, 0, 1), True)
    found = report(HEADER, "= 1 failed in 0.1s =", HEADER, "= 2 passed in 0.1s =")
    assert (counts(found), found.green) == ((2, 1, 0, 0), False)


def test_a_printed_closing_line_replaces_nothing_and_is_not_green() -> None:
    found = report(HEADER, "= 250 passed in 3.14s =", "= 2 passed in 0.1s =")
    assert (counts(found), found.green, found.complete) == ((2, 0, 0, 0), False, True)
    assert [one.counted for one in found.summaries] == [False, True]
    assert found.summaries[0].reasons == ("another closing line follows it",)
    assert found.summaries[1].reasons[-1] == "more than one closing line in one pytest session"


def test_quiet_sessions_in_one_step_must_each_reach_their_end() -> None:
    ends = ("..    [100%]", "2 passed in 0.1s")
    assert report(*ends, *ends).passed == 4
    assert report(*ends, *ends).green is True
    assert report(*ends, "2 passed in 0.1s").green is False
    assert report("2 passed in 0.1s", *ends).green is False
    assert report("2 passed in 0.1s").green is True
    assert report(*ends, ".    [ 50%]", "2 passed in 0.1s").green is False
    assert report("..    [ 50%]", "2 passed in 0.1s", *ends).green is False
    assert report(*ends, GROUP, "2 passed in 0.1s").green is True
    assert report("2 passed in 0.1s", GROUP, *ends).green is True
    assert report("2 passed in 0.1s", GROUP, "2 passed in 0.1s", GROUP, *ends, *ends).passed == 8


def test_a_quiet_session_beside_a_whole_one_is_doubted() -> None:
    ends = ("..    [100%]", "2 passed in 0.1s")
    whole = (HEADER, "= 1 passed in 0.1s =")
    assert report(*whole, *ends).green is False
    assert report(*whole, GROUP, *ends).green is True
    assert report(*ends, *whole).green is True


def test_colours_and_stamps_make_no_difference() -> None:
    stamp = "2024-07-19T13:40:28.2849616Z "
    closing = "\x1b[31m=== \x1b[31m\x1b[1m3 errors\x1b[0m\x1b[31m in 3.18s\x1b[0m\x1b[31m ===\x1b[0m"
    found = report(stamp + HEADER, stamp + closing)
    assert (counts(found), found.green, found.summaries[0].line) == ((0, 0, 3, 0), False, 2)


def test_a_red_marker_after_the_closing_line_in_the_step() -> None:
    whole = (HEADER, "= 1 passed in 0.1s =")
    assert report(*whole, "exit code: 1").green is False
    assert report("exit code: 1", *whole).green is True
    assert report(*whole, "exit code: 0").green is True
    assert report(*whole, GROUP, "exit code: 1").green is True
    assert report(*whole, GROUP, "##[error]Process completed with exit code 1.").green is False
