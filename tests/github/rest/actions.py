"""Workflow runs, jobs, logs, artifacts and dispatches: https://docs.github.com/rest/actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.actions.workflow_file import InvalidWorkflowError, parse
from tests.github.answers import answer, json_body, no_content, page_of
from tests.github.auth import actor_of
from tests.github.errors import ApiError, not_found
from tests.github.rest import downloads
from tests.github.rest.downloads import job_in, run_in
from tests.github.rest.lookup import github_of, number_in, repository_of
from tests.github.serialize_actions import job, workflow, workflow_run
from tests.github.serialize_repositories import repository_url
from tests.github.state import Job, Repository, WorkflowRun

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

PREFIX = "/repos/{owner}/{repo}/actions"
RUNS_A_SEARCH = 1000


def attach(github: SimulatedGitHub) -> None:
    downloads.attach(github)


async def workflow_permissions(request: Request) -> Response:
    repository = repository_of(request, "administration")
    approve = repository.workflows_may_approve
    return answer(
        {"default_workflow_permissions": repository.workflow_token, "can_approve_pull_request_reviews": approve}
    )


async def list_runs(request: Request) -> Response:
    repository = repository_of(request, "actions")
    return await _runs(request, repository, list(repository.runs.values()))


async def list_workflow_runs(request: Request) -> Response:
    repository = repository_of(request, "actions")
    path = _workflow_path(request, repository)
    return await _runs(request, repository, [r for r in repository.runs.values() if r.workflow_path == path])


async def _runs(request: Request, repository: Repository, runs: list[WorkflowRun]) -> Response:
    query = request.query_params
    tests: dict[str, Callable[[WorkflowRun], object]] = {
        "actor": lambda run: run.actor,
        "branch": lambda run: run.head_branch,
        "event": lambda run: run.event,
        "head_sha": lambda run: run.head_sha,
        "check_suite_id": lambda run: str(run.suite_id),
    }
    for key, value_of in tests.items():
        if wanted := query.get(key):
            runs = [run for run in runs if value_of(run) == wanted]
    if wanted := query.get("status"):
        runs = [run for run in runs if wanted in (run.status, run.conclusion)]
    runs.sort(key=lambda run: run.id, reverse=True)
    page, headers = page_of(request, runs, total_limit=RUNS_A_SEARCH)
    shown = [await workflow_run(github_of(request), repository, run) for run in page]
    return answer({"total_count": len(runs), "workflow_runs": shown}, headers=headers)


async def get_run(request: Request) -> Response:
    repository = repository_of(request, "actions")
    return answer(await workflow_run(github_of(request), repository, run_in(request, repository)))


async def get_attempt(request: Request) -> Response:
    repository = repository_of(request, "actions")
    run, number = run_in(request, repository), number_in(request, "attempt_number")
    if not 1 <= number <= run.attempt:
        raise not_found()
    return answer(await workflow_run(github_of(request), repository, run, number))


async def list_jobs(request: Request) -> Response:
    repository = repository_of(request, "actions")
    run = run_in(request, repository)
    jobs = run.jobs.get(run.attempt, [])
    if request.query_params.get("filter", "latest") == "all":
        jobs = list({item.id: item for attempt in run.jobs.values() for item in attempt}.values())
    return _jobs(request, repository, run, jobs)


async def list_attempt_jobs(request: Request) -> Response:
    repository = repository_of(request, "actions")
    run, number = run_in(request, repository), number_in(request, "attempt_number")
    if number not in run.jobs:
        raise not_found()
    return _jobs(request, repository, run, run.jobs[number])


def _jobs(request: Request, repository: Repository, run: WorkflowRun, jobs: list[Job]) -> Response:
    page, headers = page_of(request, jobs)
    shown = [job(github_of(request).world, repository, run, item) for item in page]
    return answer({"total_count": len(jobs), "jobs": shown}, headers=headers)


async def get_job(request: Request) -> Response:
    repository = repository_of(request, "actions")
    run, found = job_in(request, repository)
    return answer(job(github_of(request).world, repository, run, found))


async def rerun(request: Request) -> Response:
    return await _rerun(request, failed_only=False)


async def rerun_failed_jobs(request: Request) -> Response:
    return await _rerun(request, failed_only=True)


async def _rerun(request: Request, *, failed_only: bool) -> Response:
    repository = repository_of(request, "actions", "write")
    actor, run = actor_of(request), run_in(request, repository)
    await github_of(request).actions.rerun(repository, run, actor.login, failed_only=failed_only)
    return answer({}, 201)


async def cancel(request: Request) -> Response:
    repository = repository_of(request, "actions", "write")
    await github_of(request).actions.cancel(repository, run_in(request, repository))
    return answer({}, 202)


async def list_workflows(request: Request) -> Response:
    repository = repository_of(request, "actions")
    found = await _workflows(request, repository)
    page, headers = page_of(request, found)
    world = github_of(request).world
    shown = [workflow(world, repository, path, number, name) for path, number, name in page]
    return answer({"total_count": len(found), "workflows": shown}, headers=headers)


async def get_workflow(request: Request) -> Response:
    repository = repository_of(request, "actions")
    path = _workflow_path(request, repository, await _workflows(request, repository))
    number = github_of(request).actions.workflow_id(repository, path)
    name = next((n for p, _number, n in await _workflows(request, repository) if p == path), path)
    return answer(workflow(github_of(request).world, repository, path, number, name))


async def dispatch(request: Request) -> Response:
    """Since version 2026-03-10 always 200 with the run; with 2022-11-28 it was 204 without a body."""
    repository = repository_of(request, "actions", "write")
    github, body = github_of(request), await json_body(request)
    path = _workflow_path(request, repository, await _workflows(request, repository))
    ref, inputs = body.get("ref"), body.get("inputs") or {}
    if not isinstance(ref, str) or not ref:
        raise ApiError(422, 'Invalid request.\n\n"ref" wasn\'t supplied.')
    if not isinstance(inputs, dict):
        raise ApiError(422, "Invalid request.\n\nFor 'links/0/schema', inputs is not an object.")
    texts = {str(key): str(value).lower() if isinstance(value, bool) else str(value) for key, value in inputs.items()}
    run = await github.actions.dispatch(repository, path, ref, texts, actor_of(request).login)
    if getattr(request.state, "api_version", "2026-03-10") < "2026-03-10":
        return no_content()
    html = f"{github.world.base_url}/{repository.full_name}/actions/runs/{run.id}"
    url = f"{repository_url(github.world, repository)}/actions/runs/{run.id}"
    return answer({"workflow_run_id": run.id, "run_url": url, "html_url": html})


async def _workflows(request: Request, repository: Repository) -> list[tuple[str, int, str]]:
    """(path, id, name) of the workflow files on the default branch."""
    github = github_of(request)
    git = github.git(repository)
    tip = await git.rev_parse(f"refs/heads/{repository.default_branch}")
    folder = await git.tree(tip, path=".github/workflows/") if tip else []
    found = []
    for entry in folder:
        if entry.type == "blob" and entry.path.endswith((".yml", ".yaml")):
            number = github.actions.workflow_id(repository, entry.path)
            found.append((entry.path, number, _name(entry.path, await git.blob(entry.sha))))
    return found


def _name(path: str, text: bytes) -> str:
    try:
        return parse(text).name or path
    except InvalidWorkflowError:
        return path


def _workflow_path(request: Request, repository: Repository, known: list[tuple[str, int, str]] | None = None) -> str:
    """The path of `{workflow_id}`, which is a number or a file name; ApiError 404 when unknown."""
    wanted = str(request.path_params["workflow_id"])
    pairs = [(path, number) for path, number, _name in known or []] or list(repository.workflows.items())
    for path, number in pairs:
        if wanted in (str(number), path, path.rpartition("/")[2]):
            return path
    raise not_found()


routes = [
    Route(f"{PREFIX}/permissions/workflow", workflow_permissions),
    *downloads.routes,
    Route(f"{PREFIX}/runs", list_runs, methods=["GET"]),
    Route(f"{PREFIX}/runs/{{run_id}}", get_run, methods=["GET"]),
    Route(f"{PREFIX}/runs/{{run_id}}/attempts/{{attempt_number}}", get_attempt, methods=["GET"]),
    Route(f"{PREFIX}/runs/{{run_id}}/attempts/{{attempt_number}}/jobs", list_attempt_jobs, methods=["GET"]),
    Route(f"{PREFIX}/runs/{{run_id}}/jobs", list_jobs, methods=["GET"]),
    Route(f"{PREFIX}/runs/{{run_id}}/rerun", rerun, methods=["POST"]),
    Route(f"{PREFIX}/runs/{{run_id}}/rerun-failed-jobs", rerun_failed_jobs, methods=["POST"]),
    Route(f"{PREFIX}/runs/{{run_id}}/cancel", cancel, methods=["POST"]),
    Route(f"{PREFIX}/jobs/{{job_id}}", get_job, methods=["GET"]),
    Route(f"{PREFIX}/workflows", list_workflows, methods=["GET"]),
    Route(f"{PREFIX}/workflows/{{workflow_id}}", get_workflow, methods=["GET"]),
    Route(f"{PREFIX}/workflows/{{workflow_id}}/runs", list_workflow_runs, methods=["GET"]),
    Route(f"{PREFIX}/workflows/{{workflow_id}}/dispatches", dispatch, methods=["POST"]),
]
