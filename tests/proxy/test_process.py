"""`mergegate proxy` and `mergegate session` as processes of their own, as an operator runs them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx
import pytest

from tests.databases import data_folder
from tests.demo.service import ROOT, free_port
from tests.github.server import SimulatedGitHub
from tests.proxy.scene import COURIER_PERMISSIONS, agent_environment
from tests.service.process import GateProcess

pytestmark = pytest.mark.anyio


async def _run(*command: str, environment: dict[str, str], cwd: Path = ROOT) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *command, cwd=cwd, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await process.communicate()
    return process.returncode or 0, out.decode(errors="replace")


async def test_a_session_from_its_opening_to_its_stop(tmp_path: Path) -> None:
    github = SimulatedGitHub.create(tmp_path / "github")
    api = await github.start()
    app, key = github.register_app("courier", COURIER_PERMISSIONS, [])
    github.organization("acme")
    await github.repository("acme/shop", {"README.md": "# Shop\n"}, private=True)
    github.install(app, "acme")
    (tmp_path / "courier.pem").write_text(key, encoding="ascii")
    port = str(free_port())
    with data_folder() as data:
        settings = {
            "MERGEGATE_DATA": str(data / "data"),
            "MERGEGATE_GITHUB_API_URL": api,
            "MERGEGATE_COURIER_APP_ID": str(app.id),
            "MERGEGATE_COURIER_PRIVATE_KEY_FILE": str(tmp_path / "courier.pem"),
            "MERGEGATE_PROXY_PORT": port,
            "MERGEGATE_PORT": port,
            "MERGEGATE_METRICS_PORT": str(free_port()),
        }
        operator = {"PATH": os.environ["PATH"], "USER": "ada", **settings}
        proxy = GateProcess("proxy", sys.executable, settings, tmp_path / "proxy.log")
        session = (sys.executable, "-m", "app.cli.main", "session")
        await proxy.start()
        try:
            await proxy.healthy()
            code, said = await _run(*session, "open", "acme/shop", "main", environment=operator)
            assert code == 2 and "not among the agents' branches" in said
            code, said = await _run(
                *session, "open", "acme/shop", "agent/work", "--ticket", "3", "--json", environment=operator
            )
            opened = json.loads(said)
            assert code == 0 and opened["branch"] == "refs/heads/agent/work" and opened["token"].startswith("mgs_")
            header = {f"http.http://127.0.0.1:{port}/.extraHeader": f"Authorization: Bearer {opened['token']}"}
            agent = agent_environment(header)
            url = f"http://127.0.0.1:{port}/git/acme/shop"
            code, said = await _run("git", "clone", "-q", url, "clone", environment=agent, cwd=tmp_path)
            assert code == 0, said
            push = ("git", "push", "origin", "HEAD:agent/work")
            code, said = await _run(*push, environment=agent, cwd=tmp_path / "clone")
            assert code == 0 and "[new branch]" in said
            async with httpx.AsyncClient(trust_env=False) as client:
                private = f"http://127.0.0.1:{settings['MERGEGATE_METRICS_PORT']}"
                assert (await client.get(f"{private}/readyz")).json() == {"status": "ready", "troubles": {}}
                metrics = (await client.get(f"{private}/metrics")).text
            # Three requests of the clone, two of the push.
            answers = 'mergegate_proxy_answers_total{of="git",status="200"}'
            assert f"{answers} 5.0" in metrics and "mergegate_database_up 1.0" in metrics
            code, said = await _run(*session, "revoke", str(opened["session"]), environment=operator)
            assert code == 0 and "nothing of it is under way and refs/heads/agent/work is at " in said
            code, said = await _run(*push, environment=agent, cwd=tmp_path / "clone")
            assert code == 128 and "remote: mergegate: The session was stopped at" in said
            code, said = await _run(*session, "show", str(opened["session"]), environment=operator)
            assert code == 0 and "its operator stopped it" in said and "done" in said
            assert (await proxy.stop())[0] == 0
        finally:
            await proxy.cleanup()
            await github.stop()
    log = (tmp_path / "proxy.log").read_text()
    secrets = [opened["token"], *github.world.tokens]
    assert len(secrets) > 2 and not any(secret in log for secret in secrets)
    assert all(
        token.revoked
        for token in github.world.tokens.values()
        if "contents" in token.permissions and token.permissions["contents"] == "write"
    )
