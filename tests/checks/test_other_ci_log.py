"""Raw logs of other CI systems, in the form that each documents, become lines that the readers of raw logs know."""

from __future__ import annotations

import json

import pytest

from checks.job_log import read_job_log_stream
from checks.other_ci_log import NotItsLog, System, plain_log
from checks.runs import JobLog

ENDED = "============================== 3 passed in 0.04s ==============================="
OUTPUT = [
    "============================= test session starts ==============================",
    "collected 3 items",
    ENDED,
]
RED = "========================= 1 failed, 2 passed in 0.04s =========================="


def buildkite(*lines: str) -> bytes:
    """As the agent writes it: a time before each line, colours, headings of groups."""
    shown = [
        "~~~ Preparing working directory",
        "$ cd /builds/shop",
        "--- :pytest: Tests",
        "\x1b[90m$\x1b[0m pytest",
        *lines,
    ]
    return b"".join(f"\x1b_bk;t=17453222099{n:02}\x07{line}\r\n".encode() for n, line in enumerate(shown))


def circleci(*lines: str, cut: int = 17) -> bytes:
    """As a step's output is kept: messages of no particular length."""
    text = "".join(f"{line}\r\n" for line in lines)
    pieces = [text[at : at + cut] for at in range(0, len(text), cut)]
    return json.dumps(
        [{"message": each, "time": "2026-11-30T08:00:00.000Z", "type": "out"} for each in pieces]
    ).encode()


def jenkins(*lines: str, end: str = "Finished: SUCCESS", times: bool = True) -> bytes:
    """As the console's text of a pipeline reads, with an annotation that the plain text sometimes keeps."""
    note = "\x1b[8mha:////4AbcDef+/=\x1b[0m"
    stamp = "[2026-11-30T08:00:00.123Z] " if times else ""
    shown = ["[Pipeline] sh", "+ pytest", *lines]
    start, last = f"Started by user {note}ada\n", f"[Pipeline] End of Pipeline\n{note}{end}\n"
    return (start + "".join(f"{stamp}{line}\n" for line in shown) + last).encode()


def read(system: System, *parts: tuple[str, bytes]) -> JobLog:
    return read_job_log_stream(plain_log(system, parts))


LOGS: list[tuple[System, bytes, bytes]] = [
    ("buildkite", buildkite(*OUTPUT), buildkite(*OUTPUT[:2], RED)),
    ("circleci", circleci(*OUTPUT), circleci(*OUTPUT[:2], RED)),
    ("jenkins", jenkins(*OUTPUT), jenkins(*OUTPUT[:2], RED)),
    ("jenkins", jenkins(*OUTPUT, times=False), jenkins(*OUTPUT[:2], RED, times=False)),
]


@pytest.mark.parametrize(("system", "green", "red"), LOGS)
def test_summaries_are_read_as_in_any_raw_log(system: System, green: bytes, red: bytes) -> None:
    report = read(system, ("", green)).report
    assert (report.runner, report.passed, report.green, report.complete) == ("pytest", 3, True, True)
    bad = read(system, ("", red)).report
    assert (bad.passed, bad.failed, bad.green) == (2, 1, False)


def test_go_s_marks_are_no_groups_of_buildkite() -> None:
    lines = ("=== RUN   TestA", "--- PASS: TestA (0.00s)", "PASS", "ok  \tshop\t0.002s")
    report = read("buildkite", ("", buildkite(*lines))).report
    assert (report.runner, report.passed, report.green) == ("go test", 1, True)


def test_steps_are_told_by_the_system_s_own_list_of_them() -> None:
    begun = circleci("================= test session starts =================", "collected 3 items")
    log = read("circleci", ("Install\nthings", circleci("done")), ("Tests", begun), ("Report", circleci("ok")))
    assert log.commands == ("Install things", "Tests", "Report")
    assert (log.report.green, log.report.complete) == (False, False), "the tests' step ended without a summary"


def test_what_a_message_holds_is_text_whatever_its_signs() -> None:
    said = b'[{"message": "\\ud83d broken \\u0000 sign\\r\\n"}, {"message": "", "time": null}]'
    assert b"broken" in b"".join(plain_log("circleci", [("", said)]))


def test_headings_are_short_lines() -> None:
    (line, *_) = plain_log("circleci", [("a\n##[error]b " * 200, b"[]")])
    assert (line.count(b"\n"), len(line) < 600) == (1, True)


@pytest.mark.parametrize(
    ("system", "raw", "why"),
    [
        ("circleci", b"<html>", "no JSON"),
        ("circleci", b"[" * 100_000, "no JSON"),
        ("circleci", b'{"message": "x"}', "no list of messages"),
        ("circleci", b'["x"]', "no list of messages"),
        ("circleci", b'[{"type": "out"}]', "no text"),
        ("circleci", b'[{"message": 3}]', "no text"),
        ("jenkins", jenkins(ENDED, end=""), "not say that the build is finished"),
        ("jenkins", jenkins(ENDED) + b"more\n", "not say that the build is finished"),
        ("jenkins", b"", "not say that the build is finished"),
    ],
)
def test_what_is_no_whole_log_of_the_system_is_said(system: System, raw: bytes, why: str) -> None:
    with pytest.raises(NotItsLog, match=why):
        read(system, ("", raw))
