"""What GitHub forgets or gives up on as time passes.

Since 2026-10-01 one retention setting covers workflow runs, check suites, check runs, statuses, artifacts and logs,
those of third-party Apps included. A check run that is not completed within fourteen days becomes `stale`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tests.github.state import Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

STALE_AFTER = timedelta(days=14)


def attach(github: SimulatedGitHub) -> None:
    async def settle() -> bool:
        sweep(github)
        return False

    github.settlers.append(settle)


def sweep(github: SimulatedGitHub) -> None:
    """Remove what is older than `switches.retention_days`; mark old open check runs stale."""
    world = github.world
    limit = world.now() - timedelta(days=world.switches.retention_days)
    for repository in world.repositories.values():
        _mark_stale(repository, world.now())
        _forget(repository, limit)


def _mark_stale(repository: Repository, now: datetime) -> None:
    for run in repository.check_runs.values():
        began = run.started_at or run.created_at
        if run.status != "completed" and now >= began + STALE_AFTER:
            run.status, run.conclusion, run.completed_at = "completed", "stale", now


def _forget(repository: Repository, limit: datetime) -> None:
    repository.statuses[:] = [status for status in repository.statuses if status.created_at > limit]
    for run in [run for run in repository.runs.values() if (run.created_at or limit) <= limit]:
        del repository.runs[run.id]
    for check in [check for check in repository.check_runs.values() if check.created_at <= limit]:
        del repository.check_runs[check.id]
    used = {check.suite_id for check in repository.check_runs.values()} | {r.suite_id for r in repository.runs.values()}
    for suite in [suite for suite in repository.suites.values() if suite.created_at <= limit and suite.id not in used]:
        del repository.suites[suite.id]
