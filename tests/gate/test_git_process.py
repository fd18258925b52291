"""A process of git without an event loop has the same bounds as within one."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.gate import git_process
from app.gate.ending import end_process
from app.gate.git import GitFailed, GitObjects, GitTooLarge, GitTooSlow, run_git
from app.gate.git_borrowing import borrowed_objects
from app.gate.git_process import Call, TooMuchSaid, in_event_loop, run, run_without_loop
from app.local.work import finish, in_loop, side_by_side

CONTENT = b"x" * 200_000


def _asyncio_run(work: Any) -> Any:
    return asyncio.run(work)


WAYS = pytest.mark.parametrize("done", [finish, _asyncio_run], ids=["without a loop", "in a loop"])
Done = Callable[[Any], Any]


def shell(script: str, stdin: bytes = b"", seconds: float = 20.0) -> Call:
    return Call(("sh", "-c", script), {"PATH": os.environ["PATH"]}, stdin, seconds)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("git") / "objects.git"
    subprocess.run(("git", "init", "--quiet", "--bare", str(folder)), check=True)
    return folder


@WAYS
def test_both_outputs_and_the_exit_code_are_told(done: Done) -> None:
    assert done(run(shell("cat; echo no >&2; exit 7", b"given"))) == (7, b"given", b"no\n")


@WAYS
def test_more_than_a_pipe_holds_goes_through_in_both_directions(done: Done) -> None:
    assert done(run(shell("cat", CONTENT))) == (0, CONTENT, b"")


@WAYS
def test_a_command_that_does_not_read_is_no_failure(done: Done) -> None:
    assert done(run(shell("exec 0<&-; echo said", CONTENT))) == (0, b"said\n", b"")


@WAYS
@pytest.mark.parametrize("script", ["exec sleep 30", "exec >&- 2>&-; exec sleep 30"], ids=["silent", "pipes closed"])
def test_one_that_takes_too_long_is_ended(done: Done, script: str, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(TimeoutError):
        done(run(shell(f"echo $$ > {pid}; {script}", seconds=0.2)))
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


@WAYS
def test_more_than_the_limit_is_not_taken(done: Done) -> None:
    with pytest.raises(TooMuchSaid) as too_much:
        done(run(shell("yes >&2")))
    assert too_much.value.limit == git_process.ERROR_LIMIT


@WAYS
def test_git_says_which_bound_it_met(done: Done, bare: Path) -> None:
    with pytest.raises(GitTooSlow, match="git cat-file did not finish in 0 s"):
        done(run_git(bare, ("cat-file", "--batch"), time_limit=0.0))
    with pytest.raises(GitTooLarge, match="over 10 bytes"):
        done(run_git(bare, ("rev-parse", "--absolute-git-dir"), most=10))
    with pytest.raises(GitFailed, match="rev-parse"):
        done(GitObjects(bare).commit_of("nothing"))


@WAYS
def test_objects_are_borrowed(done: Done, bare: Path, tmp_path: Path) -> None:
    done_by = ("git", f"--git-dir={bare}", "hash-object", "-w", "--stdin")
    oid = subprocess.run(done_by, input=b"content", check=True, capture_output=True).stdout.decode().strip()

    async def read() -> bytes | None:
        async with borrowed_objects(bare / "objects", tmp_path / "borrowed.git") as objects:
            return await objects.blob(oid, 100)

    assert done(read()) == b"content"


def test_a_process_that_ended_leaves_nothing_for_the_garbage_collector() -> None:
    """Pipes and buffers of a day's processes are gone with them."""

    async def many() -> list[asyncio.BaseTransport]:
        for _ in range(5):
            assert await run(shell("cat; echo no >&2", CONTENT)) == (0, CONTENT, b"no\n")
            with pytest.raises(TimeoutError):
                await run(shell("exec sleep 30", seconds=0.05))
        await asyncio.sleep(0.05)
        return _transports()

    gc.collect()
    before = _transports()
    gc.disable()
    try:
        left = asyncio.run(many())
    finally:
        gc.enable()
    assert [one for one in left if one not in before] == []


