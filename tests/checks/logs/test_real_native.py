"""Logs of runners that were really run (see real/native/make.py), with the counts of the runners' own reports."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import re2

from checks.logs import bats, cargo, catch2, ctest, doctest, exunit, googletest, gotestsum, nextest, swift, tap
from checks.logs.decode import TextBlocks
from checks.logs.parse import parse_log
from checks.logs.prefixes import pieces
from checks.logs.report import Reader, Reading

LOGS = Path(__file__).parent / "real/native"
READERS: dict[type[Reader], str] = {
    bats.BatsReader: bats.INTEREST,
    cargo.CargoReader: cargo.INTEREST,
    catch2.Catch2Reader: catch2.INTEREST,
    ctest.CtestReader: ctest.INTEREST,
    doctest.DoctestReader: doctest.INTEREST,
    exunit.ExunitReader: exunit.INTEREST,
    googletest.GoogletestReader: googletest.INTEREST,
    gotestsum.GotestsumReader: gotestsum.INTEREST,
    nextest.NextestReader: nextest.INTEREST,
    swift.SwiftReader: swift.INTEREST,
    tap.TapReader: tap.INTEREST,
}


def rows() -> list[dict[str, str]]:
    with (LOGS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["name"])
def test_counts_and_verdict_are_those_of_the_runner(row: dict[str, str]) -> None:
    found = parse_log((LOGS / f"{row['name']}.log").read_bytes())
    counts = (found.passed, found.failed, found.errors, found.skipped)
    assert counts == tuple(int(row[key]) for key in ("passed", "failed", "errors", "skipped")), found.reasons
    assert (found.green is True) is (row["green"] == "yes"), found.reasons


def test_every_log_is_in_the_index_and_small() -> None:
    assert {path.stem for path in LOGS.glob("*.log")} == {row["name"] for row in rows()}
    assert all(path.stat().st_size < 60_000 for path in LOGS.glob("*.log"))


def read(family: type[Reader], lines: list[tuple[int, str]]) -> Reading:
    reader = family()
    for number, line in lines:
        reader.feed(number, line)
    reader.boundary()
    return reader.finish()


def lines_of(name: str) -> list[tuple[int, str]]:
    text = "".join(TextBlocks([(LOGS / f"{name}.log").read_bytes()]))
    return [(index, line) for index, raw in enumerate(text.split("\n"), 1) for _, line in pieces(raw) if line]


@pytest.mark.parametrize("family", READERS, ids=lambda family: family.__name__)
def test_readers_find_the_same_in_the_lines_that_they_ask_for(family: type[Reader]) -> None:
    wants = re2.compile(READERS[family]).search
    for row in rows():
        lines = lines_of(row["name"])
        assert read(family, [line for line in lines if wants(line[1])]) == read(family, lines), row["name"]


@pytest.mark.parametrize("family", READERS, ids=lambda family: family.__name__)
def test_readers_ask_for_few_lines(family: type[Reader]) -> None:
    wants = re2.compile(READERS[family]).search
    prose = ("", "Downloading crates ...", "make: nothing to be done", "2026-11-01 12:00:00 INFO ready", "  indented")
    assert not any(map(wants, prose))


@pytest.mark.parametrize("row", [row for row in rows() if row["green"] == "yes"], ids=lambda row: row["name"])
def test_a_green_log_that_is_cut_is_never_green_with_the_same_counts(row: dict[str, str]) -> None:
    """Cut before its last closing line, what is left must not pass for the whole run."""
    data = (LOGS / f"{row['name']}.log").read_bytes()
    whole = parse_log(data)
    last = max(summary.line for summary in whole.summaries if summary.counted and summary.green)
    found = parse_log(b"\n".join(data.split(b"\n")[: last - 1]) + b"\n")
    assert (found.green, found.passed) != (True, whole.passed)


# Beginnings of lines that the patterns know, each followed by a lot of what they repeat.
HOSTILE = (
    "test " + "a ... " * 200_000,
    "running " + "1" * 1_000_000 + " tests",
    "test result: ok. " + "1 passed; " * 100_000,
    "error: could not compile `" + "a" * 1_000_000,
    "  Executable " + "(a) " * 250_000,
    "     Summary [   0.1s] 1 tests run: 1 passed (" + "1 flaky, " * 100_000,
    "    Starting " + "1" * 1_000_000,
    "1/1 Test #1: " + "." * 1_000_000,
    "1/1 Test #1: " + "***" * 300_000 + " sec",
    "100% tests passed, " + "1" * 1_000_000,
    "[  FAILED  ] a" + ", where " * 120_000,
    "[==========] " + "1" * 1_000_000 + " tests from ",
    "a[       OK ] " * 70_000,
    "test cases: " + "1 | " * 250_000,
    "a is a Catch2 v" + "1." * 500_000,
    "[doctest] test cases: " + "1 | " * 250_000,
    "1 test, " * 120_000 + "0 failures",
    "Result: 1 passed" + ", 1 excluded" * 80_000,
    " - a" + " (skipped: " * 90_000 + ")",
    "2 tests, 0 failures" + ", 1 skipped" * 90_000,
    "ok 1 " + "# " * 500_000 + "skip",
    "not ok " + "#" * 1_000_000,
    "1.." + "1" * 1_000_000,
    "a" + ".t .." * 200_000,
    "(Wstat: 1" + " Failed: 1" * 100_000 + ")",
    "=== FAIL: " + "(re-run 1) " * 90_000,
    "DONE 1 tests" + ", 1 skipped" * 90_000,
    "Test Case '" + "' passed (" * 100_000,
    "Test Suite '" + "' started at " * 80_000,
    "x Test " + "failed after 1 seconds with 1 issue " * 30_000,
    "error: " + "exited with signal code " * 40_000,
)


def test_lines_of_a_megabyte_are_read_and_prove_nothing() -> None:
    assert min(len(line) for line in HOSTILE) > 700_000
    found = parse_log("\n".join(HOSTILE).encode())
    assert found.green is not True
    assert found.lines == len(HOSTILE)


@pytest.mark.parametrize("family", READERS, ids=lambda family: family.__name__)
def test_readers_do_not_raise_on_long_lines(family: type[Reader]) -> None:
    reading = read(family, list(enumerate(HOSTILE, 1)))
    assert not any(summary.green for summary in reading.summaries)
