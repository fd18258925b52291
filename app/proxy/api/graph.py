"""Which GraphQL requests a session may make: a decision over the document, without input or output."""

from __future__ import annotations

from dataclasses import dataclass, replace

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    NameNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    execute_sync,
    parse,
    print_ast,
    value_from_ast_untyped,
)

from app.proxy.api.bodies import Json, judged
from app.proxy.api.denied import Denied
from app.proxy.api.documents import Asked, allowed, read_request
from app.proxy.api.literals import literal
from app.proxy.api.looks import Look, PullNumber, ReadableNode
from app.proxy.api.mutations import ALIAS, MUTATIONS, Mutation
from app.proxy.api.rest import Local, no_right
from app.proxy.api.routes import Permissions
from app.proxy.api.walk import Refused, Selected, walk
from app.proxy.grant import Grant
from app.proxy.refusal import Refusal

ROOTS = 5
LOOKS = 5
READING: Permissions = {
    "actions": "read",
    "checks": "read",
    "contents": "read",
    "issues": "read",
    "pull_requests": "read",
    "statuses": "read",
}
_SHAPE = frozenset({"__type", "__typename", "name", "kind", "fields", "inputFields", "enumValues"})


@dataclass(frozen=True, slots=True)
class Query:
    """What may be sent once every one of `looks` holds."""

    document: str
    looks: tuple[Look, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The same for a mutation; `answer_key` is where its payload is in the answer."""

    document: str
    looks: tuple[Look, ...]
    name: str
    mutation: Mutation
    answer_key: str


def decide(grant: Grant, body: Json) -> Query | Change | Local | Denied:
    """What a GraphQL request of a session comes to."""
    asked = read_request(body)
    if isinstance(asked, Refusal):
        return Denied(200, asked)
    try:
        selected = walk(asked)
    except Refused as wrong:
        return Denied(200, Refusal(str(wrong), "Leave it out of the document"))
    if any(one.name.startswith("__") for one in selected):
        return _shape(asked)
    looks = _looks(grant, selected)
    if isinstance(looks, Refusal):
        return Denied(200, looks)
    if asked.operation.operation is OperationType.MUTATION:
        return _change(grant, asked, looks)
    return Query(print_ast(asked.document), looks)


def _shape(asked: Asked) -> Local | Denied:
    """What `gh` asks to learn which fields exist. Answered from the session's own part of the schema."""
    names = _names(asked.operation.selection_set)
    if asked.fragments or not names <= _SHAPE or "__type" not in names:
        return Denied(200, Refusal("The schema is shown one type at a time", "Ask for `__type(name:)` and its fields"))
    answer = execute_sync(allowed(), asked.document)
    return Local({"data": answer.data})


def _names(selections: SelectionSetNode) -> set[str]:
    found: set[str] = set()
    for one in selections.selections:
        if not isinstance(one, FieldNode):
            return {"..."}
        found |= {one.name.value} | (_names(one.selection_set) if one.selection_set else set())
    return found


def _looks(grant: Grant, selected: list[Selected]) -> tuple[Look, ...] | Refusal:
    """What the objects that a document names must turn out to be."""
    if sum(one.parent == "Query" for one in selected) > ROOTS:
        return Refusal(f"More than {ROOTS} things are asked for at once", "Ask one after the other")
    looks: dict[Look, None] = {}
    for one in selected:
        found = _judged(grant, one)
        if isinstance(found, Refusal):
            return found
        looks |= dict.fromkeys(found)
    if len(looks) > LOOKS:
        return Refusal(f"More than {LOOKS} objects are named by id", "Ask one after the other")
    return tuple(looks)


def _judged(grant: Grant, one: Selected) -> tuple[Look, ...] | Refusal:
    """What a field's arguments must turn out to be. Whatever names an object is here; tests hold the list complete."""
    given = one.arguments
    match (one.parent, one.name):
        case ("Query", "repository"):
            return _repository(grant, given["owner"], given["name"])
        case ("Query", "node"):
            return (ReadableNode(str(given["id"])),)
        case ("Repository", "issue"):
            return () if given["number"] == grant.ticket else _no_issue(grant)
        case ("Repository", "issueOrPullRequest"):
            return () if given["number"] == grant.ticket else (PullNumber(given["number"]),)
        case (_, "isRequired") if given.get("pullRequestId") is not None:
            return (ReadableNode(str(given["pullRequestId"])),)
    return ()


def _repository(grant: Grant, owner: str, name: str) -> tuple[Look, ...] | Refusal:
    if (owner.lower(), name.lower()) == (grant.owner.lower(), grant.repository.lower()):
        return ()
    return Refusal(
        "Could not resolve to a Repository that this session may see",
        f"The session's repository is {grant.owner}/{grant.repository}",
    )


def _no_issue(grant: Grant) -> Refusal:
    fix = "This session has no ticket" if grant.ticket is None else f"Ask for number {grant.ticket}"
    return Refusal("A session reads its own ticket and pull requests, no other issue", fix)


def _change(grant: Grant, asked: Asked, looks: tuple[Look, ...]) -> Change | Denied:
    roots = asked.operation.selection_set.selections
    root = roots[0]
    if len(roots) != 1 or not isinstance(root, FieldNode) or root.directives or root.name.value not in MUTATIONS:
        return Denied(200, Refusal("A session sends one known mutation at a time", "Send each by itself"))
    mutation = MUTATIONS[root.name.value]
    if mutation.right not in grant.rights:
        return Denied(200, no_right(mutation.right))
    (argument,) = root.arguments or ()
    given = {name: value for name, value in value_from_ast_untyped(argument.value).items() if value is not None}
    fault = judged(given, mutation.rules, (), grant)
    if fault is not None:
        return Denied(200, fault)
    sent = _rewritten(asked, root, given | dict(mutation.fixed or {}), mutation)
    key = root.alias.value if root.alias else root.name.value
    return Change(print_ast(sent), (*mutation.looks(given), *looks), root.name.value, mutation, key)


def _rewritten(asked: Asked, root: FieldNode, given: Json, mutation: Mutation) -> DocumentNode:
    """The document with the input as it was judged, and with what the ledger needs to know."""
    selections = root.selection_set.selections if root.selection_set else ()
    argument = ArgumentNode(name=NameNode(value="input"), value=literal(given, None))
    changed = replace(
        root, arguments=(argument,), selection_set=SelectionSetNode(selections=(*selections, *_made(mutation)))
    )
    operation = replace(asked.operation, selection_set=SelectionSetNode(selections=(changed,)))
    return DocumentNode(definitions=(operation, *asked.fragments.values()))


def _made(mutation: Mutation) -> tuple[FieldNode, ...]:
    if mutation.made is None:
        return ()
    document = parse(f"{{ {ALIAS}: {mutation.made} }}", no_location=True)
    operation = document.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    return tuple(one for one in operation.selection_set.selections if isinstance(one, FieldNode))
