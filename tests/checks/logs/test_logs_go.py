"""`go test` in its three outputs, in the wording of go 1.19 to 1.24; the packages are made up."""

from __future__ import annotations

import json

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Summary

GROUP = "##[group]Run go test ./..."
OK = "ok  \texample.test/shop\t0.002s"
FAIL = "FAIL\texample.test/shop\t0.002s"
NO_FILES = "?   \texample.test/empty\t[no test files]"
ONE = ("=== RUN   TestA", "--- PASS: TestA (0.00s)")


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(*ONE, "PASS", OK, NO_FILES)
    shop = Summary("go test", 4, OK, 1, 0, 0, 0, green=True)
    empty = Summary("go test", 5, NO_FILES, 0, 0, 0, 0, green=None)
    assert found == LogReport("go test", 1, 0, 0, 0, True, True, (shop, empty), 5, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green"),
    [
        ((*ONE, *ONE, *ONE, OK), (3, 0, 0, 0), True),
        ((*ONE, "=== RUN   TestB", "--- SKIP: TestB (0.13s)", OK), (1, 0, 0, 1), True),
        (("=== RUN   TestB", "--- SKIP: TestB (0.13s)", OK), (0, 0, 0, 1), False),
        ((*ONE, "=== RUN   TestB", "--- FAIL: TestB (0.13s)", "FAIL", FAIL), (1, 1, 0, 0), False),
        ((*ONE, "=== RUN   TestB", "--- FAIL: TestB (0.13s)", OK), (1, 1, 0, 0), False),
        ((*ONE, "PASS", "panic: panic", FAIL), (1, 0, 1, 0), False),
        (("panic: init", FAIL, "panic: init", FAIL), (0, 0, 2, 0), False),
        (("FAIL\texample.test/shop [build failed]",), (0, 0, 1, 0), False),
        (("FAIL\texample.test/shop [setup failed]",), (0, 0, 1, 0), False),
        (("--- FAIL: TestB (0.13s)", FAIL), (None, 1, 0, None), False),
        (("--- FAIL: TestB (0.13s)", "--- FAIL: TestC (0.13s)", FAIL), (None, 2, 0, None), False),
        (("panic: test timed out after 2s", FAIL), (None, 1, 0, None), False),
        (("=== RUN   TestA", "panic: test timed out after 2s", FAIL), (0, 1, 0, 0), False),
        ((*ONE, "--- FAIL: TestB (0.13s)", "panic: test timed out after 2s", FAIL), (1, 1, 0, 0), False),
        ((OK,), (None, 0, 0, None), None),
        ((OK, NO_FILES), (None, 0, 0, None), None),
        ((*ONE, OK, GROUP, OK), (None, 0, 0, None), None),
        ((NO_FILES,), (0, 0, 0, 0), False),
        (("testing: warning: no tests to run", "PASS", OK), (0, 0, 0, 0), False),
        (("ok  \tx\t0.1s [no tests to run]",), (0, 0, 0, 0), False),
        ((*ONE, OK, "ok  \tx\t0.1s [no tests to run]"), (1, 0, 0, 0), True),
        ((*ONE, "ok  \tx\t0.1s\tcoverage: 80.0% of statements"), (1, 0, 0, 0), True),
        ((*ONE, "ok      package/repeated-names    0.001s"), (1, 0, 0, 0), True),
        ((*ONE, "ok  \tx\t(cached)"), (1, 0, 0, 0), False),
        (("ok  \tx\t(cached)",), (None, 0, 0, None), False),
        ((*ONE, OK, *ONE, "FAIL    package/panic  0.003s"), (2, 0, 1, 0), False),
        ((*ONE, OK, "=== RUN   TestB", "--- FAIL: TestB (0.00s)", FAIL), (1, 1, 0, 0), False),
        ((*ONE, OK, "--- FAIL: TestB (0.00s)", FAIL), (1, 1, 0, 0), False),
    ],
)
def test_counts(lines: tuple[str, ...], expected: tuple[int | None, ...], green: bool | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "go test", True)


def test_only_top_level_tests_count() -> None:
    found = report(
        "=== RUN   TestA",
        "=== RUN   TestA/1+2",
        "=== PAUSE TestA",
        "=== CONT  TestA",
        "    --- FAIL: TestA/1+2 (0.00s)",
        "--- PASS: TestA (0.00s)",
        "    --- SKIP: TestA/x (0.00s)",
        OK,
    )
    assert (counts(found), found.green) == ((1, 0, 0, 0), True)


