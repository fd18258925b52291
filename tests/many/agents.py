"""Agents that push through whichever proxy they find, and what git told them of each push."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.gate.ending import end_process
from app.proxy import ledger, sessions
from app.proxy.grant import Grant
from app.store.database import Database
from tests.github.state import Repository
from tests.proxy.build import wanted
from tests.proxy.scene import agent_environment

REFUSED = b"rejected]"


@dataclass
class Agent:
    """`passed` are commits whose push git called a success, `foreign` those that it tried to bring elsewhere."""

    name: str
    token: str
    grant: Grant
    folder: Path
    proxies: Sequence[str]
    chance: random.Random
    passed: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    stopped_at: str | None = None

    @property
    def branch(self) -> str:
        return f"agent/{self.name}"

    async def clone(self) -> None:
        """However often it takes."""
        while not self.folder.exists():
            await self._git("clone", "-q", self._url(), str(self.folder), cwd=self.folder.parent)
            await asyncio.sleep(0.2)

    async def run(self, enough: asyncio.Event) -> None:
        """Commit and push again and again."""
        while not enough.is_set():
            await self.push()
            await asyncio.sleep(self.chance.uniform(0.1, 1.0))

    async def push(self, proxy: str | None = None) -> bool:
        """One more commit; whether git said that it is on the branch."""
        commit = await self.commit()
        code, said = await self._git("push", self._url(proxy), f"HEAD:{self.branch}")
        self.said["passed" if code == 0 else "refused" if REFUSED in said else "broken off"] += 1
        if code == 0:
            self.passed.append(commit)
        if self.chance.random() < 0.3:
            await self._trespass()
        return code == 0

    async def _trespass(self) -> None:
        """A commit of its own for a branch that is not its."""
        self.foreign.append(await self.commit())
        where = self.chance.choice(("main", "agent/other", "mergegate/queue/x"))
        code, _ = await self._git("push", self._url(), f"+HEAD:{where}")
        assert code != 0, f"{self.name} pushed to {where}"
        await self._git("reset", "-q", "--hard", "HEAD~1")

    async def commit(self) -> str:
        file = self.folder / f"{self.name}-{self.chance.getrandbits(64):x}.txt"
        file.write_text("new\n")
        await self._git("add", file.name)
        await self._git("commit", "-q", "-m", f"Add {file.name}")
        return (await self._git("rev-parse", "HEAD"))[1].decode().strip()

    def _url(self, proxy: str | None = None) -> str:
        return f"{proxy or self.chance.choice(self.proxies)}/git/acme/yard.git"

    async def _git(self, *arguments: str, cwd: Path | None = None) -> tuple[int, bytes]:
        process = await asyncio.create_subprocess_exec(
            *("git", *arguments),
            cwd=cwd or self.folder,
            env=agent_environment({"http.extraHeader": f"Authorization: Bearer {self.token}"}),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            said, _ = await process.communicate()
        finally:
            await end_process(process)
        return process.returncode or 0, said


async def agents(
    database: Database,
    yard: Repository,
    installation_id: int,
    folder: Path,
    proxies: Sequence[str],
    names: Sequence[str],
    seed: int,
) -> list[Agent]:
    """Each has a session on a branch of its own."""
    made = []
    for name in names:
        asked = wanted(
            installation_id=installation_id,
            repository_id=yard.id,
            repository="yard",
            branch=f"refs/heads/agent/{name}",
            ticket=None,
        )
        token, grant = await sessions.open_session(database, asked)
        chance = random.Random(f"{seed} {name}")
        made.append(Agent(name, token.get_secret_value(), grant, folder / f"agent-{name}", proxies, chance))
    return made


async def noted(database: Database, agent: Agent) -> set[str | None]:
    """The commits of the ledger's pushes of this agent's session."""
    return {one.new_oid for one in await ledger.of_session(database, agent.grant.session)}
