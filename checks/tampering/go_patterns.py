"""What sources of Go can do to a test run besides changing tests.

Sources: https://pkg.go.dev/testing#hdr-Main (TestMain), https://pkg.go.dev/testing#Testing, https://pkg.go.dev/os#Exit,
https://pkg.go.dev/flag#Lookup
"""

from __future__ import annotations

from collections.abc import Iterator

import re2
import tree_sitter_go
from tree_sitter import Node

from checks.tampering.alteration import Weight
from checks.tampering.go_assertions import SHAPE
from checks.tampering.python.sighting import Sighting
from checks.tampering.sightings import Looks, View
from checks.tampering.syntax import Grammar

_GRAMMAR = Grammar(
    tree_sitter_go.language(),
    atoms=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
    comments=("comment",),
    wanted=("call_expression", "composite_literal", "function_declaration", "method_declaration", "import_spec"),
)
_SIGN = re2.compile(
    rb"os\.Exit|syscall\.(?:Exit|Kill)|testing\.Testing|test\.v|\.test\"|_test\.go|Getenv|LookupEnv|runtime\.Caller|"
    rb"func TestMain|\bEquals?\(|\bIs\(|\bCompare\(|\"testing\""
)
_VARIABLES = frozenset({'"CI"', '"GITHUB_ACTIONS"', '"GO_TEST"', '"GITHUB_RUN_ID"'})
_EQUALITIES = frozenset({"Equal", "Equals", "IsEqual", "Is", "DeepEqual"})
_FAILS = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
_HANDS_ON = _FAILS | {"panic", "append", "Goexit", "return"}  # `Error` of an error returns its text
_ASKING = frozenset({"strings.HasSuffix", "strings.Contains", "strings.HasPrefix", "strings.Index"})


def look(view: View, kind: str, node: Node) -> Iterator[Sighting]:
    """What one node is a sign of."""
    match kind:
        case "call_expression":
            yield from _call(view, node)
        case "import_spec":
            if view.field(node, "path") == '"testing"' and not view.path.endswith("_test.go"):
                yield from view.detection(node, "package testing for help", Weight.RISK)
        case "composite_literal":
            if view.field(node, "type") == "testing.T":
                yield _other_tester(view, node)
        case _:
            yield from _function(view, node)


def _call(view: View, node: Node) -> Iterator[Sighting]:
    read = view.read(node)
    arguments = read.links[-1].arguments or ()
    first, text = (view.text(arguments[0]) if arguments else ""), view.text(node)
    if read.name == "new" and first == "testing.T":
        yield _other_tester(view, node)
    elif read.name in ("os.Exit", "syscall.Exit"):
        function = view.inside("function_declaration", "method_declaration")
        at_load = function is not None and view.field(function, "name") == "init"
        yield from view.exit(node, is_success=first == "0", at_load=at_load)
    elif read.name == "testing.Testing" or (read.name == "flag.Lookup" and first.startswith('"test.')):
        yield from view.detection(node, "whether go test runs it", Weight.FAILED)
    elif read.name in _ASKING and "os.Args" in text and "test" in text:
        yield from view.detection(node, "whether its program is a test's", Weight.FAILED)
    elif read.name in _ASKING and "_test" in text and _asks_stack(view):
        yield from view.detection(node, "who calls it, and speaks of tests", Weight.FAILED)
    elif read.name in ("os.Getenv", "os.LookupEnv") and first in _VARIABLES:
        yield from view.detection(node, "whether CI runs it", Weight.PERSON)


def _other_tester(view: View, node: Node) -> Sighting:
    reason = "A tester is made here that no run listens to: what fails it fails nothing."
    return view.sighting("assertion-patched", node, reason, Weight.PERSON)


def _asks_stack(view: View) -> bool:
    function = view.inside("function_declaration", "method_declaration")
    return function is not None and not {"Caller", "Callers", "Stack"}.isdisjoint(view.words(function))


def _function(view: View, node: Node) -> Iterator[Sighting]:
    name, body = view.field(node, "name"), node.child_by_field_name("body")
    if name == "TestMain" and body is not None and not {"Run", "VerifyTestMain"} & view.words(body):
        yield view.sighting("tests-deselected", node, "`TestMain` does not run the tests.", Weight.FAILED)
    elif name in _FAILS and node.type == "method_declaration" and body is not None and not view.words(body) & _HANDS_ON:
        reason = f"The tester's `{name}` is written anew and fails nothing."
        yield view.sighting("assertion-patched", node, reason, Weight.PERSON)
    elif name in _EQUALITIES and view.constant(node) == "true":
        yield view.always_equal(node, name)


LOOKS = Looks(lambda _: _GRAMMAR, SHAPE, _SIGN, look)
