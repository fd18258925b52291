"""Reconciling one pull request: look, judge, make GitHub agree, remember."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from structlog.contextvars import bind_contextvars

from app.gate import auditing
from app.gate.apply import Applier
from app.gate.deciding import Decided, record_news
from app.gate.effects import AskJudge, Effect, Enqueue, PutCheckRun, StartVerification
from app.gate.gate import Gate
from app.gate.landing import audit_landing
from app.gate.measures import PULL_REQUESTS, note_verdict
from app.gate.memory import WANTED, as_written, recall
from app.gate.mirror import MissingObjects
from app.gate.observation import Observation, Wanted
from app.gate.observe import Look, Moved, look, observe, read_state, seen
from app.gate.outputs import first_look, outputs_of, unjudged
from app.gate.people_effects import AskReviewers
from app.gate.plan import cancel_abandoned, plan, wanted
from app.gate.queue_state import left_behind, out_of_queue, read_queue_state, watch_group
from app.gate.serial_plan import queue_wanted
from app.gate.tickets import hear, ticket_marks
from app.github import graph
from app.github.counts import Tally
from app.github.errors import GitHubError
from app.github.pull_models import PullState
from app.keys import PullKey
from app.store import audit, comment_approvals, decisions, pulls, work
from app.store.comment_approvals import ShownCode
from app.store.database import DatabaseAway
from app.store.work import Lease, Mark
from app.store.worker import Done, Outcome, Retry, Sleep
from checks.ci import CiRequirement
from checks.diff import Diff
from checks.finding import Status
from checks.runs import WorkflowRun
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.judging import awaited
from policies.verdict import Verdict

ERRORED_AGAIN = timedelta(seconds=60)
AWAITED = CiRequirement().wait
LOOK_AFTER_WRITE = timedelta(seconds=1)
VERIFYING = timedelta(minutes=1)
FROZEN = timedelta(minutes=1)
LOOKS_AT_LANDING = 4
"""So often a pull request whose change is in the target already is taken for one that lands just now."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One look with its verdict and what follows from it."""

    seen: Look
    observation: Observation
    verdict: Verdict
    effects: tuple[Effect, ...]


async def judge(gate: Gate, look_at: Look) -> Judgement:
    """Observe, evaluate and plan. Reads only."""
    observation = await observe(gate, look_at)
    if look_at.target.gated:
        observation = replace(observation, queue=await read_queue_state(gate, look_at, observation.snapshot.stack))
    else:
        observation = replace(observation, queue=await left_behind(gate, look_at.key))
    verdict = evaluate(look_at.target.policy, observation.snapshot, gated=look_at.target.gated)
    effects = plan(observation, verdict, outputs_of(verdict, observation.snapshot))
    return Judgement(look_at, observation, verdict, effects)


async def reconcile_pull(gate: Gate, lease: Lease, key: PullKey, tally: Tally) -> Outcome:
    """Raises GitHub's errors and Retry; whatever was done before stays true."""
    repository = await gate.repository(key.installation_id, key.repository_id)
    applier = Applier(gate, lease, key.installation_id, repository)
    state = await read_state(gate, key, repository)
    await hear(gate, key, state.pull)
    bind_contextvars(head=state.pull.head_ref_oid)
    if state.pull.state != "OPEN":
        return await _reconcile_closed(gate, applier, key, state)
    try:
        look_at = await look(gate, key, repository, state)
        look_at = await _first_look(gate, applier, look_at)
        judgement = await _judged(gate, applier, look_at)
        if lease.attempts <= LOOKS_AT_LANDING and seems_landed(judgement.observation.snapshot):
            raise Moved(f"{key}: its change is in the target already, so GitHub should say that it is merged")
        if judgement.effects:
            await check_unmoved(gate, judgement)
    except Moved as moved:
        raise Retry(timedelta(milliseconds=500), str(moved)) from moved
    await _note_code(gate, key, judgement)
    await applier.apply(judgement.effects)
    await _record(gate, key, judgement, tally)
    gate.mirrors.answers.forget_unused()
    await watch_group(gate, judgement.seen)
    return _outcome(judgement)


