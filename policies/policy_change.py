"""A pull request that changes the policy: what the new file would make of the open pull requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from checks.snapshot import PolicyProposal, Snapshot, VerdictChange
from policies.evaluate import evaluate
from policies.floor import with_floor
from policies.load import PolicySource, PolicyState, read_policy


def proposed_state(now: PolicyState, source: PolicySource, presets: Mapping[str, str]) -> PolicyState:
    """The state that a proposed file would lead to, under the same baseline."""
    return with_floor(read_policy(source, presets), now.floor)


def propose(now: PolicyState, after: PolicyState, others: Sequence[Snapshot], total: int) -> PolicyProposal:
    """What is to be said of a proposed policy. `others` are the open pull requests that were looked at, of `total`."""
    deleted = after.source.text is None
    if after.origin in ("broken", "unread"):
        faults = tuple(map(str, after.errors)) or (after.because,)
        return PolicyProposal(faults, deleted, total=total)
    changes = tuple(verdict_changes(now, after, others))
    return PolicyProposal((), deleted, changes, compared=len(others), total=total)


def verdict_changes(before: PolicyState, after: PolicyState, of: Sequence[Snapshot]) -> Iterator[VerdictChange]:
    """Those whose verdict another policy would change, in the order given."""
    for snapshot in of:
        old, new = (evaluate(state, snapshot, gated=True).status for state in (before, after))
        if old is not new:
            yield VerdictChange(snapshot.number or 0, old.value, new.value)
