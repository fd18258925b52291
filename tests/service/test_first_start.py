"""From an empty folder to a true verdict: the set-up page, both Apps, an agent with a session, its pull request."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.databases import anyio_backend, data_folder
from tests.demo.agent import Agent
from tests.demo.service import RunningGate, free_port
from tests.demo.shop import CHANGES, FILES
from tests.github.server import SimulatedGitHub
from tests.service.process import GateProcess
from tests.web.test_set_up import form_of

__all__ = ["anyio_backend"]

pytestmark = pytest.mark.anyio

PATIENCE = 90.0
TEN_MINUTES = 600.0


async def test_a_person_who_has_never_seen_it_gets_a_true_verdict(tmp_path: Path) -> None:
    with data_folder() as folder:
        github = SimulatedGitHub.create(folder / "github")
        github.actions.tool_folders = (str(Path(sys.executable).parent),)
        api = await github.start()
        ports = {"MERGEGATE_PORT": str(free_port()), "MERGEGATE_PROXY_PORT": str(free_port())}
        environment = {"MERGEGATE_DATA": str(folder / "data"), "MERGEGATE_GITHUB_API_URL": api, **ports}
        process = GateProcess("serve", sys.executable, environment, folder / "gate.log")
        started = time.monotonic()
        try:
            await process.start()
            await _set_up(process, github)
            await process.healthy()
            await _verdict(process, github, folder)
            print(f"{time.monotonic() - started:.0f} s from the first start to the verdict")
            assert time.monotonic() - started < TEN_MINUTES
        finally:
            await process.kill()
            await github.stop()


async def _set_up(process: GateProcess, github: SimulatedGitHub) -> None:
    await _until(lambda: "open the set-up page" in process.log_end(), process)
    (address,) = re.findall(r'"(http://[^"]+/set-up\?key=[^"]+)"', process.log_end())
    github.organization("acme")
    headers = {"authorization": f"Bearer {github.user_token('ada')}"}
    async with httpx.AsyncClient(trust_env=False) as browser, httpx.AsyncClient(headers=headers) as at_github:
        front = await browser.get(address)
        assert front.headers["connection"] == "close", (
            "it would still lead to this page when the service has taken over"
        )
        for _ in ("gate", "courier"):
            query = {"address": process.address, "account": "acme"}
            offered = await browser.get(f"{process.address}/set-up/app", params=query)
            target, manifest = form_of(offered.text)
            answer = await at_github.post(target, data={"manifest": json.dumps(manifest)})
            back = urlsplit(answer.headers["location"])
            last = await browser.get(f"{process.address}{back.path}?{back.query}")
        assert "Install both Apps" in last.text
    for app in github.world.apps.values():
        github.install(app, "acme")


async def _verdict(process: GateProcess, github: SimulatedGitHub, folder: Path) -> None:
    people = {"ada": "admin", "bob": "write"}
    shop = await github.repository("acme/shop", FILES, collaborators=people)  # type: ignore[arg-type]
    proxy = f"http://127.0.0.1:{process.environment['MERGEGATE_PROXY_PORT']}"
    running = RunningGate(process.address, proxy, {"PATH": "/usr/bin:/bin", **process.environment})
    lie = CHANGES[1]
    token = await running.open_session("acme/shop", lie.branch)
    (folder / "agent").mkdir()
    number = await Agent(proxy, "acme/shop", token, folder / "agent").open_pull(lie)
    head = shop.pulls[number].head_sha

    def refused() -> bool:
        runs = [run for run in shop.check_runs.values() if run.head_sha == head]
        return any(run.name == "mergegate/evidence" and run.conclusion == "failure" for run in runs)

    await _until(refused, process)


async def _until(done: Callable[[], bool], process: GateProcess) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, process.log_end()
        await asyncio.sleep(0.1)