def seems_landed(snapshot: Snapshot) -> bool:
    """GitHub moves the branch before it calls a pull request merged; in between nothing is left of its change."""
    diffs = (snapshot.diff, snapshot.merge_diff)
    return snapshot.changed_files_total != 0 and any(isinstance(diff, Diff) and not diff.files for diff in diffs)


async def _judged(gate: Gate, applier: Applier, look_at: Look) -> Judgement:
    """What breaks for a reason of its own would break again, and at last its key is parked: it must not stay green."""
    try:
        return await judge(gate, look_at)
    except (GitHubError, MissingObjects, Moved, DatabaseAway):
        raise  # reading again settles it
    except Exception:
        if look_at.target.gated:
            await applier.apply(unjudged(look_at, gate.app_id))
        raise


async def _reconcile_closed(gate: Gate, applier: Applier, key: PullKey, state: PullState) -> Outcome:
    await _count_end(gate, key)
    memory = await recall(gate, key, seen(key, state.pull, gate.app_id))
    merged = state.pull.merged_at is not None
    # What has landed keeps the green of its turn.
    left = [run for run in memory.abandoned if not (merged and run.status == "completed")]
    await applier.apply(cancel_abandoned(tuple((run.head_sha, as_written(run)) for run in left)))
    if merged:
        await audit_landing(gate, applier, key, state, memory)
    await applier.apply(await out_of_queue(gate, key))
    async with gate.database.transaction() as connection:
        await work.mark(connection, await ticket_marks(connection, key))
    gate.forget(key)
    return Done()


async def _count_end(gate: Gate, key: PullKey) -> None:
    """What a pull request cost is known once, when it is found closed."""
    async with gate.database.transaction() as connection:
        before = await pulls.find_pull(connection, key.repository_id, key.number)
    if before is not None and before.open:
        PULL_REQUESTS.observe(before.requests)


async def _first_look(gate: Gate, applier: Applier, look_at: Look) -> Look:
    """A new head shows open check runs at once, before anything slow is read, also when its commit is an old one."""
    row = look_at.memory.row
    if row.judged or not look_at.target.gated:
        return look_at
    effects = first_look(look_at, gate.app_id)
    if not effects:
        return look_at
    await applier.apply(effects)
    return Look(
        look_at.key,
        look_at.repository,
        look_at.state,
        look_at.head,
        look_at.target,
        await recall(gate, look_at.key, seen(look_at.key, look_at.pull, gate.app_id)),
    )


async def check_unmoved(gate: Gate, judgement: Judgement) -> None:
    """The re-read before posting: a verdict on something that has moved is not posted."""
    look_at, pull = judgement.seen, judgement.seen.pull
    client = gate.client(look_at.key.installation_id)
    now = await graph.pull_head(client, look_at.repository.owner, look_at.repository.name, look_at.key.number)
    # `updated_at` also moves with a comment, which may hold the bundle; it has whole seconds, so the rest counts too.
    before = (pull.state, pull.is_draft, pull.head_ref_oid, pull.base_ref_name, pull.last_edited_at, pull.updated_at)
    after = (now.state, now.is_draft, now.head_ref_oid, now.base_ref_name, now.last_edited_at, now.updated_at)
    reviews_before = {(one.full_database_id, one.state) for one in (pull.reviews.nodes if pull.reviews else ())}
    reviews_after = {(one.full_database_id, one.state) for one in (now.reviews.nodes if now.reviews else ())}
    if before != after or reviews_before != reviews_after:
        raise Moved(f"{look_at.key}: it changed while it was judged")


async def _note_code(gate: Gate, key: PullKey, judgement: Judgement) -> None:
    """Before a title shows it, or a person could name what nobody remembers."""
    verdict, snapshot = judgement.verdict, judgement.observation.snapshot
    if verdict.code is None or snapshot.approval_codes.get(verdict.code) == verdict.key:
        return
    shown = ShownCode(
        verdict.code,
        verdict.key,
        verdict.head_sha,
        snapshot.base_ref,
        verdict.bundle_digest,
        verdict.ticket_digest,
    )
    async with gate.database.transaction() as connection:
        await comment_approvals.show(connection, key.repository_id, key.number, shown)


