"""REST models against what nobody here wrote: GitHub's published shapes, recorded exchanges, webhook examples."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, get_args, get_origin

import pytest
from githubkit_schemas.latest import models as published
from pydantic import BaseModel, TypeAdapter

from app.github import installation_models, rest_models, run_models
from app.github.tokens import Token
from tests.client.shapes import SHARED

RECORDED = SHARED / "github/recorded/github3py-4.0.1.jsonl"
PAYLOADS = SHARED / "github/payloads"

PAIRS = [
    (rest_models.Pull, "PullRequest"),
    (rest_models.Stack, "PullRequestStack"),
    (rest_models.CheckRun, "CheckRun"),
    (rest_models.Permission, "RepositoryCollaboratorPermission"),
    (rest_models.Membership, "TeamMembership"),
    (rest_models.Activity, "Activity"),
    (rest_models.GitRef, "GitRef"),
    (rest_models.Commit, "Commit"),
    (rest_models.Comparison, "CommitComparison"),
    (rest_models.Content, "ContentFile"),
    (rest_models.AsyncMerge, "PullRequestMergeAsyncResult"),
    (rest_models.Merged, "PullRequestMergeResult"),
    (rest_models.IssueComment, "IssueComment"),
    (rest_models.Label, "Label"),
    (rest_models.Reaction, "Reaction"),
    (run_models.WorkflowRun, "WorkflowRun"),
    (run_models.Job, "Job"),
    (run_models.Artifact, "Artifact"),
    (run_models.ReferencedWorkflow, "ReferencedWorkflow"),
    (run_models.Dispatch, "WorkflowDispatchResponse"),
    (installation_models.InstalledRepository, "Repository"),
    (installation_models.Installation, "Installation"),
    (installation_models.Delivery, "HookDeliveryItem"),
    (Token, "InstallationToken"),
]


@pytest.mark.parametrize(("ours", "name"), PAIRS, ids=lambda value: value if isinstance(value, str) else value.__name__)
def test_we_ask_for_nothing_that_github_may_leave_out(ours: type[BaseModel], name: str) -> None:
    """githubkit's models are made from GitHub's description of version 2026-03-10."""
    assert list(_too_strict(ours, getattr(published, name))) == []


def test_the_comparison_notices_a_model_that_is_too_strict() -> None:
    class Strict(BaseModel):
        head_branch: str
        run_attempt: int
        nonsense: str

    assert len(list(_too_strict(Strict, published.WorkflowRun))) == 3


def _too_strict(ours: type[BaseModel], theirs: type[BaseModel], where: str = "") -> Iterator[str]:
    """Fields that we need and GitHub does not promise, and nulls that GitHub may send and we do not take."""
    for name, field in ours.model_fields.items():
        other = theirs.model_fields.get(name) or theirs.model_fields.get(name + "_")
        place = f"{where}{theirs.__name__}.{name}"
        if other is None:
            if field.is_required():
                yield f"{place} is not in GitHub's description"
            continue
        if field.is_required() and not other.is_required():
            yield f"{place} may be left out"
        if _nullable(other.annotation) and other.is_required() and not _takes_null(ours, name):
            yield f"{place} may be null"
        yield from _inner(field.annotation, other.annotation, place + " ")


def _inner(ours: Any, theirs: Any, where: str) -> Iterator[str]:
    mine = [one for one in _flat(ours) if isinstance(one, type) and issubclass(one, BaseModel)]
    others = [one for one in _flat(theirs) if isinstance(one, type) and issubclass(one, BaseModel)]
    if len(mine) == 1 and len(others) == 1:
        yield from _too_strict(mine[0], others[0], where)


def _flat(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is None:
        yield annotation
    for one in get_args(annotation):
        yield from _flat(one)


def _nullable(annotation: Any) -> bool:
    union = get_origin(annotation) in (typing.Union, types.UnionType)
    return annotation is type(None) or (union and any(_nullable(one) for one in get_args(annotation)))


def _takes_null(ours: type[BaseModel], name: str) -> bool:
    return _nullable(ours.model_fields[name].annotation)


def recorded(operation: str, status: int) -> list[dict[str, Any]]:
    if not RECORDED.exists():
        pytest.skip("recorded exchanges (github3.py, BSD-3) are not there")
    lines = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    return [line for line in lines if line["op"] == operation and line["status"] == status and line["body"]]


@pytest.mark.parametrize(
    ("operation", "status", "model"),
    [
        ("POST /app/installations/{installation_id}/access_tokens", 201, Token),
        ("POST /repos/{owner}/{repo}/check-runs", 201, rest_models.CheckRun),
        ("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", 201, rest_models.IssueComment),
        ("POST /repos/{owner}/{repo}/git/refs", 201, rest_models.GitRef),
        ("POST /repos/{owner}/{repo}/pulls", 201, rest_models.Pull),
    ],
)
def test_a_recorded_answer_fits(operation: str, status: int, model: type[BaseModel]) -> None:
    answers = recorded(operation, status)
    assert answers
    for answer in answers:
        body = answer["body"]
        model.model_validate_json(body if isinstance(body, str) else json.dumps(body))


def payloads(kind: str) -> list[dict[str, Any]]:
    if not PAYLOADS.exists():
        pytest.skip("webhook payloads (Octokit, MIT) are not there")
    return [json.loads(path.read_text()) for path in sorted(PAYLOADS.glob(f"{kind}.*.json"))]


@pytest.mark.parametrize(
    ("kind", "key", "model"),
    [
        ("pull_request", "pull_request", rest_models.Pull),
        ("workflow_run", "workflow_run", run_models.WorkflowRun),
        ("workflow_job", "workflow_job", run_models.Job),
        ("check_run", "check_run", rest_models.CheckRun),
        ("issue_comment", "comment", rest_models.IssueComment),
        ("installation", "installation", installation_models.Installation),
    ],
)
def test_the_same_object_in_real_webhooks_fits(kind: str, key: str, model: type[BaseModel]) -> None:
    examples = [payload[key] for payload in payloads(kind) if payload.get(key)]
    if kind == "workflow_run":
        # Older than the field: GitHub sends `path` since 2022.
        examples = [example for example in examples if "path" in example]
    assert examples
    for example in examples:
        model.model_validate(example)


def test_a_delivery_id_beyond_2_to_the_53_keeps_its_digits() -> None:
    """Seen on github.com in September 2026: 3843728875423006720 and more."""
    row = {
        "id": 3843728875423006721,
        "guid": "g",
        "delivered_at": "2026-09-21T10:00:00Z",
        "redelivery": False,
        "status": "OK",
        "status_code": 200,
        "event": "push",
    }
    assert installation_models.Delivery.model_validate_json(json.dumps(row)).id == "3843728875423006721"


@pytest.mark.parametrize("time", ["2026-09-20T22:55:24-05:00", "2026-09-21T03:55:24Z", "2026-09-21T03:55:24.000Z"])
def test_times_keep_their_offset(time: str) -> None:
    """The same moment as an App and as an owner were told it for one rule suite."""
    suite = {
        "id": 1,
        "before_sha": "a",
        "after_sha": "b",
        "ref": "refs/heads/main",
        "result": "pass",
        "pushed_at": time,
    }
    pushed = rest_models.RuleSuite.model_validate(suite).pushed_at
    assert pushed is not None
    assert pushed.utcoffset() in (timedelta(0), timedelta(hours=-5))
    assert pushed.timestamp() == 1789962924


def test_rules_that_nobody_knows_yet_are_kept() -> None:
    rules = [
        {"type": "code_quality", "parameters": {"severity": "all"}, "ruleset_id": 1},
        {"type": "deletion"},
        {"type": "pull_request", "parameters": {"require_extra_approval_for_unattributed_changes": True}},
    ]
    parsed = TypeAdapter(list[rest_models.Rule]).validate_python(rules)
    assert [rule.type for rule in parsed] == ["code_quality", "deletion", "pull_request"]
    assert parsed[2].parameters["require_extra_approval_for_unattributed_changes"] is True


@pytest.mark.parametrize("nobody", [None, {}])
def test_a_commit_by_nobody_that_github_knows(nobody: object) -> None:
    detail = {"message": "m", "tree": {"sha": "t"}, "author": None, "committer": None}
    commit = {"sha": "a", "commit": detail, "author": nobody, "committer": nobody, "parents": []}
    assert rest_models.Commit.model_validate(commit).author is None


@pytest.mark.parametrize(
    ("user", "via", "own"),
    [
        ({"id": 7, "login": "gate[bot]", "type": "Bot"}, {"id": 1}, True),
        ({"id": 8, "login": "ada", "type": "User"}, {"id": 1}, False),  # she pressed a button on our pages
        ({"id": 9, "login": "courier[bot]", "type": "Bot"}, {"id": 2}, False),
        ({"id": 7, "login": "gate[bot]", "type": "Bot"}, None, False),
        (None, {"id": 1}, False),
    ],
)
def test_what_the_app_wrote_for_a_person_is_not_its_own(user: Any, via: Any, own: bool) -> None:
    at = "2026-11-30T12:00:00Z"
    given = {"id": 1, "user": user, "created_at": at, "updated_at": at, "performed_via_github_app": via}
    assert rest_models.IssueComment.model_validate(given).is_of(1) is own
