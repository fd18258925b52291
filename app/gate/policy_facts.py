"""What a policy's own words need to be known about a pull request, beyond what every judgement looks at."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from app.gate.gate import Gate
from app.gate.git import GitFailed, GitObjects
from app.gate.kept import same_change
from app.gate.overrides import read_overrides
from app.gate.policies import reused_text
from app.gate.recorded import UnreadableRecord, read_snapshot
from app.github.pull_models import PullRequest
from app.keys import PullKey
from app.store import decisions, pulls
from checks.snapshot import PolicyProposal, Snapshot
from checks.unread import Unread
from policies.load import MAX_BYTES, PolicySource, PolicyState
from policies.policy_change import propose, proposed_state
from policies.schema import POLICY_PATH

MOST_OTHERS = 30  # open pull requests that a proposed policy is tried on


async def with_policy_facts(
    gate: Gate, key: PullKey, pull: PullRequest, state: PolicyState, objects: GitObjects | Unread, snapshot: Snapshot
) -> Snapshot:
    """The snapshot with overrides, earlier heads of the same change, and what a changed policy file would do."""
    return replace(
        snapshot,
        overrides=read_overrides(pull, snapshot.head_seen_at),
        same_change=await _same_change(state, objects, snapshot),
        policy_proposal=await _proposal(gate, key, state, objects, snapshot),
    )


async def _same_change(state: PolicyState, objects: GitObjects | Unread, snapshot: Snapshot) -> frozenset[str]:
    wanted = state.policy.review.keep_on_clean_merge or (state.floor and state.floor.review.keep_on_clean_merge)
    if not wanted or isinstance(objects, Unread) or isinstance(snapshot.reviews, Unread):
        return frozenset()
    earlier = [review.commit for review in snapshot.reviews if review.state == "APPROVED"]
    return await same_change(objects, snapshot.target_sha, snapshot.head.sha, earlier)


async def _proposal(
    gate: Gate, key: PullKey, state: PolicyState, objects: GitObjects | Unread, snapshot: Snapshot
) -> PolicyProposal | Unread | None:
    if isinstance(snapshot.diff, Unread) or isinstance(objects, Unread):
        return None  # then what changes is not known, which is said and is high risk
    if not any(POLICY_PATH in file.paths for file in snapshot.diff.files):
        return None
    known = await _known(gate, key, state, snapshot)
    if known is not None:
        return known
    try:
        text = await _text_at(objects, snapshot.merge_tree or snapshot.head.sha)
    except GitFailed as wrong:
        return Unread(str(wrong))
    reused = await reused_text(gate, key.installation_id, text)
    source = PolicySource(text, snapshot.target_ref, snapshot.head.sha, "the policy file of this pull request", reused)
    others, total = await _others(gate, key, snapshot.base_ref)
    after = proposed_state(state, source, gate.presets)
    return await asyncio.to_thread(propose, state, after, others, total)


async def _known(gate: Gate, key: PullKey, state: PolicyState, snapshot: Snapshot) -> PolicyProposal | None:
    """What was found when this head was first judged: the others move on, and words that follow them never rest."""
    async with gate.database.transaction() as connection:
        latest = await decisions.latest(connection, str(key))
    if latest is None or (latest.head_sha, latest.verdict.get("policy_digest")) != (snapshot.head.sha, state.digest):
        return None
    for before in await asyncio.to_thread(_readable, [latest.snapshot]):
        proposal = before.policy_proposal
        return proposal if isinstance(proposal, PolicyProposal) and not proposal.faults else None
    return None


async def _text_at(objects: GitObjects, tree: str) -> str | Unread | None:
    oid = await objects.entry_at(tree, POLICY_PATH)
    if oid is None:
        return None
    content = await objects.blob(oid, MAX_BYTES)
    if content is None:
        return Unread("it is larger than 64 KiB")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return Unread("it is no UTF-8 text")


async def _others(gate: Gate, key: PullKey, base_ref: str) -> tuple[Sequence[Snapshot], int]:
    """What was last seen of the other open pull requests into the same branch, and how many there are."""
    async with gate.database.transaction() as connection:
        rows = await pulls.open_pulls(connection, key.repository_id)
        open_ = [row for row in rows if row.base_ref == base_ref and row.number != key.number]
        keys = [PullKey(key.installation_id, key.repository_id, row.number) for row in open_[:MOST_OTHERS]]
        found = [await decisions.latest(connection, str(each)) for each in keys]
    records = [decision.snapshot for decision in found if decision is not None]
    return await asyncio.to_thread(_readable, records), len(open_)


def _readable(records: Sequence[bytes]) -> list[Snapshot]:
    snapshots = []
    for record in records:
        try:
            snapshots.append(read_snapshot(record))
        except UnreadableRecord:
            continue  # counted as one that was not looked at
    return snapshots
