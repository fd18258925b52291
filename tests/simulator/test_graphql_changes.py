"""GraphQL: mutations, refusals, and what a document costs."""

from __future__ import annotations

import pytest

from tests.github import node_ids
from tests.github.server import SimulatedGitHub
from tests.github.state import App, PullRequest, Repository
from tests.simulator import shop
from tests.simulator.asking import PULL, ask, data, pull_id, refusal

pytestmark = pytest.mark.anyio


class TestChanging:
    async def test_enqueue_and_dequeue(self, hub: SimulatedGitHub, app: App, pull: PullRequest) -> None:
        await hub.set_ruleset("acme/shop", "main", [shop.queue(), shop.required("ci", app.id)])
        enqueue = (
            "mutation($i:ID!,$o:GitObjectID){enqueuePullRequest(input:{pullRequestId:$i,expectedHeadOid:$o,"
            'clientMutationId:"x"}){clientMutationId mergeQueueEntry{position state headCommit{oid}}}}'
        )
        async with shop.as_app(hub, app) as client:
            kind, message = await refusal(client, enqueue, i=pull_id(pull))
            assert kind == "UNPROCESSABLE" and 'Required status check "ci" is expected.' in message
            run = {"name": "ci", "head_sha": pull.head_sha, "status": "completed", "conclusion": "success"}
            await client.post("/repos/acme/shop/check-runs", json=run)
            assert (await refusal(client, enqueue, i=pull_id(pull), o="0" * 40))[0] == "UNPROCESSABLE"
            entered = (await data(client, enqueue, i=pull_id(pull), o=pull.head_sha))["enqueuePullRequest"]
            assert entered["clientMutationId"] == "x" and entered["mergeQueueEntry"]["position"] == 1
            await hub.settle()
            asked = "mergeQueueEntry{position state baseCommit{oid} mergeQueue{entries(first:9){totalCount}}}"
            shown = (await data(client, PULL % asked, n=2))["repository"]["pullRequest"]
            assert shown["mergeQueueEntry"] == {
                "position": 1,
                "state": "AWAITING_CHECKS",
                "baseCommit": {"oid": pull.base_sha},
                "mergeQueue": {"entries": {"totalCount": 1}},
            }
            dequeue = "mutation($i:ID!){dequeuePullRequest(input:{id:$i}){mergeQueueEntry{id}}}"
            assert (await data(client, dequeue, i=pull_id(pull)))["dequeuePullRequest"]["mergeQueueEntry"]["id"]
            assert (await refusal(client, dequeue, i=pull_id(pull)))[0] == "UNPROCESSABLE"

    async def test_merging_needs_contents(self, hub: SimulatedGitHub, repo: Repository, pull: PullRequest) -> None:
        weak = shop.gate(hub, "weak", {"metadata": "read", "pull_requests": "write"})
        merge = "mutation($i:ID!){mergePullRequest(input:{pullRequestId:$i}){pullRequest{merged}}}"
        async with shop.as_app(hub, weak) as client:
            assert (await refusal(client, merge, i=pull_id(pull)))[0] == "FORBIDDEN"
        async with shop.as_user(hub, "bob") as client:
            assert (await data(client, merge, i=pull_id(pull)))["mergePullRequest"] == {"pullRequest": {"merged": True}}

    async def test_auto_merge_where_it_is_switched_off(self, hub: SimulatedGitHub, pull: PullRequest) -> None:
        hub.repo("acme/shop").allow_auto_merge = False
        enable = "mutation($i:ID!){enablePullRequestAutoMerge(input:{pullRequestId:$i}){pullRequest{id}}}"
        async with shop.as_user(hub, "bob") as client:
            kind, message = await refusal(client, enable, i=pull_id(pull))
        assert (kind, message) == ("UNPROCESSABLE", "Pull request Auto merge is not allowed for this repository")

    async def test_drafts_labels_comments_and_reactions(
        self, hub: SimulatedGitHub, app: App, pull: PullRequest
    ) -> None:
        label = node_ids.encode("Label", (await create_label(hub, app)))
        change = (
            "mutation($i:ID!,$l:[ID!]!){d:convertPullRequestToDraft(input:{pullRequestId:$i}){pullRequest{isDraft}} "
            "l:addLabelsToLabelable(input:{labelableId:$i,labelIds:$l}){labelable{labels(first:9){nodes{name}}}} "
            'c:addComment(input:{subjectId:$i,body:"hi"}){commentEdge{node{body author{login}}}} '
            "r:addReaction(input:{subjectId:$i,content:EYES}){reaction{content} reactionGroups{users{totalCount}}}}"
        )
        async with shop.as_app(hub, app) as client:
            done = await data(client, change, i=pull_id(pull), l=[label])
        assert done["d"] == {"pullRequest": {"isDraft": True}}
        assert done["l"] == {"labelable": {"labels": {"nodes": [{"name": "later"}]}}}
        assert done["c"] == {"commentEdge": {"node": {"body": "hi", "author": {"login": "gate"}}}}
        assert done["r"]["reaction"] == {"content": "EYES"} and len(done["r"]["reactionGroups"]) == 8
        assert [r.content for r in pull.issue.reactions] == ["eyes"]

    async def test_a_reader_may_review_and_comment_but_not_label(
        self, hub: SimulatedGitHub, app: App, pull: PullRequest
    ) -> None:
        label = node_ids.encode("Label", (await create_label(hub, app)))
        review = (
            'mutation($i:ID!){addPullRequestReview(input:{pullRequestId:$i,event:COMMENT,body:"hm"}){clientMutationId}}'
        )
        add = "mutation($i:ID!,$l:[ID!]!){addLabelsToLabelable(input:{labelableId:$i,labelIds:$l}){clientMutationId}}"
        async with shop.as_user(hub, "dan") as client:
            await data(client, review, i=pull_id(pull))
            assert (await refusal(client, add, i=pull_id(pull), l=[label]))[0] == "FORBIDDEN"
        assert [(r.user, r.state) for r in pull.reviews] == [("dan", "COMMENTED")]


