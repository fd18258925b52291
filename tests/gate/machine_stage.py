"""The state machine's stage: one gate and one simulated GitHub a worker, emptied between examples, and quick.

Quick because git is in memory, logs are parsed in this process, RSA keys are made once, and nobody waits for a clock:
the simulated GitHub's time stands still until the machine moves it, and what the gate would do within seconds is due
at once. Attempts run one after the other, so that a failing example fails again.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.gate import enqueue, mirror, observe, runs
from app.gate import git as gate_git_module
from app.github.budgets import Budget
from app.store import work
from app.store.database import Database
from checks import bundle
from checks.job_log import read_job_log
from checks.runs import JobLog
from checks.tampering.alteration import Analysis
from checks.unread import Unread
from policies import escape, load
from tests.gate.machine_git import MemoryGit, SimulatorGit, gate_git
from tests.gate.scene import Scene, scene
from tests.gate.shop import FILES, required
from tests.github import build, server, webhooks
from tests.github.actions import engine
from tests.github.state import Permission, Repository, Switches

PEOPLE: dict[str, Permission] = {"ada": "admin", "bob": "write", "carol": "write", "eve": "read"}
SOON = timedelta(seconds=5)
LATER = timedelta(minutes=11)  # everything that is not parked
LOOKS = 2
MOST_ATTEMPTS = 400
ECHOES = ("check_run", "check_suite")  # say once more what `workflow_run` says of this repository's only CI


@dataclass
class Stage:
    """`now` is the simulated GitHub's time; `lost` says that the gate may not have heard of everything."""

    scene: Scene
    memory: MemoryGit
    root: Path
    examples: int = 0
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    lost: bool = False
    attempts: int = 0
    shop: Repository = field(init=False)

    async def begin(self, policy: str) -> None:
        """An empty GitHub but for acme/shop with the branches main, release (of its own policy) and playground."""
        await self._empty()
        self.examples += 1
        github = self.scene.github
        files = {**FILES, ".github/mergegate.yml": policy}
        self.shop = shop = await github.repository("acme/shop", files, collaborators=PEOPLE)
        for token in github.world.tokens.values():  # minted for the shop of an earlier example
            token.repository_ids = None if token.repository_ids is None else {shop.id}
        for branch in ("release", "playground"):
            await github.push(shop, branch, {"VERSION": f"{branch}\n"}, author="ada")
        include = ("~DEFAULT_BRANCH", "refs/heads/release")
        await github.set_ruleset(shop, "gate", required(self.scene.app.id), include=include)

    async def _empty(self) -> None:
        github, world = self.scene.github, self.scene.github.world
        github.faults.clear()
        world.switches = Switches(async_merge_seconds=0.0)
        await self._stop_jobs()
        await github.settle()
        for records in (world.repositories, world.deliveries, github.requests, github._gits, github.last_answers):
            records.clear()
        github.actions.scripts.clear()
        github.rate_limits.budgets.clear()
        github.webhooks._queues.clear()
        self.memory.stores.clear()
        await self.scene.gate.github.forget(self.scene.installation.id)
        self._end_pauses()
        self.scene.clock = timedelta(0)
        self.lost = False
        self.now = datetime.now(UTC).replace(microsecond=0)
        async with self.scene.gate.database.transaction() as connection:
            for table in TABLES:
                await connection.execute(f"delete from {table}")

    def _end_pauses(self) -> None:
        """GitHub may have asked for a minute's silence."""
        for client in (self.scene.gate.github.app, self.scene.gate.client(self.scene.installation.id)):
            client.budget = Budget()

    async def _stop_jobs(self) -> None:
        for attempt in list(self.scene.github.actions.attempts.values()):
            await attempt.cancel()

    async def rest(self) -> None:
        """Until neither side has anything to do within some seconds."""
        for _ in range(100):
            await self.scene.github.settle()
            await self._wake(SOON)
            if await self.work() == 0:
                return
        raise AssertionError("gate and simulated GitHub do not come to rest")

    async def work(self, most: int = MOST_ATTEMPTS) -> int:
        """Attempts, one after the other, on what is due."""
        database, worker = self.scene.gate.database, self.scene.worker
        for done in range(most):
            lease = await work.claim(database)
            if lease is None:
                return done
            self.attempts += 1
            await worker._attempt(lease)
            await self._wake(SOON)
        assert most < MOST_ATTEMPTS, "the gate works for ever"
        return most

    async def work_a_little(self, attempts: int) -> None:
        """GitHub's background work, then so many attempts."""
        await self.scene.github.settle()
        await self._wake(SOON)
        await self.work(attempts)

    async def die_after(self, requests: int) -> None:
        """One attempt that is killed after so many answers; its lease has run out when this returns."""
        github, database = self.scene.github, self.scene.gate.database
        await github.settle()
        await self._wake(SOON)
        lease = await work.claim(database)
        if lease is None:
            return
        attempt = asyncio.ensure_future(self.scene.worker._work(lease))
        answers = itertools.count(1)

        def answered(*_: object) -> None:
            if next(answers) == requests:
                attempt.cancel()

        github.response_observers.append(answered)
        try:
            await asyncio.wait([attempt])
        finally:
            github.response_observers.remove(answered)
        await database.query("update work set leased_until = now() where key = %s", (lease.key,))

    async def _wake(self, within: timedelta) -> None:
        await self.scene.gate.database.query(
            "update work set due_at = now() where not parked and due_at > now() and due_at < now() + %s", (within,)
        )

    async def settle(self) -> None:
        """End all faults, make good what was lost, come to rest; then a second look must write nothing."""
        self.scene.github.faults.clear()
        self.scene.github.world.switches.lose_deliveries = False
        self._end_pauses()
        await self._rest_and_look_again()
        if self.lost:
            await self.scene.resync()
            await self._rest_and_look_again()
            self.lost = False
        before = len(self.scene.writes())
        await self.scene.resync()
        await self.rest()
        again = [f"{one.method} {one.path} {one.operation}" for one in self.scene.writes()[before:]]
        assert again == [], f"a second look wrote again: {again}"

    async def _rest_and_look_again(self) -> None:
        """What failed or waits is looked at again; some things wait for ever, so a few times must do."""
        for _ in range(LOOKS):
            await self.rest()
            await self._wake(LATER)
        await self.rest()

    async def left(self) -> Sequence[tuple[str, str | None]]:
        """Keys that are due, in work or parked, with their last error."""
        sql = "select key, last_error from work where parked or lease is not null or due_at <= now() + interval '5 s'"
        return await self.scene.gate.database.query(sql)


