"""Check runs, suites, annotations and commit statuses as GitHub's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.github import checks, node_ids
from tests.github.serialize import Json, app, simple_user, stamp
from tests.github.serialize_repositories import repository, repository_url
from tests.github.state import CheckRun, CheckSuite, CommitStatus, PullRequest, Repository, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


def pull_minimal(world: World, repo: Repository, pull: PullRequest) -> Json:
    """`pull-request-minimal`, the form inside checks and workflow runs."""
    source = world.repositories.get(pull.head_repository_id or 0) or repo
    return {
        "url": f"{repository_url(world, repo)}/pulls/{pull.number}",
        "id": pull.id,
        "number": pull.number,
        "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": _place(world, source)},
        "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": _place(world, repo)},
    }


def _place(world: World, repo: Repository) -> Json:
    return {"id": repo.id, "url": repository_url(world, repo), "name": repo.name}


def pulls_minimal(world: World, repo: Repository, sha: str) -> list[Json]:
    return [pull_minimal(world, repo, pull) for pull in checks.pulls_of(repo, sha)]


def check_run(world: World, repo: Repository, run: CheckRun) -> Json:
    """`check-run`."""
    url = f"{repository_url(world, repo)}/check-runs/{run.id}"
    html = f"{world.base_url}/{repo.full_name}/runs/{run.id}"
    if run.job_id is not None:
        html = run.details_url or html
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_ids.encode("CheckRun", run.id),
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": url,
        "html_url": html,
        "details_url": run.details_url or html,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": stamp(run.started_at),
        "completed_at": stamp(run.completed_at),
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": run.suite_id},
        "app": app(world, world.apps[run.app_id]),
        "pull_requests": pulls_minimal(world, repo, run.head_sha),
    }


def annotation(world: World, repo: Repository, run: CheckRun, given: dict[str, Any]) -> Json:
    """`check-annotation`."""
    keys = ("start_column", "end_column", "annotation_level", "title", "message", "raw_details")
    path = str(given.get("path", ""))
    return {
        "path": path,
        "blob_href": f"{world.base_url}/{repo.full_name}/blob/{run.head_sha}/{quote(path)}",
        "start_line": given.get("start_line", 1),
        "end_line": given.get("end_line", given.get("start_line", 1)),
        **{key: given.get(key) for key in keys},
    }


def suite_summary(world: World, repo: Repository, suite: CheckSuite) -> Json:
    """What a suite and the suite inside a check run's webhook have in common."""
    status, conclusion = checks.suite_state(repo, suite)
    return {
        "id": suite.id,
        "node_id": node_ids.encode("CheckSuite", suite.id),
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": status,
        "conclusion": conclusion,
        "url": f"{repository_url(world, repo)}/check-suites/{suite.id}",
        "before": suite.before,
        "after": suite.head_sha,
        "pull_requests": pulls_minimal(world, repo, suite.head_sha),
        "app": app(world, world.apps[suite.app_id]),
        "created_at": stamp(suite.created_at),
        "updated_at": stamp(suite.updated_at),
    }


async def check_suite(github: SimulatedGitHub, repo: Repository, suite: CheckSuite) -> Json:
    """`check-suite`."""
    world = github.world
    rerequestable = suite.run_id is None
    return suite_summary(world, repo, suite) | {
        "head_commit": await simple_commit(github, repo, suite.head_sha),
        "repository": repository(world, repo),
        "latest_check_runs_count": len(checks.newest(checks.runs_in(repo, suite))),
        "check_runs_url": f"{repository_url(world, repo)}/check-suites/{suite.id}/check-runs",
        "rerequestable": rerequestable,
        "runs_rerequestable": rerequestable,
    }


async def simple_commit(github: SimulatedGitHub, repo: Repository, sha: str) -> Json:
    """`simple-commit`."""
    commit = await github.git(repo).commit(sha)
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": stamp(commit.committed_at),
        "author": {"name": commit.author.name, "email": commit.author.email},
        "committer": {"name": commit.committer.name, "email": commit.committer.email},
    }


def simple_status(world: World, repo: Repository, record: CommitStatus) -> Json:
    """`simple-commit-status`, as in the combined status."""
    creator = simple_user(world, record.creator)
    return {
        "url": f"{repository_url(world, repo)}/statuses/{record.sha}",
        "avatar_url": creator["avatar_url"],
        "id": record.id,
        "node_id": node_ids.encode("StatusContext", record.id),
        "state": record.state,
        "description": record.description,
        "target_url": record.target_url,
        "context": record.context,
        "created_at": stamp(record.created_at),
        "updated_at": stamp(record.created_at),
    }


def status(world: World, repo: Repository, record: CommitStatus) -> Json:
    """`status`."""
    return simple_status(world, repo, record) | {"creator": simple_user(world, record.creator)}


def combined_status(world: World, repo: Repository, sha: str, page: list[CommitStatus]) -> Json:
    """`combined-commit-status`: the state of all, the statuses of one page."""
    everything = checks.newest_statuses(repo, sha)
    url = repository_url(world, repo)
    return {
        "state": checks.combined_state(everything),
        "statuses": [simple_status(world, repo, record) for record in page],
        "sha": sha,
        "total_count": len(everything),
        "repository": repository(world, repo),
        "commit_url": f"{url}/commits/{sha}",
        "url": f"{url}/commits/{sha}/status",
    }
