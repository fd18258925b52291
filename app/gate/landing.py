"""After a merge, by whatever path: is what landed what was judged?

The landed commit's tree is compared with the tree that git makes of its first parent and the judged head. On
2026-04-23 GitHub's own queue landed trees that nobody had tested; only such a comparison shows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import structlog

from app.gate import auditing
from app.gate.apply import Applier
from app.gate.baselines import Landed, remember_landing
from app.gate.effects import NAMES, PostNotice
from app.gate.gate import Gate
from app.gate.git import GitFailed
from app.gate.memory import Memory
from app.gate.mirror import MissingObjects
from app.gate.recorded import UnreadableRecord, read_snapshot
from app.github import reads
from app.github.errors import NotFound, Refused
from app.github.pull_models import MergeCommit, PullState
from app.github.rest_models import RuleSuite
from app.keys import PullKey
from app.store import audit, decisions, landings, serial
from app.store.audit import Entry
from app.store.database import Connection
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
    suite = await _rule_suite(applier, landed.oid, ref)
    alarm = (
        _without_verdict(latest, state)
        or await _other_tree(gate, key, applier, state, landed, ref)
        or await _untried(gate, key, applier, state, landed)
        or _around_the_rules(suite, gate.app_id)
    )
    if alarm is None and state.pull.merged_at is not None:
        await remember_landing(gate, key, ref, Landed(landed.oid, state.pull.head_ref_oid, state.pull.merged_at))
    by_gate = await _by_gate(gate, state, memory)
    by_person = memory.row.kind == "agent" and not by_gate
    merge = auditing.Landed(
        applier.repository.full_name,
        ref,
        landed.oid,
        state.pull.head_ref_oid,
        state.pull.merged_by.login if state.pull.merged_by else None,
        by_gate,
        alarm,
        suite is not None and suite.result == "bypass",
    )
    async with gate.database.transaction() as connection:
        await landings.save(connection, Landing(key.repository_id, ref, landed.oid, key.number, True, alarm, by_person))
        await landings.revert(connection, key.repository_id, reverted_by(state))
        entries = auditing.landed(key, merge, latest.verdict, _author(latest))
        await audit.append(connection, await unrecorded(connection, entries))
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


def _author(latest: Decision) -> auditing.Author:
    """What another version recorded may not be readable any more; then the verdict alone is told of."""
    try:
        return auditing.author_of(read_snapshot(latest.snapshot))
    except UnreadableRecord as unreadable:
        log.warning("author is not known", decision=latest.id, because=str(unreadable))
        return auditing.Author(None, None, None)


async def unrecorded(connection: Connection, entries: Sequence[Entry]) -> list[Entry]:
    """Without bypasses that are in the log: GitHub's record of one can be found in two ways."""
    known = [
        entry.kind == "bypass" and await audit.newest(connection, "bypass", entry.repository_id, entry.subject)
        for entry in entries
    ]
    return [entry for entry, found in zip(entries, known, strict=True) if not found]


async def _rule_suite(applier: Applier, sha: str, ref: str) -> RuleSuite | None:
    """GitHub's record of the landing.

    It appears within seconds and reaches back a month; where it cannot be read nothing is concluded from it.
    Source: https://docs.github.com/rest/repos/rule-suites
    """
    client, repository = applier.client, applier.repository
    try:
        listing = await reads.rule_suites(client, repository.owner, repository.name, ref)
        listed = next((suite for suite in listing.items if suite.after_sha == sha), None)
        if listed is None:
            return None
        return await reads.rule_suite(client, repository.owner, repository.name, listed.id)
    except (NotFound, Refused) as unseen:
        log.info("no rule suite", sha=sha, because=unseen.because)
        return None


def _around_the_rules(suite: RuleSuite | None, app_id: int) -> str | None:
    """What that record says: rules bypassed, or a check of ours that another App satisfied."""
    if suite is None:
        return None
    commit = suite.after_sha[:12]
    if suite.result == "bypass":
        return f"Commit {commit} landed by a bypass of the branch's rules."
    foreign = sorted(foreign_apps(suite.rule_evaluations or (), app_id))
    return f"{', '.join(foreign)} of commit {commit} was satisfied by another App." if foreign else None


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
