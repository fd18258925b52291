"""Which assertions a call of C# makes: xUnit, NUnit, MSTest, FluentAssertions, Shouldly, Moq, NSubstitute, Verify.

From their documentation: https://xunit.net/docs/comparisons, https://docs.nunit.org/articles/nunit/writing-tests/assertions/,
https://learn.microsoft.com/dotnet/api/microsoft.visualstudio.testtools.unittesting.assert,
https://fluentassertions.com/introduction, https://docs.shouldly.org/, https://github.com/devlooped/moq/wiki/Quickstart,
https://nsubstitute.github.io/help/received-calls/, https://github.com/VerifyTests/Verify
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import re2
from tree_sitter import Node

from checks.tampering.chains import Chain, Shape, chain
from checks.tampering.conditions import refined
from checks.tampering.matchers import Form, Said, is_literal
from checks.tampering.statements import each, of_function, of_matcher
from checks.tampering.syntax import Syntax, demanded, first_part, last_part

SHAPE = Shape(
    call="invocation_expression",
    callee="function",
    members=frozenset({"member_access_expression"}),
    receiver="expression",
    name="name",
    unwrap=frozenset({"parenthesized_expression", "postfix_unary_expression", "await_expression"}),
)
_CUSTOM = re2.compile(r"(?:Assert|Expect|Verify|Check|Should)[A-Z_]\w*")
_NUMBER = re2.compile(r"(?i)-?[\d.][\w.-]*|\w*(?:delta|epsilon|toleran|precision|eps)\w*")
_OFFERS = frozenset({"Assert", "CollectionAssert", "StringAssert", "ClassicAssert", "FileAssert", "DirectoryAssert"})
# Functions of `Assert` and its like. `Throws<X>` stands here without its type.
_FUNCTIONS: Mapping[str, Form] = {
    **each("Equal AreEqual", Form("equal", 1, 0, tolerance=2)),
    **each("StrictEqual Same AreSame Equivalent AreEquivalent", Form("equal", 1, 0)),
    **each("NotEqual AreNotEqual NotSame AreNotSame NotStrictEqual", Form("equal", 1, 0, negated=True)),
    **each("True IsTrue", Form("truthy")),
    **each("False IsFalse", Form("truthy", negated=True)),
    **each("Null IsNull", Form("none")),
    **each("NotNull IsNotNull", Form("none", negated=True)),
    **each("Empty IsEmpty", Form("length", fixed="0")),
    **each("NotEmpty IsNotEmpty", Form("length", fixed="0", negated=True)),
    "Single": Form("length", fixed="1"),
    "HasCount": Form("length", 1, 0),
    **each("Contains StartsWith EndsWith Subset AllItemsAreInstancesOfType", Form("contains", 1, 0)),
    **each("DoesNotContain", Form("contains", 1, 0, negated=True)),
    **each("Matches IsMatch", Form("matches", 1, 0)),
    **each("DoesNotMatch", Form("matches", 1, 0, negated=True)),
    **each("IsType IsAssignableFrom IsInstanceOf IsInstanceOfType", Form("type", 0, 1)),
    "InRange": Form("compare", 0, 1, sign="within"),
    "Greater": Form("compare", 0, 1, sign=">"),
    "GreaterOrEqual": Form("compare", 0, 1, sign=">="),
    "Less": Form("compare", 0, 1, sign="<"),
    "LessOrEqual": Form("compare", 0, 1, sign="<="),
    **each(
        "Throws ThrowsAsync ThrowsAny ThrowsAnyAsync ThrowsException ThrowsExceptionAsync ThrowsExactly Catch"
        " ThrowsExactlyAsync CatchAsync",
        Form("raises"),
    ),
    **each("DoesNotThrow DoesNotThrowAsync", Form("raises", negated=True)),
}
# FluentAssertions after `Should()`, and Shouldly's `ShouldBe` without its first word.
_SHOULD: Mapping[str, Form] = {
    **each("Be BeEquivalentTo BeSameAs Equal HaveValue BeExactly", Form("equal", None, 0)),
    **each("NotBe NotBeEquivalentTo NotEqual NotBeSameAs", Form("equal", None, 0, negated=True)),
    **each("BeApproximately BeCloseTo", Form("close", None, 0, tolerance=1)),
    **each("Contain StartWith EndWith ContainKey ContainEquivalentOf ContainInOrder", Form("contains", None, 0)),
    **each("NotContain", Form("contains", None, 0, negated=True)),
    **each("Match MatchRegex", Form("matches", None, 0)),
    **each("BeOfType BeAssignableTo", Form("type", None, 0)),
    **each("HaveCount HaveLength", Form("length", None, 0)),
    "ContainSingle": Form("length", None, fixed="1"),
    **each("BeEmpty", Form("length", None, fixed="0")),
    **each("NotBeEmpty NotBeNullOrEmpty", Form("length", None, fixed="0", negated=True)),
    **each("BeTrue", Form("equal", None, fixed="true")),
    **each("BeFalse", Form("equal", None, fixed="false")),
    **each("BeNull", Form("none", None)),
    **each("NotBeNull", Form("none", None, negated=True)),
    **each("BeGreaterThan BePositive", Form("compare", None, 0, sign=">", fixed="0")),
    **each("BeGreaterThanOrEqualTo BeGreaterOrEqualTo", Form("compare", None, 0, sign=">=")),
    **each("BeLessThan BeNegative", Form("compare", None, 0, sign="<", fixed="0")),
    **each("BeLessThanOrEqualTo BeLessOrEqualTo", Form("compare", None, 0, sign="<=")),
    "BeInRange": Form("compare", None, 0, sign="within"),
    **each("Throw ThrowExactly ThrowAsync ThrowExactlyAsync", Form("raises", None, 0)),
    **each("NotThrow NotThrowAsync", Form("raises", None, negated=True)),
}
_AFTER = frozenset({"And", "Which", "Subject", "WithMessage", "Because", "Where", "WithInnerException"})
# NUnit's constraints after `Is`, `Has`, `Does` and `Throws`.
_CONSTRAINTS: Mapping[str, Form] = {
    **each("EqualTo SameAs EquivalentTo", Form("equal", None, 0)),
    "Null": Form("none", None),
    "True": Form("equal", None, fixed="true"),
    "False": Form("equal", None, fixed="false"),
    "Empty": Form("length", None, fixed="0"),
    "Zero": Form("equal", None, fixed="0"),
    **each("GreaterThan Positive", Form("compare", None, 0, sign=">", fixed="0")),
    **each("GreaterThanOrEqualTo AtLeast", Form("compare", None, 0, sign=">=")),
    **each("LessThan Negative", Form("compare", None, 0, sign="<", fixed="0")),
    **each("LessThanOrEqualTo AtMost", Form("compare", None, 0, sign="<=")),
    "InRange": Form("compare", None, 0, sign="within"),
    **each("Contain Contains Member StartWith EndWith SupersetOf", Form("contains", None, 0)),
    **each("Match", Form("matches", None, 0)),
    **each("InstanceOf AssignableTo", Form("type", None, 0)),
}
_HOLDS = {
    **dict.fromkeys(("Contains", "StartsWith", "EndsWith", "ContainsKey", "Any"), "contains"),
    **dict.fromkeys(("Equals", "SequenceEqual"), "equal"),
}


@dataclass(frozen=True, slots=True)
class Word:
    """A link of a chain; `type` is its type argument (`X` of `Throws<X>(f)`), the arguments are values alone."""

    name: str
    type: str | None
    arguments: tuple[Node, ...] | None
    node: Node


def words_of(read: Chain) -> list[Word]:
    words = []
    for link in read.links:
        name, _, rest = link.name.partition("<")
        values = None if link.arguments is None else tuple(map(_value, link.arguments))
        words.append(Word(name, rest.removesuffix(">") or None, values, link.node))
    return words


def read_assertions(syntax: Syntax, read: Chain) -> Iterator[Said]:
    """What the chain asserts; nothing for a plain call."""
    words, start = words_of(read), read.start
    if start is not None and is_optional(read) and syntax.words(start)[-1] == "Should":  # `x?.Should().Be(1)`
        words[0], start = replace(words[0], name="Should"), first_part(start)
    place = next((number for number, word in enumerate(words) if word.name.startswith("Should")), None)
    before = start if place == 0 else words[(place or 0) - 1].node
    if place is not None and before is not None:
        yield from _should(syntax, before, words[place:])
    elif is_failure(read):
        yield Said("custom:fail", "")
    elif words[0].name in _OFFERS and len(words) > 1:
        yield from _function(syntax, words[1])
    else:
        yield from _others(syntax, words)


def is_failure(read: Chain) -> bool:
    """`Assert.Fail("…")`"""
    return len(read.links) == 2 and read.links[0].name in _OFFERS and read.links[1].name == "Fail"


def is_optional(read: Chain) -> bool:
    """Whether it says nothing of a null: `x?.Should().Be(1)`."""
    return read.start is not None and read.start.type == "conditional_access_expression"


def known(syntax: Syntax, node: Node) -> Said | None:
    """A condition that is a call or a pattern with a meaning of its own."""
    if node.type == "is_pattern_expression":
        return _matched(syntax, demanded(node, "expression"), demanded(node, "pattern"))
    if node.type == "is_expression":
        return Said("type", syntax.short(demanded(node, "left")), syntax.short(demanded(node, "right")))
    words = words_of(chain(syntax, SHAPE, node))
    if len(words) < 2 or not words[-1].arguments or words[-1].name not in _HOLDS:
        return None
    return Said(_HOLDS[words[-1].name], syntax.short(words[-2].node), syntax.short(*words[-1].arguments))


def _matched(syntax: Syntax, value: Node, pattern: Node) -> Said:
    """`x is null`, `x is not Foo`."""
    negated = pattern.type == "negated_pattern"
    inside = (first_part(pattern) if negated else pattern) or pattern
    text = syntax.short(inside)
    if text == "null":
        return Said("none", syntax.short(value), negated=negated)
    is_type = not is_literal(text) and text.replace(".", "").isidentifier()
    return Said("type" if is_type else "matches", syntax.short(value), text, negated)


def _value(argument: Node) -> Node:
    """Without the name, or the `ref`, of an argument."""
    return (last_part(argument) if argument.type == "argument" else argument) or argument


def _should(syntax: Syntax, about: Node, words: Sequence[Word]) -> Iterator[Said]:
    """`x.Should().Be(1)`, `x.ShouldBe(1)`. Reasons after the expected value are left out."""
    target, first = syntax.short(about), words[0]
    said_words = words[1:] if first.name == "Should" else [replace(first, name=first.name.removeprefix("Should"))]
    if not said_words:
        yield Said("constant", target)
    for word in said_words:
        if word.arguments is None or word.name in _AFTER:
            continue
        form = _SHOULD.get(word.name, Form(f"custom:{word.name}", None, 0))
        own = word.arguments if form.tolerance is not None or word.name == "Equal" else word.arguments[:1]
        said = of_matcher(syntax, form, target, own, negated=False)
        said = replace(said, expected=word.type) if word.type else said
        yield from refined(syntax, said, about, lambda node: known(syntax, node))


def _function(syntax: Syntax, word: Word) -> Iterator[Said]:
    arguments = word.arguments or ()
    if word.name == "That" and len(arguments) > 1 and (said := _constrained(syntax, arguments[0], arguments[1])):
        yield from refined(syntax, said, arguments[0], lambda node: known(syntax, node))
        return
    form = Form("truthy") if word.name == "That" else _FUNCTIONS.get(word.name)
    if form is None or not arguments:
        return
    if word.type is not None or len(arguments) == 1:  # `Throws<X>(f)`; `Contains` of a set and a condition
        form = replace(form, target=0, expected=None)
    if form.tolerance is not None:
        form = _bounded(syntax, form, arguments)
    for said in of_function(syntax, form, arguments, lambda node: known(syntax, node)):
        yield replace(said, expected=word.type) if word.type else said


def _bounded(syntax: Syntax, form: Form, arguments: Sequence[Node]) -> Form:
    """The third argument is a message, a comparer, or a bound: xUnit's whole number is one of decimal places."""
    third = syntax.short(arguments[2]) if len(arguments) > 2 else ""
    if not _NUMBER.fullmatch(third):
        return replace(form, tolerance=None)
    return replace(form, matcher="close", places=third if third.isdecimal() else None)


