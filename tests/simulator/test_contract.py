"""Every route of the simulated GitHub in a world where each has something to show, judged by GitHub's descriptions."""

from __future__ import annotations

import re
import time
from typing import Any

import httpx
import jwt
import pytest

from tests.github.contract import report
from tests.github.contract.findings import Findings
from tests.github.contract.json_schema import FOLDER
from tests.github.contract.observe import install
from tests.github.contract.operations import plain_path
from tests.github.server import SimulatedGitHub
from tests.simulator import shop

pytestmark = pytest.mark.anyio
needs_descriptions = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"GitHub's descriptions are not at {FOLDER}")
EVENTS = [
    "check_run",
    "check_suite",
    "issue_comment",
    "issues",
    "label",
    "merge_group",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "repository_ruleset",
    "status",
    "workflow_job",
    "workflow_run",
]
PERMISSIONS = shop.GATE_PERMISSIONS | {"administration": "write", "members": "read", "workflows": "write"}
# The only routes that GitHub's descriptions do not know.
OWN_ROUTES = {
    ("GET", "/_downloads/{}"),
    ("GET", "/repos/{}/{}/contents"),
    ("POST", "/graphql"),
    # Of the web site, not of the API.
    ("GET", "/login/oauth/authorize"),
    ("POST", "/login/oauth/access_token"),
    ("POST", "/settings/apps/new"),
    ("POST", "/organizations/{}/settings/apps/new"),
}


class Shop:
    """acme/shop with a pull request on which everything has happened, and the credentials to ask about it."""

    def __init__(self, hub: SimulatedGitHub, findings: Findings) -> None:
        self.hub = hub
        self.findings = findings
        self.names: dict[str, Any] = {}

    async def build(self) -> None:
        hub = self.hub
        hub.organization("acme", owners=["ada"], members=["bob"])
        hub.team("acme", "core", ["bob"])
        self.app, self.key = hub.register_app("gate", PERMISSIONS, EVENTS, "http://127.0.0.1:9/", "secret")
        self.installation = hub.install(self.app, "acme")
        await hub.announce_installation(self.installation, "created", "ada")
        files = {".github/workflows/ci.yml": shop.TEST_WORKFLOW}
        self.repo = await shop.shop(hub, files)
        self.repo.teams["core"] = "write"
        await hub.set_ruleset(self.repo, "main", [shop.required("ci", self.app.id), shop.approvals(1)])
        self.issue = await hub.open_issue(self.repo, "Broken", "It is broken", "bob", ["bug"])
        self.pull = await shop.pull(hub, self.repo, body="Fixes #1")
        await hub.settle()
        await self._fill()

    async def _fill(self) -> None:
        """Through the front door, so that the answers to writing are judged too."""
        head, base = self.pull.head_sha, "/repos/acme/shop"
        async with self.as_app() as app, self.as_bob() as bob:
            run = await post(app, f"{base}/check-runs", name="ci", head_sha=head, status="in_progress")
            note = {"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "m"}
            output = {"title": "Fine", "summary": "All is well", "annotations": [note]}
            done = {"status": "completed", "conclusion": "success", "output": output}
            await sent(app.patch(f"{base}/check-runs/{run['id']}", json=done), 200)
            await post(app, f"{base}/statuses/{head}", state="success", context="deploy")
            comment = await post(bob, f"{base}/issues/2/comments", body="hello")
            await post(bob, f"{base}/issues/comments/{comment['id']}/reactions", content="eyes")
            await post(bob, f"{base}/issues/2/reactions", content="+1")
            line: dict[str, Any] = {"path": "change", "line": 1, "side": "RIGHT", "body": "why?"}
            review = await post(
                bob, f"{base}/pulls/2/reviews", expect=200, event="APPROVE", body="yes", comments=[line]
            )
            note = await post(bob, f"{base}/pulls/2/comments", commit_id=head, **line)
            await post(bob, f"{base}/labels", name="later", color="ededed")
            await post(bob, f"{base}/issues/2/labels", expect=200, labels=["later"])
            await post(bob, f"{base}/issues/2/assignees", assignees=["bob"])
            await post(bob, f"{base}/pulls/2/requested_reviewers", reviewers=["cat"], team_reviewers=["core"])
            await post(bob, f"{base}/issues", title="Another", body="one")
        self.names |= {"check_run_id": run["id"], "comment_id": comment["id"], "review_id": review["id"]}
        self.names |= {"review_comment_id": note["id"]}

    def as_app(self) -> httpx.AsyncClient:
        return shop.client(self.hub, self.hub.installation_token(self.installation))

    def as_bob(self) -> httpx.AsyncClient:
        return shop.as_user(self.hub, "bob")

    def as_ada(self) -> httpx.AsyncClient:
        return shop.as_user(self.hub, "ada")

    def as_key_holder(self) -> httpx.AsyncClient:
        now = int(time.time())
        claims = {"iss": str(self.app.id), "iat": now - 5, "exp": now + 300}
        return shop.client(self.hub, jwt.encode(claims, self.key, algorithm="RS256"))

    def parameters(self, template: str) -> dict[str, Any]:
        """A value for every parameter in the paths of the routes."""
        run = next(iter(self.repo.runs.values()))
        job = run.jobs[1][0]
        names = {
            "owner": "acme", "repo": "shop", "org": "acme", "account": "acme", "slug": "core", "username": "bob",
            "number": 2, "branch": "main", "ref": "change", "sha": self.pull.head_sha, "path": "README.md",
            "basehead": "main...change", "name": "bug", "run_id": run.id, "attempt_number": 1, "job_id": job.id,
            "step_number": job.steps[0].number, "workflow_id": run.workflow_id, "installation_id": self.installation.id,
            "check_suite_id": self.repo.check_runs[self.names["check_run_id"]].suite_id,
            "ruleset_id": next(iter(self.repo.rulesets)), "delivery_id": self.hub.world.deliveries[0].id,
        }  # fmt: skip
        if "/git/" in template:
            names["ref"] = "heads/main"
        if "/pulls/comments/" in template:
            names["comment_id"] = self.names["review_comment_id"]
            return names | {"comment_id": self.names["review_comment_id"]}
        return names | self.names


async def sent(answer: Any, status: int) -> Any:
    response = await answer
    assert response.status_code == status, response.text
    return response.json()


async def post(client: httpx.AsyncClient, path: str, /, *, expect: int = 201, **body: Any) -> Any:
    return await sent(client.post(path, json=body), expect)


@pytest.fixture
async def world(hub: SimulatedGitHub) -> Shop:
    made = Shop(hub, install(hub))
    await made.build()
    return made


def filled(template: str, names: dict[str, Any]) -> str | None:
    """The path with its parameters, None when one has no value in this world."""
    wanted = re.findall(r"\{(\w+)(?::\w+)?\}", template)
    if any(name not in names for name in wanted):
        return None
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda match: str(names[match[1]]), template)


