"""What the newest green runs of gated branches ran, which later runs are compared with.

Two sources, neither of which costs a pull request's own verdict a request: the runs by which a change was judged that
has landed, and the runs on a branch's tip, which are looked at once by a key of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.policies import policy_at
from app.gate.report_process import REPORTS
from app.gate.reports import with_reports
from app.gate.runs import read_runs
from app.gate.target import Target, is_gated
from app.github import graph
from app.github.client import GitHubClient
from app.github.models import TargetCommit
from app.keys import PullKey, TipKey
from app.store import baselines, ci_reports, pulls, work
from app.store.baselines import Row
from app.store.database import Connection
from app.store.work import Mark
from app.store.worker import Done, Outcome, Sleep
from checks.branches import BRANCHES
from checks.runs import Baseline, WorkflowRun
from checks.tally import baseline_of
from checks.unread import Unread
from checks.workflow_files import bare_path
from policies.schema import Policy

TIP = -3  # priority: nobody waits for this
SOON = timedelta(minutes=2)  # a branch that moves often is looked at once in this time
UNDER_WAY = timedelta(minutes=5)
SKEW = timedelta(minutes=1)  # between GitHub's clock and the database's
WAITED = timedelta(hours=3)  # after the commit; what has not ended by then is not waited for
OF_BRANCH = ("push", "merge_group")  # events whose runs are the branch's own

Runs = tuple[WorkflowRun, ...] | Unread
_BASELINE: TypeAdapter[Baseline] = TypeAdapter(Baseline)
_RUN: TypeAdapter[WorkflowRun] = TypeAdapter(WorkflowRun)


@dataclass(frozen=True, slots=True)
class Landed:
    """A pull request that landed: as which commit, what its head was, and when."""

    sha: str
    head_sha: str
    at: datetime


async def read_baselines(
    gate: Gate, installation_id: int, repository_id: int, target: Target, runs: Runs
) -> tuple[Baseline, ...]:
    """What stood for the target branch when each run began. A tip that was not looked at yet is work for later."""
    found: dict[int, Baseline] = {}
    async with gate.database.transaction() as connection:
        for run in () if isinstance(runs, Unread) else runs:
            baseline = await _before(connection, repository_id, target.ref, run)
            if baseline is not None:
                found[baseline.run_id] = baseline
        if await baselines.looked_at(connection, repository_id, target.ref) != target.tip.oid:
            key = TipKey(installation_id, repository_id, target.ref)
            await work.mark(connection, [Mark(str(key), delay=SOON, priority=TIP, news=False)])
    return tuple(found[number] for number in sorted(found))


async def _before(connection: Connection, repository_id: int, ref: str, run: WorkflowRun) -> Baseline | None:
    moment = run.created_at
    facts = moment and await baselines.before(connection, repository_id, ref, bare_path(run.path), moment)
    return None if facts is None else _BASELINE.validate_python(facts)


async def read_group_baselines(
    gate: Gate, repository_id: int, ref: str, base_sha: str, runs: Runs
) -> tuple[Baseline, ...]:
    """What the commit ran that a merge group builds on, which is often another group's that has just landed.

    Where nothing is kept of it, what stood for the branch when the group's run began.
    """
    found: list[Baseline | None] = []
    async with gate.database.transaction() as connection:
        kept = [_run(each) for each in await ci_reports.runs_on(connection, repository_id, base_sha)]
        for run in () if isinstance(runs, Unread) else runs:
            own = _on_base(kept, run)
            found.append(own or await _before(connection, repository_id, ref, run))
    return tuple(one for one in found if one is not None)


def _on_base(kept: Sequence[WorkflowRun], run: WorkflowRun) -> Baseline | None:
    """The base's green run of the same workflow file: as a merge group if there is one, else as a push."""
    same = [one for one in kept if one.event in OF_BRANCH and bare_path(one.path) == bare_path(run.path)]
    if run.created_at is None:
        return None
    made = [baseline_of(one, run.created_at) for one in sorted(same, key=lambda one: (one.event, -one.id))]
    return next((one for one in made if one is not None), None)


