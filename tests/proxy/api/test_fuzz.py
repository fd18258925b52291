"""Hostile targets, bodies and documents: never a crash, never a yes outside of the grant.

A few seconds here; ten minutes each with MERGEGATE_SOAK=1.
"""

from __future__ import annotations

import json
import string
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    GraphQLUnionType,
    OperationDefinitionNode,
    Visitor,
    get_named_type,
    is_required_argument,
    is_required_input_field,
    parse,
    visit,
)
from hypothesis import event
from hypothesis import strategies as st

from app.proxy.api import graph, rest
from app.proxy.api.bodies import read_object
from app.proxy.api.denied import Denied
from app.proxy.api.graph import Change, Query
from app.proxy.api.looks import DiscussedNode, HomeNode, Look, OwnCommentNode, OwnPullNode, PullNumber, ReadableNode
from app.proxy.api.mutations import MUTATIONS as GRANTED
from app.proxy.api.rest import Forward, Local
from app.proxy.api.routes import ALLOWED
from app.proxy.api.target import Target, read_target, written
from app.proxy.grant import Right
from tests.github.graphql.execute import schema
from tests.proxy.build import grant
from tests.proxy.lasting import lasting

GRANT = grant(ticket=3, rights=frozenset({Right.PULL_REQUEST, Right.COMMENT}))

# Targets: pieces of real paths, glued and broken.

PIECES = st.sampled_from(
    [
        *("repos", "acme", "shop", "other", "ACME", "mallory", "pulls", "7", "3", "0", "issues", "comments", "merge"),
        *("actions", "runs", "logs", "jobs", "commits", "compare", "main...agent", "agent", "work", "main", "branches"),
        *("git", "refs", "heads", "contents", "graphql", "api", "v3", "repositories", "42", "..", ".", "", "%2e%2e"),
        *("%2f", "shop%2f..%2fother", "a..b", "a:b", "HEAD~1", "\\", ";", "#", "?", "%00", "é", "user", "search"),
    ]
)
PATHS = st.lists(PIECES, min_size=1, max_size=9).map(lambda parts: "/" + "/".join(parts))
HOME_PATHS = st.lists(PIECES, max_size=5).map(lambda parts: "/repos/acme/shop/" + "/".join(parts))
QUERIES = st.one_of(
    st.just(b""), st.binary(max_size=40), st.sampled_from([b"page=1", b"page=1&page=2", b"head=mallory:main", b"a=b"])
)
METHODS = st.sampled_from(["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "get", "MERGE"])
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=20),
    st.just("agent/work"),
    st.just("main"),
    st.lists(st.text()),
)
FIELDS = st.sampled_from(
    [
        *(
            "title",
            "body",
            "head",
            "base",
            "draft",
            "maintainer_can_modify",
            "state",
            "labels",
            "event",
            "issue",
            "head_repo",
        )
    ]
)
BODIES = st.one_of(
    st.just(b""),
    st.binary(max_size=40),
    st.dictionaries(FIELDS, VALUES, max_size=6).map(lambda one: json.dumps(one).encode()),
)


NESTED = st.one_of(
    st.binary(max_size=60),
    st.recursive(VALUES, lambda inner: st.dictionaries(FIELDS, inner, max_size=4), max_leaves=6).map(
        lambda one: json.dumps(one).encode()
    ),
)


@lasting(METHODS, st.one_of(PATHS, HOME_PATHS, st.text(max_size=30)), QUERIES, BODIES)
def test_no_target_leads_out_of_the_repository(method: str, path: str, query: bytes, body: bytes) -> None:
    target = read_target(path.encode("utf-8", "surrogatepass"), query)
    if not isinstance(target, Target) or target.kind == "graphql":
        return
    found = rest.decide(GRANT, method, target, body)
    if not isinstance(found, Forward):
        assert isinstance(found, Denied | Local)
        return
    assert found.route in ALLOWED and found.route.method == method
    sent = written(("repos", "acme", "shop", *found.segments), found.query).partition("?")[0]
    assert sent.startswith("/repos/acme/shop") and ".." not in sent.replace("...", "") and "//" not in sent
    assert all(one in string.printable and one not in " %\\#;" for one in sent)
    if found.route.writes:
        assert found.body is not None and set(found.body) <= set(found.route.body or ())
        assert found.body.get("head", "agent/work").endswith("agent/work")
        assert found.body.get("base", "main") == "main"
        assert found.looks or found.route.makes == "pull" or found.number == GRANT.ticket


@lasting(NESTED)
def test_any_bytes_are_a_body_or_refused(raw: bytes) -> None:
    found = read_object(raw)
    if isinstance(found, dict):
        assert json.loads(raw) == found


# Documents: valid ones of the simulated GitHub's schema, which has much more than a session may ask for, and noise.

WORDS = st.sampled_from(["acme", "shop", "other", "agent/work", "main", "PR_x", "R_x"])
ROOTS = st.sampled_from(["repository", "repository", "node", "viewer", "search", "organization", "nodes", "__schema"])
MUTATIONS = sorted(schema().mutation_type.fields)  # type: ignore[union-attr]
HOME = 'repository(owner: "acme", name: "shop")'


