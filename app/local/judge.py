"""A change in a local clone, judged as the gate judges a pull request, without asking GitHub anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.gate.git import GitObjects
from app.local.clone import CannotLook, Clone, Revision, find_clone, open_clone, read_revisions
from app.local.work import in_loop, side_by_side
from policies.escape import clean

if TYPE_CHECKING:
    from app.gate.changes import Changes
    from checks.runs import JobLog
    from checks.snapshot import Snapshot, Ticket
    from checks.tampering.alteration import Analysis
    from checks.unread import Unread
    from policies.load import PolicyState
    from policies.verdict import Verdict

# Much is imported within functions: the policy's reader, half of all there is to load, loads while git works, and what
# is not asked for (logs, the comparison of tests) is not loaded at all.


@dataclass(frozen=True, slots=True)
class Request:
    """What to judge. `base` and `head` are revisions, `policy` is a file's name and text.

    `logs` are raw job logs by the names to show for them; `bundle` is None where none was handed over.
    """

    repository: Path
    base: str
    head: str
    now: datetime
    policy: tuple[str, str] | None = None
    bundle: str | None = None
    ticket: Ticket | None = None
    logs: Mapping[str, bytes] = field(default_factory=dict)
    tampering: bool = True  # whether changed files are read and compared, which takes longest


async def judge(request: Request) -> Verdict:
    """The verdict on merging `head` into `base`. Raises CannotLook."""
    logs = await _read_logs(request.logs)
    state, snapshot = await look_at(request)
    from policies.evaluate import evaluate

    return _with_logs(evaluate(state, snapshot, gated=True), snapshot, logs)


async def look_at(request: Request) -> tuple[PolicyState, Snapshot]:
    """The policy in force at `base`, and everything that a clone alone can tell. Raises CannotLook."""
    clone = find_clone(request.repository)
    async with open_clone(clone) as objects:
        base, head = await read_revisions(clone, objects, {"--base": request.base, "--head": request.head})
        state, changes = await side_by_side(_policy(objects, base, request), _changes(clone, objects, base, head))
        analysis = await _analysis(objects, changes, base, head) if request.tampering else None
    return state, replace(_snapshot(request, clone, base, head, changes), analysis=analysis)


async def _read_logs(logs: Mapping[str, bytes]) -> dict[str, JobLog]:
    if not logs:
        return {}
    from app.gate.log_process import parse_logs
    from checks.unread import Unread

    read: dict[str, JobLog] = {}
    for name, log in zip(logs, await in_loop(parse_logs(tuple(logs.values()))), strict=True):
        if isinstance(log, Unread):
            raise CannotLook(f"{clean(name, 400)}: {log.because}. Give the raw log of a single job.")
        read[name] = log
    return read


async def _policy(objects: GitObjects, base: Revision, request: Request) -> PolicyState:
    import policies.evaluate  # noqa: F401 - needed next; it loads here, while git works
    from app.local.policy import read_policy_of

    return await read_policy_of(objects, base, request.policy)


async def _changes(clone: Clone, objects: GitObjects, base: Revision, head: Revision) -> Changes:
    from app.gate.changes import read_changes
    from checks.unread import Unread

    changes = await read_changes(objects, base.commit, head.commit)
    if isinstance(changes.diff, Unread):
        raise _unreadable(clone, changes.diff.because)
    if changes.mergeable is None and isinstance(changes.merge_diff, Unread):
        return replace(changes, merge_diff=replace(changes.merge_diff, offline=True))
    return changes


async def _analysis(objects: GitObjects, changes: Changes, base: Revision, head: Revision) -> Analysis | Unread:
    from app.gate.analysis import analyse_difference, judged_difference
    from checks.unread import Unread

    judged = judged_difference(changes, base.commit, head.commit)
    return judged if isinstance(judged, Unread) else await in_loop(analyse_difference(objects, judged[1], judged[0][1]))


def _unreadable(clone: Clone, because: str) -> CannotLook:
    hint = clone.lacks or "Check the clone with `git fsck`, and that git is 2.38 or newer."
    return CannotLook(f"what changes between --base and --head cannot be read: {clean(because, 400)}. {hint}")


def _snapshot(request: Request, clone: Clone, base: Revision, head: Revision, changes: Changes) -> Snapshot:
    from checks.snapshot import Head, Repository, Snapshot
    from checks.unread import Unread

    not_asked = Unread("GitHub was not asked", offline=True)
    target = base.branch or base.commit[:12]
    name = clone.common_folder.resolve().parent.name
    return Snapshot(
        repository=Repository(0, "local", name, target),
        number=None,
        title="",
        body="" if request.bundle is None else request.bundle or "\n",
        author=not_asked,
        draft=False,
        open=True,
        head=Head(head.commit, head.tree, head.branch or "", 0),
        base_ref=target,
        target_ref=target,
        target_sha=base.commit,
        merge_base=changes.merge_base,
        diff=changes.diff,
        merge_diff=changes.merge_diff,
        mergeable=changes.mergeable,
        aliases=changes.aliases,
        twins=changes.twins,
        changed_files_total=not_asked,
        # Whose accounts the addresses in commits belong to, only GitHub knows.
        commits=not_asked,
        comments=(),
        reviews=not_asked,
        runs=not_asked,
        workflows=not_asked,
        check_runs=not_asked,
        observed_at=request.now,
        ticket=request.ticket,
    )


def _with_logs(verdict: Verdict, snapshot: Snapshot, logs: Mapping[str, JobLog]) -> Verdict:
    """The verdict with what the handed-over logs say against the bundle; they never speak for it."""
    if not logs:
        return verdict
    from checks.bundle import read_bundle
    from checks.claims import check_given_logs
    from policies.tree import group, required

    said = group("logs", check_given_logs(read_bundle(snapshot), logs))
    return replace(verdict, evidence=required("evidence", (*verdict.evidence.children, said)))
