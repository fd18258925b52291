"""The typed REST calls: what they ask for is what GitHub describes, what they answer is complete or says so."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from githubkit_schemas.latest import models as published_models
from pydantic import TypeAdapter

from app.github import actions, installations, reads, writes
from app.github.client import GitHubClient, Settings
from app.github.clients import GitHubApp
from app.github.errors import Conflict, GitHubError, NotFound, Refused, UnexpectedAnswer
from app.github.identity import AppIdentity
from app.github.writes import Annotation, CheckRunFields
from policies.squash import message
from tests.client import published
from tests.client.double import API, GitHubDouble, pem

pytestmark = pytest.mark.anyio
FIELDS = CheckRunFields(
    name="mergegate/evidence",
    status="completed",
    conclusion="failure",
    title="1 finding",
    summary="It failed.",
    text="Details",
    external_id="key",
    details_url="https://gate.example/d/1",
    started_at=datetime(2026, 11, 29, 12, tzinfo=UTC),
    completed_at=datetime(2026, 11, 29, 12, 1, tzinfo=UTC),
    annotations=[Annotation("a.py", 1, 2, "failure", "wrong")],
)
Use = Callable[[GitHubClient], Awaitable[Any]]
READS: dict[str, Use] = {
    "pull": lambda c: reads.pull(c, "o", "r", 1),
    "check_runs": lambda c: reads.check_runs(c, "o", "r", "a" * 40, check_name="mergegate/evidence", app_id=1),
    "permission": lambda c: reads.permission(c, "o", "r", "alice"),
    "team_membership": lambda c: reads.team_membership(c, "o", "core", "alice"),
    "team_members": lambda c: reads.team_members(c, "o", "core", most=5),
    "activity": lambda c: reads.activity(c, "o", "r", "refs/heads/agent/x"),
    "git_ref": lambda c: reads.git_ref(c, "o", "r", "refs/heads/agent/x"),
    "commit": lambda c: reads.commit(c, "o", "r", "a" * 40),
    "compare": lambda c: reads.compare(c, "o", "r", "a" * 40, "b" * 40),
    "content": lambda c: reads.content(c, "o", "r", ".github/mergegate.yml", "a" * 40),
    "branch_rules": lambda c: reads.branch_rules(c, "o", "r", "release/1"),
    "rule_suites": lambda c: reads.rule_suites(c, "o", "r", "refs/heads/main"),
    "rule_suite": lambda c: reads.rule_suite(c, "o", "r", 5),
    "async_merge": lambda c: reads.async_merge(c, "o", "r", 1, "0-1-2"),
    "issue_comments": lambda c: reads.issue_comments(c, "o", "r", 1),
    "runs_of_head": lambda c: actions.runs_of_head(c, "o", "r", "a" * 40),
    "run": lambda c: actions.run(c, "o", "r", 1),
    "run_attempt": lambda c: actions.run_attempt(c, "o", "r", 1, 2),
    "jobs": lambda c: actions.jobs(c, "o", "r", 1),
    "job_log": lambda c: actions.job_log(c, "o", "r", 1),
    "artifacts": lambda c: actions.artifacts(c, "o", "r", 1),
    "artifact_archive": lambda c: actions.artifact_archive(c, "o", "r", 1),
    "repositories": installations.repositories,
    "this_app": installations.this_app,
    "installations": installations.installations,
    "installation": lambda c: installations.installation(c, 7),
    "repository_installation": lambda c: installations.repository_installation(c, "o", "r"),
    "deliveries": lambda c: installations.deliveries(c, since=None),
}
COMMIT = message("Faster", "Why.\n\n```mergegate\nreason: x\n```\n")
WRITES: dict[str, Use] = {
    "create_check_run": lambda c: writes.create_check_run(c, "o", "r", "a" * 40, FIELDS),
    "update_check_run": lambda c: writes.update_check_run(c, "o", "r", 1, FIELDS),
    "merge_async": lambda c: writes.merge_async(c, "o", "r", 1, sha="a" * 40, action="merge_queue"),
    "merge_async, direct": lambda c: writes.merge_async(
        c, "o", "r", 1, sha="a" * 40, action="direct_merge", method="squash", commit=COMMIT
    ),
    "merge": lambda c: writes.merge(c, "o", "r", 1, sha="a" * 40),
    "merge, worded": lambda c: writes.merge(c, "o", "r", 1, sha="a" * 40, method="squash", commit=COMMIT),
    "request_reviewers": lambda c: writes.request_reviewers(c, "o", "r", 1, people=["alice"], teams=["core"]),
    "create_comment": lambda c: writes.create_comment(c, "o", "r", 1, "text"),
    "update_comment": lambda c: writes.update_comment(c, "o", "r", 1, "text"),
    "react": lambda c: writes.react(c, "o", "r", 1, "eyes"),
    "add_labels": lambda c: writes.add_labels(c, "o", "r", 1, ["x"]),
    "remove_label": lambda c: writes.remove_label(c, "o", "r", 1, "a/b"),
    "dispatch": lambda c: writes.dispatch(c, "o", "r", "verify.yml", ref="main", inputs={"head": "a" * 40}),
    "redeliver": lambda c: installations.redeliver(c, "3843728875423006721"),
}
AS_APP = {"this_app", "installations", "installation", "repository_installation", "deliveries", "redeliver"}
BODIES = {
    "create_check_run": "ReposOwnerRepoCheckRunsPostBodyOneof0",
    "update_check_run": "ReposOwnerRepoCheckRunsCheckRunIdPatchBodyAnyof0",
    "merge_async": "ReposOwnerRepoPullsPullNumberMergeAsyncPutBody",
    "merge_async, direct": "ReposOwnerRepoPullsPullNumberMergeAsyncPutBody",
    "merge": "ReposOwnerRepoPullsPullNumberMergePutBody",
    "merge, worded": "ReposOwnerRepoPullsPullNumberMergePutBody",
    "request_reviewers": "ReposOwnerRepoPullsPullNumberRequestedReviewersPostBodyAnyof0",
    "create_comment": "ReposOwnerRepoIssuesIssueNumberCommentsPostBody",
    "update_comment": "ReposOwnerRepoIssuesCommentsCommentIdPatchBody",
    "react": "ReposOwnerRepoIssuesCommentsCommentIdReactionsPostBody",
    "add_labels": "ReposOwnerRepoIssuesIssueNumberLabelsPostBodyOneof0",
    "dispatch": "ReposOwnerRepoActionsWorkflowsWorkflowIdDispatchesPostBody",
}


async def sent(github: GitHubDouble, name: str) -> httpx.Request:
    """The request that a call makes; the answer does not matter here."""
    use = READS.get(name) or WRITES[name]
    client = github.client(installation_id=None) if name in AS_APP else github.client()
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(500)

    github.router.route().mock(side_effect=answer)
    with pytest.raises(GitHubError):
        await use(client)
    return requests[0]


@pytest.mark.parametrize("name", [*READS, *WRITES])
async def test_a_call_is_one_that_github_describes(github: GitHubDouble, name: str) -> None:
    request = await sent(github, name)
    found = published.find(request.method, request.url.raw_path.decode().partition("?")[0])
    assert found, f"{request.method} {request.url.path}"
    assert set(request.url.params) <= found[0].query | ({"per_page"} if "per_page" in found[0].query else set())


@pytest.mark.parametrize("name", sorted(BODIES))
async def test_a_body_is_one_that_github_describes(github: GitHubDouble, name: str) -> None:
    body = json.loads((await sent(github, name)).content)
    model = getattr(published_models, BODIES[name])
    model.model_validate(body)
    assert set(body) <= {field.alias or key for key, field in model.model_fields.items()}


@pytest.mark.parametrize("name", sorted(set(WRITES) - AS_APP))
async def test_a_write_has_a_purpose_that_allows_writing(github: GitHubDouble, name: str) -> None:
    await sent(github, name)
    permissions = json.loads(github.minted[0].content)["permissions"]
    assert "write" in permissions.values()


@pytest.mark.parametrize("name", sorted(set(READS) - AS_APP))
async def test_a_read_has_no_right_to_write(github: GitHubDouble, name: str) -> None:
    await sent(github, name)
    permissions = json.loads(github.minted[0].content)["permissions"]
    assert set(permissions.values()) == {"read"}


async def test_merging_never_asks_to_go_around_the_rules(github: GitHubDouble) -> None:
    body = json.loads((await sent(github, "merge_async")).content)
    assert body == {"sha": "a" * 40, "merge_action": "merge_queue"}


@pytest.mark.parametrize("name", ["merge, worded", "merge_async, direct"])
async def test_a_direct_merge_brings_its_own_message(github: GitHubDouble, name: str) -> None:
    """Without one GitHub may take the pull request's text, and the bundle with it."""
    body = json.loads((await sent(github, name)).content)
    assert (body["merge_method"], body["commit_title"], body["commit_message"]) == ("squash", "Faster", "Why.")


