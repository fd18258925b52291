"""mocha's epilogue, its machine-readable reporters, and what npm prints around it; the suites are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

GREEN = "  3 passing (20ms)"
ECHO = "> mocha test"
MARKS = ("    ✔ is empty", "    ✓ grows", "  √ works")
SEVERAL = "several summaries in one step, and neither npm's echo nor the check marks account for each"
DETAILS = "the summary names no failure, but the details of one follow it"
NO_SUMMARY = "line 1: mocha began, but printed no summary"
BROKE = "mocha broke before it could close"


def test_a_green_run_wholly() -> None:
    one = Summary("mocha", 2, "3 passing (20ms)", 3, 0, 0, 0, green=True)
    assert report("  list", GREEN) == LogReport("mocha", 3, 0, 0, 0, True, True, (one,), 2, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green"),
    [
        (("  1141 passing (48s)", "  18 pending"), (1141, 0, 0, 18), True),
        (("  2186 passing (112s)", "  5 pending", "  2 failing"), (2186, 2, 0, 5), False),
        (("   72 passing (3m)",), (72, 0, 0, 0), True),
        (("  2610 passing (2m)", "  57 skipped", "  6 failing as expected"), (2610, 0, 0, 57), True),
        (("  1 passing (1.5 h)",), (1, 0, 0, 0), True),
        (("  1 passing",), (1, 0, 0, 0), True),
        (("  0 passing (2ms)",), (0, 0, 0, 0), False),
        (("  0 passing (2ms)", "  2 pending"), (0, 0, 0, 2), False),
        (("  0 passing (2ms)", "  1 failing"), (0, 1, 0, 0), False),
    ],
)
def test_epilogues(lines: tuple[str, ...], expected: tuple[int, ...], green: bool) -> None:
    one = only(*lines)
    assert (counts(one), one.green) == (expected, green)


def test_failing_as_expected_is_a_field_of_its_own() -> None:
    assert only(GREEN, "  6 failing as expected").xfailed == 6


@pytest.mark.parametrize(
    "line",
    [
        "3 passing (20ms)",
        "  3 passing tests",
        "  3 passing (20)",
        "  1234567890 passing (1s)",
        "  3 failing",
        "  2 pending",
        "  3 passing (20ms) x",
        "  passing (20ms)",
    ],
)
def test_lines_that_are_no_epilogue(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green) == (None, None)


def test_counts_belong_to_the_epilogue_above_them_in_the_same_step() -> None:
    found = report(GREEN, GROUP, "  2 failing", "  1 passing (1ms)", "  4 pending")
    assert [counts(one) for one in found.summaries] == [(3, 0, 0, 0), (1, 0, 0, 4)]


def test_details_without_a_count() -> None:
    assert only(GREEN, "  1) suite", "       test:").reasons == (DETAILS,)
    assert only(GREEN, "  1) test:", "      Error: x").reasons == (DETAILS,)
    assert only(GREEN, "  1) test:").reasons == (DETAILS,)


@pytest.mark.parametrize(
    "lines",
    [
        ("  1) install", "  2) run"),
        ("  1) install", "      deeper"),
        ("  1) install", GROUP, "       x"),
        ("  2) suite", "       test:"),
        ("   1) suite", "       test:"),
        ("1) suite", "       test:"),
        ("  1) suite",),
        ("  1) suite", "no", "       test:"),
    ],
)
def test_other_numbered_lines(lines: tuple[str, ...]) -> None:
    assert only(GREEN, *lines).green is True


def test_details_before_the_epilogue_and_with_a_count() -> None:
    assert only("  1) suite", "       test:", GREEN).green is True
    one = only("  1 passing (1ms)", "  1 failing", "  1) suite", "       test:")
    assert one.reasons == ("1 failed",)


def test_the_next_epilogue_may_follow_details_at_once() -> None:
    found = report(*MARKS, GREEN, "  1) suite", *MARKS, GREEN)
    assert (found.green, counts(found)) == (True, (6, 0, 0, 0))


def test_several_epilogues_in_one_step() -> None:
    assert report(*MARKS, GREEN, *MARKS, GREEN).green is True
    assert report(ECHO, GREEN, ECHO, GREEN).green is True
    assert report("$ mocha a && mocha b", GREEN, GREEN).green is True
    assert report(ECHO, GREEN, *MARKS, GREEN).green is True
    assert report(GREEN, GROUP, GREEN).green is True


@pytest.mark.parametrize("before", [(), MARKS[:2], (*MARKS, *MARKS)])
def test_a_first_epilogue_that_nothing_accounts_for(before: tuple[str, ...]) -> None:
    first, second = report(*before, GREEN, *MARKS, GREEN).summaries
    assert (first.reasons, second.reasons) == ((SEVERAL,), ())


@pytest.mark.parametrize("before", [(ECHO, GREEN), (ECHO, *MARKS, GREEN), ("$ mocha a && mocha b", GREEN, GREEN)])
def test_a_last_epilogue_that_nothing_accounts_for(before: tuple[str, ...]) -> None:
    *good, bad = report(*before, GREEN).summaries
    assert (bad.reasons, {one.reasons for one in good}) == ((SEVERAL,), {()})


def test_a_printed_epilogue_does_not_raise_the_count_of_a_true_one() -> None:
    found = report("  suite", "  250 passing (3s)", "    ✔ prints", "  1 passing (9ms)")
    assert (found.green, counts(found)) == (False, (251, 0, 0, 0))


@pytest.mark.parametrize(
    "echo",
    [
        "> mocha",
        "$ mocha exits.js",
        "> nyc mocha exits.js",
        "> cross-env NODE_ENV=test ./node_modules/.bin/mocha -R spec",
        "> bmocha test/*.js",
        "> _mocha --recursive",
    ],
)
def test_a_run_that_npm_shows_and_that_never_closes(echo: str) -> None:
    found = report(echo, "    ✔ starts")
    assert (counts(found), found.complete, found.green) == ((1, 0, 0, 0), False, False)
    assert found.reasons[0] == NO_SUMMARY


@pytest.mark.parametrize("echo", ["mocha test", "> mochawesome", "> eslint mocha.js", ">mocha", "> npm run mocha:unit"])
def test_other_commands(echo: str) -> None:
    assert report(echo, "    ✔ starts").runner is None


def test_where_an_echo_ends() -> None:
    assert report(ECHO, GREEN, "  ✔ built", GROUP, GREEN).green is True
    assert report(ECHO, GROUP, "    ✔ starts", GREEN).green is True
    assert report("    ✔ starts", ECHO, GREEN).green is True
    assert report(ECHO, "    ✔ starts", ECHO, GREEN).reasons == (NO_SUMMARY,)
    assert report("> mocha a && mocha b", GREEN, "    ✔ starts").reasons == (NO_SUMMARY,)
    assert report("> mocha a && mocha b", "  1 passing (1ms)", "  1 failing", "  ✔ built", GROUP).complete is True
    assert report(ECHO).runner is None


@pytest.mark.parametrize("line", [" Exception during run: Error: x", "Exception during run: y", "✖ ERROR: Error: z"])
def test_a_file_that_cannot_be_loaded(line: str) -> None:
    found = report("x", line)
    assert (counts(found), found.reasons[0]) == ((0, 0, 1, 0), f"line 2: {BROKE}")
    found = report(ECHO, "    ✔ starts", line)
    assert (counts(found), found.reasons[0]) == ((0, 0, 1, 0), f"line 3: {BROKE}")


def test_no_files() -> None:
    one = only(ECHO, "    ✔ starts", 'Error: No test files found: "x.js"')
    assert (counts(one), one.reasons[0]) == ((0, 0, 0, 0), "no test files were found")
    assert one.text == 'Error: No test files found: "x.js"'


def json_stats(passes: int, failures: int, pending: int = 0) -> tuple[str, ...]:
    return (
        "{",
        '  "stats": {',
        '    "suites": 1,',
        f'    "tests": {passes + failures},',
        f'    "passes": {passes},',
        f'    "pending": {pending},',
        f'    "failures": {failures},',
        '    "start": "2026-11-30T00:51:11.280Z",',
        '    "duration": 94',
        "  },",
    )


def test_reporter_json() -> None:
    one = only(*json_stats(4, 2, 1))
    assert (counts(one), one.green, one.line, one.text) == ((4, 2, 0, 1), False, 2, '"stats": {')
    assert only(*json_stats(4, 0)).green is True
    assert only(*json_stats(0, 0)).green is False


def test_reporter_json_cut() -> None:
    for length in range(2, 9):
        found = report(*json_stats(4, 0)[:length])
        assert (found.complete, found.reasons[0]) == (False, "line 2: mocha's report has a beginning, but no end")
    found = report(*json_stats(4, 0)[:5], *json_stats(3, 0))
    assert (found.complete, counts(found)) == (False, (3, 0, 0, 0))
    assert report('    "passes": 4,', '    "duration": 94').runner is None


TWO_REPORTS = "several machine-readable summaries in one step: one of them may be printed by a test"


def test_several_machine_readable_summaries() -> None:
    first, second = report(*json_stats(250, 0), *json_stats(4, 0)).summaries
    assert (first.reasons, second.reasons) == ((), (TWO_REPORTS,))
    assert report(*json_stats(3, 0), GROUP, *json_stats(4, 0)).green is True


def stream(event: str, **values: object) -> str:
    pairs = ",".join(f'"{key}":{value}' for key, value in values.items())
    return f'["{event}",{{{pairs}}}]'


END = stream("end", suites=1, tests=3, passes=3, pending=1, failures=0, duration=2)


def test_reporter_json_stream() -> None:
    one = only(stream("start", total=4), '["pass",{"title":"a"}]', END)
    assert (counts(one), one.green, one.line, one.text) == ((3, 0, 0, 1), True, 3, END)
    assert counts(only(stream("start", total=4), stream("end", passes=2, failures=2))) == (2, 2, 0, 0)
    assert only(END).green is True


def test_reporter_json_stream_cut() -> None:
    found = report(stream("start", total=4), '["pass",{"title":"a"}]')
    assert (found.complete, found.green) == (False, False)
    few = only(stream("start", total=5), END)
    assert few.reasons == ("5 tests were to run, but there are fewer results",)
    assert only(stream("start", total=4), stream("end", passes=3, failures=0)).green is False
    assert only(stream("start", total=3), END).green is True


@pytest.mark.parametrize(
    "line",
    [
        '["end",{"passes":}]',
        '["end",{"passes":1]',
        '["end",{}]',
        '["end",{"passes":"3"}]',
        '["end",{"passes":-1}]',
        '["end",{"passes":true}]',
        '["end",{"passes":1000000000}]',
        f'["end",{{"a":{"[" * 4000}}}]',
    ],
)
def test_lines_that_are_no_end_of_a_stream(line: str) -> None:
    assert report(line).runner is None


XUNIT = '<testsuite name="Mocha Tests" tests="6" failures="0" errors="2" skipped="1" timestamp="x" time="0.1">'


def test_reporter_xunit() -> None:
    skipped = '<testcase classname="a" name="b" time="0"><skipped/></testcase>'
    one = only(XUNIT, skipped, '<testcase classname="a" name="c" time="0"/>', skipped, "</testsuite>")
    assert (counts(one), one.line, one.green) == ((3, 2, 0, 2), 1, False)
    green = XUNIT.replace('errors="2"', 'errors="0"')
    assert (counts(only(green, "</testsuite>")), only(green, "</testsuite>").green) == ((5, 0, 0, 0), True)
    assert counts(only(XUNIT.replace('"0" errors', '"1" errors'), "</testsuite>")) == (2, 3, 0, 0)
    assert counts(only(XUNIT.replace('tests="6"', 'tests="1"'), "</testsuite>")) == (0, 2, 0, 0)


def test_reporter_xunit_cut() -> None:
    found = report(XUNIT, '<testcase classname="a" name="b" time="0"/>')
    assert (found.complete, counts(found)) == (False, (3, 2, 0, 0))
    assert report(XUNIT.replace("Mocha Tests", "nosetests"), "</testsuite>").runner is None
    assert report("</testsuite>").runner is None
    assert report(*json_stats(3, 0)[:4], "</testsuite>").complete is False
