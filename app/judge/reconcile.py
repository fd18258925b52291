"""Calling one judge about one subject, outside of the pull request's own work."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

import structlog
from prometheus_client import Counter

from app.gate.gate import Gate
from app.judge.matter import NotShown, matter_of
from app.judge.reply import read_answer
from app.keys import JudgeKey, PullKey
from app.store import opinions, pulls, work
from app.store.opinions import Ended, StoredOpinion
from app.store.work import Mark
from app.store.worker import Done, Outcome, Sleep

log = structlog.get_logger(__name__)

MOST_TRIES = 3  # calls that may begin; one whose process was killed did not end
NO_PLACE = timedelta(seconds=5)
CALLS = Counter("mergegate_judge_calls", "Calls of independent judges, by how they ended", ["judge", "said"])


async def reconcile_opinion(gate: Gate, key: JudgeKey) -> Outcome:
    """Raises GitHub's errors and MissingObjects; what was said is kept before anything else looks at it."""
    async with gate.database.transaction() as connection:
        row = await opinions.find(connection, key.opinion)
    if row is None or row.said is not None:
        return Done()
    because = await _because_not(gate, row)
    if because is not None:
        return await _ended(gate, key, row, Ended("cannot_tell", (because,)))
    if gate.judges.places.locked():
        return Sleep(NO_PLACE)
    async with gate.judges.places:
        return await _ended(gate, key, row, await _called(gate, key, row))


async def _because_not(gate: Gate, row: StoredOpinion) -> str | None:
    """Why it is not called, in words that end a sentence."""
    if row.judge not in gate.judges.programs:
        return "this server does not have it any more"
    if row.tries >= MOST_TRIES:
        return f"{row.tries} calls of it were broken off"
    async with gate.database.transaction() as connection:
        pull = await pulls.find_pull(connection, row.repository_id, row.number)
    if pull is None or not pull.open or pull.head_sha != row.head_sha:
        return "the pull request moved on before it was asked"
    return None


async def _called(gate: Gate, key: JudgeKey, row: StoredOpinion) -> Ended:
    repository = await gate.repository(key.installation_id, key.repository_id)
    try:
        given = await matter_of(gate, key.installation_id, repository, row)
    except NotShown as nothing:
        return Ended("cannot_tell", (str(nothing),))
    async with gate.database.transaction() as connection:
        await opinions.begin(connection, row.id, gate.now())
    answer = await gate.judges.call(row.judge, given)
    return replace(read_answer(answer), given_digest=_digest(given), output_digest=_digest(answer.output))


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


async def _ended(gate: Gate, key: JudgeKey, row: StoredOpinion, ended: Ended) -> Outcome:
    async with gate.database.transaction() as connection:
        if await opinions.end(connection, row.id, ended, gate.now()):
            await work.mark(connection, [Mark(str(PullKey(key.installation_id, row.repository_id, row.number)))])
    CALLS.labels(row.judge, ended.said).inc()
    log.info("judged", judge=row.judge, number=row.number, said=ended.said, code=ended.exit_code)
    return Done()
