"""TAP 12 to 14, and prove; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary
from checks.logs.tap import TapReader
from checks.logs.tap_stream import Outcome, read_test

GROUP = "##[group]Run prove"
CTEST = "Test project /project/b"
CTEST_FAILED = ("1/1 Test #1: cart ...***Failed    0.02 sec", "0% tests passed, 1 tests failed out of 1")


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_stream_wholly() -> None:
    found = report("TAP version 13", "1..2", "ok 1 - adds", "ok 2 - empty")
    summary = Summary("tap", 1, "1..2", 2, 0, 0, 0, green=True)
    assert found == LogReport("tap", 2, 0, 0, 0, True, True, (summary,), 4, False, ())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ok 1", Outcome(1, "passed")),
        ("ok 12 - adds", Outcome(12, "passed")),
        ("ok 1 adds in 3ms", Outcome(1, "passed")),
        ("not ok 3 - adds", Outcome(3, "failed")),
        ("ok 3 # skip no network", Outcome(3, "skipped")),
        ("ok 3 - adds # SKIP", Outcome(3, "skipped")),
        ("not ok 3 later # SKIP no network", Outcome(3, "skipped")),
        ("not ok 4 - adds # TODO later", Outcome(4, "xfailed")),
        ("ok 4 - adds #todo", Outcome(4, "xpassed")),
        ("ok 4 - adds \\# TODO", Outcome(4, "passed")),
        ("not ok 4 - adds \\# SKIP", Outcome(4, "failed")),
        ("not ok 4 - issue # 12", Outcome(4, "failed")),
        ("not ok 4 - adds # skipper", Outcome(4, "failed")),
        ("not ok 4 - adds # TODOs", Outcome(4, "failed")),
        ("ok", Outcome(None, "passed")),
        ("not ok", Outcome(None, "failed")),
        ("ok - adds", Outcome(None, "passed")),
        ("not ok - adds", Outcome(None, "failed")),
        ("not ok # TODO later", Outcome(None, "xfailed")),
        ("ok # SKIP", Outcome(None, "skipped")),
        ("ok  \texample.test/shop\t0.002s", None),
        ("ok then", None),
        ("ok 2nd try", None),
        ("okay", None),
        ("not okay", None),
        ("ok 1- adds", None),
    ],
)
def test_test_lines(line: str, expected: Outcome | None) -> None:
    assert read_test(line) == expected


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        (("1..1", "ok 1"), (1, 0, 0, 0), True, None),
        (("ok 1", "ok 2", "1..2"), (2, 0, 0, 0), True, None),
        (("1..2", "ok", "ok - two"), (2, 0, 0, 0), True, None),
        (("1..2", "ok 1", "not ok 2"), (1, 1, 0, 0), False, "line 1: 1 failed"),
        (("1..3", "ok", "ok", "not ok"), (2, 1, 0, 0), False, "line 1: 1 failed"),
        (("1..4", "ok 1", "ok 2 # SKIP", "not ok 3 # TODO", "ok 4 # TODO"), (1, 0, 0, 1), True, None),
        (("1..1", "ok 1 # SKIP"), (0, 0, 0, 1), False, "no package of the log has tests"),
        (("1..0 # SKIP no database",), (0, 0, 0, 0), False, "no package of the log has tests"),
        (("1..0",), (0, 0, 0, 0), False, "no package of the log has tests"),
        (("1..0 # SKIP no database", "1..1", "ok 1"), (1, 0, 0, 0), True, None),
        (("1..1", "ok 1", "ok"), (1, 0, 0, 0), True, None),
        (("1..1", "ok 1", "not ok"), (1, 1, 0, 0), False, "line 1: 1 failed"),
        (("1..1", "ok 1", "ok 2"), (2, 0, 0, 0), False, "line 1: 1 tests were planned, but 2 ran"),
        (
            ("1..3", "ok 1", "ok 3", "ok 2"),
            (3, 0, 0, 0),
            False,
            "line 1: the number in line 3 does not follow the one before it",
        ),
        (("1..1", "ok 0"), (1, 0, 0, 0), False, "line 1: the number in line 2 does not follow the one before it"),
        (("1..2", "ok 1", "ok 2", "1..1", "ok 1"), (3, 0, 0, 0), True, None),
        (("ok 1", "1..1", "ok 1", "ok 2", "1..2"), (3, 0, 0, 0), True, None),
        (("ok 1", "1..1", "1..2", "ok 1", "ok 2"), (3, 0, 0, 0), True, None),
        (("TAP version 14", "1..1", "ok 1", "TAP version 14", "ok 1", "1..1"), (2, 0, 0, 0), True, None),
        (("1..1", "not ok 1", "1..1", "ok 1"), (1, 1, 0, 0), False, "line 1: 1 failed"),
        (("1..1", "ok 1", "1..1", "not ok 1"), (1, 1, 0, 0), False, "line 3: 1 failed"),
        (("1..5", "ok 1", "Bail out!  no database"), (1, 0, 1, 0), False, "line 1: line 3 bails out"),
        (("1..1", "ok 1", "Bail out!"), (1, 0, 1, 0), False, "line 1: line 3 bails out"),
        (("Bail out! no database",), (0, 0, 1, 0), False, "line 1: line 1 bails out"),
        (("1..2", "not ok 1", "Bail out!"), (0, 1, 1, 0), False, "line 1: 1 failed"),
    ],
)
def test_streams(lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "tap", True)
    assert found.reasons[:1] == (() if reason is None else (reason,))


def test_todo_tests_have_their_own_counts() -> None:
    found = report("1..4", "ok 1", "not ok 2 # TODO", "not ok 3 # TODO", "ok 4 # TODO")
    assert [(one.xfailed, one.xpassed, one.interrupted) for one in found.summaries] == [(2, 1, False)]
    assert report("1..2", "Bail out!").summaries[0].interrupted is True


@pytest.mark.parametrize(
    ("lines", "passed", "reason"),
    [
        (("ok 1", "ok 2"), 2, "line 1: the stream has no plan"),
        (("ok 1", "ok 2", "ok 1", "1..1"), 3, "line 1: the stream has no plan"),
        (("TAP version 13", "1..3", "ok 1"), 1, "line 1: 3 tests were planned, but 1 ran"),
        (("1..3", "ok 1", "1..1", "ok 1"), 2, "line 1: 3 tests were planned, but 1 ran"),
        (("1..3", "ok 1", "ok 1", "1..1"), 2, "line 1: 3 tests were planned, but 1 ran"),
        (("1..3", "ok 1", GROUP, "ok 2", "ok 3"), 1, "line 1: 3 tests were planned, but 1 ran"),
        (("TAP version 13",), 0, "line 1: the stream has no plan"),
        (("1..9",), 0, "line 1: 9 tests were planned, but 0 ran"),
    ],
)
def test_a_stream_with_too_few_tests_or_no_plan_is_unfinished(lines: tuple[str, ...], passed: int, reason: str) -> None:
    found = report(*lines)
    assert (found.passed, found.green, found.complete, found.reasons[0]) == (passed, False, False, reason)


def test_a_failure_without_the_beginning_of_its_stream_is_red() -> None:
    found = report("ok 4 - adds", "not ok 5 - rounds", "not ok 6 # TODO", "not ok - three")
    assert found.reasons == (
        "line 2: a test failed, and the beginning of its TAP stream is missing",
        "no summary of a known test runner was found",
    )


@pytest.mark.parametrize(
    "line", ["ok", "ok 4 - adds", "not ok - adds", "ok - adds", "not ok", "# pass 3", "  not ok 1"]
)
def test_lines_that_say_nothing_without_a_stream(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


@pytest.mark.parametrize(
    ("comments", "reason"),
    [
        (("# tests 4", "# pass 1", "# fail 0"), None),
        (("# pass  2", "# fail  1"), None),  # ava counts a todo test as failed, tape a skipped one as passed
        (("# pass 4",), None),
        (("# pass 0",), "the comments count 0 passed, the lines 1"),
        (("# pass 5",), "the comments count 5 passed, the lines 1"),
        (("# fail 2",), "the comments count 2 failed, the lines 0"),
        (("# Looks like you failed 1 test of 4.", "# Looks like you"), "line 6 says that something went wrong"),
        (("# Looks like your test exited with 255 just after 4.",), "line 6 says that something went wrong"),
        (("# all is well", "# passing 3", "# fail 9 times", "# pass 9 on"), None),
    ],
)
def test_comments_must_agree(comments: tuple[str, ...], reason: str | None) -> None:
    found = report("1..4", "ok 1", "ok 2 # SKIP", "not ok 3 # TODO", "ok 4 # TODO", *comments)
    assert found.reasons == (() if reason is None else (f"line 1: {reason}",))


def test_comments_of_a_red_stream() -> None:
    lines = ("1..2", "ok 1", "not ok 2")
    assert report(*lines, "# pass 2", "# fail 0").summaries[0].reasons == (
        "1 failed",
        "the comments count 0 failed, the lines 1",
    )
    assert report(*lines, "# pass 2", "# fail 1").summaries[0].reasons == (
        "1 failed",
        "the comments count 2 passed, the lines 1",
    )
    assert report(*lines, "# pass 1", "# fail 1").summaries[0].reasons == ("1 failed",)


def test_subtests_count_by_their_own_line() -> None:
    inner = ("# Subtest: inner", "    1..2", "    ok 1 - a", "    ok 2 - b")
    found = report("TAP version 14", *inner, "ok 1 - inner # time=1.7ms", "1..1")
    assert (counts(found), found.green) == ((1, 0, 0, 0), True)


@pytest.mark.parametrize(
    ("inner", "line", "green"),
    [
        ("    not ok 2 - b", "ok 1 - inner", False),
        ("\tnot ok 2 - b", "ok 1 - inner", False),
        ("    not ok 2 - b # TODO", "ok 1 - inner", True),
        ("    not ok 2 - b", "ok 1 - inner # SKIP", True),
        ("    not okay", "ok 1 - inner", True),
    ],
)
def test_a_test_cannot_pass_with_a_failed_subtest(inner: str, line: str, green: bool) -> None:
    found = report("1..2", "    ok 1 - a", inner, line, "ok 2 - next")
    assert found.green is green
    if not green:
        assert found.reasons == ("line 1: line 4 passes, but a subtest of it failed",)


def test_diagnostics_are_no_subtests() -> None:
    block = ("  ---", "  found: |", "    not ok 1 - a", "  ...")
    assert report("1..2", "ok 1", *block, "ok 2").green is True
    assert report("1..2", "ok 1", *block, "    not ok 1 - a", "ok 2").green is False
    # A block that nobody closes ends with the next test, and with the stream.
    assert report("1..2", "ok 1", *block[:-1], "ok 2", "1..2", "ok 1", "    not ok 1 - a", "ok 2").green is False
    assert report("1..1", "  ---", "1..2", "ok 1", "    not ok 1 - a", "ok 2").summaries[0].reasons == (
        "line 6 passes, but a subtest of it failed",
    )


@pytest.mark.parametrize("mark", ["# cancelled 0", "# suites 0", "# duration_ms 240.406588", "  duration_ms: 2.85"])
def test_streams_of_node_are_counted_by_their_own_reader(mark: str) -> None:
    good = report("TAP version 13", "ok 1 - adds", "1..1", "# pass 3", mark)
    assert good.summaries == ()
    assert not any(reason.startswith("line 1: TAP") for reason in good.reasons)
    bad = report("TAP version 13", "ok 1 - adds", "not ok 2 - rounds", "1..3", mark)
    assert bad.reasons[:2] == (
        "line 1: TAP of node:test: 1 failed",
        "line 1: TAP of node:test: 3 tests were planned, but 2 ran",
    )
    assert report("1..1", "ok 1", GROUP, mark).passed == 1


def test_streams_that_ctest_shows_are_not_counted() -> None:
    found = report(CTEST, "1..2", "ok 1", "not ok 2", *CTEST_FAILED)
    assert (counts(found), found.green, found.runner, found.complete) == ((0, 1, 0, 0), False, "tap, ctest", True)
    assert report(CTEST, "1..2", "ok 1", *CTEST_FAILED).complete is True
    assert report(CTEST, "1..2", "ok 1", "100% tests passed, 0 tests failed out of 1").complete is False
    assert report("1..2", "ok 1", CTEST, *CTEST_FAILED).complete is False
    assert report(CTEST, GROUP, "1..1", "ok 1").passed == 1


CART, SHELF = "t/cart.t ....", "t/shelf.t ..."
VERBOSE = (CART, "1..2", "ok 1 - adds", "ok 2 - empty", "ok")


def files(count: int, tests: int) -> str:
    return f"Files={count}, Tests={tests},  0 wallclock secs ( 0.01 usr  0.00 sys +  0.05 cusr  0.02 csys =  0.08 CPU)"


def reported(name: str, failed: int, status: str = "0") -> str:
    return f"t/{name}.t (Wstat: {status} Tests: 2 Failed: {failed})"


def test_a_green_run_of_prove_wholly() -> None:
    found = report(*VERBOSE, "All tests successful.", files(1, 2), "Result: PASS")
    summary = Summary("prove", 7, f"{files(1, 2)} Result: PASS", 2, 0, 0, 0, green=True)
    assert found == LogReport("prove", 2, 0, 0, 0, True, True, (summary,), 8, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        ((f"{CART} ok", f"{SHELF} ok", files(2, 5), "Result: PASS"), (5, 0, 0, 0), True, None),
        ((files(2, 5), "Result: PASS"), (5, 0, 0, 0), True, None),
        ((f"[00:49:29] {CART} ok       81 ms", files(1, 5), "Result: PASS"), (5, 0, 0, 0), True, None),
        (
            (f"{CART} skipped: no database", files(1, 0), "Result: NOTESTS"),
            (0, 0, 0, 0),
            False,
            "no package of the log has tests",
        ),
        (
            (CART, "1..3", "ok 1", "ok 2 # skip", "not ok 3 # TODO", "ok", files(1, 3), "Result: PASS"),
            (1, 0, 0, 1),
            True,
            None,
        ),
        ((CART, "ok 2 # skip", "not ok 3 # TODO", "ok", files(1, 3), "Result: PASS"), (1, 0, 0, 1), True, None),
        ((CART, "1..2", "ok 1", "ok 2 # TODO", files(1, 2), "Result: PASS"), (1, 0, 0, 0), True, None),
        (
            (*VERBOSE, SHELF, "1..1", "ok 1", "ok", files(2, 3), "Result: PASS"),
            (3, 0, 0, 0),
            True,
            None,
        ),
        (
            (CART, reported("cart", 1, "256 (exited 1)"), "  Failed test:  2", files(1, 2), "Result: FAIL"),
            (1, 1, 0, 0),
            False,
            "line 4: 1 tests failed, and 0 files without a failed test",
        ),
        (
            (CART, reported("cart", 2), reported("shelf", 1), files(2, 4), "Result: FAIL"),
            (1, 3, 0, 0),
            False,
            "line 4: 3 tests failed, and 0 files without a failed test",
        ),
        (
            (CART, reported("cart", 0, "65280 (exited 255)"), "  Parse errors: Bad plan.", files(1, 2), "Result: FAIL"),
            (2, 0, 1, 0),
            False,
            "line 4: 0 tests failed, and 1 files without a failed test",
        ),
        (
            (CART, reported("cart", 0), "  Parse errors: No plan", "  Parse errors: x", files(1, 2), "Result: FAIL"),
            (2, 0, 1, 0),
            False,
            "line 5: 0 tests failed, and 1 files without a failed test",
        ),
        (
            (CART, reported("cart", 1), "  Parse errors: Bad plan.", files(1, 2), "Result: FAIL"),
            (1, 1, 0, 0),
            False,
            "line 4: 1 tests failed, and 0 files without a failed test",
        ),
        (
            (CART, reported("cart", 0), "  TODO passed:   2", files(1, 2), "Result: PASS"),
            (2, 0, 0, 0),
            True,
            None,
        ),
        (
            (CART, files(1, 2), "Result: FAIL"),
            (2, 0, 0, 0),
            False,
            "line 2: 0 tests failed, and 0 files without a failed test",
        ),
        (
            (CART, reported("cart", 1), files(1, 2), "Result: PASS"),
            (1, 1, 0, 0),
            False,
            "line 3: 1 tests failed, and 0 files without a failed test",
        ),
        (
            (CART, reported("cart", 0, "9"), files(1, 2), "Result: PASS"),
            (2, 0, 1, 0),
            False,
            "line 3: 0 tests failed, and 1 files without a failed test",
        ),
        (
            (CART, "1..2", "ok 1", "not ok 2", files(1, 2), "Result: PASS"),
            (2, 0, 0, 0),
            False,
            "line 5: the result names no failure, but 1 of the lines do",
        ),
        (
            (CART, "1..3", "ok 1", "ok 2", "ok 3", files(1, 2), "Result: PASS"),
            (2, 0, 0, 0),
            False,
            "line 6: 2 tests are in the total, but 3 have a line",
        ),
        ((files(1, 2), "Result: PASS", files(1, 3), "Result: PASS"), (5, 0, 0, 0), True, None),
        ((*VERBOSE, files(1, 2), "Result: PASS", *VERBOSE, files(1, 2), "Result: PASS"), (4, 0, 0, 0), True, None),
        (
            (CART, files(1, 2), "Result: FAIL", CART, files(1, 2), "Result: PASS"),
            (4, 0, 0, 0),
            False,
            "line 2: 0 tests failed, and 0 files without a failed test",
        ),
    ],
)
def test_prove(lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "prove", True)
    assert found.reasons[:1] == (() if reason is None else (reason,))


def test_skips_of_a_failed_file_are_counted_once() -> None:
    less = "\t(less 2 skipped subtests: 2 okay)"
    tail = (less, reported("cart", 1), files(1, 5), "Result: FAIL")
    assert counts(report(CART, *tail)) == (2, 1, 0, 2)
    stream = ("1..5", "ok 1 # skip", "ok 2 # skip", "not ok 3", "ok 4", "ok 5")
    assert counts(report(CART, *stream, *tail)) == (2, 1, 0, 2)
    # The lines of the first file say nothing about the second.
    quiet = ("1..1", "ok 1 # skip", "ok", SHELF, less.replace("2 skipped subtests", "1 skipped subtest"))
    assert counts(report(CART, *quiet, files(2, 5), "Result: FAIL")) == (3, 0, 0, 2)


def test_todo_tests_of_prove_have_their_own_counts() -> None:
    found = report(CART, "1..3", "ok 1", "not ok 2 # TODO", "ok 3 # TODO", files(1, 3), "Result: PASS")
    assert [(one.xfailed, one.xpassed) for one in found.summaries] == [(1, 1)]
    found = report(CART, "1..3", "ok 1", "not ok 2 # TODO", "ok 3 # TODO")
    assert (found.passed, found.complete) == (1, False)


@pytest.mark.parametrize(
    "end", [(), (GROUP,), (files(2, 4),), (files(2, 4), CART, files(1, 1), "Result: PASS"), ("Result: PASS",)]
)
def test_a_run_of_prove_without_a_result_is_unfinished(end: tuple[str, ...]) -> None:
    shown = ("ok 1", "not ok 2", "ok 3 # skip")
    found = report(CART, "1..3", *shown, reported("cart", 0, "9"), *end)
    assert counts(found) == (1 + (CART in end), 1, 1, 1)
    assert (found.green, found.complete, found.reasons[0]) == (False, False, "line 1: the run of prove has no result")
    assert report(CART, reported("cart", 2)).failed == 2


def test_streams_before_prove_are_their_own_runs() -> None:
    first = ("1..1", "ok 1")
    found = report(*first, *VERBOSE, files(1, 2), "Result: PASS")
    assert (counts(found), found.runner) == ((3, 0, 0, 0), "tap, prove")
    assert report(*first, files(1, 2), "Result: PASS").passed == 3


def test_streams_of_files_of_other_names_are_known_by_their_sum() -> None:
    found = report("tests/cart.sh ..", "1..2", "ok 1", "ok 2 # skip", "ok", files(1, 2), "Result: PASS")
    assert (counts(found), found.runner, found.green) == ((1, 0, 0, 1), "prove", True)


def test_a_test_cannot_close_the_run_of_prove() -> None:
    forged = ("1..2", "ok 1", "not ok 2", "All tests successful.", files(1, 2), "Result: PASS")
    found = report(CART, *forged, "Failed 1/2 subtests", reported("cart", 1), files(1, 2), "Result: FAIL")
    assert (counts(found), found.green, found.complete) == ((1, 1, 0, 0), False, True)
    assert found.reasons[0] == "line 6: prove goes on after it"
    good = report(*VERBOSE[:-1], *forged[3:], "ok", files(1, 2), "Result: PASS")
    assert (counts(good), good.green) == ((2, 0, 0, 0), False)
    # A new step does not go on.
    assert report(CART, *forged[3:], GROUP, files(1, 2), "Result: PASS").green is True
    # Nor does another program that has a result.
    assert report(*VERBOSE, files(1, 2), "Result: PASS", "Result: PASS").green is True
    # Nor does a stream of its own.
    assert counts(report(CART, *forged[3:], "1..2", "ok 1", "ok 2", files(1, 2), "Result: PASS")) == (4, 0, 0, 0)


def test_prove_inside_ctest() -> None:
    inside = (CART, reported("cart", 1), files(1, 2), "Result: FAIL")
    found = report(CTEST, *inside, *CTEST_FAILED)
    assert (counts(found), found.runner) == ((0, 1, 0, 0), "prove, ctest")
    assert report(CTEST, CART, *CTEST_FAILED).complete is True
    assert report(CTEST, files(1, 2), *CTEST_FAILED).complete is True
    assert report(CART, CTEST, *CTEST_FAILED).complete is False


def test_words_of_prove_without_a_run_say_nothing() -> None:
    for line in ("Result: PASS", reported("cart", 1), "  Parse errors: No plan", "  (less 1 skipped subtest: 2 okay)"):
        assert report(line).runner is None


def test_the_reader_accepts_lines_that_it_did_not_ask_for() -> None:
    reader = TapReader()
    lines = ("anything", " x", "#", "1..2", "\tx", "# x", "ok 1", "okay", "ok 2", "Files", " (less", "Result")
    for number, line in enumerate(lines, 1):
        reader.feed(number, line)
    reader.boundary()
    assert reader.finish() == Reading((Summary("tap", 4, "1..2", 2, 0, 0, 0, green=True),), ())


def test_many_streams_are_judged_before_it_is_known_whose_they_are() -> None:
    streams = ("1..1", "ok 1") * 1001
    found = report(*streams, files(1, 1001), "Result: PASS")
    assert (found.passed, found.runner, found.green) == (2002, "tap, prove", True)
    assert report(*streams[2:], files(1, 1000), "Result: PASS").passed == 1000
