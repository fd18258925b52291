"""What sources of Ruby can do to a test run besides changing tests.

Sources: https://docs.ruby-lang.org/en/master/Kernel.html (exit!, at_exit),
https://rspec.info/documentation/3.13/rspec-core/RSpec/Core/Example.html,
https://rspec.info/documentation/3.13/rspec-core/RSpec/Core/Configuration.html, https://docs.seattlerb.org/minitest/
"""

from __future__ import annotations

from collections.abc import Iterator

import re2
import tree_sitter_ruby
from tree_sitter import Node

from checks.tampering.alteration import Weight
from checks.tampering.python.sighting import Sighting
from checks.tampering.ruby_assertions import SHAPE
from checks.tampering.sightings import Looks, View
from checks.tampering.syntax import Grammar

_GRAMMAR = Grammar(
    tree_sitter_ruby.language(),
    atoms=("string", "simple_symbol", "regex", "heredoc_body", "subshell"),
    comments=("comment",),
    wanted=(
        *("call", "method", "singleton_method", "assignment", "element_reference", "unary", "binary", "class"),
        *("module", "identifier", "rescue_modifier"),
    ),
)
_SIGN = re2.compile(
    rb"\bexit|\babort|at_exit|after_run|RAILS_ENV|RACK_ENV|env\.test|defined\?|PROGRAM_NAME|\$0|\bcaller|\bENV\b|"
    rb"def (?:\w+\.)?(?:==|eql\?|equal\?|===|!=|assert|refute|expect|now\b)|set_exception|\.exception\s*=|"
    rb"failure_exit_code|failures|Matchers\.define|Minitest::Assertions|rescue nil|@exception|\baround\b"
)
_EXITS = frozenset({"exit!", "exit", "Process.exit!", "Process.exit", "Kernel.exit!", "Kernel.exit"})
_EQUALITIES = {"==": "true", "eql?": "true", "equal?": "true", "===": "true", "!=": "false"}
_RUNNERS = frozenset({"RSpec", "Minitest", "Test", "Cucumber", "SimpleCov"})
_OF_TESTS = re2.compile(r"(?i)rspec|minitest|\bspec|\btest")
_MATCHERS = frozenset({":eq", ":eql", ":be", ":equal", ":raise_error", ":include", ":match", ":be_nil", ":be_truthy"})
_RESULT = re2.compile(r"(?:.*\.)?(?:exception|failures|failure_exit_code|error|passed|execution_result\.status)")
_OUTCOME = re2.compile(r"nil|\[\]|0|true|:passed")
_DEFINED = ("method", "singleton_method", "class", "module")


def look(view: View, kind: str, node: Node) -> Iterator[Sighting]:
    """What one node is a sign of."""
    match kind:
        case "call" | "identifier":
            yield from _call(view, node)
        case "method" | "singleton_method":
            yield from _method(view, node)
        case "assignment":
            yield from _assigned(view, node)
        case "unary":
            text = view.text(node)
            if "defined?" in text and _RUNNERS & view.words(node):
                yield from view.detection(node, "whether a test runner is there", Weight.FAILED)
        case "binary" | "element_reference":
            yield from _environment(view, node)
        case "rescue_modifier":
            runs = {"run", "call"} & view.words(node) and view.inside("call") is not None
            if runs and view.is_test_file and _is_hook(view):
                reason = "What runs the examples here takes their errors and does not hand them on."
                yield view.sighting("outcome-rewritten", node, reason, Weight.FAILED)


def _is_hook(view: View) -> bool:
    calls = [view.read(node).name for kind, node in view.around if kind == "call"]
    return any(name.endswith("around") for name in calls)


def _call(view: View, node: Node) -> Iterator[Sighting]:
    read = view.read(node)
    name = node.child_by_field_name("method")
    if node.id in view.taken or not read.links:
        return
    if name is not None:
        view.taken.add(name.id)
    last, arguments = read.links[-1].name, read.links[-1].arguments or ()
    first = view.text(arguments[0]) if arguments else ""
    if read.start is not None:
        yield from _of_expression(view, node, view.text(read.start), last, first)
    elif read.name in _EXITS:
        yield from _exit(view, node, first)
    elif read.name in ("at_exit", "Minitest.after_run", "Kernel.at_exit") and view.is_test_file:
        ends = not {"exit", "exit!"}.isdisjoint(view.words(node))
        reason = "Something runs when the process of the tests ends, which can change how it ends."
        yield view.sighting("early-exit", node, reason, Weight.FAILED if ends else Weight.PERSON)
    elif last == "around" and view.is_test_file and _drops_example(view, node):
        yield view.sighting("tests-deselected", node, "This hook does not run the example around it.", Weight.FAILED)
    elif last == "test?" and "env" in read.name:
        yield from view.detection(node, "whether it runs for tests", Weight.PERSON)
    else:
        yield from _rewritten(view, node, read.name, first)


