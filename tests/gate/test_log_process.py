"""Logs are parsed apart: nothing of this process's environment goes along, and what goes wrong is never green."""

from __future__ import annotations

import hashlib

import pytest

from app.gate import log_process
from app.gate.log_process import LOG_LIMIT, parse_logs
from checks.snapshot import JobLog, Unread

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


@pytest.mark.parametrize(
    "child",
    ["import os; os._exit(3)", "import time; time.sleep(60)", "print('{}')", "print('null')", "raise SystemExit"],
)
async def test_a_child_that_dies_stalls_or_lies_makes_the_log_unreadable(
    monkeypatch: pytest.MonkeyPatch, child: str
) -> None:
    monkeypatch.setattr(log_process, "CHILD", child)
    monkeypatch.setattr(log_process, "TIME_LIMIT", 2.0)
    (only,) = await parse_logs([GREEN])
    assert isinstance(only, Unread)


async def test_the_child_has_no_credential_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child answers with a report only where it sees the variable; so a readable answer would mean a leak."""
    monkeypatch.setenv("MERGEGATE_PRIVATE_KEY", "secret")
    tells = f"import os; 'MERGEGATE_PRIVATE_KEY' in os.environ or os._exit(1); {log_process.CHILD}"
    monkeypatch.setattr(log_process, "CHILD", tells)
    (only,) = await parse_logs([GREEN])
    assert isinstance(only, Unread)
