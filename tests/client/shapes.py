"""GitHub's GraphQL schema answering documents by itself: values of the right type, lists of a given length.

The SDL is `schema.graphql` of @octokit/graphql-schema (MIT), found beside the project; tests skip where it is absent.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLResolveInfo,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    build_schema,
    graphql_sync,
    print_ast,
)

SHARED = Path(__file__).parents[2] / "../shared"
SDL = SHARED / "github/contract/schema.graphql"
SCALARS: Mapping[str, Any] = {
    "Base64String": "eA==",
    "BigInt": "4294967299",
    "Boolean": True,
    "DateTime": "2026-11-29T12:00:00Z",
    "Float": 1.5,
    "GitObjectID": "a" * 40,
    "GitTimestamp": "2026-11-29T12:00:00-05:00",
    "ID": "ID_x",
    "Int": 7,
    "String": "text",
    "URI": "https://github.example/x",
}


@lru_cache(maxsize=1)
def sdl() -> GraphQLSchema:
    """GitHub's schema; two of its fields are defined twice, so it is taken as valid."""
    if not SDL.exists():
        pytest.skip(f"GitHub's GraphQL schema is not there: {SDL.name} of the shared contract folder")
    return build_schema(SDL.read_text(), assume_valid=True, assume_valid_sdl=True)


class Shapes:
    """Answers documents. `totals` says how long the connection of a field is; others have `default` elements.

    With `chance`, a nullable field is null, and a list has null elements, that often, and git objects are of any kind;
    the seed makes it repeatable. Numbers of stored objects are nullable in the schema for historical reasons only and
    are always there.
    """

    def __init__(
        self, totals: Mapping[str, int] | None = None, default: int = 1, chance: float = 0, seed: int = 0
    ) -> None:
        self.totals = dict(totals or {})
        self.default = default
        self.chance = chance
        self.random = random.Random(seed)
        self.values: dict[str, Any] = {}

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The response body to a request body."""
        result = graphql_sync(
            sdl(), body["query"], variable_values=body["variables"], field_resolver=self._field, type_resolver=_type
        )
        return dict(result.formatted)

    def _field(self, source: Any, info: GraphQLResolveInfo[Any], **args: Any) -> Any:
        if isinstance(source, dict) and info.field_name in source:
            return source[info.field_name]
        if info.field_name in self.values:
            return self.values[info.field_name]
        if info.field_name == "node" and not self.chance:
            of_suite = "on CheckSuite" in print_ast(info.field_nodes[0])
            return {"__typename": "CheckSuite" if of_suite else "PullRequest"}
        return self._value(info.return_type, info.field_name, args)

    def _value(self, kind: GraphQLOutputType, name: str, args: Mapping[str, Any]) -> Any:
        if not isinstance(kind, GraphQLNonNull):
            if self.random.random() < self.chance and name not in ("databaseId", "fullDatabaseId"):
                return None
        else:
            kind = kind.of_type
        if isinstance(kind, GraphQLList):
            return [self._value(kind.of_type, name, {}) for _ in range(self.default)]
        if isinstance(kind, GraphQLScalarType):
            return SCALARS[kind.name]
        if isinstance(kind, GraphQLEnumType):
            return self.random.choice(list(kind.values.values())).value
        return self._object(kind, name, args)

    def _object(self, kind: GraphQLOutputType, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        if isinstance(kind, GraphQLInterfaceType | GraphQLUnionType):
            kind = self._concrete(kind)
        assert isinstance(kind, GraphQLObjectType)
        made: dict[str, Any] = {"__typename": kind.name}
        return {**made, **self._slice(kind, name, args)} if kind.name.endswith("Connection") else made

    def _concrete(self, kind: GraphQLInterfaceType | GraphQLUnionType) -> GraphQLObjectType:
        possible = sdl().get_possible_types(kind)
        usual = [one for one in possible if one.name in ("Commit", "User", "BaseRefChangedEvent")]
        return usual[0] if usual and not self.chance else self.random.choice(possible)

    def _slice(self, kind: GraphQLObjectType, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """The page of a connection that the arguments ask for; cursors are places in the whole list."""
        total = self.totals.get(name, self.default)
        start, end = int(args.get("after") or 0), int(args.get("before") or total)
        if "first" in args:
            end = min(end, start + args["first"])
        if "last" in args:
            start = max(start, end - args["last"])
        element = kind.fields["nodes"].type.of_type
        return {
            "totalCount": total,
            "nodes": [self._element(element, name, place) for place in range(start, end)],
            "pageInfo": {
                "hasNextPage": end < total,
                "endCursor": str(end),
                "hasPreviousPage": start > 0,
                "startCursor": str(start),
            },
        }

    def _element(self, kind: GraphQLOutputType, name: str, place: int) -> Any:
        made = self._value(kind, name, {})
        if made is None:
            return None
        numbered = {"fullDatabaseId": str(place), "id": f"{name}-{place}", "name": f"{name} {place}", "number": place}
        if name == "commits":
            numbered["commit"] = {"__typename": "Commit", "oid": f"{place:040x}"}
        return {**made, **numbered}


def _type(value: dict[str, Any], *_: Any) -> str:
    return str(value["__typename"])
