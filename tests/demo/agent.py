"""An agent as the demonstration has it: real git over HTTP and the REST API, with the courier's token."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import httpx

from tests.demo.shop import Change


class Agent:
    """`token` is an installation token of the courier's App; `folder` holds its clones."""

    def __init__(self, base_url: str, repository: str, token: str, folder: Path) -> None:
        self.base_url = base_url
        self.repository = repository
        self.token = token
        self.folder = folder

    async def open_pull(self, change: Change) -> int:
        """Clone, commit, push and open a pull request; its number."""
        clone = self.folder / change.branch.replace("/", "-")
        scheme, _, host = self.base_url.partition("://")
        address = f"{scheme}://x-access-token:{self.token}@{host}/{self.repository}.git"
        await self._git(self.folder, "clone", "--quiet", address, str(clone))
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
        async with httpx.AsyncClient(base_url=self.base_url, headers=headers, trust_env=False) as client:
            answer = await client.post(f"/repos/{self.repository}/pulls", json=body)
            answer.raise_for_status()
            return int(answer.json()["number"])

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
                **identity,
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"git {arguments[0]} failed: {out.decode(errors='replace')[-500:]}")
