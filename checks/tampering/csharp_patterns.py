"""What sources of C# can do to a test run besides changing tests.

Sources: https://learn.microsoft.com/dotnet/api/system.environment.exit,
https://docs.nunit.org/articles/nunit/extending-nunit/Custom-Attributes.html (wrapped commands),
https://xunit.net/docs/getting-started/v3/capture-output
"""

from __future__ import annotations

from collections.abc import Iterator

import re2
import tree_sitter_c_sharp
from tree_sitter import Node

from checks.tampering.alteration import Weight
from checks.tampering.csharp_assertions import SHAPE
from checks.tampering.python.sighting import Sighting
from checks.tampering.sightings import Looks, View
from checks.tampering.syntax import Grammar

_GRAMMAR = Grammar(
    tree_sitter_c_sharp.language(),
    atoms=("string_literal", "verbatim_string_literal", "raw_string_literal", "character_literal"),
    comments=("comment",),
    wanted=(
        *("invocation_expression", "method_declaration", "operator_declaration", "class_declaration"),
        *("constructor_declaration", "namespace_declaration", "file_scoped_namespace_declaration"),
    ),
)
_SIGN = re2.compile(
    rb"Environment\.(?:Exit|FailFast|GetEnv)|GetCurrentProcess|GetAssemblies|StackTrace|\bEquals\(|operator\s*[!=]=|"
    rb"SetResult|class (?:\w*Assert|Should)\b|namespace (?:Xunit|NUnit|Microsoft\.VisualStudio)"
)
_OF_TESTS = re2.compile(r"(?i)xunit|nunit|mstest|testhost|\btests?\b")
_ASSERTIONS = frozenset({"Assert", "CollectionAssert", "StringAssert", "ClassicAssert"})
_FRAMEWORKS = ("Xunit", "NUnit.Framework", "Microsoft.VisualStudio.TestTools")


def look(view: View, kind: str, node: Node) -> Iterator[Sighting]:
    """What one node is a sign of."""
    match kind:
        case "invocation_expression":
            yield from _call(view, node)
        case "method_declaration":
            if view.field(node, "name") == "Equals" and view.constant(node) == "true":
                yield view.always_equal(node, "Equals")
        case "operator_declaration":
            answer = {"==": "true", "!=": "false"}.get(view.field(node, "operator"))
            if answer is not None and view.constant(node) == answer:
                yield view.always_equal(node, f"operator {view.field(node, 'operator')}")
        case "class_declaration":
            name = view.field(node, "name")
            if name in _ASSERTIONS:
                yield view.sighting("assertion-patched", node, f"`{name}` is another class here.", Weight.FAILED, name)
        case "namespace_declaration" | "file_scoped_namespace_declaration":
            name = view.field(node, "name")
            if name.startswith(_FRAMEWORKS):
                reason = f"Something is put into {name}, where the test framework's own classes are."
                yield view.sighting("runner-shadowed", node, reason, Weight.FAILED, name)


def _call(view: View, node: Node) -> Iterator[Sighting]:
    read = view.read(node)
    arguments = read.links[-1].arguments or ()
    first, text = (view.text(arguments[0]) if arguments else ""), view.text(node)
    if read.name in ("Environment.Exit", "System.Environment.Exit"):
        yield from view.exit(node, is_success=first == "0", at_load=_is_static(view))
    elif read.name.endswith("GetCurrentProcess.Kill") and view.is_test_file:
        yield from view.exit(node, is_success=True, at_load=False)
    elif read.name.endswith("GetEnvironmentVariable") and first in ('"CI"', '"GITHUB_ACTIONS"'):
        yield from view.detection(node, "whether CI runs it", Weight.PERSON)
    elif ("GetAssemblies" in text or "StackTrace" in text) and _OF_TESTS.search(text):
        yield from view.detection(node, "whether a test runner is there", Weight.FAILED)
    elif read.links[-1].name == "SetResult" and first.endswith("Success"):
        yield view.sighting("outcome-rewritten", node, "Results of tests are rewritten.", Weight.FAILED)


def _is_static(view: View) -> bool:
    """In a static constructor, which runs when the class is first used."""
    constructor = view.inside("constructor_declaration")
    return constructor is not None and "static" in view.words(constructor)


LOOKS = Looks(lambda _: _GRAMMAR, SHAPE, _SIGN, look)
