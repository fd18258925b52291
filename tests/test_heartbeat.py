"""The watchdog is told while the worker makes progress, and hears nothing when it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import pytest

from app.config import Misconfigured, read_settings
from app.heartbeat import EVERY, FIRST, beat
from app.logging import configure_logging
from app.secret import SecretStr

ADDRESS = SecretStr("https://watchdog.example/ping/0123456789abcdef")


def told(alive: list[bool], answer: Callable[[httpx.Request], httpx.Response]) -> list[str]:
    """The addresses that were asked in so many minutes, each as alive as the list says."""
    asked: list[str] = []
    minutes = iter(alive)

    def note(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return answer(request)

    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def run() -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            await beat(ADDRESS, lambda: next(minutes), transport=httpx.MockTransport(note), sleep=sleep)

    asyncio.run(run())
    assert slept == [FIRST] + [EVERY] * len(alive)
    return asked


def test_silence_tells_of_a_worker_that_stands_still() -> None:
    asked = told([True, True, False, False, True], lambda _: httpx.Response(200))
    assert asked == [ADDRESS.get_secret_value()] * 3


def test_a_watchdog_that_fails_stops_nothing_and_is_not_named(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()

    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(f"no route to {request.url}")

    assert len(told([True, True], fail)) == 2
    assert len(told([True, True], lambda _: httpx.Response(404))) == 2
    said = capsys.readouterr().err
    assert "the watchdog was not reached" in said
    assert "404" in said
    assert "0123456789abcdef" not in said


def test_the_address_travels_encrypted() -> None:
    assert read_settings({"MERGEGATE_HEARTBEAT_URL": "http://127.0.0.1:9/x"}).heartbeat_url is not None
    assert "abc" not in repr(read_settings({"MERGEGATE_HEARTBEAT_URL": "https://w.example/abc"}))
    for wrong in ("http://watchdog.example/abc", "ftp://localhost/abc", "abc"):
        with pytest.raises(Misconfigured, match="MERGEGATE_HEARTBEAT_URL: it is not https") as caught:
            read_settings({"MERGEGATE_HEARTBEAT_URL": wrong})
        assert "abc" not in str(caught.value)
