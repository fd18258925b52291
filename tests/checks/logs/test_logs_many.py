"""Lines that only count are read many at a time, and come to the same as one by one."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.logs import parse, walk
from checks.logs.cargo import CargoReader
from checks.logs.go import GoReader
from checks.logs.gotestsum import GotestsumReader
from checks.logs.mocha import MochaReader
from checks.logs.parse import parse_log
from checks.logs.pytest import PytestReader
from checks.logs.report import Counter, LogReport
from checks.logs.tap import TapReader
from checks.logs.unittest import UnittestReader

STAMP = "2026-11-29T10:05:07.1234567Z "
NEVER = 10**9

PYTEST = (
    *("tests/test_a.py::test_x PASSED [ 50%]", "tests/a.py::T::test_y[a b-1] PASSED   [  7%]"),
    *("tests/a.py::t FAILED [ 50%]", "tests/a.py::t SKIPPED (why) [ 50%]", "tests/a.py::t PASSED [100%]"),
    *("=== test session starts ===", "collected 2 items", "=== 2 passed in 0.10s ===", "2 passed in 0.10s"),
    *("Results (0.03s):", "       2 passed", "Test session starts (platform: linux, Python 3)"),
    *("tests/a.py::Fatal Python error: x PASSED [ 50%]", "=== short test summary info ==="),
)
GO = (
    *("=== RUN   TestA", "--- PASS: TestA (0.00s)", "=== RUN   TestB", "--- PASS: TestB (1.25s)"),
    *("--- FAIL: TestB (0.00s)", "=== RUN   TestA/sub", "    --- PASS: TestA/sub (0.00s)", "PASS", "FAIL"),
    *("ok  \tex/p\t0.5s", "FAIL\tex/p\t0.5s", "DONE 2 tests in 0.5s", "=== FAIL: p TestA (0.00s)"),
)
TAP = (
    *("TAP version 13", "1..3", "ok 1 - adds", "ok 2 - adds", "ok 3 - adds", "ok 4", "ok 5 - a # SKIP", "not ok 4 - b"),
    *(
        "ok",
        "    not ok 1 - inner",
        "  ---",
        "  ...",
        "# pass 3",
        "t/a.t .. ok",
        "All tests successful.",
        "Result: PASS",
    ),
    *("Files=1, Tests=3,  0 wallclock secs", "Bail out!"),
)
MOCHA = (
    "    ✓ adds",
    "      ✔ adds (2ms)",
    "  ✓ adds",
    "  1) adds",
    "  2 passing (5ms)",
    "  1 failing",
    "> mocha",
    "       deep",
)
CARGO = (
    *("running 3 tests", "test a::b ... ok", "test c ... ok", "test d ... FAILED", "test e ... ignored"),
    *("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out", "error: test failed, to rerun"),
)
UNITTEST = (
    *(
        "test_a (t.T.test_a) ... ok",
        "test_b (t.T) ... ok",
        "test_c (t.T) ... FAIL",
        "Ran 2 tests in 0.1s",
        "OK",
        "-" * 70,
    ),
    *("Found 2 test(s).", "FAILED (failures=1)", "=" * 70, "..F"),
)
OTHERS = ("noise", "", "##[group]Run make", "##[error]Process completed with exit code 1.", "web_1  | ok 1 - a")


def _both(text: str) -> tuple[LogReport, LogReport]:
    """One by one, and many at a time as soon as that is possible."""
    reports = []
    for patience in (NEVER, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(walk, "PATIENCE", patience)
            reports.append(parse_log(text.encode()))
    return reports[0], reports[1]


def _logs() -> st.SearchStrategy[str]:
    plain = st.sampled_from([PYTEST[:2], GO[:4], TAP[2:6], MOCHA[:2], CARGO[1:3], UNITTEST[:2]]).flatmap(
        lambda lines: st.lists(st.sampled_from(lines), min_size=2, max_size=6)
    )
    any_of = st.sampled_from((*PYTEST, *GO, *TAP, *MOCHA, *CARGO, *UNITTEST, *OTHERS)).map(lambda line: [line])
    parts = st.lists(plain | any_of, max_size=14).map(lambda parts: [line for part in parts for line in part])
    return st.builds(
        lambda lines, stamps: "\n".join(f"{stamp}{line}" for line, stamp in zip(lines, stamps, strict=False)) + "\n",
        parts,
        st.lists(st.sampled_from(("", STAMP)), min_size=90, max_size=90) | st.just([""] * 90) | st.just([STAMP] * 90),
    )


@settings(max_examples=300 if not os.environ.get("MERGEGATE_SOAK") else 30_000, deadline=None)
@given(_logs())
def test_many_at_a_time_come_to_the_same_as_one_by_one(text: str) -> None:
    one_by_one, many = _both(text)
    assert one_by_one == many


TURNS = {
    "pytest-sugar's results are not its last words": [
        *("Test session starts (platform: linux, Python 3)", *[PYTEST[0]] * 20, "Results (0.03s):", *[PYTEST[0]] * 20)
    ],
    "unittest's verdict never comes": [*[UNITTEST[0]] * 20, "Ran 20 tests in 0.1s", *[UNITTEST[0]] * 60, "OK"],
    "unittest's verdict comes late": [*[UNITTEST[0]] * 20, "Ran 20 tests in 0.1s", *[UNITTEST[0]] * 30, "OK"],
    "a subtest of TAP failed": [
        *(*[f"ok {number}" for number in range(1, 20)], "    not ok 1 - inner", *["ok 20", "ok 21", "ok 22"], "1..22")
    ],
    "numbers of TAP are not in order": [*(f"ok {number}" for number in (*range(1, 30), *range(40, 50))), "1..39"],
    "TAP begins anew": [*(f"ok {number}" for number in (*range(1, 30), *range(1, 30))), "1..29"],
    "TAP of which the beginning is missing": [f"ok {number} - adds" for number in range(7, 40)],
    "cargo's words within nextest": ["    Starting 2 tests across 1 binary", *[CARGO[1]] * 30, "running 1 test"],
    "results of go without a start": [*[GO[1]] * 30, "ok  \tex/p\t0.5s"],
}


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("stamp", ["", STAMP], ids=["plain", "stamped"])
def test_what_comes_in_between_is_seen(name: str, stamp: str) -> None:
    one_by_one, many = _both("".join(f"{stamp}{line}\n" for line in TURNS[name]))
    assert one_by_one == many


COUNTED: dict[str, tuple[str, list[str], str, Any, int]] = {
    "pytest": ("== test session starts ==", [PYTEST[0]] * 50, "===== 50 passed in 1.00s =====", PytestReader, 50),
    "pytest, stamped": (
        STAMP + "== test session starts ==",
        [STAMP + PYTEST[1]] * 50,
        STAMP + "===== 50 passed in 1.00s =====",
        PytestReader,
        50,
    ),
    "go": ("", list(GO[:4]) * 15, "ok  \tex/p\t0.5s", GotestsumReader, 30),
    "TAP": ("TAP version 13", [f"ok {number} - adds" for number in range(1, 51)], "1..50", TapReader, 50),
    "cargo": ("running 50 tests", [CARGO[1]] * 50, CARGO[5].replace("3", "50"), CargoReader, 50),
    "unittest": ("", [UNITTEST[0]] * 50, "Ran 50 tests in 0.1s\nOK", UnittestReader, 50),
    "mocha": ("> mocha", [MOCHA[0]] * 50, "  50 passing (5ms)", MochaReader, 50),
}


@pytest.mark.parametrize("name", COUNTED)
def test_runs_are_given_to_their_reader_at_once(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    first, lines, last, reader, passed = COUNTED[name]
    given: list[int] = []
    many = reader.many

    def noted(self: Counter, number: int, text: bytes, count: int) -> None:
        given.append(count)
        many(self, number, text, count)

    monkeypatch.setattr(reader, "many", noted)
    report = parse_log("\n".join([first, *lines, last, ""]).encode())
    assert (report.passed, report.green, report.lines) == (passed, True, len(lines) + 2 + last.count("\n"))
    assert sum(given) >= len(lines) - walk.PATIENCE - 2


def test_lines_that_somebody_else_wants_too_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(PytestReader, "many", never)
    log = "\n".join([*[PYTEST[0]] * 40, "tests/a.py::test[ Timeout ++++++++++ ok 1 - x] PASSED [ 50%]", ""])
    monkeypatch.setattr(parse, "_READERS", (PytestReader, _Jealous))
    assert parse_log(log.encode()).lines == 41


class _Jealous(MochaReader):
    """Wants the very lines of pytest."""


_Jealous.__module__ = __name__
INTEREST = r"PASSED +\[ *\d+%\]$"


@pytest.mark.parametrize(
    "reader", [PytestReader, GoReader, GotestsumReader, TapReader, MochaReader, CargoReader, UnittestReader]
)
@pytest.mark.parametrize(
    "line", ["a\tb", "ok 1 - a\rb", "x ok 1", "[gw0] [ 12%] PASSED tests/a.py::b", "ok 1 - a # TODO"]
)
def test_what_is_not_wholly_plain_is_not_called_so(reader: type[Counter], line: str) -> None:
    import re2

    assert not re2.fullmatch(reader.PLAIN, line)
