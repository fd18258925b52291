"""A gate beside a simulated GitHub in one process: webhooks, worker and API without a socket.

`settle` lets everything happen that can happen, then looks at every open key once more and fails if that second look
would still change anything: reconciling twice in a row plans nothing, in every story.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from fastapi import FastAPI

from app.ci.servers import CiServer
from app.config import AppSettings
from app.gate.fanout import fan_out_repository
from app.gate.gate import Gate
from app.gate.mirror import Mirrors, Remote
from app.gate.names import RepositoryName
from app.gate.presets import read_presets
from app.gate.reconcile import Reconciler
from app.github.budgets import UNLIMITED
from app.github.client import Settings as ClientSettings
from app.github.clients import GitHubApp
from app.github.identity import AppIdentity
from app.intake.webhook import PATH, Intake
from app.keys import BoardKey, PeopleKey, RepositoryKey, TicketKey, WatchKey
from app.secret import SecretStr
from app.store.database import Database
from app.store.deliveries import DeliveryWriter
from app.store.work import Lease
from app.store.worker import Outcome, Worker
from app.tickets.parts import TicketParts
from app.tickets.reconcile import reconcile
from tests.github.events import ZERO
from tests.github.gateway import RequestRecord
from tests.github.operations.pushes import RefCommand, record_ref_change
from tests.github.server import SimulatedGitHub
from tests.github.state import App, CheckRun, Installation, PullRequest, Repository

SECRET = "webhook-secret"
PUBLIC = "https://gate.example"
GATE_PERMISSIONS = {
    "actions": "write",
    "administration": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "members": "read",
    "merge_queues": "read",
    "pull_requests": "write",
    "statuses": "write",
}
GATE_EVENTS = (
    "check_run",
    "check_suite",
    "issue_comment",
    "issues",
    "member",
    "membership",
    "merge_group",
    "pull_request",
    "pull_request_review",
    "push",
    "repository",
    "repository_ruleset",
    "status",
    "team",
    "workflow_run",
)
WRITES = ("POST", "PATCH", "PUT", "DELETE")


@dataclass
class Scene:
    """`clock` is added to the gate's time."""

    github: SimulatedGitHub
    gate: Gate
    app: App
    installation: Installation
    worker: Worker
    tickets: TicketParts
    clock: timedelta = timedelta(0)
    interval: timedelta = timedelta(minutes=10)

    async def settle(self) -> None:
        """Until neither side has anything left to do; then a second look must plan nothing."""
        await self.run_to_rest()
        await self.assert_settled()

    async def run_to_rest(self) -> None:
        """Everything that follows from what happened so far, without the second look."""
        for _ in range(200):
            await self.github.settle()
            await self._wake_sleepers()
            if await self.worker.drain() == 0:
                return
        raise AssertionError("gate and simulated GitHub do not come to rest")

    async def _wake_sleepers(self) -> None:
        """What sleeps for a moment is due at once; longer waits (errored, resync) stay."""
        await self.gate.database.query(
            "update work set due_at = now() where not parked and due_at between now() and now() + interval '5 seconds'"
        )

    async def hurry(self) -> None:
        """What waits after a failure is due at once."""
        await self.gate.database.query("update work set due_at = now(), parked = false")

    async def assert_settled(self) -> None:
        before = len(self.writes())
        await self.resync()
        for _ in range(50):
            await self._wake_sleepers()
            if await self.worker.drain() == 0:
                break
        again = [f"{one.method} {one.path}" for one in self.writes()[before:]]
        assert again == [], f"a second look wrote again: {again}"

    async def resync(self) -> None:
        """Mark everything that is open, as the clock does."""
        for repository in self.github.world.repositories.values():
            await fan_out_repository(self.gate, RepositoryKey(self.installation.id, repository.id))

    async def merge_by_hand(self, repository: Repository, pull: PullRequest, login: str) -> None:
        """A person presses the merge button."""
        headers = {"authorization": f"Bearer {self.github.user_token(login)}", "x-github-api-version": "2026-03-10"}
        transport = httpx.ASGITransport(app=self.github.app)
        async with httpx.AsyncClient(transport=transport, base_url=self.github.world.base_url, headers=headers) as ada:
            answer = await ada.put(f"/repos/{repository.full_name}/pulls/{pull.number}/merge", json={})
            answer.raise_for_status()

    def requests(self) -> list[RequestRecord]:
        """The gate's own requests so far, without minting."""
        return [one for one in self.github.requests if one.app_id == self.app.id and "access_tokens" not in one.path]

    def writes(self) -> list[RequestRecord]:
        return [one for one in self.requests() if _is_write(one)]

    def checks(self, repository: Repository, sha: str) -> Mapping[str, str]:
        """Name to conclusion, or to status while open, of the gate's check runs on a commit."""
        return {run.name: run.conclusion or run.status for run in self.check_runs(repository, sha)}

    def check_runs(self, repository: Repository, sha: str) -> Sequence[CheckRun]:
        return [run for run in repository.check_runs.values() if run.app_id == self.app.id and run.head_sha == sha]

    def summary(self, repository: Repository, pull: PullRequest, name: str) -> str:
        """Title and summary of the newest check run of that name on the head."""
        runs = [run for run in self.check_runs(repository, pull.head_sha) if run.name == f"mergegate/{name}"]
        newest = max(runs, key=lambda run: run.id)
        return f"{newest.title}\n{newest.summary}"

    def verdict(self, repository: Repository, pull: PullRequest) -> Mapping[str, str]:
        """The pull request's checks, short: {"evidence": "success", …}; two runs of one name fail."""
        runs = self.check_runs(repository, pull.head_sha)
        names = [run.name for run in runs]
        assert len(names) == len(set(names)), f"duplicate check runs: {names}"
        return {run.name.removeprefix("mergegate/"): run.conclusion or run.status for run in runs}


