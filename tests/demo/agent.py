"""An agent as the demonstration has it: real git and the REST API through the proxy, with a session and no more."""

from __future__ import annotations

import asyncio
import base64
import os
from pathlib import Path

import httpx

from tests.demo.shop import Change


class Agent:
    """`proxy` is the proxy's address, `token` a session's; `folder` holds its clones.

    Its git believes that it talks to github.com, as `mergegate agent setup` arranges it.
    """

    def __init__(self, proxy: str, repository: str, token: str, folder: Path) -> None:
        self.proxy = proxy
        self.repository = repository
        self.token = token
        self.folder = folder

    async def open_pull(self, change: Change) -> int:
        """Clone, commit, push and open a pull request; its number."""
        clone = self.folder / change.branch.replace("/", "-")
        await self._git(self.folder, "clone", "--quiet", f"https://github.com/{self.repository}.git", str(clone))
        await self._git(clone, "switch", "--quiet", "--create", change.branch)
        for path, text in change.files.items():
            (clone / path).write_text(text, encoding="utf-8")
        await self._git(clone, "add", "--all")
        await self._git(clone, "commit", "--quiet", "--message", change.title)
        await self._git(clone, "push", "--quiet", "origin", change.branch)
        return await self._create(change)

    async def _create(self, change: Change) -> int:
        body = {"title": change.title, "head": change.branch, "base": "main", "body": change.body}
        headers = {"authorization": f"Bearer {self.token}", "x-github-api-version": "2026-03-10"}
        async with httpx.AsyncClient(base_url=f"{self.proxy}/api/v3", headers=headers, trust_env=False) as client:
            answer = await client.post(f"/repos/{self.repository}/pulls", json=body)
            answer.raise_for_status()
            return int(answer.json()["number"])

    def _configuration(self) -> dict[str, str]:
        credentials = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        pairs = {
            f"url.{self.proxy}/git/.insteadOf": "https://github.com/",
            f"http.{self.proxy}/.extraHeader": f"Authorization: Basic {credentials}",
        }
        variables = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for number, (key, value) in enumerate(pairs.items()):
            variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return variables

    async def _git(self, folder: Path, *arguments: str) -> None:
        identity = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", "agent"), ("EMAIL", "agent@example.org"))
        }
        process = await asyncio.create_subprocess_exec(
            "git",
            *arguments,
            cwd=folder,
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                "HOME": str(self.folder),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_TERMINAL_PROMPT": "0",
                **self._configuration(),
                **identity,
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"git {arguments[0]} failed: {out.decode(errors='replace')[-500:]}")
