"""Many small stories of the queue in random order; what must hold whatever happens."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from tests.github import merge_queue
from tests.github.actions.scripted import ScriptedJob
from tests.github.errors import ApiError
from tests.github.server import SimulatedGitHub
from tests.github.state import Job, Repository
from tests.simulator.shop import ADA, TEST_WORKFLOW, queue, required, shop

pytestmark = pytest.mark.anyio
CI = ".github/workflows/ci.yml"
STEPS = 25


class Chance:
    """One random story on acme/shop with four pull requests."""

    def __init__(self, hub: SimulatedGitHub, repository: Repository, seed: int) -> None:
        self.hub, self.repository, self.random = hub, repository, random.Random(seed)
        self.waiting: list[Job] = []
        hub.actions.script(
            repository, CI, lambda run, job: self._hold(job) if run.event == "merge_group" else ScriptedJob()
        )

    def _hold(self, job: Job) -> None:
        self.waiting.append(job)

    async def open(self) -> None:
        for number in range(4):
            # Two of them change the same file differently, so that the second one conflicts.
            path = "same" if number < 2 else f"file{number}"
            await self.hub.push(self.repository, f"b{number}", {path: f"{number}\n"})
            await self.hub.open_pull(self.repository, f"b{number}")
        await self.hub.settle()

    async def step(self) -> None:
        action = self.random.choice(
            [self.enter, self.enter, self.finish, self.finish, self.leave, self.push, self.base, self.wait]
        )
        try:
            await action(self.random.randrange(4))
        except ApiError as error:
            if error.status != 422:
                raise
        if self.random.random() < 0.6:
            await self.hub.settle()

    async def enter(self, number: int) -> None:
        await merge_queue.enqueue(self.hub, self.repository, self.repository.pulls[number + 1], ADA)

    async def leave(self, number: int) -> None:
        await merge_queue.dequeue(self.hub, self.repository, self.repository.pulls[number + 1], ADA)

    async def finish(self, _number: int) -> None:
        if self.waiting:
            job = self.waiting.pop(self.random.randrange(len(self.waiting)))
            self.hub.actions.complete_job(job, ScriptedJob(self.random.choice(["success", "success", "failure"])))

    async def push(self, number: int) -> None:
        if self.repository.pulls[number + 1].issue.state == "open":
            await self.hub.push(self.repository, f"b{number}", {f"more{self.random.random()}": "x"})

    async def base(self, _number: int) -> None:
        await self.hub.push(self.repository, "main", {f"base{self.random.random()}": "x"}, pusher="ada")

    async def wait(self, _number: int) -> None:
        self.hub.world.clock_offset += timedelta(minutes=self.random.choice([1, 61]))


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_happens_only_tested_groups_land(hub: SimulatedGitHub, seed: int) -> None:
    repository = await shop(hub, {CI: TEST_WORKFLOW})
    await hub.set_ruleset(repository, "main", [required("test", 15368), queue()])
    chance = Chance(hub, repository, seed)
    await chance.open()
    for _ in range(STEPS):
        await chance.step()
    await hub.settle()
    git, green = hub.git(repository), set()
    for run in repository.check_runs.values():
        if run.conclusion == "success":
            green.add(run.head_sha)
    for row in repository.activity:
        if row.activity_type == "merge_queue_merge":
            assert row.after in green
            assert (await git.commit(row.after)).parents[0] == row.before
    refs = await git.refs("refs/heads/gh-readonly-queue/")
    assert set(refs) == {e.group_ref for e in repository.queues.get("main", []) if e.group_ref}
    merged = [pull for pull in repository.pulls.values() if pull.merged_at]
    landed = [row.after for row in repository.activity if row.activity_type == "merge_queue_merge"]
    assert sorted(pull.merge_commit_sha or "" for pull in merged) == sorted(landed)
    base = await git.rev_parse("refs/heads/main")
    for entry in repository.queues.get("main", []):
        assert entry.base_sha == base
        base = entry.group_sha
