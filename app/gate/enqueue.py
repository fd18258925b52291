"""Asking GitHub's merge queue to take a pull request at exactly one head, and reading the entry back.

The asynchronous merge API is asked first; a server without it (404), or one that refuses it to Apps (403), gets the
GraphQL mutation. Rules are never bypassed. An acceptance proves nothing: only the entry does.
Source: https://docs.github.com/rest/pulls/pulls#merge-a-pull-request-asynchronously
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

import structlog

from app.gate.effects import Enqueue
from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.github import graph, reads, writes
from app.github.client import GitHubClient
from app.github.errors import NotFound, Refused
from app.github.rest_models import AsyncMerge, AsyncMergeAnswer
from app.store import pulls
from app.store.worker import Retry

log = structlog.get_logger(__name__)

POLLS = (0.2, 0.5, 1.0, 2.0)  # seconds between looks at a pending request; the next reconcile goes on


async def enqueue(gate: Gate, client: GitHubClient, repository: RepositoryName, effect: Enqueue) -> None:
    """Raises Retry while the entry is not there, Refused when GitHub's rules forbid it.

    That it is asked for is stored before: who dies right after asking must not ask again when the queue has evicted it.
    """
    async with gate.database.transaction() as connection:
        await pulls.save_enqueued(connection, repository.id, effect.number, None, effect.expected_head)
    try:
        entry_id = await _by_async_merge(client, repository, effect)
    except (NotFound, Refused) as wrong:
        log.info("no asynchronous merge, using the mutation", because=str(wrong))
        entry_id = (await writes.enqueue(client, repository.name, effect.pull_id, head=effect.expected_head)).id
    async with gate.database.transaction() as connection:
        await pulls.save_enqueued(connection, repository.id, effect.number, entry_id, effect.expected_head)


async def _by_async_merge(client: GitHubClient, repository: RepositoryName, effect: Enqueue) -> str:
    answer = await writes.merge_async(
        client,
        repository.owner,
        repository.name,
        effect.number,
        sha=effect.expected_head,
        action="merge_queue",
    )
    _refuse_foreign(answer, effect)
    merge = await settled_request(client, repository, effect.number, answer.merge)
    if merge.status == "failed":
        raise Retry(timedelta(seconds=30), f"GitHub did not enqueue it: {merge.details.message}")
    entry = (await graph.pull_head(client, repository.owner, repository.name, effect.number)).merge_queue_entry
    if entry is None:
        raise Retry(timedelta(seconds=2), "GitHub took the request and shows no queue entry yet")
    return entry.id


def _refuse_foreign(answer: AsyncMergeAnswer, effect: Enqueue) -> None:
    """Somebody else's pending request stands in the way; one that is not ours to the letter is said aloud."""
    details = answer.merge.details
    if not answer.foreign:
        return
    same = details.expected_head_sha == effect.expected_head and details.merge_action == "merge_queue"
    if same and not details.bypass_rules:
        return
    log.error("a merge around the gate is pending", number=effect.number, bypass=details.bypass_rules)
    raise Retry(timedelta(seconds=30), "another merge request for this pull request is pending")


async def settled_request(
    client: GitHubClient, repository: RepositoryName, number: int, merge: AsyncMerge
) -> AsyncMerge:
    """The request after the first few looks; one that is still pending then is looked at by the next reconcile."""
    for pause in POLLS:
        if merge.status != "pending" or merge.details.uuid is None:
            return merge
        await asyncio.sleep(pause)
        merge = await reads.async_merge(client, repository.owner, repository.name, number, merge.details.uuid)
    return merge
