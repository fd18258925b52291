"""What many look at is read once in its time, and again when that is over or it failed."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from starlette.responses import Response

from app.web.entrance import BUSY, Entrance
from app.web.pages import Pages
from app.web.recent import MOST, Recent, TooManyWait

pytestmark = pytest.mark.anyio


class Source:
    """Counts its readings, and how many are under way together."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, tzinfo=UTC)
        self.read_count = 0
        self.together = 0
        self.most_together = 0
        self.wrong = False

    async def read(self) -> int:
        self.read_count += 1
        self.together += 1
        self.most_together = max(self.most_together, self.together)
        await asyncio.sleep(0)
        self.together -= 1
        if self.wrong:
            raise ValueError("away")
        return self.read_count


async def test_readers_share_a_reading_until_its_time_is_over() -> None:
    source = Source()
    recent = Recent[int](timedelta(seconds=5), lambda: source.now, 1, 9)
    assert await asyncio.gather(*(recent.get("a", source.read) for _ in range(9))) == [1] * 9
    source.now += timedelta(seconds=4)
    assert await recent.get("a", source.read) == 1
    source.now += timedelta(seconds=1)
    assert await recent.get("a", source.read) == 2


async def test_no_more_are_read_at_once_than_may_be_and_no_more_are_kept() -> None:
    source = Source()
    recent = Recent[int](timedelta(seconds=5), lambda: source.now, 2, MOST + 9)
    await asyncio.gather(*(recent.get(key, source.read) for key in range(MOST + 5)))
    assert source.most_together == 2
    assert source.read_count == MOST + 5
    await recent.get(MOST + 4, source.read)
    assert source.read_count == MOST + 5
    await recent.get(0, source.read)
    assert source.read_count == MOST + 6


async def test_what_failed_is_read_again_and_who_leaves_disturbs_nobody() -> None:
    source = Source()
    recent = Recent[int](timedelta(seconds=5), lambda: source.now, 1, 9)
    source.wrong = True
    with pytest.raises(ValueError, match="away"):
        await recent.get("a", source.read)
    source.wrong = False
    first = asyncio.create_task(recent.get("a", source.read))
    await asyncio.sleep(0)
    first.cancel()
    assert await recent.get("a", source.read) == 2


async def test_what_nobody_waits_for_any_more_is_not_begun_without_end() -> None:
    source = Source()
    recent = Recent[int](timedelta(seconds=5), lambda: source.now, 1, 3)
    left = [asyncio.create_task(recent.get(key, source.read)) for key in range(3)]
    await asyncio.sleep(0)
    for each in left:
        each.cancel()
    with pytest.raises(TooManyWait):
        await recent.get("one more", source.read)
    assert await recent.get(2, source.read) == 3  # what was begun is waited for all the same
    assert await recent.get("one more", source.read) == 4


async def test_a_page_that_would_wait_too_long_says_so() -> None:
    async def show() -> Response:
        raise TooManyWait

    entrance = Entrance(None, None, Pages())  # type: ignore[arg-type] # who asks does not matter here
    answer = await entrance.guarded(show)
    assert answer.status_code == 503
    assert BUSY[1] in bytes(answer.body).decode()


async def test_one_reading_that_takes_too_long_does_not_keep_the_place_from_others() -> None:
    source = Source()
    recent = Recent[int](timedelta(seconds=5), lambda: source.now, 1, 9, seconds=0.05)

    async def never() -> int:
        await asyncio.Event().wait()
        return 0

    slow = asyncio.create_task(recent.get("slow", never))
    await asyncio.sleep(0)
    assert await recent.get("a", source.read) == 1
    with pytest.raises(TooManyWait):
        await slow
    assert await recent.get("slow", source.read) == 2
