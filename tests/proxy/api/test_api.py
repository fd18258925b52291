"""The API slice over a socket, before the simulated GitHub: what reaches it, what is answered, what is noted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import Response

from app.proxy import ledger, sessions
from app.proxy.api.denied import MISSING
from app.proxy.grant import Right
from app.store.database import Database
from tests.github.faults import Fault
from tests.proxy.api.town import Town, town

pytestmark = pytest.mark.anyio
TEXT = "mutation($i: AddCommentInput!) { addComment(input: $i) { commentEdge { node { id body author { login } } } } }"


@pytest.fixture
async def shop(tmp_path: Path, database: Database) -> AsyncIterator[Town]:
    async with town(tmp_path, database) as made:
        yield made


def first_error(answer: Any) -> str:
    assert answer["data"] is None
    return str(answer["errors"][0]["message"])


async def test_reading_streams_and_pages_through_the_proxy(shop: Town) -> None:
    for number in range(3):
        await shop.scene.github.push(shop.scene.shop, f"p{number}", {f"p{number}": "x"}, author="ada")
        await shop.scene.github.open_pull(shop.scene.shop, f"p{number}", author="ada")
    page = await shop.call("GET", "/api/v3/repos/acme/shop/pulls?per_page=1")
    assert page.status_code == 200
    base = f"{shop.scene.address}/api/v3/repos/acme/shop"
    assert page.json()[0]["url"].startswith(f"{base}/pulls/")
    seen = [page.json()[0]["number"]]
    while "next" in page.links:
        assert page.links["next"]["url"].startswith(f"{base}/pulls?")
        page = await shop.call("GET", page.links["next"]["url"].removeprefix(shop.scene.address))
        seen.append(page.json()[0]["number"])
    assert len(set(seen)) == 3
    known = await shop.call("GET", "/repos/acme/shop", headers={"if-none-match": page.headers["etag"]})
    again = await shop.call("GET", "/repos/acme/shop", headers={"if-none-match": known.headers["etag"]})
    assert (known.status_code, again.status_code, again.content) == (200, 304, b"")


async def test_what_is_not_granted_is_what_does_not_exist(shop: Town) -> None:
    """The same bytes, and nothing asked of GitHub."""
    before = len(shop.upstream())
    answers = [
        await shop.call(method, path)
        for method, path in (
            ("GET", "/repos/acme/other"),
            ("GET", "/repos/acme/does-not-exist"),
            ("GET", "/repos/mallory/shop"),
            ("GET", f"/repositories/{shop.scene.shop.id}"),
            ("GET", "/user"),
            ("GET", "/api/v3/orgs/acme/repos"),
            ("PUT", "/repos/acme/other/pulls/1/merge"),
            ("GET", "/graphql?query=%7Bviewer%7Blogin%7D%7D"),
            ("GET", "/graphql"),
            ("PATCH", "/api/graphql"),
        )
    ]
    assert {(one.status_code, one.content) for one in answers} == {(404, MISSING)}
    assert len({tuple(one.headers.items()) for one in answers}) == 1
    assert shop.upstream()[before:] == []


HEADS = [
    (b"GET /repos/acme/shop/%2e%2e/other HTTP/1.1\r\n", b"400"),
    (b"GET /repos/acme%2fshop HTTP/1.1\r\n", b"400"),
    (b"GET /repos/acme/shop/ HTTP/1.1\r\n", b"400"),
    (b"GET /repos//acme/shop HTTP/1.1\r\n", b"400"),
    (b"GET /repos/acme/shop?page=1&page=2 HTTP/1.1\r\n", b"400"),
    (b"GET http://uploads.github.com/repos/acme/other HTTP/1.1\r\n", b"404"),
    (b"GET /repos/acme/shop/branches/agent%2Fwork HTTP/1.1\r\n", b"400"),
    (b"POST /repos/acme/shop/pulls HTTP/1.1\r\nX-HTTP-Method-Override: PUT\r\n", b"400"),
    (b"GET /repos/acme/shop HTTP/1.1\r\nX-HTTP-Method: DELETE\r\n", b"400"),
    (b"BREW /repos/acme/shop HTTP/1.1\r\n", b"400"),
    (b"HEAD /repos/acme/shop HTTP/1.1\r\n", b"404"),
    (b"OPTIONS /repos/acme/shop HTTP/1.1\r\n", b"404"),
    (b"GET /repos/acme/shop HTTP/1.1\r\nAuthorization: token x\r\n", b"400"),
    (b"GET /repos/acme/shop HTTP/1.1\r\nHost: evil\r\n", b"400"),
    (b"PUT /repos/acme/shop/pulls/1/merge HTTP/1.1\r\n", b"403"),
]


async def test_targets_and_headers_on_the_wire(shop: Town) -> None:
    """T41: refused before anything is asked of GitHub."""
    before = len(shop.upstream())
    token = f"Authorization: token {shop.scene.token}\r\n".encode()
    for head, status in HEADS:
        answer = await shop.scene.raw(head + b"Host: h\r\nConnection: close\r\nContent-Length: 0\r\n" + token + b"\r\n")
        assert answer.split(b" ", 2)[1] == status, (head, answer)
    assert shop.upstream()[before:] == []


async def test_graphql_bodies_on_the_wire(shop: Town) -> None:
    """T40: batches, other types of content, compressed and too large bodies; nothing is asked of GitHub."""
    before = len(shop.upstream())
    query = {"query": "{ viewer { login } }"}
    statuses = []
    for body, headers in (
        (json.dumps([query]), {}),
        (json.dumps(query), {"content-type": "application/graphql"}),
        (json.dumps(query), {"content-type": "application/x-www-form-urlencoded"}),
        (json.dumps(query), {"content-encoding": "gzip"}),
        (json.dumps({"query": "{ viewer { login } } #" + "x" * 1_000_000}), {}),
        (json.dumps(query | {"extensions": {"persistedQuery": {"sha256Hash": "x"}}}), {}),
        (json.dumps({"query": "query A { viewer { login } } mutation B { x }", "operationName": "A"}), {}),
    ):
        given = {"content-type": "application/json", **headers}
        answer = await shop.call("POST", "/graphql", content=body, headers=given)
        statuses.append(answer.status_code)
        assert "Mergegate" in answer.text
    assert statuses == [400, 415, 415, 415, 413, 200, 200]
    assert shop.upstream()[before:] == []


async def test_a_life_of_a_pull_request(shop: Town) -> None:
    """Opened by REST, read, edited, talked about in both ways; the ledger has what was made."""
    pull = await shop.pull()
    assert (pull.issue.user, pull.maintainer_can_modify) == ("courier[bot]", False)
    number, comments = pull.number, pull.issue.comments
    edited = await shop.call("PATCH", f"/repos/acme/shop/pulls/{number}", {"title": "Better", "body": "Text"})
    assert (edited.status_code, pull.issue.title) == (200, "Better")
    said = await shop.call("POST", f"/repos/acme/shop/issues/{number}/comments", {"body": "One"})
    assert said.status_code == 201 and [one.user for one in comments] == ["courier[bot]"]
    written = await shop.graphql(TEXT, i={"subjectId": edited.json()["node_id"], "body": "Two"})
    node = written["data"]["addComment"]["commentEdge"]["node"]
    assert (node["body"], node["author"]) == ("Two", {"login": "courier"}) and "mergegate" not in json.dumps(written)
    for name, kind, draft in (
        ("convertPullRequestToDraft", "ConvertPullRequestToDraftInput", True),
        ("markPullRequestReadyForReview", "MarkPullRequestReadyForReviewInput", False),
    ):
        given = {"pullRequestId": edited.json()["node_id"]}
        query = f"mutation($i: {kind}!) {{ {name}(input: $i) {{ pullRequest {{ isDraft }} }} }}"
        assert (await shop.graphql(query, i=given))["data"][name] == {"pullRequest": {"isDraft": draft}}
    query = "mutation($i: UpdateIssueCommentInput!) { updateIssueComment(input: $i) { issueComment { body } } }"
    changed = await shop.graphql(query, i={"id": node["id"], "body": "Three"})
    assert changed == {"data": {"updateIssueComment": {"issueComment": {"body": "Three"}}}}
    again = await shop.call("PATCH", f"/repos/acme/shop/issues/comments/{said.json()['id']}", {"body": "Four"})
    assert (again.status_code, [one.body for one in comments]) == (200, ["Four", "Three"])
    assert shop.scene.grant is not None
    entries = await ledger.of_session(shop.scene.database, shop.scene.grant.session)
    assert [(one.route, one.number, one.outcome) for one in reversed(entries)] == [
        ("POST /repos/{owner}/{repo}/pulls", number, "done"),
        ("PATCH /repos/{owner}/{repo}/pulls/{number}", number, "done"),
        ("POST /repos/{owner}/{repo}/issues/{number}/comments", number, "done"),
        ("GraphQL addComment", number, "done"),
        ("GraphQL convertPullRequestToDraft", number, "done"),
        ("GraphQL markPullRequestReadyForReview", number, "done"),
        ("GraphQL updateIssueComment", number, "done"),
        ("PATCH /repos/{owner}/{repo}/issues/comments/{id}", number, "done"),
    ]
    assert {one.object_id for one in entries} == {None, *(one.id for one in comments)}


async def test_what_is_another_s_is_not_written(shop: Town) -> None:
    """Other people's pull requests, issues and comments, other repositories' nodes, what is no such thing at all."""
    hub, repository = shop.scene.github, shop.scene.shop
    await hub.push(repository, "theirs", {"x": "y"}, author="ada")
    theirs = await hub.open_pull(repository, "theirs", author="ada")
    pull = await shop.pull()
    remark = await hub.comment(repository, pull.number, "ada", "From a person")
    public = hub.repo("acme/public")
    far = await hub.open_issue(public, "Far", "away", "ada")
    nodes = {
        "issue": shop.node("Issue", shop.other.id),
        "far": shop.node("Issue", far.id),
        "pull": shop.node("PullRequest", theirs.id),
        "home": shop.node("Repository", repository.id),
        "user": shop.node("User", hub.world.accounts["ada"].id),
        "nothing": "I_kwDOAAAAAA",
    }
    writes = len(shop.writes())
    refusals = [first_error(await shop.graphql(TEXT, i={"subjectId": one, "body": "x"})) for one in nodes.values()]
    assert len(set(refusals)) == 1 and "own pull request" in refusals[0]
    for path in (f"issues/{shop.other.number}", f"issues/{theirs.number}", "issues/999"):
        answer = await shop.call("POST", f"/repos/acme/shop/{path}/comments", {"body": "x"})
        assert answer.status_code == 403 and "pull request" in answer.json()["fix"]
    for path, body in ((f"pulls/{theirs.number}", {"title": "x"}), (f"issues/comments/{remark.id}", {"body": "x"})):
        assert (await shop.call("PATCH", f"/repos/acme/shop/{path}", body)).status_code == 403
    create = "mutation($i: CreatePullRequestInput!) { createPullRequest(input: $i) { pullRequest { url } } }"
    for home in (shop.node("Repository", public.id), nodes["issue"]):
        given = {"repositoryId": home, "headRefName": "agent/work", "baseRefName": "main", "title": "T"}
        assert "opened in acme/shop" in first_error(await shop.graphql(create, i=given))
    ready = (
        "mutation($i: MarkPullRequestReadyForReviewInput!) { markPullRequestReadyForReview(input: $i) { __typename } }"
    )
    assert "not the session's open" in first_error(await shop.graphql(ready, i={"pullRequestId": nodes["pull"]}))
    assert shop.writes()[writes:] == []
    assert (shop.other.comments, far.comments, remark.body) == ([], [], "From a person")


async def test_reading_by_node_and_by_number(shop: Town) -> None:
    pull = await shop.pull()
    own, other = shop.node("PullRequest", pull.id), shop.node("Issue", shop.other.id)
    query = "query($id: ID!) { node(id: $id) { ... on PullRequest { title } ... on Issue { title } } }"
    assert (await shop.graphql(query, id=own)) == {"data": {"node": {"title": "A change"}}}
    ticket = await shop.graphql(query, id=shop.node("Issue", shop.ticket.id))
    assert ticket == {"data": {"node": {"title": "Broken"}}}
    assert "no such pull request" in first_error(await shop.graphql(query, id=other))
    assert "no such pull request" in first_error(await shop.graphql(query, id="nonsense"))
    number = (
        'query($n: Int!) { repository(owner: "acme", name: "shop") { issueOrPullRequest(number: $n) { __typename } } }'
    )
    assert (await shop.graphql(number, n=pull.number))["data"]["repository"] is not None
    assert "no such pull request" in first_error(await shop.graphql(number, n=shop.other.number))
    assert "no such pull request" in first_error(await shop.graphql(number, n=999))
    assert (await shop.call("GET", f"/repos/acme/shop/issues/{shop.other.number}")).status_code == 403
    assert (await shop.call("GET", f"/repos/acme/shop/issues/{pull.number}")).status_code == 200
    assert (await shop.call("GET", f"/repos/acme/shop/issues/{shop.ticket.number}/comments")).json() == []


async def test_sessions_that_may_not(shop: Town) -> None:
    """No token, an unknown one, one of a session that has ended, a frozen one, one without the right."""
    for headers in ({}, {"authorization": "token nonsense"}, {"authorization": "Bearer mgs_" + "x" * 48}):
        async with httpx.AsyncClient(base_url=shop.scene.address) as client:
            answer = await client.get("/repos/acme/shop", headers=headers)
        assert answer.status_code == 401 and "Basic" in answer.headers["www-authenticate"]
    body = {"body": "x"}
    path = f"/repos/acme/shop/issues/{shop.ticket.number}/comments"
    token, _ = await shop.scene.open(
        branch="refs/heads/agent/two", ticket=shop.ticket.number, rights=frozenset({Right.PUSH})
    )
    refused = await shop.call("POST", path, body, token=token)
    assert (refused.status_code, refused.json()["retry"]) == (403, False)
    assert "may not comment" in refused.json()["message"]
    assert shop.scene.grant is not None
    session = shop.scene.grant.session
    await sessions.freeze(shop.scene.database, session, "out of scope")
    frozen = await shop.call("POST", path, body)
    assert frozen.status_code == 403 and "out of scope" in frozen.json()["message"]
    assert (await shop.call("GET", "/repos/acme/shop")).status_code == 200
    await sessions.revoke(shop.scene.database, session, "no longer needed")
    ended = await shop.call("GET", "/repos/acme/shop")
    assert ended.status_code == 401 and "no longer needed" in ended.json()["message"]
    assert shop.ticket.comments == []


async def test_no_credential_of_the_courier_is_ever_shown(shop: Town) -> None:
    answers = [
        await shop.call("GET", "/repos/acme/shop"),
        await shop.call("GET", "/repos/acme/shop/pulls?per_page=1"),
        await shop.call("POST", f"/repos/acme/shop/issues/{shop.ticket.number}/comments", {"body": "x"}),
        await shop.call("POST", "/graphql", {"query": "{ viewer { login } }"}),
        await shop.call("PUT", "/repos/acme/shop/pulls/1/merge"),
    ]
    minted = set(shop.scene.github.world.tokens)
    assert len(minted) > 2
    assert all("private" in answer.headers["cache-control"] for answer in answers[:4])
    for answer in answers:
        whole = str(answer.headers) + answer.text
        assert not [token for token in minted if token in whole]


async def test_a_token_for_cloning_in_github_s_own_answer_stays_here(shop: Town) -> None:
    """By REST in each description of a repository, in pull requests and runs too; by GraphQL it does not exist."""
    path = "/repos/acme/shop/pulls"
    described = {"id": 1, "temp_clone_token": "AABBCCDD", "full_name": "acme/shop"}
    body = json.dumps([{"number": 1, "head": {"repo": described}, "base": {"repo": described}}]).encode()
    shop.scene.instead.append(lambda _, at: Response(body, 200, None, "application/json") if path in at else None)
    answer = await shop.call("GET", path)
    shop.scene.instead.clear()
    assert answer.json()[0]["head"]["repo"] == described | {"temp_clone_token": None}
    assert "AABBCCDD" not in answer.text
    asked = await shop.graphql('{ repository(owner: "acme", name: "shop") { tempCloneToken } }')
    assert "doesn't exist" in asked["errors"][0]["message"]


async def test_tokens_have_the_route_s_permissions(shop: Town) -> None:
    pull = await shop.pull()
    await shop.call("GET", f"/repos/acme/shop/pulls/{pull.number}")
    await shop.call("POST", f"/repos/acme/shop/issues/{shop.ticket.number}/comments", {"body": "x"})
    await shop.call("POST", f"/repos/acme/shop/issues/{pull.number}/comments", {"body": "x"})
    granted = [dict(one.permissions) for one in shop.courier_tokens()]
    levels = {(name, level) for one in granted for name, level in one.items()}
    assert {"metadata": "read", "issues": "write"} in granted
    assert {"metadata": "read", "pull_requests": "write"} in granted
    assert {"metadata": "read", "pull_requests": "read"} in granted
    assert not levels & {("contents", "write"), ("checks", "write"), ("actions", "write"), ("workflows", "write")}
    assert all(one.repository_ids == {shop.scene.shop.id} for one in shop.courier_tokens())


async def test_logs_are_fetched_from_where_github_keeps_them(shop: Town) -> None:
    """Without the courier's token, and from nowhere else."""
    await shop.pull()
    (run,) = shop.scene.shop.runs.values()
    job = run.jobs[1][0]
    path = f"/repos/acme/shop/actions/jobs/{job.id}/logs"
    answer = await shop.call("GET", path)
    assert (answer.status_code, answer.content) == (200, job.log)
    downloads = [one for one in shop.scene.github.requests if one.path.startswith("/_downloads/")]
    assert [one.actor for one in downloads] == [""]
    before = len(shop.upstream())
    for location in ("https://evil.example/log", "http://169.254.169.254/latest", "file:///etc/passwd", ""):
        shop.scene.github.faults.clear()
        shop.scene.github.faults.add(Fault("fail", "GET", path="/logs$", status=302, headers={"location": location}))
        refused = await shop.call("GET", path)
        assert refused.status_code == 502 and "redirect" in refused.json()["message"]
    assert shop.upstream()[before:] == [f"GET {path}"] * 4


async def test_a_stop_ends_a_download(shop: Town) -> None:
    """Within a second or so, whatever is left of it."""
    await shop.pull()
    (run,) = shop.scene.shop.runs.values()
    job = run.jobs[1][0]
    job.log = b"x" * 40_000_000
    reader, writer = await asyncio.open_connection("127.0.0.1", shop.scene.port, limit=65536)
    head = f"GET /repos/acme/shop/actions/jobs/{job.id}/logs HTTP/1.1\r\nHost: h\r\n"
    writer.write(f"{head}Authorization: token {shop.scene.token}\r\n\r\n".encode())
    received = len(await reader.read(65536))
    assert received > 0 and shop.scene.grant is not None
    await sessions.revoke(shop.scene.database, shop.scene.grant.session, "enough")
    flights = shop.scene.proxy._fetching._flights
    async with asyncio.timeout(10):
        # Nothing is read meanwhile, so the rest of the log waits in the proxy.
        while flights.number:  # noqa: ASYNC110 - nothing tells when a flight ends
            await asyncio.sleep(0.02)
        while data := await reader.read(65536):
            received += len(data)
    writer.close()
    assert received < len(job.log)
