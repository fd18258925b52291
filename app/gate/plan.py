"""The shortest list of effects that makes GitHub agree with the verdict. Pure; planning twice in a row gives nothing.

Conclusions are only ever `success`, `failure` and `cancelled`: GitHub counts `neutral` and `skipped` as passing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from app.gate import queue_plan, serial_plan
from app.gate.answers import answers
from app.gate.effects import (
    EVIDENCE,
    OBSERVE,
    QUEUE,
    REVIEW,
    AskJudge,
    CancelCheckRun,
    Effect,
    PutCheckRun,
    StartVerification,
)
from app.gate.observation import GroupObservation, Observation, OwnRun, Wanted
from app.gate.routing import requests
from app.gate.telling import tellings
from checks.finding import Status
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.explain import Output
from policies.judging import subject_id
from policies.verdict import GroupVerdict, Verdict, VerificationOrder

# How long "could not look" may stay open before it is a failure (the attempt is repeated all the while).
ERRORED_LIMIT = timedelta(minutes=30)
# GitHub turns an open check run stale after 14 days; renewed before that.
RENEW_AFTER = timedelta(days=13)

# A commit that is head of several pull requests shows the worst of their verdicts.
WORST_FIRST = (Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED)


def output_digest(output: Output) -> str:
    """Digest of everything a person can see of a check run's output."""
    parts = [output.title, output.summary, output.text, *(repr(note) for note in output.annotations)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def wanted(number: int, verdict: Verdict, outputs: Mapping[str, Output]) -> tuple[Wanted, ...]:
    """What this pull request wants its head's check runs to show."""
    if not verdict.gated:
        return ()
    nodes = {EVIDENCE: verdict.evidence, REVIEW: verdict.review}
    if verdict.mode == "observe":
        return (Wanted(OBSERVE, verdict.status, verdict.key, outputs[OBSERVE], number),)
    return tuple(Wanted(name, node.status, verdict.key, outputs[name], number) for name, node in nodes.items())


def plan(observation: Observation, verdict: Verdict, outputs: Mapping[str, Output]) -> tuple[Effect, ...]:
    """Effects for a pull request; `outputs` holds what `explain` wrote, by check run name."""
    snapshot = observation.snapshot
    number = snapshot.number or 0
    effects: list[Effect] = [*cancel_abandoned(observation.abandoned_runs)]
    mine = wanted(number, verdict, outputs)
    turn = serial_plan.queue_wanted(observation, verdict)
    effects += serial_plan.turn_held(observation, turn)
    again = (QUEUE,) if serial_plan.must_be_rewritten(observation, turn) else ()
    effects += _check_runs(snapshot.head.sha, (*mine, *turn), observation, snapshot.observed_at, again)
    effects += serial_plan.check_withdrawn(observation, verdict)
    effects += serial_plan.turn_released(observation, turn)
    effects += queue_plan.commands(observation)
    effects += serial_plan.moved(observation, verdict)
    effects += queue_plan.dequeued(observation, verdict)
    if not effects:
        effects += queue_plan.enqueued(observation, verdict)
        effects += serial_plan.merged_now(observation, verdict, turn)
    effects += queue_plan.evicted(observation, verdict)
    effects += answers(observation, verdict)
    effects += requests(observation, verdict)
    effects += serial_plan.refusal(observation, verdict)
    effects += tellings(snapshot, verdict, observation.notices, freeze=observation.freezes_sessions)
    effects += _verifications(snapshot, verdict)
    effects += _judges(snapshot, verdict)
    return tuple(effects)


def _verifications(snapshot: Snapshot, verdict: Verdict) -> list[Effect]:
    """Verifier runs that are asked for, each with an id of its own that a second plan would give again."""
    tree = snapshot.merge_tree
    if tree is None or isinstance(snapshot.verifications, Unread):
        return []
    known = {one.id for one in snapshot.verifications}
    return [
        StartVerification(
            each, snapshot.head.sha, snapshot.target_ref, snapshot.target_sha, tree, verdict.policy_digest, order
        )
        for order in verdict.orders
        for each in _verification_ids(snapshot, order, known)
    ]


def _verification_ids(snapshot: Snapshot, order: VerificationOrder, known: Collection[str]) -> list[str]:
    numbers = range(len(known) + order.count)
    ids = (_verification_id(snapshot, order.digest, number) for number in numbers)
    return [each for each in ids if each not in known][: order.count]


def _verification_id(snapshot: Snapshot, order_digest: str, number: int) -> str:
    parts = (str(snapshot.repository.id), snapshot.head.sha, snapshot.target_sha, order_digest, str(number))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _judges(snapshot: Snapshot, verdict: Verdict) -> list[Effect]:
    """Judges that are to be asked; one that was asked about this subject is not among them."""
    if isinstance(snapshot.merge_base, Unread):
        return []
    ticket, digest = (None, None) if snapshot.ticket is None else (int(snapshot.ticket.id), snapshot.ticket.digest)
    place = (snapshot.head.sha, snapshot.merge_base, snapshot.target_sha, ticket, digest)
    subjects = [(subject_id(snapshot, order.judge), order) for order in verdict.judges]
    return [
        AskJudge(subject, snapshot.number or 0, *place, order) for subject, order in subjects if subject is not None
    ]


def cancel_abandoned(runs: Sequence[tuple[str, OwnRun]]) -> tuple[Effect, ...]:
    """Close open check runs on commits (first of each pair) that are nobody's head any more.

    A turn that was given to such a commit is taken from it too, because a branch can be pushed back to it.
    """
    turns = [(head, run) for head, run in runs if run.name == QUEUE and run.conclusion == "success"]
    return tuple(CancelCheckRun(run.id, run.name, head) for head, run in runs if run.open or (head, run) in turns)


def plan_group(
    observation: GroupObservation, verdict: GroupVerdict, outputs: Mapping[str, Output]
) -> tuple[Effect, ...]:
    """Effects for a merge group: both check runs on its head, always.

    Of a group that is gone without landing none stays open or green: its commit could be built again.
    """
    snapshot = observation.snapshot
    if not observation.in_queue:
        gone = [] if observation.landed else observation.own_runs
        standing = [run for run in gone if run.open or run.conclusion == "success"]
        return tuple(CancelCheckRun(run.id, run.name, snapshot.head_sha) for run in standing)
    nodes = {EVIDENCE: verdict.evidence, REVIEW: verdict.review}
    mine = tuple(Wanted(name, node.status, verdict.key, outputs[name], 0) for name, node in nodes.items())
    return tuple(_check_runs(snapshot.head_sha, mine, observation, snapshot.observed_at))


def _check_runs(
    head_sha: str,
    mine: Sequence[Wanted],
    observation: Observation | GroupObservation,
    now: datetime,
    again: Collection[str] = (),
) -> list[Effect]:
    """`again`: names that are written although they read as they should."""
    siblings = observation.siblings if isinstance(observation, Observation) else ()
    effects: list[Effect] = []
    for one in mine:
        worst = _worst([one, *(other for other in siblings if other.name == one.name)])
        since = _since(observation, worst.name)
        put = _put(head_sha, worst, observation.own_runs, since, now, again=worst.name in again)
        effects += [] if put is None else [put]
    return sorted(effects, key=_turns_green)


def _turns_green(effect: Effect) -> bool:
    """Green comes last: GitHub merges at the last green check, also while another is about to be taken back."""
    return isinstance(effect, PutCheckRun) and effect.conclusion == "success"


def _worst(candidates: Iterable[Wanted]) -> Wanted:
    """The same answer from whichever pull request it is asked: by status, then by number."""
    return min(candidates, key=lambda one: (WORST_FIRST.index(one.status), one.number))


def _since(observation: Observation | GroupObservation, name: str) -> datetime | None:
    return (observation.errored_since or {}).get(name)


def github_state(status: Status, errored_since: datetime | None, now: datetime) -> tuple[str, str | None]:
    """Status and conclusion of the check run. Anything that is not passed or failed stays open, errored for a while."""
    if status is Status.PASSED:
        return "completed", "success"
    too_long = errored_since is not None and now - errored_since >= ERRORED_LIMIT
    if status is Status.FAILED or (status is Status.ERRORED and too_long):
        return "completed", "failure"
    return "in_progress", None


def _put(
    head_sha: str,
    want: Wanted,
    own: Sequence[OwnRun],
    errored_since: datetime | None,
    now: datetime,
    *,
    again: bool = False,
) -> PutCheckRun | None:
    status, conclusion = github_state(want.status, errored_since, now)
    runs = [run for run in own if run.name == want.name]
    old = [run for run in runs if run.open and run.created_at is not None and now - run.created_at > RENEW_AFTER]
    create = not runs or (status != "completed" and len(old) == len(runs))
    digest = output_digest(want.output)
    told = [run for run in runs if not _cannot_reopen(run, runs, status, want.external_id)]
    if not create and not again and all(_agrees(run, status, conclusion, want.external_id, digest) for run in told):
        return None
    ids = tuple(sorted(run.id for run in told))
    return PutCheckRun(want.name, head_sha, status, conclusion, want.external_id, want.output, ids, create)


def _cannot_reopen(run: OwnRun, runs: Sequence[OwnRun], status: str, external_id: str) -> bool:
    """A completed run that GitHub did not reopen when we asked, and that a newer open one has replaced."""
    replaced = any(other.open and other.id > run.id for other in runs)
    return not run.open and status != "completed" and replaced and run.written_key == external_id


def _agrees(run: OwnRun, status: str, conclusion: str | None, external_id: str, digest: str) -> bool:
    return (run.status, run.conclusion, run.external_id, run.output_digest) == (status, conclusion, external_id, digest)
