"""Logs of runners that were really run (see real/javascript/make.py), with the counts of the runners' own reports."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest
import re2

from checks.logs.ava import AvaReader
from checks.logs.bun import BunReader
from checks.logs.coverage_bar import CoverageBarReader
from checks.logs.cypress import CypressReader
from checks.logs.decode import TextBlocks
from checks.logs.deno import DenoReader
from checks.logs.jasmine import JasmineReader
from checks.logs.karma import KarmaReader
from checks.logs.lab import LabReader
from checks.logs.mocha import MochaReader
from checks.logs.mocha_json import MochaJsonReader
from checks.logs.node_test import NodeTestReader
from checks.logs.parse import parse_log
from checks.logs.playwright import PlaywrightReader
from checks.logs.prefixes import pieces
from checks.logs.report import Reader, Reading
from checks.logs.vitest import VitestReader

LOGS = Path(__file__).parent / "real/javascript"
READERS: tuple[type[Reader], ...] = (
    AvaReader,
    BunReader,
    CoverageBarReader,
    CypressReader,
    DenoReader,
    JasmineReader,
    KarmaReader,
    LabReader,
    MochaReader,
    MochaJsonReader,
    NodeTestReader,
    PlaywrightReader,
    VitestReader,
)


def rows() -> list[dict[str, str]]:
    with (LOGS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def by_name(row: dict[str, str]) -> str:
    return row["name"]


def data_of(row: dict[str, str]) -> bytes:
    return (LOGS / f"{row['name']}.log").read_bytes()


@pytest.mark.parametrize("row", rows(), ids=by_name)
def test_counts_and_verdict_are_those_of_the_runner(row: dict[str, str]) -> None:
    found = parse_log(data_of(row))
    counts = (found.passed, found.failed, found.errors, found.skipped)
    told = tuple(int(row[key]) if row[key] else None for key in ("passed", "failed", "errors", "skipped"))
    assert counts == told, found.reasons
    assert (found.green is True) is (row["green"] == "yes"), found.reasons


@pytest.mark.parametrize("row", [row for row in rows() if row["exit"] != "0"], ids=by_name)
def test_a_run_that_failed_is_never_green_although_no_exit_code_is_in_its_log(row: dict[str, str]) -> None:
    assert parse_log(data_of(row)).green is False


def test_every_log_is_in_the_index_and_small() -> None:
    assert {path.stem for path in LOGS.glob("*.log")} == {row["name"] for row in rows()}
    assert all(path.stat().st_size < 60_000 for path in LOGS.glob("*.log"))


def read(family: type[Reader], lines: list[tuple[int, str]]) -> Reading:
    reader = family()
    for number, line in lines:
        reader.feed(number, line)
    reader.boundary()
    return reader.finish()


def lines_of(data: bytes) -> list[tuple[int, str]]:
    text = "".join(TextBlocks([data]))
    return [(index, line) for index, raw in enumerate(text.split("\n"), 1) for _, line in pieces(raw) if line]


@pytest.mark.parametrize("family", READERS, ids=lambda family: family.__name__)
def test_a_reader_may_be_given_any_line(family: type[Reader]) -> None:
    """Two readers ask for the line after some, so what they find in all lines is at most more."""
    for row in rows():
        lines = lines_of(data_of(row))
        asked = re2.compile(sys.modules[family.__module__].INTEREST).search
        found = read(family, lines)
        assert len(read(family, [line for line in lines if asked(line[1])]).summaries) <= len(found.summaries)


@pytest.mark.parametrize("family", READERS, ids=lambda family: family.__name__)
def test_readers_ask_for_few_lines(family: type[Reader]) -> None:
    asked = re2.compile(sys.modules[family.__module__].INTEREST).search
    prose = ("", "npm warn deprecated x@1.0.0", "> x@1.0.0 test", "added 245 packages in 7s", "  indented", "PASS a.js")
    assert not any(map(asked, prose))


@pytest.mark.parametrize("row", [row for row in rows() if row["green"] == "yes"], ids=by_name)
def test_a_green_log_that_is_cut_is_never_green_with_the_same_counts(row: dict[str, str]) -> None:
    """Cut before its last closing line, what is left must not pass for the whole run."""
    data = data_of(row)
    whole = parse_log(data)
    last = max(summary.line for summary in whole.summaries if summary.counted and summary.green)
    found = parse_log(b"\n".join(data.split(b"\n")[: last - 1]) + b"\n")
    assert (found.green, found.passed) != (True, whole.passed)


def repeated(start: str, again: str, end: str = "") -> str:
    return start + again * (1_000_000 // len(again)) + end


# Beginnings of lines that the patterns know, each followed by a lot of what they repeat.
HOSTILE = (
    repeated(" Test Files  ", "1 passed | ", "1 failed (2)"),
    repeated("      Tests  ", "1 ", "(2)"),
    repeated(" RUN  v", "1."),
    repeated(" ✓ ", "(retry x", "1)"),
    repeated("⎯ Failed Tests ", "1"),
    repeated("  1 passing (", "1.", "s)"),
    repeated("> ", "mocha ", "&& lab"),
    repeated("$ ", "./", "mocha"),
    repeated('["end",{', '"passes":1,', "}]"),
    repeated('<testsuite name="Mocha Tests" tests="', "1"),
    repeated("<testcase ", "<skipped/></testcase>"),
    repeated("✔ ", "a (1.5ms) ", "(1.5ms)"),
    repeated("# Subtest: ", "a.js"),
    repeated("  duration_ms: ", "1"),
    repeated("  ✔ ", "[expected fail] "),
    repeated("Executed 1 of 1 specs", " (1 FAILED)", "."),
    repeated("", ".F*"),
    repeated("", "Chrome: Executed 1 of 1 ", "SUCCESS (1 secs / 1 secs)"),
    repeated("Finished in ", "1 / ", "@ "),
    repeated("1 of 2 tests failed", " (1 skipped)"),
    repeated("Running ", "1", " tests using 1 worker"),
    repeated("  1 passed (", "1", "s)"),
    repeated("  │ ✔ ", " 1", " │"),
    repeated("    ✔  All specs passed! ", " -"),
    repeated('Test filter "', '" had ', "no matches"),
    repeated("ok | 1 passed", " | 0 failed", " (1ms)"),
    repeated("Uncaught error from ", "FAILED "),
    repeated("Coverage for lines (1%) does not meet ", "global "),
)


def test_lines_of_a_megabyte_are_read_and_prove_nothing() -> None:
    found = parse_log("\n".join(HOSTILE).encode())
    assert found.green is not True
    assert found.lines == len(HOSTILE)


@pytest.mark.untraced
@pytest.mark.parametrize("family", READERS, ids=lambda family: family.__name__)
def test_readers_do_not_raise_on_long_lines(family: type[Reader]) -> None:
    assert len(read(family, list(enumerate(HOSTILE, 1))).summaries) <= len(HOSTILE)
