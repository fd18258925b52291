"""What each check run of a pull request or group says, and what it says before anything was judged. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from app.gate.effects import EVIDENCE, LOOKING, OBSERVE, QUEUE, REVIEW, Effect, PutCheckRun
from app.gate.listing import own_runs
from app.gate.observation import GroupObservation, OwnRun
from app.gate.observe import Look
from checks.snapshot import Snapshot
from policies.explain import Output, explain, explain_group
from policies.verdict import GroupVerdict, Verdict

BROKEN_OFF = Output(
    "The gate could not judge this",
    "❗ **The gate could not judge this.** The fault is its own and is in its log; it tries again by itself. "
    "If it stays so, tell whoever runs the gate.",
    "",
)


def outputs_of(verdict: Verdict, snapshot: Snapshot) -> Mapping[str, Output]:
    if verdict.mode == "observe":
        return {OBSERVE: explain(verdict, snapshot, "observe")}
    return {EVIDENCE: explain(verdict, snapshot, "evidence"), REVIEW: explain(verdict, snapshot, "review")}


def outputs_of_group(verdict: GroupVerdict) -> Mapping[str, Output]:
    return {EVIDENCE: explain_group(verdict, "evidence"), REVIEW: explain_group(verdict, "review")}


def first_look(look: Look, app_id: int) -> tuple[Effect, ...]:
    """Open check runs for a head that was never judged as this pull request's towards this base.

    Also where another pull request with the same head has turned them green: nobody knows yet what this one will say.
    """
    return _opened(look, app_id, LOOKING)


def unjudged(look: Look, app_id: int) -> tuple[Effect, ...]:
    """Nothing green is left of an earlier verdict when judging breaks off."""
    return _opened(look, app_id, BROKEN_OFF)


def _opened(look: Look, app_id: int, output: Output) -> tuple[Effect, ...]:
    policy = look.target.policy.policy
    names = [OBSERVE] if policy.mode == "observe" else [EVIDENCE, REVIEW]
    if policy.queue.kind == "serial" and policy.mode != "observe":
        names.append(QUEUE)
    own = own_runs(look.head, app_id, look.memory.own_runs)
    return tuple(_open(name, look.head.oid, own, output) for name in names if _unopened(name, own))


def first_look_at_group(observation: GroupObservation) -> tuple[Effect, ...]:
    own, head = observation.own_runs, observation.snapshot.head_sha
    missing = [name for name in (EVIDENCE, REVIEW) if not any(run.name == name for run in own)]
    return tuple(_open(name, head, own, LOOKING) for name in missing)


def _unopened(name: str, own: tuple[OwnRun, ...]) -> bool:
    """None there, or one that is still completed from when this commit was a head before."""
    runs = [run for run in own if run.name == name]
    return not runs or any(not run.open for run in runs)


def _open(name: str, head_sha: str, own: tuple[OwnRun, ...], output: Output) -> PutCheckRun:
    existing = tuple(run.id for run in own if run.name == name)
    return PutCheckRun(name, head_sha, "in_progress", None, "", output, existing, create=not existing)
