"""The judges that a server has: programs of the operator, each under a name that policies use.

A program is run without a shell, with what it shall judge as one JSON object on its standard input and nothing of this
process's environment but PATH and HOME. What it must know beside that, such as a key for a model, it reads itself.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from app.gate.git_process import Call, TooMuchSaid, run

log = structlog.get_logger(__name__)

AT_ONCE = 2  # calls of one process: the places of its worker are for pull requests
SECONDS = 240.0  # for one call; an attempt of the worker has five minutes
LARGEST_ANSWER = 64 * 1024  # bytes
KEPT = ("PATH", "HOME")
KEEPER = Path(__file__).with_name("keeper.py")


def _kept(program: Path) -> tuple[str, ...]:
    """What it starts ends with it, wherever there is a way to see to that."""
    if sys.platform != "linux":
        return (str(program),)
    return (sys.executable, "-I", str(KEEPER), str(program))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program wrote and its exit code. Where it gave no answer `because` says why, as the end of a sentence."""

    output: bytes = b""
    code: int | None = None
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Judges:
    """`programs` are paths of executable files by name; `places` bounds how many run at once."""

    programs: Mapping[str, Path] = field(default_factory=dict)
    seconds: float = SECONDS
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def call(self, judge: str, given: bytes) -> Answer:
        """The judge's answer; a program that cannot be run, or takes or says too much, gives none."""
        if not os.access(self.programs[judge], os.X_OK):
            log.error("a judge cannot be run", judge=judge)
            return Answer(because="the server cannot run it")
        surroundings = {name: os.environ[name] for name in KEPT if name in os.environ}
        call = Call(_kept(self.programs[judge]), surroundings, given, self.seconds, LARGEST_ANSWER)
        try:
            code, output, said = await run(call)
        except TimeoutError:
            return Answer(because=f"it took longer than {self.seconds:g} seconds")
        except TooMuchSaid as too_much:
            return Answer(because=f"its answer is longer than {too_much.limit} bytes")
        except OSError as wrong:
            log.error("a judge cannot be run", judge=judge, because=wrong.strerror)
            return Answer(because="the server cannot run it")
        if code != 0:
            log.warning("a judge failed", judge=judge, code=code, said=said[:1_000].decode("utf-8", "replace"))
            return Answer(output, code, f"it ended with exit code {code}")
        return Answer(output, code)
