from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from unittest.mock import patch

import pytest

import checks.logs.parse
from checks.logs.decode import TextBlocks
from checks.logs.judge import judge_log
from checks.logs.markers import Marker
from checks.logs.parse import parse_log, parse_log_stream
from checks.logs.report import Reading, Red, Summary

PYTEST = "=== test session starts ===\n=== 2 passed in 0.1s ===\n"
UNITTEST = "Ran 3 tests in 0.1s\n\nOK (skipped=1)\n"


def one(
    line: int, green: bool | None = True, runner: str = "r", passed: int | None = 1, counted: bool = True
) -> Summary:
    return Summary(
        runner, line, "text", passed, 0, 0, 0, green, () if green is not False else ("red",), counted=counted
    )


def fold(*summaries: Summary, markers: tuple[Marker, ...] = (), steps: tuple[int, ...] = ()) -> tuple[bool | None, ...]:
    report = judge_log([Reading(summaries, ())], markers, steps, 99, truncated=False)
    return (report.green, *(summary.green for summary in report.summaries))


@pytest.mark.parametrize(
    ("greens", "expected"),
    [
        ((), None),
        ((True,), True),
        ((False,), False),
        ((None,), False),
        ((True, None), True),
        ((True, False), False),
        ((False, True), False),
        ((None, None), False),
    ],
)
def test_every_summary_must_be_green(greens: tuple[bool | None, ...], expected: bool | None) -> None:
    assert fold(*(one(line, green) for line, green in enumerate(greens, 1)))[0] is expected


def test_unknown_counts_are_not_green() -> None:
    assert fold(one(1, None, passed=None))[0] is None
    assert fold(one(1), one(2, None, passed=None))[0] is None
    assert fold(one(1), one(2, None, passed=None, counted=False))[0] is True
    assert fold(one(1), replace(one(2, None, passed=None, counted=False), silent=True))[0] is None
    assert fold(one(1), one(2, False, passed=None))[0] is False


@pytest.mark.parametrize(
    ("marker", "steps", "expected"),
    [
        (4, (), True),
        (5, (), True),
        (6, (), False),
        (60, (), False),
        (6, (6,), True),
        (6, (7,), False),
        (7, (7,), True),
        (7, (3, 7, 9), True),
        (6, (3, 7, 9), False),
        (6, (5,), False),
    ],
)
def test_markers_after_a_summary_in_its_step(marker: int, steps: tuple[int, ...], expected: bool) -> None:
    markers = (Marker(2, "early", ending=False), Marker(marker, "broken", ending=False))
    assert fold(one(5), markers=markers, steps=steps) == (expected, expected)


def test_the_reason_names_the_marker() -> None:
    markers = [Marker(2, "early", ending=False), Marker(6, "m" * 300, ending=False), Marker(7, "late", ending=False)]
    report = judge_log([Reading((one(5, False),), ())], markers, [], 99, truncated=False)
    assert report.summaries[0].reasons == ("red", "after it, line 6: " + "m" * 200)
    assert report.reasons == ("line 5: red", "line 5: after it, line 6: " + "m" * 200)


def test_an_ending_anywhere_is_red() -> None:
    assert fold(one(5), markers=(Marker(2, "ended", ending=True),)) == (False, True)
    assert fold(one(5), markers=(Marker(9, "ended", ending=True),), steps=(7,)) == (False, True)
    report = judge_log([], [Marker(2, "e" * 300, ending=True)], [], 99, truncated=False)
    assert (report.green, report.runner, report.complete) == (False, None, False)
    assert report.reasons == ("line 2: " + "e" * 200, "no summary of a known test runner was found")
    assert judge_log([], [Marker(2, "x", ending=False)], [], 99, truncated=False).green is None


def test_a_reds_reading_is_red() -> None:
    report = judge_log([Reading((one(1),), (), (Red(3, "no"),))], [], [], 99, truncated=False)
    assert (report.green, report.reasons) == (False, ("line 3: no",))


def test_an_unfinished_run_counts_and_is_not_green() -> None:
    cut = Summary("r", 1, "", 1, 2, 3, 4, False, ("cut",))
    report = judge_log([Reading((one(5),), (cut,))], [], [], 99, truncated=False)
    assert (report.passed, report.failed, report.errors, report.skipped) == (2, 2, 3, 4)
    assert (report.green, report.complete, len(report.summaries)) == (False, False, 1)


def test_only_counted_summaries_are_added() -> None:
    report = judge_log([Reading((one(5), one(6, counted=False), one(7, passed=3)), ())], [], [], 99, truncated=False)
    assert (report.passed, report.failed, report.green) == (4, 0, True)


def test_a_truncated_log_is_never_green() -> None:
    report = judge_log([Reading((one(5),), ())], [], [], 99, truncated=True)
    assert (report.green, report.complete, report.truncated, report.lines) == (None, False, True, 99)
    assert report.reasons == ("the log is too large, only its beginning was read",)
    assert judge_log([Reading((one(5, False),), ())], [], [], 99, truncated=True).green is False


