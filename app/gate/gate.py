"""What every part of the loop is given: the database, GitHub, mirrors, shipped presets, the clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.ci.servers import CiServer
from app.gate.mirror import Mirrors
from app.gate.names import RepositoryName
from app.gate.shared_policies import SharedPolicies
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.github.errors import NotFound
from app.judge.judges import Judges
from app.keys import GroupKey, PullKey
from app.store import repositories
from app.store.database import Database
from app.store.prune import Periods
from policies.schema import Policy


@dataclass(frozen=True, slots=True)
class Gate:
    database: Database
    github: GitHubApp
    mirrors: Mirrors
    presets: Mapping[str, str]
    app_id: int
    now: Callable[[], datetime]
    public_url: str | None = None  # of the pages for people, without a slash at its end
    floor: Policy | None = None  # the server's baseline, which every repository must meet
    shared: SharedPolicies = field(default_factory=SharedPolicies)
    ci_servers: tuple[CiServer, ...] = ()  # of other CI systems, whose raw logs may be asked for
    keep: Periods = field(default_factory=Periods)  # how long rows are kept
    judges: Judges = field(default_factory=Judges)  # that policies may ask

    def client(self, installation_id: int) -> GitHubClient:
        return self.github.installation(installation_id)

    def forget(self, key: PullKey | GroupKey) -> None:
        """It is closed or gone: whatever was kept in this process for looks at it is let go."""
        self.mirrors.answers.forget(str(key))
        self.client(key.installation_id).etags.forget(str(key))

    async def repository(self, installation_id: int, repository_id: int) -> RepositoryName:
        """The repository's present name; asked once from GitHub if no delivery and no resync has told it.

        Raises NotFound when the installation cannot see it.
        """
        async with self.database.transaction() as connection:
            row = await repositories.find(connection, repository_id)
        if row is not None and row.installation_id == installation_id:
            return RepositoryName(row.repository_id, row.owner, row.name, row.default_branch)
        return await self._ask(installation_id, repository_id)

    async def _ask(self, installation_id: int, repository_id: int) -> RepositoryName:
        path = f"/repositories/{repository_id}"
        answer: dict[str, Any] = await self.client(installation_id).get(path, purpose="list:repository", model=dict)
        owner, _, name = str(answer.get("full_name", "")).partition("/")
        if not name:
            raise NotFound(f"GET {path}", "the answer names no repository")
        row = repositories.Repository(repository_id, installation_id, owner, name, answer.get("default_branch"))
        async with self.database.transaction() as connection:
            await repositories.save(connection, [row])
        return RepositoryName(repository_id, owner, name, row.default_branch)
