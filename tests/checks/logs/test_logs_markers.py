from __future__ import annotations

import pytest
import re2

from checks.logs.decode import TextBlocks
from checks.logs.markers import INTEREST, STEPS, Marker, Markers, starts_step
from checks.logs.walk import Walk


def marker(number: int, line: str) -> Marker | None:
    markers = Markers()
    Walk([(INTEREST, markers)]).through(TextBlocks([b"\n" * (number - 1) + line.encode()]))
    return next(iter(markers.found), None)


@pytest.mark.parametrize(
    "line",
    [
        "##[group]Run pytest -q",
        "Post job cleanup.",
        "Print service container logs: db",
        "Stop and remove container: db",
        "Cleaning up orphan processes",
    ],
)
def test_step_starts(line: str) -> None:
    assert starts_step(line)
    assert re2.search(STEPS, line) and not re2.search(STEPS, f" {line}")
    assert not starts_step(f" {line}")


@pytest.mark.parametrize("line", ["##[group]Operating System", "##[endgroup]", "[group]Run x", "Post job"])
def test_other_lines_start_no_step(line: str) -> None:
    assert not starts_step(line)
    assert not re2.search(STEPS, line)


@pytest.mark.parametrize(
    "line",
    [
        "##[error]Process completed with exit code 1.",
        "##[error]Process completed with exit code 139.",
        "##[error]Process completed with exit code 10.",
        "##[error]Process completed with exit code -1.",
        "Error: Process completed with exit code 2.",
        "##[error]The operation was canceled.",
        "##[error]The operation was cancelled.",
        "##[error]The action 'Test' has timed out after 360 minutes.",
        "##[error]The job running on runner X has exceeded the maximum execution time of 360 minutes.",
        "##[error]The job has exceeded the maximum execution time while awaiting a runner",
        "##[error]The runner has received a shutdown signal.",
        "##[error]The hosted runner lost communication with the server.",
        "##[error]The self-hosted runner lost communication with the server.",
        "Done. Your build exited with 1.",
        "The build has been terminated",
        "No output has been received in the last 10 minutes, this potentially indicates a stalled build",
    ],
)
def test_endings(line: str) -> None:
    assert marker(7, line) == Marker(7, line, ending=True)
    assert marker(7, f"x{line}") is None


@pytest.mark.parametrize(
    "line",
    [
        "##[error]anything",
        "##[error]Process completed with exit code 0.",
        "npm ERR! Test failed.  See above for more details.",
        "npm error code 1",
        "make: *** [Makefile:3: test] Error 1",
        "make[2]: *** [test] Error 2",
        " ELIFECYCLE  Command failed with exit code 1.",
        "ELIFECYCLE Test failed.",
        " ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  @acme/web@1.0.0 test: `node t.js`",
        "Error: ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL",
        " ERROR  run failed: command  exited (3)",
        "lerna ERR! npm run test exited 1 in 'core'",
        " NX   Running target test for 2 projects failed",
        "\x1b[31m Lerna (powered by Nx) \x1b[39m  \x1b[31mRunning target test for 2 projects failed\x1b[39m",
        "task_runner::run_failed",
        "[0] node packages/web/t.js exited with code 3",
        "[bb] exit 3 exited with code 3",
        "nox > Session tests failed.",
        "  py311: FAIL code 1 (2.00=setup[1.00]+cmd[1.00] seconds)",
        "ERROR: InvocationError for command /x/pytest (exited with code 1)",
        "Killed",
        "Terminated",
        "Aborted (core dumped)",
        "Segmentation fault (core dumped)",
        "exit code: 1",
        "exit code 10",
        "Exit code: 130",
        "exit status 2",
        "exit code: -9",
        "error Command failed with exit code 1.",
        "Command exited with non-zero status 1",
        "error: Recipe `test` failed on line 3 with exit code 1",
        "test-project_test_1 exited with code 1",
        'The command "make test" exited with 1.',
        'The command "make test" failed and exited with 2 during .',
    ],
)
def test_failures(line: str) -> None:
    found = marker(7, line)
    assert found is not None
    assert (found.line, found.ending) == (7, False)
    assert found.text in line or "\x1b" in line


def test_texts_are_cut() -> None:
    assert marker(1, "npm error " + "x" * 300) == Marker(1, "npm error " + "x" * 190, ending=False)


@pytest.mark.parametrize(
    "line",
    [
        "exit code: 0",
        "exit code: 00",
        "exit code: 1 expected",
        "an exit code: 1",
        "Done. Your build exited with 0.",
        "Error: Process completed with exit code 0.",
        'The command "make test" exited with 0.',
        "web_1 exited with code 0",
        "[0] node packages/core/t.js exited with code 0",
        " NX   Running target test for 2 projects:",
        " ERROR  in ./src/index.ts",
        "error Command failed with exit code 0.",
        "npm WARN deprecated x",
        "npm notice x",
        "make: Nothing to be done",
        "nox > Session tests was successful.",
        "ERROR: something else",
        "Killed by me",
        "##[warning]x",
        "  py311: OK (1.00 seconds)",
        "",
    ],
)
def test_no_markers(line: str) -> None:
    assert marker(7, line) is None
