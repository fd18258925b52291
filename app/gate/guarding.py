"""Whether a repository's protection still stands, and what landed past it: looked at with each resync and each push.

What is found is recorded in the audit log, logged as an alarm, and shown as a red check run `mergegate/guard` on the
commit, which notifies nobody; each thing once. Somebody who is `exempt` from a ruleset leaves no trace in GitHub's
record of its rules (https://docs.github.com/rest/repos/rule-suites), but a direct push shows in the list of activities
all the same. Who may bypass is shown to no App; `mergegate doctor` reads that with a person's token.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog

from app.gate import auditing
from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.policies import policy_of_tip
from app.gate.target import is_gated
from app.github import graph, reads, rulesets, writes
from app.github.client import GitHubClient
from app.github.errors import NotFound, Refused
from app.github.models import TargetCommit
from app.github.rest_models import Account, Activity
from app.github.writes import CheckRunFields
from app.keys import RulesKey
from app.local.protection import QueueKind, open_gaps
from app.store import audit, guarded, landings
from app.store.audit import Entry
from app.store.guarded import Guarded
from app.store.landings import Landing
from app.store.worker import Done, Outcome
from checks.branches import BRANCHES
from policies.load import PolicyState

log = structlog.get_logger(__name__)

GUARD = "mergegate/guard"
# https://docs.github.com/en/rest/repos/repos#list-repository-activities
DIRECT = {"push": "direct push", "force_push": "force push", "branch_deletion": "branch deleted"}
MERGES = ("pr_merge", "merge_queue_merge")
NOTICED = timedelta(minutes=15)
"""Until then the gate has looked at a merge of which it was told, or which its resync found."""
LOOKS_BACK = timedelta(days=30)
QUEUES: dict[str, QueueKind] = {"native": "native", "serial": "serial"}


@dataclass(frozen=True, slots=True)
class Passage:
    """A change of a gated branch (full ref) past the rules. `how` are words such as `direct push`."""

    ref: str
    sha: str
    before: str
    by: str | None
    at: datetime
    how: str


class _Branch:
    """The default branch of a repository. What is asked of GitHub about it is asked once."""

    def __init__(self, gate: Gate, key: RulesKey, repository: RepositoryName, branch: str) -> None:
        self.gate, self.key, self.repository = gate, key, repository
        self.name, self.ref = branch, BRANCHES + branch
        self._known: tuple[TargetCommit, PolicyState] | None = None

    @property
    def client(self) -> GitHubClient:
        return self.gate.client(self.key.installation_id)

    async def tip(self) -> tuple[TargetCommit, PolicyState]:
        """Its commit, and the policy there. Raises NotFound where it is gone."""
        if self._known is None:
            found = await graph.branch_tip(self.client, self.repository.owner, self.repository.name, self.ref)
            if found is None:
                raise NotFound("branch_tip", f"{self.ref} does not exist")
            policy = await policy_of_tip(self.gate, self.key.installation_id, self.repository, self.ref, found.target)
            self._known = found.target, policy
        return self._known


async def watch_rules(gate: Gate, key: RulesKey) -> Outcome:
    """Raises GitHub's errors; what was found before stays found."""
    repository = await gate.repository(key.installation_id, key.repository_id)
    if repository.default_branch is None:
        return Done()
    branch = _Branch(gate, key, repository, repository.default_branch)
    async with gate.database.transaction() as connection:
        before = await guarded.find(connection, key.repository_id)
    try:
        now = await _look_at_rules(branch, before)
        if before is not None:
            await _look_for_passages(branch, now)
    except Refused as refused:
        log.warning("rules could not be read", repository=repository.full_name, because=refused.because)
    return Done()


async def _look_at_rules(branch: _Branch, before: Guarded | None) -> Guarded:
    effective = await rulesets.in_force(branch.client, branch.repository.owner, branch.repository.name, branch.name)
    digest = hashlib.sha256(json.dumps(effective, sort_keys=True).encode()).hexdigest()
    if before is not None and before.rules_digest == digest:
        return before
    tip, policy = await branch.tip()
    kind = QUEUES.get(policy.policy.queue.kind, "none")
    gaps = list(open_gaps(effective, branch.gate.app_id, kind))
    since = branch.gate.now() if before is None else before.since
    now = Guarded(branch.key.repository_id, since, digest, gaps)
    if before is not None and set(gaps) - set(before.gaps):
        await _show(branch, tip.oid, f"{branch.name} is protected less than it was", gaps)
    elif before is not None and now.protected and not before.protected:
        await _show(branch, tip.oid, f"{branch.name} is protected", [])
    await _remember(branch, before, now)
    return now