PENDING = {
    "message": "m",
    "uuid": "u",
    "merge_method": "default",
    "merge_action": "merge_queue",
    "expected_head_sha": "b" * 40,
    "bypass_rules": True,
}


@pytest.mark.parametrize(
    ("status", "body", "state", "foreign"),
    [
        (202, {"status": "pending", "details": PENDING}, "pending", False),
        (200, {"status": "enqueued", "details": {"message": "already in the queue"}}, "enqueued", False),
        (200, {"status": "merged", "details": {"message": "m", "sha": "c" * 40}}, "merged", False),
        (400, {"status": "failed", "details": {"message": "Pull request is a draft"}}, "failed", False),
        (409, {"status": "pending", "details": PENDING}, "pending", True),
    ],
)
async def test_every_answer_to_an_asynchronous_merge(
    github: GitHubDouble, status: int, body: dict[str, Any], state: str, foreign: bool
) -> None:
    TypeAdapter(published_models.PullRequestMergeAsyncResult).validate_python(body)
    github.router.put(f"{API}/repos/o/r/pulls/1/merge-async").respond(status, json=body)
    answer = await writes.merge_async(github.client(), "o", "r", 1, sha="a" * 40, action="merge_queue")
    assert (answer.merge.status, answer.foreign) == (state, foreign)
    if foreign:
        assert answer.merge.details.bypass_rules is True
        assert answer.merge.details.expected_head_sha == "b" * 40


