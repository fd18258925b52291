"""Runs of unittest's text runner (Python 3.11, 3.12), Django's test command and nose, in their wording."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Summary

GROUP = "##[group]Run python -m unittest"
DASHES = "-" * 70
RULE = "=" * 70


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def run(ran: int, verdict: str, *body: str) -> LogReport:
    return report(*body, DASHES, f"Ran {ran} tests in 0.010s", "", verdict)


def test_a_green_run_wholly() -> None:
    found = report("...", DASHES, "Ran 3 tests in 0.000s", "", "OK (skipped=1)")
    summary = Summary("unittest", 3, "Ran 3 tests in 0.000s OK (skipped=1)", 2, 0, 0, 1, green=True)
    assert found == LogReport("unittest", 2, 0, 0, 1, True, True, (summary,), 5, False, ())


@pytest.mark.parametrize(
    ("ran", "verdict", "expected", "green"),
    [
        (5, "OK", (5, 0, 0, 0), True),
        (5, "OK (skipped=2, expected failures=1)", (2, 0, 0, 2), True),
        (5, "OK (expected failures=5)", (0, 0, 0, 0), False),
        (5, "OK (skipped=5)", (0, 0, 0, 5), False),
        (0, "OK", (0, 0, 0, 0), False),
        (0, "OK (skipped=1)", (0, 0, 0, 1), False),
        (0, "NO TESTS RAN", (0, 0, 0, 0), False),
        (0, "NO TESTS RAN (skipped=1)", (0, 0, 0, 1), False),
        (7, "FAILED (SKIP=1, failures=1)", (5, 1, 0, 1), False),
        (47, "FAILED (errors=1)", (46, 0, 1, 0), False),
        (9, "FAILED (failures=1, errors=2, skipped=3)", (3, 1, 2, 3), False),
        (4, "FAILED (unexpected successes=1)", (3, 0, 0, 0), False),
        (4, "OK (unexpected successes=1)", (3, 0, 0, 0), False),
        (4, "FAILED", (4, 0, 0, 0), False),
        (1, "FAILED (failures=3)", (0, 3, 0, 0), False),
        (3, "OK (failures=1)", (2, 1, 0, 0), False),
        (3, "OK (errors=1)", (2, 0, 1, 0), False),
    ],
)
def test_verdicts(ran: int, verdict: str, expected: tuple[int, ...], green: bool) -> None:
    found = run(ran, verdict)
    assert counts(found) == expected
    assert (found.green, found.complete) == (green, True)


def test_extras_and_reasons() -> None:
    found = run(9, "FAILED (failures=1, errors=2, expected failures=3, unexpected successes=2)").summaries[0]
    assert (found.xfailed, found.xpassed, found.reasons) == (3, 2, ("5 failed or broke",))
    assert run(0, "OK").summaries[0].reasons == ("no test passed",)


@pytest.mark.parametrize(
    "line",
    [
        "Ran 3 tests in 0.000s.",
        "Ran 3 test suites in 1s",
        "Ran 1234567890 tests in 0.1s",
        " Ran 3 tests in 0.1s",
        "Ran all test suites.",
    ],
)
def test_lines_that_close_nothing(line: str) -> None:
    found = report(line, "OK")
    assert (found.runner, found.green) == (None, None)


@pytest.mark.parametrize("line", ["Ran 1 test in 0.1s", "Ran 1 tests in 2s"])
def test_wordings_of_the_count(line: str) -> None:
    assert report(line, "OK").passed == 1


@pytest.mark.parametrize("verdict", ["OKAY", "OK (1)", "OK (skipped=x)", "OK (skipped=1, )", "FAIL", "ok", "OK ()"])
def test_words_that_are_no_verdict(verdict: str) -> None:
    found = run(3, verdict)
    assert (found.green, found.complete, found.summaries) == (False, False, ())
    assert found.reasons[0] == "line 2: the test run has no verdict"
    assert counts(found) == (0, 0, 0, 0)


def test_the_verdict_may_come_a_little_later() -> None:
    noise = [f"noise {number}" for number in range(40)]
    assert report("Ran 1 test in 0.1s", *noise[:39], "OK").green is True
    late = report("Ran 1 test in 0.1s", *noise, "OK")
    assert (late.green, late.summaries) == (False, ())


def test_a_second_count_before_the_verdict_leaves_the_first_run_open() -> None:
    found = report("Ran 1 test in 0.1s", "Ran 2 tests in 0.1s", "OK")
    assert (found.green, found.complete, found.passed) == (False, False, 2)
    assert found.reasons == ("line 1: the test run has no verdict",)


def test_a_step_ends_a_run() -> None:
    found = report("Ran 1 test in 0.1s", GROUP, "OK")
    assert (found.green, found.complete, found.runner) == (False, False, "unittest")


@pytest.mark.parametrize(
    "body",
    [
        (RULE, "FAIL: test_a (t.T.test_a)"),
        (RULE, "ERROR: test_a (t.T.test_a)"),
        ("..F",),
        ("E.",),
        ("test_a (t.T.test_a) ... FAIL",),
        ("test_a (t.T.test_a) ... ERROR",),
        ("test_a (t.T.test_a) ... unexpected success",),
    ],
)
def test_a_body_that_shows_a_failure_speaks_against_ok(body: tuple[str, ...]) -> None:
    found = run(3, "OK", *body)
    assert found.green is False
    assert found.summaries[0].reasons == (f"the verdict is OK, but line {len(body)} shows a failure",)
    assert run(3, "FAILED (failures=1)", *body).summaries[0].reasons == ("1 failed or broke",)


def test_the_first_failure_is_named() -> None:
    found = run(3, "OK", "F", "E", RULE, "FAIL: x")
    assert found.summaries[0].reasons == ("the verdict is OK, but line 1 shows a failure",)


@pytest.mark.parametrize(
    "body",
    [
        ("FAIL: test_a",),
        (RULE[1:], "FAIL: test_a"),
        (RULE, "noise", "FAIL: test_a"),
        (RULE, "FAILURE"),
        (".sxu",),
        ("F!",),
        ("Found something",),
        ("test_a ... ok",),
        ("test_a ... FAILED",),
    ],
)
def test_noise_does_not_speak_against_ok(body: tuple[str, ...]) -> None:
    assert run(3, "OK", *body).green is True


RAN_2 = (DASHES, "Ran 2 tests in 0.010s", "", "OK")


@pytest.mark.parametrize(
    "body",
    [
        ("..",),
        ("sx",),
        (".", "u"),
        ("a ... ok", "b ... expected failure"),
        ("a ... skipped 'no'", "b ... noise", "ok"),
        ("Found 2 test(s).",),
    ],
)
def test_two_runs_in_one_step_whose_results_are_all_there(body: tuple[str, ...]) -> None:
    found = report(*body, *RAN_2, *body, *RAN_2)
    assert (found.green, found.passed, found.complete) == (True, 4, True)


@pytest.mark.parametrize("body", [(), (".",), ("...",), ("a ... ok", "no result")])
def test_two_runs_in_one_step_whose_results_are_not_all_there(body: tuple[str, ...]) -> None:
    for lines in ((*body, *RAN_2, "..", *RAN_2), ("..", *RAN_2, *body, *RAN_2)):
        found = report(*lines)
        assert found.green is False
        assert found.summaries[1].reasons == (
            "several closings in one step, and the results shown do not account for each",
        )
        assert found.summaries[0].reasons == ()
        assert found.summaries[0].line < found.summaries[1].line


def test_two_runs_in_two_steps_need_no_results() -> None:
    assert report(*RAN_2, GROUP, *RAN_2).green is True
    assert report(*RAN_2, GROUP, *RAN_2, GROUP, "..", *RAN_2, "..", *RAN_2).passed == 8
    assert report(*RAN_2, GROUP, *RAN_2, GROUP, "..", *RAN_2, "..", *RAN_2).green is True


def test_failures_count_as_seen() -> None:
    red = ("a ... FAIL", "b ... ok", DASHES, "Ran 2 tests in 0.1s", "", "FAILED (failures=1)")
    assert report(*red, "..", *RAN_2).summaries[1].reasons == ()


@pytest.mark.parametrize(
    "first",
    ["Found 2 test(s).", "Creating test database for alias 'default'...", "Testing against Django installed in '/x'"],
)
def test_django(first: str) -> None:
    found = report(first, *RAN_2)
    assert (found.runner, found.green, found.passed) == ("django", True, 2)
    cut = report("x", first, "Traceback")
    assert (cut.runner, cut.green, cut.complete, counts(cut)) == ("django", False, False, (0, 0, 0, 0))
    assert cut.reasons[0] == "line 2: the test run has no verdict"


def test_django_names_its_first_line_where_it_began() -> None:
    cut = report("Found 2 test(s).", "Creating test database for alias 'default'...")
    assert cut.reasons[0] == "line 1: the test run has no verdict"
    cut = report("Found 2 test(s).", "Ran 2 tests in 0.1s")
    assert cut.reasons[0] == "line 2: the test run has no verdict"


@pytest.mark.parametrize(
    ("verdict", "found_tests", "green"),
    [
        ("OK", 2, True),
        ("OK", 3, False),
        ("OK", 1, False),
        ("OK (skipped=1)", 3, True),
        ("OK (skipped=1)", 2, True),
    ],
)
def test_django_runs_what_it_found(verdict: str, found_tests: int, green: bool) -> None:
    found = report(f"Found {found_tests} test(s).", "Ran 2 tests in 0.1s", verdict)
    assert found.green is green
    if not green:
        assert found.summaries[0].reasons == (f"{found_tests} tests were found, but 2 ran",)


@pytest.mark.parametrize("line", ["Found 2 tests.", "Found 2 test(s). x", "Found x test(s).", "Creating tables"])
def test_words_that_are_not_djangos(line: str) -> None:
    assert report(line).runner is None
    assert report(line, *RAN_2).runner == "unittest"


def test_nose_is_known_by_its_skips() -> None:
    assert run(3, "OK (SKIP=1)").runner == "nose"
    assert counts(run(3, "OK (SKIP=1)")) == (2, 0, 0, 1)


def django(found: int, ran: int = 4, late: int = 4, *more: str) -> LogReport:
    """Django's run with its own words on standard output at the end, as where that is no terminal."""
    first = "Creating test database for alias 'default'..."
    last = ("Destroying test database for alias 'default'...", f"Found {late} test(s).")
    return report(first, "." * found, DASHES, f"Ran {ran} tests in 0.004s", "", "OK", *last, *more)


def test_django_may_say_last_what_it_found() -> None:
    found = django(4)
    assert (found.green, found.complete, counts(found), found.runner) == (True, True, (4, 0, 0, 0), "django")


def test_django_may_not_find_more_than_it_ran() -> None:
    found = django(4, 4, 5)
    assert (found.green, found.complete) == (False, False)


def test_what_django_found_is_said_once_a_run() -> None:
    assert django(4, 4, 4, "Found 4 test(s).").complete is False
    assert django(4, 4, 4, GROUP, "Found 4 test(s).").complete is False
    assert report("....", "Ran 4 tests in 0.1s", "OK", "Found 4 test(s).").complete is False
    told = ("Found 4 test(s).", "....", DASHES, "Ran 4 tests in 0.1s", "", "OK")
    assert report(*told, "Found 4 test(s).").complete is False
