"""The members of a merge group: each pull request judged anew, as it is at this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from app.gate.deciding import Decided, record_news
from app.gate.gate import Gate
from app.gate.git import GitObjects
from app.gate.mirror import MissingObjects
from app.gate.names import RepositoryName
from app.gate.observe import Moved, look, read_state
from app.gate.pull import Judgement, check_unmoved, judge, seems_landed
from app.gate.target import NoTarget
from app.github.errors import GitHubError, RateLimited
from app.github.pull_models import QueuedEntry
from app.keys import GroupKey, PullKey, QueueKey
from app.store.database import Connection
from app.store.worker import Retry
from checks.baseline import declared_tests
from checks.bundle import read_bundle
from checks.finding import Status
from checks.group_snapshot import GroupMember, MemberState
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.load import PolicyState
from policies.verdict import Verdict


@dataclass(frozen=True, slots=True)
class JudgedMember:
    """A member of the group; `judgement` is None where it could not be judged."""

    member: GroupMember
    judgement: Judgement | None = None

    @property
    def accepted(self) -> tuple[str, ...]:
        """Paths that it may change although they steer the runs: those of a person's own work, once agreed to."""
        judgement = self.judgement
        if judgement is None or judgement.verdict.kind != "person" or judgement.verdict.status is not Status.PASSED:
            return ()
        diff = judgement.observation.snapshot.diff
        return () if isinstance(diff, Unread) else tuple(path for file in diff.files for path in file.paths)


def accepted_paths(judged: Sequence[JudgedMember] | Unread) -> tuple[str, ...]:
    return () if isinstance(judged, Unread) else tuple(path for one in judged for path in one.accepted)


def frozen_because(judged: Sequence[JudgedMember] | Unread) -> str | None:
    """What keeps the first member from landing that may not pass a freeze."""
    judgements = [] if isinstance(judged, Unread) else [one.judgement for one in judged if one.judgement is not None]
    states = [judgement.observation.queue.frozen for judgement in judgements]
    return next((state.reason for state in states if state is not None), None)


def members_policy(judged: Sequence[JudgedMember] | Unread, target_ref: str) -> PolicyState | None:
    """What the members were judged by. Without any that could be read nothing passes, whatever the policy."""
    judgements = [] if isinstance(judged, Unread) else [one.judgement for one in judged if one.judgement is not None]
    known = [judgement.seen.target.policy for judgement in judgements if judgement.seen.target.ref == target_ref]
    return known[-1] if known else None


async def record_members(connection: Connection, group: GroupKey | QueueKey, judged: Sequence[JudgedMember]) -> None:
    """What each member came to at this moment, as decisions of their own. Nothing was done about them.

    One that has landed is no change any more: what is seen of it then is not why it was let in.
    """
    for one in judged:
        if one.judgement is not None and _is_open(one.judgement):
            key = PullKey(group.installation_id, group.repository_id, one.member.number)
            target, snapshot = one.judgement.seen.target, one.judgement.observation.snapshot
            decided = Decided(snapshot, target.policy, one.judgement.verdict, gated=target.gated)
            await record_news(connection, key, decided)


def _is_open(judgement: Judgement) -> bool:
    return judgement.seen.pull.state == "OPEN" and not seems_landed(judgement.observation.snapshot)


async def check_members_unmoved(gate: Gate, judged: Sequence[JudgedMember] | Unread) -> None:
    """GitHub lands a green group at once, so what the members' verdicts rest on is read once more before.

    Raises Retry when something moved.
    """
    for one in () if isinstance(judged, Unread) else judged:
        try:
            if one.judgement is not None:
                await check_unmoved(gate, one.judgement)
        except Moved as moved:
            raise Retry(timedelta(milliseconds=500), str(moved)) from moved


async def judge_members(
    gate: Gate,
    group: GroupKey,
    repository: RepositoryName,
    chain: Sequence[QueuedEntry],
    objects: GitObjects | Unread,
) -> tuple[JudgedMember, ...] | Unread:
    """Every member's head, approvals and evidence. Unread when GitHub does not show one."""
    members = []
    for entry in chain:
        if entry.pull_request is None or entry.head_commit is None:
            return Unread("GitHub does not show the pull request of a queue entry")
        key = PullKey(group.installation_id, group.repository_id, entry.pull_request.number)
        enqueued = await _enqueued_head(objects, entry.head_commit.oid) or entry.pull_request.head_ref_oid
        members.append(await judge_member(gate, key, repository, enqueued, group.target_ref))
    return tuple(members)


async def _enqueued_head(objects: GitObjects | Unread, group_commit: str) -> str | None:
    """The head that the queue merged: the group commit's second parent. Squash and rebase queues have none."""
    if isinstance(objects, Unread) or not await objects.has(group_commit):
        return None
    parents = await objects.parents_of(group_commit)
    return parents[1] if len(parents) == 2 else None


async def judge_member(
    gate: Gate, key: PullKey, repository: RepositoryName, enqueued: str, target_ref: str
) -> JudgedMember:
    """One pull request as it is now, against the head that was queued; errored where it could not be judged."""
    try:
        state = await read_state(gate, key, repository)
        judgement = await judge(gate, await look(gate, key, repository, state))
    except RateLimited:
        raise
    except (GitHubError, Moved, NoTarget, MissingObjects) as wrong:
        return JudgedMember(GroupMember(key.number, enqueued, None, "errored", "errored", str(wrong)))
    member = _with_verdict(
        judgement.observation.snapshot, enqueued, state.pull.head_ref_oid, judgement.verdict, target_ref
    )
    return JudgedMember(member, judgement)


def _with_verdict(snapshot: Snapshot, enqueued: str, current: str, verdict: Verdict, target_ref: str) -> GroupMember:
    number = snapshot.number or 0
    if not verdict.gated or verdict.target_ref != target_ref:
        reason = f"Pull request {number} does not target {target_ref} any more."
        return GroupMember(number, enqueued, current, "failed", "failed", reason)
    worst = verdict.evidence if verdict.evidence.status is not Status.PASSED else verdict.review
    states = (_word(verdict.evidence.status), _word(verdict.review.status))
    declared = None if verdict.kind == "person" else declared_tests(read_bundle(snapshot).bundle)
    return GroupMember(number, enqueued, current, *states, worst.reason, verdict.risk, declared)


def _word(status: Status) -> MemberState:
    words: dict[Status, MemberState] = {
        Status.PASSED: "passed",
        Status.PENDING: "pending",
        Status.ERRORED: "errored",
    }
    return words.get(status, "failed")
