"""Make schema.graphql from GitHub's SDL and fields.txt.

    python -m tests.github.graphql.trim_schema PATH/TO/GITHUB/schema.graphql

The source is `schema.graphql` of the npm package @octokit/graphql-schema (see NOTICE). Descriptions and directives
other than `@deprecated` are left out; types, fields and arguments are GitHub's own, letter for letter.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from graphql import (
    DefinitionNode,
    EnumTypeDefinitionNode,
    FieldDefinitionNode,
    InputObjectTypeDefinitionNode,
    InputValueDefinitionNode,
    InterfaceTypeDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    Node,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    ScalarTypeDefinitionNode,
    TypeDefinitionNode,
    TypeNode,
    UnionTypeDefinitionNode,
    Visitor,
    parse,
    print_ast,
    visit,
)

FOLDER = Path(__file__).parent
BUILT_IN = {"Boolean", "Float", "ID", "Int", "String"}
CONNECTION_FIELDS = {"edges", "nodes", "pageInfo", "totalCount"}
EDGE_FIELDS = {"cursor", "node"}
Definitions = dict[str, TypeDefinitionNode]
Wanted = dict[str, set[str]]
Composite = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode


def read_wanted(text: str) -> Wanted:
    """Type name → field names, from the lines of fields.txt. Raises ValueError for a line of another form."""
    wanted: Wanted = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, fields = line.partition(":")
        if not colon or name in wanted:
            raise ValueError(f"fields.txt: expected one 'Type: field field' for each type, got {line!r}")
        wanted[name] = set(fields.split())
    return wanted


def trim(sdl: str, wanted: Wanted) -> str:
    """The part of an SDL that `wanted` names. Raises ValueError when it names something that the SDL lacks."""
    document = parse(sdl, no_location=True)
    every = {node.name.value: node for node in document.definitions if isinstance(node, TypeDefinitionNode)}
    kept = _Trimmer(every, wanted).run()
    return "\n\n".join(print_ast(visit(node, _Bare())) for _, node in sorted(kept.items())) + "\n"


class _Trimmer:
    def __init__(self, every: Definitions, wanted: Wanted) -> None:
        self.every = every
        self.wanted = {name: set(fields) for name, fields in wanted.items()}
        self.kept: dict[str, DefinitionNode] = {}

    def run(self) -> dict[str, DefinitionNode]:
        self._spread_interface_fields()
        todo = list(self.wanted)
        while todo:
            name = todo.pop()
            if name in self.kept or name in BUILT_IN:
                continue
            self.kept[name] = self._definition(name)
            todo += [used for used in _named_types(self.kept[name]) if used not in self.kept]
        return self.kept

    def _spread_interface_fields(self) -> None:
        for name in list(self.wanted):
            definition = self._source(name)
            if isinstance(definition, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
                for interface in _names(definition.interfaces):
                    self.wanted[name] |= self.wanted.get(interface, set())

    def _source(self, name: str) -> TypeDefinitionNode:
        if name not in self.every:
            raise ValueError(f"fields.txt names the type {name}, which the SDL does not have")
        return self.every[name]

    def _definition(self, name: str) -> DefinitionNode:
        source = self._source(name)
        match source:
            case ObjectTypeDefinitionNode() | InterfaceTypeDefinitionNode():
                return self._composite(source)
            case UnionTypeDefinitionNode():
                members = [member for member in source.types or () if member.name.value in self.wanted]
                return UnionTypeDefinitionNode(name=source.name, types=tuple(members))
            case EnumTypeDefinitionNode() | InputObjectTypeDefinitionNode() | ScalarTypeDefinitionNode():
                return source
            case _:
                raise ValueError(f"{name}: {source.kind} is not expected in GitHub's SDL")

    def _composite(self, source: Composite) -> Composite:
        name = source.name.value
        wanted = self._wanted_fields(source)
        fields = [field for field in source.fields or () if field.name.value in wanted]
        missing = wanted - {field.name.value for field in fields}
        if missing or not fields:
            raise ValueError(f"fields.txt: {name} has no field {', '.join(sorted(missing)) or 'named'}")
        interfaces = [node for node in source.interfaces or () if node.name.value in self.wanted]
        kind = type(source)
        return kind(name=source.name, interfaces=tuple(interfaces), fields=tuple(fields), directives=())

    def _wanted_fields(self, source: Composite) -> set[str]:
        name = source.name.value
        named = self.wanted.get(name, set())
        if name.endswith("Payload"):
            return named | {field.name.value for field in source.fields or () if self._is_known(field)}
        if name.endswith("Connection"):
            return named | {field.name.value for field in source.fields or () if field.name.value in CONNECTION_FIELDS}
        if name.endswith("Edge"):
            return named | EDGE_FIELDS
        if not named:
            raise ValueError(f"fields.txt: a kept field has the type {name}, which is not named")
        return named

    def _is_known(self, field: FieldDefinitionNode) -> bool:
        name = _named(field.type)
        known = isinstance(self.every.get(name), EnumTypeDefinitionNode | ScalarTypeDefinitionNode)
        return known or name in self.wanted or name in BUILT_IN or name.endswith("Edge")


class _Bare(Visitor):
    """Takes descriptions and all directives but @deprecated away."""

    def enter(self, node: Node, *_: object) -> Node | None:
        if not hasattr(node, "description") and not hasattr(node, "directives"):
            return None
        changed = {key: getattr(node, key) for key in node.keys if key not in {"loc", "description", "directives"}}
        directives = [use for use in getattr(node, "directives", None) or () if use.name.value == "deprecated"]
        return type(node)(**changed, directives=tuple(directives))  # type: ignore[call-arg]  # kinds that have any


def _named(node: TypeNode) -> str:
    while isinstance(node, ListTypeNode | NonNullTypeNode):
        node = node.type
    assert isinstance(node, NamedTypeNode)
    return node.name.value


def _names(nodes: Iterable[NamedTypeNode] | None) -> list[str]:
    return [node.name.value for node in nodes or ()]


def _named_types(definition: DefinitionNode) -> Iterator[str]:
    """Names of all types that a definition needs."""
    if isinstance(definition, UnionTypeDefinitionNode):
        yield from _names(definition.types)
        return
    if isinstance(definition, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
        yield from _names(definition.interfaces)
    for field in getattr(definition, "fields", None) or ():
        yield _named(field.type)
        arguments: Iterable[InputValueDefinitionNode] = getattr(field, "arguments", None) or ()
        yield from (_named(argument.type) for argument in arguments)


def main() -> None:
    sdl = Path(sys.argv[1]).read_text(encoding="utf-8")
    wanted = read_wanted((FOLDER / "fields.txt").read_text(encoding="utf-8"))
    (FOLDER / "schema.graphql").write_text(trim(sdl, wanted), encoding="utf-8")


if __name__ == "__main__":
    main()
