"""Looks at single nodes of a syntax tree with what stands around them: what can keep tests from judging a change.

The words of kinds, and what they weigh, are those of `python_patterns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import re2
from tree_sitter import Node

from checks.tampering.alteration import Weight
from checks.tampering.chains import Chain, Shape, chain
from checks.tampering.matchers import is_literal
from checks.tampering.places import is_test_path
from checks.tampering.python.detection import is_tool
from checks.tampering.python.sighting import Sighting
from checks.tampering.syntax import Grammar, Syntax, parse, parts

_SET_UP = re2.compile(r"(?i)set[-_]?up|hook|global|environment|reporter|bootstrap|helper|support")
_RETURNING = frozenset(
    {
        *("return_statement", "return_expression", "return", "expression_statement", "arrow_expression_clause"),
        *("statement_list", "expression_list", "argument_list"),
    }
)
# Settings of the program itself, and code that others wrote or tools made.
_ASIDE = re2.compile(r"^config/|(?:^|/)(?:dist|vendor|vendored|third_party|node_modules|out|generated)/|\.min\.")
_TOOL_ENDS = (".config.js", ".config.ts", ".config.mjs", ".config.cjs", ".config.mts", "Rakefile", "build.rs")


@dataclass(slots=True)
class View:
    """One side of a file. `around` are the wanted nodes that the present one lies in, outermost first."""

    syntax: Syntax
    shape: Shape
    path: str
    is_test_file: bool
    holds_tests: bool  # by its content
    around: list[tuple[str, Node]] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)  # nodes that another one has spoken for

    def text(self, *nodes: Node) -> str:
        return self.syntax.short(*nodes)

    def field(self, node: Node, name: str) -> str:
        """The text of a child; "" where there is none."""
        child = node.child_by_field_name(name)
        return "" if child is None else self.syntax.short(child)

    def read(self, node: Node) -> Chain:
        return chain(self.syntax, self.shape, node)

    def words(self, node: Node) -> frozenset[str]:
        return frozenset(self.syntax.words(node))

    def inside(self, *kinds: str) -> Node | None:
        """The innermost node of such a kind around the present one."""
        return next((node for kind, node in reversed(self.around) if kind in kinds), None)

    def sighting(self, kind: str, node: Node, reason: str, weight: Weight, text: str = "") -> Sighting:
        return Sighting(kind, text or self.text(node), node.start_point.row + 1, reason, weight)

    def exit(self, node: Node, *, is_success: bool, at_load: bool) -> Iterator[Sighting]:
        """An end of the process as a success: in the middle of a test run, or as soon as the product is loaded."""
        if is_success and self.is_test_file:
            weight = Weight.FAILED if self.holds_tests or _SET_UP.search(self.path) else Weight.PERSON
            reason = "Code of the tests ends the process, and may do so before failures are told."
            yield self.sighting("early-exit", node, reason, weight)
        elif is_success and at_load:
            reason = "Loading this file ends the process, and a run of tests with it."
            yield self.sighting("early-exit", node, reason, Weight.FAILED)

    def detection(self, node: Node, what: str, weight: Weight) -> Iterator[Sighting]:
        """Product code that behaves otherwise when it is tested. Tests and the project's tools may ask."""
        if not self.is_test_file:
            is_aside = is_tool(self.path) or _ASIDE.search(self.path) or self.path.endswith(_TOOL_ENDS)
            weight = Weight.RISK if is_aside else weight
            reason = f"Product code asks {what}, so that it can behave otherwise than when it is used."
            yield self.sighting("test-run-detected", node, reason, weight)

    def always_equal(self, node: Node, name: str) -> Sighting:
        weight = Weight.PERSON if self.is_test_file else Weight.FAILED
        return self.sighting("always-equal", node, f"`{name}` gives the same answer whatever it is asked.", weight)

    def constant(self, function: Node) -> str:
        """The literal that a function gives, whatever it is given; "" if it does anything else."""
        body = function.child_by_field_name("body")
        inside = [] if body is None else parts(body)
        result = body if not inside else inside[0] if len(inside) == 1 else None
        while result is not None and result.type in _RETURNING and len(parts(result)) == 1:
            result = parts(result)[0]
        text = "" if result is None else self.text(result)
        return text if is_literal(text) else ""


@dataclass(frozen=True, slots=True)
class Looks:
    """How one language is looked at. `sign` is a pattern of what any finding needs, so that few files are parsed."""

    grammar: Callable[[str], Grammar]
    shape: Shape
    sign: Any
    look: Callable[[View, str, Node], Iterator[Sighting]]

    def sightings(self, path: str, source: bytes, *, holds_tests: bool) -> Iterator[Sighting] | None:
        """None for a source that cannot be parsed within the bounds."""
        syntax = parse(self.grammar(path), source)
        return None if syntax is None else self._all(View(syntax, self.shape, path, is_test_path(path), holds_tests))

    def _all(self, view: View) -> Iterator[Sighting]:
        for step in view.syntax.steps:
            if step is None:
                view.around.pop()
            else:
                yield from self.look(view, *step)
                view.around.append(step)
