"""Logs and artifacts of Actions, which are behind short-lived addresses that ask for no credentials.

https://docs.github.com/rest/actions/artifacts and https://docs.github.com/rest/actions/workflow-jobs
"""

from __future__ import annotations

import io
import secrets
import zipfile
from datetime import timedelta
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tests.github import retention
from tests.github.answers import answer, page_of
from tests.github.errors import ApiError, not_found
from tests.github.rest.lookup import github_of, number_in, repository_of
from tests.github.serialize_actions import artifact, is_expired
from tests.github.state import Artifact, Job, Repository, WorkflowRun

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

PREFIX = "/repos/{owner}/{repo}/actions"
DOWNLOADS = "/_downloads"
LINK_LIFE = timedelta(minutes=1)  # documented for log redirects


def attach(github: SimulatedGitHub) -> None:
    github.downloads = {}
    retention.attach(github)


async def job_logs(request: Request) -> Response:
    repository = repository_of(request, "actions")
    _run_of, found = job_in(request, repository)
    if found.log is None or _logs_gone(request, found):
        raise not_found()
    return _redirect(request, found.log, "text/plain; charset=utf-8")


async def run_logs(request: Request) -> Response:
    """An archive: a text a job, `0_test.txt`, and beside it a folder a job with a text a step."""
    repository = repository_of(request, "actions")
    run = run_in(request, repository)
    attempt = int(request.path_params.get("attempt_number", run.attempt))
    jobs = [job for job in run.jobs.get(attempt, []) if job.log is not None and not _logs_gone(request, job)]
    if not jobs:
        raise not_found()
    return _redirect(request, _archive(jobs), "application/zip")


def _archive(jobs: list[Job]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for index, job in enumerate(jobs):
            name = job.name.replace("/", "")
            archive.writestr(f"{index}_{name}.txt", job.log or b"")
            for step in job.steps:
                archive.writestr(f"{name}/{step.number}_{step.name.replace('/', '')}.txt", step.log or b"")
    return packed.getvalue()


async def step_logs(request: Request) -> Response:
    repository = repository_of(request, "metadata")
    _run_of, found = job_in(request, repository)
    number = number_in(request, "step_number")
    step = next((step for step in found.steps if step.number == number), None)
    if step is None or step.log is None or _logs_gone(request, found):
        raise not_found()
    return _redirect(request, step.log, "text/plain; charset=utf-8")


def _logs_gone(request: Request, found: Job) -> bool:
    """Logs are kept as long as the retention setting says; 410 on the real server is not documented, 404 is seen."""
    world = github_of(request).world
    days = world.switches.retention_days
    return found.completed_at is not None and world.now() >= found.completed_at + timedelta(days=days)


async def list_artifacts(request: Request) -> Response:
    repository = repository_of(request, "actions")
    run = run_in(request, repository)
    current = {item.id for item in run.jobs.get(run.attempt, [])}
    found = [item for item in run.artifacts if item.job_id in current]
    return _artifacts(request, repository, [(run, item) for item in found])


async def list_repository_artifacts(request: Request) -> Response:
    repository = repository_of(request, "actions")
    found = [(run, item) for run in repository.runs.values() for item in run.artifacts]
    return _artifacts(request, repository, found)


def _artifacts(request: Request, repository: Repository, found: list[tuple[WorkflowRun, Artifact]]) -> Response:
    if name := request.query_params.get("name"):
        found = [(run, item) for run, item in found if item.name == name]
    found.sort(key=lambda pair: pair[1].id, reverse=True)
    page, headers = page_of(request, found)
    shown = [artifact(github_of(request).world, repository, run, item) for run, item in page]
    return answer({"total_count": len(found), "artifacts": shown}, headers=headers)


async def get_artifact(request: Request) -> Response:
    repository = repository_of(request, "actions")
    run, found = _artifact(request, repository)
    return answer(artifact(github_of(request).world, repository, run, found))


async def artifact_zip(request: Request) -> Response:
    repository = repository_of(request, "actions")
    _run_of, found = _artifact(request, repository)
    if request.path_params["archive_format"] != "zip":
        raise not_found()
    if is_expired(github_of(request).world, found):
        raise ApiError(410, "Artifact has expired")
    return _redirect(request, found.zip, "application/zip")


async def download(request: Request) -> Response:
    """The short-lived address behind a redirect; it asks for no credentials."""
    github = github_of(request)
    found = github.downloads.get(request.path_params["key"])
    if found is None or github.world.now() >= found[0]:
        raise not_found()
    return Response(found[1], media_type=found[2])


def _redirect(request: Request, content: bytes, media_type: str) -> Response:
    github = github_of(request)
    now = github.world.now()
    for key in [key for key, (until, _content, _type) in github.downloads.items() if until <= now]:
        del github.downloads[key]
    key = secrets.token_urlsafe(24)
    github.downloads[key] = (now + LINK_LIFE, content, media_type)
    return RedirectResponse(f"{github.world.base_url}{DOWNLOADS}/{key}", 302)


def run_in(request: Request, repository: Repository) -> WorkflowRun:
    run = repository.runs.get(number_in(request, "run_id"))
    if run is None:
        raise not_found()
    return run


def job_in(request: Request, repository: Repository) -> tuple[WorkflowRun, Job]:
    wanted = number_in(request, "job_id")
    for run in repository.runs.values():
        for attempt in run.jobs.values():
            for item in attempt:
                if item.id == wanted:
                    return run, item
    raise not_found()


def _artifact(request: Request, repository: Repository) -> tuple[WorkflowRun, Artifact]:
    wanted = number_in(request, "artifact_id")
    found = [(run, item) for run in repository.runs.values() for item in run.artifacts if item.id == wanted]
    if not found:
        raise not_found()
    return found[0]


routes = [
    Route(f"{PREFIX}/runs/{{run_id}}/artifacts", list_artifacts, methods=["GET"]),
    Route(f"{PREFIX}/runs/{{run_id}}/logs", run_logs, methods=["GET"]),
    Route(f"{PREFIX}/runs/{{run_id}}/attempts/{{attempt_number:int}}/logs", run_logs, methods=["GET"]),
    Route(f"{PREFIX}/jobs/{{job_id}}/logs", job_logs, methods=["GET"]),
    Route(f"{PREFIX}/jobs/{{job_id}}/steps/{{step_number}}/logs", step_logs, methods=["GET"]),
    Route(f"{PREFIX}/artifacts", list_repository_artifacts, methods=["GET"]),
    Route(f"{PREFIX}/artifacts/{{artifact_id}}", get_artifact, methods=["GET"]),
    Route(f"{PREFIX}/artifacts/{{artifact_id}}/{{archive_format}}", artifact_zip, methods=["GET"]),
    Route(f"{DOWNLOADS}/{{key}}", download, methods=["GET"]),
]
