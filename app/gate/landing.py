"""After a merge, by whatever path: is what landed what was judged?

The landed commit's tree is compared with the tree that git makes of its first parent and the judged head. On
2026-04-23 GitHub's own queue landed trees that nobody had tested; only such a comparison shows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import structlog

from app.gate.apply import Applier
from app.gate.baselines import Landed, remember_landing
from app.gate.effects import NAMES, PostNotice
from app.gate.gate import Gate
from app.gate.git import GitFailed
from app.gate.memory import Memory
from app.gate.mirror import MissingObjects
from app.github import reads
from app.github.errors import NotFound, Refused
from app.github.pull_models import MergeCommit, PullState
from app.keys import PullKey
from app.store import decisions, landings, serial
from app.store.decisions import Decision
from app.store.landings import Landing

log = structlog.get_logger(__name__)

LONGEST_MESSAGE = 8192
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40,64})\b")


async def audit_landing(gate: Gate, applier: Applier, key: PullKey, state: PullState, memory: Memory) -> None:
    """Compare once, remember, and say aloud what is wrong. Only pull requests that were judged as gated are known."""
    landed = state.pull.merge_commit
    ref = memory.row.base_ref
    if landed is None:
        return
    async with gate.database.transaction() as connection:
        known = await landings.find(connection, key.repository_id, ref, landed.oid)
        latest = await decisions.latest(connection, str(key))
    if (known is not None and known.judged) or latest is None or not latest.verdict["gated"]:
        return
    alarm = (
        _without_verdict(latest, state)
        or await _other_tree(gate, key, applier, state, landed, ref)
        or await _untried(gate, key, applier, state, landed)
        or await _around_the_rules(gate, applier, landed.oid, ref)
    )
    if alarm is None and state.pull.merged_at is not None:
        await remember_landing(gate, key, ref, Landed(landed.oid, state.pull.head_ref_oid, state.pull.merged_at))
    by_person = memory.row.kind == "agent" and not await _by_gate(gate, state, memory)
    async with gate.database.transaction() as connection:
        await landings.save(connection, Landing(key.repository_id, ref, landed.oid, key.number, True, alarm, by_person))
        await landings.revert(connection, key.repository_id, reverted_by(state))
    if alarm is not None:
        log.error("landing alarm", key=str(key), sha=landed.oid, alarm=alarm)
        await applier.apply((PostNotice(key.number, "landing", landed.oid, f"**Landing alarm.** {alarm}"),))


async def _untried(gate: Gate, key: PullKey, applier: Applier, state: PullState, landed: MergeCommit) -> str | None:
    """A sentence when what landed in a turn of the serial queue is not what was tried before it.

    GitHub's merge takes no expected target, so somebody who may pass the rules can get in between.
    """
    async with gate.database.transaction() as connection:
        entry = await serial.find(connection, key.repository_id, key.number)
    if entry is None or entry.trial_sha is None or entry.head_sha != state.pull.head_ref_oid:
        return None
    try:
        objects = await gate.mirrors.objects(
            key.installation_id, applier.repository, refs=(entry.target_ref,), oids=(entry.trial_sha,)
        )
        if await objects.tree_of(entry.trial_sha) == landed.tree.oid:
            return None
    except (GitFailed, MissingObjects) as wrong:
        return f"The landed commit could not be compared with what was tried in its turn ({wrong})."
    at = (entry.trial_base or "")[:12]
    return f"Commit {landed.oid[:12]} was never tried: its merge was, on {at}, and something landed in between."


async def _by_gate(gate: Gate, state: PullState, memory: Memory) -> bool:
    """Whether the gate asked GitHub's queue for it, or merged it from its own."""
    if memory.row.enqueued_entry is not None:
        return True
    merged_by = state.pull.merged_by
    return merged_by is not None and merged_by.type == "Bot" and _is(merged_by.login, await gate.github.login())


def _is(login: str, gate_login: str) -> bool:
    """GraphQL names a bot without the ending that REST gives it."""
    return login.removesuffix("[bot]") == gate_login.removesuffix("[bot]")


def reverted_by(state: PullState) -> list[str]:
    """Commits that the pull request's messages say they revert, in the words that `git revert` writes."""
    return [
        found.group(1)
        for node in state.pull.commits.nodes
        for found in _REVERTS.finditer(node.commit.message[:LONGEST_MESSAGE])
    ]


def _without_verdict(latest: Decision, state: PullState) -> str | None:
    head = state.pull.head_ref_oid
    if latest.verdict["mode"] == "observe":
        return None
    statuses = (latest.verdict["evidence"]["status"], latest.verdict["review"]["status"])
    if latest.head_sha != head or set(statuses) != {"passed"}:
        return f"Commit {head[:12]} was merged without a passing verdict on it. Find out who merged it and how."
    return None


async def _around_the_rules(gate: Gate, applier: Applier, sha: str, ref: str) -> str | None:
    """What GitHub's record of the landing says: rules bypassed, or a check of ours that another App satisfied.

    The record appears within seconds and reaches back a month; where it cannot be read nothing is concluded from it.
    Source: https://docs.github.com/rest/repos/rule-suites
    """
    client, repository = applier.client, applier.repository
    try:
        listing = await reads.rule_suites(client, repository.owner, repository.name, ref)
        listed = next((suite for suite in listing.items if suite.after_sha == sha), None)
        if listed is None:
            return None
        suite = await reads.rule_suite(client, repository.owner, repository.name, listed.id)
    except (NotFound, Refused) as unseen:
        log.info("no rule suite", sha=sha, because=unseen.because)
        return None
    if suite.result == "bypass":
        return f"Commit {sha[:12]} landed by a bypass of the branch's rules."
    foreign = sorted(foreign_apps(suite.rule_evaluations or (), gate.app_id))
    return f"{', '.join(foreign)} of commit {sha[:12]} was satisfied by another App." if foreign else None


def foreign_apps(evaluations: Sequence[dict[str, Any]], app_id: int) -> set[str]:
    """Names of our checks that somebody else's run or status satisfied."""
    found = set()
    for evaluation in evaluations:
        metadata = evaluation.get("metadata")
        checks = metadata.get("checks") if isinstance(metadata, dict) else None
        for check in checks if isinstance(checks, list) else ():
            name, app = check.get("context"), check.get("app") or {}
            if name in NAMES and app.get("id") != app_id:
                found.add(str(name))
    return found


async def _other_tree(
    gate: Gate, key: PullKey, applier: Applier, state: PullState, landed: MergeCommit, ref: str
) -> str | None:
    """A sentence when the landed tree is provably not the merge of the judged head; None otherwise."""
    parents = [parent.oid for parent in landed.parents.nodes]
    head = state.pull.head_ref_oid
    if not parents:
        return "The landed commit has no parent."
    try:
        objects = await gate.mirrors.objects(
            key.installation_id,
            applier.repository,
            refs=(ref, f"refs/pull/{key.number}/head"),
            oids=(landed.oid, parents[0], head),
        )
        merge = await objects.merge(parents[0], head)
    except (GitFailed, MissingObjects) as wrong:
        return f"The landed commit could not be compared with what was judged ({wrong})."
    if merge.tree is None or merge.tree == landed.tree.oid:
        return None
    return f"Commit {landed.oid[:12]} does not hold the tree that was judged. Compare it with the pull request's head."
