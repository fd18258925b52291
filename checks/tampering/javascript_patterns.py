"""What sources of JavaScript and TypeScript can do to a test run besides changing tests.

Sources: https://nodejs.org/api/process.html, https://jestjs.io/docs/environment-variables,
https://vitest.dev/guide/migration (VITEST), https://jestjs.io/docs/expect#expectextendmatchers,
https://mochajs.org/features/hooks/#root-level-hooks, https://jestjs.io/docs/configuration#testenvironment-string
"""

from __future__ import annotations

from collections.abc import Iterator

import re2
import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Node

from checks.tampering.alteration import Weight
from checks.tampering.javascript_assertions import SHAPE
from checks.tampering.javascript_matchers import ASSERT, EXPECT
from checks.tampering.places import extension
from checks.tampering.python.sighting import Sighting
from checks.tampering.sightings import Looks, View
from checks.tampering.syntax import Grammar

_WANTED = (
    *("call_expression", "assignment_expression", "unary_expression", "member_expression", "subscript_expression"),
    *("binary_expression", "method_definition", "pair", "function_declaration", "variable_declarator"),
    *("arrow_function", "function_expression"),
)
_FUNCTIONS = ("method_definition", "function_declaration", "arrow_function", "function_expression")
_SIGN = re2.compile(
    rb"import\.meta\.vitest|\b(?:const|let|var|function)\s+(?:test|it|describe|suite|fail)\b|(?:jest|vi)\.mock|process\.(?:exit|kill|abort|reallyExit|on(?:ce)?\b|env|argv|emit)|Deno\.exit|JEST|VITEST|expect\.extend|overwriteM|overwriteP|"
    rb"\bDate\b|performance|hrtime|currentTest|testResult|numFail|handleTestEvent|global(?:This)?\.|\.stack\b|\bequals\b|"
    rb"isEqual|valueOf|toPrimitive|asymmetricMatch|\bassert\.\w+\s*=[^=]|typeof (?:jest|vi|describe|it|expect)\b|"
    rb"\.prototype\.|Object\.(?:is|assign)\b|defineProperty|(?:jest|vi)\.(?:mock|doMock)|\bexpect\s*=|\.result\.state|failureCount"
)
_EXITS = frozenset({"process.exit", "process.reallyExit", "Deno.exit"})
_RUNNER_VARIABLES = frozenset({"JEST_WORKER_ID", "VITEST", "VITEST_WORKER_ID", "VITEST_POOL_ID", "MOCHA_WORKER_ID"})
_CI_VARIABLES = frozenset({"CI", "GITHUB_ACTIONS", "CONTINUOUS_INTEGRATION", "GITHUB_RUN_ID"})
_RUNNERS = frozenset({"jest", "vi", "vitest", "mocha", "describe", "it", "expect", "jasmine", "cy"})
_RUNNER_MODULES = frozenset(
    {"assert", "node:assert", "node:assert/strict", "node:test", "chai", "vitest", "expect", "@jest/globals"}
)
_EQUALITIES = frozenset({"equals", "isEqual", "asymmetricMatch", "valueOf", "[Symbol.toPrimitive]", "deepEqual", "eql"})
_CLOCKS = frozenset({"Date.now", "performance.now", "process.hrtime", "process.hrtime.bigint", "Date"})
_GLOBALS = frozenset({"expect", "it", "test", "describe", "assert", "suite", "fail"})
_JUDGES = frozenset(
    {"Object.is", "JSON.stringify", "Object.prototype.valueOf", "Object.prototype.toString", "Array.isArray"}
)
# What runners keep results in: https://mochajs.org/api/runnable, https://jestjs.io/docs/configuration#testresultsprocessor-string
# What runners keep results in: https://mochajs.org/api/runnable,
# https://jestjs.io/docs/configuration#testresultsprocessor-string, https://vitest.dev/advanced/runner
_RESULT = re2.compile(
    r"(?:.*\.)?(?:(?:currentTest|testResults?|aggregatedResults?|event\.test|task\.result)\."
    r"(?:err|state|errors|errors\.length|success|status|failureMessages?)"
    r"|numFailed\w+|numFailing\w+|numRuntimeError\w+|stats\.failures|failureCount|process\.exitCode)"
)
_OUTCOME = re2.compile(r"null|undefined|\[\]|0|true|\"(?:passed|pass|success)\"")
_HANDS_ON = frozenset({"throw", "exit", "fail", "done", "reject", "exitCode", "abort"})
_OF_TESTS = re2.compile(r"(?i)jest|vitest|mocha|jasmine|\btest|spec\b")
# `if (import.meta.vitest) { … }` is how tests stand in a source: https://vitest.dev/guide/in-source
_TESTS_INSIDE = re2.compile(rb"\bif\s*\(\s*$|\}\s*=\s*$")
_SETS_UP = re2.compile(r"(?i)set[-_]?up")
_JUDGING = frozenset({"expect", "assert", "base", "chai", "vitest", "jest", "throw", "fail", "equal", "ok"})
_GLOBAL = re2.compile(r"(?:global|globalThis|window|self)\.")


