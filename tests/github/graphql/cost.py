"""What a document costs, and whether it asks for too much, before anything runs.

https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api: the requests that would fill
every connection, divided by 100, at least 1 point; at most 500,000 nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)

from tests.github.graphql.errors import TypedError

NODE_LIMIT = 500_000


@dataclass
class Cost:
    """`requests`: connections to fill; `nodes`: objects they may hold."""

    requests: int = 1
    nodes: int = 0

    @property
    def points(self) -> int:
        return max(1, round(self.requests / 100))


def cost_of(document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any]) -> Cost:
    """Raises MAX_NODE_LIMIT_EXCEEDED as GitHub does."""
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    cost = Cost()
    _Counter(fragments, _with_defaults(operation, variables), cost).count(operation.selection_set, 1)
    if cost.nodes > NODE_LIMIT:
        asked = f"This query requests up to {cost.nodes:,} possible nodes"
        raise TypedError("MAX_NODE_LIMIT_EXCEEDED", f"{asked} which exceeds the maximum limit of {NODE_LIMIT:,}.")
    return cost


def _with_defaults(operation: OperationDefinitionNode, variables: dict[str, Any]) -> dict[str, Any]:
    defaults = {
        definition.variable.name.value: int(definition.default_value.value)
        for definition in operation.variable_definitions or ()
        if isinstance(definition.default_value, IntValueNode)
    }
    return defaults | variables


@dataclass
class _Counter:
    fragments: dict[str, FragmentDefinitionNode]
    variables: dict[str, Any]
    cost: Cost

    def count(self, selections: SelectionSetNode | None, times: int) -> None:
        """Adds what a selection asks for when its parent occurs `times` times."""
        for node in selections.selections if selections else ():
            if isinstance(node, FragmentSpreadNode):
                fragment = self.fragments.get(node.name.value)
                self.count(fragment.selection_set if fragment else None, times)
            elif isinstance(node, InlineFragmentNode):
                self.count(node.selection_set, times)
            elif isinstance(node, FieldNode):
                self._field(node, times)

    def _field(self, node: FieldNode, times: int) -> None:
        size = self._size(node)
        if size is not None:
            self.cost.requests += times
            self.cost.nodes += times * size
            times *= size
        self.count(node.selection_set, times)

    def _size(self, node: FieldNode) -> int | None:
        for argument in node.arguments or ():
            if argument.name.value in ("first", "last"):
                value = argument.value
                given = self.variables.get(value.name.value) if isinstance(value, VariableNode) else None
                given = int(value.value) if isinstance(value, IntValueNode) else given
                if isinstance(given, int):
                    return max(given, 0)
        return None
