"""What sources of Java can do to a test run besides changing tests.

Sources: https://docs.junit.org/current/api/org.junit.jupiter.api/org/junit/jupiter/api/extension/package-summary.html,
https://junit.org/junit4/javadoc/latest/org/junit/rules/TestRule.html,
https://javadoc.io/doc/org.testng/testng/latest/org/testng/ITestResult.html
"""

from __future__ import annotations

from collections.abc import Iterator

import re2
import tree_sitter_java
from tree_sitter import Node

from checks.tampering.alteration import Weight
from checks.tampering.java_assertions import SHAPE
from checks.tampering.python.sighting import Sighting
from checks.tampering.sightings import Looks, View
from checks.tampering.syntax import Grammar

_GRAMMAR = Grammar(
    tree_sitter_java.language(),
    atoms=("string_literal", "character_literal"),
    comments=("line_comment", "block_comment"),
    wanted=(
        *("method_invocation", "method_declaration", "class_declaration", "static_initializer", "package_declaration"),
        "catch_clause",
    ),
)
_SIGN = re2.compile(
    rb"System\.exit|\bhalt\(|getRuntime|\.getenv|getProperty|forName|StackTrace|StackWalker|\bequals\(|"
    rb"handleTestExecutionException|InvocationInterceptor|ExecutionCondition|setStatus|\bevaluate\(|mockStatic|"
    rb"setDefaultUncaughtExceptionHandler|package (?:org\.junit|org\.assertj|org\.hamcrest|org\.testng)|interceptTest|"
    rb"\bvoid +(?:assert[A-Z]|fail\()"
)
_EXITS = frozenset({"System.exit", "Runtime.getRuntime.halt", "Runtime.getRuntime.exit"})
_OF_TESTS = re2.compile(r"(?i)junit|testng|surefire|\btests?\b|\.test\.")
_ASSERTIONS = frozenset({"Assertions.class", "Assert.class", "org.junit.Assert.class"})
_SHADOWED = re2.compile(r"package(?:org\.junit|org\.assertj|org\.hamcrest|org\.testng|org\.mockito)[\w.]*")
# https://docs.junit.org/current/api/org.junit.jupiter.api/org/junit/jupiter/api/Assertions.html
_NAMED = re2.compile(
    r"fail|assert(?:(?:Not)?(?:Equals|Null|Same)|True|False|That|ArrayEquals|IterableEquals|LinesMatch|InstanceOf|All)"
)
_FAILING = re2.compile(r"throw|fail\w*|(?:assert|verify|check|ensure|require)[A-Z]?\w*|\w*(?:Error|Exception)")
_ASKING = frozenset({"contains", "startsWith", "matches", "anyMatch"})
_GENERAL = frozenset({"Throwable", "AssertionError", "Error", "Exception"})


def look(view: View, kind: str, node: Node) -> Iterator[Sighting]:
    """What one node is a sign of."""
    match kind:
        case "method_invocation":
            yield from _call(view, node)
        case "method_declaration":
            yield from _method(view, node)
        case "package_declaration":
            name = view.text(node).removeprefix("package").strip()
            if _SHADOWED.fullmatch(f"package{name}"):
                reason = f"A class is put into {name}, where the test framework's own classes are."
                yield view.sighting("runner-shadowed", node, reason, Weight.FAILED)
        case "catch_clause":
            yield from _caught(view, node)


def _call(view: View, node: Node) -> Iterator[Sighting]:
    read = view.read(node)
    arguments = read.links[-1].arguments or ()
    first, last = (view.text(arguments[0]) if arguments else ""), read.links[-1].name
    if read.name in _EXITS:
        yield from view.exit(node, is_success=first == "0", at_load=view.inside("static_initializer") is not None)
    elif last in ("getenv", "getProperty", "forName"):
        yield from _environment(view, node, last, first)
    elif last == "mockStatic" and first in _ASSERTIONS:
        yield view.sighting("assertion-patched", node, f"`{first}` is replaced.", Weight.FAILED)
    elif last == "setStatus" and first.endswith("SUCCESS"):
        yield view.sighting("outcome-rewritten", node, "Results of tests are rewritten.", Weight.FAILED)
    elif last in _ASKING and _asks_stack(view) and _OF_TESTS.search(view.text(node)):
        yield from view.detection(node, "who calls it, and speaks of tests", Weight.FAILED)


def _environment(view: View, node: Node, function: str, first: str) -> Iterator[Sighting]:
    if first in ('"CI"', '"GITHUB_ACTIONS"'):
        yield from view.detection(node, "whether CI runs it", Weight.PERSON)
    elif function != "getenv" and _OF_TESTS.search(first):
        yield from view.detection(node, "whether a test runner is there", Weight.FAILED)


def _asks_stack(view: View) -> bool:
    """Whether the method around looks at the stack."""
    method = view.inside("method_declaration")
    return method is not None and not {"getStackTrace", "StackWalker"}.isdisjoint(view.words(method))


def _method(view: View, node: Node) -> Iterator[Sighting]:
    name, body = view.field(node, "name"), node.child_by_field_name("body")
    if body is None:
        return
    words = view.words(body)
    if name == "equals" and view.constant(node) == "true":
        yield view.always_equal(node, name)
    elif view.is_test_file and _NAMED.fullmatch(name) and not any(map(_FAILING.fullmatch, words)):
        yield view.sighting(
            "assertion-patched", node, f"`{name}` is replaced by a method that cannot fail.", Weight.FAILED
        )
    elif name == "handleTestExecutionException" and "throw" not in words:
        reason = "This extension takes errors of tests and does not hand them on."
        yield view.sighting("outcome-rewritten", node, reason, Weight.FAILED)
    elif name.startswith("interceptTest") and "proceed" not in words:
        reason = "This extension does not run the tests that it is asked about."
        yield view.sighting("tests-deselected", node, reason, Weight.FAILED)
    elif name == "evaluateExecutionCondition":
        yield view.sighting("runner-hook", node, "This extension decides which tests run.", Weight.PERSON)


def _caught(view: View, node: Node) -> Iterator[Sighting]:
    """A rule that runs a test and swallows its failure."""
    method = view.inside("method_declaration")
    around = view.words(method) if method is not None else frozenset()
    runs_test = method is not None and view.field(method, "name").startswith(("evaluate", "interceptTest", "apply"))
    swallows = not {"throw", "addError", "fail"} & view.words(node)
    if runs_test and {"evaluate", "proceed"} & around and swallows and _GENERAL & view.words(node):
        reason = "What runs the tests here takes their errors and does not hand them on."
        yield view.sighting("outcome-rewritten", node, reason, Weight.FAILED)


LOOKS = Looks(lambda _: _GRAMMAR, SHAPE, _SIGN, look)
