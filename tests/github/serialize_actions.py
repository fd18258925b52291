"""Workflows, runs, jobs and artifacts as GitHub's JSON."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tests.github import node_ids
from tests.github.serialize import Json, simple_user, stamp
from tests.github.serialize_checks import pull_minimal, simple_commit
from tests.github.serialize_repositories import repository, repository_url
from tests.github.state import Artifact, Job, Repository, Step, WorkflowRun, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

ARTIFACT_LIFE = timedelta(days=90)  # the default retention of public repositories


async def workflow_run(github: SimulatedGitHub, repo: Repository, run: WorkflowRun, attempt: int | None = None) -> Json:
    """`workflow-run` as of its newest attempt, or of an earlier one."""
    world = github.world
    number = attempt or run.attempt
    then = _as_of(run, number)
    url = f"{repository_url(world, repo)}/actions/runs/{run.id}"
    html = f"{world.base_url}/{repo.full_name}/actions/runs/{run.id}"
    here = url if attempt is None else f"{url}/attempts/{number}"
    source = world.repositories.get(run.head_repository_id) or repo
    pulls = [repo.pulls[n] for n in run.pull_numbers if repo.pulls[n].issue.state == "open"]
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_ids.encode("WorkflowRun", run.id),
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
        "path": run.workflow_path,
        "display_title": run.display_title,
        "run_number": run.run_number,
        "event": run.event,
        "status": then["status"],
        "conclusion": then["conclusion"],
        "workflow_id": run.workflow_id,
        "check_suite_id": run.suite_id,
        "check_suite_node_id": node_ids.encode("CheckSuite", run.suite_id),
        "url": url,
        "html_url": html,
        "pull_requests": [pull_minimal(world, repo, pull) for pull in pulls],
        "created_at": stamp(run.created_at),
        "updated_at": stamp(then["updated_at"]),
        "actor": simple_user(world, run.actor),
        "run_attempt": number,
        "referenced_workflows": [],
        "run_started_at": stamp(then["run_started_at"]),
        "triggering_actor": simple_user(world, then["triggering_actor"] or run.actor),
        "jobs_url": f"{here}/jobs",
        "logs_url": f"{here}/logs",
        "check_suite_url": f"{repository_url(world, repo)}/check-suites/{run.suite_id}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": f"{url}/attempts/{number - 1}" if number > 1 else None,
        "workflow_url": f"{repository_url(world, repo)}/actions/workflows/{run.workflow_id}",
        "head_commit": await simple_commit(github, repo, run.head_sha),
        "repository": repository(world, repo),
        "head_repository": repository(world, source),
    }


def _as_of(run: WorkflowRun, attempt: int) -> dict[str, Any]:
    return run.earlier_attempts.get(attempt) or {
        "status": run.status,
        "conclusion": run.conclusion,
        "updated_at": run.updated_at,
        "run_started_at": run.run_started_at,
        "triggering_actor": run.triggering_actor,
    }


def job(world: World, repo: Repository, run: WorkflowRun, record: Job) -> Json:
    """`job`."""
    root = repository_url(world, repo)
    html = f"{world.base_url}/{repo.full_name}/actions/runs/{run.id}/job/{record.id}"
    began = record.status != "queued" and record.conclusion != "skipped"
    return {
        "id": record.id,
        "run_id": run.id,
        "workflow_name": run.name,
        "head_branch": run.head_branch,
        "run_url": f"{root}/actions/runs/{run.id}",
        "run_attempt": record.run_attempt,
        "node_id": node_ids.encode("CheckRun", record.id),
        "head_sha": record.head_sha,
        "url": f"{root}/actions/jobs/{record.id}",
        "html_url": html,
        "status": record.status,
        "conclusion": record.conclusion,
        "created_at": stamp(record.created_at),
        "started_at": stamp(record.started_at or record.created_at),
        "completed_at": stamp(record.completed_at),
        "name": record.name,
        "steps": [step(item) for item in record.steps],
        "check_run_url": f"{root}/check-runs/{record.id}",
        "labels": list(record.labels),
        "runner_id": 1 if began else None,
        "runner_name": "GitHub Actions 1" if began else None,
        "runner_group_id": 0 if began else None,
        "runner_group_name": "GitHub Actions" if began else None,
    }


def step(record: Step) -> Json:
    return {
        "name": record.name,
        "status": record.status,
        "conclusion": record.conclusion,
        "number": record.number,
        "started_at": stamp(record.started_at),
        "completed_at": stamp(record.completed_at),
    }


def artifact(world: World, repo: Repository, run: WorkflowRun, record: Artifact) -> Json:
    """`artifact`; the digest is that of the zip."""
    url = f"{repository_url(world, repo)}/actions/artifacts/{record.id}"
    return {
        "id": record.id,
        "node_id": node_ids.encode("Artifact", record.id),
        "name": record.name,
        "size_in_bytes": len(record.zip),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": is_expired(world, record),
        "digest": f"sha256:{sha256(record.zip).hexdigest()}",
        "created_at": stamp(record.created_at),
        "updated_at": stamp(record.created_at),
        "expires_at": stamp(record.created_at + ARTIFACT_LIFE),
        "workflow_run": {
            "id": run.id,
            "repository_id": repo.id,
            "head_repository_id": run.head_repository_id,
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
        },
    }


def is_expired(world: World, record: Artifact) -> bool:
    return record.expired or world.now() >= record.created_at + ARTIFACT_LIFE


def workflow(world: World, repo: Repository, path: str, number: int, name: str) -> Json:
    """`workflow`."""
    file = path.rpartition("/")[2]
    return {
        "id": number,
        "node_id": node_ids.encode("Workflow", number),
        "name": name,
        "path": path,
        "state": "active",
        "created_at": stamp(repo.created_at),
        "updated_at": stamp(repo.created_at),
        "url": f"{repository_url(world, repo)}/actions/workflows/{number}",
        "html_url": f"{world.base_url}/{repo.full_name}/blob/{repo.default_branch}/{path}",
        "badge_url": f"{world.base_url}/{repo.full_name}/workflows/{file}/badge.svg",
    }
