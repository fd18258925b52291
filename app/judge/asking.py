"""Asking a judge, which is noted in the store and called by a key of its own; and what was said, for the snapshot."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from app.gate.effects import AskJudge
from app.gate.gate import Gate
from app.keys import JudgeKey
from app.store import opinions, work
from app.store.opinions import StoredOpinion
from app.store.work import Mark
from app.utc_day import day_begun
from checks.opinions import Opinion, Opinions
from checks.snapshot import Snapshot
from policies.load import PolicyState
from policies.schema import Policy

LATE = timedelta(minutes=1)


async def with_opinions(gate: Gate, installation_id: int, state: PolicyState, snapshot: Snapshot) -> Snapshot:
    """The snapshot with what judges said of its head, where a policy that judges it asks any. Calls that are late are
    looked at again."""
    if snapshot.number is None or not any(map(_asks, state.policies)):
        return snapshot
    repository_id = snapshot.repository.id
    async with gate.database.transaction() as connection:
        rows = await opinions.of_head(connection, repository_id, snapshot.number, snapshot.head.sha)
        # An older version beside this one, in an upgrade, ends the keys that it does not know.
        late = [row for row in rows if row.said is None and snapshot.observed_at - row.asked_at > LATE]
        keys = [str(JudgeKey(installation_id, repository_id, row.id)) for row in late]
        await work.mark(connection, [Mark(key, news=False) for key in keys])
        calls, cost = await opinions.of_day(connection, repository_id, day_begun(snapshot.observed_at))
    given = tuple(_as_seen(row) for row in rows)
    return replace(snapshot, opinions=Opinions(given, frozenset(gate.judges.programs), calls, float(cost)))


def _asks(policy: Policy) -> bool:
    rules = policy.judge
    return bool(rules.low or rules.medium or rules.high or rules.critical)


def _as_seen(row: StoredOpinion) -> Opinion:
    return Opinion(row.id, row.judge, row.asked_at, row.said, tuple(row.reasons), row.output_digest)


async def ask_judge(gate: Gate, installation_id: int, repository_id: int, effect: AskJudge) -> None:
    """Once for a subject. Where the day is used up meanwhile, the next look says so."""
    now = gate.now()
    row = StoredOpinion(
        id=effect.id,
        repository_id=repository_id,
        number=effect.number,
        ticket=effect.ticket,
        ticket_digest=effect.ticket_digest,
        judge=effect.order.judge,
        head_sha=effect.head_sha,
        base_sha=effect.base_sha,
        target_sha=effect.target_sha,
        asked_at=now,
    )
    order = effect.order
    async with gate.database.transaction() as connection:
        if await opinions.ask(connection, row, day_begun(now), calls=order.calls, cost=order.cost):
            await work.mark(connection, [Mark(str(JudgeKey(installation_id, repository_id, effect.id)))])