@pytest.mark.parametrize("turns", range(8))
def test_one_that_is_cancelled_while_it_is_made_is_ended_with_what_it_started(turns: int) -> None:
    """Whatever it has started holds its pipes, and it has said too much before anybody heard it."""
    complaints: list[dict[str, Any]] = []

    async def cancelled() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        call = shell("yes & sleep 30 & wait")
        task = asyncio.create_task(run(replace(call, most=10)))
        for _ in range(turns):
            await asyncio.sleep(0)
        time.sleep(0.1)  # noqa: ASYNC251 - a loop that is busy, while the process is not
        task.cancel()
        await asyncio.wait([task], timeout=10)
        assert task.cancelled() or isinstance(task.exception(), TooMuchSaid)
        del task
        await asyncio.sleep(0.05)

    asyncio.run(cancelled())
    gc.collect()
    assert complaints == []


def test_nothing_stays_open_for_one_that_left_the_group_with_the_pipes(tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    async def left() -> tuple[set[Path], set[Path]]:
        await run(shell("true"))
        before = set(Path("/dev/fd").iterdir())
        with pytest.raises(TimeoutError):
            await run(shell(f"exec 3<&0; setsid sleep 30 0<&3 & echo $! > {pid}", CONTENT * 5, seconds=0.3))
        await asyncio.sleep(0.05)
        return before, set(Path("/dev/fd").iterdir())

    try:
        before, after = asyncio.run(left())
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)
    assert before == after


def _transports() -> list[asyncio.BaseTransport]:
    """Those of other tests' loops too."""
    return [one for one in gc.get_objects() if isinstance(one, asyncio.BaseTransport)]


def test_where_no_loop_runs_that_is_known() -> None:
    async def within() -> bool:
        return in_event_loop()

    assert not in_event_loop()
    assert asyncio.run(within())


def test_work_that_waits_cannot_be_finished_without_a_loop() -> None:
    with pytest.raises(RuntimeError, match="event loop"):
        finish(asyncio.sleep(0))


@WAYS
def test_work_that_waits_gets_a_loop(done: Done) -> None:
    assert done(in_loop(asyncio.sleep(0, "waited"))) == "waited"


async def _thread(name: str) -> tuple[str, int]:
    return name, threading.get_ident()


@WAYS
def test_two_works_side_by_side(done: Done) -> None:
    (one, _), (other, _) = done(side_by_side(_thread("one"), _thread("other")))
    assert (one, other) == ("one", "other")


def test_without_a_loop_the_second_has_a_thread_of_its_own() -> None:
    (_, here), (_, there) = finish(side_by_side(_thread("one"), _thread("other")))
    assert here == threading.get_ident() != there


async def _fails(because: str) -> None:
    raise ValueError(because)


@WAYS
@pytest.mark.parametrize("which", [0, 1])
def test_a_failure_of_either_is_the_failure_of_both(done: Done, which: int) -> None:
    works = [_thread("one"), _fails("broken")] if which else [_fails("broken"), _thread("other")]
    with pytest.raises(ValueError, match="broken"):
        done(side_by_side(*works))


def test_blocking_calls_run_in_any_thread() -> None:
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(run_without_loop(shell("echo said"))))
    thread.start()
    thread.join()
    assert answers == [(0, b"said\n", b"")]


def test_a_process_is_ended_although_nobody_read_what_it_said() -> None:
    asyncio.run(_unread())


async def _unread() -> None:
    process = await asyncio.create_subprocess_exec("yes", stdout=asyncio.subprocess.PIPE)
    await asyncio.sleep(0.2)
    async with asyncio.timeout(20):
        await end_process(process)
    assert process.returncode == -signal.SIGKILL
    await end_process(process)
