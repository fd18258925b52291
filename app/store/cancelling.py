"""The end of tasks that may not want to end, and where a task waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath
from types import FrameType
from typing import Any

INNERMOST = 6  # calls that are named
DEEPEST = 100  # calls that are looked at


async def cancelled(task: asyncio.Future[Any], grace: float) -> bool:
    """Whether the task has ended, `grace` seconds after it was told to, or as long after it was told once more.

    One cancellation can get lost on its way, in code that takes every error for its own. How it ended is not of
    interest.
    """
    for _ in range(2):
        task.cancel()
        await asyncio.wait({task}, timeout=grace)
        if task.done():
            forget(task)
            return True
    return False


def told_to_end() -> int:
    """How often the present task was told to end and has not yet done with it. More of them after a wait that did not
    raise: the cancellation was lost in it.

    `asyncio.wait_for` before Python 3.12 loses one that comes after what it waits for and before it has seen that
    (https://bugs.python.org/issue37658), and libraries wait with it.
    """
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def forget(task: asyncio.Future[Any]) -> None:
    """Nobody asks how it ended, which asyncio would complain about."""
    if not task.cancelled():
        task.exception()


def waits_in(task: asyncio.Future[Any]) -> str:
    """The innermost calls that a task waits in, outermost first: `gate/a.py:12 read > …`, for the log and for people.

    As far as coroutines tell (`cr_await`, https://docs.python.org/3/library/inspect.html): not into a generator, nor
    into another task.
    """
    coroutine = task.get_coro() if isinstance(task, asyncio.Task) else None
    calls = [_call(frame) for frame in islice(_frames(coroutine), DEEPEST)]
    return " > ".join(calls[-INNERMOST:]) or "an unknown place"


def _frames(coroutine: Any) -> Iterator[FrameType]:
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        yield frame
        coroutine = coroutine.cr_await


def _call(frame: FrameType) -> str:
    place = "/".join(PurePath(frame.f_code.co_filename).parts[-2:])
    return f"{place}:{frame.f_lineno} {frame.f_code.co_name}"
