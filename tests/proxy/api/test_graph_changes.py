"""The GraphQL decision over mutations, as tables (T40, T43): what may be changed, and ways around it."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import parse

from app.proxy.api.graph import Change, decide
from app.proxy.api.looks import DiscussedNode, HomeNode, Look, OwnCommentNode, OwnPullNode, ReadableNode
from tests.proxy.api.test_graph import ALL, ONE, Decided, asked, refused
from tests.proxy.build import grant


def test_texts_of_variables_cannot_break_out() -> None:
    text = '"""\\" } } mutation { mergePullRequest(input: {pullRequestId: "x"}) { actor { login } } } #\u2028\n'
    found = comment(text)
    assert isinstance(found, Change)
    (operation,) = parse(found.document).definitions
    (root,) = operation.selection_set.selections  # type: ignore[attr-defined]
    fields = {one.name.value: one.value.value for one in root.arguments[0].value.fields}
    assert fields == {"subjectId": "PR_x", "body": text}


def comment(body: Any, **more: Any) -> Decided:
    query = "mutation($input: AddCommentInput!) { addComment(input: $input) { commentEdge { node { url } } } }"
    return asked(query, {"input": {"subjectId": "PR_x", "body": body, **more}})


CREATE = "mutation($input: CreatePullRequestInput!) { createPullRequest(input: $input) { pullRequest { id url } } }"
WANTED = {"repositoryId": "R_x", "headRefName": "agent/work", "baseRefName": "main", "title": "T"}


def test_a_pull_request_as_gh_opens_it() -> None:
    found = asked(CREATE, {"input": WANTED | {"body": "B", "draft": False, "maintainerCanModify": True}})
    assert isinstance(found, Change)
    assert (found.name, found.answer_key, found.looks) == ("createPullRequest", "createPullRequest", (HomeNode("R_x"),))
    assert "maintainerCanModify: false" in found.document
    assert "mergegate: pullRequest" in found.document
    assert found.mutation.permissions == {"pull_requests": "write", "contents": "read"}


@pytest.mark.parametrize(
    "changed",
    [
        {"headRefName": "main"},
        {"headRefName": "agent/work2"},
        {"headRefName": "mallory:agent/work"},
        {"headRefName": "refs/heads/agent/work"},
        {"baseRefName": "release"},
        {"baseRefName": "agent/work"},
        {"title": "x" * 300},
        {"body": "x" * 70_000},
        {"draft": "no"},
        {"autoMerge": True},
        {"repositoryId": None},
        {"repositoryId": "R" * 400},
    ],
)
def test_pull_requests_that_are_not_opened(changed: dict[str, Any]) -> None:
    refused(asked(CREATE, {"input": WANTED | changed}))


def test_a_head_repository_must_be_the_session_s() -> None:
    found = asked(CREATE, {"input": WANTED | {"headRepositoryId": "R_fork"}})
    assert isinstance(found, Change) and found.looks == (HomeNode("R_x"), HomeNode("R_fork"))


@pytest.mark.parametrize(
    ("name", "kind", "given", "look"),
    [
        ("updatePullRequest", "UpdatePullRequestInput", {"pullRequestId": "PR_x", "title": "T"}, OwnPullNode("PR_x")),
        ("updatePullRequest", "UpdatePullRequestInput", {"pullRequestId": "PR_x", "body": None}, OwnPullNode("PR_x")),
        (
            "markPullRequestReadyForReview",
            "MarkPullRequestReadyForReviewInput",
            {"pullRequestId": "PR_x"},
            OwnPullNode("PR_x"),
        ),
        ("convertPullRequestToDraft", "ConvertPullRequestToDraftInput", {"pullRequestId": "P"}, OwnPullNode("P")),
        ("addComment", "AddCommentInput", {"subjectId": "I_x", "body": "Hi"}, DiscussedNode("I_x")),
        ("updateIssueComment", "UpdateIssueCommentInput", {"id": "IC_x", "body": "Hi"}, OwnCommentNode("IC_x")),
    ],
)
def test_mutations_of_what_is_the_session_s(name: str, kind: str, given: dict[str, Any], look: Look) -> None:
    found = asked(
        f"mutation M($input: {kind}!) {{ m: {name}(input: $input) {{ clientMutationId }} }}", {"input": given}
    )
    assert isinstance(found, Change)
    assert (found.looks, found.answer_key) == ((look,), "m")
    without = grant(ticket=3, rights=ALL - {found.mutation.right})
    refused(decide(without, {"query": found.document.replace("mergegate: ", "again: ")}))


