"""tox 3 and 4, and nox, around pytest, in their wording; the projects are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading
from checks.logs.tox import ToxReader

GROUP = "##[group]Run tox"
PYTEST = ("=== test session starts ===", "collected 2 items", "=== 2 passed in 0.1s ===")
TOX_4 = "py311: commands[0]> python -m pytest"
TOX_3 = "py27 run-test: commands[0] | pytest"
GOOD = "  congratulations :) (17.15 seconds)"
BAD = "  evaluation failed :( (13.63 seconds)"
RUNNING = "nox > Running session tests-3.11"
OTHER = ("nox > Running session t(a='a b')", *PYTEST, "nox > Session t(a='a b') was successful in 3 seconds.")
SUCCESSFUL = "nox > Session tests-3.11 was successful."


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


@pytest.mark.parametrize(
    "lines",
    [
        (TOX_4, *PYTEST, "py312: commands[0]> python -m pytest", *PYTEST, "  py311: OK (6.95 seconds)", GOOD),
        (TOX_3, *PYTEST, *PYTEST, "____ summary ____", "  py27: commands succeeded", "  congratulations :)"),
        (RUNNING, *PYTEST, SUCCESSFUL, *OTHER),
        (RUNNING, *PYTEST, *PYTEST, SUCCESSFUL, "nox > Session tests-3.9 skipped: Python interpreter 3.9 not found."),
    ],
)
def test_environments_that_all_ended(lines: tuple[str, ...]) -> None:
    found = report(*lines)
    assert (found.green, found.complete, found.passed, found.runner) == (True, True, 4, "pytest")


@pytest.mark.parametrize("start", [TOX_4, TOX_3])
@pytest.mark.parametrize("end", ["", GROUP])
def test_tox_must_say_how_all_ended(start: str, end: str) -> None:
    found = report("x", start, *PYTEST, start, *PYTEST, "  py311: OK (6.95 seconds)", end)
    assert (found.green, found.complete, found.passed) == (False, False, 4)
    assert found.reasons == ("line 2: tox did not say how its environments ended",)


@pytest.mark.parametrize("end", ["", GROUP])
def test_each_session_of_nox_must_end(end: str) -> None:
    found = report(RUNNING, *PYTEST, SUCCESSFUL, "nox > Running session lint", end)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons == ("line 6: the session lint of nox has no end",)


@pytest.mark.parametrize("line", [BAD, "ERROR:   py36: commands failed"])
def test_a_failed_environment(line: str) -> None:
    for start in ((TOX_4,), ()):
        found = report(*start, *PYTEST, line)
        assert (found.green, found.complete) == (False, True)
        assert found.reasons == (f"line {len(start) + 4}: an environment of tox failed",)


@pytest.mark.parametrize("word", ["failed", "aborted", "interrupted"])
def test_a_failed_session(word: str) -> None:
    found = report(RUNNING, *PYTEST, f"nox > Session tests-3.11 {word}.")
    assert found.complete is True
    assert found.reasons[0] == f"line 5: the session tests-3.11 of nox {word}"


@pytest.mark.parametrize(
    "line",
    [
        "py311: commands> pytest",
        "py 311: commands[0]> pytest",
        "congratulations :)",
        "evaluation failed :(",
        "ERROR: py36 commands failed",
        "nox > Running sessions",
        "nox > Session",
        "nox > Session x ended.",
        "x nox > Running session lint",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    assert report(*PYTEST, line).green is True
    assert report(TOX_4, *PYTEST, line).complete is False


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = ToxReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in ("nox > Session " * 80_000, "py: commands[0]" * 80_000, "_" * 1_000_000, "ERROR: " * 150_000):
        assert report(line, *PYTEST).passed == 2