def value(draw: st.DrawFn, kind: GraphQLInputType) -> str:
    """A literal of an input's type."""
    if isinstance(kind, GraphQLNonNull):
        return value(draw, kind.of_type)
    if isinstance(kind, GraphQLList):
        return f"[{value(draw, kind.of_type)}]"
    if isinstance(kind, GraphQLInputObjectType):
        wanted = [one for one in kind.fields if draw(st.booleans()) or is_required_input_field(kind.fields[one])]
        return "{" + ", ".join(f"{one}: {value(draw, kind.fields[one].type)}" for one in wanted) + "}"
    if isinstance(kind, GraphQLEnumType):
        return str(draw(st.sampled_from(sorted(kind.values))))
    plain = {"Int": st.sampled_from(["3", "4", "1"]), "Boolean": st.sampled_from(["true", "false"])}
    return draw(plain.get(kind.name, WORDS.map(json.dumps)))


def field(draw: st.DrawFn, kind: Any, name: str, depth: int) -> str:
    definition = kind.fields[name]
    wanted = [
        one for one, given in definition.args.items() if is_required_argument(given) or draw(st.integers(0, 9)) == 0
    ]
    given = ", ".join(f"{one}: {value(draw, definition.args[one].type)}" for one in wanted)
    directive = draw(st.sampled_from(["", "", "", " @skip(if: true)"]))
    alias = draw(st.sampled_from(["", "", "", "a: ", "mergegate: "]))
    return f"{alias}{name}" + (f"({given})" if given else "") + directive + inner(draw, definition.type, depth - 1)


def inner(draw: st.DrawFn, kind: Any, depth: int) -> str:
    """What is selected of a field's type; nothing of a leaf."""
    named = get_named_type(kind)
    if isinstance(named, GraphQLScalarType | GraphQLEnumType):
        return ""
    if depth <= 0:
        return " { __typename }"
    if isinstance(named, GraphQLUnionType) or (isinstance(named, GraphQLInterfaceType) and draw(st.booleans())):
        member = draw(st.sampled_from(sorted(one.name for one in schema().get_possible_types(named))))
        return f" {{ ... on {member}{inner(draw, schema().type_map[member], depth)} }}"
    names = draw(st.lists(st.sampled_from(sorted(named.fields)), min_size=1, max_size=3))
    return " { " + " ".join(field(draw, named, name, depth) for name in names) + " }"


@st.composite
def documents(draw: st.DrawFn) -> str:
    depth = draw(st.integers(1, 6))
    if draw(st.booleans()):
        name = draw(st.sampled_from([*MUTATIONS, "addComment", "updatePullRequest", "createPullRequest"]))
        return f"mutation {{ {field(draw, schema().mutation_type, name, depth)} }}"
    home = HOME + inner(draw, schema().type_map["Repository"], depth)
    if draw(st.booleans()):
        return f"{{ {home} }}"
    name = draw(ROOTS)
    other = "__schema { types { name } }" if name == "__schema" else field(draw, schema().query_type, name, depth)
    if draw(st.booleans()):
        return f"{{ {home} ...f }} fragment f on Query {{ {other} }}"
    return f"{{ {other} }}"


DOCUMENTS = st.one_of(documents(), documents(), documents(), st.text(max_size=60))
VARIABLES = st.one_of(st.none(), st.dictionaries(st.sampled_from(["a", "b", "input"]), VALUES))


@lasting(DOCUMENTS, VARIABLES)
def test_no_document_leads_out_of_the_grant(document: str, variables: Any) -> None:
    found = graph.decide(GRANT, {"query": document, "variables": variables})
    event(type(found).__name__)
    if isinstance(found, Query | Change):
        check(parse(found.document), found.looks, isinstance(found, Change))


def check(document: DocumentNode, looks: tuple[Look, ...], change: bool) -> None:
    """What goes to GitHub, looked at by other means than those that let it through: names alone, wherever they are."""
    operations = [one for one in document.definitions if isinstance(one, OperationDefinitionNode)]
    assert len(operations) == 1 and not operations[0].variable_definitions
    assert operations[0].operation.value == ("mutation" if change else "query")
    seen = Seen()
    visit(document, seen)
    assert seen.repositories <= {("acme", "shop")}
    looked_up = {one.node_id for one in looks if isinstance(one, NODES)}
    assert seen.nodes <= looked_up
    assert seen.issues <= {"3"} | {str(one.number) for one in looks if isinstance(one, PullNumber)}
    assert not seen.names & {"search", "mergePullRequest", "repositories", "__schema", "issues", "ref", "object"}
    assert len(seen.names & set(MUTATIONS)) == (1 if change else 0)
    assert seen.names & set(MUTATIONS) <= set(GRANTED)


NODES = (ReadableNode, DiscussedNode, OwnPullNode, OwnCommentNode, HomeNode)


class Seen(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.repositories: set[tuple[str, str]] = set()
        self.nodes: set[str] = set()
        self.issues: set[str] = set()

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        given = {one.name.value: getattr(one.value, "value", None) for one in node.arguments or ()}
        self.names.add(node.name.value)
        if node.name.value == "repository" and given:
            self.repositories.add((str(given["owner"]), str(given["name"])))
        if node.name.value == "node" and given:
            self.nodes.add(str(given["id"]))
        if node.name.value in ("issue", "issueOrPullRequest") and given:
            self.issues.add(str(given["number"]))
