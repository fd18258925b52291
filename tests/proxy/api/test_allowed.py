"""The part of GitHub's schema that exists for a session: it is GitHub's, and nothing in it leads away unseen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLUnionType,
    get_named_type,
)

from app.proxy.api.documents import allowed
from app.proxy.api.mutations import MUTATIONS
from app.proxy.api.walk import LEAVING, NAMED, TOLD
from tests.github.graphql.execute import schema

Composite = GraphQLObjectType | GraphQLInterfaceType


def fields() -> Iterator[tuple[str, str, GraphQLField]]:
    for name, kind in allowed().type_map.items():
        if isinstance(kind, Composite) and not name.startswith("__"):
            yield from ((name, field_name, field) for field_name, field in kind.fields.items())


def arguments() -> Iterator[tuple[str, GraphQLArgument]]:
    for name, field_name, field in fields():
        yield from ((f"{name}.{field_name}.{argument}", given) for argument, given in field.args.items())


def test_every_field_and_type_is_github_s() -> None:
    """Compared with the simulated GitHub's schema, which its own tests compare with the published one."""
    theirs = schema()
    for name, field_name, field in fields():
        kind = theirs.type_map.get(name)
        assert isinstance(kind, Composite) and field_name in kind.fields, f"{name}.{field_name}"
        assert str(field.type) == str(kind.fields[field_name].type), f"{name}.{field_name}"
        for argument, given in field.args.items():
            assert str(given.type) == str(kind.fields[field_name].args[argument].type), (
                f"{name}.{field_name}.{argument}"
            )


def test_enums_unions_and_inputs_are_github_s() -> None:
    theirs = schema()
    for name, kind in allowed().type_map.items():
        other = theirs.type_map.get(name)
        if isinstance(kind, GraphQLEnumType) and not name.startswith("__"):
            assert isinstance(other, GraphQLEnumType) and set(kind.values) <= set(other.values), name
        if isinstance(kind, GraphQLUnionType):
            assert isinstance(other, GraphQLUnionType), name
            assert {one.name for one in kind.types} <= {one.name for one in other.types}, name
        if isinstance(kind, GraphQLInputObjectType):
            assert isinstance(other, GraphQLInputObjectType), name
            assert {key: str(one.type) for key, one in kind.fields.items()}.items() <= {
                key: str(one.type) for key, one in other.fields.items()
            }.items(), name


def test_whatever_leads_to_content_is_known() -> None:
    """Fields whose objects have content of a repository. A new one has to be put in one of the two groups here."""
    content = {"Repository", "Issue", "PullRequest", "IssueOrPullRequest", "Ref", "Node"}
    lists = {"IssueConnection", "IssueEdge", "PullRequestConnection", "PullRequestEdge"}
    found = {
        f"{name}.{field_name}"
        for name, field_name, field in fields()
        if get_named_type(field.type).name in content | lists and name not in lists and not name.endswith("Payload")
    }
    stays = {
        "Query.node",  # looked up
        "Query.repository",  # compared
        "Repository.issue",  # the ticket
        "Repository.issueOrPullRequest",  # looked up
        "Repository.pullRequest",
        "Repository.pullRequests",
        "Repository.defaultBranchRef",  # its name is all there is
    }
    leaves = {f"{name}.{field_name}" for name, field_name in LEAVING}
    other_repositories = {
        "Issue.repository",
        "PullRequest.repository",
        "PullRequest.headRepository",
        "Repository.parent",
    }
    assert found == stays | leaves | other_repositories
    assert set(allowed().type_map["Ref"].fields) == {"id", "name"}  # type: ignore[attr-defined]


def test_what_is_told_of_other_repositories_is_no_content() -> None:
    texts = {"body", "bodyText", "bodyHTML", "comments", "reviews", "files", "commits", "text", "summary"}
    for table in (TOLD, NAMED):
        for name, allowed_fields in table.items():
            assert not allowed_fields & texts, name
            kind = allowed().type_map[name]
            assert isinstance(kind, Composite) and allowed_fields <= set(kind.fields), name


def test_whatever_names_an_object_is_known() -> None:
    named = {path for path, given in arguments() if get_named_type(given.type).name in ("ID", "URI")}
    assert named == {
        "Query.node.id",
        "CheckRun.isRequired.pullRequestId",
        "StatusContext.isRequired.pullRequestId",
    }
    numbers = {path for path, _ in arguments() if path.rsplit(".", 1)[1] in ("number", "owner", "login", "slug", "url")}
    assert numbers == {
        "Query.repository.owner",
        "Repository.issue.number",
        "Repository.issueOrPullRequest.number",
        "Repository.pullRequest.number",
    }


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_every_field_of_an_input_has_a_rule(name: str) -> None:
    field = allowed().mutation_type.fields[name]  # type: ignore[union-attr]
    kind = get_named_type(field.args["input"].type)
    assert isinstance(kind, GraphQLInputObjectType)
    assert set(kind.fields) == set(MUTATIONS[name].rules)


def test_there_are_no_other_mutations() -> None:
    assert set(allowed().mutation_type.fields) == set(MUTATIONS)  # type: ignore[union-attr]
