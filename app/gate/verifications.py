"""Verifier runs: started by the gate, known by the id that GitHub answers, read to their end once.

A row is written before GitHub is asked. Where the answer was lost the run is found by its name, which carries the row's
id; where GitHub never took the request the row lapses and the same id is asked for again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import quote

import structlog
from pydantic import TypeAdapter

from app.gate.effects import StartVerification
from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.runs import bare_run, completed_run, may_keep
from app.github import actions, writes
from app.github.client import GitHubClient
from app.github.errors import NotFound, Refused
from app.store import verifications
from app.store.verifications import StartedVerification
from checks.branches import BRANCHES
from checks.runs import Verification, WorkflowRun
from checks.unread import Unread

TITLE = "mergegate-verify {}"  # the workflow's run-name
LAPSES = timedelta(minutes=2)  # after that a run that GitHub does not show was never started
TRIED_AGAIN = timedelta(minutes=10)  # after GitHub refused to start it

REFUSED = "GitHub does not start {}; it must be on the default branch too, unchanged and not disabled"

log = structlog.get_logger(__name__)

_RUN: TypeAdapter[WorkflowRun] = TypeAdapter(WorkflowRun)


async def read_verifications(
    gate: Gate, client: GitHubClient, repository: RepositoryName, head_sha: str
) -> tuple[Verification, ...]:
    """Those of this head that were started; nothing is asked of GitHub about one that was read to its end."""
    async with gate.database.transaction() as connection:
        rows = await verifications.of_head(connection, repository.id, head_sha)
    found = [await _verification(gate, client, repository, row) for row in rows]
    return tuple(one for one in found if one is not None)


async def _verification(
    gate: Gate, client: GitHubClient, repository: RepositoryName, row: StartedVerification
) -> Verification | None:
    if row.refused is not None:
        return None if _is_older(row, TRIED_AGAIN, gate.now()) else _as_seen(row, Unread(row.refused))
    run_id = row.run_id or await _find(gate, client, repository, row)
    if run_id is not None:
        return _as_seen(row, await _run(gate, client, repository, row, run_id))
    return None if _is_older(row, LAPSES, gate.now()) else _as_seen(row, None)


def _as_seen(row: StartedVerification, run: WorkflowRun | Unread | None) -> Verification:
    return Verification(row.id, row.order_digest, row.target_sha, run, tuple(row.restored), tuple(row.new_tests))


def _is_older(row: StartedVerification, age: timedelta, now: datetime) -> bool:
    return row.started_at is not None and now - row.started_at > age


async def _run(
    gate: Gate, client: GitHubClient, repository: RepositoryName, row: StartedVerification, run_id: int
) -> WorkflowRun | Unread:
    if row.facts is not None:
        return _RUN.validate_python(row.facts)
    try:
        run = await actions.run(client, repository.owner, repository.name, run_id)
    except NotFound:
        return Unread(f"GitHub does not show the run {run_id}")
    if run.status != "completed":
        return bare_run(run)
    complete = await completed_run(client, repository, run)
    if may_keep(complete):
        async with gate.database.transaction() as connection:
            await verifications.completed(connection, row.id, _RUN.dump_python(complete, mode="json"))
    return complete


async def _find(gate: Gate, client: GitHubClient, repository: RepositoryName, row: StartedVerification) -> int | None:
    """The run whose start GitHub took but whose answer was lost; the lowest id is the first one."""
    runs = await actions.runs_of_head(client, repository.owner, repository.name, row.target_sha)
    login = await gate.github.login()
    named = [
        run.id
        for run in runs.items
        if run.display_title == TITLE.format(row.id) and run.actor is not None and run.actor.login == login
    ]
    if not named:
        return None
    async with gate.database.transaction() as connection:
        await verifications.started(connection, row.id, min(named))
    return min(named)


async def start_verification(
    gate: Gate, client: GitHubClient, repository: RepositoryName, effect: StartVerification
) -> None:
    """Raises GitHub's errors, but keeps a refusal for what the next look says."""
    order = effect.order
    row = StartedVerification(
        effect.id,
        repository.id,
        effect.head_sha,
        effect.target_sha,
        effect.policy_digest,
        order.digest,
        list(order.restored),
        list(order.new_tests),
    )
    async with gate.database.transaction() as connection:
        await verifications.start(connection, row)
    inputs = {
        "id": effect.id,
        "head": effect.head_sha,
        "target": effect.target_sha,
        "tree": effect.tree,
        "image": order.image,
        "setup": _lines(order.setup),
        "commands": _lines(order.commands),
        "network": str(order.network).lower(),
        "restore": encoded_paths(*order.restored),
        "new_tests": encoded_paths(*order.new_tests),
    }
    file, ref = order.workflow.rpartition("/")[2], effect.target_ref.removeprefix(BRANCHES)
    try:
        answer = await writes.dispatch(client, repository.owner, repository.name, file, ref=ref, inputs=inputs)
    except (NotFound, Refused) as refusal:
        log.warning("verifier not started", repository=repository.full_name, because=str(refusal))
        async with gate.database.transaction() as connection:
            await verifications.refused(connection, effect.id, REFUSED.format(order.workflow))
        return
    async with gate.database.transaction() as connection:
        await verifications.started(connection, effect.id, answer.workflow_run_id)


def encoded_paths(*paths: str) -> str:
    """One a line, as the workflow reads them: percent-encoded, so that a path may hold anything."""
    return _lines(tuple(quote(path.encode("utf-8", "surrogateescape")) for path in paths))


def _lines(values: tuple[str, ...]) -> str:
    return "".join(f"{value}\n" for value in values)
