"""Tests of C# as units: xUnit, NUnit, MSTest.

Sources: https://xunit.net/docs/getting-started/v3/whats-new, https://docs.nunit.org/articles/nunit/writing-tests/attributes.html,
https://learn.microsoft.com/dotnet/core/testing/unit-testing-mstest-writing-tests-attributes,
https://github.com/AArnott/Xunit.SkippableFact
"""

from __future__ import annotations

from collections.abc import Iterator

import re2
import tree_sitter_c_sharp
from tree_sitter import Node

from checks.tampering.branches import BranchReader, Handler, left_at
from checks.tampering.chains import chain
from checks.tampering.csharp_assertions import SHAPE, is_failure, is_optional, known, read_assertions, words_of
from checks.tampering.matchers import Said
from checks.tampering.places import is_test_path
from checks.tampering.reading import Language, names_found
from checks.tampering.scopes import Item, Kind, Mark, Mock, Scope, condition_scope
from checks.tampering.syntax import Grammar, demanded, parts
from checks.tampering.units import FileUnits, SkipScope

_GRAMMAR = Grammar(
    tree_sitter_c_sharp.language(),
    atoms=(
        *("string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"),
        "character_literal",
    ),
    comments=("comment",),
    wanted=(
        *("class_declaration", "record_declaration", "struct_declaration", "method_declaration"),
        *("invocation_expression", "if_statement", "try_statement", "switch_statement", "switch_expression"),
        *("conditional_expression", "variable_declarator", "preproc_if", "preproc_else", "preproc_elif"),
        "local_function_statement",
    ),
)
SIGN = re2.compile(
    rb"\[(?:\w+\.)*(?:\w*Fact|\w*Theory|Test|TestCase|\w*TestMethod)\b|\bXunit\b|\bNUnit\b|UnitTesting\b"
)
_IN_TESTS = re2.compile(rb"\[(?:\w*Fact|\w*Theory|Test|Ignore|Explicit|\w*TestMethod)|\bAssert\b|\bShould|#if")
_DEFINES = re2.compile(
    r"\b(?:class|interface|enum|record|struct|delegate\s+\w+)\s+(\w+)"
    r"|(?m:^\s*(?:(?:public|protected|private|internal|static|virtual|override|abstract|async|sealed|readonly|const)\s+)+"
    r"[\w.<>\[\]?, ]+?\s(\w+)\s*[({=;<])"
)
_TESTS = frozenset({"Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod", "STATestMethod", "Property"})
_ROWS = frozenset({"InlineData", "TestCase", "DataRow"})
_SKIPS = frozenset({"Ignore", "Explicit"})
_HOOKS = frozenset({"SetUp", "OneTimeSetUp", "TestInitialize", "ClassInitialize"})
_ENDS = frozenset({"Assert.Ignore", "Assert.Inconclusive", "Assert.Skip", "Assert.Pass"})
_ENDS_IF = {
    **dict.fromkeys(("Skip.If", "Assert.SkipWhen"), False),
    **dict.fromkeys(("Skip.IfNot", "Assert.SkipUnless", "Assume.That"), True),
}
# https://learn.microsoft.com/dotnet/standard/parallel-programming/exception-handling-task-parallel-library
_STARTS = frozenset({"Task.Run", "Task.Factory.StartNew"})
_WAITS = frozenset({"await", "Wait", "WaitAll", "WhenAll", "Result", "GetResult"})
_GENERAL = frozenset({"Exception", "SystemException", "XunitException", "AssertionException", "AssertFailedException"})


def read_units(path: str, source: bytes) -> FileUnits:
    """See `units`. Product code that names no framework is not parsed."""
    if not is_test_path(path) and SIGN.search(source) is None:
        return FileUnits(path, defines=_defines(source))
    return _LANGUAGE.read(_GRAMMAR, path, source)


def _defines(source: bytes) -> frozenset[str]:
    return names_found(_DEFINES, source)