@pytest.mark.parametrize(
    "extra", [{"baseRefName": "x"}, {"state": "CLOSED"}, {"labelIds": ["L"]}, {"assigneeIds": []}, {"projectIds": []}]
)
def test_a_pull_request_is_edited_in_title_and_body_alone(extra: dict[str, Any]) -> None:
    query = "mutation($input: UpdatePullRequestInput!) { updatePullRequest(input: $input) { __typename } }"
    refused(asked(query, {"input": {"pullRequestId": "PR_x", "title": "T", **extra}}))


@pytest.mark.parametrize(
    "name",
    [
        *("mergePullRequest", "enablePullRequestAutoMerge", "disablePullRequestAutoMerge", "enqueuePullRequest"),
        *("dequeuePullRequest", "mergeBranch", "addPullRequestReview", "submitPullRequestReview", "requestReviews"),
        *("dismissPullRequestReview", "addPullRequestReviewThread", "resolveReviewThread", "addLabelsToLabelable"),
        *("removeLabelsFromLabelable", "clearLabelsFromLabelable", "addAssigneesToAssignable", "closePullRequest"),
        *("reopenPullRequest", "updatePullRequestBranch", "revertPullRequest", "closeIssue", "createIssue"),
        *("updateIssue", "deleteIssueComment", "createRef", "updateRef", "updateRefs", "deleteRef", "addReaction"),
        *("createCommitOnBranch", "createRepository", "createBranchProtectionRule", "minimizeComment", "lockLockable"),
        *("transferIssue", "createCheckRun", "createDeployment", "convertPullRequestToDraftX", "addProjectV2ItemById"),
    ],
)
def test_mutations_that_do_not_exist_for_a_session(name: str) -> None:
    """Alone, hidden behind a directive, as a second field, within a fragment, and by variable."""
    call = f'{name}(input: {{pullRequestId: "PR_x"}}) {{ clientMutationId }}'
    good = 'addComment(input: {subjectId: "I_x", body: "Hi"}) { clientMutationId }'
    for query in (
        f"mutation {{ {call} }}",
        f"mutation {{ {call.replace(')', ') @skip(if: true)', 1)} }}",
        f"mutation {{ {good} x: {call} }}",
        f"mutation {{ ...m }} fragment m on Mutation {{ {call} }}",
        f"mutation {{ {good} ... on Mutation @include(if: false) {{ {call} }} }}",
    ):
        refused(asked(query))


@pytest.mark.parametrize(
    "query",
    [
        f"mutation {{ a: {ONE} b: {ONE} }}",
        'mutation { ...m } fragment m on Mutation { addComment(input: {subjectId: "I", body: "1"}) { __typename } }',
        'mutation { ... { addComment(input: {subjectId: "I", body: "1"}) { __typename } } }',
        'mutation { addComment(input: {subjectId: "I", body: "1"}) @include(if: true) { __typename } }',
        'mutation { addComment(input: {subjectId: "I", body: ""}, input: {subjectId: "J", body: ""}) { __typename } }',
        'mutation { addComment(input: {subjectId: "I", body: "1", subjectId: "J"}) { __typename } }',
        "mutation { __typename }",
    ],
)
def test_one_plain_mutation_at_a_time(query: str) -> None:
    refused(asked(query))


def test_what_a_mutation_shows_is_judged_as_well() -> None:
    inner = "pullRequest { closingIssuesReferences(first: 1) { nodes { title } } }"
    refused(asked(CREATE.replace("pullRequest { id url }", inner), {"input": WANTED}))
    rollup = "commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 1) { nodes { ... on CheckRun {"
    inner = f'pullRequest {{ {rollup} isRequired(pullRequestId: "PR_z") }} }} }} }} }} }} }} }}'
    found = asked(CREATE.replace("pullRequest { id url }", inner), {"input": WANTED})
    assert isinstance(found, Change) and found.looks == (HomeNode("R_x"), ReadableNode("PR_z"))
