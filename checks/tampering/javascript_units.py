"""Tests of JavaScript and TypeScript as units, from their syntax trees.

One reader for jest, vitest, mocha, jasmine, node:test, ava, tap, playwright, cypress, bun, deno and QUnit: their words
for tests and suites do not contradict each other. `javascript_words` knows the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import re2
import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Node

from checks.tampering.branches import BranchReader, Handler, ended_by_return, left_at
from checks.tampering.chains import Chain, chain
from checks.tampering.javascript_assertions import SHAPE, is_caught, known, read_assertions
from checks.tampering.javascript_imports import imported
from checks.tampering.javascript_matchers import FAIL
from checks.tampering.javascript_words import FUNCTIONS, Names, alias_of, declared, property_bound, written_rows
from checks.tampering.matchers import Said
from checks.tampering.places import extension, is_test_path
from checks.tampering.reading import Language, names_found
from checks.tampering.scopes import Item, Kind, Mock, Scope, Scopes, guard
from checks.tampering.syntax import Grammar, Syntax, demanded, first_part, parts
from checks.tampering.units import Assertion, FileUnits

_WANTED = (
    *("call_expression", "member_expression", "function_declaration", "method_definition", "variable_declarator"),
    *("if_statement", "try_statement", "switch_statement", "ternary_expression", "binary_expression"),
    "for_in_statement",
)
_ATOMS = ("string", "template_string", "regex")


def _grammar(pointer: object) -> Grammar:
    return Grammar(pointer, atoms=_ATOMS, comments=("comment",), wanted=_WANTED)


_JAVASCRIPT = _grammar(tree_sitter_javascript.language())
_TYPESCRIPT = _grammar(tree_sitter_typescript.language_typescript())
_GRAMMARS = {
    "ts": _TYPESCRIPT,
    "mts": _TYPESCRIPT,
    "cts": _TYPESCRIPT,
    "tsx": _grammar(tree_sitter_typescript.language_tsx()),
}
SIGN = re2.compile(rb"(?:^|[^.\w$])(?:describe|[fx]?it|[fx]?test|suite|context|specify|Deno\.test)(?:\.\w+)*\s*[(`]")
_IN_TESTS = re2.compile(rb"\b(?:describe|it|test|suite|context|specify|expect|assert|should|skip|only)\b")
_DEFINES = re2.compile(
    r"\b(?:function\s*\*?\s*|(?:class|const|let|var)\s+|exports\s*\.\s*)([A-Za-z_$][\w$]*)"
    r"|(?m:^\s*(?:(?:public|private|protected|static|async|get|set)\s+)*([A-Za-z_$][\w$]*)\s*\([^()]*\)[^;{}()]*\{)"
)
_KEYWORDS = frozenset({"if", "for", "while", "switch", "catch", "function", "return", "with"})
# The names that runners collect by themselves: https://jestjs.io/docs/configuration#testmatch-arraystring,
# https://vitest.dev/config/include, https://nodejs.org/api/test.html#running-tests-from-the-command-line,
# https://mochajs.org/running/cli/ (./test), https://docs.cypress.io/app/references/configuration (*.cy.*, integration)
_COLLECTED = re2.compile(
    r"(?i)(?:.*/)?(?:(?:__tests__|tests?|specs?|e2e|integration)/.*|(?:[^/]*[._-])?(?:test|spec|tests|cy|e2e)\.\w+"
    r"|tests?[._-][^/]*)"
)
_PROMISES = frozenset({"resolves", "rejects", "eventually"})
# https://playwright.dev/docs/test-assertions: those that try again are to be awaited, the others are jest's.
_WEB = re2.compile(
    r"expect(?:\.soft)?(?:\.not)?\.to(?:Be(?:Attached|Checked|Disabled|Editable|Empty|Enabled|Focused|Hidden|InViewport|"
    r"Visible|OK)|Contain(?:Text|Class)|Have(?:Accessible\w+|Attribute|Class|Count|CSS|Id|JSProperty|Role|Screenshot|"
    r"Text|Values?|Title|URL)|MatchAriaSnapshot|Pass)"
)
# What stands before something that is waited for, handed over or kept.
_WAITING = frozenset({"await", "return", "yield", "=>", "(", "[", ",", "=", ":", "?", "&&", "||", "??"})
_AFTER = frozenset({"then", "finally"})
# Whose chains are commands that the runner itself queues and waits for.
_QUEUED = frozenset({"cy", "browser", "element", "I", "client", "api"})
_TIMERS = frozenset({"setTimeout", "setImmediate", "setInterval", "process.nextTick", "queueMicrotask", "nextTick"})
# A test with one of these waits, or moves the clock itself.
_TIMED = frozenset(
    {"await", "done", "resolve", "useFakeTimers", "runAllTimers", "advanceTimersByTime", "tick", "clock"}
)
_MOCKS = frozenset({"jest.mock", "jest.doMock", "vi.mock", "vi.doMock", "mock.module", "proxyquire", "mock"})
_SPIES = frozenset({"jest.spyOn", "vi.spyOn", "sinon.stub", "sinon.replace", "mock.method", "t.mock.method", "spyOn"})


def read_units(path: str, source: bytes) -> FileUnits:
    """See `units`. Product code without a sign of tests is not parsed."""
    if not is_test_path(path) and SIGN.search(source) is None:
        return FileUnits(path, defines=_defines(source))
    return _LANGUAGE.read(_GRAMMARS.get(extension(path), _JAVASCRIPT), path, source)


def _defines(source: bytes) -> frozenset[str]:
    return names_found(_DEFINES, source, but=_KEYWORDS)


class _Reader(BranchReader):
    """What each wanted node means."""

    asserting = frozenset({"expect", "assert", "should"})
    failing = frozenset({"throw", "done", "fail", "reject", "next", "resolve"})

    def __init__(self, syntax: Syntax, scopes: Scopes, path: str) -> None:
        super().__init__(syntax, scopes)
        self._is_collected = _COLLECTED.fullmatch(path) is not None
        self._is_playwright = b"@playwright/test" in syntax.source
        self._names = Names(self.lists)
        self._imported = imported(syntax.source)
        self._quiet = frozenset(self._find_quiet() if b"catch" in syntax.source else ())

    def visit(self, kind: str, node: Node) -> Iterator[Item]:
        if node.id in self.taken:
            return
        match kind:
            case "call_expression" | "member_expression":
                yield from self._chain(node)
            case "function_declaration" | "method_definition":
                yield from self._function(node, node)
            case "variable_declarator":
                yield from self._variable(node)
            case "if_statement":
                yield from self.if_statement(node)
            case "try_statement":
                handler = node.child_by_field_name("handler")
                ends = [handler, ended_by_return(node.child_by_field_name("finalizer"))]
                handlers = [Handler(one, "", is_general=True) for one in ends if one is not None]
                yield from self.try_statement(demanded(node, "body"), handlers)
            case "for_in_statement":
                yield from self._loop(node, demanded(node, "right"))
            case "binary_expression":
                yield from self._either(node)
            case _:
                yield Scope(Kind.GUARD, node)

    def _chain(self, node: Node) -> Iterator[Item]:
        read = chain(self.syntax, SHAPE, node)
        self.taken.update(inner.id for inner in read.inner)
        if node.type == "call_expression":
            opened = list(declared(self.syntax, read, node, self._names, is_collected=self._is_collected))
            if opened:
                yield from opened
                return
            if read.name == "fc.assert":
                yield from property_bound(self.syntax, read)
            yield from self._replaced(read)
            yield from self._rows(read, node)
            yield from self._caught(read)
            yield from self._forgotten(read, node)
            yield from self._swallowed(read)
        swallowed = is_caught(read) or self._is_lost(node, read)
        yield from self.chain(node, read, read_assertions(self.syntax, read), swallowed=swallowed)

    def _is_lost(self, node: Node, read: Chain) -> bool:
        """Whether nobody waits for what it promises, so that the test is over before it fails."""
        names = {link.name for link in read.links}
        is_promised = not names.isdisjoint(_PROMISES) or (self._is_playwright and _WEB.fullmatch(read.name) is not None)
        return is_promised and not self._is_awaited(node)

    def assertion(self, node: Node, said: Said, *, swallowed: bool = False) -> Assertion:
        """What mocha keeps in `this` is a variable like another."""
        return super().assertion(node, replace(said, target=said.target.removeprefix("this.")), swallowed=swallowed)

    def _replaced(self, read: Chain) -> Iterator[Mock]:
        """What a mock stands for: a module's path, or `object.method`."""
        for name, link in read.calls:
            texts = [self.syntax.short(argument).strip('"') for argument in link.arguments or ()]
            if name in _MOCKS and texts:
                yield Mock(texts[0])
                factory = (link.arguments or ())[1:]
                yield from self._made(texts[0], factory) if factory else map(Mock, self._imported[texts[0]].values())
            elif name in _SPIES and len(texts) > 1:
                yield Mock(f"{texts[0]}.{texts[1]}")

    def _made(self, path: str, factory: Sequence[Node]) -> Iterator[Mock]:
        """What a module's replacement defines: `jest.mock("./cart", () => ({ total: () => 3 }))`."""
        stem, own = path.rpartition("/")[2].partition(".")[0], self._imported[path]
        for function in factory:
            made = demanded(function, "body")
            made = (first_part(made) if made.type == "parenthesized_expression" else made) or made
            for pair in parts(made) if made.type == "object" else ():
                key = self.syntax.short(pair.child_by_field_name("key") or demanded(pair, "name"))
                yield Mock(f"{stem}.{own.get(key, key)}")

    def _rows(self, read: Chain, node: Node) -> Iterator[Scope]:
        """Tests in `list.forEach(…)` run once for every element."""
        if read.links[-1].name in ("forEach", "map") and len(read.links) == (1 if read.start else 2):
            yield from self._loop(node, read.start or read.links[0].node)

    def _caught(self, read: Chain) -> Iterator[Scope]:
        """What is handed to `promise.catch` runs only if something was thrown."""
        handlers = [link.arguments for link in read.links if link.name == "catch" and link.arguments]
        yield from (Scope(Kind.GUARD, argument) for arguments in handlers for argument in arguments)

    def _forgotten(self, read: Chain, node: Node) -> Iterator[Scope]:
        """Functions that run when nobody waits for them any more: behind a promise or a timer, or as one's own task."""
        last = read.links[-1]
        functions = [argument for argument in last.arguments or () if argument.type in FUNCTIONS]
        is_later = read.name in _TIMERS and not self.has_word(_TIMED)
        is_lost = last.name in _AFTER and read.links[0].name not in _QUEUED and not self._is_awaited(node)
        for function in functions if is_later or is_lost else ():
            if self.failing.isdisjoint(self.syntax.words(function)):
                yield Scope(Kind.GUARD, function)
        called = read.start if last.name == "" else None
        if called is not None and self.syntax.words(called)[0] == "async" and not self._is_awaited(node):
            yield Scope(Kind.GUARD, called)

    def _swallowed(self, read: Chain) -> Iterator[Scope]:
        """Functions that are handed to one of the file's own which catches what they throw."""
        for argument in read.links[-1].arguments or () if read.name in self._quiet else ():
            if argument.type in FUNCTIONS:
                yield Scope(Kind.GUARD, argument)

    def _find_quiet(self) -> Iterator[str]:
        """The names of functions of the file that catch and do not hand on."""
        for kind, node in filter(None, self.syntax.steps):
            value = node.child_by_field_name("value") if kind == "variable_declarator" else node
            is_function = kind == "function_declaration" or (value is not None and value.type in FUNCTIONS)
            if is_function and "catch" in (words := self.syntax.words(node)) and self.failing.isdisjoint(words):
                yield self.syntax.short(demanded(node, "name"))

    def _is_awaited(self, node: Node) -> bool:
        return self.syntax.before(node) in _WAITING

    def _loop(self, node: Node, over: Node) -> Iterator[Scope]:
        """Inside a test, a loop over nothing checks nothing."""
        rows = written_rows(self.syntax, over, self.lists)
        if not self.scopes.is_open(Kind.TEST):
            yield Scope(Kind.SUITE, node, rows=rows)
        elif rows == ():
            yield Scope(Kind.GUARD, node)

    def _function(self, node: Node, function: Node) -> Iterator[Scope]:
        name, body = self.syntax.short(demanded(node, "name")), demanded(function, "body")
        is_method = node.type == "method_definition"  # whoever has the object may call it
        if self.scopes.is_open(Kind.TEST) and not is_method and not self.is_used(name):
            yield Scope(Kind.GUARD, node)
        yield Scope(Kind.HELPER, node, name, parts=(body,), certain_until=left_at(body))

    def _variable(self, node: Node) -> Iterator[Scope]:
        value = node.child_by_field_name("value")
        if value is not None and value.type in FUNCTIONS:
            yield from self._function(node, value)
        elif value is not None:
            name = self.syntax.short(demanded(node, "name"))
            self.bind(name, value, written_rows(self.syntax, value, self.lists))
            alias = alias_of(self.syntax, value, self._names.aliases)
            if alias is not None:
                self._names.aliases[name] = alias

    def _either(self, node: Node) -> Iterator[Scope]:
        """`ready && it(…)`, `busy || it(…)`"""
        operator, left = demanded(node, "operator").type, self.syntax.brief(demanded(node, "left"))
        if operator in ("&&", "||", "??"):
            yield guard(node, left if operator == "&&" else f"!({left})")

    def is_failure(self, call: Node) -> bool:
        read = chain(self.syntax, SHAPE, call)
        return call.type == "call_expression" and read.start is None and read.name in FAIL

    def known(self, condition: Node) -> Said | None:
        return known(self.syntax, condition)


_LANGUAGE = Language(" > ", lambda syntax, scopes, path: _Reader(syntax, scopes, path).visit, _IN_TESTS, _defines)
