"""What the newest green run of the target branch ran, against what a pull request's runs ran.

Most ways to fake a green run shrink one of three: the jobs, the tests, or the tests that are not skipped. What shrank
must be declared in the bundle, and the policy says whether a declaration is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from checks.bundle import Bundle
from checks.ci_runs import evidence_of
from checks.finding import Evidence, Finding, Fix, errored, failed, needs_person, passed, pending, skipped
from checks.group_snapshot import DeclaredTests, GroupMember
from checks.runs import Baseline, WorkflowRun
from checks.tally import Shrunk, shrunk
from checks.unread import Unread
from checks.workflow_files import bare_path

CHECK = "ci.baseline"
Allowance = Literal["never", "person", "declared"]
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BaselineRule:
    """What may shrink when the bundle declares it: never, once a person accepts it, or at once.

    `partial` are names of jobs that may run fewer tests than there are.
    """

    compare: bool = True
    fewer_tests: Allowance = "person"
    more_skips: Allowance = "person"
    partial: tuple[str, ...] = ()


def check(
    runs: tuple[WorkflowRun, ...],
    baselines: tuple[Baseline, ...] | Unread | None,
    rule: BaselineRule,
    bundle: Bundle | None,
) -> list[Finding]:
    """Finding `ci.baseline`, none where there are no runs. `runs` are those that count."""
    declared = _declared(bundle)

    def weighed(less: list[Shrunk], shown: _Shown) -> Finding:
        hidden = [one for one in less if one.by > declared.get(one.kind, -1)]
        if hidden:
            return failed(CHECK, shown.reason(hidden), *shown.at, fix=_fix(hidden))
        return _allowed(less, rule, f"{shown.reason(less)} The bundle declares it", shown.at)

    return _check(runs, baselines, rule, weighed)


def check_group(
    runs: tuple[WorkflowRun, ...],
    baselines: tuple[Baseline, ...] | Unread | None,
    rule: BaselineRule,
    members: Sequence[GroupMember],
) -> list[Finding]:
    """The same for a merge group. What its members declare was settled where each of them was judged."""
    of_agents = [one.declared for one in members if one.declared is not None]
    declared = {"tests": sum(one.removed for one in of_agents), "skips": sum(one.skipped for one in of_agents)}

    def weighed(less: list[Shrunk], shown: _Shown) -> Finding:
        hidden = [one for one in less if one.by > declared.get(one.kind, -1)]
        if not hidden:
            return passed(CHECK, f"{shown.reason(less)} Its pull requests declare it.", *shown.at)
        if len(of_agents) < len(members):
            reason = f"{shown.reason(hidden)} A person's own pull request is in the group, which may do that unsaid."
            return skipped(CHECK, reason, *shown.at)
        return failed(CHECK, shown.reason(hidden), *shown.at, fix=_REQUEUE)

    return _check(runs, baselines, rule, weighed)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A run that is compared, and with what."""

    run: WorkflowRun
    baseline: Baseline

    def reason(self, less: Sequence[Shrunk]) -> str:
        words = "; ".join(one.words for one in less[:_SHOWN])
        return f"{self.run.name} ran less than on the target branch: {words}."

    @property
    def at(self) -> tuple[Evidence, ...]:
        return (evidence_of(self.run), _evidence(self.baseline))


def _check(
    runs: tuple[WorkflowRun, ...],
    baselines: tuple[Baseline, ...] | Unread | None,
    rule: BaselineRule,
    weighed: Callable[[list[Shrunk], _Shown], Finding],
) -> list[Finding]:
    """`weighed` says what it means that something shrank."""
    if not runs:
        return []
    if not rule.compare:
        return [skipped(CHECK, "The policy asks for no comparison with the target branch's runs.")]
    if isinstance(baselines, Unread):
        return [_unread(baselines)]
    pairs = list(_pairs(runs, baselines or ()))
    if not pairs:
        return [skipped(CHECK, "There is no green run of the target branch to compare with yet.")]
    if any(run.status != "completed" for run, _ in pairs):
        return [pending(CHECK, "The comparison with the target branch waits for the runs.", fix=_WAIT)]
    if any(run.conclusion != "success" for run, _ in pairs):
        return [skipped(CHECK, "Only runs that ended as success are compared with the target branch's.")]
    shrank = [(less, pair) for pair in pairs if (less := list(shrunk(*pair, rule.partial)))]
    found = [weighed(less, _Shown(*pair)) for less, pair in shrank]
    return found or [passed(CHECK, _same(pairs), *(_evidence(baseline) for _, baseline in pairs[:_SHOWN]))]


def _unread(unread: Unread) -> Finding:
    return errored(CHECK, f"The target branch's runs could not be read: {unread.because}.", fix=_WAIT)


def _pairs(runs: Iterable[WorkflowRun], baselines: Sequence[Baseline]) -> Iterator[tuple[WorkflowRun, Baseline]]:
    """Each run with the newest baseline from before it: what has landed since is not in what it tested.

    A run of the event `push` tests the head alone, without anything that has landed since it branched off.
    """
    for run in runs:
        before = [one for one in baselines if one.workflow == bare_path(run.path) and _is_before(one, run)]
        if before and run.event != "push":
            yield run, max(before, key=lambda one: one.since)


def _is_before(baseline: Baseline, run: WorkflowRun) -> bool:
    return run.created_at is not None and baseline.since <= run.created_at


def _declared(bundle: Bundle | None) -> dict[str, int]:
    tests = declared_tests(bundle)
    return {"tests": tests.removed, "skips": tests.skipped}


def declared_tests(bundle: Bundle | None) -> DeclaredTests:
    tests = bundle.tests if bundle is not None else None
    return DeclaredTests() if tests is None else DeclaredTests(tests.count("removed"), tests.count("skipped"))


def _allowed(less: list[Shrunk], rule: BaselineRule, reason: str, at: tuple[Evidence, ...]) -> Finding:
    """What is declared, by the strictest word of the policy that applies."""
    allowances = {rule.fewer_tests if one.kind == "tests" else rule.more_skips for one in less}
    if "never" in allowances:
        return failed(CHECK, f"{reason}, but the policy does not allow it.", *at, fix=_RESTORE)
    if "person" in allowances:
        return needs_person(CHECK, f"{reason}.", *at, fix=_ASK)
    return passed(CHECK, f"{reason}, and the policy allows that.", *at)


def _same(pairs: list[tuple[WorkflowRun, Baseline]]) -> str:
    listed = ", ".join(f"{run.name} (run {baseline.run_id})" for run, baseline in pairs[:_SHOWN])
    return f"No job, test or running test is missing against the target branch: {listed}."


def _evidence(baseline: Baseline) -> Evidence:
    return Evidence(f"run {baseline.run_id} of the target branch", baseline.url, baseline.workflow, digest=baseline.sha)


def _fix(hidden: list[Shrunk]) -> Fix:
    kinds = {one.kind for one in hidden}
    return _JOBS if "job" in kinds else _AGAIN if "attempt" in kinds else _DECLARE


_WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
_JOBS = Fix("push", "Let every job of the target branch run again; only people change which jobs there are.")
_AGAIN = Fix("rerun", "Run all jobs of the workflow again, so that every report is of one attempt.")
_DECLARE = Fix(
    "push",
    "Bring the tests back, or say in the bundle which were removed (`tests.removed`) or are skipped (`tests.skipped`).",
    "tests",
)
_RESTORE = Fix("push", "Bring the tests back.")
_REQUEUE = Fix("requeue", "See why the group's own runs ran less than its pull requests' did, then queue them again.")
_ASK = Fix("ask-person", "Somebody who may approve looks whether these tests may go.")
