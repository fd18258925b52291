"""How a record becomes an object of the schema: views, and the resolver that walks them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from graphql import GraphQLAbstractType, GraphQLResolveInfo

from tests.github.git import Git
from tests.github.state import Repository

if TYPE_CHECKING:
    from tests.github.graphql.graph import Graph

CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class View:
    """An object of type `typename`: field `someName` is the attribute or method `some_name`, of it or of `record`."""

    typename: ClassVar[str]
    record_type: ClassVar[type | None] = None
    by_typename: ClassVar[dict[str, type[View]]] = {}

    def __init_subclass__(cls) -> None:
        if "typename" in cls.__dict__:
            View.by_typename[cls.typename] = cls

    def __init__(self, graph: Graph, record: Any = None) -> None:
        self.graph = graph
        self.record = record

    def address(self) -> str:
        """Path of the object's page."""
        raise NotImplementedError(f"{self.typename} has no page")

    def url(self) -> str:
        return self.graph.world.base_url.rstrip("/") + self.address()

    def resource_path(self) -> str:
        return self.address()


class InRepository(View):
    """An object that belongs to the repository `home`."""

    def __init__(self, graph: Graph, home: Repository, record: Any = None) -> None:
        super().__init__(graph, record)
        self.home = home

    def repository(self) -> Any:
        return self.graph.view("Repository", self.home)

    def view(self, typename: str, record: Any = None) -> Any:
        """The view of another record of the same repository; None for no record."""
        return None if record is None else self.graph.view(typename, self.home, record)

    def views(self, typename: str, records: Iterable[Any]) -> list[Any]:
        return [self.graph.view(typename, self.home, record) for record in records]

    def address(self) -> str:
        return f"/{self.home.full_name}"

    @property
    def git(self) -> Git:
        return self.graph.git(self.home)


@functools.cache
def snake_case(name: str) -> str:
    """`headRefOid` → `head_ref_oid`."""
    return CAPITAL.sub("_", name).lower()


def resolve(source: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
    """graphql-core's field resolver for views and for plain dictionaries keyed by GraphQL's names."""
    if isinstance(source, dict):
        return plain(source.get(info.field_name))
    value = find(source, snake_case(info.field_name))
    if not callable(value):
        return plain(value)
    return finished(value, {snake_case(name): argument for name, argument in arguments.items()})


def find(source: Any, name: str) -> Any:
    if hasattr(source, name):
        return getattr(source, name)
    return getattr(source.record, name)


def finished(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    value = function(**arguments)
    return _awaited(value) if hasattr(value, "__await__") else plain(value)


async def _awaited(value: Any) -> Any:
    return plain(await value)


def plain(value: Any) -> Any:
    """Times in the form of GitHub's answers, errors raised, everything else as it is."""
    if isinstance(value, Exception):
        raise value
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


def type_of(value: Any, info: GraphQLResolveInfo[Any], abstract: GraphQLAbstractType) -> str:
    """graphql-core's type resolver: which member of an interface or union a view is."""
    name: str = value.typename
    return name
