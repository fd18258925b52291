"""Check runs on a commit as GitHub lists them: ours, and those of everybody else. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.gate.memory import as_written
from app.gate.observation import OwnRun
from app.github.models import CheckRun as ListedRun
from app.github.models import CheckSuite, HeadCommit
from app.store.check_runs import CheckRun as StoredRun
from checks.runs import CheckRun
from checks.unread import Unread


def _listed(head: HeadCommit) -> Iterator[tuple[CheckSuite, ListedRun]]:
    for suite in head.check_suites.nodes if head.check_suites else ():
        for run in suite.check_runs.nodes if suite.check_runs else ():
            yield suite, run


def _is_of(suite: CheckSuite, app_id: int) -> bool:
    return suite.app is not None and suite.app.database_id == app_id


def foreign_check_runs(head: HeadCommit, own_app_id: int) -> tuple[CheckRun, ...] | Unread:
    """Check runs of every App but ours."""
    if not head.complete:
        return Unread("GitHub's list of check runs is cut")
    return tuple(
        CheckRun(
            run.database_id,
            run.name,
            suite.app.database_id if suite.app else None,
            suite.app.slug if suite.app else None,
            run.status.lower(),
            run.conclusion.lower() if run.conclusion else None,
            run.details_url,
            run.completed_at,
        )
        for suite, run in _listed(head)
        if not _is_of(suite, own_app_id)
    )


def own_runs(head: HeadCommit, own_app_id: int, stored: Sequence[StoredRun]) -> tuple[OwnRun, ...]:
    """Our check runs. A listing can lag behind our own write, so one that is not listed counts as it was written."""
    written = {run.check_run_id: run for run in stored}
    listed = {
        run.database_id: OwnRun(
            run.database_id,
            run.name,
            run.status.lower(),
            run.conclusion.lower() if run.conclusion else None,
            run.external_id or "",
            written[run.database_id].output_digest if run.database_id in written else None,
            run.started_at,
            written[run.database_id].external_id if run.database_id in written else None,
        )
        for suite, run in _listed(head)
        if _is_of(suite, own_app_id)
    }
    unlisted = [as_written(run) for run in stored if run.check_run_id not in listed]
    return (*listed.values(), *unlisted)
