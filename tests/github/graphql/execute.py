"""Running a document: parse, validate, count, execute, and word the answer as GitHub does."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OverlappingFieldsCanBeMergedRule,
    build_schema,
    execute,
    get_operation_ast,
    parse,
    specified_rules,
    validate,
)

# Imported for their views, which register by type name.
from tests.github.graphql import (  # noqa: F401
    checks,
    commits,
    git_objects,
    merge_queue,
    people,
    pull_request,
    refs,
    repository,
    rules,
    workflow_runs,
)
from tests.github.graphql.cost import cost_of
from tests.github.graphql.errors import WHOLE_DOCUMENT, formatted, kind_of
from tests.github.graphql.graph import Graph
from tests.github.graphql.mutations import MutationView
from tests.github.graphql.query import QueryView
from tests.github.graphql.view import resolve, type_of

# GitHub does not enforce this rule, and documents that gh sends break it.
RULES = [rule for rule in specified_rules if rule is not OverlappingFieldsCanBeMergedRule]
MOST_ERRORS = 100


@functools.cache
def schema() -> GraphQLSchema:
    """The SDL and its newer part, built once: GitHub's, valid but for deprecated implementations of interfaces."""
    parts = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("schema.graphql", "newer.graphql")]
    return build_schema("\n".join(parts), assume_valid=True, assume_valid_sdl=True)


@functools.lru_cache(maxsize=200)
def prepared(text: str) -> tuple[DocumentNode, tuple[GraphQLError, ...]]:
    """The parsed document and why it is not valid. Raises GraphQLSyntaxError."""
    document = parse(text, max_tokens=20_000)
    return document, tuple(validate(schema(), document, RULES, max_errors=MOST_ERRORS))


async def run(graph: Graph, text: str, variables: dict[str, Any], operation_name: str | None) -> dict[str, Any]:
    """The body of the answer: `data` and, when something went wrong, `errors`."""
    try:
        document, errors = prepared(text)
        operation = get_operation_ast(document, operation_name)
    except GraphQLError as error:
        return refused([error])
    if errors:
        return refused(list(errors))
    if operation is None:
        return refused([GraphQLError("No operation named " + repr(operation_name))])
    return await _run(graph, document, operation, variables)


async def _run(
    graph: Graph, document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any]
) -> dict[str, Any]:
    try:
        cost = cost_of(document, operation, variables)
    except GraphQLError as error:
        return refused([error])
    graph.cost, graph.node_count = cost.points, cost.nodes
    root = MutationView(graph) if operation.operation.value == "mutation" else QueryView(graph)
    result: Any = execute(
        schema(),
        document,
        root,
        variable_values=variables,
        operation_name=operation.name.value if operation.name else None,
        field_resolver=resolve,
        type_resolver=type_of,
    )
    if hasattr(result, "__await__"):
        result = await result
    errors = result.errors or []
    graph.github.crashes.extend(e.original_error for e in errors if e.original_error is not None and kind_of(e) is None)
    return answered(result.data, errors)


def answered(data: dict[str, Any] | None, errors: list[GraphQLError]) -> dict[str, Any]:
    if any(kind_of(error) in WHOLE_DOCUMENT for error in errors):
        return refused([error for error in errors if kind_of(error) in WHOLE_DOCUMENT])
    if not errors:
        return {"data": data}
    return {"data": data, "errors": [formatted(error) for error in errors]}


def refused(errors: list[GraphQLError]) -> dict[str, Any]:
    """A document that was not run has no `data` at all."""
    return {"errors": [formatted(error) for error in errors]}