def look(view: View, kind: str, node: Node) -> Iterator[Sighting]:
    """What one node is a sign of."""
    match kind:
        case "call_expression":
            yield from _call(view, node)
        case "assignment_expression":
            yield from _assigned(view, node, view.field(node, "left"), node.child_by_field_name("right"))
        case "unary_expression":
            yield from _unary(view, node)
        case "variable_declarator":
            yield from _environment(view, node)
            yield from _own_word(view, node, node.child_by_field_name("value"))
        case "member_expression" | "subscript_expression":
            yield from _environment(view, node)
        case "binary_expression":
            yield from _compared(view, node)
        case "function_declaration":
            yield from _equality(view, node)
            yield from _own_word(view, node, node)
        case "pair" | "method_definition":
            yield from _equality(view, node)


def _call(view: View, node: Node) -> Iterator[Sighting]:
    read = view.read(node)
    arguments = read.links[-1].arguments or ()
    texts = [view.text(argument).strip('"') for argument in arguments]
    first = texts[0] if texts else ""
    if read.name in _EXITS:
        yield from _exit(view, node, first)
    elif read.name in ("process.on", "process.once") and view.is_test_file:
        yield from _handler(view, node, first)
    elif read.name in ("Object.defineProperty", "Reflect.set") and len(texts) > 2:
        yield from _assigned(view, node, f"{first}.{texts[1]}", arguments[2])
    elif read.links[-1].name in ("includes", "match", "some", "indexOf", "search", "test"):
        yield from _asked(view, node)
    else:
        yield from _replaced(view, node, read.name, first, [*arguments])


def _own_word(view: View, node: Node, function: Node | None) -> Iterator[Sighting]:
    """`const test = (name, run) => {}`: a runner's word that is a function of the file's own and hands nothing on."""
    name = view.field(node, "name")
    is_function = function is not None and function.type in (*_FUNCTIONS, "function_declaration")
    body = function.child_by_field_name("body") if function is not None and is_function else None
    words = view.words(body) if body is not None else frozenset()
    judges = name in ("expect", "assert") and words.isdisjoint(_JUDGING)
    if body is not None and name in _GLOBALS and view.is_test_file and ("(" not in words or judges):
        weight = Weight.PERSON if "(" in words else Weight.FAILED
        yield view.sighting("assertion-patched", node, f"`{name}` is the file's own here.", weight)


def _exit(view: View, node: Node, code: str) -> Iterator[Sighting]:
    is_script = view.syntax.source.startswith(b"#!")
    at_load = view.inside(*_FUNCTIONS) is None and not is_script
    return view.exit(node, is_success=code in ("", "0", "undefined", "null"), at_load=at_load)


def _handler(view: View, node: Node, event: str) -> Iterator[Sighting]:
    """What listens for errors that nobody caught, or for the end of the run."""
    hands_on = not _HANDS_ON.isdisjoint(view.words(node))
    if event in ("uncaughtException", "unhandledRejection"):
        reason = "Errors that no test caught end here instead of failing the run."
        yield view.sighting("outcome-rewritten", node, reason, Weight.RISK if hands_on else Weight.FAILED)
    elif event in ("exit", "beforeExit") and hands_on:
        yield view.sighting("outcome-rewritten", node, "The run's exit code is set when it ends.", Weight.FAILED)


def _asked(view: View, node: Node) -> Iterator[Sighting]:
    text = view.text(node)
    if _OF_TESTS.search(text) is None:
        return
    if ".stack" in text:
        yield from view.detection(node, "who calls it, and speaks of tests", Weight.FAILED)
    elif "process.argv" in text:
        yield from view.detection(node, "whether its command line is that of a test run", Weight.PERSON)


def _replaced(view: View, node: Node, name: str, first: str, arguments: list[Node]) -> Iterator[Sighting]:
    """Assertions, or the module that they come from, get another meaning."""
    last = name.rpartition(".")[2]
    if name == "expect.extend":
        keys = {view.field(pair, "key") or view.field(pair, "name") for one in arguments for pair in one.named_children}
        known = sorted(keys & EXPECT.keys())
        if known:
            yield view.sighting("assertion-patched", node, f"`{known[0]}` is replaced.", Weight.FAILED)
    elif last.startswith("overwrite") or (
        last in ("mock", "doMock", "unstable_mockModule") and first in _RUNNER_MODULES
    ):
        yield view.sighting("assertion-patched", node, f"`{first}` is replaced.", Weight.FAILED)
    elif last in ("mock", "doMock") and first.startswith(".") and not view.holds_tests and _SETS_UP.search(view.path):
        reason = f"`{first}` is replaced for every test, unasked."
        yield view.sighting("autouse-patch", node, reason, Weight.PERSON)
    elif last in ("spyOn", "stub", "replace", "assign") and first in ("assert", "expect", "chai.assert"):
        yield view.sighting("assertion-patched", node, f"Assertions of `{first}` are replaced.", Weight.FAILED)


