"""A document's variables put in their places as literals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import re2
from graphql import (
    REMOVE,
    ArgumentNode,
    BooleanValueNode,
    DocumentNode,
    EnumValueNode,
    FloatValueNode,
    FragmentDefinitionNode,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    IntValueNode,
    ListValueNode,
    NameNode,
    Node,
    NullValueNode,
    ObjectFieldNode,
    ObjectValueNode,
    OperationDefinitionNode,
    StringValueNode,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    is_input_type,
    type_from_ast,
    value_from_ast_untyped,
    visit,
)

MOST_VALUES = 1_000  # in a document, once its variables are in their places
MOST_TEXT = 512 * 1024  # characters, the same
_NAME = re2.compile(r"[_A-Za-z][_0-9A-Za-z]{0,99}")


class Unfit(ValueError):
    """The variables do not fit the document; the message says how."""


def inlined(
    operation: OperationDefinitionNode,
    fragments: Iterable[FragmentDefinitionNode],
    given: Mapping[str, Any],
    schema: GraphQLSchema,
) -> DocumentNode:
    """The operation, first, and its fragments, with every variable replaced. Raises Unfit.

    A variable that is neither given nor has a default takes its argument, or its field of an input object, with it, as
    the specification says: https://spec.graphql.org/October2021/#sec-Coercing-Field-Arguments
    """
    definitions = {one.variable.name.value: one for one in operation.variable_definitions or ()}
    if len(definitions) != len(operation.variable_definitions or ()):
        raise Unfit("A variable is declared twice")
    values = {name: _value(name, one, given, schema) for name, one in definitions.items()}
    bare = OperationDefinitionNode(
        operation=operation.operation,
        name=operation.name,
        variable_definitions=(),
        directives=operation.directives,
        selection_set=operation.selection_set,
    )
    replacing = _Replacing(values, {name: _weight(_plain(name, one, given)) for name, one in definitions.items()})
    replaced = [visit(one, replacing) for one in (bare, *fragments)]
    return DocumentNode(definitions=tuple(replaced))


def _value(
    name: str, definition: VariableDefinitionNode, given: Mapping[str, Any], schema: GraphQLSchema
) -> ValueNode | None:
    kind = type_from_ast(schema, definition.type)
    if kind is None or not is_input_type(kind):
        raise Unfit(f"The type of the variable `{name[:40]}` is not known to a session")
    if name in given:
        return literal(given[name], kind)
    if definition.default_value is None and isinstance(kind, GraphQLNonNull):
        raise Unfit(f"The variable `{name[:40]}` is missing")
    return definition.default_value


def literal(value: Any, kind: GraphQLInputType | None) -> ValueNode:
    """A JSON value as a literal. The type tells names of enums from texts; whether it fits, validation says."""
    while isinstance(kind, GraphQLNonNull):
        kind = kind.of_type
    if isinstance(value, list):
        inner = kind.of_type if isinstance(kind, GraphQLList) else None
        return ListValueNode(values=tuple(literal(one, inner) for one in value))
    while isinstance(kind, GraphQLList | GraphQLNonNull):  # one value stands for a list of one
        kind = kind.of_type
    if isinstance(value, dict):
        return ObjectValueNode(fields=tuple(_field(name, one, kind) for name, one in value.items()))
    return _scalar(value, isinstance(kind, GraphQLEnumType))


def _field(name: str, value: Any, kind: GraphQLInputType | None) -> ObjectFieldNode:
    if _NAME.fullmatch(name) is None:
        raise Unfit(f"`{name[:40]!a}` is no name of a field")
    fields = kind.fields if isinstance(kind, GraphQLInputObjectType) else {}
    inner = fields[name].type if name in fields else None
    return ObjectFieldNode(name=NameNode(value=name), value=literal(value, inner))


def _scalar(value: Any, is_enum: bool) -> ValueNode:
    if value is None:
        return NullValueNode()
    if isinstance(value, bool):
        return BooleanValueNode(value=value)
    if isinstance(value, int):
        return IntValueNode(value=str(value))
    if isinstance(value, float):
        return FloatValueNode(value=repr(value))
    if is_enum and _NAME.fullmatch(value):
        return EnumValueNode(value=value)
    return StringValueNode(value=value)


def _plain(name: str, definition: VariableDefinitionNode, given: Mapping[str, Any]) -> Any:
    default = definition.default_value
    if name in given or default is None:
        return given.get(name)
    return value_from_ast_untyped(default)


def _weight(value: Any) -> tuple[int, int]:
    """How many values a JSON value holds, and how many characters."""
    inner = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    weights = [_weight(one) for one in inner]
    text = len(value) if isinstance(value, str) else 0
    return 1 + sum(one for one, _ in weights), text + sum(more for _, more in weights)


class _Replacing(Visitor):
    """A short document can name a long variable many times, so what it grows to is counted while it grows."""

    def __init__(self, values: Mapping[str, ValueNode | None], weights: Mapping[str, tuple[int, int]]) -> None:
        super().__init__()
        self._values = values
        self._weights = weights
        self._held = self._text = 0

    def enter_argument(self, node: ArgumentNode, *_: Any) -> Any:
        return self._absent(node.value)

    def enter_object_field(self, node: ObjectFieldNode, *_: Any) -> Any:
        return self._absent(node.value)

    def enter_variable(self, node: VariableNode, *_: Any) -> Node:
        """In a list, an absent variable is null."""
        value = self._of(node) or NullValueNode()
        held, text = self._weights[node.name.value]
        self._held, self._text = self._held + held, self._text + text
        if self._held > MOST_VALUES or self._text > MOST_TEXT:
            raise Unfit("The variables are used too often for their size")
        return value

    def _absent(self, value: ValueNode) -> Any:
        return REMOVE if isinstance(value, VariableNode) and self._of(value) is None else None

    def _of(self, node: VariableNode) -> ValueNode | None:
        if node.name.value not in self._values:
            raise Unfit(f"The variable `{node.name.value[:40]}` is not declared")
        return self._values[node.name.value]
