"""What is read of a raw job log besides its test summaries."""

from __future__ import annotations

import pytest

from checks.job_log import LONGEST_COMMAND, MOST_COMMANDS, read_job_log
from checks.logs import parse_log
from tests.checks.build import BASE, DIGEST, HEAD, OTHER
from tests.shared import SHARED, needs_shared

AT = "2026-05-04T12:00:00.0000000Z "
CHECKOUT = f"HEAD is now at 4f4f4f4 Merge {HEAD} into {BASE}"


def _log(*lines: str) -> bytes:
    return "".join(f"{AT}{line}\n" for line in lines).encode()


@needs_shared
def test_a_real_log() -> None:
    """The values were read in the file by eye."""
    read = read_job_log((SHARED / "logs/gha_django_runtests_crash_no_summary.log").read_bytes(), DIGEST)
    assert read.commands == (
        "actions/checkout@v3",
        "actions/setup-python@v3",
        "python -m pip install --upgrade pip",
        "./runtests.py",
    )
    assert read.checked_out == ("8ed08d47f2b17d31b12acd898affb32a969c6e97", "ab92256b093b3817ac58aff5c1e2b1b04af8c10f")
    assert read.report.green is not True


def test_reads_commands_and_checkout() -> None:
    data = _log("##[group]Run actions/checkout@v4", CHECKOUT, "##[group]Run   pytest -q  ", "== 1 passed in 0.1s ==")
    read = read_job_log(data, DIGEST)
    assert read.commands == ("actions/checkout@v4", "pytest -q")
    assert read.checked_out == (HEAD, BASE)
    assert (read.digest, read.size, read.report) == (DIGEST, len(data), parse_log(data))


def test_only_the_first_checkout_counts() -> None:
    later = f"HEAD is now at 0d0d0d0 Merge {OTHER} into {BASE}"
    assert read_job_log(_log(CHECKOUT, later), DIGEST).checked_out == (HEAD, BASE)
    assert read_job_log(_log(later, CHECKOUT), DIGEST).checked_out == (OTHER, BASE)


@pytest.mark.parametrize(
    "line",
    [
        "HEAD is now at 4f4f4f4 Round prices",
        f"HEAD is now at 4f4f4f4 Merge {HEAD[:12]} into {BASE[:12]}",
        f"x {CHECKOUT}",
        f"{CHECKOUT} x",
        f"HEAD is now at 4f4f4f4 Merge {HEAD.upper()} into {BASE}",
        f"Merge {HEAD} into {BASE}",
    ],
)
def test_other_lines_name_no_checkout(line: str) -> None:
    assert read_job_log(_log(line), DIGEST).checked_out is None


@pytest.mark.parametrize("line", ["Run pytest", "##[group]run pytest", " ##[group]Run pytest", "##[group]Set up"])
def test_other_lines_name_no_command(line: str) -> None:
    assert read_job_log(_log(line), DIGEST).commands == ()


def test_commands_are_bounded() -> None:
    read = read_job_log(_log(*(f"##[group]Run c{number}" for number in range(501))), DIGEST)
    assert (MOST_COMMANDS, len(read.commands), read.commands[-1]) == (500, 500, "c499")
    assert LONGEST_COMMAND == 500
    assert read_job_log(_log("##[group]Run " + "x" * 501), DIGEST).commands == ("x" * 500,)
    many = [*(f"##[group]Run c{number}" for number in range(501)), CHECKOUT]
    assert read_job_log(_log(*many), DIGEST).checked_out == (HEAD, BASE)


def test_a_log_of_nothing_but_summaries_is_judged_whole_and_carried_in_part() -> None:
    many = ["1 failed in 0.01s", *["1 passed in 0.01s"] * 3000]
    read = read_job_log("\n".join(many).encode(), DIGEST).report
    assert read.green is False
    assert "failed" in read.reasons[0]
    assert (len(read.summaries), read.summaries[-1].line) == (200, 3001)
    assert len(read.reasons) <= 50
