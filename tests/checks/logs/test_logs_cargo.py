"""`cargo test` and nextest, in the wordings of cargo 1.95 and nextest 0.9.148; the packages are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checks.logs.cargo import CargoReader
from checks.logs.nextest import NextestReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reader, Reading, Summary

GROUP = "##[group]Run cargo test"
TARGET = "     Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)"
GOOD = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.28s"
NONE = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s"
BAD = "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.30s"
BROKEN = "error: could not compile `shop` (lib) due to 1 previous error"
BROKEN_TEST = "error: could not compile `shop` (lib test) due to 1 previous error"
FAILED = "error: test failed, to rerun pass `--lib`"
BUILT = "  Executable unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)"
START = "    Starting 4 tests across 3 binaries (1 test skipped)"
PASS = "        PASS [   0.009s] (1/4) shop tests::empty"
FAIL = "        FAIL [   0.186s] (3/5) shop tests::wrong"
SUMMARY = "     Summary [   0.120s] 4 tests run: 4 passed, 1 skipped"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def read(reader: Reader, *lines: str) -> Reading:
    """Every line, also those that the reader did not ask for."""
    for number, line in enumerate(lines, 1):
        reader.feed(number, line)
    reader.boundary()
    return reader.finish()


def result(passed: int, failed: int = 0, ignored: int = 0, measured: int = 0, filtered: int = 0) -> str:
    word = "FAILED" if failed else "ok"
    return (
        f"test result: {word}. {passed} passed; {failed} failed; {ignored} ignored; {measured} measured; "
        f"{filtered} filtered out; finished in 0.10s"
    )


def test_a_green_run_wholly() -> None:
    found = report(TARGET, "running 2 tests", "test a ... ok", "test b ... ok", GOOD, "running 0 tests", NONE)
    first = Summary("cargo test", 5, GOOD, 2, 0, 0, 0, green=True)
    second = Summary("cargo test", 7, NONE, 0, 0, 0, 0, green=None, deselected=4)
    assert found == LogReport("cargo test", 2, 0, 0, 0, True, True, (first, second), 7, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        (("running 1 test", result(1)), (1, 0, 0, 0), True, None),
        (("running 5 tests", result(2, 0, 3)), (2, 0, 0, 3), True, None),
        (("running 3 tests", result(1, 0, 0, 2)), (1, 0, 0, 0), True, None),
        (("running 2 tests", BAD), (1, 1, 0, 0), False, "line 2: 1 failed"),
        (("running 2 tests", BAD.replace("1 failed", "0 failed")), (1, 0, 0, 0), False, "line 2: 0 failed"),
        (("running 2 tests", GOOD.replace("0 failed", "1 failed")), (2, 1, 0, 0), False, "line 2: 1 failed"),
        (("running 2 tests", BAD, "running 2 tests", GOOD), (3, 1, 0, 0), False, "line 2: 1 failed"),
        (("running 0 tests", NONE), (0, 0, 0, 0), False, "no package of the log has tests"),
        (("running 1 test", result(0, 0, 1)), (0, 0, 0, 1), False, "no package of the log has tests"),
        (
            (GOOD,),
            (2, 0, 0, 0),
            False,
            "line 1: the result has no start: the beginning is missing, or something else printed it",
        ),
        (
            ("running 2 tests", GOOD, GOOD),
            (4, 0, 0, 0),
            False,
            "line 3: the result has no start: the beginning is missing, or something else printed it",
        ),
        (
            ("running 3 tests", GOOD),
            (2, 0, 0, 0),
            False,
            "line 2: 3 tests were announced, but the result accounts for 2",
        ),
        (
            ("running 2 tests", "test a ... ok", "test b ... FAILED", "test c ... FAILED", GOOD),
            (2, 0, 0, 0),
            False,
            "line 5: the result names no failure, but line 3 does",
        ),
        (("test z ... FAILED", "running 2 tests", GOOD), (2, 0, 0, 0), True, None),
        ((BROKEN, "warning: build failed", BROKEN_TEST), (0, 0, 1, 0), False, "line 1: a package did not compile"),
        ((BROKEN, BROKEN.replace("shop", "till")), (0, 0, 2, 0), False, "line 1: a package did not compile"),
        ((BROKEN, GROUP, BROKEN), (0, 0, 2, 0), False, "line 1: a package did not compile"),
        ((BROKEN.replace("could", "Could"),), (0, 0, 1, 0), False, "line 1: a package did not compile"),
        ((BUILT, BUILT), (0, 0, 0, 0), False, "no package of the log has tests"),
        ((BUILT, "running 2 tests", GOOD), (2, 0, 0, 0), True, None),
        (("running 2 tests", GOOD, FAILED), (2, 0, 0, 0), False, "line 3: cargo says that tests failed"),
        (
            ("running 2 tests", GOOD, "error: 2 targets failed:"),
            (2, 0, 0, 0),
            False,
            "line 3: cargo says that tests failed",
        ),
        (("running 2 tests", BAD, FAILED, "error: 1 target failed:"), (1, 1, 0, 0), False, "line 2: 1 failed"),
        (
            ("running 2 tests", BAD, GROUP, "running 2 tests", GOOD, "error: doctest failed, to rerun pass `--doc`"),
            (3, 1, 0, 0),
            False,
            "line 6: cargo says that tests failed",
        ),
    ],
)
def test_cargo(lines: tuple[str, ...], expected: tuple[int, ...], green: bool | None, reason: str | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "cargo test", True)
    assert found.reasons[:1] == (() if reason is None else (reason,))


@pytest.mark.parametrize("end", [(), (TARGET, "running 2 tests", GOOD), (GROUP,)])
def test_a_test_program_that_ends_itself_is_unfinished(end: tuple[str, ...]) -> None:
    found = report(
        "running 5 tests", "test a ... ok", "test b ... ignored, slow", "test c ... FAILED", "test d ... ", *end
    )
    assert (found.failed, found.errors, found.skipped, found.green, found.complete) == (1, 0, 1, False, False)
    assert found.passed == (3 if TARGET in end else 1)
    assert found.reasons[0] == "line 1: the test program ended without a result"


@pytest.mark.parametrize("line", [FAILED, f"test c ... {FAILED}"])
def test_a_test_program_that_crashes_is_one_error(line: str) -> None:
    found = report("running 5 tests", "test a ... ok", line, "running 2 tests", GOOD)
    assert (counts(found), found.green, found.complete) == ((3, 0, 1, 0), False, False)
    assert found.reasons == ("line 1: the test program ended without a result",)


def test_test_programs_that_are_only_built_have_one_summary_a_step() -> None:
    built = Summary("cargo test", 1, BUILT.strip(), 0, 0, 0, 0, green=None)
    assert report(BUILT, BUILT, GROUP, "x", BUILT).summaries == (built, replace(built, line=5))


def test_old_results_without_filters_and_times() -> None:
    old = "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured"
    found = report("running 3 tests", old)
    assert (counts(found), found.green, found.summaries[0].text) == ((2, 0, 0, 1), True, old)
    allowed = "test result: ok. 2 passed; 0 failed; 1 ignored; 0 allowed to fail; 0 measured; 7 filtered out"
    assert report("running 3 tests", allowed).summaries[0].deselected == 7


@pytest.mark.parametrize(
    "line",
    [
        "running 2 tests in parallel",
        "running tests",
        "test result: good. 2 passed",
        "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.28s x",
        "test a ... okay",
        "error: something else",
        "Executable a (b)",
        f"x {BROKEN}",
        FAIL,
        "running",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


def test_readers_accept_lines_that_they_did_not_ask_for() -> None:
    noise = ("", "anything", "test", "error: unknown", FAIL, "  Executable", "Summary")
    assert read(CargoReader(), *noise) == Reading((), ())
    assert read(NextestReader(), "", "anything", FAIL, PASS, "Summary", "Starting") == Reading((), ())
    between = read(NextestReader(), START, "anything", *[PASS] * 4, "x", SUMMARY)
    assert [one.green for one in between.summaries] == [True]


def test_a_green_nextest_run_wholly() -> None:
    found = report(START, PASS, SUMMARY)
    summary = Summary("nextest", 3, SUMMARY, 4, 0, 0, 1, green=True)
    assert found == LogReport("nextest", 4, 0, 0, 1, True, True, (summary,), 3, False, ())


def summary(text: str) -> str:
    return f"     Summary [   0.253s] {text}"


@pytest.mark.parametrize(
    ("text", "expected", "flags", "reasons"),
    [
        ("4 tests run: 4 passed (2 slow, 1 flaky, 1 leaky), 0 skipped", (4, 0, 0, 0), (True, 1, False), ()),
        ("4 tests run: 4 passed (1 leaky), 0 skipped", (4, 0, 0, 0), (True, 0, False), ()),
        ("4 tests run: 4 passed", (4, 0, 0, 0), (True, 0, False), ()),
        (
            "4 tests run: 1 passed, 1 failed (1 due to being leaky), 1 exec failed, 1 timed out, 3 skipped",
            (1, 2, 1, 3),
            (False, 0, False),
            ("line 2: 3 failed or could not be started",),
        ),
        (
            "3/4 tests run: 3 passed, 1 skipped",
            (3, 0, 0, 1),
            (False, 0, True),
            ("line 2: 4 tests were to run, but 3 of 3 passed",),
        ),
        (
            "4/4 tests run: 3 passed, 1 skipped",
            (3, 0, 0, 1),
            (False, 0, False),
            ("line 2: 4 tests were to run, but 3 of 4 passed",),
        ),
        (
            "5 tests run: 5 passed, 1 skipped",
            (5, 0, 0, 1),
            (False, 0, False),
            ("line 2: 4 tests were to run, but 5 of 5 passed",),
        ),
    ],
)
def test_nextest(text: str, expected: tuple[int, ...], flags: tuple[bool, int, bool], reasons: tuple[str, ...]) -> None:
    found = report(START, summary(text))
    one = found.summaries[0]
    assert (counts(found), found.reasons) == (expected, reasons)
    assert (one.green, one.flaky, one.interrupted) == flags


def test_nextest_with_nothing_to_run() -> None:
    start = START.replace("4 tests", "0 tests")
    none = summary("0 tests run: 0 passed, 5 skipped")
    found = report(start, none, "error: no tests to run")
    assert (counts(found), found.green) == ((0, 0, 0, 5), False)
    assert found.reasons == ("line 3: nextest says that the run failed", "line 2: no test passed")
    assert report(start, none).green is False


def test_nextest_contradictions() -> None:
    assert report(START, FAIL, SUMMARY).reasons == ("line 3: the summary names no failure, but line 2 does",)
    assert report(START, FAIL, FAIL, SUMMARY).reasons == ("line 4: the summary names no failure, but line 2 does",)
    assert report(START, "  TRY 1 FAIL [   0.1s] (───) shop a", SUMMARY).green is True
    assert report(START, PASS, SUMMARY, FAIL).green is True  # the list after the summary is not read
    assert report(SUMMARY).reasons == (
        "line 1: the run has no first line: the beginning is missing, or something else printed the summary",
    )
    assert report(START, SUMMARY, "error: test run failed").green is False
    for word in ("ABORT", "TIMEOUT", "SIGSEGV", "SIGABRT", "LEAK-FAIL", "XFAIL"):
        assert report(START, f" {word:>11} [   0.1s] (1/1) shop a", SUMMARY).green is False


def test_nextest_without_a_summary() -> None:
    found = report(START, PASS, PASS.replace("PASS", "LEAK"), FAIL)
    assert (counts(found), found.green, found.complete) == ((2, 1, 0, 0), False, False)
    assert found.reasons[0] == "line 1: the run of nextest has no summary"
    found = report(START, START, SUMMARY)
    assert (found.green, found.complete) == (False, False)
    assert report(START, summary("1/2 stress run iterations: 0 passed, 1 failed")).complete is False


def test_libtest_inside_nextest_is_no_run_of_its_own() -> None:
    inside = ("running 1 test", "test a ... FAILED", "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured")
    found = report(START, *inside, SUMMARY, "running 2 tests", GOOD)
    assert (counts(found), found.green, found.runner) == ((6, 0, 0, 1), True, "nextest, cargo test")
    assert report(START, *inside, SUMMARY, *inside).failed == 1
    assert report(START, BROKEN, SUMMARY).errors == 1


def test_a_test_cannot_silence_cargo_with_the_words_of_nextest() -> None:
    found = report("running 2 tests", START, BAD, SUMMARY)
    assert (found.failed, found.green) == (1, False)
    # A new step begins outside of nextest, whatever the one before it printed.
    assert report(START, GROUP, "running 2 tests", BAD).failed == 1


def test_long_lines() -> None:
    name = "a" * 4050
    found = report("running 2 tests", f"test {name} ... ok", GOOD, f"error: could not compile `{name}`")
    assert (found.passed, found.errors, len(found.summaries[-1].text)) == (2, 1, 300)
    assert len(report(f"  Executable a ({name[:3000]})").summaries[0].text) == 300
