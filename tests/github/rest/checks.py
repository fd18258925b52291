"""Check runs and check suites: https://docs.github.com/rest/checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import checks, payloads_checks
from tests.github.answers import answer, json_body, page_of
from tests.github.auth import Actor, actor_of
from tests.github.errors import ApiError, not_found
from tests.github.events import CheckSuiteChanged
from tests.github.rest.check_fields import apply, checked, text_of
from tests.github.rest.lookup import github_of, number_in, repository_of
from tests.github.serialize_checks import annotation, check_run, check_suite
from tests.github.state import CheckRun, CheckSuite, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

RUNS_OF_ONE_NAME = 1000
PREFIX = "/repos/{owner}/{repo}"

assert payloads_checks  # registers its builders


def attach(github: SimulatedGitHub) -> None:
    github.listeners.append(checks.SuiteRequests(github).on_event)


def _writing_app(request: Request, repository: Repository) -> Actor:
    """Only Apps write checks; a person is told so with 403."""
    actor = actor_of(request)
    if actor.app_id is None and actor.kind != "actions":
        message = "You must authenticate via a GitHub App."
        raise ApiError(401 if actor.kind == "anonymous" else 403, message)
    return actor


def _app_id(actor: Actor) -> int:
    return actor.app_id if actor.app_id is not None else checks.ACTIONS_APP_ID


async def create(request: Request) -> Response:
    repository = repository_of(request, "checks", "write", user="read")
    github, actor = github_of(request), _writing_app(request, repository)
    body = await json_body(request)
    name, sha = text_of(body, "name", required=True), text_of(body, "head_sha", required=True)
    assert name is not None and sha is not None
    if len(sha) != 40 or await github.git(repository).rev_parse(sha, "commit") is None:
        raise ApiError(422, f"No commit found for SHA: {sha}")
    change = checked(body)
    suite = await checks.suite_for(github, repository, _app_id(actor), sha)
    same_named = [run for run in checks.runs_in(repository, suite) if run.name == name]
    if len(same_named) >= RUNS_OF_ONE_NAME:
        raise ApiError(422, f"A check suite may hold at most {RUNS_OF_ONE_NAME} check runs of one name")
    now = github.world.now()
    run = CheckRun(github.world.new_id(), suite.id, suite.app_id, name, sha, created_at=now)
    apply(github.world, run, change)
    run.started_at = run.started_at or now
    run.list_lag = github.world.switches.check_run_list_lag
    await checks.add_run(github, repository, run, actor.login)
    return answer(check_run(github.world, repository, run), 201)


async def update(request: Request) -> Response:
    repository = repository_of(request, "checks", "write", user="read")
    github, actor = github_of(request), _writing_app(request, repository)
    run = _run(request, repository)
    if run.app_id != _app_id(actor):
        message = (
            f"Invalid app_id `{_app_id(actor)}` - check run can only be modified by the GitHub App that created it."
        )
        raise ApiError(403, message)
    change = checked(await json_body(request))
    was_completed = run.status == "completed"
    reopening = was_completed and change.status in {"queued", "in_progress"} and change.conclusion is None
    if reopening and not github.world.switches.reopen_completed_check_run:
        change.status = None  # ignored without a word
    apply(github.world, run, change)
    if run.status == "completed" and (change.conclusion or change.completed_at):
        await checks.changed(github, repository, run, "completed", actor.login)
    elif was_completed and run.status != "completed":
        await checks.changed(github, repository, run, "created", actor.login)
    return answer(check_run(github.world, repository, run))


async def get(request: Request) -> Response:
    repository = repository_of(request, "checks")
    return answer(check_run(github_of(request).world, repository, _run(request, repository)))


async def list_annotations(request: Request) -> Response:
    repository = repository_of(request, "checks")
    run = _run(request, repository)
    page, headers = page_of(request, run.annotations)
    return answer([annotation(github_of(request).world, repository, run, item) for item in page], headers=headers)


async def rerequest(request: Request) -> Response:
    repository = repository_of(request, "checks", "write")
    github, run = github_of(request), _run(request, repository)
    if run.job_id is not None:
        raise ApiError(403, "This check run is not rerequestable")
    await checks.changed(github, repository, run, "rerequested", actor_of(request).login)
    return answer({}, 201)


async def list_for_ref(request: Request) -> Response:
    repository = repository_of(request, "checks")
    github = github_of(request)
    sha = await github.git(repository).commit_id(request.path_params["ref"])
    if sha is None:
        raise ApiError(422, f"No commit found for SHA: {request.path_params['ref']}")
    return _listed(request, repository, checks.runs_of(repository, sha))


async def list_for_suite(request: Request) -> Response:
    repository = repository_of(request, "checks")
    return _listed(request, repository, checks.runs_in(repository, _suite(request, repository)))


async def suites_for_ref(request: Request) -> Response:
    repository = repository_of(request, "checks")
    github, query = github_of(request), request.query_params
    sha = await github.git(repository).commit_id(request.path_params["ref"])
    if sha is None:
        raise ApiError(422, f"No commit found for SHA: {request.path_params['ref']}")
    suites = [suite for suite in repository.suites.values() if suite.head_sha == sha]
    if query.get("app_id"):
        suites = [suite for suite in suites if str(suite.app_id) == query["app_id"]]
    if name := query.get("check_name"):
        suites = [s for s in suites if any(run.name == name for run in checks.runs_in(repository, s))]
    page, headers = page_of(request, suites)
    shown = [await check_suite(github, repository, suite) for suite in page]
    return answer({"total_count": len(suites), "check_suites": shown}, headers=headers)


async def get_suite(request: Request) -> Response:
    repository = repository_of(request, "checks")
    return answer(await check_suite(github_of(request), repository, _suite(request, repository)))


async def create_suite(request: Request) -> Response:
    repository = repository_of(request, "checks", "write", user="read")
    github, actor = github_of(request), _writing_app(request, repository)
    sha = text_of(await json_body(request), "head_sha", required=True) or ""
    if await github.git(repository).rev_parse(sha, "commit") is None:
        raise ApiError(422, f"No commit found for SHA: {sha}")
    existing = checks.find_suite(repository, _app_id(actor), sha)
    suite = existing or await checks.suite_for(github, repository, _app_id(actor), sha)
    return answer(await check_suite(github, repository, suite), 200 if existing else 201)


async def rerequest_suite(request: Request) -> Response:
    repository = repository_of(request, "checks", "write")
    github, suite = github_of(request), _suite(request, repository)
    await github.publish(CheckSuiteChanged(repository, suite, "rerequested", actor_of(request).login))
    return answer({}, 201)


def _run(request: Request, repository: Repository) -> CheckRun:
    run = repository.check_runs.get(number_in(request, "check_run_id"))
    if run is None:
        raise not_found()
    return run


def _suite(request: Request, repository: Repository) -> CheckSuite:
    suite = repository.suites.get(number_in(request, "check_suite_id"))
    if suite is None:
        raise not_found()
    return suite


def _listed(request: Request, repository: Repository, runs: Sequence[CheckRun]) -> Response:
    query, found = request.query_params, _after_lag(runs)
    if query.get("filter", "latest") != "all":
        found = checks.newest(found)
    for key in ("check_name", "status", "app_id"):
        if wanted := query.get(key):
            found = [run for run in found if _value(run, key) == wanted]
    found.sort(key=lambda run: run.id, reverse=True)
    page, headers = page_of(request, found)
    world = github_of(request).world
    shown = [check_run(world, repository, run) for run in page]
    return answer({"total_count": len(found), "check_runs": shown}, headers=headers)


def _value(run: CheckRun, key: str) -> str:
    return {"check_name": run.name, "status": run.status, "app_id": str(run.app_id)}[key]


def _after_lag(runs: Sequence[CheckRun]) -> list[CheckRun]:
    """Runs just created are missing from so many listings as the switch says."""
    seen = []
    for run in runs:
        if run.list_lag > 0:
            run.list_lag -= 1
        else:
            seen.append(run)
    return seen


routes = [
    Route(f"{PREFIX}/check-runs", create, methods=["POST"]),
    Route(f"{PREFIX}/check-runs/{{check_run_id}}", update, methods=["PATCH"]),
    Route(f"{PREFIX}/check-runs/{{check_run_id}}", get, methods=["GET"]),
    Route(f"{PREFIX}/check-runs/{{check_run_id}}/annotations", list_annotations, methods=["GET"]),
    Route(f"{PREFIX}/check-runs/{{check_run_id}}/rerequest", rerequest, methods=["POST"]),
    Route(f"{PREFIX}/check-suites", create_suite, methods=["POST"]),
    Route(f"{PREFIX}/check-suites/{{check_suite_id}}", get_suite, methods=["GET"]),
    Route(f"{PREFIX}/check-suites/{{check_suite_id}}/check-runs", list_for_suite, methods=["GET"]),
    Route(f"{PREFIX}/check-suites/{{check_suite_id}}/rerequest", rerequest_suite, methods=["POST"]),
    Route(f"{PREFIX}/commits/{{ref:path}}/check-runs", list_for_ref, methods=["GET"]),
    Route(f"{PREFIX}/commits/{{ref:path}}/check-suites", suites_for_ref, methods=["GET"]),
]
