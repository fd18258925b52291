"""What sources of Rust can do to a test run besides changing tests.

Sources: https://doc.rust-lang.org/std/process/fn.exit.html, https://doc.rust-lang.org/std/macro.cfg.html,
https://doc.rust-lang.org/std/thread/struct.Thread.html#method.name (a test's thread has the test's name)
"""

from __future__ import annotations

from collections.abc import Iterator

import re2
import tree_sitter_rust
from tree_sitter import Node

from checks.tampering.alteration import Weight
from checks.tampering.chains import Shape
from checks.tampering.python.sighting import Sighting
from checks.tampering.sightings import Looks, View
from checks.tampering.syntax import Grammar

_GRAMMAR = Grammar(
    tree_sitter_rust.language(),
    atoms=("string_literal", "raw_string_literal", "char_literal"),
    comments=("line_comment", "block_comment"),
    wanted=("call_expression", "macro_invocation", "macro_definition", "function_item", "attribute_item", "mod_item"),
)
_SHAPE = Shape("call_expression", "function", frozenset({"field_expression"}), "value", "field")
_SIGN = re2.compile(
    rb"process::|\bexit\(|\babort\(|cfg!\(|not\(\s*test\s*\)|env::var|env!\(|thread::current|Backtrace|"
    rb"macro_rules!\s*(?:debug_)?assert|\bfn\s+(?:eq|ne|assert\w*)\b"
)
_EXITS = frozenset({"std::process::exit", "process::exit", "exit", "libc::exit", "libc::_exit"})
_VARIABLES = frozenset({'"CI"', '"GITHUB_ACTIONS"', '"RUST_TEST_THREADS"', '"NEXTEST"', '"NEXTEST_RUN_ID"'})
_OF_TESTS = frozenset({'"RUST_TEST_THREADS"', '"NEXTEST"', '"NEXTEST_RUN_ID"'})
_ASSERTIONS = frozenset({"assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "panic"})


def look(view: View, kind: str, node: Node) -> Iterator[Sighting]:
    """What one node is a sign of."""
    match kind:
        case "call_expression":
            yield from _call(view, node)
        case "macro_invocation":
            yield from _macro(view, node)
        case "macro_definition":
            name = view.field(node, "name")
            if name in _ASSERTIONS:
                yield view.sighting("assertion-patched", node, f"`{name}!` is replaced.", Weight.FAILED)
        case "function_item":
            answer = {"eq": "true", "ne": "false"}.get(view.field(node, "name"))
            if answer is not None and view.constant(node) == answer:
                yield view.always_equal(node, view.field(node, "name"))
        case "attribute_item":
            text = view.text(node)
            if "cfg(" in text and "not(test)" in text:
                yield from view.detection(node, "to be built otherwise for tests", Weight.PERSON)


def _call(view: View, node: Node) -> Iterator[Sighting]:
    read = view.read(node)
    arguments = read.links[-1].arguments or ()
    first = view.text(arguments[0]) if arguments else ""
    if read.name in _EXITS and _is_of_process(view, read.name):
        yield from view.exit(node, is_success=first == "0", at_load=False)
    elif read.name.endswith("env::var") or read.name.endswith("env::var_os"):
        if first in _VARIABLES:
            weight = Weight.FAILED if first in _OF_TESTS else Weight.PERSON
            yield from view.detection(node, "whether tests or CI run it", weight)
    elif read.name.endswith("thread::current.name"):
        yield from view.detection(node, "for its thread's name, which in a test is the test's", Weight.PERSON)


def _is_of_process(view: View, name: str) -> bool:
    return "::" in name or b"process::exit" in view.syntax.source


def _macro(view: View, node: Node) -> Iterator[Sighting]:
    words = view.syntax.words(node)
    tests = view.inside("mod_item")
    in_tests = tests is not None and "tests" in view.field(tests, "name")
    if words[:3] == ["cfg", "!", "("] and "test" in words and not in_tests:
        yield from view.detection(node, "whether it is built for tests", Weight.FAILED)


LOOKS = Looks(lambda _: _GRAMMAR, _SHAPE, _SIGN, look)