async def _record(gate: Gate, key: PullKey, judgement: Judgement, tally: Tally) -> None:
    observation, verdict = judgement.observation, judgement.verdict
    wants = wanted(key.number, verdict, outputs_of(verdict, observation.snapshot))
    wants += queue_wanted(observation, verdict)
    errored = _errored_since(observation, wants)
    dumped = json.loads(WANTED.dump_json(list(wants)))
    row = judgement.seen.memory.row
    async with gate.database.transaction() as connection:
        await pulls.save_judgement(
            connection, row, kind=verdict.kind, wants=dumped, errored_since=errored, requests=tally.cost
        )
        latest = await decisions.latest(connection, str(key))
        decision = await record_news(connection, key, _decided(judgement, tally))
        if decision is not None:
            await work.mark(connection, await ticket_marks(connection, key))
        if (dumped != row.wants or not row.judged) and judgement.seen.memory.same_head:
            others = [Mark(str(_sibling(key, other.number))) for other in judgement.seen.memory.same_head]
            await work.mark(connection, others)
        if decision is not None:
            known = await audit.newest(connection, "policy", key.repository_id, verdict.target_ref)
            entries = auditing.policy_change(key, known, verdict)
            await audit.append(connection, entries + auditing.judged(key, latest and latest.verdict, verdict))
    note_verdict(verdict, decision=decision)


def _decided(judgement: Judgement, tally: Tally) -> Decided:
    seen = judgement.seen.target
    snapshot = judgement.observation.snapshot
    return Decided(snapshot, seen.policy, judgement.verdict, judgement.effects, tally.counts, seen.gated)


def _sibling(key: PullKey, number: int) -> PullKey:
    return PullKey(key.installation_id, key.repository_id, number)


def _errored_since(observation: Observation, wants: tuple[Wanted, ...]) -> dict[str, str]:
    known: Mapping[str, Any] = observation.errored_since or {}
    now = observation.snapshot.observed_at
    return {want.name: known.get(want.name, now).isoformat() for want in wants if want.status is Status.ERRORED}


def _awaited(judgement: Judgement) -> timedelta | None:
    """How long runs that have not begun are still waited for; then the missing ones are a failure."""
    snapshot = judgement.observation.snapshot
    if snapshot.head_seen_at is None:
        return None
    left = snapshot.head_seen_at + AWAITED - snapshot.observed_at
    return left + LOOK_AFTER_WRITE if left > timedelta(0) else None


def _verifies(snapshot: Snapshot) -> bool:
    """Whether a verifier run is under way; its end is told by a webhook, unless that is lost or there are none."""
    started = snapshot.verifications
    return not isinstance(started, Unread) and any(
        one.run is None or (isinstance(one.run, WorkflowRun) and one.run.status != "completed") for one in started
    )


def _judges(snapshot: Snapshot) -> bool:
    """Whether a judge was asked and may still answer; it may never do."""
    given = () if snapshot.opinions is None else snapshot.opinions.given
    return any(awaited(one, snapshot.observed_at) for one in given)


def _outcome(judgement: Judgement) -> Outcome:
    """Errored is looked at again soon; green checks just posted are looked at again to enqueue."""
    verdict, effects = judgement.verdict, judgement.effects
    if not verdict.gated:
        return Done()
    if Status.ERRORED in (verdict.evidence.status, verdict.review.status):
        return Sleep(ERRORED_AGAIN)
    if any(isinstance(effect, StartVerification | AskJudge | AskReviewers) for effect in effects):
        return Sleep(LOOK_AFTER_WRITE)
    if _verifies(judgement.observation.snapshot) or _judges(judgement.observation.snapshot):
        return Sleep(VERIFYING)
    awaited = _awaited(judgement)
    if verdict.evidence.status is Status.PENDING and awaited is not None:
        return Sleep(awaited)
    return _until_enqueued(judgement)


def _until_enqueued(judgement: Judgement) -> Outcome:
    """No webhook tells that GitHub has seen our green checks, or that a freeze is over."""
    observation, effects = judgement.observation, judgement.effects
    enqueued = any(isinstance(effect, Enqueue) for effect in effects)
    if not judgement.verdict.may_enqueue or observation.queued is not None or enqueued:
        return Done()
    if observation.merge_state == "UNKNOWN" or any(isinstance(effect, PutCheckRun) for effect in effects):
        return Sleep(LOOK_AFTER_WRITE)
    return Done() if observation.queue.frozen is None else Sleep(FROZEN)
