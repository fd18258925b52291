"""What a judge is shown: the accepted ticket, the difference, and what the gate itself fetched of the runs on the head.

Nothing of it is the agent's own account of its work: no bundle, no title, no comment. All of it is bounded; a
difference that is too large is not cut, because nobody could say what the rest holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from app.gate.gate import Gate
from app.gate.git import GitFailed, GitObjects, GitTooLarge, run_git
from app.gate.names import RepositoryName
from app.github import actions
from app.github.client import GitHubClient
from app.github.errors import NotFound, TooLarge
from app.redaction import without_credentials
from app.store import ci_runs, verifications
from app.store.opinions import StoredOpinion
from app.store.tickets import snapshots
from checks.ci_runs import current_jobs
from checks.runs import Job, JobLog, WorkflowRun

LARGEST_DIFFERENCE = 1024 * 1024  # bytes
LONGEST_OUTPUT = 32 * 1024  # bytes of a job's log, from its end
LARGEST_LOG = 16 * 1024 * 1024  # bytes; of a longer one nothing is shown
MOST_JOBS = 12
PATCH = (
    *("diff-tree", "-r", "-p", "-M", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--end-of-options"),
)

_RUN: TypeAdapter[WorkflowRun] = TypeAdapter(WorkflowRun)


class NotShown(RuntimeError):
    """There is nothing that the judge could be shown; the message is the end of a sentence."""


async def matter_of(gate: Gate, installation_id: int, repository: RepositoryName, row: StoredOpinion) -> bytes:
    """One JSON object in ASCII. Raises NotShown, MissingObjects and GitHub's errors."""
    matter = {
        "version": 1,
        "head": row.head_sha,
        "base": row.base_sha,
        "target": row.target_sha,
        "ticket": await _ticket(gate, row),
        "diff": await _difference(gate, installation_id, repository, row),
        "runs": await _runs(gate, gate.client(installation_id), repository, row),
    }
    return json.dumps(matter).encode()


async def _ticket(gate: Gate, row: StoredOpinion) -> dict[str, Any] | None:
    if row.ticket is None:
        return None
    async with gate.database.transaction() as connection:
        held = await snapshots.newest(connection, row.repository_id, row.ticket)
    if held is None or held.digest != row.ticket_digest:
        raise NotShown("the ticket was accepted anew before it was asked")
    return {
        "number": held.number,
        "digest": held.digest,
        "fields": held.form.fields,
        "redirects": list(held.redirects),
    }


async def _difference(gate: Gate, installation_id: int, repository: RepositoryName, row: StoredOpinion) -> str:
    refs = (f"refs/pull/{row.number}/head",)
    try:
        objects = await gate.mirrors.objects(installation_id, repository, refs=refs, oids=(row.head_sha, row.base_sha))
        return (await patch(objects, row.base_sha, row.head_sha)).decode("utf-8", "backslashreplace")
    except GitTooLarge:
        raise NotShown(f"the difference is larger than {LARGEST_DIFFERENCE} bytes") from None
    except GitFailed as wrong:
        raise NotShown(f"the difference could not be read: {wrong}") from wrong


async def patch(objects: GitObjects, old: str, new: str) -> bytes:
    """The difference of two commits as git writes it. Raises GitTooLarge, GitFailed."""
    _, out, _ = await run_git(objects.folder, (*PATCH, old, new), most=LARGEST_DIFFERENCE)
    return out


async def _runs(
    gate: Gate, client: GitHubClient, repository: RepositoryName, row: StoredOpinion
) -> list[dict[str, Any]]:
    """The verifier's first: it is the gate's own."""
    async with gate.database.transaction() as connection:
        started = await verifications.of_head(connection, repository.id, row.head_sha)
        kept = await ci_runs.of_head(connection, repository.id, row.head_sha)
    verified = [_RUN.validate_python(one.facts) for one in started if one.facts is not None]
    runs = [*verified, *(_RUN.validate_python(facts) for facts in kept)]
    shown = [(run, job) for run in runs for job in current_jobs(run)][:MOST_JOBS]
    outputs = {job.id: await _output(client, repository, job) for _, job in shown}
    return [_run(run, outputs, verifier=run in verified) for run in runs]


def _run(run: WorkflowRun, outputs: dict[int, dict[str, Any]], *, verifier: bool) -> dict[str, Any]:
    jobs: Sequence[Job] = current_jobs(run)
    return {
        "workflow": run.path,
        "event": run.event,
        "attempt": run.attempt,
        "conclusion": run.conclusion,
        "verifier": verifier,
        "jobs": [{"name": job.name, "conclusion": job.conclusion, **outputs.get(job.id, {})} for job in jobs],
    }


async def _output(client: GitHubClient, repository: RepositoryName, job: Job) -> dict[str, Any]:
    """The end of a job's raw log, if it still is the one that was judged."""
    if not isinstance(job.log, JobLog):
        return {}
    try:
        log = await actions.job_log(client, repository.owner, repository.name, job.id, limit_bytes=LARGEST_LOG)
    except (NotFound, TooLarge):
        return {"digest": job.log.digest}
    if "sha256:" + hashlib.sha256(log).hexdigest() != job.log.digest:
        return {"digest": job.log.digest}
    end = log[-LONGEST_OUTPUT:].decode("utf-8", "replace")
    return {"digest": job.log.digest, "output": without_credentials(end), "cut": len(log) > LONGEST_OUTPUT}