async def create_label(hub: SimulatedGitHub, app: App) -> int:
    async with shop.as_app(hub, app) as client:
        response = await client.post("/repos/acme/shop/labels", json={"name": "later"})
    number: int = response.json()["id"]
    return number


class TestRefusals:
    async def test_nobody_is_refused(self, hub: SimulatedGitHub) -> None:
        async with shop.client(hub) as client:
            assert (await client.post("/graphql", json={"query": "{viewer{login}}"})).status_code == 401

    async def test_hidden_repositories_are_not_found(self, hub: SimulatedGitHub, repo: Repository) -> None:
        repo.private = True
        async with shop.as_user(hub, "eve") as client:
            body = await ask(client, '{repository(owner:"acme",name:"shop"){id}}')
        assert body["data"] == {"repository": None}
        [error] = body["errors"]
        assert (error["type"], error["path"]) == ("NOT_FOUND", ["repository"])
        assert error["message"] == "Could not resolve to a Repository with the name 'acme/shop'."

    async def test_a_permission_that_is_missing(
        self, hub: SimulatedGitHub, repo: Repository, pull: PullRequest
    ) -> None:
        weak = shop.gate(hub, "weak", {"metadata": "read", "pull_requests": "read"})
        async with shop.as_app(hub, weak) as client:
            body = await ask(client, PULL % "number statusCheckRollup{state}", n=2)
        assert body["data"]["repository"]["pullRequest"] == {"number": 2, "statusCheckRollup": None}
        [error] = body["errors"]
        assert (error["type"], error["message"]) == ("FORBIDDEN", "Resource not accessible by integration")
        assert error["path"] == ["repository", "pullRequest", "statusCheckRollup"]

    @pytest.mark.parametrize(
        ("asked", "kind"),
        [
            ("reviews{nodes{id}}", "MISSING_PAGINATION_BOUNDARIES"),
            ("reviews(first:101){nodes{id}}", "EXCESSIVE_PAGINATION"),
            ('reviews(first:1,after:"x"){nodes{id}}', "INVALID_CURSOR_ARGUMENTS"),
        ],
    )
    async def test_pages(self, hub: SimulatedGitHub, pull: PullRequest, asked: str, kind: str) -> None:
        async with shop.as_user(hub, "bob") as client:
            assert (await refusal(client, PULL % asked, n=2))[0] == kind

    async def test_too_many_nodes(self, hub: SimulatedGitHub, repo: Repository) -> None:
        nested = "pullRequests(first:100){nodes{commits(first:100){nodes{commit{parents(first:100){totalCount}}}}}}"
        async with shop.as_user(hub, "bob") as client:
            kind, message = await refusal(client, f'{{repository(owner:"acme",name:"shop"){{{nested}}}}}')
        assert kind == "MAX_NODE_LIMIT_EXCEEDED" and "1,010,100 possible nodes" in message

    async def test_a_wrong_document_has_no_data(self, hub: SimulatedGitHub, repo: Repository) -> None:
        async with shop.as_user(hub, "bob") as client:
            for query in ("{viewer{login}", "{viewer{nothing}}", "query A{viewer{login}} query B{viewer{login}}"):
                body = await ask(client, query)
                assert "data" not in body and body["errors"]

    async def test_an_exhausted_budget_is_said_with_status_200(self, hub: SimulatedGitHub, app: App) -> None:
        installation = next(i for i in hub.world.installations.values() if i.app_id == app.id)
        hub.rate_limits.exhaust(f"installation:{installation.id}", "graphql")
        async with shop.as_app(hub, app) as client:
            response = await client.post("/graphql", json={"query": "{viewer{login}}"})
        assert response.status_code == 200
        assert response.json()["errors"][0]["type"] == "RATE_LIMITED"
        assert response.headers["x-ratelimit-remaining"] == "0"


class TestCost:
    async def test_a_big_document_costs_more(self, hub: SimulatedGitHub, app: App, pull: PullRequest) -> None:
        """Requests to fill the connections, divided by 100: 1 + 100 + 100 x 50 here."""
        query = (
            '{rateLimit{cost nodeCount remaining used} repository(owner:"acme",name:"shop"){pullRequests(first:100)'
            "{nodes{reviews(first:50){nodes{comments(first:2){nodes{id}}}}}}}}"
        )
        async with shop.as_app(hub, app) as client:
            response = await client.post("/graphql", json={"query": query})
        limit = response.json()["data"]["rateLimit"]
        assert limit == {"cost": 51, "nodeCount": 100 + 5000 + 10_000, "remaining": 4949, "used": 51}
        assert response.headers["x-ratelimit-used"] == "51"
        assert response.headers["x-ratelimit-resource"] == "graphql"