class _Reader(BranchReader):
    """What each wanted node means."""

    asserting = frozenset({"Assert", "Should"})
    failing = frozenset({"throw", "Fail"})

    def visit(self, kind: str, node: Node) -> Iterator[Item]:
        if node.id in self.taken:
            return
        match kind:
            case "method_declaration":
                yield from self._method(node)
            case "invocation_expression":
                yield from self._chain(node)
            case "if_statement":
                yield from self.if_statement(node)
            case "try_statement":
                clauses = [child for child in node.named_children if child.type == "catch_clause"]
                yield from self.try_statement(demanded(node, "body"), list(map(self._handler, clauses)))
            case "variable_declarator":
                yield from self._variable(node)
            case "preproc_if" | "preproc_else" | "preproc_elif":
                yield self._conditional(node)
            case "class_declaration" | "record_declaration" | "struct_declaration":
                yield self._class(node)
            case _:
                yield from self._uncertain(kind, node)

    def is_failure(self, call: Node) -> bool:
        return call.type == "invocation_expression" and is_failure(chain(self.syntax, SHAPE, call))

    def known(self, condition: Node) -> Said | None:
        return known(self.syntax, condition)

    def _uncertain(self, kind: str, node: Node) -> Iterator[Scope]:
        """Branches of an expression or `switch`, and a local function that nobody calls."""
        if kind != "local_function_statement" or not self.is_used(self.syntax.short(demanded(node, "name"))):
            yield Scope(Kind.GUARD, node)

    def _class(self, node: Node) -> Scope:
        scope = Scope(Kind.SUITE, node, self.syntax.short(demanded(node, "name")))
        scope.marks = {mark.what: mark for one in self._attributes(node) for mark in self._marks(*one)}
        return scope

    def _conditional(self, node: Node) -> Scope:
        """What is compiled only with some symbol. Inside a test it guards what stands there."""
        if self.scopes.block() is not None:
            return Scope(Kind.GUARD, node)
        condition = node.child_by_field_name("condition")
        text = "#else" if condition is None else f"#if {self.syntax.short(condition)}"
        never = text == "#if false" and node.child_by_field_name("alternative") is None
        mark = Mark("skipped", text, SkipScope.ALWAYS if never else SkipScope.CONDITION)
        return Scope(Kind.SUITE, node, marks={mark.what: mark})

    def _method(self, node: Node) -> Iterator[Item]:
        body = node.child_by_field_name("body")
        if body is None:
            return
        attributes = self._attributes(node)
        is_test = any(_is_test(title) for title, _ in attributes)
        title = self.syntax.short(demanded(node, "name"))
        scope = Scope(Kind.TEST if is_test else Kind.HELPER, node, title, parts=(body,), certain_until=left_at(body))
        modifiers = {self.syntax.short(child) for child in node.named_children if child.type == "modifier"}
        scope.collected = "public" in modifiers
        scope.rows = tuple(self.syntax.short(one) for title, one in attributes if title in _ROWS) or None
        scope.marks = {mark.what: mark for one in attributes for mark in self._marks(*one)}
        scope.is_hook = any(title in _HOOKS for title, _ in attributes)
        yield scope
        expected = next((self.syntax.short(one) for title, one in attributes if title == "ExpectedException"), None)
        if expected is not None:
            yield self.assertion(
                node, Said("raises", self.last_statement(body), expected.partition("typeof(")[2].partition(")")[0])
            )

    def _attributes(self, node: Node) -> list[tuple[str, Node]]:
        """Each with its plain name."""
        lists = [child for child in node.named_children if child.type == "attribute_list"]
        found = [one for part in lists for one in part.named_children if one.type == "attribute"]
        return [(_plain(self.syntax.short(demanded(one, "name"))), one) for one in found]

    def _marks(self, name: str, attribute: Node) -> Iterator[Mark]:
        text, words = self.syntax.short(attribute), set(self.syntax.words(attribute))
        if name in _SKIPS:
            yield Mark("skipped", text)
        elif name == "Platform":
            yield Mark("skipped", text, condition_scope(text, runs="Exclude" not in words))
        elif name.startswith("Conditional") or {"SkipUnless", "SkipWhen"} & words:
            yield Mark("skipped", text, SkipScope.CONDITION)
        elif _is_test(name) and {"Skip", "Ignore", "IgnoreReason", "Explicit"} & words:
            yield Mark("skipped", text)
        if name.startswith("Retry"):
            yield Mark("retries", text)
        if name in ("Timeout", "MaxTime", "CancelAfter") or (_is_test(name) and "Timeout" in words):
            yield Mark("timeout", text)
        if name == "Property" and "MaxTest" in words:
            yield Mark("examples", text.rpartition("MaxTest=")[2].partition(",")[0].rstrip(")"))

    def _chain(self, node: Node) -> Iterator[Item]:
        read = chain(self.syntax, SHAPE, node)
        self.taken.update(inner.id for inner in read.inner)
        words = words_of(read)
        arguments = words[-1].arguments or () if words else ()
        if read.name in _ENDS:
            yield Mark("skipped", self.syntax.short(node))
        elif read.name in _ENDS_IF and arguments:
            yield Mark("skipped", self.syntax.short(node), self._ends_if(read.name, arguments[0]))
        elif read.links and read.links[0].name.startswith("Substitute") and words[-1].type:
            yield Mock(words[-1].type)
        elif read.name in _STARTS:
            yield from self.started(node, _WAITS)
        yield from self.chain(node, read, read_assertions(self.syntax, read), swallowed=is_optional(read))

    def _ends_if(self, name: str, condition: Node) -> SkipScope:
        runs, text = _ENDS_IF[name], self.syntax.short(condition)
        return SkipScope.ALWAYS if text == ("false" if runs else "true") else condition_scope(text, runs=runs)

    def _handler(self, clause: Node) -> Handler:
        declared = next((child for child in clause.named_children if child.type == "catch_declaration"), None)
        error = declared.child_by_field_name("type") if declared is not None else None
        name = "" if error is None else self.syntax.short(error)
        return Handler(clause, name, not name or name.rpartition(".")[2] in _GENERAL)

    def _variable(self, node: Node) -> Iterator[Item]:
        name, *value = parts(node)
        if value:
            self.bind(self.syntax.short(name), value[-1], None)
            if value[-1].type == "lambda_expression":
                yield from self.unless_used(self.syntax.short(name), value[-1])


def _plain(name: str) -> str:
    return name.rpartition(".")[2].removesuffix("Attribute")


def _is_test(name: str) -> bool:
    return name in _TESTS or name.endswith(("Fact", "Theory"))


_LANGUAGE = Language(".", lambda syntax, scopes, _: _Reader(syntax, scopes).visit, _IN_TESTS, _defines)
