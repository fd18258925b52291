"""A decision judged again from what was stored with it. It must give the stored verdict, whatever GitHub says today."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from app.gate.recorded import UnreadableRecord, read_group_snapshot, read_snapshot
from app.keys import PullKey, parse_key
from app.store.decisions import Decision
from app.store.stored import storable
from policies.evaluate import evaluate
from policies.load import PolicyState
from policies.merge_group import evaluate_group
from policies.verdict import GroupVerdict, Verdict

MOST_DIFFERENCES = 50


@dataclass(frozen=True, slots=True)
class Replay:
    """`differences` are places in the verdict with what was stored and what comes out now; none: it is the same."""

    stored: str  # digest of the verdict
    again: str
    differences: tuple[str, ...] = ()


def dump_policy(state: PolicyState) -> bytes:
    """Without the commit that the policy was read at, which moves while the policy stays."""
    same = replace(state, source=replace(state.source, sha=""))
    return _states().dump_json(same, exclude_unset=True, by_alias=True)


def read_policy_state(record: bytes) -> PolicyState:
    """Raises UnreadableRecord."""
    try:
        state: PolicyState = _states().validate_json(record)
    except ValueError as wrong:  # pydantic's is one
        raise UnreadableRecord(f"the recorded policy cannot be read back: {str(wrong)[:300]}") from wrong
    return state


@cache
def _states() -> TypeAdapter[Any]:
    """Built when one is needed: it takes longer than a judgement."""
    return TypeAdapter(PolicyState)


def replay(decision: Decision, policy: bytes | None) -> Replay:
    """Raises UnreadableRecord for a decision of another version, which kept less or something else."""
    if policy is None or decision.gated is None:
        raise UnreadableRecord("an earlier version recorded it, without the policy that it was judged by")
    again = as_stored(_judged(decision, read_policy_state(policy), gated=decision.gated))
    told = []
    for difference in _differences("", decision.verdict, again):
        told.append(difference)
        if len(told) == MOST_DIFFERENCES:
            break
    return Replay(_digest(decision.verdict), _digest(again), tuple(told))


def _judged(decision: Decision, state: PolicyState, *, gated: bool) -> Verdict | GroupVerdict:
    if isinstance(parse_key(decision.key), PullKey):
        return evaluate(state, read_snapshot(decision.snapshot), gated=gated)
    return evaluate_group(state, read_group_snapshot(decision.snapshot))


def as_stored(verdict: Verdict | GroupVerdict) -> Any:
    """The verdict in the form in which it comes back from the store."""
    return json.loads(json.dumps(storable(asdict(verdict))))


def _digest(verdict: Any) -> str:
    return "sha256:" + hashlib.sha256(json.dumps(verdict, sort_keys=True).encode()).hexdigest()


def _differences(path: str, stored: Any, again: Any) -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(again, dict):
        for key in sorted({*stored, *again}):
            yield from _differences(f"{path}.{key}" if path else key, stored.get(key), again.get(key))
    elif isinstance(stored, list) and isinstance(again, list) and len(stored) == len(again):
        for number, (one, other) in enumerate(zip(stored, again, strict=True)):
            yield from _differences(f"{path}[{number}]", one, other)
    elif stored != again:
        yield f"{path}: was {_shown(stored)}, is {_shown(again)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