def test_summaries_and_runners_come_in_the_order_of_lines() -> None:
    readings = [Reading((one(9, runner="b"),), ()), Reading((one(2, runner="a"),), (one(1, False, runner="c"),))]
    report = judge_log(readings, [], [], 99, truncated=False)
    assert [summary.line for summary in report.summaries] == [2, 9]
    assert report.runner == "c, a, b"


def test_several_runners_in_one_log() -> None:
    report = parse_log((UNITTEST + PYTEST).encode())
    assert (report.runner, report.passed, report.skipped, report.green) == ("unittest, pytest", 4, 1, True)
    report = parse_log((PYTEST + PYTEST.replace("2 passed", "1 failed") + UNITTEST).encode())
    assert (report.runner, report.passed, report.failed, report.green) == ("pytest, unittest", 4, 1, False)


@pytest.mark.parametrize(
    ("data", "lines"), [(b"", 0), (b"\n", 1), (b"Running specs\n12 examples, 0 failures\n", 2), (b"\x1b[0m", 0)]
)
def test_an_unknown_log_is_unknown(data: bytes, lines: int) -> None:
    report = parse_log(data)
    assert (report.runner, report.green, report.complete, report.passed) == (None, None, False, None)
    assert (report.lines, report.truncated, report.summaries) == (lines, False, ())


def test_an_unknown_runner_with_evident_red() -> None:
    log = b"2022-06-16T22:17:31.2678286Z ##[error]Process completed with exit code 1.\n"
    assert parse_log(log).green is False
    assert parse_log(log.replace(b"code 1", b"code 0")).green is None


def test_line_numbers_are_those_of_the_raw_file() -> None:
    text = "\ufeff\r\n" + "10%\r20%\r\n" + PYTEST.replace("\n", "\r\n")
    report = parse_log(text.encode("utf-16"))
    assert [summary.line for summary in report.summaries] == [4]
    assert (report.lines, report.green) == (4, True)


def test_a_log_over_the_limit_is_read_up_to_it() -> None:
    data = PYTEST.encode() + b"noise\n" * 100 + PYTEST.replace("2 passed", "1 failed").encode()
    with patch("checks.logs.parse.TextBlocks", partial(TextBlocks, max_bytes=len(data) - 1)):
        report = parse_log(data)
    assert (report.truncated, report.green, report.lines) == (True, False, 104)
    with patch("checks.logs.parse.TextBlocks", partial(TextBlocks, max_bytes=200)):
        report = parse_log(data)
    assert (report.truncated, report.green, report.complete, report.passed) == (True, None, False, 2)
    assert report.reasons == ("the log is too large, only its beginning was read",)
    assert ([summary.line for summary in report.summaries], report.lines) == ([2], 27)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_stream_is_read_like_the_whole_log(size: int) -> None:
    data = (UNITTEST + "noise\n" * 50 + PYTEST).encode()
    assert parse_log_stream(data[at : at + size] for at in range(0, len(data), size)) == parse_log(data)
    assert parse_log_stream(iter([])) == parse_log(b"")


def test_a_red_summary_in_the_middle_of_a_long_log_counts_like_one_at_its_end() -> None:
    def chunks() -> Iterator[bytes]:
        yield PYTEST.encode()
        yield from [b"noise and no end of it\n" * 1000] * 40
        yield PYTEST.replace("2 passed", "1 failed, 1 passed").encode()
        yield from [b"noise and no end of it\n" * 1000] * 40
        yield PYTEST.encode()

    report = parse_log_stream(chunks())
    assert (report.green, report.complete, report.passed, report.failed) == (False, True, 5, 1)
    assert [summary.line for summary in report.summaries] == [2, 40_004, 80_006]
    assert report.reasons == ("line 40004: 1 failed or broke",)


@pytest.mark.parametrize(
    "line",
    [
        "1 passed in 0.01s",
        "exit code: 1",
        "ok  \tp\t0.1s",
        "Ran 1 test in 0.1s",
        "FAIL Required test coverage of 9%",
    ],
)
def test_a_log_of_nothing_but_closing_lines_or_markers_is_not_kept(line: str) -> None:
    with patch("checks.logs.parse.MOST_KEPT", 10), patch("checks.logs.walk._BETWEEN_LOOKS", 5):
        assert parse_log(f"{line}\n".encode() * 9).truncated is False
        report = parse_log(f"{line}\n".encode() * 30)
    assert (report.truncated, report.lines) == (True, 30)
    assert report.green is not True
    assert len(report.summaries) <= 10
    assert "the log is too large, only its beginning was read" in report.reasons


def test_limit() -> None:
    assert checks.logs.parse.MOST_KEPT == 20_000
