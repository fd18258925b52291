"""Tests of Java as units: JUnit 3 to 6, TestNG, jqwik.

Sources: https://docs.junit.org/current/user-guide/, https://junit.org/junit4/javadoc/latest/, https://testng.org/,
https://jqwik.net/docs/current/user-guide.html; which files Maven takes:
https://maven.apache.org/surefire/maven-surefire-plugin/test-mojo.html#includes and …/maven-failsafe-plugin/…
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import re2
import tree_sitter_java
from tree_sitter import Node

from checks.tampering.branches import BranchReader, Handler, ended_by_return, left_at
from checks.tampering.chains import chain
from checks.tampering.java_assertions import SHAPE, is_failure, known, read_assertions
from checks.tampering.matchers import Said, is_literal
from checks.tampering.places import is_test_path
from checks.tampering.reading import Language, names_found
from checks.tampering.scopes import Item, Kind, Mark, Mock, Scope, Scopes, condition_scope
from checks.tampering.syntax import Grammar, Syntax, demanded, first_part, last_part, parts
from checks.tampering.units import FileUnits, SkipScope

_GRAMMAR = Grammar(
    tree_sitter_java.language(),
    atoms=("string_literal", "character_literal"),
    comments=("line_comment", "block_comment"),
    wanted=(
        *("class_declaration", "record_declaration", "enum_declaration", "interface_declaration"),
        *("method_declaration", "method_invocation", "if_statement", "try_statement", "try_with_resources_statement"),
        *("switch_expression", "variable_declarator", "ternary_expression", "object_creation_expression"),
    ),
)
SIGN = re2.compile(rb"@Test\b|@ParameterizedTest\b|org\.junit|org\.testng|net\.jqwik|assertj")
_IN_TESTS = re2.compile(rb"@(?:Test|Disabled|Ignore|ParameterizedTest)|\b(?:assert|verify|fail)\w*\(")
_DEFINES = re2.compile(
    r"\b(?:class|interface|enum|record|@interface)\s+(\w+)|\b(?:static\s+)?final\s+[\w<>\[\], ]+?\s(\w+)\s*="
    r"|(?m:^\s*(?:(?:public|protected|private|static|final|abstract|synchronized|default|native)\s+)*"
    r"(?:<[^>]*>\s*)?[\w.<>\[\]?, ]+\s(\w+)\s*\()"
)
_KEYWORDS = frozenset({"if", "for", "while", "switch", "catch", "return", "new", "throw", "else", "super", "this"})
_TESTS = frozenset(
    {"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory", "Property", "RetryingTest"}
)
_HOOKS = frozenset({"BeforeEach", "BeforeAll", "Before", "BeforeClass", "BeforeMethod"})
_SKIPS = frozenset({"Disabled", "Ignore"})
_SKIP_CONDITIONS = ("DisabledOn", "DisabledIf", "DisabledFor", "EnabledOn", "EnabledIf", "EnabledFor")
_RETRIES = frozenset({"RetryingTest", "Retry", "RepeatedIfExceptionsTest", "Flaky", "RepeatFailedTest"})
_SOURCES = frozenset({"ValueSource", "CsvSource", "EnumSource", "FieldSource"})
_LISTS = frozenset({"Stream.of", "List.of", "Set.of", "Arrays.asList", "Arguments.of"})
_ASSUMPTIONS = {"assumeTrue": "false", "assumeFalse": "true", "assumeThat": "", "assumingThat": "", "abort": ""}
_CATCHES_ASSERTIONS = frozenset({"AssertionError", "Error", "Throwable"})
_GENERAL = frozenset({"Exception", "RuntimeException", *_CATCHES_ASSERTIONS})
# What a thread throws ends that thread alone; what a task throws is thrown again where its future is asked.
_SEES_THREADS = frozenset({"setUncaughtExceptionHandler", "setDefaultUncaughtExceptionHandler", "AtomicReference"})
_STUBS = frozenset({"when", "given"})  # https://site.mockito.org
_TASKS = frozenset({"submit", "execute", "runAsync", "supplyAsync", "startVirtualThread", "schedule"})
_ASKS = frozenset({"get", "join", "await", "invokeAll", "allOf", *_SEES_THREADS})
_COLLECTED = re2.compile(r"(?:.*/)?(?:Test[^/]*|[^/]*(?:Tests?|TestCase|IT|ITCase)|IT[^/]*)\.java")


def read_units(path: str, source: bytes) -> FileUnits:
    """See `units`. Product code that names no framework is not parsed."""
    if not is_test_path(path) and SIGN.search(source) is None:
        return FileUnits(path, defines=_defines(source))
    return _LANGUAGE.read(_GRAMMAR, path, source)


def _defines(source: bytes) -> frozenset[str]:
    return names_found(_DEFINES, source, but=_KEYWORDS)


class _Reader(BranchReader):
    """What each wanted node means."""

    asserting = frozenset({"assertThat", "assertEquals", "assertTrue", "assertFalse", "assertThrows", "fail", "verify"})
    failing = frozenset({"throw", "fail"})

    def __init__(self, syntax: Syntax, scopes: Scopes, path: str) -> None:
        super().__init__(syntax, scopes)
        self._is_collected = _COLLECTED.fullmatch(path) is not None
        self._test_classes: list[tuple[int, bool]] = []  # where a class ends, and whether all its methods are tests
        for step in syntax.steps:
            if step is not None and step[0] == "method_declaration":
                self._provider(step[1])

    def visit(self, kind: str, node: Node) -> Iterator[Item]:
        if node.id in self.taken:
            return
        match kind:
            case "method_declaration":
                yield from self._method(node)
            case "method_invocation":
                yield from self._chain(node)
            case "if_statement":
                yield from self.if_statement(node)
            case "try_statement" | "try_with_resources_statement":
                clauses = [child for child in node.named_children if child.type == "catch_clause"]
                last = next((child for child in node.named_children if child.type == "finally_clause"), None)
                ended = ended_by_return(last)
                handlers = [
                    *map(self._handler, clauses),
                    *([] if ended is None else [Handler(ended, "", is_general=True)]),
                ]
                yield from self.try_statement(demanded(node, "body"), handlers)
            case "variable_declarator":
                yield from self._variable(node)
            case "object_creation_expression":
                if self.syntax.short(demanded(node, "type")) == "Thread":
                    yield from self.started(node, _SEES_THREADS)
            case "switch_expression" | "ternary_expression":
                yield Scope(Kind.GUARD, node)
            case _:
                yield self._class(node)

    def is_failure(self, call: Node) -> bool:
        return call.type == "method_invocation" and is_failure(chain(self.syntax, SHAPE, call))

    def known(self, condition: Node) -> Said | None:
        return known(self.syntax, condition)

    def _class(self, node: Node) -> Scope:
        annotations = self._annotations(node)
        parent = node.child_by_field_name("superclass")
        every = "Test" in annotations or (parent is not None and self.syntax.words(parent)[-1] == "TestCase")
        self._test_classes.append((node.end_byte, every))
        scope = Scope(Kind.SUITE, node, self.syntax.short(demanded(node, "name")))
        scope.marks = self._marks(annotations)
        return scope

    def _method(self, node: Node) -> Iterator[Item]:
        body = node.child_by_field_name("body")
        if body is None:
            return
        title = self.syntax.short(demanded(node, "name"))
        annotations, modifiers = self._annotations(node), self._modifiers(node)
        is_test = not _TESTS.isdisjoint(annotations) or self._is_test_by_class(node, title, modifiers)
        scope = Scope(Kind.TEST if is_test else Kind.HELPER, node, title, parts=(body,), certain_until=left_at(body))
        scope.collected = self._is_collected and modifiers.isdisjoint({"private", "static"})
        scope.marks = self._marks(annotations)
        scope.rows = self._rows(annotations)
        scope.is_hook = not _HOOKS.isdisjoint(annotations)
        error = _value(self.syntax, annotations.get("Test"), "expected")
        if error.removesuffix(".class") in _CATCHES_ASSERTIONS:  # so is every failing assertion in it
            scope.certain_until = body.start_byte
        yield scope
        if error:
            yield self.assertion(node, Said("raises", self.last_statement(body), error))

    def _is_test_by_class(self, node: Node, title: str, modifiers: frozenset[str]) -> bool:
        """JUnit 3 and TestNG: public methods of a class that says so."""
        around = [every for end, every in self._test_classes if end >= node.end_byte]
        if not around or not around[-1] or "public" not in modifiers:
            return False
        return title.startswith("test") or b"org.testng" in self.syntax.source

    def _annotations(self, node: Node) -> dict[str, Node]:
        modifiers = next((child for child in node.named_children if child.type == "modifiers"), None)
        found = modifiers.named_children if modifiers is not None else []
        named = [(one.child_by_field_name("name"), one) for one in found]
        return {self.syntax.short(name).rpartition(".")[2]: one for name, one in named if name is not None}

    def _modifiers(self, node: Node) -> frozenset[str]:
        modifiers = next((child for child in node.named_children if child.type == "modifiers"), None)
        return frozenset(self.syntax.words(modifiers) if modifiers is not None else ())

    def _marks(self, annotations: Mapping[str, Node]) -> dict[str, Mark]:
        marks: dict[str, Mark] = {}
        for name, annotation in annotations.items():
            text = self.syntax.short(annotation)
            if name in _SKIPS:
                marks["skipped"] = Mark("skipped", text)
            elif name.startswith(_SKIP_CONDITIONS) and "skipped" not in marks:
                versions = "Jre" in name or "NativeImage" in name
                scope = SkipScope.PLATFORM if versions else condition_scope(text, runs=name.startswith("Enabled"))
                marks["skipped"] = Mark("skipped", text, scope)
            elif name in _RETRIES:
                marks["retries"] = Mark("retries", text)
            elif name == "Timeout":
                marks["timeout"] = Mark("timeout", text)
        return marks | self._marks_of_test(annotations)

    def _marks_of_test(self, annotations: Mapping[str, Node]) -> dict[str, Mark]:
        """What stands in the brackets of `@Test(…)` and `@Property(…)`."""
        test, examples = annotations.get("Test"), _value(self.syntax, annotations.get("Property"), "tries")
        found = {"examples": Mark("examples", examples)} if examples else {}
        if test is None:
            return found
        text = self.syntax.short(test)
        if _value(self.syntax, test, "enabled") == "false":
            found["skipped"] = Mark("skipped", text)
        found |= {"timeout": Mark("timeout", text)} if _value(self.syntax, test, "timeout") else {}
        return found | ({"retries": Mark("retries", text)} if _value(self.syntax, test, "retryAnalyzer") else {})

    def _rows(self, annotations: Mapping[str, Node]) -> tuple[str, ...] | None:
        provider = _value(self.syntax, annotations.get("Test"), "dataProvider").strip('"')
        method = annotations.get("MethodSource")
        if method is not None:
            provider = self.syntax.words(method)[-2].strip('"')
        if provider:
            return self.lists.get(provider)
        written = next((one for name, one in annotations.items() if name in _SOURCES), None)
        rows = () if written is None else self._written(written)
        return tuple(map(_cells, rows)) if "CsvSource" in annotations else rows or None

    def _written(self, annotation: Node) -> tuple[str, ...]:
        """The elements of its list, or the lines of its text block."""
        rest = list(annotation.named_children[-1:])
        while rest:
            node = rest.pop()
            if node.type == "element_value_array_initializer":
                return tuple(map(self.syntax.short, parts(node)))
            if node.type == "string_literal":
                lines = self.syntax.raw(node).decode("utf-8", "replace").strip('"').splitlines()
                return tuple(line for line in lines if line.strip())
            rest += node.named_children[::-1]
        return ()

    def _provider(self, node: Node) -> None:
        """A method that only returns a list is where rows of other methods come from."""
        last = last_part(demanded(node, "body"))
        value = first_part(last) if last is not None and last.type == "return_statement" else None
        if value is None:
            return
        if value.type == "array_creation_expression":
            rows = parts(demanded(value, "value"))
        else:
            read = chain(self.syntax, SHAPE, value)
            rows = list(read.links[-1].arguments or ()) if read.name in _LISTS else []
        if rows:
            self.lists[self.syntax.short(demanded(node, "name"))] = tuple(map(self.syntax.short, rows))

    def _chain(self, node: Node) -> Iterator[Item]:
        read = chain(self.syntax, SHAPE, node)
        self.taken.update(inner.id for inner in read.inner)
        name, arguments = read.links[-1].name, read.links[-1].arguments or ()
        if name in _ASSUMPTIONS and len(read.links) <= 2:
            condition = self.syntax.short(*arguments[:1])
            never = condition == _ASSUMPTIONS[name]
            scope = condition_scope(condition, runs=name != "assumeFalse")
            yield Mark("skipped", self.syntax.short(node), SkipScope.ALWAYS if never else scope)
        elif name in ("mock", "mockStatic", "spy") and arguments:
            yield Mock(self.syntax.short(arguments[0]).removesuffix(".class"))
        elif name in _TASKS and any(argument.type == "lambda_expression" for argument in arguments):
            yield from self.started(node, _ASKS)
        for stubbed in read.links[0].arguments or () if read.links[0].name in _STUBS else ():
            if stubbed.type == "method_invocation":
                yield Mock(f"{chain(self.syntax, SHAPE, stubbed).name}(")
        yield from self.chain(node, read, read_assertions(self.syntax, read))

    def _handler(self, clause: Node) -> Handler:
        declared = first_part(clause) or clause
        error = first_part(declared) or declared
        return Handler(clause, self.syntax.short(error), not _GENERAL.isdisjoint(self.syntax.words(declared)))

    def _variable(self, node: Node) -> Iterator[Item]:
        value, name = node.child_by_field_name("value"), self.syntax.short(demanded(node, "name"))
        if value is not None:
            self.bind(name, value, None)
            if value.type == "lambda_expression":
                yield from self.unless_used(name, value)


def _cells(row: str) -> str:
    """A row of comma-separated values as the literals that a test gets of it."""
    cells = (cell.strip().strip("'") for cell in row.strip().strip('"').split(","))
    return ",".join(cell if is_literal(cell) else f'"{cell}"' for cell in cells)


def _value(syntax: Syntax, annotation: Node | None, key: str) -> str:
    """What an annotation gives for that key; "" if nothing."""
    arguments = annotation.child_by_field_name("arguments") if annotation is not None else None
    for pair in arguments.named_children if arguments is not None else ():
        name, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if name is not None and value is not None and syntax.short(name) == key:
            return syntax.short(value)
    return ""


_LANGUAGE = Language(".", lambda syntax, scopes, path: _Reader(syntax, scopes, path).visit, _IN_TESTS, _defines)
