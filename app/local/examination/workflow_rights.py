"""Rights that workflows give to what agents push: tokens that write, others' rights, machines that are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import re2

from app.local.examination.facts import NAMED, CouldNotRead, Facts, Level, Symptom, listed, unread
from app.local.examination.workflow_reading import WorkflowText, raw_job, read_workflows, unreadable
from checks.tampering.workflows.model import Job, Step, Workflow

# With these a job changes what others run or fetch, or signs in elsewhere as the repository; the other permissions
# let it write words and marks: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions
_STRONG = frozenset({"actions", "attestations", "contents", "deployments", "id-token", "packages", "pages", "*"})
# They run with the default branch's rights, secrets included, whoever caused them.
_WITH_OTHERS_RIGHTS = ("pull_request_target", "workflow_run", "issue_comment")
_HEAD = (
    r"(?i:pull_request\.(?:head|merge_commit_sha)|github\.head_ref|workflow_run\.head_|refs/pull/|\bHEAD_(?:SHA|REF)\b)"
)
MOST_VARIABLES, LONGEST_NAME = 100, 100  # of one step that are followed; characters
_REF_OF_HEAD = re2.compile(_HEAD)
_FETCHED = re2.compile(rf"\bgh\s+pr\s+checkout\b|\bgit\b[^\n]*(?:{_HEAD}|\bpull/)")


def symptoms(facts: Facts) -> Iterator[Symptom]:
    if isinstance(facts.workflows, CouldNotRead):
        yield unread("The workflow files", facts.workflows, "Contents: read")
        return
    for path in unreadable(facts):
        what = f"The workflow file {path} could not be read as one, so what it lets agents do is not known."
        yield Symptom(
            "unknown", what, "Repair or remove it; neither is a file of more than 512 KiB, 300 jobs or 2000 steps read."
        )
    files = read_workflows(facts)
    yield from _tokens(files)
    yield from _heads(files)
    yield from _machines(files)


def _tokens(files: Sequence[WorkflowText]) -> Iterator[Symptom]:
    written = [(name, place) for file in files if file.started for name, place in _written(file.workflow)]
    strong = [f"{name}: write in {place}" for name, place in written if name in _STRONG]
    weak = [f"{name}: write in {place}" for name, place in written if name not in _STRONG]
    sides: tuple[tuple[Level, str, list[str]], ...] = (
        ("wrong", "a token that writes", strong),
        ("odd", "a token that writes words and marks", weak),
    )
    for level, token, places in sides:
        if places:
            what = f"Workflows on agents' branches get {token}: {listed(places)}."
            remedy = "Write `permissions: {contents: read}` there, and write in a workflow of the default branch."
            yield Symptom(level, what, remedy)


def _written(workflow: Workflow) -> Iterator[tuple[str, str]]:
    """A job's own `permissions` replace those of the file as a whole."""
    for job in workflow.jobs:
        stated = job.permissions if "permissions" in raw_job(workflow, job) else workflow.permissions
        for name, value in stated.items():
            if value in ("write", "write-all"):
                yield name, _place(workflow, job)


def _heads(files: Sequence[WorkflowText]) -> Iterator[Symptom]:
    for file in files:
        events = [event for event in _WITH_OTHERS_RIGHTS if event in file.events]
        steps = [step for job in file.workflow.jobs for step in job.steps if _fetches_head(file.workflow, job, step)]
        if events and steps:
            what = (
                f"{file.path} runs on `{events[0]}` with the default branch's rights and secrets, and line "
                f"{steps[0].line} fetches the pull request's own code."
            )
            yield Symptom("wrong", what, "Run that code on `pull_request` instead, where it has no rights.")


def _fetches_head(workflow: Workflow, job: Job, step: Step) -> bool:
    """GitHub tells no capitals apart in names of actions and inputs, nor in expressions."""
    environment = {**workflow.environment, **job.environment, **step.environment}
    if step.uses.lower().startswith("actions/checkout@"):
        refs = [value for name, value in step.inputs.items() if name.lower() in ("ref", "repository")]
        return any(_REF_OF_HEAD.search(_told(ref, environment)) for ref in refs)
    return _FETCHED.search(_told(step.run, environment)) is not None


def _told(text: str, environment: Mapping[str, str]) -> str:
    """An expression, or a script of any shell, with a word for a head instead of each variable that holds one."""
    heads = [name for name, value in environment.items() if len(name) < LONGEST_NAME and _REF_OF_HEAD.search(value)]
    if not heads:
        return text
    one = "|".join(map(re2.escape, heads[:MOST_VARIABLES]))
    member = rf"\benv(?:\.(?:{one})\b|\[\s*'(?:{one})'\s*\])"
    mentions = re2.compile(rf"(?i:{member}|\$(?:env:)?\{{?(?:{one})\b|%(?:{one})%)")
    return str(mentions.sub("refs/pull/", text))


def _machines(files: Sequence[WorkflowText]) -> Iterator[Symptom]:
    jobs = [(file.workflow, job) for file in files if file.runs_agents_code for job in file.workflow.jobs]
    kept = [_place(*one) for one in jobs if "self-hosted" in one[1].runs_on.lower()]
    if kept:
        what = f"What agents push runs on the repository's own machines: {', '.join(kept[:NAMED])}."
        yield Symptom("odd", what, "Let each machine run one job only (`--ephemeral`), or take GitHub's.")
    grouped = [_place(*one) for one in jobs if _is_grouped(raw_job(*one).get("runs-on"))]
    if grouped:
        what = f"What agents push runs in a runner group, whose machines may be kept: {', '.join(grouped[:NAMED])}."
        remedy = (
            "Look whether the group's are GitHub's (Settings, Actions, Runner groups); its own should run one job only."
        )
        yield Symptom("odd", what, remedy)


def _is_grouped(runs_on: object) -> bool:
    """https://docs.github.com/en/actions/how-tos/write-workflows/choose-where-workflows-run/choose-the-runner-for-a-job"""
    return isinstance(runs_on, dict) and "group" in runs_on


def _place(workflow: Workflow, job: Job) -> str:
    return f"{workflow.path}, job {job.name}"