@pytest.mark.parametrize(
    ("status", "error"), [(403, Refused), (404, NotFound), (422, Refused), (409, Conflict), (400, Conflict)]
)
async def test_a_plain_error_is_no_state_of_a_merge(
    github: GitHubDouble, status: int, error: type[GitHubError]
) -> None:
    body = {"message": "Some reason", "documentation_url": "https://docs.github.com/rest", "status": str(status)}
    github.router.put(f"{API}/repos/o/r/pulls/1/merge-async").respond(status, json=body)
    with pytest.raises(error):
        await writes.merge_async(github.client(), "o", "r", 1, sha="a" * 40, action="merge_queue")


@pytest.mark.parametrize("complete", [True, False])
async def test_a_list_that_githubs_count_exceeds_is_incomplete(github: GitHubDouble, complete: bool) -> None:
    run = {"id": 1, "name": "mergegate/evidence", "head_sha": "a" * 40, "status": "in_progress", "conclusion": None}
    body = {"total_count": 1 if complete else 2, "check_runs": [run]}
    github.get("/repos/o/r/commits/" + "a" * 40 + "/check-runs").respond(json=body)
    assert (await reads.check_runs(github.client(), "o", "r", "a" * 40)).complete is complete


@pytest.mark.parametrize(
    "read",
    [
        lambda c: reads.team_membership(c, "o", "core", "alice"),
        lambda c: reads.git_ref(c, "o", "r", "refs/heads/gone"),
        lambda c: reads.content(c, "o", "r", "gone", "a" * 40),
    ],
)
async def test_what_may_be_absent_reads_as_none(github: GitHubDouble, read: Use) -> None:
    github.router.route(method="GET").respond(404, json={"message": "Not Found"})
    assert await read(github.client()) is None


async def test_a_permission_that_cannot_be_read_is_not_none(github: GitHubDouble) -> None:
    github.router.route(method="GET").respond(403, json={"message": "Resource not accessible by integration"})
    for use in (READS["permission"], READS["team_membership"]):
        with pytest.raises(Refused):
            await use(github.client())


async def test_a_folder_is_no_file(github: GitHubDouble) -> None:
    github.router.route(method="GET").respond(json=[{"type": "file", "path": "a", "sha": "b", "size": 1}])
    with pytest.raises(UnexpectedAnswer):
        await reads.content(github.client(), "o", "r", "folder", "a" * 40)


async def test_deleting_takes_an_empty_answer(github: GitHubDouble) -> None:
    github.router.delete(f"{API}/repos/o/r/issues/1/labels/x").respond(204)
    await writes.remove_label(github.client(), "o", "r", 1, "x")


async def test_the_app_itself_asks_with_its_key(github: GitHubDouble) -> None:
    route = github.get("/app").respond(json={"id": 1234, "slug": "gate", "name": "Gate"})
    app = GitHubApp(AppIdentity("gate", 1234, (pem(0),), API), connect=github.transport)
    assert (await installations.this_app(app.app)).slug == "gate"
    assert route.calls.last.request.headers["authorization"].startswith("Bearer eyJ")
    assert app.counts == {"app": 1}
    await app.aclose()


async def test_each_installation_has_one_client_until_it_is_forgotten(github: GitHubDouble) -> None:
    app = GitHubApp(AppIdentity("gate", 1234, (pem(0),), API), connect=github.transport)
    first = app.installation(7)
    assert app.installation(7) is first
    assert app.installation(8) is not first
    await app.forget(7)
    await app.forget(7)
    assert app.installation(7) is not first
    await app.aclose()


async def test_an_app_that_was_renamed_is_known_by_its_new_name_within_an_hour(github: GitHubDouble) -> None:
    named = [httpx.Response(200, json={"id": 1234, "slug": slug, "name": "Gate"}) for slug in ("gate", "porter")]
    github.get("/app").mock(side_effect=named)
    clock = [0.0]
    settings = Settings(clock=lambda: clock[0])
    app = GitHubApp(AppIdentity("gate", 1234, (pem(0),), API), settings=settings, connect=github.transport)

    async def login_at(moment: float) -> str:
        clock[0] = moment
        return await app.login()

    found = [await login_at(moment) for moment in (0.0, 3599.0, 3600.0, 7199.0)]
    assert found == ["gate[bot]", "gate[bot]", "porter[bot]", "porter[bot]"]
    await app.aclose()
