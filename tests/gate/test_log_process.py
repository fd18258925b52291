"""Logs are parsed apart: nothing of this process's environment goes along, and what goes wrong is never green."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from app.gate import log_process
from app.gate.log_process import LOG_LIMIT, parse_log_stream, parse_logs
from checks.runs import JobLog
from checks.unread import Unread
from tests.gate.hostile import hostile

pytestmark = pytest.mark.anyio

GREEN = b"##[group]Run python -m unittest\n...\nRan 3 tests in 0.001s\n\nOK\n"


async def test_logs_come_back_in_order_with_digest_and_size() -> None:
    first, second = await parse_logs([GREEN, b"nothing here\n"])
    assert isinstance(first, JobLog)
    assert isinstance(second, JobLog)
    assert (first.report.passed, first.report.green, first.size) == (3, True, len(GREEN))
    assert first.digest == f"sha256:{hashlib.sha256(GREEN).hexdigest()}"
    assert second.report.green is None


async def test_a_log_over_the_limit_is_not_read_and_keeps_its_place() -> None:
    first, second = await parse_logs([b"x" * (LOG_LIMIT + 1), GREEN])
    assert isinstance(first, Unread)
    assert isinstance(second, JobLog)


async def test_logs_of_many_pieces_and_of_none() -> None:
    noise = b"and no end of it\n" * 40_000
    first, second, third = await parse_logs([noise + GREEN + noise, b"", GREEN])
    assert isinstance(first, JobLog)
    assert (first.report.passed, first.report.lines) == (3, 80_005)
    assert isinstance(second, JobLog)
    assert (second.size, second.report.lines, second.digest) == (0, 0, f"sha256:{hashlib.sha256().hexdigest()}")
    assert isinstance(third, JobLog)
    assert third.report.green is True


async def test_a_stream_is_asked_for_as_it_is_taken() -> None:
    log = await parse_log_stream(iter([b"", GREEN[:20], b"", GREEN[20:]]))
    assert isinstance(log, JobLog)
    assert (log.report.green, log.size) == (True, len(GREEN))


async def test_a_stream_that_breaks_breaks_the_reading() -> None:
    def broken() -> Iterator[bytes]:
        yield GREEN
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        await parse_log_stream(broken())


async def test_large_answers_do_not_stop_the_sending() -> None:
    """Each answer is larger than what a pipe holds."""
    log = b"1 passed in 0.01s\n" * 1000
    assert all(isinstance(read, JobLog) for read in await parse_logs([log] * 12))


@pytest.mark.parametrize(
    "child",
    ["dies", "crashes", "raises", "stalls", "loops", "answers_an_object", "answers_null", "answers_nothing"],
)
async def test_a_child_that_dies_stalls_or_lies_makes_the_log_unreadable(
    monkeypatch: pytest.MonkeyPatch, child: str
) -> None:
    monkeypatch.setattr(log_process, "CHILD", hostile(child, seconds=0.5))
    (only,) = await parse_logs([GREEN])
    assert isinstance(only, Unread)
    assert isinstance(await parse_log_stream([b"x" * 100_000] * 20), Unread)
