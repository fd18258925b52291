"""Whether this process can do its work now, and if not, why."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.github import installations
from app.github.client import GitHubClient
from app.github.errors import GitHubDown, GitHubError, RateLimited
from app.store.database import Database
from app.store.worker import Worker
from app.web.troubles import troubles_of

ASKED_EVERY = 60.0  # seconds between two questions to GitHub


@dataclass
class Readiness:
    """`app` is the App's own client; `worker` is None where this process has none.

    An outage of GitHub or a used-up budget is no reason not to be ready: deliveries are taken in all the while.
    """

    database: Database
    app: GitHubClient
    worker: Worker | None = None
    draining: bool = False
    clock: Callable[[], float] = time.monotonic
    _asked_at: float | None = None
    _refused: str | None = None
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def troubles(self) -> dict[str, str]:
        """Part to what is wrong with it; empty when ready."""
        github, worker = await self._github(), self._worker()
        return await troubles_of(self.database, draining=self.draining, github=github, worker=worker)

    async def _github(self) -> str | None:
        """Whether GitHub takes the App's key, as it was at most a minute ago."""
        async with self._asking:
            if self._asked_at is None or self.clock() - self._asked_at >= ASKED_EVERY:
                self._refused = await self._ask()
                self._asked_at = self.clock()
            return self._refused

    async def _ask(self) -> str | None:
        try:
            await installations.this_app(self.app)
        except (GitHubDown, RateLimited):
            return None
        except GitHubError as wrong:
            return str(wrong)
        return None

    def _worker(self) -> str | None:
        if self.worker is None or self.worker.makes_progress():
            return None
        return "the worker makes no progress; look at the log, and restart it"
