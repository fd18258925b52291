"""What a condition says when it is asserted, or when a test fails because it holds.

`assert(a === b)` and `if (a !== b) fail()` are the same statement as `assertEquals(a, b)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tree_sitter import Node

from checks.tampering.matchers import Said, is_literal
from checks.tampering.syntax import LONGEST_VALUE, Syntax

_EQUAL = {"==": False, "===": False, "!=": True, "!==": True}
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_BOTH = {"&&": False, "and": False, "||": True, "or": True}  # whether it is split where the whole is negated
_NOT = ("!", "not")
_WRAPPERS = frozenset({"parenthesized_expression", "parenthesized_statements", "expression_list"})
Sides = tuple[Node, str, Node]
Known = Callable[[Node], Said | None]  # a call that says more than true or false (`a.equals(b)`)


def asserted(syntax: Syntax, condition: Node, known: Known, *, negated: bool = False) -> Iterator[Said]:
    """One statement for each part that must hold by itself. `negated`: it must not hold."""
    rest = [(condition, negated)]
    while rest:
        node, is_negated = rest.pop()
        inside = _inside(node)
        sides = _sides(node)
        if inside is not None:
            rest.append((inside, is_negated is not (node.type not in _WRAPPERS)))
        elif sides is not None and _BOTH.get(sides[1]) is is_negated:
            rest += [(sides[2], is_negated), (sides[0], is_negated)]
        else:
            yield _said(syntax, node, sides, known, negated=is_negated)


def refined(syntax: Syntax, said: Said, about: Node, known: Known) -> Iterator[Said]:
    """Of a statement that a condition is true or false, what that means: of `expect(a === b).toBe(true)` a equals b."""
    is_boolean = said.matcher == "equal" and said.expected in ("true", "false")
    if not is_boolean and said.matcher != "truthy":
        yield said
        return
    negated = said.negated is not (said.expected == "false")
    parts = list(asserted(syntax, about, known, negated=negated))
    yield from [said] if is_boolean and parts[0].matcher == "truthy" else parts


def _said(syntax: Syntax, node: Node, sides: Sides | None, known: Known, *, negated: bool) -> Said:
    if sides is not None and sides[1] in _EQUAL:
        left, sign, right = sides
        expected = syntax.short(right, most=LONGEST_VALUE)
        return Said("equal", syntax.short(left), expected, negated=_EQUAL[sign] is not negated)
    if sides is not None and sides[1] in _OPPOSITE:
        left, sign, right = sides
        return Said("compare", syntax.short(left), syntax.short(right), sign=_OPPOSITE[sign] if negated else sign)
    if sides is not None and sides[1] in _BOTH:
        return _any_of(syntax, node, sides, negated=negated)
    more = known(node)
    if more is not None:
        return replace(more, negated=more.negated is not negated)
    return Said("truthy", syntax.short(node), negated=negated)


def _any_of(syntax: Syntax, node: Node, sides: Sides, *, negated: bool) -> Said:
    """One of several suffices; where one is a constant, nothing is asserted. It is about what the first is about."""
    constant = next(filter(is_literal, (syntax.short(sides[0]), syntax.short(sides[2]))), None)
    if constant is not None:
        return Said("any", constant)
    about = sides[0]
    while (deeper := _sides(about)) is not None and deeper[1] in (*_BOTH, *_EQUAL, *_OPPOSITE):
        about = deeper[0]
    return Said("any", syntax.short(about), syntax.short(node), negated)


def _inside(node: Node) -> Node | None:
    """What stands in brackets, or after a `!`."""
    if node.named_child_count != 1:
        return None
    is_wrapper = node.type in _WRAPPERS or node.children[0].type in _NOT
    return node.named_children[0] if is_wrapper else None


def _sides(node: Node) -> Sides | None:
    left, operator, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
    if left is None or operator is None or right is None:
        return None
    return left, operator.type, right
