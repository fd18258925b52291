"""Rule suites of a repository: https://docs.github.com/rest/repos/rule-suites."""

from __future__ import annotations

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from tests.github.answers import answer, page_of
from tests.github.errors import ApiError, not_found
from tests.github.rest.lookup import number_in, repository_of, world_of
from tests.github.serialize import Json, stamp
from tests.github.state import Repository, RuleSuite, World

PERIODS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}


async def listed(request: Request) -> Response:
    repository, world = repository_of(request, "administration"), world_of(request)
    query = request.query_params
    period = PERIODS.get(query.get("time_period", "day"))
    if period is None:
        raise ApiError(422, f"Invalid request.\n\n{query['time_period']} is not a member of {list(PERIODS)}.")
    found = [suite for suite in reversed(repository.rule_suites) if suite.pushed_at >= world.now() - period]
    if ref := query.get("ref"):
        found = [suite for suite in found if ref in (suite.ref, suite.ref.removeprefix("refs/heads/"))]
    if actor := query.get("actor_name"):
        found = [suite for suite in found if suite.actor == actor]
    if (result := query.get("rule_suite_result", "all")) != "all":
        found = [suite for suite in found if suite.result == result]
    page, headers = page_of(request, found)
    return answer([_summary(world, repository, suite) for suite in page], headers=headers)


async def get(request: Request) -> Response:
    repository, world = repository_of(request, "administration"), world_of(request)
    wanted = number_in(request, "rule_suite_id")
    found = next((suite for suite in repository.rule_suites if suite.id == wanted), None)
    if found is None:
        raise not_found()
    return answer(_summary(world, repository, found) | {"rule_evaluations": found.evaluations})


def _summary(world: World, repository: Repository, suite: RuleSuite) -> Json:
    actor = world.accounts.get(suite.actor) or world.accounts["ghost"]
    return {
        "id": suite.id,
        "actor_id": actor.id,
        "actor_name": actor.login,
        "before_sha": suite.before,
        "after_sha": suite.after,
        "ref": suite.ref,
        "repository_id": repository.id,
        "repository_name": repository.name,
        "pushed_at": stamp(suite.pushed_at),
        "result": suite.result,
        "evaluation_result": suite.result,
    }
