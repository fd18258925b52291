"""GraphQL: what is shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.github import node_ids
from tests.github.server import SimulatedGitHub
from tests.github.state import App, PullRequest, Repository
from tests.simulator import shop
from tests.simulator.asking import PULL, data, refusal

pytestmark = pytest.mark.anyio


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
