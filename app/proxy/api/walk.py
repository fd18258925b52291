"""One walk over a valid, literal document, with its fragments in their places: how much it asks for, and of whom.

Pull requests and issues point to other repositories (a fork, a parent issue). Beyond such a field a document may ask
for little more than the name of what is there: TOLD and NAMED say what. Everything else stays in the repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    InlineFragmentNode,
    SelectionSetNode,
    get_named_type,
    value_from_ast_untyped,
)

from app.proxy.api.documents import Asked, allowed

FIELDS = 2_000
STEPS = 4 * FIELDS  # fields, fragments and spreads, each as often as it is spread
LEVELS = 40
# GitHub's own limit: https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
NODES = 500_000
PAGE = 100
_LIST = frozenset({"nodes", "edges", "pageInfo", "totalCount"})
_ACCOUNT = frozenset({"id", "login", "name", "databaseId"})
_TOLD = frozenset({"id", "number", "title", "url", "state", "repository"})
Narrow = Mapping[str, frozenset[str]]
TOLD: Narrow = {
    "Repository": frozenset(
        {
            *(
                "id",
                "databaseId",
                "name",
                "nameWithOwner",
                "owner",
                "url",
                "sshUrl",
                "description",
                "isPrivate",
                "isFork",
            ),
            *("isArchived", "hasIssuesEnabled", "hasWikiEnabled", "viewerPermission", "defaultBranchRef", "visibility"),
            *("mergeCommitAllowed", "rebaseMergeAllowed", "squashMergeAllowed"),
        }
    ),
    "Issue": _TOLD,
    "PullRequest": _TOLD,
    "Ref": frozenset({"name"}),
    "RepositoryOwner": frozenset({"id", "login"}),
    "User": _ACCOUNT,
    "Organization": _ACCOUNT,
    "IssueConnection": _LIST,
    "PullRequestConnection": _LIST,
    "IssueEdge": frozenset({"cursor", "node"}),
    "PullRequestEdge": frozenset({"cursor", "node"}),
    "PageInfo": frozenset({"endCursor", "hasNextPage", "hasPreviousPage", "startCursor"}),
    "Node": frozenset({"id"}),
}
NAMED: Narrow = {**TOLD, "Issue": frozenset({"id", "number", "url", "repository"})}
LEAVING: Mapping[tuple[str, str], Narrow] = {
    ("Issue", "parent"): TOLD,
    ("Issue", "subIssues"): TOLD,
    ("Issue", "blockedBy"): TOLD,
    ("Issue", "blocking"): TOLD,
    ("Issue", "closedByPullRequestsReferences"): TOLD,
    # An agent chooses these by what it writes into its description, so it learns no more of them than it wrote.
    ("PullRequest", "closingIssuesReferences"): NAMED,
}
"""Fields whose objects may be others than the session's; so may every Repository be that is not the document's root."""


class Refused(ValueError):
    """The document asks for too much, or for what is another repository's; the message says what."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A field as it is asked for: its parent's type, its name and the values of its arguments."""

    parent: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(slots=True)
class _Walk:
    asked: Asked
    found: list[Selected] = field(default_factory=list)
    nodes: int = 0
    steps: int = 0

    def into(
        self, selections: SelectionSetNode, kind: GraphQLNamedType, narrow: Narrow | None, times: int, level: int
    ) -> None:
        if level > LEVELS:
            raise Refused(f"The document is deeper than {LEVELS} levels")
        for one in selections.selections:
            self._step()
            if isinstance(one, FieldNode):
                self._field(one, kind, narrow, times, level)
            elif isinstance(one, InlineFragmentNode):
                inner = allowed().type_map[one.type_condition.name.value] if one.type_condition else kind
                self.into(one.selection_set, inner, narrow, times, level + 1)
            elif isinstance(one, FragmentSpreadNode):
                fragment = self.asked.fragments[one.name.value]
                inner = allowed().type_map[fragment.type_condition.name.value]
                self.into(fragment.selection_set, inner, narrow, times, level + 1)

    def _field(self, node: FieldNode, kind: GraphQLNamedType, narrow: Narrow | None, times: int, level: int) -> None:
        name = node.name.value
        if name.startswith("__"):
            self.found += [] if name == "__typename" else [Selected(kind.name, name, {})]
            return
        if narrow is not None and name not in narrow.get(kind.name, frozenset()):
            raise Refused(f"Field '{name}' of type '{kind.name}' may belong to another repository here")
        assert isinstance(kind, GraphQLObjectType | GraphQLInterfaceType)
        selected = Selected(kind.name, name, dict(_arguments(node)))
        self.found.append(selected)
        if len(self.found) > FIELDS:
            raise Refused(f"The document asks for more than {FIELDS} fields")
        inner = get_named_type(kind.fields[name].type)
        page = _page(selected) if inner.name.endswith("Connection") else 1
        self._count(times * page if inner.name.endswith("Connection") else 0)
        if node.selection_set is not None:
            self.into(node.selection_set, inner, narrow or _leaving(kind, name, inner), times * page, level + 1)

    def _step(self) -> None:
        """Spreads that spread others double with every level, whether or not a field stands at their end."""
        self.steps += 1
        if self.steps > STEPS:
            raise Refused(f"The document spreads its fragments into more than {STEPS} selections")

    def _count(self, more: int) -> None:
        self.nodes += more
        if self.nodes > NODES:
            raise Refused(f"The document asks for more than {NODES} objects")


def walk(asked: Asked) -> list[Selected]:
    """Every field that the operation asks for, in order. Raises Refused."""
    kind = allowed().get_root_type(asked.operation.operation)
    if kind is None:
        raise Refused("There are no subscriptions here")
    walking = _Walk(asked)
    walking.into(asked.operation.selection_set, kind, None, 1, 0)
    return walking.found


def _leaving(kind: GraphQLNamedType, name: str, inner: GraphQLNamedType) -> Narrow | None:
    another = TOLD if inner.name == "Repository" and kind.name != "Query" else None
    return LEAVING.get((kind.name, name), another)


def _arguments(node: FieldNode) -> Iterator[tuple[str, Any]]:
    for one in node.arguments or ():
        yield one.name.value, value_from_ast_untyped(one.value)


def _page(selected: Selected) -> int:
    """How many objects a connection may answer with."""
    sizes = [selected.arguments[name] for name in ("first", "last") if selected.arguments.get(name) is not None]
    if any(not isinstance(size, int) or not 0 <= size <= PAGE for size in sizes):
        raise Refused(f"`{selected.name}` asks for a page that is not of 0 to {PAGE} objects")
    return max(sizes, default=1)
