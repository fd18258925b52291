"""The GraphQL decision over questions, as tables (T40): what may be asked, and every way around that we know of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from graphql import parse

from app.proxy.api.bodies import read_object
from app.proxy.api.denied import Denied
from app.proxy.api.graph import Change, Query, decide
from app.proxy.api.looks import Look, PullNumber, ReadableNode
from app.proxy.api.rest import Local
from app.proxy.grant import Right
from tests.proxy.build import grant

HOME = 'repository(owner: "acme", name: "shop")'
ALL = frozenset({Right.PULL_REQUEST, Right.COMMENT})
GRANT = grant(ticket=3, rights=ALL)
Decided = Query | Change | Local | Denied


def asked(query: Any, variables: Any = None, **more: Any) -> Decided:
    return decide(GRANT, {"query": query, "variables": variables, **more})


def refused(found: Decided) -> str:
    assert isinstance(found, Denied), found
    assert found.refusal is not None
    return found.refusal.because


def home(inner: str) -> str:
    return f"{{ {HOME} {{ {inner} }} }}"


@pytest.mark.parametrize(
    "query",
    [
        home(
            "id name nameWithOwner owner { login } defaultBranchRef { name } parent { nameWithOwner owner { login } }"
        ),
        home("pullRequest(number: 9) { title body comments(first: 100) { nodes { body author { login } } } }"),
        home("pullRequests(first: 30, states: OPEN) { nodes { ...pr } }")
        + " fragment pr on PullRequest { number title }",
        home("pullRequests(first: 1) { edges { node { headRepository { owner { login } name } } } }"),
        home("issue(number: 3) { title body labels(first: 5) { nodes { name } } }"),
        home("issueOrPullRequest(number: 3) { __typename ... on Issue { title } }"),
        home("issue(number: 3) { parent { number title url state repository { nameWithOwner } } }"),
        home(
            "pullRequest(number: 9) { closingIssuesReferences(first: 9) { nodes { id number url repository { id } } } }"
        ),
        home("pullRequest(number: 9) { title @include(if: true) body @skip(if: false) }"),
        "query A { viewer { login } } ",
        "{ viewer { login __typename } }",
        '{ repository(owner: "ACME", name: "Shop") { name } }',
    ],
)
def test_what_a_session_may_ask(query: str) -> None:
    found = asked(query)
    assert isinstance(found, Query), found
    assert found.looks == ()
    assert parse(found.document)


@pytest.mark.parametrize(
    ("query", "variables", "looks"),
    [
        (home("issueOrPullRequest(number: 9) { __typename }"), None, (PullNumber(9),)),
        ('{ node(id: "PR_x") { ... on PullRequest { number } } }', None, (ReadableNode("PR_x"),)),
        ("query($id: ID!) { node(id: $id) { id } }", {"id": "PR_x"}, (ReadableNode("PR_x"),)),
        (
            'query($id: ID! = "PR_d") { a: node(id: $id) { id } b: node(id: "PR_e") { id } }',
            None,
            (ReadableNode("PR_d"), ReadableNode("PR_e")),
        ),
        (
            home(
                "pullRequest(number: 9) { commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 9) "
                '{ nodes { ... on CheckRun { isRequired(pullRequestId: "PR_y") } } } } } } } }'
            ),
            None,
            (ReadableNode("PR_y"),),
        ),
        ("{ node(id: 5) { id } }", None, (ReadableNode("5"),)),
        ('{ ...q } fragment q on Query { node(id: "X") { id } }', None, (ReadableNode("X"),)),
        ('{ ... @skip(if: true) { node(id: "X") { id } } }', None, (ReadableNode("X"),)),
    ],
)
def test_named_objects_are_looked_up(query: str, variables: Any, looks: tuple[Look, ...]) -> None:
    found = asked(query, variables)
    assert isinstance(found, Query), found
    assert found.looks == looks


ROLLUP = "commits(first: 1) { nodes { commit { statusCheckRollup { contexts(first: 1) { nodes {"
REQUIRED = ' ... on CheckRun {{ r{0}: isRequired(pullRequestId: "{0}") }}'
MILLION = "commits(first: 100) { nodes { commit { authors(first: 100) { totalCount } } } }"
ONE = 'addComment(input: {subjectId: "I", body: "1"}) { __typename }'
OTHER = '{ repository(owner: "acme", name: "other") { name } }'


@pytest.mark.parametrize(
    "query",
    [
        OTHER,
        '{ repository(owner: "mallory", name: "shop") { name } }',
        '{ repository(owner: "acme", name: "shop.git") { name } }',
        f'{{ {HOME} {{ name }} b: repository(owner: "acme", name: "other") {{ name }} }}',
        '{ viewer { login } b: repository(owner: "acme", name: "other") @skip(if: true) { id } }',
        '{ ...a } fragment a on Query { repository(owner: "acme", name: "other") { name } }',
        '{ ... on Query { ... { repository(owner: "acme", name: "other") { name } } } }',
        home("issue(number: 4) { title }"),
        home("issues(first: 9) { nodes { title } }"),
        home('object(expression: "main:README.md") { ... on Blob { text } }'),
        home('ref(qualifiedName: "main") { target { oid } }'),
        home("defaultBranchRef { target { oid } }"),
        home("owner { ... on User { repositories(first: 9) { nodes { name } } } }"),
        home('owner { repository(name: "other") { name } }'),
        home("forks(first: 9) { nodes { name } }"),
        home("parent { pullRequests(first: 9) { nodes { title } } }"),
        home("parent { pullRequest(number: 1) { title } }"),
        home("parent { issue(number: 3) { title } }"),
        home("parent { parent { name } }"),
        home("...r")
        + " fragment r on Repository { parent { ...p } } fragment p on Repository { labels(first: 1) { totalCount } }",
        home("pullRequest(number: 9) { headRepository { pullRequests(first: 1) { totalCount } } }"),
        home("pullRequest(number: 9) { repository { issue(number: 3) { title } } }"),
        home("pullRequest(number: 9) { headRef { target { oid } } }"),
        home("pullRequest(number: 9) { closingIssuesReferences(first: 9) { nodes { title } } }"),
        home("pullRequest(number: 9) { closingIssuesReferences(first: 9) { edges { node { body } } } }"),
        home("pullRequest(number: 9) { author { ... on User { repositories(first: 1) { totalCount } } } }"),
        home("pullRequest(number: 9) { timelineItems(first: 9) { nodes { __typename } } }"),
        home("issue(number: 3) { parent { body } }"),
        home("issue(number: 3) { parent { comments(first: 1) { nodes { body } } } }"),
        home("issue(number: 3) { subIssues(first: 9) { nodes { ... on Issue { body } } } }"),
        home("issue(number: 3) { blockedBy(first: 9) { nodes { comments(first: 1) { totalCount } } } }"),
        home("issue(number: 3) { parent { parent { title } } }"),
        home("issue(number: 3) { closedByPullRequestsReferences(first: 9) { nodes { body } } }"),
        home("issue(number: 3) { trackedIssues(first: 9) { nodes { body } } }"),
        home("collaborators(first: 9) { nodes { email } }"),
        home("assignableUsers(first: 9) { nodes { login } }"),
        home("rulesets(first: 9) { nodes { name } }"),
        home("mergeQueue { id }"),
        "{ viewer { repositories(first: 9) { nodes { name } } } }",
        "{ viewer { organizations(first: 9) { nodes { login } } } }",
        '{ search(query: "secret", type: ISSUE, first: 9) { nodes { ... on Issue { body } } } }',
        '{ organization(login: "acme") { id } }',
        '{ user(login: "ada") { id } }',
        '{ repositoryOwner(login: "acme") { id } }',
        '{ nodes(ids: ["x"]) { id } }',
        '{ resource(url: "https://github.com/acme/other") { resourcePath } }',
        '{ enterprise(slug: "x") { id } }',
        "{ relay { viewer { login } } }",
        "{ rateLimit { cost } }",
        "subscription { x }",
        "{ viewer { login } } subscription B { x }",
    ],
)
def test_what_is_not_asked(query: str) -> None:
    refused(asked(query))


def test_an_unknown_repository_and_another_s_are_one_answer() -> None:
    assert asked(OTHER) == asked('{ repository(owner: "acme", name: "does-not-exist") { name } }')


def test_no_more_than_one_operation() -> None:
    two = "query A { viewer { login } } query B { viewer { login } }"
    assert "one operation" in refused(asked(two, None, operationName="A"))
    assert "one operation" in refused(asked("query A { viewer { login } } mutation { x }", None, operationName="A"))
    assert "one operation" in refused(asked("{ viewer { login } } { viewer { login } }"))
    assert "one operation" in refused(asked("fragment a on Query { viewer { login } }"))
    assert "one operation" in refused(asked("type A { b: Int } { viewer { login } }"))
    assert "another operation" in refused(asked("query A { viewer { login } }", None, operationName="B"))
    assert isinstance(asked("query A { viewer { login } }", None, operationName="A"), Query)


@pytest.mark.parametrize(
    "body",
    [
        {"id": "abc"},
        {"query": None},
        {"query": ["{ viewer { login } }"]},
        {"documentId": "abc", "variables": {}},
        {"query": "{ viewer { login } }", "extensions": {"persistedQuery": {"version": 1, "sha256Hash": "ab"}}},
        {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "ab"}}},
        {"query": "{ viewer { login } }", "variables": []},
        {"query": "{ viewer { login } }", "variables": "{}"},
        {},
    ],
)
def test_persisted_queries_and_other_forms(body: dict[str, Any]) -> None:
    refused(decide(GRANT, body))


@pytest.mark.parametrize(
    "query",
    [
        "{ viewer { login } } #" + "x" * 1_000_000,
        "{ viewer { " + "login " * 3_000 + "} }",
        "{ viewer { " + " ".join(f"a{n}: login" for n in range(1_500)) + " } }",
        "{" * 30 + "a" + "}" * 30,
        "{ viewer" + "{ viewer" * 500 + "}" * 500,
        home("pullRequest(number: " + "[" * 40 + "1" + "]" * 40 + ") { id }"),
        home("...f0")
        + "".join(f" fragment f{n} on Repository {{ ...f{n + 1} ...f{n + 1} }}" for n in range(25))
        + " fragment f25 on Repository { name }",
        home("...f0")
        + "".join(f" fragment f{n} on Repository {{ ...f{n + 1} ...f{n + 1} }}" for n in range(30))
        + " fragment f30 on Repository { __typename }",
        home("...f0")
        + "".join(f" fragment f{n} on Repository {{ ...f{n + 1} ... {{ ...f{n + 1} }} }}" for n in range(15))
        + " fragment f15 on Repository { __typename }",
        home("...f0")
        + "".join(f" fragment f{n} on Repository {{ ...f{n + 1} }}" for n in range(60))
        + " fragment f60 on Repository { name }",
        home("...a") + " fragment a on Repository { ...b } fragment b on Repository { ...a }",
        home("pullRequests(first: 100) { nodes { " + MILLION + " } }"),
        home("pullRequests(first: 101) { totalCount }"),
        home("pullRequests(first: 1000000000) { totalCount }"),
        home("pullRequests(last: -1) { totalCount }"),
        "{ " + " ".join(f"r{n}: {HOME} {{ name }}" for n in range(6)) + " }",
        "{ " + " ".join(f'n{n}: node(id: "{n}") {{ id }}' for n in range(6)) + " }",
        "{ " + "... { " * 30 + "viewer { login }" + " }" * 31,
        home("pullRequest(number: 1) { " + ROLLUP + "".join(map(REQUIRED.format, range(6))) + " } } } } } } }"),
        "{ viewer { login }",
        "{ viewer { login \u0000 } }",
        "",
        "   ",
    ],
)
def test_sizes_and_depths_and_aliases(query: str) -> None:
    refused(asked(query))


def test_a_long_variable_that_is_used_often() -> None:
    query = "query($s: [PullRequestState!]) " + home("a: pullRequests(first: 1, states: $s) { totalCount } " * 60)
    assert "too often" in refused(asked(query, {"s": ["OPEN"] * 500}))
    default = (
        "query($s: [PullRequestState!] = ["
        + "OPEN " * 800
        + "]) "
        + home("pullRequests(states: $s) { totalCount } " * 9)
    )
    assert "too often" in refused(asked(default))


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("query($n: Int!) " + home("pullRequest(number: $n) { id }"), {}),
        ("query($n: Int!) " + home("pullRequest(number: $n) { id }"), {"n": None}),
        ("query($n: Int!) " + home("pullRequest(number: $n) { id }"), {"n": "9"}),
        ("query($n: Int!) " + home("pullRequest(number: $n) { id }"), {"n": [9]}),
        ("query($n: Int!) " + home("pullRequest(number: $n) { id }"), {"n": 1e300}),
        (home("pullRequest(number: $n) { id }"), {"n": 9}),
        ("query($n: Int!, $n: Int!) " + home("pullRequest(number: $n) { id }"), {"n": 9}),
        ("query($n: Nothing) " + home("pullRequest(number: $n) { id }"), {"n": 9}),
        ("query($n: PullRequest) " + home("pullRequest(number: 9) { id }"), {"n": 9}),
        ('query($o: String!) { repository(owner: $o, name: "shop") { id } }', {"o": {"a b": 1}}),
    ],
)
def test_variables_that_do_not_fit(query: str, variables: Any) -> None:
    refused(asked(query, variables))


def test_variables_are_judged_where_they_stand() -> None:
    query = "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }"
    refused(asked(query, {"owner": "acme", "name": "other"}))
    found = asked(query, {"owner": "acme", "name": "shop", "unused": 1})
    assert isinstance(found, Query)
    assert "$" not in found.document and 'name: "shop"' in found.document
    default = 'query($name: String! = "other") { repository(owner: "acme", name: $name) { id } }'
    refused(asked(default))
    assert isinstance(asked(default, {"name": "shop"}), Query)


def test_an_absent_variable_takes_its_argument_with_it() -> None:
    found = asked(
        "query($b: String, $s: [PullRequestState!]) " + home("pullRequests(headRefName: $b, states: $s) { totalCount }")
    )
    assert isinstance(found, Query)
    assert "headRefName" not in found.document and "states" not in found.document


def test_the_schema_is_shown_as_far_as_gh_looks() -> None:
    found = asked('{ PullRequest: __type(name: "PullRequest") { fields(includeDeprecated: true) { name } } }')
    assert isinstance(found, Local)
    names = {one["name"] for one in found.body["data"]["PullRequest"]["fields"]}
    assert {"title", "isInMergeQueue"} <= names and "projectItems" not in names
    assert asked('{ __type(name: "Sponsorship") { name } }') == Local({"data": {"__type": None}})


@pytest.mark.parametrize(
    "query",
    [
        "{ __schema { types { name } } }",
        "{ ... on Query { __schema { types { name } } } }",
        "{ ...s } fragment s on Query { __schema { types { name } } }",
        '{ __type(name: "Query") { fields { type { name fields { name } } } } }',
        '{ viewer { login } __type(name: "Query") { name } }',
        f'{{ {HOME} {{ name }} __type(name: "Query") {{ name }} }}',
    ],
)
def test_the_schema_is_not_shown_whole(query: str) -> None:
    refused(asked(query))


def test_fields_that_are_missing_are_named_as_gh_expects_it() -> None:
    """gh goes on without projects when the error holds just this sentence."""
    because = refused(asked(home("pullRequest(number: 9) { projectItems(first: 1) { totalCount } }")))
    assert "Field 'projectItems' doesn't exist on type 'PullRequest'" in because


@pytest.mark.parametrize(
    "raw",
    [
        b'[{"query": "{ viewer { login } }"}]',
        b'{"query": "{ viewer { login } }", "query": "mutation { x }"}',
        b'{"query": "{ viewer { login } }", "variables": {"a": 1, "a": 2}}',
        b'{"query": "{ viewer { login } }"} {}',
        b'{"query": "\\ud800"}',
        b'{"query": NaN}',
        b"\xff\xfe{}",
        b"",
        b"null",
        b"query=x",
        b'{"a":' * 2000 + b"1" + b"}" * 2000,
        json.dumps({"variables": {str(n): n for n in range(2000)}}).encode(),
        b'{"query": "' + b"x" * 600_000 + b'"}',
    ],
)
def test_bodies_that_are_not_one_object(raw: bytes) -> None:
    assert not isinstance(read_object(raw), dict)
