"""The gate as its own process, as an operator would start it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

START_SECONDS = 60.0
ROOT = Path(__file__).resolve().parents[2]


class NotStarted(RuntimeError):
    """The gate ended or did not answer; the message has the end of its log."""


@dataclass(frozen=True)
class Credentials:
    """An App's id and private key (PEM)."""

    app_id: int
    private_key: str

    def written(self, path: Path) -> str:
        """The file that holds the key now, readable by its owner alone."""
        path.touch(mode=0o600)
        path.write_text(self.private_key, encoding="ascii")
        return str(path)


@dataclass(frozen=True)
class RunningGate:
    """A gate's address, its proxy's, and the environment that its commands need."""

    address: str
    proxy: str
    environment: Mapping[str, str]

    async def explain(self, pull_request: str) -> dict[str, Any]:
        """What `mergegate explain OWNER/REPO#N --json` prints. Raises NotStarted with its words when it cannot."""
        return await self._command("explain", pull_request, "--json")

    async def open_session(self, repository: str, branch: str) -> str:
        """The token of a session that may push to this branch and open its pull request. Raises NotStarted."""
        answer = await self._command("session", "open", repository, branch, "--operator", "bob", "--json")
        return str(answer["token"])

    async def _command(self, *arguments: str) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app.cli.main", *arguments),
            cwd=ROOT,
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        if process.returncode:
            raise NotStarted(err.decode(errors="replace"))
        answer: dict[str, Any] = json.loads(out)
        return answer


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.asynccontextmanager
async def running_gate(
    folder: Path, api_url: str, gate: Credentials, courier: Credentials, secret: str, port: int
) -> AsyncIterator[RunningGate]:
    """`mergegate serve` while the block lasts. Raises NotStarted."""
    proxy_port = free_port()
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "MERGEGATE_DATA": str(folder / "data"),
        "MERGEGATE_GITHUB_API_URL": api_url,
        "MERGEGATE_APP_ID": str(gate.app_id),
        "MERGEGATE_PRIVATE_KEY_FILE": gate.written(folder / "gate.pem"),
        "MERGEGATE_COURIER_APP_ID": str(courier.app_id),
        "MERGEGATE_COURIER_PRIVATE_KEY_FILE": courier.written(folder / "courier.pem"),
        "MERGEGATE_PROXY_PORT": str(proxy_port),
        "MERGEGATE_WEBHOOK_SECRET": secret,
        "MERGEGATE_PORT": str(port),
        "MERGEGATE_WRITES_PER_MINUTE": "0",
    }
    log = folder / "gate.log"
    with log.open("wb") as sink:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "app.cli.main", "serve", cwd=ROOT, env=environment, stdout=sink, stderr=sink
        )
    try:
        await _wait_until_healthy(process, f"http://127.0.0.1:{port}", log)
        yield RunningGate(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{proxy_port}", environment)
    finally:
        await _stop(process)


async def _wait_until_healthy(process: asyncio.subprocess.Process, address: str, log: Path) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(START_SECONDS), httpx.AsyncClient(trust_env=False) as client:
            while process.returncode is None:
                with contextlib.suppress(httpx.HTTPError):
                    if (await client.get(f"{address}/healthz")).status_code == 200:
                        return
                await asyncio.sleep(0.1)
    raise NotStarted(f"the gate did not start:\n{log.read_text(errors='replace')[-2000:]}")


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), 15)
    except TimeoutError:
        process.kill()
        await process.wait()
