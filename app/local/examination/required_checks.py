"""Required checks that nobody posts: a pull request then waits for ever, and so does a merge group.

https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue#triggering-merge-group-checks-with-github-actions
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from app.gate.effects import EVIDENCE, QUEUE, REVIEW
from app.local.examination.branch_filters import is_pushed_to
from app.local.examination.facts import Context, CouldNotRead, Facts, Posted, Symptom, unread
from app.local.examination.workflow_reading import raw_job, read_workflows
from checks.tampering.workflows.model import Job, Workflow

GITHUB_ACTIONS = 15368  # https://api.github.com/apps/github-actions
_ADD_GROUP = "Add `merge_group:` below `on:`."
_PATHS = ("paths", "paths-ignore")


def symptoms(facts: Facts) -> Iterator[Symptom]:
    files = read_workflows(facts)
    for name, app in _required(facts):
        if app == facts.app_id and name in (EVIDENCE, REVIEW, QUEUE):
            yield from _of_gate(facts, name)
            continue
        making = [
            file.workflow for file in files if any(_makes(file.workflow, job, name) for job in file.workflow.jobs)
        ]
        if making and app in (None, GITHUB_ACTIONS):
            yield from _of_workflows(facts, name, making)
        else:
            yield from _of_others(facts, (name, app))


def _required(facts: Facts) -> list[Context]:
    rules = facts.parameters("required_status_checks")
    listed = [one for rule in rules for one in rule.get("required_status_checks") or ()]
    return list(dict.fromkeys((str(one.get("context")), one.get("integration_id")) for one in listed))


def _of_gate(facts: Facts, name: str) -> Iterator[Symptom]:
    if name == QUEUE and facts.kind != "serial":
        what = f"{QUEUE} is required, and the gate posts it only for its own queue: nothing is merged."
        yield Symptom("wrong", what, "Write `queue: {kind: serial}` in the policy, or take the check out of the rule.")


def _makes(workflow: Workflow, job: Job, name: str) -> bool:
    """Whether the job can be the check: a matrix adds its values, a call puts its own name in front, and what an
    expression makes of a name is not known."""
    stem, expression, _ = job.name.partition("${{")
    if expression:
        return name.startswith(stem)
    if job.uses:
        return name.startswith(f"{stem} / ")
    return name == stem or ("strategy" in raw_job(workflow, job) and name.startswith(f"{stem} ("))


def _of_workflows(facts: Facts, name: str, making: Sequence[Workflow]) -> Iterator[Symptom]:
    paths = ", ".join(one.path for one in making)
    on_pulls = [one for one in making if _runs_on_pulls(one)]
    if not on_pulls:
        what = f"{name} is required, and {paths} does not run for pull requests: they wait for it for ever."
        yield Symptom("wrong", what, "Add `pull_request:` below `on:`, or take the check out of the rule.")
    elif all(_PATHS & one.events.get("pull_request", {}).keys() for one in on_pulls):
        what = f"{name} is required, and {paths} runs for some paths only: other pull requests wait for it for ever."
        yield Symptom("odd", what, "Take the `paths` filter out, and let the job see by itself whether it has work.")
    if facts.parameters("merge_queue") and not any(_runs_for_groups(one, facts.branch) for one in making):
        what = f"{name} is required, and {paths} does not run on `merge_group`: the merge queue waits for it in vain."
        yield Symptom("wrong", what, _ADD_GROUP)


def _runs_on_pulls(workflow: Workflow) -> bool:
    """A push to the branch makes the check as well; `pull_request_target` makes it on another commit."""
    push = workflow.events.get("push")
    return "pull_request" in workflow.events or (push is not None and is_pushed_to(push, ("x/x", "x")))


def _runs_for_groups(workflow: Workflow, branch: str) -> bool:
    push, group = workflow.events.get("push"), f"gh-readonly-queue/{branch}/pr-1-0123456789"
    return "merge_group" in workflow.events or (push is not None and is_pushed_to(push, (group,)))


def _of_others(facts: Facts, required: Context) -> Iterator[Symptom]:
    """Of an App or a service outside, what was seen lately is all that tells."""
    name, posted = _shown(required), facts.posted
    if isinstance(posted, CouldNotRead):
        yield unread(f"Whether anybody posts {name}", posted, "Commit statuses: read")
    elif not _is_among(required, posted.on_pulls):
        yield _unseen(name, posted)
    elif facts.parameters("merge_queue") and not _is_among(required, posted.on_tip):
        what = f"Whether {name} is posted for merge groups is not known: the default branch's tip does not have it."
        remedy = (
            "Let whoever posts it answer `merge_group`, or pushes to `gh-readonly-queue/`; then merge and look again."
        )
        yield Symptom("unknown", what, remedy)


def _unseen(name: str, posted: Posted) -> Symptom:
    if not posted.pulls:
        return Symptom("unknown", f"Nobody has posted {name} yet.", "Open a pull request and look again.")
    if not posted.complete:
        what = f"{name} is not among the first hundred checks of the newest pull requests."
        return Symptom("unknown", what, "Look at a pull request whether it is there.")
    what = (
        f"{name} is required, no workflow here makes it, and none of the newest pull requests ({posted.pulls}) has it."
    )
    return Symptom("wrong", what, "Take it out of the rule, or let whoever posts it run again.")


def _is_among(required: Context, seen: Collection[Context]) -> bool:
    """Without a pinned App anybody's will do; a status names no App, so it may be any App's."""
    name, app = required
    return any(one == name and (app is None or by in (app, None)) for one, by in seen)


def _shown(required: Context) -> str:
    name, app = required
    return name if app is None else f"{name} (App {app})"