async def test_reading_everything(world: Shop) -> None:
    """By an App, a person, and the holder of the App's key; whoever may see it is shown what is described."""
    shown: set[str] = set()
    readable = [template for method, template in report.mounted(world.hub) if method == "GET"]
    for template in readable:
        path = filled(template, world.parameters(template))
        if path is None:
            continue
        async with world.as_app() as app, world.as_bob() as bob, world.as_key_holder() as holder:
            answers = [await client.get(path) for client in (app, bob, holder)]
        assert all(answer.status_code < 500 for answer in answers), template
        shown |= {template for answer in answers if answer.status_code == 200}
    assert len(shown) > 70, sorted(set(readable) - shown)
    world.findings.assert_clean()
    assert world.findings.undescribed == set()
    assert world.findings.answers > 200


async def test_webhooks_of_a_pull_request_s_life(world: Shop) -> None:
    await world.hub.push(world.repo, "change", {"change": "more\n"}, author="ada")
    await world.hub.edit_pull(world.repo, 2, "ada", title="Better", body="Really fixes #1")
    await world.hub.set_draft(world.repo, 2, "ada", draft=True)
    await world.hub.set_draft(world.repo, 2, "ada", draft=False)
    await world.hub.review(world.repo, 2, "bob")
    await world.hub.comment(world.repo, 2, "cat", "nice")
    await world.hub.close_pull(world.repo, 2, "ada")
    await world.hub.reopen_pull(world.repo, 2, "ada")
    await world.hub.settle()
    sent_kinds = {f"{d.event}.{d.action}" if d.action else d.event for d in world.hub.world.deliveries}
    wanted = {"push", "pull_request.synchronize", "pull_request.edited", "pull_request_review.submitted"}
    assert wanted <= sent_kinds
    assert world.findings.deliveries > 40
    world.findings.assert_clean()
    assert world.findings.undescribed == set()


async def test_refusals(world: Shop) -> None:
    """401, 403, 404, 405, 409 and 422 as GitHub words them."""
    base, seen = "/repos/acme/shop", set()
    async with world.as_app() as app, shop.client(world.hub, "ghp_wrong") as nobody, world.as_bob() as bob:
        answers = [
            await nobody.get(f"{base}/pulls"),
            await bob.post(f"{base}/check-runs", json={"name": "x", "head_sha": world.pull.head_sha}),
            await app.get(f"{base}/pulls/99"),
            await app.put(f"{base}/pulls/2/merge", json={"sha": "0" * 40}),
            await bob.post(f"{base}/labels", json={"name": "bug"}),
            await bob.post(f"{base}/pulls", json={"title": "x", "head": "change", "base": "main"}),
            await app.put(f"{base}/pulls/2/merge", json={"merge_method": "odd"}),
            await app.post(f"{base}/check-runs", json={"head_sha": world.pull.head_sha}),
            await app.put(f"{base}/pulls/2/merge-async", json={"sha": "0" * 40}),
            await app.post(f"{base}/issues", content=b"{"),
            await app.get("/nothing"),
        ]
        seen = {answer.status_code for answer in answers}
    assert {400, 401, 403, 404, 409, 422} <= seen
    world.findings.assert_clean()


async def test_every_route_is_an_operation_of_github_s(hub: SimulatedGitHub) -> None:
    undescribed = {
        (method, plain_path(path)) for method, path in report.mounted(hub) if not report.judges(method, path)
    }
    assert undescribed == OWN_ROUTES
