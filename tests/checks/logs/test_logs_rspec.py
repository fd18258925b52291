"""RSpec 2 and 3, rspec-retry, parallel_tests and SimpleCov, in their wording; the examples are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary
from checks.logs.rspec import RspecReader

GROUP = "##[group]Run bundle exec rspec"
FINISHED = "Finished in 0.02304 seconds (files took 0.11413 seconds to load)"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def run(totals: str, *body: str) -> tuple[str, ...]:
    return (*body, "", FINISHED, totals, "")


GREEN = run("3 examples, 0 failures", "...")


def test_a_green_run_wholly() -> None:
    found = report("..*", "", FINISHED, "3 examples, 0 failures, 1 pending")
    one = Summary("rspec", 4, "3 examples, 0 failures, 1 pending", 2, 0, 0, 1, green=True)
    assert found == LogReport("rspec", 2, 0, 0, 1, True, True, (one,), 4, False, ())


@pytest.mark.parametrize(
    ("totals", "expected", "green"),
    [
        ("7 examples, 2 failures, 3 pending", (2, 2, 0, 3), False),
        ("1 example, 1 failure", (0, 1, 0, 0), False),
        ("1 example, 0 failures", (1, 0, 0, 0), True),
        ("0 examples, 0 failures", (0, 0, 0, 0), False),
        ("2 examples, 0 failures, 2 pending", (0, 0, 0, 2), False),
        ("0 examples, 0 failures, 1 error occurred outside of examples", (0, 0, 1, 0), False),
        ("3 examples, 0 failures, 1 pending, 2 errors occurred outside of examples", (2, 0, 2, 1), False),
    ],
)
@pytest.mark.parametrize(
    "finished",
    [FINISHED, "Finished in 0.5 seconds", "Finished in 1 minute 2.5 seconds (files took 0.5 seconds to load)"],
)
def test_totals(totals: str, expected: tuple[int, ...], green: bool, finished: str) -> None:
    found = report("x", finished, totals)
    assert (counts(found), found.green, found.complete, found.runner) == (expected, green, True, "rspec")


def test_reasons() -> None:
    assert report(*run("2 examples, 1 failure")).reasons == ("line 3: 1 failed or broke",)
    assert report(*run("0 examples, 0 failures")).reasons == ("line 3: no test passed",)


@pytest.mark.parametrize(
    "line",
    [
        "3 examples, 0 failure, 0 error",
        " 3 examples, 0 failures",
        "3 examples, 0 failures, 1 skipped",
        "1234567890 examples, 0 failures",
        "3 examples, no failures",
    ],
)
def test_lines_that_are_no_totals(line: str) -> None:
    assert report(FINISHED, line).runner is None


def test_totals_stand_directly_below_the_time() -> None:
    assert report("3 examples, 0 failures").runner is None
    assert report(FINISHED, "", "3 examples, 0 failures").runner is None
    assert report("9 examples, 4 failures", *GREEN).passed == 3
    for finished in ("Finished in time", "Finished in 0.02 seconds (0.00s async)", "Finished in 0.02s"):
        assert report(finished, "3 examples, 0 failures").runner is None


def test_an_example_that_ends_the_process_has_no_letter() -> None:
    found = report(*run("2 examples, 0 failures", "."))
    assert found.reasons == ("line 4: 2 examples are summed up, but only 1 of them ended",)
    assert report(*run("2 examples, 0 failures")).green is True
    assert report(*run("2 examples, 0 failures", ".", "*")).green is True


def test_a_letter_that_the_totals_deny() -> None:
    found = report(*run("3 examples, 0 failures", ".F", "F"))
    assert found.reasons == ("line 5: the summary names no failure, but 2 letters F were printed",)
    assert report(*run("3 examples, 1 failure", "..F")).reasons == ("line 4: 1 failed or broke",)
    broke = report(*run("3 examples, 0 failures, 1 error occurred outside of examples", "..F"))
    assert broke.reasons == ("line 4: 1 failed or broke",)


@pytest.mark.parametrize("body", [(".prints", "."), ("*.prints", "F"), ("." * 4000, "F"), ("F.prints", ".")])
def test_output_between_the_letters_hides_some(body: tuple[str, ...]) -> None:
    assert report(*run("6 examples, 0 failures", *body)).green is True


@pytest.mark.parametrize("body", ["Foo.", "Failures:", "x...", "Finished"])
def test_words_are_no_letters(body: str) -> None:
    assert report(*run("2 examples, 0 failures", body, "..")).green is True
    assert report(*run("2 examples, 0 failures", body, ".")).green is False


@pytest.mark.parametrize("words", ["include {:focus=>true}", "exclude {:slow=>true}"])
@pytest.mark.parametrize("end", ["", GROUP])
def test_a_run_that_names_its_options_must_close(words: str, end: str) -> None:
    options = f"Run options: {words}"
    assert report(options, *GREEN).green is True
    found = report("x", options, options, ".", end)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == "line 2: the run of RSpec has no summary"
    assert report("Run options: --seed 1", ".").reasons[0] != found.reasons[0]


DOUBT = "several summaries in one step, and the letters of the examples do not account for each"


def test_several_runs_in_one_step() -> None:
    found = report(*GREEN, *GREEN)
    assert (found.green, found.passed) == (True, 6)
    for lines in ((*GREEN, *GREEN[1:]), (*GREEN[1:], *GREEN)):
        found = report(*lines)
        assert (found.green, found.summaries[1].reasons, found.summaries[0].green) == (False, (DOUBT,), True)
    assert report(*GREEN[1:], GROUP, *GREEN[1:]).green is True
    red = run("1 example, 1 failure", "F")
    assert [one.green for one in report(*red, *GREEN).summaries] == [False, True]


def test_processes_side_by_side() -> None:
    head = "2 processes for 3 specs, ~ 1 spec per process"
    lines = (head, ".....", "", FINISHED, "3 examples, 0 failures", FINISHED, "2 examples, 0 failures")
    found = report(*lines, "", "5 examples, 0 failures", "", "Took 0 seconds")
    assert (found.passed, found.green) == (5, True)
    assert report("1 process for 1 spec, ~ 1 spec per process", *GREEN[1:], *GREEN[1:]).green is True
    assert report(head, GROUP, *GREEN[1:], *GREEN[1:]).green is False


def test_retried_examples_are_flaky_if_they_did_not_fail() -> None:
    retries = ("RSpec::Retry: 2nd try ./spec/a_spec.rb:4", "RSpec::Retry: 3rd try ./spec/a_spec.rb:4")
    other = "RSpec::Retry: 2nd try ./spec/a_spec.rb:9"
    assert report(*retries, other, *GREEN).summaries[0].flaky == 2
    assert report(*retries, other, *run("3 examples, 1 failure", "..F")).summaries[0].flaky == 1
    assert report(*retries, *run("3 examples, 2 failures", ".FF")).summaries[0].flaky == 0
    assert report(*retries, *GREEN, *GREEN).summaries[1].flaky == 0


def test_missed_coverage() -> None:
    line = "SimpleCov failed with exit 2 due to a coverage related error"
    assert report(*GREEN, line).reasons == ("line 6: the required test coverage was not reached",)
    assert report(*GREEN, "SimpleCov failed with exit 0").green is True


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = RspecReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in ("." * 1_000_000, "F" * 1_000_000, "1 examples, " * 90_000, "Finished in 1" * 80_000):
        assert report(line, *GREEN[1:]).passed == 3