def _is_write(one: RequestRecord) -> bool:
    if one.operation is not None:
        return one.operation in ("Enqueue", "Dequeue")
    return one.method in WRITES


class SceneMirrors(Mirrors):
    """Pushes go to the repository's folder, past the server; here GitHub learns of them."""

    def __init__(self, folder: Path, github: SimulatedGitHub, login: str) -> None:
        async def remote(_: int, repository: RepositoryName) -> Remote:
            return Remote(str(github.world.repositories[repository.id].git), {"GIT_CONFIG_COUNT": "0"})

        super().__init__(folder, remote)
        self.github = github
        self.login = login

    async def push(self, installation_id: int, repository: RepositoryName, commit: str, ref: str) -> None:
        on_github = self.github.world.repositories[repository.id]
        before = await self.github.git(on_github).rev_parse(ref) or ZERO
        await super().push(installation_id, repository, commit, ref)
        if before != commit:
            await record_ref_change(self.github, on_github, RefCommand(before, commit, ref), self.login)


@contextlib.asynccontextmanager
async def scene(
    root: Path, database: Database, account: str = "acme", ci_servers: tuple[CiServer, ...] = ()
) -> AsyncIterator[Scene]:
    """An installed gate on an empty simulated GitHub; `account` is the organisation it is installed on."""
    github = SimulatedGitHub.create(root / "github")
    app, private_key = github.register_app(
        "mergegate", GATE_PERMISSIONS, GATE_EVENTS, f"http://gate.invalid{PATH}", SECRET
    )
    github.organization(account)
    installation = github.install(app, account)
    settings = AppSettings(app_id=app.id, private_keys=(SecretStr(private_key),))
    clients = GitHubApp(
        AppIdentity("gate", app.id, settings.private_keys, github.world.base_url),
        settings=ClientSettings(writes=UNLIMITED),
        connect=lambda: httpx.ASGITransport(app=github.app),
    )
    made: list[Scene] = []

    gate = Gate(
        database,
        clients,
        SceneMirrors(root / "mirrors", github, app.bot_login),
        read_presets(),
        app.id,
        lambda: datetime.now(UTC) + (made[0].clock if made else timedelta(0)),
        PUBLIC,
        ci_servers=ci_servers,
    )

    async def of_ticket(lease: Lease, key: TicketKey | BoardKey | PeopleKey | WatchKey) -> Outcome:
        return await reconcile(made[0].tickets, lease, key)

    worker = Worker(database, Reconciler(gate, timedelta(minutes=10), of_ticket), 4)
    made.append(Scene(github, gate, app, installation, worker, TicketParts(gate)))
    async with DeliveryWriter(database) as writer:
        web = FastAPI()
        web.include_router(Intake(writer, (SecretStr(SECRET),), frozenset({app.id})).router())
        github.webhooks.transport = httpx.ASGITransport(app=web)
        try:
            yield made[0]
        finally:
            await github.stop()
            await clients.aclose()
    assert github.crashes == []