async def remember_landing(gate: Gate, key: PullKey, ref: str, landing: Landed) -> None:
    """The runs by which a change was judged that landed, as they were kept: its merge group's, else its own."""
    async with gate.database.transaction() as connection:
        on_landed = await ci_reports.runs_on(connection, key.repository_id, landing.sha)
        on_head = await ci_reports.runs_on(connection, key.repository_id, landing.head_sha)
    groups = [run for run in map(_run, on_landed) if run.event in OF_BRANCH]
    paths = {bare_path(run.path) for run in groups}
    own = [run for run in map(_run, on_head) if run.event == "pull_request" and bare_path(run.path) not in paths]
    found = [baseline_of(run, landing.at) for run in (*groups, *own)]
    await _save(gate, key.installation_id, key.repository_id, ref, found)


def _run(kept: tuple[Any, Any | None]) -> WorkflowRun:
    facts, reports = kept
    run = _RUN.validate_python(facts)
    return run if reports is None else replace(run, reports=REPORTS.validate_python(reports))


async def _save(
    gate: Gate, installation_id: int, repository_id: int, ref: str, found: Iterable[Baseline | None]
) -> None:
    """Pull requests whose head came after what is new here may have been compared with something older."""
    async with gate.database.transaction() as connection:
        new = [
            baseline.since
            for baseline in found
            if baseline is not None and await baselines.save(connection, repository_id, ref, _row(baseline))
        ]
        rows = await pulls.open_pulls_of_branch(connection, repository_id, ref) if new else []
        late = [row for row in rows if row.base_ref == ref and row.head_seen_at and row.head_seen_at > min(new) - SKEW]
        keys = [PullKey(installation_id, repository_id, row.number) for row in late]
        await work.mark(connection, [Mark(str(key), priority=TIP, news=False) for key in keys])


def _row(baseline: Baseline) -> Row:
    facts = _BASELINE.dump_python(baseline, mode="json")
    return Row(baseline.workflow, baseline.run_id, baseline.since, facts)


async def reconcile_tip(gate: Gate, key: TipKey) -> Outcome:
    """Look at the runs on a branch's tip until they have ended. Raises GitHub's errors."""
    repository = await gate.repository(key.installation_id, key.repository_id)
    client = gate.client(key.installation_id)
    branch = await graph.branch_tip(client, repository.owner, repository.name, key.ref)
    policy = None
    if branch is not None:
        policy = await _policy_of_gated(gate, key.installation_id, repository, key.ref, branch.target)
    if branch is None or policy is None:
        return Done()
    head = await graph.commit_state(client, repository.owner, repository.name, branch.target.oid)
    runs = await read_runs(gate, client, repository, head)
    if not isinstance(runs, Unread) and _is_under_way(runs, gate.now() - head.committed_date):
        return Sleep(UNDER_WAY)
    await _remember_tip(gate, client, repository, key, runs, policy)
    async with gate.database.transaction() as connection:
        await baselines.note_look(connection, repository.id, key.ref, head.oid)
    return Done()


def _is_under_way(runs: Iterable[WorkflowRun], age: timedelta) -> bool:
    open_ = any(run.event in OF_BRANCH and run.status != "completed" for run in runs)
    return open_ and age < WAITED


async def _policy_of_gated(
    gate: Gate, installation_id: int, repository: RepositoryName, ref: str, tip: TargetCommit
) -> Policy | None:
    """The branch's policy; None where neither the default branch's nor the server's baseline gates it."""
    default = BRANCHES + (repository.default_branch or "")
    own = await policy_at(gate, installation_id, repository, ref, tip)
    if ref == default:
        return own.policy
    client = gate.client(installation_id)
    main = await graph.branch_tip(client, repository.owner, repository.name, default)
    if main is None:
        return None
    policy = await policy_at(gate, installation_id, repository, default, main.target)
    return own.policy if is_gated(policy, ref, default) else None


async def _remember_tip(
    gate: Gate, client: GitHubClient, repository: RepositoryName, key: TipKey, runs: Runs, policy: Policy
) -> None:
    read = await with_reports(gate, client, repository, runs, policy, OF_BRANCH)
    own = [] if isinstance(read, Unread) else [run for run in read if run.event in OF_BRANCH]
    found = [baseline_of(run, since) for run in own if (since := _landed_at(run)) is not None]
    await _save(gate, key.installation_id, repository.id, key.ref, found)


def _landed_at(run: WorkflowRun) -> datetime | None:
    """A push runs after it has landed, a merge group before."""
    return run.created_at if run.event == "push" else run.updated_at
