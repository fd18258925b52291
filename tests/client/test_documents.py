"""Every document fits GitHub's schema, and every answer that the schema allows fits our models."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import httpx
import pytest
from graphql import parse, validate

from app.github import documents, fragments, graph
from app.github.client import GitHubClient
from app.github.errors import (
    Conflict,
    GitHubDown,
    GitHubError,
    NotFound,
    Refused,
    UnexpectedAnswer,
)
from app.github.models import CheckSuite, Connection, HeadCommit
from app.github.writes import dequeue, enqueue
from tests.client.double import GitHubDouble, Thing
from tests.client.shapes import Shapes, sdl

pytestmark = pytest.mark.anyio
DOCUMENTS = {name: text for name, text in vars(documents).items() if name.isupper() and not hasattr(fragments, name)}
HEAD = f"{229:040x}"


def answering(github: GitHubDouble, shapes: Shapes) -> GitHubClient:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=shapes.answer(json.loads(request.content)))

    github.post("/graphql").mock(side_effect=answer)
    return github.client()


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_a_document_fits_githubs_schema(name: str) -> None:
    assert [error.message for error in validate(sdl(), parse(DOCUMENTS[name]))] == []


def test_the_schema_refuses_a_wrong_document() -> None:
    wrong = documents.PULL_HEAD.replace("headRefOid", "headOid")
    assert validate(sdl(), parse(wrong))


def test_there_are_documents() -> None:
    assert {"PULL_STATE", "PULL_HEAD", "QUEUE_ENTRIES", "ENQUEUE"} <= set(DOCUMENTS)


async def test_a_small_pull_request_is_one_request(github: GitHubDouble) -> None:
    shapes = Shapes(default=2)
    shapes.values["headRefOid"] = f"{1:040x}"
    client = answering(github, shapes)
    state = await graph.pull_state(client, "o", "r", 1)
    assert state.complete
    assert state.cost == 7
    assert state.pull.head_commit is not None
    assert client.counts == {"mint": 1, "read:pull": 1}


async def test_long_lists_are_read_to_their_end(github: GitHubDouble) -> None:
    totals = {"commits": 230, "reviews": 250, "comments": 170, "checkSuites": 70, "checkRuns": 60}
    shapes = Shapes(totals)
    shapes.values["headRefOid"] = HEAD
    client = answering(github, shapes)
    pull = (await graph.pull_state(client, "o", "r", 1)).pull
    assert [node.commit.oid for node in pull.commits.nodes] == [f"{place:040x}" for place in range(230)]
    assert pull.reviews is not None
    assert [review.full_database_id for review in pull.reviews.nodes] == list(range(250))
    assert [comment.full_database_id for comment in pull.comments.nodes] == list(range(170))
    assert pull.head_commit is not None
    suites = pull.head_commit.check_suites
    assert suites is not None
    assert [suite.id for suite in suites.nodes] == [f"checkSuites-{place}" for place in range(70)]
    for suite in suites.nodes:
        assert suite.check_runs is not None
        assert [run.id for run in suite.check_runs.nodes] == [f"checkRuns-{place}" for place in range(60)]
    assert pull.complete


@pytest.mark.parametrize("name", ["commits", "reviews", "comments", "labels", "reviewRequests", "checkRuns"])
async def test_a_list_longer_than_we_follow_is_incomplete(github: GitHubDouble, name: str) -> None:
    shapes = Shapes({name: 1000})
    shapes.values["headRefOid"] = f"{999 if name == 'commits' else 0:040x}"
    state = await graph.pull_state(answering(github, shapes), "o", "r", 1)
    assert not state.complete


async def test_a_list_of_commits_behind_the_head_is_incomplete(github: GitHubDouble) -> None:
    shapes = Shapes({"commits": 3})
    shapes.values["headRefOid"] = "f" * 40
    state = await graph.pull_state(answering(github, shapes), "o", "r", 1)
    assert state.pull.head_commit is None
    assert not state.complete


def test_an_element_that_could_not_be_read_makes_a_list_incomplete() -> None:
    answer = {"totalCount": 2, "nodes": [{"number": 1}, None]}
    assert not Connection[Thing].model_validate(answer).complete


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_the_schema_leaves_out_can_be_read(github: GitHubDouble, seed: int) -> None:
    """Any nullable field may be null and any list short: our models cope, or the object is not found."""
    client = answering(github, Shapes(default=seed % 3, chance=0.2, seed=seed))
    reads = (
        lambda: graph.pull_state(client, "o", "r", 1),
        lambda: graph.pull_head(client, "o", "r", 1),
        lambda: graph.commit_state(client, "o", "r", "a" * 40),
        lambda: graph.branch_tip(client, "o", "r", "refs/heads/main"),
        lambda: graph.queue_entries(client, "o", "r", "main"),
        lambda: graph.open_pulls(client, "o", "r"),
        lambda: enqueue(client, "r", "PR_x", head="a" * 40),
        lambda: dequeue(client, "r", "PR_x"),
    )
    for read in reads:
        with suppress(NotFound):
            await read()


async def test_null_for_the_object_is_not_found(github: GitHubDouble) -> None:
    shapes = Shapes()
    shapes.values["pullRequest"] = None
    client = answering(github, shapes)
    for read in (graph.pull_state, graph.pull_head):
        with pytest.raises(NotFound, match="o/r has no pull request 1"):
            await read(client, "o", "r", 1)


async def test_a_branch_without_a_queue_is_not_an_empty_queue(github: GitHubDouble) -> None:
    shapes = Shapes()
    shapes.values["mergeQueue"] = None
    assert await graph.queue_entries(answering(github, shapes), "o", "r", "main") is None


async def test_a_long_queue_is_read_to_its_end(github: GitHubDouble) -> None:
    queue = await graph.queue_entries(answering(github, Shapes({"entries": 240})), "o", "r", "main")
    assert queue is not None
    assert queue.complete
    assert [entry.id for entry in queue.items] == [f"entries-{place}" for place in range(240)]


async def test_all_open_pull_requests(github: GitHubDouble) -> None:
    client = answering(github, Shapes({"pullRequests": 350}))
    pulls = await graph.open_pulls(client, "o", "r")
    assert [pull.number for pull in pulls.items] == list(range(350))
    assert pulls.complete
    assert client.counts["read:pulls"] == 4


async def test_more_open_pull_requests_than_we_list_are_said(
    github: GitHubDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MOST_LISTS", 2)
    pulls = await graph.open_pulls(answering(github, Shapes({"pullRequests": 201})), "o", "r")
    assert len(pulls.items) == 200
    assert not pulls.complete


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("NOT_FOUND", NotFound),
        ("FORBIDDEN", Refused),
        ("INSUFFICIENT_SCOPES", Refused),
        ("UNPROCESSABLE", Refused),
        ("STALE_DATA", Conflict),
        ("SERVICE_UNAVAILABLE", GitHubDown),
        ("SOMETHING_NEW", UnexpectedAnswer),
    ],
)
async def test_an_error_beside_data_makes_all_of_it_unusable(
    github: GitHubDouble, kind: str, error: type[GitHubError]
) -> None:
    body = {"data": {"number": 1}, "errors": [{"type": kind, "message": "GitHub's words", "path": ["x"]}]}
    github.post("/graphql").respond(json=body)
    with pytest.raises(error, match="GitHub's words") as caught:
        await github.client().graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)
    assert type(caught.value) is error


async def test_githubs_own_faults_have_no_type(github: GitHubDouble) -> None:
    said = "Something went wrong while executing your query. Please include `A1:B2` when reporting this issue."
    github.post("/graphql").respond(json={"data": None, "errors": [{"message": said}]})
    with pytest.raises(GitHubDown, match="Something went wrong"):
        await github.client().graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)


async def test_a_document_that_the_server_does_not_know_is_ours(github: GitHubDouble) -> None:
    error = {"message": "Field 'x' doesn't exist on type 'Query'", "locations": [{"line": 1, "column": 9}]}
    github.post("/graphql").respond(json={"errors": [error]})
    with pytest.raises(UnexpectedAnswer, match="does not understand this document"):
        await github.client().graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": []}, {"errors": []}])
async def test_neither_data_nor_errors_is_unexpected(github: GitHubDouble, body: dict[str, Any]) -> None:
    github.post("/graphql").respond(json=body)
    with pytest.raises(UnexpectedAnswer):
        await github.client().graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)


async def test_a_document_is_named_in_errors_and_narrowed_to_its_repository(github: GitHubDouble) -> None:
    github.post("/graphql").respond(404)
    with pytest.raises(NotFound, match=r"^GraphQL query PullHead:"):
        await graph.pull_head(github.client(), "o", "r", 1)
    assert json.loads(github.minted[0].content)["repositories"] == ["r"]


def test_objects_of_another_kind_read_as_none() -> None:
    """An inline fragment leaves `{}` of a submodule where a folder or file was asked for."""
    entry = {"oid": "a" * 40, "mode": 57344, "type": "commit", "object": {}}
    commit = {
        "oid": "a" * 40,
        "tree": {"oid": "b" * 40},
        "parents": {"totalCount": 0, "nodes": []},
        "committedDate": "2026-11-29T12:00:00Z",
        "workflows": entry,
        "actions": None,
        "checkSuites": {"totalCount": 0, "nodes": []},
    }
    workflows = HeadCommit.model_validate(commit).workflows
    assert workflows is not None
    assert workflows.object is None


def test_enum_values_that_the_schema_does_not_know_are_kept() -> None:
    suite = {
        "id": "CS_1",
        "databaseId": 4294967299,
        "app": None,
        "status": "PONDERING",
        "conclusion": "SOMETHING_NEW",
        "updatedAt": "2026-11-29T12:00:00Z",
        "workflowRun": None,
        "checkRuns": {"totalCount": 0, "nodes": None},
    }
    read = CheckSuite.model_validate(suite)
    assert (read.status, read.conclusion, read.database_id) == ("PONDERING", "SOMETHING_NEW", 4294967299)
