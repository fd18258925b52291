"""What a change does to workflow and action files, and what is weak in a workflow that is trusted.

A changed workflow file already makes its own runs prove nothing; this says why a person should look twice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.bounded import few_of_each
from checks.tampering.change import Change, Version
from checks.tampering.commands.compare import compare_runs
from checks.tampering.commands.places import scopes_of
from checks.tampering.kept_tests import kept_tests
from checks.tampering.workflows.model import Job, Workflow, is_workflow, read_workflow
from checks.tampering.workflows.smells import Smell, hidden_runs, smells

LOCK_FILE = ".github/workflows/actions.lock"  # https://docs.github.com/en/actions/concepts/security/workflow-dependency-lockfiles


def alterations(changes: Sequence[Change], tree: Collection[str] = ()) -> Iterator[Alteration]:
    """Everything that is found in workflow files, in no order that means anything. Never raises for what they hold.

    `tree` are the paths of the resulting tree, where they are known; see `configuration.alterations`.
    """
    return few_of_each(_alterations(changes, tree))


def _alterations(changes: Sequence[Change], tree: Collection[str]) -> Iterator[Alteration]:
    ours = [change for change in changes if any(map(is_workflow, change.paths))]
    yield from _lock_alone(changes, ours)
    if not ours:
        return
    runs = compare_runs(changes, scopes_of, kept_tests(changes, tree), lambda _: False)
    yield from (each for each in runs if is_workflow(each.path))
    pairs = [(change, _read(change.before), _read(change.after)) for change in ours]
    yield from _new_smells([workflow for _, workflow, _ in pairs], [workflow for _, _, workflow in pairs])
    for change, before, after in pairs:
        yield from _compared(change, before, after)
    yield from _same_names([before for _, before, _ in pairs], [after for _, _, after in pairs])


def weaknesses(path: str, text: bytes) -> tuple[Alteration, ...]:
    """What is weak in the workflow file `path` as it is; what its weight says is said of a change that adds it.

    Hidden test runs come first: they are why a log can be red while its job is green.
    """
    workflow = read_workflow(path, text)
    if workflow is None:
        return (_unreadable(path),)
    return tuple(_of(path, smell) for smell in (*hidden_runs(workflow), *smells(workflow)))


def _read(version: Version | None) -> Workflow | None:
    return None if version is None or not is_workflow(version.path) else read_workflow(version.path, version.data)


def _lock_alone(changes: Sequence[Change], workflows: Sequence[Change]) -> Iterator[Alteration]:
    if any(LOCK_FILE in change.paths for change in changes) and not workflows:
        reason = "The lock of the actions' commits changes although no workflow does."
        kind = "actions-lock-changed"
        yield Alteration(kind, LOCK_FILE, None, "", "", reason, Weight.PERSON, LOCK_FILE, "dependencies")


def _new_smells(before: Sequence[Workflow | None], after: Sequence[Workflow | None]) -> Iterator[Alteration]:
    """Smells that came, over all workflow files together: one that moves is not new."""
    known = Counter((smell.kind, smell.text) for workflow in before if workflow for smell in smells(workflow))
    for workflow in after:
        for smell in smells(workflow) if workflow else ():
            if known[smell.kind, smell.text] > 0:
                known[smell.kind, smell.text] -= 1
            else:
                yield _of(workflow.path if workflow else "", smell)


def _of(path: str, smell: Smell) -> Alteration:
    return Alteration(smell.kind, path, smell.line, "", smell.text, smell.reason, smell.weight, path, smell.area)


def _compared(change: Change, before: Workflow | None, after: Workflow | None) -> Iterator[Alteration]:
    path = change.paths[0]
    if after is None:
        if change.after is not None and is_workflow(change.after.path):
            yield _unreadable(path)
        elif before is not None and before.jobs:
            names = ", ".join(job.name for job in before.jobs)[:LONGEST_QUOTE]
            reason = "A workflow file is taken away, and its checks with it."
            yield _removed("workflow-removed", before.path, None, names, reason)
        return
    if before is None:
        return
    for event in _JUDGED:
        if event in before.events and event not in after.events:
            reason = f"It does not run on `{event}` any more."
            yield _removed("trigger-removed", path, after.line_of("on"), event, reason)
    now = {job.id: job for job in after.jobs}
    for job in before.jobs:
        yield from _job_dropped(path, job, now, {each.name for each in after.jobs})


_JUDGED = ("pull_request", "merge_group", "push")


def _job_dropped(path: str, job: Job, now: dict[str, Job], names: set[str]) -> Iterator[Alteration]:
    after = now.get(job.id)
    if after is None:
        if job.name not in names:
            reason = f"The job `{job.name[:80]}` is not there any more."
            yield _removed("job-removed", path, job.line, job.name[:LONGEST_QUOTE], reason)
        return
    if job.matrix is None or after.matrix is None:
        return
    dropped = sorted(job.matrix - after.matrix)
    if dropped and len(after.matrix) < len(job.matrix):
        quote = "; ".join(dropped)[:LONGEST_QUOTE]
        reason = f"The job `{job.name[:80]}` runs in fewer ways: {len(job.matrix)} became {len(after.matrix)}."
        yield _removed("matrix-leg-removed", path, after.line, quote, reason)


def _removed(kind: str, path: str, line: int | None, before: str, reason: str) -> Alteration:
    return Alteration(kind, path, line, before, "", reason, Weight.PERSON, path, "ci")


def _unreadable(path: str) -> Alteration:
    reason = "This workflow cannot be read, so what it runs is not known."
    return Alteration("workflow-unreadable", path, None, "", "", reason, Weight.PERSON, path, "ci")


def _same_names(before: Sequence[Workflow | None], after: Sequence[Workflow | None]) -> Iterator[Alteration]:
    """A job under the name of another file's job: whoever requires that name cannot tell which of them passed."""
    known = _files_by_name(before)
    for name, jobs in _files_by_name(after).items():
        if len(jobs) > 1 and len(known.get(name, {})) < len(jobs):
            path, line = list(jobs.items())[-1]
            reason = f"Jobs of {len(jobs)} workflow files are called `{name[:80]}`; a check of that name is ambiguous."
            yield Alteration("same-named-job", path, line, "", name[:LONGEST_QUOTE], reason, Weight.PERSON, path, "ci")


def _files_by_name(workflows: Sequence[Workflow | None]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for workflow in workflows:
        for job in workflow.jobs if workflow else ():
            found[job.name].setdefault(workflow.path if workflow else "", job.line)
    return found