def _constrained(syntax: Syntax, about: Node, constraint: Node) -> Said | None:
    """NUnit: `Is.Not.EqualTo(1)`, `Has.Count.EqualTo(2)`, `Throws.TypeOf<X>()`. None where it is only a message."""
    words = words_of(chain(syntax, SHAPE, constraint))
    names = [word.name for word in words]
    if not words or names[0] not in ("Is", "Has", "Does", "Throws", "Contains"):
        return None
    target, negated = syntax.short(about), "Not" in names or "No" in names
    if names[0] == "Throws":
        error = words[-1].type or (names[1].removesuffix("Nothing") if len(names) > 1 else "")
        return Said("raises", target, error or None, "Nothing" in names)
    word = next((word for word in words if word.name in _CONSTRAINTS and word.name != "Contains"), words[-1])
    form = _CONSTRAINTS.get(word.name, Form(f"custom:{word.name}", None, 0))
    said = of_matcher(syntax, form, target, word.arguments or (), negated=negated)
    bound = next((syntax.short(*word.arguments) for word in words if word.name == "Within" and word.arguments), None)
    if bound is not None:
        said = replace(said, matcher="close", tolerance=bound)
    if {"Length", "Count"} & set(names[:-1]) and said.matcher == "equal":
        said = replace(said, matcher="length")
    return replace(said, expected=word.type) if word.type else said