def _assigned(view: View, node: Node, left: str, right: Node | None) -> Iterator[Sighting]:
    target, value = left.removeprefix("chai."), "" if right is None else view.text(right)
    plain = _GLOBAL.sub("", target)
    root, _, last = plain.rpartition(".")
    is_function = right is not None and right.type in _FUNCTIONS
    if (root == "assert" and last in ASSERT) or root == "expect" or (is_function and plain in _GLOBALS):
        yield view.sighting("assertion-patched", node, f"`{plain}` is replaced.", Weight.FAILED)
    elif plain in _CLOCKS:
        yield _clock(view, node, plain)
    elif plain in _JUDGES:
        yield view.sighting("builtin-patched", node, f"The built-in `{plain}` is replaced.", Weight.PERSON)
    elif _RESULT.fullmatch(target) and _OUTCOME.fullmatch(value):
        weight = Weight.FAILED if "exitCode" not in target or view.is_test_file else Weight.RISK
        yield view.sighting("outcome-rewritten", node, "Results of tests are rewritten.", weight)
    elif last in _EQUALITIES and right is not None and is_function and view.constant(right) == "true":
        yield view.always_equal(node, last)


def _clock(view: View, node: Node, name: str) -> Sighting:
    """Tests may stop a clock if they let it go again."""
    let_go = view.syntax.source.count(f"{name} =".encode()) > 1
    in_tests = Weight.RISK if let_go else Weight.PERSON
    reason = f"The clock `{name}` is replaced."
    return view.sighting("clock-patched", node, reason, in_tests if view.is_test_file else Weight.FAILED)


def _unary(view: View, node: Node) -> Iterator[Sighting]:
    operator, operand = view.field(node, "operator"), view.field(node, "argument")
    if operator == "typeof" and operand in _RUNNERS:
        yield from view.detection(node, "whether a test runner is there", Weight.FAILED)
    elif operator == "delete" and _RESULT.fullmatch(operand):
        yield view.sighting("outcome-rewritten", node, "Results of tests are rewritten.", Weight.FAILED)


def _environment(view: View, node: Node) -> Iterator[Sighting]:
    """`process.env.VITEST`, `process.env["CI"]`, `const { CI } = process.env`."""
    if node.type == "variable_declarator":
        names = view.words(node) if view.field(node, "value") == "process.env" else frozenset()
    else:
        owner = view.field(node, "object")
        name = view.field(node, "property") or view.field(node, "index").strip('"')
        names = frozenset({name}) if owner == "process.env" else frozenset()
        if owner == "import.meta" and name == "vitest":
            in_source = _TESTS_INSIDE.search(view.syntax.source[: node.start_byte][-20:]) is not None
            yield from view.detection(node, "whether vitest runs it", Weight.RISK if in_source else Weight.PERSON)
    if names & _RUNNER_VARIABLES:
        yield from view.detection(node, "whether a test runner runs it", Weight.FAILED)
    elif names & _CI_VARIABLES:
        yield from view.detection(node, "whether CI runs it", Weight.PERSON)


def _compared(view: View, node: Node) -> Iterator[Sighting]:
    sides = {view.field(node, "left"), view.field(node, "right")}
    if '"test"' in sides and any(side.endswith(("NODE_ENV", 'NODE_ENV"]', "MODE")) for side in sides):
        yield from view.detection(node, "whether it runs for tests", Weight.PERSON)


def _equality(view: View, node: Node) -> Iterator[Sighting]:
    name = view.field(node, "name") or view.field(node, "key")
    function = node.child_by_field_name("value") or node
    if name in _EQUALITIES and view.constant(function) == "true":
        found = view.always_equal(node, name)
        stub = node.type == "pair" and view.is_test_file
        yield view.sighting(found.kind, node, found.reason, Weight.RISK) if stub else found


def _grammar(pointer: object) -> Grammar:
    return Grammar(pointer, atoms=("string", "template_string", "regex"), comments=("comment",), wanted=_WANTED)


_JAVASCRIPT = _grammar(tree_sitter_javascript.language())
_TYPESCRIPT = _grammar(tree_sitter_typescript.language_typescript())
_TSX = _grammar(tree_sitter_typescript.language_tsx())


def _grammar_of(path: str) -> Grammar:
    return {"ts": _TYPESCRIPT, "mts": _TYPESCRIPT, "cts": _TYPESCRIPT, "tsx": _TSX}.get(extension(path), _JAVASCRIPT)


LOOKS = Looks(_grammar_of, SHAPE, _SIGN, look)