def _drops_example(view: View, call: Node) -> bool:
    """Whether a block does nothing with the example that it gets: https://rspec.info/features/3-13/rspec-core/hooks/"""
    block = call.child_by_field_name("block")
    given = None if block is None else block.child_by_field_name("parameters")
    if block is None or given is None:
        return False
    words = view.syntax.words(block)
    return all(words.count(name) == 1 for name in view.words(given) if name.isidentifier())


def _of_expression(view: View, node: Node, start: str, last: str, first: str) -> Iterator[Sighting]:
    if start == "RSpec::Matchers" and last == "define" and first in _MATCHERS:
        yield view.sighting("assertion-patched", node, f"The matcher `{first}` is replaced.", Weight.FAILED)
    else:
        yield from _program(view, node)


def _exit(view: View, node: Node, code: str) -> Iterator[Sighting]:
    at_load = view.inside("method", "singleton_method") is None and not view.syntax.source.startswith(b"#!")
    is_success = code in ("", "0", "true")
    return view.exit(node, is_success=is_success, at_load=at_load and view.inside("call") is None)


def _rewritten(view: View, node: Node, name: str, first: str) -> Iterator[Sighting]:
    last = name.rpartition(".")[2]
    sets = last in ("set_exception", "exception=") or (last == "instance_variable_set" and first == ":@exception")
    clears = name.endswith("failures.clear")
    asks = name.startswith("caller") and last != "caller" and _OF_TESTS.search(view.text(node))
    if sets or clears:
        yield view.sighting("outcome-rewritten", node, "Results of tests are rewritten.", Weight.FAILED)
    elif asks:
        yield from view.detection(node, "who calls it, and speaks of tests", Weight.FAILED)


def _method(view: View, node: Node) -> Iterator[Sighting]:
    name = view.field(node, "name")
    if name in _EQUALITIES and view.constant(node) == _EQUALITIES[name]:
        yield view.always_equal(node, name)
    elif name == "now" and node.type == "singleton_method" and view.field(node, "object") in ("Time", "self"):
        owner = view.inside("class")
        if view.field(node, "object") == "Time" or (owner is not None and view.field(owner, "name") == "Time"):
            yield view.sighting("clock-patched", node, "The clock `Time.now` is replaced.", Weight.PERSON)
    elif name.startswith(("assert", "refute")) and _is_framework(view):
        yield view.sighting("assertion-patched", node, f"`{name}` is replaced.", Weight.FAILED)


def _is_framework(view: View) -> bool:
    """Whether the class or module around is one of the framework's own."""
    names = ".".join(view.field(node, "name") for kind, node in view.around if kind in ("class", "module"))
    return names.replace("::", ".") in ("Minitest.Assertions", "Minitest.Test", "Test.Unit.Assertions")


def _assigned(view: View, node: Node) -> Iterator[Sighting]:
    left, right = view.field(node, "left"), view.field(node, "right")
    if view.is_test_file and _RESULT.fullmatch(left) and _OUTCOME.fullmatch(right) and "." in left:
        yield view.sighting("outcome-rewritten", node, "Results of tests are rewritten.", Weight.FAILED)


def _environment(view: View, node: Node) -> Iterator[Sighting]:
    text = view.text(node)
    if node.type == "element_reference":
        if text in ('ENV["CI"]', 'ENV["GITHUB_ACTIONS"]'):
            yield from view.detection(node, "whether CI runs it", Weight.PERSON)
    elif '"test"' in text and ("RAILS_ENV" in text or "RACK_ENV" in text):
        yield from view.detection(node, "whether it runs for tests", Weight.PERSON)
    elif view.field(node, "operator") in ("==", "=~"):
        yield from _program(view, node)


def _program(view: View, node: Node) -> Iterator[Sighting]:
    text = view.text(node)
    if ("$0" in text or "PROGRAM_NAME" in text) and _OF_TESTS.search(text):
        yield from view.detection(node, "whether its program is a test runner", Weight.FAILED)


LOOKS = Looks(lambda _: _GRAMMAR, SHAPE, _SIGN, look)
