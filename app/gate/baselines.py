"""What the newest green runs of gated branches ran, which later runs are compared with.

Two sources, neither of which costs a pull request's own verdict a request: the runs by which a change was judged that
has landed, and the runs on a branch's tip, which are looked at once by a key of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.report_process import REPORTS
from app.gate.reports import with_reports
from app.gate.runs import read_runs
from app.gate.target import BRANCHES, Target, policy_at
from app.github import graph
from app.github.client import GitHubClient
from app.github.models import TargetCommit
from app.keys import TipKey
from app.store import baselines, ci_reports, work
from app.store.work import Mark
from app.store.worker import Done, Outcome, Sleep
from checks.snapshot import Baseline, Unread, WorkflowRun
from checks.tally import baseline_of
from policies.rules import gated_ref
from policies.schema import Policy

TIP = -3  # priority: nobody waits for this
SOON = timedelta(minutes=2)  # a branch that moves often is looked at once in this time
UNDER_WAY = timedelta(minutes=5)
WAITED = timedelta(hours=3)  # after the commit; what has not ended by then is not waited for
OF_BRANCH = ("push", "merge_group")  # events whose runs are the branch's own

_BASELINE: TypeAdapter[Baseline] = TypeAdapter(Baseline)
_RUN: TypeAdapter[WorkflowRun] = TypeAdapter(WorkflowRun)


async def read_baselines(gate: Gate, installation_id: int, repository_id: int, target: Target) -> tuple[Baseline, ...]:
    """The target branch's baselines. If its tip was not looked at yet, that is marked as work for later."""
    async with gate.database.transaction() as connection:
        known = await baselines.of_branch(connection, repository_id, target.ref)
        looked = await baselines.looked_at(connection, repository_id, target.ref)
        if looked != target.tip.oid:
            key = TipKey(installation_id, repository_id, target.ref)
            await work.mark(connection, [Mark(str(key), delay=SOON, priority=TIP, news=False)])
    return tuple(_BASELINE.validate_python(facts) for facts in known)


async def remember_landing(gate: Gate, repository_id: int, ref: str, landed: str, head: str) -> None:
    """The runs by which a change was judged that landed, as they were kept: its merge group's, else its own."""
    async with gate.database.transaction() as connection:
        on_landed = await ci_reports.runs_on(connection, repository_id, landed)
        on_head = await ci_reports.runs_on(connection, repository_id, head)
    own = [run for run in map(_run, on_head) if run.event == "pull_request"]
    groups = [run for run in map(_run, on_landed) if run.event in OF_BRANCH]
    await _save(gate, repository_id, ref, _baselines(own) | _baselines(groups))


def _run(kept: tuple[Any, Any | None]) -> WorkflowRun:
    facts, reports = kept
    run = _RUN.validate_python(facts)
    return run if reports is None else replace(run, reports=REPORTS.validate_python(reports))


def _baselines(runs: Iterable[WorkflowRun]) -> dict[str, Baseline]:
    """By workflow file, of its newest green run."""
    made = [baseline_of(run) for run in sorted(runs, key=lambda run: run.id)]
    return {baseline.workflow: baseline for baseline in made if baseline is not None}


async def _save(gate: Gate, repository_id: int, ref: str, found: dict[str, Baseline]) -> None:
    facts = {workflow: _BASELINE.dump_python(baseline, mode="json") for workflow, baseline in found.items()}
    async with gate.database.transaction() as connection:
        await baselines.save(connection, repository_id, ref, facts)


async def reconcile_tip(gate: Gate, key: TipKey) -> Outcome:
    """Look at the runs on a branch's tip until they have ended. Raises GitHub's errors."""
    repository = await gate.repository(key.installation_id, key.repository_id)
    client = gate.client(key.installation_id)
    branch = await graph.branch_tip(client, repository.owner, repository.name, key.ref)
    policy = None if branch is None else await _policy_of_gated(gate, client, repository, key.ref, branch.target)
    if branch is None or policy is None:
        return Done()
    head = await graph.commit_state(client, repository.owner, repository.name, branch.target.oid)
    runs = await read_runs(gate, client, repository, head)
    if not isinstance(runs, Unread) and _is_under_way(runs, gate.now() - head.committed_date):
        return Sleep(UNDER_WAY)
    await _remember_tip(gate, client, repository, key.ref, runs, policy)
    async with gate.database.transaction() as connection:
        await baselines.note_look(connection, repository.id, key.ref, head.oid)
    return Done()


def _is_under_way(runs: Iterable[WorkflowRun], age: timedelta) -> bool:
    open_ = any(run.event in OF_BRANCH and run.status != "completed" for run in runs)
    return open_ and age < WAITED


async def _policy_of_gated(
    gate: Gate, client: GitHubClient, repository: RepositoryName, ref: str, tip: TargetCommit
) -> Policy | None:
    """The branch's policy; None where the default branch's does not gate it."""
    default = BRANCHES + (repository.default_branch or "")
    own = policy_at(gate, ref, tip).policy
    if ref == default:
        return own
    main = await graph.branch_tip(client, repository.owner, repository.name, default)
    gated = main is not None and gated_ref(policy_at(gate, default, main.target).policy, ref, default)
    return own if gated else None


async def _remember_tip(
    gate: Gate,
    client: GitHubClient,
    repository: RepositoryName,
    ref: str,
    runs: tuple[WorkflowRun, ...] | Unread,
    policy: Policy,
) -> None:
    read = await with_reports(gate, client, repository, runs, policy)
    own = () if isinstance(read, Unread) else tuple(run for run in read if run.event in OF_BRANCH)
    await _save(gate, repository.id, ref, _baselines(own))
