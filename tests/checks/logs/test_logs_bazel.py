"""Bazel: closing lines of runs, targets from the cache, and logs of runs that really were (real/bazel/make.sh)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport

LOGS = Path(__file__).parent / "real/bazel"
PASSED = "//shop:cart_test                                          PASSED in 0.1s"


def rows() -> list[dict[str, str]]:
    with (LOGS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["name"])
def test_targets_are_counted_as_bazel_s_own_events_tell(row: dict[str, str]) -> None:
    """`shown` are tests that pytest's output within bazel's counts beside the targets."""
    found = parse_log((LOGS / f"{row['name']}.log").read_bytes())
    (bazel,) = (one for one in found.summaries if one.runner == "bazel")
    counts = (bazel.passed, bazel.failed, bazel.errors, bazel.flaky)
    assert counts == tuple(int(row[key]) for key in ("passed", "failed", "errors", "flaky"))
    assert (found.passed or 0) - (bazel.passed or 0) == int(row["shown"])
    assert bazel.cached is (row["cached"] != "0")
    assert (found.green is True) is (row["green"] == "yes"), found.reasons


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode())


def executed(words: str) -> LogReport:
    return report(PASSED, "", f"Executed {words}.")


@pytest.mark.parametrize(
    ("words", "counts", "green"),
    [
        ("1 out of 1 test: 1 test passes", (1, 0, 0, 0), True),
        ("3 out of 3 tests: 3 tests pass", (3, 0, 0, 0), True),
        ("3 out of 3 tests: 2 tests pass and 1 fails remotely", (2, 1, 0, 0), False),
        ("9 out of 9 tests: 5 tests pass, 2 fail locally and 2 fail remotely", (5, 4, 0, 0), False),
        ("2 out of 5 tests: 2 tests pass, 2 fail to build and 1 was skipped", (2, 0, 2, 1), False),
        ("2 out of 4 tests: 2 tests pass and 2 were skipped", (2, 0, 0, 2), True),
        ("0 out of 2 tests: 2 were skipped", (0, 0, 0, 2), False),
        ("2 out of 3 tests: 2 tests pass and 1 in a way that is not known", (2, 0, 1, 0), False),
    ],
)
def test_closing_lines(words: str, counts: tuple[int, ...], green: bool) -> None:
    found = executed(words)
    assert (found.passed, found.failed, found.errors, found.skipped) == counts
    assert (found.green, found.complete, found.runner) == (green, True, "bazel")


def test_what_comes_from_the_cache_is_no_fresh_run() -> None:
    found = executed("1 out of 3 tests: 3 tests pass")
    assert found.reasons == ("line 3: results of 2 targets are from the cache, not of a fresh run",)
    assert (found.green, found.summaries[0].cached) == (False, True)


def test_no_test_target_at_all() -> None:
    found = report("ERROR: No test targets were found, yet testing was requested")
    assert (found.green, found.passed, found.errors) == (False, 0, 0)


def test_a_run_that_never_closed() -> None:
    found = report(PASSED, "##[group]Run echo done")
    assert (found.green, found.complete, found.runner) == (False, False, "bazel")
    assert found.reasons[0] == "line 1: the run has no closing line"
    assert report(PASSED, "Executed 1 out of 1 test: 1 test passes.", "##[group]Run echo done").green is True


@pytest.mark.parametrize(
    "line", ["//shop:cart_test", "see //shop:cart_test  PASSED", "Executed the plan", " Executed 1 out of 1 test: x"]
)
def test_lines_that_say_nothing(line: str) -> None:
    assert report(line).runner is None


def test_two_runs() -> None:
    found = report("Executed 1 out of 1 test: 1 test passes.", "Executed 1 out of 1 test: 1 fails locally.")
    assert (found.passed, found.failed, found.green) == (1, 1, False)


def test_a_flaky_target_of_one_run_is_none_of_the_next() -> None:
    flaky = "//shop:cart_test       FLAKY, failed in 1 out of 2 in 0.1s"
    found = report(flaky, "Executed 1 out of 1 test: 1 test passes.", "Executed 1 out of 1 test: 1 test passes.")
    assert [one.flaky for one in found.summaries] == [1, 0]
