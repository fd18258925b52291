"""Any bytes are read without an error, and no cut makes a log greener than it is."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.logs.parse import parse_log
from checks.logs.split import Step, split

HEADER = "=== test session starts ==="
WORDS = (
    HEADER,
    "=== 2 passed in 0.1s ===",
    "=== 1 failed, 1 passed in 0.1s ===",
    "2 passed in 0.1s",
    "..F   [100%]",
    "..    [ 50%]",
    "collected 2 items",
    "test_a.py::b PASSED [ 10%]",
    "test_a.py .F",
    "[gw0] [ 50%] PASSED a",
    "!!! KeyboardInterrupt !!!",
    "=== short test summary info ===",
    "FAILED a",
    "SKIPPED [2] a",
    "===== ERRORS =====",
    "Ran 2 tests in 0.1s",
    "OK",
    "OK (skipped=1)",
    "FAILED (failures=1)",
    "Found 2 test(s).",
    "a ... ok",
    "=" * 70,
    "FAIL: a",
    "=== RUN   TestA",
    "--- PASS: TestA (0.00s)",
    "--- FAIL: TestA (0.00s)",
    "ok  \tp\t0.1s",
    "ok  \tp\t(cached)",
    "FAIL\tp\t0.1s",
    "FAIL",
    '{"Action":"run","Package":"p","Test":"T"}',
    '{"Action":"pass","Package":"p"}',
    "Test Suites: 1 passed, 1 total",
    "Tests:       2 passed, 2 total",
    "Time:        1 s",
    "PASS a.js",
    "● Test suite failed to run",
    "##[group]Run x",
    "##[error]Process completed with exit code 1.",
    "exit code: 1",
    "Fatal Python error: x",
    "\r",
    "\x1b[1A",
    "",
)
LINES = st.lists(st.sampled_from(WORDS) | st.text(max_size=20), max_size=25)

GREEN = {
    "pytest": (HEADER, "collected 3 items", "test_a.py ..s   [100%]", "", "=== 2 passed, 1 skipped in 0.1s ==="),
    "pytest -q": ("..s   [100%]", "2 passed, 1 skipped in 0.1s"),
    "unittest": ("a ... ok", "b ... skipped 'x'", "-" * 70, "Ran 2 tests in 0.1s", "", "OK (skipped=1)"),
    "django": ("Found 2 test(s).", "..", "-" * 70, "Ran 2 tests in 0.1s", "", "OK"),
    "jest": (
        "PASS a.js",
        "Test Suites: 1 passed, 1 total",
        "Tests: 2 passed, 2 total",
        "Snapshots: 0 total",
        "Time: 1 s",
    ),
    "go -v": ("=== RUN   TestA", "--- PASS: TestA (0.00s)", "PASS", "ok  \tp\t0.1s"),
    "go -json": (
        '{"Action":"run","Package":"p","Test":"T"}',
        '{"Action":"pass","Package":"p","Test":"T"}',
        '{"Action":"pass","Package":"p"}',
    ),
}


@given(st.binary(max_size=2000))
def test_any_bytes_are_read(data: bytes) -> None:
    report = parse_log(data)
    assert report.green is None or report.lines > 0


@given(LINES)
@settings(max_examples=150, deadline=None)
def test_what_green_promises(lines: list[str]) -> None:
    report = parse_log("\n".join(lines).encode())
    if report.green:
        assert report.complete and report.passed and not report.failed and not report.errors
        assert not report.reasons and report.runner
        assert all(summary.green is not False for summary in report.summaries)
        assert any(summary.green for summary in report.summaries)
    if report.green is False:
        assert report.reasons
    assert all(1 <= summary.line <= report.lines for summary in report.summaries)


@given(LINES, LINES)
@settings(max_examples=100, deadline=None)
def test_a_failing_command_spoils_any_log(before: list[str], after: list[str]) -> None:
    lines = [*before, "", "##[error]Process completed with exit code 1.", *after]
    assert parse_log("\n".join(lines).encode()).green is False


@pytest.mark.parametrize("name", GREEN)
def test_a_log_cut_before_its_closing_line_is_not_green(name: str) -> None:
    lines = GREEN[name]
    whole = parse_log("\n".join(lines).encode())
    assert whole.green is True
    for length in range(len(lines)):
        cut = parse_log("\n".join(lines[:length]).encode())
        assert cut.green is not True
        assert not cut.complete


@pytest.mark.parametrize("name", GREEN)
@given(noise=st.lists(st.text(string.ascii_letters + " .:-", max_size=30), min_size=1, max_size=8))
@settings(max_examples=15, deadline=None)
def test_a_cut_among_later_lines_keeps_the_counts(name: str, noise: list[str]) -> None:
    lines = GREEN[name]
    whole = parse_log("\n".join(lines).encode())
    for length in range(len(noise) + 1):
        cut = parse_log("\n".join([*lines, *noise[:length]]).encode())
        assert cut.green is not True or (cut.passed, cut.skipped) == (whole.passed, whole.skipped)


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"2026-11-29T10:00:01.0000001Z ##[group]Run x\n"]), max_size=20))
def test_parts_are_the_whole_log(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    parts = split(data, [Step(number, "s", None, None) for number in range(3)])
    assert b"".join(part.data for part in parts) == data


HOSTILE = {
    "one line": b"a" * 10_000_000,
    "colours": b"\x1b[31m" * 1_000_000,
    "open sequences": b"\x1b[1;" * 1_000_000,
    "open links": b"\x1b]" * 1_000_000,
    "cursor moves": b"\x1b[1Ga" * 40_000,
    "nulls": b"\0" * 10_000_000,
    "rules": b"=" * 10_000_000,
    "counts": b"1 passed, " * 1_000_000,
    "deep json": b'{"Action":' + b"[" * 5_000_000,
    "progress": b"." * 5_000_000 + b" [100%]",
    "rewrites": b"a\r" * 40_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_logs_are_read_in_linear_time(name: str) -> None:
    """Linear reading of these sizes takes about a second; quadratic reading would not come back for hours."""
    assert parse_log(HOSTILE[name]).green is not True
