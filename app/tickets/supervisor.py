"""The program that starts and ends agents for this server: an operator's own, told by its standard input.

It is run as `PROGRAM start` or `PROGRAM stop`, without a shell, with one JSON object on its standard input and nothing
of this process's environment but PATH and HOME. Exit code 0 means done: started, or gone for certain. Anything else,
and more time than it has, means not done; it is then called again, so both must bear being repeated.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import structlog

from app.gate.ending import end_process

log = structlog.get_logger(__name__)

SECONDS = 30.0  # for one call
MOST_SAID = 4_000  # bytes of its standard error that are read
KEPT = ("PATH", "HOME")


@dataclass(frozen=True, slots=True)
class Supervisor:
    """`program` is the path of an executable file."""

    program: Path
    seconds: float = SECONDS

    async def tell(self, what: Literal["start", "stop"], about: Mapping[str, Any]) -> bool:
        """Whether it did what it was told. A program that cannot be run did not."""
        try:
            async with asyncio.timeout(self.seconds):
                code, said = await self._run(what, json.dumps(about).encode())
        except TimeoutError:
            log.warning("the supervisor took too long", what=what, seconds=self.seconds)
            return False
        except OSError as wrong:
            log.error("the supervisor cannot be run", program=str(self.program), because=wrong.strerror)
            return False
        if code != 0:
            log.warning("the supervisor did not do it", what=what, code=code, said=said.decode("utf-8", "replace"))
        return code == 0

    async def _run(self, what: str, given: bytes) -> tuple[int | None, bytes]:
        process = await asyncio.create_subprocess_exec(
            self.program,
            what,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={name: os.environ[name] for name in KEPT if name in os.environ},
            start_new_session=True,
        )
        try:
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.write(given)
            process.stdin.close()
            said = await process.stderr.read(MOST_SAID)
            return await process.wait(), said
        finally:
            await end_process(process, group=process.pid)
