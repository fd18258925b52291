"""Check runs and check suites: https://docs.github.com/rest/checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import checks, payloads_checks
from tests.github.answers import answer, json_body, page_of
from tests.github.auth import Actor, actor_of
from tests.github.errors import ApiError, invalid, not_found
from tests.github.events import CheckSuiteChanged
from tests.github.rest.lookup import github_of, number_in, repository_of
from tests.github.serialize_checks import annotation, check_run, check_suite
from tests.github.state import CheckRun, CheckSuite, Repository, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

STATUSES = ("queued", "in_progress", "completed")
CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
ANNOTATIONS_A_REQUEST = 50
ACTIONS_A_RUN = 3
ACTION_SIZES = {"label": 20, "description": 40, "identifier": 20}  # characters
TEXT_BYTES = 65_535  # GitHub counts UTF-8 bytes, see rest-api-description issue 5399
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
    name, sha = _text(body, "name", required=True), _text(body, "head_sha", required=True)
    assert name is not None and sha is not None
    if len(sha) != 40 or await github.git(repository).rev_parse(sha, "commit") is None:
        raise ApiError(422, f"No commit found for SHA: {sha}")
    change = _checked(body)
    suite = await checks.suite_for(github, repository, _app_id(actor), sha)
    same_named = [run for run in checks.runs_in(repository, suite) if run.name == name]
    if len(same_named) >= RUNS_OF_ONE_NAME:
        raise ApiError(422, f"A check suite may hold at most {RUNS_OF_ONE_NAME} check runs of one name")
    now = github.world.now()
    run = CheckRun(github.world.new_id(), suite.id, suite.app_id, name, sha, created_at=now)
    _apply(github.world, run, change)
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
    change = _checked(await json_body(request))
    was_completed = run.status == "completed"
    reopening = was_completed and change.status in {"queued", "in_progress"} and change.conclusion is None
    if reopening and not github.world.switches.reopen_completed_check_run:
        change.status = None  # ignored without a word
    _apply(github.world, run, change)
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
    sha = _text(await json_body(request), "head_sha", required=True) or ""
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


@dataclass
class Change:
    """What a request wants to change, checked; None leaves a field as it is."""

    name: str | None
    status: str | None
    conclusion: str | None
    details_url: str | None
    external_id: str | None
    started_at: datetime | None
    completed_at: datetime | None
    output: dict[str, Any]
    actions: list[dict[str, str]] | None


def _checked(body: dict[str, Any]) -> Change:
    """The request's fields; ApiError 422 when one is not as documented."""
    return Change(
        name=_text(body, "name"),
        status=_choice(body, "status", STATUSES),
        conclusion=_choice(body, "conclusion", CONCLUSIONS),
        details_url=_text(body, "details_url"),
        external_id=_text(body, "external_id"),
        started_at=_moment(body, "started_at"),
        completed_at=_moment(body, "completed_at"),
        output=_output(body),
        actions=_actions(body),
    )


def _apply(world: World, run: CheckRun, change: Change) -> None:
    for key in ("name", "details_url", "external_id", "started_at"):
        value = getattr(change, key)
        if value is not None:
            setattr(run, key, value)
    for key in ("title", "summary", "text"):
        if key in change.output:
            setattr(run, key, change.output[key])
    run.annotations += change.output.get("annotations") or []
    if change.actions is not None:
        run.actions = change.actions
    _apply_state(world, run, change)


def _apply_state(world: World, run: CheckRun, change: Change) -> None:
    """A conclusion makes the run completed, whatever `status` says; another status takes the conclusion away."""
    if change.conclusion is not None or change.completed_at is not None:
        run.status = "completed"
        run.conclusion = change.conclusion or run.conclusion or "neutral"
        run.completed_at = change.completed_at or world.now()
    elif change.status == "completed":
        raise invalid("CheckRun", "conclusion", "missing_field")
    elif change.status is not None:
        run.status, run.conclusion, run.completed_at = change.status, None, None


def _text(body: dict[str, Any], key: str, *, required: bool = False) -> str | None:
    value = body.get(key)
    if value is None or value == "":
        if required:
            raise ApiError(422, f'Invalid request.\n\n"{key}" wasn\'t supplied.')
        return None
    if not isinstance(value, str):
        raise ApiError(422, f"Invalid request.\n\nFor 'properties/{key}', {value!r} is not a string.")
    return value


def _choice(body: dict[str, Any], key: str, allowed: Sequence[str]) -> str | None:
    value = _text(body, key)
    if value is not None and value not in allowed:
        raise ApiError(422, f"Invalid request.\n\n{value} is not a member of {list(allowed)}.")
    return value


def _moment(body: dict[str, Any], key: str) -> datetime | None:
    value = _text(body, key)
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ApiError(422, f"Invalid request.\n\n{value} is not a valid date-time.") from None
    if moment.tzinfo is None:
        raise ApiError(422, f"Invalid request.\n\n{value} is not a valid date-time.")
    return moment


def _output(body: dict[str, Any]) -> dict[str, Any]:
    output = body.get("output")
    if output is None:
        return {}
    if not isinstance(output, dict) or not isinstance(output.get("summary"), str):
        raise ApiError(422, 'Invalid request.\n\n"summary" wasn\'t supplied.')
    for key in ("title", "summary", "text"):
        value = output.get(key)
        if value is not None and len(str(value).encode()) > TEXT_BYTES:
            raise invalid("CheckRun", key, "custom", f"{key} exceeds a maximum bytesize of {TEXT_BYTES}")
    given = output.get("annotations") or []
    if len(given) > ANNOTATIONS_A_REQUEST:
        raise ApiError(
            422,
            f"Invalid request.\n\nNo more than {ANNOTATIONS_A_REQUEST} items are allowed; {len(given)} were supplied.",
        )
    for item in given:
        _check_annotation(item)
    return output


def _check_annotation(item: object) -> None:
    if not isinstance(item, dict):
        raise ApiError(422, "Invalid request.\n\nAn annotation must be an object.")
    missing = [key for key in ("path", "start_line", "end_line", "annotation_level", "message") if key not in item]
    if missing:
        raise ApiError(422, f'Invalid request.\n\n"{missing[0]}" wasn\'t supplied.')
    if item["annotation_level"] not in ("notice", "warning", "failure"):
        raise ApiError(422, f"Invalid request.\n\n{item['annotation_level']} is not a member of annotation levels.")
    if len(str(item["message"]).encode()) > TEXT_BYTES + 1:
        raise invalid("CheckAnnotation", "message", "custom", "message exceeds 64 KB")
    columns = "start_column" in item or "end_column" in item
    if columns and item["start_line"] != item["end_line"]:
        raise invalid(
            "CheckAnnotation", "start_column", "custom", "columns need start_line and end_line to be the same"
        )


def _actions(body: dict[str, Any]) -> list[dict[str, str]] | None:
    actions = body.get("actions")
    if actions is None:
        return None
    if not isinstance(actions, list) or len(actions) > ACTIONS_A_RUN:
        raise ApiError(422, f"Invalid request.\n\nNo more than {ACTIONS_A_RUN} items are allowed in actions.")
    for action in actions:
        for key, size in ACTION_SIZES.items():
            if not isinstance(action, dict) or not 0 < len(str(action.get(key, ""))) <= size:
                raise ApiError(422, f"Invalid request.\n\nactions: {key} needs 1 to {size} characters.")
    return actions


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
