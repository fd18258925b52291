"""GraphQL requests, read, bounded and made literal: variables are put in their places before anything is decided.

What goes to GitHub is printed from the document that was judged here, without variables, so that it cannot mean
something else there. Directives change nothing of a judgement: what `@skip` hides is judged as if it were asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import re2
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    Source,
    TokenKind,
    build_schema,
    parse,
    specified_rules,
    validate,
)
from graphql.language.lexer import Lexer

from app.proxy.api.bodies import Json
from app.proxy.api.literals import Unfit, inlined
from app.proxy.refusal import Refusal

QUERY_BYTES = 32 * 1024  # gh's longest has 5 KiB and 600 tokens
TOKENS = 2_000
NESTING = 24
KEYS = frozenset({"query", "variables", "operationName"})
ONCE = "Send one operation, as `query`, `variables` and `operationName`"
_LEFT_OUT = frozenset(
    {
        # Comparing every two fields of the same name is quadratic, and GitHub does it again.
        "OverlappingFieldsCanBeMergedRule",
        # There are no variables any more.
        "NoUndefinedVariablesRule",
        "NoUnusedVariablesRule",
        "UniqueVariableNamesRule",
        "VariablesAreInputTypesRule",
        "VariablesInAllowedPositionRule",
    }
)
RULES = tuple(rule for rule in specified_rules if rule.__name__ not in _LEFT_OUT)
_MERGE = ("Agents do not merge", "Leave it open; Mergegate merges it, or people do, when its checks are green")
_REVIEW = ("Agents do not review or ask for reviews", "The policy asks the people whom it needs")
_LABELS = ("Labels and assignees steer the gate", "Say in a comment what should change")
_CLOSE_IT = ("Agents do not close or reopen", "Say in a comment why it should be")
_SEARCH = ("Search reaches beyond the session's repository", "List the repository's pull requests without search words")
HINTS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("mergePullRequest", "enablePullRequestAutoMerge", "enqueuePullRequest", "mergeBranch"), _MERGE),
    **dict.fromkeys(("addPullRequestReview", "submitPullRequestReview", "requestReviews"), _REVIEW),
    **dict.fromkeys(("addLabelsToLabelable", "removeLabelsFromLabelable", "addAssigneesToAssignable"), _LABELS),
    **dict.fromkeys(("closePullRequest", "reopenPullRequest", "closeIssue", "reopenIssue"), _CLOSE_IT),
    "search": _SEARCH,
}
_OPEN = frozenset({TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L})
_CLOSE = frozenset({TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R})


@dataclass(frozen=True, slots=True)
class Asked:
    """One operation without variables, and its fragments by name; valid for `allowed()`."""

    operation: OperationDefinitionNode
    fragments: Mapping[str, FragmentDefinitionNode]

    @property
    def document(self) -> DocumentNode:
        return DocumentNode(definitions=(self.operation, *self.fragments.values()))


@lru_cache(maxsize=1)
def allowed() -> GraphQLSchema:
    """The part of GitHub's schema that exists for a session."""
    return build_schema(Path(__file__).with_name("allowed.graphql").read_text(encoding="utf-8"))


def read_request(body: Json) -> Asked | Refusal:
    """The one operation of a request, bounded before and after parsing, or why it is not taken."""
    query, variables = body.get("query"), body.get("variables")
    if not body.keys() <= KEYS or not isinstance(query, str):
        return Refusal("The request is not one GraphQL document; persisted queries are not taken", ONCE)
    if variables is not None and not isinstance(variables, dict):
        return Refusal("`variables` is no object", ONCE)
    if len(query.encode()) > QUERY_BYTES:
        return Refusal(f"The document is longer than {QUERY_BYTES} bytes", "Ask for less, and give texts as variables")
    try:
        return _one_operation(_parsed(query), variables or {}, body.get("operationName"))
    except GraphQLError as wrong:
        return Refusal(f"The document cannot be read ({_short(wrong.message)})", "Correct its syntax")
    except Unfit as wrong:
        return Refusal(str(wrong), "Correct the variables")


def _parsed(query: str) -> DocumentNode:
    """Raises GraphQLError; also where the lexer alone shows that it is too long or too deep to be parsed."""
    lexer = Lexer(Source(query))
    depth = 0
    for _ in range(TOKENS):
        kind = lexer.advance().kind
        if kind is TokenKind.EOF:
            return parse(query, no_location=True)
        depth += (kind in _OPEN) - (kind in _CLOSE)
        if depth > NESTING:
            raise GraphQLError(f"nested deeper than {NESTING} levels")
    raise GraphQLError(f"longer than {TOKENS} tokens")


def _one_operation(document: DocumentNode, variables: Json, name: Any) -> Asked | Refusal:
    operations = [one for one in document.definitions if isinstance(one, OperationDefinitionNode)]
    fragments = [one for one in document.definitions if isinstance(one, FragmentDefinitionNode)]
    if len(operations) != 1 or len(operations) + len(fragments) != len(document.definitions):
        return Refusal("The document does not hold exactly one operation", ONCE)
    operation = operations[0]
    if name not in (None, "", operation.name.value if operation.name else None):
        return Refusal("`operationName` names another operation than the document's", ONCE)
    hint = _hint(operation)
    if hint is not None:
        return hint
    literal = inlined(operation, fragments, variables, allowed())
    faults = validate(allowed(), literal, RULES, max_errors=1)
    if faults:
        return Refusal(_worded(faults), "Leave it out, or ask for it in another way")
    first, *rest = literal.definitions
    assert isinstance(first, OperationDefinitionNode)
    return Asked(first, {one.name.value: one for one in rest if isinstance(one, FragmentDefinitionNode)})


def _hint(operation: OperationDefinitionNode) -> Refusal | None:
    """Better words for what agents often try and may not. Whatever has no hint is refused by the schema."""
    names = [one.name.value for one in operation.selection_set.selections if isinstance(one, FieldNode)]
    found = next((HINTS[name] for name in names if name in HINTS), None)
    return None if found is None else Refusal(*found)


def _worded(faults: Sequence[GraphQLError]) -> str:
    """In GitHub's words where gh reads them: it goes on without a field whose absence is said in just these."""
    message = faults[0].message
    if found := _NO_FIELD.match(message):
        return f"Field '{found[1]}' doesn't exist on type '{found[2]}' for a session"
    if found := _NO_INPUT.search(message):
        return f"A session may not give `{found[1] or found[2]}` here"
    return f"The document does not fit what a session may ask for ({_short(message)})"


_NO_FIELD = re2.compile(r"Cannot query field '(\w{1,100})' on type '(\w{1,100})'")
_NO_INPUT = re2.compile(r"not to include unknown field '(\w{1,100})'|^Field '(\w{1,100})' is not defined by type")


def _short(message: str) -> str:
    return "".join(one if one.isprintable() else " " for one in message[:200]).rstrip(".")
