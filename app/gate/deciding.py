"""Decisions as the store keeps them: what was seen, by which policy, and what followed. Each can be judged again.

A verdict on a merge group, or on a trial of the serial queue, is a decision like one on a pull request. So are those on
its members, at that moment: the group's snapshot holds no more of them than how they ended.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from pydantic import TypeAdapter

from app.gate.effects import Effect
from app.gate.recorded import dump_snapshot
from app.gate.replaying import dump_policy
from app.keys import GroupKey, PullKey, QueueKey
from app.store import decided_policies, decisions
from app.store.database import Connection
from app.store.decisions import Decision
from checks.group_snapshot import GroupSnapshot
from checks.snapshot import Snapshot
from policies.load import PolicyState
from policies.verdict import GroupVerdict, Verdict

_EFFECTS: TypeAdapter[tuple[Effect, ...]] = TypeAdapter(tuple[Effect, ...])


@dataclass(frozen=True, slots=True)
class Decided:
    """A verdict with what it rests on. `effects` are those that were carried out, `requests` GitHub's by purpose."""

    snapshot: Snapshot | GroupSnapshot
    state: PolicyState
    verdict: Verdict | GroupVerdict
    effects: Sequence[Effect] = ()
    requests: Mapping[str, int] = field(default_factory=dict)
    gated: bool = True


async def record_news(connection: Connection, key: PullKey | GroupKey | QueueKey, decided: Decided) -> int | None:
    """Record it where something was done or something is new since the last decision about this key; its id."""
    if not decided.effects and not _is_news(await decisions.latest(connection, str(key)), decided):
        return None
    policy = await decided_policies.keep(connection, dump_policy(decided.state))
    return await decisions.record(connection, _decision(key, decided, policy))


def _is_news(latest: Decision | None, decided: Decided) -> bool:
    if latest is None:
        return True
    verdict = decided.verdict
    now = (verdict.key, verdict.evidence.status, verdict.review.status)
    return now != (latest.verdict_key, latest.verdict["evidence"]["status"], latest.verdict["review"]["status"])


def _decision(key: PullKey | GroupKey | QueueKey, decided: Decided, policy: str) -> Decision:
    return Decision(
        key=str(key),
        repository_id=key.repository_id,
        head_sha=decided.verdict.head_sha,
        verdict_key=decided.verdict.key,
        verdict=asdict(decided.verdict),
        snapshot=dump_snapshot(decided.snapshot),
        plan=json.loads(_EFFECTS.dump_json(tuple(decided.effects))),
        requests=dict(decided.requests),
        policy=policy,
        gated=decided.gated,
    )
