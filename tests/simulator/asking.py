"""Asking the simulated GitHub in GraphQL."""

from __future__ import annotations

from typing import Any

import httpx

from tests.github import node_ids
from tests.github.state import PullRequest

PULL = 'query($n:Int!){repository(owner:"acme",name:"shop"){pullRequest(number:$n){%s}}}'


async def ask(client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
    response = await client.post("/graphql", json={"query": query, "variables": variables})
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


async def data(client: httpx.AsyncClient, query: str, **variables: Any) -> Any:
    body = await ask(client, query, **variables)
    assert "errors" not in body, body["errors"]
    return body["data"]


async def refusal(client: httpx.AsyncClient, query: str, **variables: Any) -> tuple[str | None, str]:
    """`type` and `message` of the one error."""
    [error] = (await ask(client, query, **variables))["errors"]
    return error.get("type"), error["message"]


def pull_id(pull: PullRequest) -> str:
    return node_ids.encode("PullRequest", pull.id)
