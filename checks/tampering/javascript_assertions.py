"""Which assertions a chained call of JavaScript or TypeScript makes, whatever the framework."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import re2
from tree_sitter import Node

from checks.tampering.chains import Chain, Link, Shape, chain
from checks.tampering.conditions import refined
from checks.tampering.javascript_matchers import ASSERT, CHAI, EXPECT, FAIL, PLANS, WORDS
from checks.tampering.matchers import Form, Said
from checks.tampering.statements import Vocabulary, form_of, of_function, of_matcher
from checks.tampering.syntax import Syntax

SHAPE = Shape(
    call="call_expression",
    callee="function",
    members=frozenset({"member_expression"}),
    receiver="object",
    name="property",
    unwrap=frozenset({"parenthesized_expression", "non_null_expression", "as_expression"}),
)
_OPENERS = frozenset({"expect", "should", "soft", "poll", "expectTypeOf"})
# Who offers the functions of ASSERT: node:assert, chai, should, sinon, and the context of ava, tap and node:test.
_RECEIVERS = frozenset({"assert", "t", "tap", "chai", "should", "sinon", "QUnit"})
_CUSTOM = re2.compile(r"(?:assert|expect|verify|should)[A-Z_]\w*")
_VOCABULARY = Vocabulary({**CHAI, **EXPECT}, WORDS | {"not", "then", "catch", "finally"})
_WILDCARDS = {
    "expect.anything": "truthy",
    "expect.any": "type",
    "expect.objectContaining": "contains",
    "expect.arrayContaining": "contains",
    "expect.stringContaining": "contains",
    "expect.stringMatching": "matches",
}
_SAME = frozenset({"Object.is", "isEqual", "_.isEqual", "isDeepStrictEqual", "util.isDeepStrictEqual"})
_HOLDS = {
    "includes": "contains",
    "startsWith": "contains",
    "endsWith": "contains",
    "match": "matches",
    "has": "contains",
}


def read_assertions(syntax: Syntax, read: Chain) -> Iterator[Said]:
    """What the chain asserts; nothing for a plain call."""
    arguments = read.links[-1].arguments if read.links else None
    if read.start is None and arguments is not None and read.name in FAIL:
        yield Said("custom:fail", "")
    elif read.start is None and arguments is not None and read.name in PLANS:
        yield Said("custom:plan", "", syntax.short(*arguments) or None)
    elif arguments is not None or any(link.name in _OPENERS for link in read.links):
        statement = _Statement(syntax)
        for number, link in enumerate(read.links):
            yield from statement.take(read, number, link)
        if statement.is_open:
            yield Said("constant", statement.target)
        elif not statement.is_made and arguments is not None:
            yield from _function(syntax, read, arguments)


def is_caught(read: Chain) -> bool:
    """Whether its failure goes no further: `expect(…).resolves.toBe(1).catch(() => {})`."""
    return any(link.name == "catch" for link in read.links)


@dataclass(slots=True)
class _Statement:
    """`expect(x)`, `x.should` or `cy.get(x).should(…)` and the words after it, taken one by one."""

    syntax: Syntax
    target: str = ""
    about: Node | None = None
    negated: bool = False
    is_open: bool = False  # begun, and nothing said yet
    is_made: bool = False

    def take(self, read: Chain, number: int, link: Link) -> Iterator[Said]:
        before = read.links[number - 1] if number else None
        if self.about is not None and link.name in ("should", "and") and link.arguments and before:
            yield from self._sentence(link.arguments)
        elif self.about is not None:
            yield from self._word(link, is_last=number == len(read.links) - 1)
        elif link.arguments and link.name in _OPENERS and _is_first(read, number):
            self._open(link.arguments[0])
        elif link.name == "should" and before is not None:
            self._open(before.node)
            yield from self._sentence(link.arguments or ())
        elif link.name == "expect" and link.arguments and before is not None:
            self.target = self.target or self.syntax.short(before.node)
            self.is_made = True
            yield Said("equal", self.target, self.syntax.short(*link.arguments))

    def _open(self, about: Node) -> None:
        self.about, self.target, self.is_open = about, self.syntax.short(about), True

    def _sentence(self, arguments: Sequence[Node]) -> Iterator[Said]:
        """Cypress: the words are in the first argument. https://docs.cypress.io/api/commands/should"""
        if not arguments:
            return
        self.is_open, self.is_made = False, True
        words = self.syntax.short(arguments[0]).strip("\"'`").split(".")
        form = CHAI.get(words[-1], Form(f"custom:{words[-1]}", None, 0))
        if arguments[0].type == "string":
            yield from self._say(form, arguments[1:], negated="not" in words)

    def _word(self, link: Link, *, is_last: bool) -> Iterator[Said]:
        if link.name == "not":
            self.negated = not self.negated
        elif link.name == "rejects":
            self.target = f"{self.target} rejects"
        elif (form := form_of(_VOCABULARY, link, is_last=is_last)) is not None:
            yield from self._say(form, link.arguments or (), negated=self.negated)

    def _say(self, form: Form, arguments: Sequence[Node], *, negated: bool) -> Iterator[Said]:
        self.is_open, self.is_made = False, True
        said = _said(self.syntax, form, self.target, arguments, negated=negated)
        assert self.about is not None
        yield from refined(self.syntax, said, self.about, lambda node: known(self.syntax, node))


def _is_first(read: Chain, number: int) -> bool:
    """`expect(x)`, `expect.soft(x)`, `chai.expect(x)`; not `request(app).expect(200)`."""
    return read.start is None and (number == 0 or (number == 1 and read.links[0].arguments is None))


def _said(syntax: Syntax, form: Form, target: str, own: Sequence[Node], *, negated: bool) -> Said:
    """As `of_matcher`. What stands for any value says no more than it lets through."""
    said = of_matcher(syntax, form, target, own, negated=negated)
    wildcard = (said.expected or "").partition("(")[0] if said.matcher == "equal" else ""
    return replace(said, matcher=_WILDCARDS.get(wildcard, said.matcher))


def known(syntax: Syntax, node: Node) -> Said | None:
    """A condition that is a call or an operator with a meaning of its own."""
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and right is not None and operator is not None:
        word = {"instanceof": "type", "in": "contains"}.get(operator.type)
        return None if word is None else Said(word, syntax.short(left), syntax.short(right))
    read = chain(syntax, SHAPE, node)
    arguments = read.links[-1].arguments if read.links else None
    if not arguments:
        return None
    if read.name in _SAME and len(arguments) > 1:
        return Said("equal", syntax.short(arguments[0]), syntax.short(arguments[1]))
    if len(read.links) > 1 and read.links[-1].name in _HOLDS:
        return Said(_HOLDS[read.links[-1].name], syntax.short(read.links[-2].node), syntax.short(*arguments))
    return None


def _function(syntax: Syntax, read: Chain, arguments: Sequence[Node]) -> Iterator[Said]:
    """`assert.equal(x, 1)`, `t.is(x, 1)`, `assertEquals(x, 1)`, `expectTotal(cart, 1)`."""
    name, first = read.links[-1].name, read.links[0].name
    is_offered = first in _RECEIVERS if len(read.links) > 1 else name.startswith("assert")
    form = ASSERT.get(name) if is_offered and read.start is None else None
    if form is None and (_CUSTOM.fullmatch(name) or (first == "assert" and len(read.links) > 1)):
        form = Form(f"custom:{name}", expected=1)
    if form is not None:
        yield from of_function(syntax, form, arguments, lambda node: known(syntax, node))
