"""Webhook bodies of checks, statuses, Actions, merge groups and rulesets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.github.events import (
    CheckRunChanged,
    CheckSuiteChanged,
    MergeGroupChanged,
    RulesetChanged,
    StatusCreated,
    WorkflowJobChanged,
    WorkflowRunChanged,
)
from tests.github.merge_groups import QUEUE_BOT
from tests.github.payloads import Message, builder, message
from tests.github.serialize import Json, simple_user, stamp
from tests.github.serialize_actions import job, workflow, workflow_run
from tests.github.serialize_checks import check_run, simple_commit, suite_summary
from tests.github.serialize_git import commit
from tests.github.serialize_repositories import repository_url
from tests.github.serialize_rulesets import ruleset_with_rules
from tests.github.state import Repository, WorkflowRun, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

# Only the App that owns the run or suite is told of these (documented for check_run and check_suite).
OWNER_ONLY = {"requested", "rerequested", "requested_action"}


@builder(CheckRunChanged)
async def check_run_changed(github: SimulatedGitHub, event: CheckRunChanged) -> list[Message]:
    world, repository, run = github.world, event.repository, event.check_run
    suite = suite_summary(world, repository, repository.suites[run.suite_id])
    shown = check_run(world, repository, run) | {"check_suite": suite}
    sent = message(
        github, "check_run", repository, event.actor, {"action": event.action, "check_run": shown, **event.extra}
    )
    return [_addressed(sent, event.action, run.app_id)]


@builder(CheckSuiteChanged)
async def check_suite_changed(github: SimulatedGitHub, event: CheckSuiteChanged) -> list[Message]:
    world, repository, suite = github.world, event.repository, event.suite
    runs = [run for run in repository.check_runs.values() if run.suite_id == suite.id]
    shown = suite_summary(world, repository, suite) | {
        "head_commit": await simple_commit(github, repository, suite.head_sha),
        "latest_check_runs_count": len(runs),
        "check_runs_url": f"{repository_url(world, repository)}/check-suites/{suite.id}/check-runs",
        "rerequestable": suite.run_id is None,
        "runs_rerequestable": suite.run_id is None,
    }
    sent = message(github, "check_suite", repository, event.actor, {"action": event.action, "check_suite": shown})
    return [_addressed(sent, event.action, suite.app_id)]


def _addressed(sent: Message, action: str, app_id: int) -> Message:
    return Message(sent.event, sent.body, sent.repository, only_app=app_id) if action in OWNER_ONLY else sent


@builder(StatusCreated)
async def status_created(github: SimulatedGitHub, event: StatusCreated) -> list[Message]:
    world, repository, record = github.world, event.repository, event.status
    git = github.git(repository)
    refs = await git.refs("refs/heads/")
    url = f"{repository_url(world, repository)}/commits/{record.sha}"
    branches = [
        {"name": ref.removeprefix("refs/heads/"), "commit": {"sha": tip, "url": url}, "protected": False}
        for ref, tip in refs.items()
        if tip == record.sha
    ]
    body: Json = {
        "id": record.id,
        "sha": record.sha,
        "name": repository.full_name,
        "avatar_url": simple_user(world, record.creator)["avatar_url"],
        "target_url": record.target_url,
        "context": record.context,
        "description": record.description,
        "state": record.state,
        "commit": commit(world, repository, await git.commit(record.sha)),
        "branches": branches,
        "created_at": stamp(record.created_at),
        "updated_at": stamp(record.created_at),
    }
    return [message(github, "status", repository, record.creator, body)]


@builder(WorkflowRunChanged)
async def workflow_run_changed(github: SimulatedGitHub, event: WorkflowRunChanged) -> list[Message]:
    repository, run = event.repository, event.run
    body: Json = {
        "action": event.action,
        "workflow": _workflow(github.world, repository, run),
        "workflow_run": await workflow_run(github, repository, run),
    }
    return [message(github, "workflow_run", repository, event.actor, body)]


@builder(WorkflowJobChanged)
async def workflow_job_changed(github: SimulatedGitHub, event: WorkflowJobChanged) -> list[Message]:
    body: Json = {"action": event.action, "workflow_job": job(github.world, event.repository, event.run, event.job)}
    return [message(github, "workflow_job", event.repository, event.actor, body)]


def _workflow(world: World, repository: Repository, run: WorkflowRun) -> Json:
    return workflow(world, repository, run.workflow_path, run.workflow_id, run.name)


@builder(MergeGroupChanged)
async def merge_group_changed(github: SimulatedGitHub, event: MergeGroupChanged) -> list[Message]:
    entry, repository = event.entry, event.repository
    if entry.group_sha is None:
        return []
    body: Json = {
        "action": event.action,
        "merge_group": {
            "head_sha": entry.group_sha,
            "head_ref": entry.group_ref,
            "base_sha": entry.base_sha,
            "base_ref": f"refs/heads/{event.branch}",
            "head_commit": await simple_commit(github, repository, entry.group_sha),
        },
        **({"reason": event.reason} if event.reason else {}),
    }
    return [message(github, "merge_group", repository, QUEUE_BOT, body)]


@builder(RulesetChanged)
async def ruleset_changed(github: SimulatedGitHub, event: RulesetChanged) -> list[Message]:
    body: Json = {
        "action": event.action,
        "repository_ruleset": ruleset_with_rules(github.world, event.repository, event.ruleset),
        **({"changes": event.changes} if event.action == "edited" else {}),
    }
    return [message(github, "repository_ruleset", event.repository, event.actor, body)]
