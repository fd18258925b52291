"""POST /graphql."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.answers import answer, json_body
from tests.github.auth import actor_of
from tests.github.errors import ApiError
from tests.github.graphql.edits import attach
from tests.github.graphql.execute import run
from tests.github.graphql.graph import Graph


async def graphql(request: Request) -> Response:
    """Always 200 once the caller is known, whatever went wrong within the document."""
    actor = actor_of(request)
    if actor.kind == "anonymous":
        raise ApiError(401, "This endpoint requires you to be authenticated.")
    if actor.kind == "app":
        raise ApiError(401, "Bad credentials")
    body = await json_body(request)
    query, variables = body.get("query"), body.get("variables") or {}
    if not isinstance(query, str) or not isinstance(variables, dict):
        return answer({"errors": [{"message": "A query attribute must be specified and must be a string."}]})
    graph = Graph(request.app.state.github, request, actor)
    result = await run(graph, query, variables, body.get("operationName"))
    graph.github.rate_limits.spend(actor.budget, "graphql", graph.cost - 1)  # the gateway counts one for each request
    return answer(result, headers={"x-github-media-type": "github.v4"})


__all__ = ["attach", "routes"]

routes = [Route("/graphql", graphql, methods=["POST"])]
