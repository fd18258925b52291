"""The stamps of GitHub's logs are UTC, wherever the gate runs and whatever offset the API's times carry."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from checks.logs.split import Step, split

LOG = b"2026-11-29T10:00:01.0000001Z hello\n2026-11-29T10:00:03.0000001Z ##[group]Run pytest\n"


@pytest.fixture(params=["Asia/Tokyo", "America/Lima"])
def _zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("_zone")
@pytest.mark.parametrize("offset", ["Z", "+00:00"])
def test_steps_are_found_on_a_machine_in_another_zone(offset: str) -> None:
    times = [datetime.fromisoformat(f"2026-11-29T10:00:0{second}{offset}") for second in (1, 3)]
    steps = [Step(number, "step", at, None) for number, at in enumerate(times, 1)]
    assert [(part.first_line, part.last_line) for part in split(LOG, steps)] == [(1, 1), (2, 2)]


@pytest.mark.usefixtures("_zone")
def test_another_offset_is_the_same_instant() -> None:
    steps = [
        Step(number, "step", datetime.fromisoformat(f"2026-11-29T12:00:0{second}+02:00"), None)
        for number, second in ((1, 1), (2, 3))
    ]
    assert [(part.first_line, part.last_line) for part in split(LOG, steps)] == [(1, 1), (2, 2)]
