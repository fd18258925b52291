"""The committed SDL against GitHub's own, against the views, and against documents that clients send."""

from __future__ import annotations

import dataclasses
import runpy
from pathlib import Path

import pytest
from graphql import GraphQLField, GraphQLObjectType, GraphQLSchema, build_schema, parse, validate

from tests.github.graphql.execute import RULES, schema
from tests.github.graphql.trim_schema import FOLDER, read_wanted, trim
from tests.github.graphql.view import View, snake_case

CONTRACT = Path(__file__).parents[2] / "../shared/github/contract"
needs_sdl = pytest.mark.skipif(not CONTRACT.is_dir(), reason=f"GitHub's SDL is not at {CONTRACT}")
# Never answered with an object: rules of the old kind, types of issues, mannequins, milestones, projects.
NEVER_MADE = {
    "BranchProtectionRule",
    "IssueType",
    "Mannequin",
    "Milestone",
    "Project",
    "ProjectCard",
    "ProjectColumn",
    "ProjectV2",
    "ProjectV2Item",
    "ProjectV2ItemFieldSingleSelectValue",
}


@pytest.fixture(scope="module")
def github_schema() -> GraphQLSchema:
    """GitHub's own, with what is newer than the copy; once that has it, defining it twice fails here."""
    parts = [CONTRACT / "schema.graphql", FOLDER / "newer.graphql"]
    sdl = "\n".join(part.read_text(encoding="utf-8") for part in parts)
    return build_schema(sdl, assume_valid=True, assume_valid_sdl=True)


def shape(field: GraphQLField) -> tuple[str, dict[str, tuple[str, object]]]:
    arguments = {name: (str(arg.type), arg.default_value) for name, arg in field.args.items()}
    return str(field.type), arguments


@needs_sdl
def test_every_field_is_github_s(github_schema: GraphQLSchema) -> None:
    compared = 0
    for name, ours in schema().type_map.items():
        theirs = github_schema.type_map[name]
        assert type(theirs).__name__ == type(ours).__name__, name
        if name.startswith("__") or not hasattr(ours, "fields"):
            continue
        for field_name, field in ours.fields.items():
            compared += 1
            if isinstance(field, GraphQLField):
                assert shape(field) == shape(theirs.fields[field_name]), f"{name}.{field_name}"  # type: ignore[attr-defined]
            else:
                assert str(field.type) == str(theirs.fields[field_name].type), f"{name}.{field_name}"  # type: ignore[attr-defined]
    assert compared > 700


@needs_sdl
def test_enums_inputs_and_members_are_github_s(github_schema: GraphQLSchema) -> None:
    for name, ours in schema().type_map.items():
        theirs = github_schema.type_map[name]
        if hasattr(ours, "values"):
            assert set(ours.values) == set(theirs.values), name  # type: ignore[attr-defined]
        if hasattr(ours, "types"):
            assert {t.name for t in ours.types} <= {t.name for t in theirs.types}, name  # type: ignore[attr-defined]
        if type(ours).__name__ == "GraphQLInputObjectType":
            assert set(ours.fields) == set(theirs.fields), name  # type: ignore[attr-defined]


@needs_sdl
def test_the_committed_file_is_what_the_script_makes() -> None:
    sdl = (CONTRACT / "schema.graphql").read_text(encoding="utf-8")
    wanted = read_wanted((FOLDER / "fields.txt").read_text(encoding="utf-8"))
    assert trim(sdl, wanted) == (FOLDER / "schema.graphql").read_text(encoding="utf-8")


def object_types() -> list[GraphQLObjectType]:
    made_by_hand = ("Connection", "Edge", "Payload")
    types = [t for t in schema().type_map.values() if isinstance(t, GraphQLObjectType)]
    return [t for t in types if not t.name.startswith("__") and not t.name.endswith(made_by_hand)]


def test_every_field_has_an_answer() -> None:
    """A field of the SDL that no view answers would be an error at the first query that asks for it."""
    missing = []
    for graphql_type in object_types():
        view = View.by_typename.get(graphql_type.name)
        if view is None:
            continue
        record = {f.name for f in dataclasses.fields(view.record_type)} if view.record_type else set()
        record |= set(getattr(view, "keys", ()))
        named = {snake_case(name): name for name in graphql_type.fields}
        missing += [f"{graphql_type.name}.{n}" for s, n in named.items() if not hasattr(view, s) and s not in record]
    assert missing == []


def test_every_object_type_has_a_view_or_is_made_by_hand() -> None:
    without = {t.name for t in object_types()} - set(View.by_typename)
    plain = {
        "CheckAnnotationPosition",
        "CheckAnnotationSpan",
        "CheckRunStateCount",
        "MergeQueueConfiguration",
        "PageInfo",
        "RateLimit",
        "RefNameConditionTarget",
        "RepositoryCodeowners",
        "RepositoryCodeownersError",
        "RepositoryRuleConditions",
        "StatusCheckConfiguration",
        "StatusContextStateCount",
        "SubIssuesSummary",
    }
    assert without == plain | NEVER_MADE


@needs_sdl
@pytest.mark.parametrize("name", ["PR_Q", "ENQ", "DEQ", "AUTO", "DRAFT", "QUEUE"])
def test_the_gate_s_documents_are_valid(name: str) -> None:
    document = runpy.run_path(str(CONTRACT / "gate_queries.py"))[name]
    assert validate(schema(), parse(document), RULES) == []


@needs_sdl
def test_a_wrong_document_is_refused_with_a_suggestion() -> None:
    document = runpy.run_path(str(CONTRACT / "gate_queries.py"))["BAD"]
    messages = [error.message for error in validate(schema(), parse(document), RULES)]
    assert any("positionn" in message and "Did you mean 'position'?" in message for message in messages)
