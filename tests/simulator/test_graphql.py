"""GraphQL: what the gate asks, what it is told, and what it is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.github import node_ids
from tests.github.server import SimulatedGitHub
from tests.github.state import App, PullRequest, Repository
from tests.simulator import shop

pytestmark = pytest.mark.anyio
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


@pytest.fixture
async def repo(hub: SimulatedGitHub) -> Repository:
    hub.organization("acme", owners=["ada"], members=["bob"])
    return await shop.shop(hub)


@pytest.fixture
async def pull(hub: SimulatedGitHub, repo: Repository) -> PullRequest:
    issue = await hub.open_issue(repo, "Broken", "It is broken", "bob")
    assert issue.number == 1
    return await shop.pull(hub, repo, title="Add a change", body="Fixes #1")


@pytest.fixture
def app(hub: SimulatedGitHub, repo: Repository) -> App:
    return shop.gate(hub)


def pull_id(pull: PullRequest) -> str:
    return node_ids.encode("PullRequest", pull.id)


class TestReading:
    async def test_a_pull_request(self, hub: SimulatedGitHub, app: App, pull: PullRequest) -> None:
        await hub.review("acme/shop", 2, "bob")
        asked = (
            "headRefOid isCrossRepository mergeable reviewDecision author{__typename login} "
            "files(first:9){nodes{path changeType additions}} commits(last:9){nodes{commit{oid messageHeadline}}} "
            "latestOpinionatedReviews(first:9){nodes{state author{login} authorAssociation commit{oid}}} "
            "closingIssuesReferences(first:9){nodes{number}} potentialMergeCommit{parents(first:2){nodes{oid}}}"
        )
        async with shop.as_app(hub, app) as client:
            shown = (await data(client, PULL % asked, n=2))["repository"]["pullRequest"]
        assert shown == {
            "headRefOid": pull.head_sha,
            "isCrossRepository": False,
            "mergeable": "MERGEABLE",
            "reviewDecision": None,
            "author": {"__typename": "User", "login": "ada"},
            "files": {"nodes": [{"path": "change", "changeType": "ADDED", "additions": 1}]},
            "commits": {"nodes": [{"commit": {"oid": pull.head_sha, "messageHeadline": "Change"}}]},
            "latestOpinionatedReviews": {
                "nodes": [
                    {
                        "state": "APPROVED",
                        "author": {"login": "bob"},
                        "authorAssociation": "MEMBER",
                        "commit": {"oid": pull.head_sha},
                    }
                ]
            },
            "closingIssuesReferences": {"nodes": [{"number": 1}]},
            "potentialMergeCommit": {"parents": {"nodes": [{"oid": pull.base_sha}, {"oid": pull.head_sha}]}},
        }

    async def test_the_rollup_knows_what_is_required(self, hub: SimulatedGitHub, app: App, pull: PullRequest) -> None:
        await hub.set_ruleset("acme/shop", "main", [shop.required("ci", app.id), shop.required("lint", 1)])
        async with shop.as_app(hub, app) as client:
            for name, conclusion in (("ci", "success"), ("lint", "failure")):
                run = {"name": name, "head_sha": pull.head_sha, "status": "completed", "conclusion": conclusion}
                assert (await client.post("/repos/acme/shop/check-runs", json=run)).status_code == 201
            status = {"state": "pending", "context": "deploy"}
            assert (await client.post(f"/repos/acme/shop/statuses/{pull.head_sha}", json=status)).status_code == 201
            asked = (
                "statusCheckRollup{state contexts(first:9){totalCount checkRunCount nodes{__typename "
                "... on CheckRun{name conclusion isRequired(pullRequestNumber:$n) checkSuite{app{slug}}} "
                "... on StatusContext{context state isRequired(pullRequestNumber:$n)}}}}"
            )
            rollup = (await data(client, PULL % asked, n=2))["repository"]["pullRequest"]["statusCheckRollup"]
        gate = {"app": {"slug": "gate"}}
        shown: dict[str, Any] = {"__typename": "CheckRun", "checkSuite": gate}
        assert rollup["state"] == "FAILURE"
        assert rollup["contexts"] == {
            "totalCount": 3,
            "checkRunCount": 2,
            "nodes": [
                shown | {"name": "ci", "conclusion": "SUCCESS", "isRequired": True},
                shown | {"name": "lint", "conclusion": "FAILURE", "isRequired": False},  # another App's is required
                {"__typename": "StatusContext", "context": "deploy", "state": "PENDING", "isRequired": False},
            ],
        }

    async def test_a_file_of_the_target_branch(self, hub: SimulatedGitHub, app: App) -> None:
        query = (
            '{repository(owner:"acme",name:"shop"){a:object(expression:"refs/heads/main:README.md"){... on Blob{text '
            'oid byteSize isBinary isTruncated}} b:object(expression:"refs/heads/main:nothing"){oid} '
            'ref(qualifiedName:"refs/heads/main"){name branchProtectionRule{id} target{oid}} defaultBranchRef{name}}}'
        )
        async with shop.as_app(hub, app) as client:
            shown = (await data(client, query))["repository"]
        git = hub.git(hub.repo("acme/shop"))
        oid = await git.rev_parse("refs/heads/main:README.md")
        assert shown["a"] == {"text": "A shop\n", "oid": oid, "byteSize": 7, "isBinary": False, "isTruncated": False}
        assert shown["b"] is None
        tip = {"oid": await git.rev_parse("refs/heads/main")}
        assert shown["ref"] == {"name": "main", "branchProtectionRule": None, "target": tip}
        assert shown["defaultBranchRef"] == {"name": "main"}

    async def test_a_fork_s_pull_request(self, hub: SimulatedGitHub, repo: Repository, app: App) -> None:
        hub.user("eve")
        fork = await hub.fork(repo, "eve")
        await hub.push(fork, "topic", {"x": "1\n"}, author="eve")
        opened = await hub.open_pull(repo, "eve:topic", author="eve")
        asked = "isCrossRepository headRepository{nameWithOwner} headRepositoryOwner{login} authorAssociation"
        async with shop.as_app(hub, app) as client:
            shown = (await data(client, PULL % asked, n=opened.number))["repository"]["pullRequest"]
        assert shown == {
            "isCrossRepository": True,
            "headRepository": {"nameWithOwner": "eve/shop"},
            "headRepositoryOwner": {"login": "eve"},
            "authorAssociation": "NONE",
        }

    async def test_who_edited_the_body(self, hub: SimulatedGitHub, app: App, pull: PullRequest) -> None:
        asked = "lastEditedAt includesCreatedEdit editor{login}"
        async with shop.as_app(hub, app) as client:
            before = (await data(client, PULL % asked, n=2))["repository"]["pullRequest"]
            await hub.edit_pull("acme/shop", 2, "bob", title="Other")
            same = (await data(client, PULL % asked, n=2))["repository"]["pullRequest"]
            await hub.edit_pull("acme/shop", 2, "bob", body="Better")
            after = (await data(client, PULL % asked, n=2))["repository"]["pullRequest"]
        assert before == same == {"lastEditedAt": None, "includesCreatedEdit": False, "editor": None}
        assert after["editor"] == {"login": "bob"} and after["includesCreatedEdit"] is True

    async def test_the_bot_s_login_has_no_suffix(self, hub: SimulatedGitHub, app: App, pull: PullRequest) -> None:
        async with shop.as_app(hub, app) as client:
            await client.post("/repos/acme/shop/issues/2/comments", json={"body": "hello"})
            asked = "comments(first:1){nodes{author{__typename login ... on Bot{databaseId}}}}"
            shown = (await data(client, PULL % asked, n=2))["repository"]["pullRequest"]
        account = hub.world.accounts["gate[bot]"]
        author = {"__typename": "Bot", "login": "gate", "databaseId": account.id}
        assert shown["comments"]["nodes"] == [{"author": author}]

    async def test_search_finds_by_qualifiers(self, hub: SimulatedGitHub, pull: PullRequest) -> None:
        query = "query($q:String!){search(query:$q,type:ISSUE,first:9){issueCount nodes{... on PullRequest{number}}}}"
        async with shop.as_user(hub, "ada") as client:
            for text, count in (
                ("repo:acme/shop is:pr is:open author:@me", 1),
                ("repo:acme/shop is:pr is:merged", 0),
                ("repo:acme/shop head:change -author:bob", 1),
                ("repo:acme/shop unknown:qualifier", 0),
            ):
                assert (await data(client, query, q=text))["search"]["issueCount"] == count, text

    async def test_team_members(self, hub: SimulatedGitHub, repo: Repository) -> None:
        hub.team("acme", "core", ["bob"])
        query = '{organization(login:"acme"){team(slug:"core"){members(first:9){nodes{login}}}}}'
        async with shop.as_user(hub, "ada") as client:
            team = (await data(client, query))["organization"]["team"]
        assert team == {"members": {"nodes": [{"login": "bob"}]}}

    async def test_a_commit_that_github_made_is_signed(self, hub: SimulatedGitHub, pull: PullRequest) -> None:
        asked = (
            "mergeCommit{signature{isValid wasSignedByGitHub signer{login}} committer{email}} "
            "commits(first:1){nodes{commit{signature{isValid}}}}"
        )
        async with shop.as_user(hub, "bob") as client:
            assert (await client.put("/repos/acme/shop/pulls/2/merge", json={})).status_code == 200
            shown = (await data(client, PULL % asked, n=2))["repository"]["pullRequest"]
        assert shown["commits"]["nodes"] == [{"commit": {"signature": None}}]
        assert shown["mergeCommit"] == {
            "signature": {"isValid": True, "wasSignedByGitHub": True, "signer": {"login": "web-flow"}},
            "committer": {"email": "noreply@github.com"},
        }

    async def test_the_timeline(self, hub: SimulatedGitHub, pull: PullRequest) -> None:
        await hub.comment("acme/shop", 2, "bob", "hello")
        await hub.close_pull("acme/shop", 2, "bob")
        query = PULL % "timelineItems(first:9){nodes{__typename}} "
        async with shop.as_user(hub, "ada") as client:
            items = (await data(client, query, n=2))["repository"]["pullRequest"]["timelineItems"]["nodes"]
        assert [i["__typename"] for i in items] == ["PullRequestCommit", "IssueComment", "ClosedEvent"]


class TestNodeIds:
    async def test_rest_and_graphql_say_the_same(self, hub: SimulatedGitHub, app: App, pull: PullRequest) -> None:
        base = "/repos/acme/shop"
        async with shop.as_app(hub, app) as client:
            run = (await client.post(f"{base}/check-runs", json={"name": "ci", "head_sha": pull.head_sha})).json()
            comment = (await client.post(f"{base}/issues/2/comments", json={"body": "x"})).json()
            answers = [
                run,
                comment,
                comment["user"],
                (await client.get(base)).json(),
                (await client.get(f"{base}/pulls/2")).json(),
                (await client.get(f"{base}/issues/1")).json(),
                (await client.get(f"{base}/commits/{pull.head_sha}")).json(),
                (await client.get("/users/ada")).json(),
                (await client.get("/orgs/acme")).json(),
            ]
            for answer in answers:
                node = (await data(client, "query($i:ID!){node(id:$i){id __typename}}", i=answer["node_id"]))["node"]
                assert node["id"] == answer["node_id"]
            assert {node_ids.decode(a["node_id"]).type for a in answers} >= {"Bot", "CheckRun", "Commit", "User"}

    async def test_a_node_that_is_not_there(self, hub: SimulatedGitHub, app: App) -> None:
        async with shop.as_app(hub, app) as client:
            for node_id in ("nonsense", pull_id_of(4711)):
                kind, message = await refusal(client, "query($i:ID!){node(id:$i){id}}", i=node_id)
                assert (kind, message) == (
                    "NOT_FOUND",
                    f"Could not resolve to a node with the global id of '{node_id}'",
                )


def pull_id_of(number: int) -> str:
    return node_ids.encode("PullRequest", number)


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
