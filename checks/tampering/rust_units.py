"""Tests of Rust as units: `#[test]` of every runtime, rstest, test_case, proptest and quickcheck.

Sources: https://doc.rust-lang.org/reference/attributes/testing.html, https://docs.rs/rstest, https://docs.rs/test-case,
https://docs.rs/proptest/latest/proptest/macro.proptest.html, https://doc.rust-lang.org/reference/conditional-compilation.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import re2
import tree_sitter_rust
from tree_sitter import Node

from checks.tampering.chains import Shape, chain
from checks.tampering.matchers import Said
from checks.tampering.places import is_test_path
from checks.tampering.reading import Language, Reader, names_found
from checks.tampering.rust_assertions import FAILS, asserted, closing, of_macro, split
from checks.tampering.rust_attributes import configured, mark_of
from checks.tampering.scopes import Call, Item, Kind, Mark, Message, Rows, Scope, Scopes, condition_scope
from checks.tampering.syntax import Grammar, Syntax, demanded, first_part, joined, last_part, parts
from checks.tampering.units import FileUnits, SkipScope

_GRAMMAR = Grammar(
    tree_sitter_rust.language(),
    atoms=("string_literal", "raw_string_literal", "char_literal"),
    comments=("line_comment", "block_comment"),
    wanted=(
        *("function_item", "mod_item", "attribute_item", "inner_attribute_item", "macro_invocation"),
        *("call_expression", "expression_statement", "if_expression", "match_expression", "for_expression"),
        *("let_declaration", "const_item", "static_item"),
    ),
)
_SHAPE = Shape(
    call="call_expression",
    callee="function",
    members=frozenset({"field_expression"}),
    receiver="value",
    name="field",
    unwrap=frozenset({"parenthesized_expression", "generic_function", "await_expression", "try_expression"}),
)
SIGN = re2.compile(
    rb"#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck)\b|\bcfg\(.*\btest\b|\b(?:proptest|quickcheck)!"
)
_IN_TESTS = re2.compile(
    rb"#\[\s*(?:\w+\s*::\s*)*(?:test|ignore|should_panic|rstest|case)|\b(?:assert|panic)\w*!|#!?\[cfg"
)
_DEFINES = re2.compile(r"\b(?:fn|struct|enum|trait|type|const|static|mod|union|macro_rules!)\s+(\w+)")
_TESTS = frozenset({"test", "rstest", "test_case", "quickcheck", "wasm_bindgen_test", "property_test", "gtest"})
_ROWS = frozenset({"case", "test_case"})
_FUNCTION = re2.compile(rb"\bfn\s+\w+\s*\(")
_LONGEST_PARAMETERS = 2_000  # bytes
_EXAMPLES = re2.compile(rb"\b(?:with_cases\(|cases: *)(\d{1,9})")
_WORD = re2.compile(r"\w+")
# A thread's or task's panic is known to whoever joins it; those of `thread::scope` are joined at its end.
_SPAWNS = ("thread::spawn", "tokio::spawn", "task::spawn", "spawn_blocking")
_JOINS = frozenset({"join", "await", "join_all", "try_join"})


def read_units(path: str, source: bytes) -> FileUnits:
    """See `units`. A file without a sign of tests is not parsed."""
    if not is_test_path(path) and SIGN.search(source) is None:
        return FileUnits(path, defines=_defines(source))
    found = _LANGUAGE.read(_GRAMMAR, path, _plain(source))
    return replace(found, is_test_file=found.is_test_file or bool(found.units))  # helpers are those beside the tests


def _defines(source: bytes) -> frozenset[str]:
    """Of the product; what stands after the beginning of the tests belongs to them."""
    return names_found(_DEFINES, source.partition(b"#[cfg(test)]")[0])


def _plain(source: bytes) -> bytes:
    """Of the same length, with macros that hold test functions as modules, and without their parameters.

    `proptest! { #[test] fn adds(a in 0..9) { … } }` is no Rust until the macro has made it so.
    """
    if b"proptest!" not in source and b"quickcheck!" not in source:
        return source
    plain = bytearray(
        re2.sub(rb"\bproptest!(\s*\{)", rb"mod prop_\1", re2.sub(rb"\bquickcheck!(\s*\{)", rb"mod quick__\1", source))
    )
    for found in _FUNCTION.finditer(source):
        end = _closing(source, found.end())
        if b" in " in source[found.end() : end]:
            plain[found.end() : end] = b" " * (end - found.end())
    return bytes(plain)


def _closing(source: bytes, start: int) -> int:
    """Where the bracket that was opened before `start` closes, as far as it is looked for."""
    depth = 1
    for place in range(start, min(len(source), start + _LONGEST_PARAMETERS)):
        depth += (source[place] in b"(") - (source[place] in b")")
        if not depth:
            return place
    return start


class _Reader(Reader):
    """What each wanted node means."""

    def __init__(self, syntax: Syntax, scopes: Scopes, path: str) -> None:
        super().__init__(syntax, scopes)
        self._attributes: list[Node] = []  # seen since the last item
        self._tests_end = len(syntax.source) if is_test_path(path) else 0  # of the last module for tests, in bytes

    def visit(self, kind: str, node: Node) -> Iterator[Item]:
        if node.id in self.taken:
            return
        match kind:
            case "attribute_item" | "inner_attribute_item":
                self._attribute(kind, node)
            case "function_item":
                yield from self._function(node)
            case "mod_item":
                yield self._module(node)
            case "macro_invocation":
                yield from self._macro(node)
            case "call_expression":
                yield from self._chain(node)
            case "expression_statement":
                yield from self._statement(node)
            case "if_expression" | "match_expression":
                yield from self._branches(node)
            case "for_expression":
                yield from self._loop(node)
            case _:
                yield from self._variable(node)

    def _attribute(self, kind: str, node: Node) -> None:
        """One before an item waits for it; `#![…]` is about the whole file."""
        mark = configured(self.syntax.short(node))
        if kind == "attribute_item":
            self._attributes.append(node)
        elif mark is not None:
            self.scopes.mark_file(mark)

    def _taken_attributes(self, item: Node) -> list[str]:
        """The attributes right before an item, as text without `#[` and `]`."""
        taken: list[str] = []
        end = item
        while self._attributes and not self.syntax.has_tokens(self._attributes[-1].end_byte, end.start_byte):
            end = self._attributes.pop()
            taken.append(self.syntax.text(end).removeprefix("#[").removesuffix("]"))
        self._attributes.clear()
        return taken[::-1]

    def _module(self, node: Node) -> Scope:
        attributes = self._taken_attributes(node)
        if any(text.startswith("cfg(") and "test" in _WORD.findall(text) for text in attributes):
            self._tests_end = max(self._tests_end, node.end_byte)
        title = self.syntax.short(demanded(node, "name"))
        scope = Scope(Kind.SUITE, node, "" if title in ("prop_", "quick__") else title)
        if title == "quick__":
            self._tests_end = max(self._tests_end, node.end_byte)
        scope.marks = {mark.what: mark for text in attributes if (mark := configured(text)) is not None}
        examples = _EXAMPLES.search(self.syntax.raw(node)) if title == "prop_" else None
        if examples is not None:
            scope.marks["examples"] = Mark("examples", examples[1].decode())
        return scope

    def _function(self, node: Node) -> Iterator[Item]:
        body, attributes = demanded(node, "body"), self._taken_attributes(node)
        names = [text.partition("(")[0].partition("=")[0] for text in attributes]
        is_test = any(name.rpartition("::")[2] in _TESTS for name in names)
        if not is_test and node.start_byte >= self._tests_end:
            return
        title = self.syntax.short(demanded(node, "name"))
        if self.scopes.is_open(Kind.TEST) and not self.is_used(title):
            yield Scope(Kind.GUARD, node)
        scope = Scope(Kind.TEST if is_test else Kind.HELPER, node, title, parts=(body,))
        rows = tuple(text for text, name in zip(attributes, names, strict=True) if name.rpartition("::")[2] in _ROWS)
        scope.rows = rows or None
        scope.marks = {mark.what: mark for text in attributes if (mark := mark_of(text)) is not None}
        scope.certain_until = _left_at(body)
        panics = next((text for text in attributes if text.startswith("should_panic")), None)
        if panics is not None:  # every failing assertion in it is what is wanted
            scope.certain_until = body.start_byte
        yield scope
        if panics is not None:
            said = Said("raises", self.last_statement(body), panics.partition("=")[2].removesuffix(")") or None)
            yield self.assertion(node, said)

    def _macro(self, node: Node) -> Iterator[Item]:
        name, tokens = self.syntax.short(demanded(node, "macro")), self.syntax.words(parts(node)[-1])
        yield from self._macro_of(node, name, tokens[1:-1])
        yield from (Call(call) for call in _called(tokens))

    def _macro_of(self, node: Node, name: str, arguments: Sequence[str]) -> Iterator[Item]:
        """What it asserts, or if it is no assertion, those that stand in its arguments."""
        said = list(of_macro(name, arguments))
        for inner, own in [] if said else _inner_macros(arguments):
            said += of_macro(inner, own)
        for one in said:
            yield self.assertion(node, one)

    def _chain(self, node: Node) -> Iterator[Item]:
        read = chain(self.syntax, _SHAPE, node)
        self.taken.update(inner.id for inner in read.inner)
        yield from self.chain(node, read, ())
        if read.name.endswith("catch_unwind"):
            yield Scope(Kind.GUARD, node)
        elif read.name.endswith(_SPAWNS):
            yield from self.started(node, _JOINS)

    def _statement(self, node: Node) -> Iterator[Item]:
        """`load().unwrap();` says that there is no error, and `return` ends it."""
        inside = first_part(node)
        is_tried = inside is not None and inside.type == "try_expression"
        call = first_part(inside) if is_tried and inside is not None else inside
        if call is None or call.type != "call_expression":
            return
        read = chain(self.syntax, _SHAPE, call)
        last = read.links[-1].name if len(read.links) > 1 else ""
        if is_tried or last in ("unwrap", "expect", "unwrap_err", "expect_err"):
            target = call if is_tried else read.links[-2].node
            said = Said("raises", self.syntax.short(target), negated=not last.endswith("_err"))
            yield self.assertion(call, said)

    def _branches(self, node: Node) -> Iterator[Item]:
        """`if wrong { panic!() }` asserts. Where another branch fails, the one with assertions must run."""
        condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        failing = _failing(self.syntax, then) if then is not None else None
        if condition is not None and failing is not None and self.scopes.is_open(Kind.TEST):
            self.taken.add(failing.id)
            yield Message(failing)
            for said in asserted(self.syntax.words(condition), negated=True):
                yield self.assertion(condition, said)
        other = node.child_by_field_name("alternative")
        judged = node if then is None else other  # of a `match` all arms
        words = self.syntax.words(judged) if judged is not None else ()
        if not any(word in FAILS or (then is not None and word.startswith("assert")) for word in words):
            when = SkipScope.CONDITION if condition is None else condition_scope(self.syntax.short(condition))
            yield Scope(Kind.GUARD, node, when=when)

    def _loop(self, node: Node) -> Iterator[Item]:
        over = node.child_by_field_name("value")
        rows = None if over is None else self._rows(over)
        if rows is not None:
            yield Rows(rows)

    def _variable(self, node: Node) -> Iterator[Item]:
        name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is not None and value is not None:
            self.bind(self.syntax.short(name), value, self._rows(value))
            if value.type == "closure_expression":
                yield from self.unless_used(self.syntax.short(name), value)

    def _rows(self, value: Node) -> tuple[str, ...] | None:
        while value.type in ("reference_expression", "macro_invocation"):
            value = parts(value)[-1]
        if value.type == "array_expression":
            return tuple(map(self.syntax.short, parts(value)))
        if value.type == "token_tree":
            return tuple(joined(part) for part in split(self.syntax.words(value)[1:-1], ",") if part)
        return self.lists.get(self.syntax.short(value))


def _left_at(body: Node) -> int | None:
    """From which byte on a function may have been left by a `return`."""
    for statement in parts(body):
        inside = first_part(statement) if statement.type == "expression_statement" else None
        then = inside.child_by_field_name("consequence") if inside is not None else None
        ends = parts(then) if then is not None else [statement]
        if any(_is_return(end) for end in ends):
            return statement.end_byte
    return None


def _is_return(statement: Node) -> bool:
    inside = first_part(statement) if statement.type == "expression_statement" else statement
    return inside is not None and inside.type == "return_expression"


def _failing(syntax: Syntax, block: Node) -> Node | None:
    """The last statement of a block, where that is a macro that always fails."""
    last = last_part(block)
    macro = first_part(last) if last is not None and last.type == "expression_statement" else last
    if macro is None or macro.type != "macro_invocation":
        return None
    return macro if syntax.words(macro)[0] in FAILS else None


def _called(tokens: Sequence[str]) -> Iterator[str]:
    """Names before a bracket, of calls in a macro's arguments."""
    for before, word in pairwise(tokens):
        if word == "(" and (before[0].isalpha() or before[0] == "_"):
            yield before


def _inner_macros(tokens: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Macros in the arguments of another one, each with its own arguments, without those inside them."""
    past = 0
    for place, word in enumerate(tokens):
        if word == "!" and place >= max(past, 1) and place + 1 < len(tokens) and tokens[place + 1] in ("(", "[", "{"):
            past = closing(tokens, place + 1)
            yield tokens[place - 1], tokens[place + 2 : past]


_LANGUAGE = Language("::", lambda syntax, scopes, path: _Reader(syntax, scopes, path).visit, _IN_TESTS, _defines)