def _others(syntax: Syntax, words: Sequence[Word]) -> Iterator[Said]:
    """Mocks, snapshots, and functions of the project's own."""
    last, arguments = words[-1], words[-1].arguments or ()
    received = next((word for word in words if word.name in ("Received", "DidNotReceive", "ReceivedWithAnyArgs")), None)
    if received is not None and received is not words[0]:
        base = syntax.short(words[words.index(received) - 1].node)
        expected = syntax.short(*arguments, *(received.arguments or ())) or None
        yield Said("called", f"{base}.{last.name}", expected, received.name == "DidNotReceive")
    elif last.name in ("Verify", "VerifyAsync", "VerifyAll", "VerifyNoOtherCalls") and len(words) > 1:
        base = syntax.short(words[-2].node)
        times = syntax.short(*arguments[1:]) or None
        target = ".".join((base, syntax.short(*arguments[:1]))).removesuffix(".")
        yield Said(
            "called",
            target,
            times,
            negated=last.name == "VerifyNoOtherCalls" or (times or "").startswith("Times.Never"),
        )
    elif last.name == "Verify" and arguments:
        yield Said("snapshot", syntax.short(arguments[0]))
    elif _CUSTOM.fullmatch(last.name) and arguments:
        yield Said(f"custom:{last.name}", syntax.short(arguments[0]), syntax.short(*arguments[1:2]) or None)