def test_output_of_a_test_may_stand_before_the_marks() -> None:
    found = report("text=== RUN   TestA", "text--- PASS: TestA (0.00s)", OK)
    assert (counts(found), found.green) == ((1, 0, 0, 0), True)
    found = report("ok text=== RUN   TestA", "F--- PASS: TestA (0.00s)", OK)
    assert (counts(found), found.green) == ((1, 0, 0, 0), True)


@pytest.mark.parametrize(
    "line",
    [
        "--- PASS: TestA",
        "--- PASS: TestA (0.00s) x",
        "--- PASS: TestA and more (0.00s)",
        "--- PASS:  (0.00s)",
        "--- GOOD: TestA (0.00s)",
        "--- BENCH: TestA (0.00s)",
        "=== RUN   ",
        "=== RUN   Test A",
        "=== NAME  TestA",
        "ok - works",
        "ok",
        "FAIL src/a.test.js (5.2 s)",
        "FAIL\texample.test/shop\t0.002s x",
        "FAIL\texample.test/shop",
        "?   \tx\t[no tests]",
        "FAIL",
        "{}",
        "{",
        '{"Action":',
        '{"Action":1,"Package":"a"}',
        '{"Action":"pass"}',
        '{"Action":"pass","Package":1}',
        '{"Action":["pass"],"Package":"a"}',
        "panic: test timed out after 2s",
        "testing: warning: no tests to run",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


def test_deep_json_is_no_event() -> None:
    assert report('{"Action":' + "[" * 4000).runner is None


def test_reasons() -> None:
    assert report(*ONE, "=== RUN   TestB", "=== RUN   TestC", OK).reasons == (
        "line 5: the package says ok while 2 of its tests were still running",
    )
    assert report("--- PASS: TestA (0.00s)", "--- PASS: TestB (0.00s)", OK).reasons == (
        "line 3: 2 results have no start: the beginning is missing",
    )
    assert report(*ONE, "ok  \tx\t(cached)").reasons == (
        "line 3: the result was served from the test cache, it is not a fresh run",
    )
    assert report("=== RUN   TestB", "--- FAIL: TestB (0.1s)", OK).reasons[0] == (
        "line 3: the package says ok, but 1 of its tests failed"
    )
    assert report("=== RUN   TestB", "--- SKIP: TestB (0.1s)", OK).reasons == ("line 3: no test passed",)
    assert report(FAIL).reasons == ("line 1: the package failed",)
    assert report(OK).reasons == ("go test printed no number of passed tests (it needs -v or -json)",)
    assert report(NO_FILES).reasons == ("no package of the log has tests",)


def test_flags_of_a_summary() -> None:
    assert report("ok  \tx\t(cached)").summaries[0].cached is True
    assert report(OK).summaries[0].cached is False
    assert report("panic: test timed out after 2s", FAIL).summaries[0].interrupted is True
    assert report(FAIL).summaries[0].interrupted is False


def test_long_lines_are_quoted_in_part() -> None:
    for line in (OK + " " + "x" * 400, "?   \t" + "x" * 400 + "\t[no test files]", "FAIL\t" + "x" * 400 + "\t0.1s"):
        assert report(line).summaries[0].text == line[:300]


@pytest.mark.parametrize(
    ("lines", "expected", "line"),
    [
        (ONE, (1, 0, 0, 0), 1),
        (("x", "=== RUN   TestA"), (0, 0, 0, 0), 2),
        (("x", "--- SKIP: TestA (0.0s)", "--- FAIL: TestA (0.0s)"), (0, 1, 0, 1), 2),
        (("=== RUN   TestA", "panic: test timed out after 2s"), (0, 1, 0, 0), 1),
    ],
)
def test_tests_without_a_closing_line(lines: tuple[str, ...], expected: tuple[int, ...], line: int) -> None:
    for log in (lines, (*lines, GROUP, *ONE, OK)):
        found = report(*log)
        assert (found.green, found.complete) == (False, False)
        assert found.reasons[0] == f"line {line}: tests ran, but their package has no closing line"
    assert counts(report(*lines)) == expected


def test_a_bare_fail_that_no_package_explains() -> None:
    found = report(*ONE, "FAIL", OK, "FAIL")
    assert found.green is False
    assert found.reasons == ("line 3: go test says FAIL, but no package of the log failed",)
    assert report(*ONE, OK, FAIL, "FAIL").reasons == ("line 4: the package failed",)
    assert report("=== RUN   TestB", "--- FAIL: TestB (0.1s)", "FAIL", FAIL).reasons == ("line 4: the package failed",)


def test_a_step_forgets_the_state_of_the_one_before() -> None:
    assert counts(report("testing: warning: no tests to run", GROUP, OK)) == (None, 0, 0, None)
    assert counts(report(*ONE, OK, GROUP, "--- FAIL: TestB (0.1s)", FAIL)) == (None, 1, 0, None)


def event(action: str, test: str | None = None, output: str | None = None, package: str = "p") -> str:
    fields = {"Time": "2026-11-29T15:41:05Z", "Action": action, "Package": package, "Test": test, "Output": output}
    return json.dumps({key: value for key, value in fields.items() if value is not None})


START = event("run", "TestA")


@pytest.mark.parametrize(
    ("lines", "expected", "green"),
    [
        ((START, event("pass", "TestA"), event("pass")), (1, 0, 0, 0), True),
        ((START, event("skip", "TestA"), event("pass")), (0, 0, 0, 1), False),
        ((START, event("fail", "TestA"), event("fail")), (0, 1, 0, 0), False),
        ((START, event("fail", "TestA"), event("pass")), (0, 1, 0, 0), False),
        ((START, event("pass", "TestA"), event("fail")), (1, 0, 1, 0), False),
        ((START, event("pass")), (0, 0, 0, 0), False),
        (
            (START, event("run", "TestA/x"), event("fail", "TestA/x"), event("pass", "TestA"), event("pass")),
            (1, 0, 0, 0),
            True,
        ),
        ((event("skip"),), (0, 0, 0, 0), False),
        ((event("pass"),), (0, 0, 0, 0), False),
        ((event("fail"),), (0, 0, 1, 0), False),
        (
            (START, event("pass", "TestA"), event("output", None, "ok  \tp\t(cached)\n"), event("pass")),
            (1, 0, 0, 0),
            False,
        ),
        ((START, event("pass", "TestA"), event("output", None, "ok (cached)\n"), event("pass")), (1, 0, 0, 0), True),
        ((START, event("pass", "TestA"), event("output", None, "x\t(cached)\n"), event("pass")), (1, 0, 0, 0), True),
        ((START, event("output", "TestA", "panic: test timed out after 2s\n"), event("fail")), (0, 1, 0, 0), False),
        ((START, event("output", "TestA", "x panic: test timed out after 2s\n"), event("fail")), (0, 0, 1, 0), False),
        (
            (
                START,
                event("pause", "TestA"),
                event("cont", "TestA"),
                event("pass", "TestA"),
                event("start"),
                event("pass"),
            ),
            (1, 0, 0, 0),
            True,
        ),
    ],
)
def test_json_counts(lines: tuple[str, ...], expected: tuple[int, ...], green: bool) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "go test", True)


def test_json_packages_may_interleave() -> None:
    found = report(
        event("run", "TestA", package="a"),
        event("run", "TestB", package="b"),
        event("pass", "TestA", package="a"),
        event("fail", "TestB", package="b"),
        event("pass", package="a"),
        event("fail", package="b"),
    )
    assert (counts(found), found.green) == ((1, 1, 0, 0), False)
    assert [(one.line, one.green) for one in found.summaries] == [(5, True), (6, False)]


@pytest.mark.parametrize("lines", [(START,), (START, event("pass", "TestA")), (event("output", None, "x"),)])
def test_json_without_the_end_of_a_package(lines: tuple[str, ...]) -> None:
    found = report("x", *lines)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == "line 2: tests ran, but their package has no closing line"


def test_json_output_that_looks_like_a_result_is_output() -> None:
    found = report(START, event("output", "TestA", "--- FAIL: TestA (0.0s)"), event("pass", "TestA"), event("pass"))
    assert found.green is True


def test_more_packages_at_once_than_are_followed() -> None:
    names = [f"p{number}" for number in range(2001)]
    runs = [event("run", "TestA", package=name) for name in names]
    ends = [line for name in names for line in (event("pass", "TestA", package=name), event("pass", package=name))]
    assert report(*runs[:2000], *ends[:4000]).green is True
    crowded = report(*runs, *ends)
    assert (crowded.green, crowded.passed) == (False, 2001)
    assert crowded.reasons[0] == "line 2001: more than 2000 packages run at once, not all were followed"