TABLES = (
    *("work", "deliveries", "repositories", "pushes", "reviews", "check_runs", "decisions"),
    *("ci_runs", "notices", "landings", "pulls", "pull_heads", "merge_groups"),
)


async def _parse_here(logs: Sequence[bytes]) -> list[JobLog | Unread]:
    return [read_job_log(log, "sha256:0") for log in logs]


async def _nothing_altered(*_: object) -> Analysis:
    """The machine's changes touch no tests, and git in memory has no process that could be asked for contents."""
    return Analysis(())


def remember_pure_answers(patch: pytest.MonkeyPatch) -> None:
    """Bundles, policies, workflow files and sentences are few here; reading each once is enough."""
    for module, name in ((bundle, "read_document"), (load, "read_document"), (escape, "clean"), (engine, "parse")):
        patch.setattr(module, name, functools.cache(getattr(module, name)))


@contextlib.asynccontextmanager
async def stage(root: Path, database: Database, patch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """A stage without a repository; `begin` makes it."""
    memory = MemoryGit()
    git = type("Git", (SimulatorGit,), {"memory": memory})
    for module in (server, build):
        patch.setattr(module, "Git", git)
    for module in (gate_git_module, mirror):
        patch.setattr(module, "run_git", gate_git(memory))
    patch.setattr(runs, "parse_logs", _parse_here)
    patch.setattr(observe, "remembered_analysis", _nothing_altered)
    remember_pure_answers(patch)
    patch.setattr(enqueue, "POLLS", (0.0, 0.001, 0.01, 0.1))
    patch.setattr(webhooks, "QUIET_SECONDS", 0.0)
    async with scene(root, database) as opened:
        opened.installation.events = [event for event in opened.installation.events if event not in ECHOES]
        courier, _ = opened.github.register_app("courier", {"contents": "write", "pull_requests": "write"}, [])
        opened.github.install(courier, "acme")
        opened.github.user("stranger")
        made = Stage(opened, memory, root)
        patch.setattr(opened.github.world, "now", lambda: made.now)
        yield made
