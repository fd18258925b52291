"""`mergegate serve`, `web` or `work` as a process of its own: started, killed, stopped, and what it leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.conftest import token_in
from tests.demo.service import ROOT
from tests.standby import Forked, Standby

# On cores that others use too, a start takes longer by as much as they are crowded.
START_SECONDS = 60.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
PROGRAM = ("-m", "app.cli.main")


@dataclass
class GateProcess:
    """One part of the service; `environment` holds its `MERGEGATE_` variables, `log` collects what it says.

    It is forked from `standby`, if that is given, which saves a second; otherwise begun as an operator would.
    """

    part: str
    python: str
    environment: Mapping[str, str]
    log: Path
    program: tuple[str, ...] = PROGRAM
    standby: Standby | None = field(default=None, repr=False)
    process: asyncio.subprocess.Process | Forked | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.environment['MERGEGATE_PORT']}"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    async def start(self) -> None:
        environment = {"PATH": os.environ.get("PATH", os.defpath), **self.environment}
        with self.log.open("ab") as sink:
            if self.standby is None:
                self.process = await asyncio.create_subprocess_exec(
                    *(self.python, *self.program, self.part), cwd=ROOT, env=environment, stdout=sink, stderr=sink
                )
            else:
                words = ("mergegate",) if self.program == PROGRAM else self.program
                self.process = await self.standby.start((*words, self.part), environment, sink.fileno())

    async def healthy(self) -> None:
        """Return when it answers that the database answers. AssertionError when it ends or takes too long."""
        process = self.process
        assert process is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(START_SECONDS), httpx.AsyncClient(trust_env=False) as client:
                while process.returncode is None:
                    with contextlib.suppress(httpx.HTTPError, ValueError):
                        # The set-up page's service answers 200, too, with other words; a proxy says more than that.
                        if (await client.get(f"{self.address}/healthz")).json().get("status") == "ok":
                            return
                    await asyncio.sleep(0.05)
        raise AssertionError(f"the service did not start:\n{self.log_end()}")

    async def kill(self) -> None:
        """kill -9 of the process that the operator started; whatever it started lives on."""
        await self._end(signal.SIGKILL)

    async def stop(self, seconds: float = 60.0) -> tuple[int, float]:
        """SIGTERM; the exit code and the seconds that it took. TimeoutError when it does not end."""
        begun = time.monotonic()
        async with asyncio.timeout(seconds):
            code = await self._end(signal.SIGTERM)
        return code, time.monotonic() - begun

    async def _end(self, number: signal.Signals) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(number)
        return await self.process.wait()

    async def cleanup(self) -> None:
        """End it however it stands: politely first, so that the last user stops the database. It logged no token."""
        if self.process is not None and self.process.returncode is None:
            try:
                await self.stop(20)
            except TimeoutError:
                await self.kill()
        shown = token_in(self.log.read_text(errors="replace")) if self.log.exists() else None
        assert shown is None, f"a token was logged: …{shown}…"

    def log_end(self) -> str:
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""


def postmaster(data: Path) -> int | None:
    """The pid of the embedded server of a data folder, or None when there is none."""
    root = data / "postgresql"
    with contextlib.suppress(OSError):
        root = Path((root / "place").read_text().strip())
    with contextlib.suppress(OSError, ValueError, IndexError):
        pid = int((root / "cluster" / "postmaster.pid").read_text().splitlines()[0])
        return pid if Path(f"/proc/{pid}").exists() else None
    return None


def kill_database(data: Path) -> None:
    """kill -9 of the embedded server, if it runs."""
    pid = postmaster(data)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)


def processes_of(data: Path) -> list[str]:
    """Command lines of the processes that name this data folder, or were given it in their environment."""
    mark, found = os.fsencode(data), []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes()
            if mark in command or mark in (entry / "environ").read_bytes():
                words = command.decode(errors="replace").split("\0")
                found.append(" ".join([entry.name, *words]))
    return found