async def _remember(branch: _Branch, before: Guarded | None, now: Guarded) -> None:
    known = None if before is None else list(before.gaps)
    async with branch.gate.database.transaction() as connection:
        await guarded.save(connection, now)
        if known != now.gaps:
            data = {"repository": branch.repository.full_name, "gaps": now.gaps, "before": known}
            await audit.append(connection, [Entry("rules", branch.ref, now.repository_id, data)])


async def _look_for_passages(branch: _Branch, now: Guarded) -> None:
    for passage in await _passages(branch, now.since):
        entry = auditing.bypassed(now.repository_id, _told(branch, passage))
        async with branch.gate.database.transaction() as connection:
            if await audit.newest(connection, "bypass", now.repository_id, entry.subject) is not None:
                continue
        words = f"{passage.how} by {passage.by or 'somebody unknown'}"
        if now.protected:
            await _show(branch, passage.sha, f"Past the rules: {words}", [f"{words}, to {passage.ref}"])
        async with branch.gate.database.transaction() as connection:
            alarm = f"{passage.sha[:12]} came past the rules: {words}." if now.protected else None
            landing = Landing(now.repository_id, passage.ref, passage.sha, None, judged=False, alarm=alarm)
            await landings.save(connection, landing)
            await audit.append(connection, [entry])


def _told(branch: _Branch, passage: Passage) -> dict[str, Any]:
    return {
        "repository": branch.repository.full_name,
        "ref": passage.ref,
        "sha": passage.sha,
        "before": passage.before,
        "by": passage.by,
        "how": passage.how,
    }


async def _passages(branch: _Branch, since: datetime) -> list[Passage]:
    """Since the gate first looked, the oldest first, each commit of a branch once."""
    found = [*await _bypasses(branch), *await _direct_pushes(branch)]
    second = max(since, branch.gate.now() - LOOKS_BACK).replace(microsecond=0)  # GitHub's times have no finer ones
    by_place = {(one.ref, one.sha): one for one in reversed(found) if one.at >= second}
    return sorted(by_place.values(), key=lambda one: one.at)


async def _bypasses(branch: _Branch) -> list[Passage]:
    """Of gated branches. On the agents' the courier is past a rule with each push, as it should be."""
    listing = await reads.bypasses(branch.client, branch.repository.owner, branch.repository.name)
    return [
        Passage(suite.ref, suite.after_sha, suite.before_sha, suite.actor_name, suite.pushed_at, "rules bypassed")
        for suite in listing.items
        if suite.pushed_at is not None and await _gates(branch, suite.ref)
    ]


async def _gates(branch: _Branch, ref: str) -> bool:
    return ref == branch.ref or is_gated((await branch.tip())[1], ref, branch.ref)


async def _direct_pushes(branch: _Branch) -> Sequence[Passage]:
    """And merges that the gate knows nothing of: whoever is exempt can merge what it never saw."""
    listing = await reads.activity(branch.client, branch.repository.owner, branch.repository.name, branch.ref)
    unseen = await _unseen(branch, [row for row in listing.items if row.activity_type in MERGES])
    how = {row.id: DIRECT[row.activity_type] for row in listing.items if row.activity_type in DIRECT}
    how |= {row.id: "merged without a verdict" for row in unseen}
    return [
        Passage(row.ref, row.after, row.before, _login(row.actor), row.timestamp, how[row.id])
        for row in listing.items
        if row.id in how
    ]


async def _unseen(branch: _Branch, merges: Sequence[Activity]) -> list[Activity]:
    async with branch.gate.database.transaction() as connection:
        seen = await landings.known(connection, branch.key.repository_id, branch.ref, [merge.after for merge in merges])
    settled = branch.gate.now() - NOTICED
    return [merge for merge in merges if merge.after not in seen and merge.timestamp < settled]


def _login(account: Account | None) -> str | None:
    return None if account is None else account.login


async def _show(branch: _Branch, sha: str, title: str, lines: Sequence[str]) -> None:
    log.error("guard alarm" if lines else "guard", repository=branch.repository.full_name, title=title, lines=lines)
    summary = "\n".join(f"- {line}" for line in lines) or "Nothing is merged past the checks."
    remedy = "\n\nRun `mergegate doctor`, then `mergegate protect`. `mergegate audit report` lists all of these."
    fields = CheckRunFields(
        name=GUARD,
        status="completed",
        title=title[:200],
        summary=summary + (remedy if lines else ""),
        conclusion="failure" if lines else "success",
    )
    try:
        await writes.create_check_run(branch.client, branch.repository.owner, branch.repository.name, sha, fields)
    except (NotFound, Refused) as unseen:  # the commit is gone with the branch
        log.warning("the alarm could not be shown", sha=sha, because=unseen.because)
