"""node:test's totals in its reporters spec, tap and junit; names and numbers are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

UNCLOSED = "tests of node:test ran, but no totals closed them"
WORDS = ("tests", "suites", "pass", "fail", "cancelled", "skipped", "todo")


def totals(sign: str = "ℹ ", end: str = "", /, **numbers: int) -> tuple[str, ...]:
    known = dict.fromkeys(WORDS, 0) | numbers
    known["tests"] = numbers.get("tests", sum(numbers.values()) - numbers.get("suites", 0))
    return (*(f"{sign}{word} {known[word]}{end}" for word in WORDS), f"{sign}duration_ms 228.182585{end}")


GREEN = totals(**{"pass": 3})
ADDS = "✔ adds (3.76859ms)"
TAP = ("TAP version 13", "# Subtest: adds", "ok 1 - adds", "  ---", "  duration_ms: 0.151036", "  ...", "1..1")


def bare(name: str) -> tuple[str, ...]:
    return (f"{name} counts as one test: it has none, or ended before they were reported",)


def test_a_green_run_wholly() -> None:
    one = Summary("node:test", 2, "ℹ tests 3", 3, 0, 0, 0, green=True)
    assert report(ADDS, *GREEN) == LogReport("node:test", 3, 0, 0, 0, True, True, (one,), 9, False, ())


@pytest.mark.parametrize(("sign", "end"), [("ℹ ", ""), ("# ", ""), ("\t<!-- ", " -->")])
def test_reporters(sign: str, end: str) -> None:
    one = only(*totals(sign, end, suites=2, cancelled=1, skipped=4, todo=1, **{"pass": 3, "fail": 2}))
    assert (counts(one), one.text) == ((3, 3, 0, 4), f"{sign}tests 11{end}".strip())
    assert only(*totals(sign, end, **{"pass": 3})).green is True


@pytest.mark.parametrize(
    ("numbers", "reasons"),
    [
        ({"pass": 2, "todo": 1}, ()),
        ({"pass": 2, "fail": 1}, ("1 failed",)),
        ({"pass": 2, "cancelled": 1}, ("1 failed",)),
        ({"skipped": 2, "todo": 1}, ("no test passed",)),
        ({}, ("no test passed",)),
        ({"pass": 2, "tests": 3}, ("the totals do not add up",)),
        ({"pass": 2, "tests": 1}, ("the totals do not add up",)),
    ],
)
def test_verdicts(numbers: dict[str, int], reasons: tuple[str, ...]) -> None:
    assert only(*totals(**numbers)).reasons == reasons


def test_old_versions_count_no_suites() -> None:
    lines = [line for line in totals("# ", **{"pass": 2}) if "suites" not in line]
    assert only(*lines).green is True


@pytest.mark.parametrize("missing", ["cancelled", "tests"])
def test_totals_of_other_producers_of_tap(missing: str) -> None:
    lines = [line for line in totals("# ", **{"pass": 2}) if f" {missing} " not in line]
    assert report(*lines).runner is None


@pytest.mark.parametrize(
    "line",
    ["  ℹ tests 3", "ℹ tests x", "ℹ tests 1234567890", "ℹ passed 3", "# Tests 3", "<!-- tests 3 -->", "✔ adds (3ms)"],
)
def test_lines_that_are_no_totals(line: str) -> None:
    assert report(line).runner is None


@pytest.mark.parametrize("length", [1, 2, 5, 7])
def test_cut_totals(length: int) -> None:
    found = report(*GREEN[:length])
    assert (found.complete, found.green, found.reasons[0]) == (False, False, f"line 1: {UNCLOSED}")
    assert counts(found) == (3 if length > 2 else 0, 0, 0, 0)


@pytest.mark.parametrize("lines", [(ADDS,), ("x", ADDS, ADDS, GROUP), TAP, (*TAP, "# tests 1", "# pass 1")])
def test_results_without_totals(lines: tuple[str, ...]) -> None:
    found = report(*lines)
    assert found.complete is False
    assert any(reason.endswith(UNCLOSED) for reason in found.reasons)


@pytest.mark.parametrize("line", ["▶ list", "✖ total (1.5ms)", "  ✔ inner (0.1ms)", "✔ Compiled", "# Subtest: a.js"])
def test_results_that_may_be_of_something_else(line: str) -> None:
    assert report(line).runner is None


def test_each_run_has_its_totals() -> None:
    found = report(ADDS, *GREEN, ADDS, *GREEN)
    assert (found.green, counts(found)) == (True, (6, 0, 0, 0))
    assert report(ADDS, *GREEN, ADDS).complete is False
    assert report(*TAP, *TAP, *totals("# ", **{"pass": 1})).complete is False


@pytest.mark.parametrize("red", ["✖ total (1.768431ms)", "not ok 3 - total", "✖ total (1.7ms) # later"])
def test_a_failure_speaks_against_green_totals(red: str) -> None:
    assert only(ADDS, red, red, *GREEN).reasons[0] == "the totals name no failure, but line 2 does"
    assert only(red, *totals(**{"pass": 1, "fail": 1})).reasons == ("1 failed",)


@pytest.mark.parametrize(
    "line",
    [
        "✖ some day (0.2ms) # TODO",
        "✖ some day (0.2ms) # TODO later",
        "not ok 3 - some day # TODO",
        "not ok 4 - x # SKIP",
        "  ✖ inner (0.2ms)",
        "⚠ some day (1.0ms) # TODO",
        "✖ failing tests:",
    ],
)
def test_what_is_no_failure(line: str) -> None:
    assert only(ADDS, line, *GREEN).green is True


def test_the_list_of_failures_belongs_to_the_run_above_it() -> None:
    red = totals(fail=1)
    listed = ("✖ failing tests:", "✖ total (1.5ms)")
    assert report(*red, *listed, *GREEN).summaries[1].reasons == ()
    assert report(*red, *listed, ADDS, "✖ x (1.5ms)", *GREEN).summaries[1].reasons != ()
    assert report(*red, *listed, "▶ list", "✖ x (1.5ms)", *GREEN).summaries[1].reasons != ()
    assert report(*red, *listed, *GREEN, "✖ x (1.5ms)", *GREEN).summaries[2].reasons != ()
    assert report(*red, *listed, GROUP, "✖ x (1.5ms)", *GREEN).summaries[1].reasons != ()


FILES = ("/project/exits.test.mjs", "a.js", "src/a.cts", "b.test.tsx", "c.jsx")


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_counts_as_a_test(name: str) -> None:
    assert only(f"✔ {name} (475.725815ms)", "✔ z.js (99.5ms)", *GREEN).reasons == bare(name)
    assert only(f"▶ {name}x", "  ✔ inner (1.5ms)", f"✔ {name} (10.0ms)", *GREEN).reasons == bare(name)


@pytest.mark.parametrize("name", ["adds", "parses index.js", "index.json", "a.css"])
def test_tests_with_other_names(name: str) -> None:
    assert only(f"✔ {name} (475.725815ms)", *GREEN).green is True


def test_a_suite_or_a_quick_test_may_be_named_like_a_file() -> None:
    assert only("▶ src/a.js", "  ✔ adds (1.5ms)", "✔ src/a.js (20.5ms)", *GREEN).green is True
    assert only("✔ src/a.js (9.999ms)", *GREEN).green is True


def tap_file(name: str, *inner: str, time: str = "475.725815", ended: str = "") -> tuple[str, ...]:
    result = f"ok 1 - {ended or name}"
    return ("TAP version 13", f"# Subtest: {name}", *inner, result, "  ---", f"  duration_ms: {time}", "  ...", "1..1")


TAP_TOTALS = totals("# ", **{"pass": 1})


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_counts_as_a_test_in_tap(name: str) -> None:
    found = report(*tap_file(name), *TAP_TOTALS)
    assert [(one.runner, one.reasons) for one in found.summaries] == [("node:test", bare(name))]


@pytest.mark.parametrize(
    "lines",
    [
        tap_file("src/a.js", "    # Subtest: adds", "    ok 1 - adds", "    1..1"),
        tap_file("src/a.js", time="9.9"),
        tap_file("src/a.js", ended="src/b.js"),
        tap_file("adds"),
    ],
)
def test_suites_and_tests_in_tap(lines: tuple[str, ...]) -> None:
    assert report(*lines, *TAP_TOTALS).green is True


def test_the_time_of_another_test_says_nothing_of_a_file() -> None:
    quick, slow = (
        tap_file("src/a.js", time="1.5")[:-1],
        ("# Subtest: b", "ok 2 - b", "  ---", "  duration_ms: 99.5", "  ..."),
    )
    assert report(*quick, *slow, "1..2", *totals("# ", **{"pass": 2})).green is True


def test_a_failing_file_is_a_failure() -> None:
    assert only("✖ /project/a.test.mjs (174.0ms)", *totals(**{"fail": 1, "pass": 1})).reasons == ("1 failed",)
