"""Which assertions a call of Go makes: package testing itself, testify, gotest.tools, gomega, quicktest, is, GoConvey.

From their documentation: https://pkg.go.dev/testing, https://pkg.go.dev/github.com/stretchr/testify/assert,
https://pkg.go.dev/gotest.tools/v3/assert, https://onsi.github.io/gomega/, https://pkg.go.dev/github.com/frankban/quicktest,
https://pkg.go.dev/github.com/matryer/is, https://pkg.go.dev/github.com/google/go-cmp/cmp
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import re2
from tree_sitter import Node

from checks.tampering.chains import Chain, Shape, chain
from checks.tampering.conditions import asserted
from checks.tampering.matchers import Form, Said
from checks.tampering.statements import each, of_function, of_matcher
from checks.tampering.syntax import Syntax, parts

SHAPE = Shape(
    call="call_expression",
    callee="function",
    members=frozenset({"selector_expression"}),
    receiver="operand",
    name="field",
    unwrap=frozenset({"parenthesized_expression"}),
)
FAILS = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
SKIPS = frozenset({"Skip", "Skipf", "SkipNow"})
_TESTERS = frozenset({"t", "tb", "b", "f", "tt", "c", "T"})  # what people call a *testing.T; `T` of `s.T().Fatal()`
_OFFERS = frozenset({"assert", "require", "is", "qt", "suite", "s", "c", "Require", "Assert", "a", "r", "as", "rq"})
_CUSTOM = re2.compile(r"(?:assert|expect|verify|check|require|must|Assert|Expect|Verify|Check|Require)[A-Z_]\w*")

# testify's arguments after the `t`; a trailing `f` (`Equalf`) takes a message only.
_FUNCTIONS: Mapping[str, Form] = {
    **each(
        "Equal EqualValues Exactly Same JSONEq YAMLEq ElementsMatch DeepEqual EqualExportedValues", Form("equal", 1, 0)
    ),
    **each("NotEqual NotEqualValues NotSame", Form("equal", 1, 0, negated=True)),
    **each("True Assert Check", Form("truthy")),
    **each("False", Form("truthy", negated=True)),
    **each("Nil NoError NilError NoErr", Form("none")),
    "NotNil": Form("none", negated=True),
    **each("Error Err", Form("raises")),
    **each("ErrorIs ErrorAs ErrorContains EqualError ErrorType", Form("raises", 0, 1)),
    **each("Panics", Form("raises")),
    **each("PanicsWithValue PanicsWithError", Form("raises", 1, 0)),
    **each("NotPanics", Form("raises", negated=True)),
    **each("Empty Zero", Form("length", fixed="0")),
    **each("NotEmpty NotZero", Form("length", fixed="0", negated=True)),
    "Len": Form("length", 0, 1),
    **each("Contains Subset", Form("contains", 0, 1)),
    **each("NotContains NotSubset", Form("contains", 0, 1, negated=True)),
    **each("Regexp", Form("matches", 1, 0)),
    **each("NotRegexp", Form("matches", 1, 0, negated=True)),
    **each("IsType Implements", Form("type", 1, 0)),
    "Greater": Form("compare", 0, 1, sign=">"),
    "GreaterOrEqual": Form("compare", 0, 1, sign=">="),
    "Less": Form("compare", 0, 1, sign="<"),
    "LessOrEqual": Form("compare", 0, 1, sign="<="),
    **each("Positive", Form("compare", fixed="0", sign=">")),
    **each("Negative", Form("compare", fixed="0", sign="<")),
    **each("InDelta InEpsilon WithinDuration InDeltaSlice", Form("close", 1, 0, tolerance=2)),
    **each("Eventually EventuallyWithT Condition", Form("truthy")),
}
# What follows in `Expect(x).To(Equal(1))`, `c.Assert(x, qt.Equals, 1)` and `So(x, ShouldEqual, 1)`.
_MATCHERS: Mapping[str, Form] = {
    **each("Equal BeEquivalentTo Equals DeepEquals ShouldEqual ShouldResemble CmpEquals", Form("equal", None, 0)),
    **each("BeNil IsNil ShouldBeNil Succeed", Form("none", None)),
    **each("HaveOccurred", Form("none", None, negated=True)),
    **each("BeTrue IsTrue ShouldBeTrue", Form("equal", None, fixed="true")),
    **each("BeFalse IsFalse ShouldBeFalse", Form("equal", None, fixed="false")),
    **each("HaveLen HasLen ShouldHaveLength", Form("length", None, 0)),
    **each("BeEmpty ShouldBeEmpty", Form("length", None, fixed="0")),
    **each("ContainElement ContainElements ContainSubstring HaveKey Contains ShouldContain", Form("contains", None, 0)),
    **each("MatchRegexp Matches", Form("matches", None, 0)),
    **each("MatchError ErrorMatches ErrorIs Panic PanicWith", Form("raises", None, 0)),
    **each("BeNumerically", Form("compare", None, 0, sign="is")),
    **each("ShouldNotEqual", Form("equal", None, 0, negated=True)),
    **each("ShouldNotBeNil IsNotNil NotNil", Form("none", None, negated=True)),
}
_POSITIVE = frozenset({"To", "Should"})
_NEGATIVE = frozenset({"NotTo", "ToNot", "ShouldNot"})
_SAME = frozenset(
    {"reflect.DeepEqual", "cmp.Equal", "bytes.Equal", "slices.Equal", "maps.Equal", "strings.EqualFold", "proto.Equal"}
)
_DIFFERENCES = frozenset({"cmp.Diff", "diff.Diff", "pretty.Compare"})
_HOLDS = {
    **dict.fromkeys(("strings.Contains", "strings.HasPrefix", "strings.HasSuffix", "slices.Contains"), "contains"),
    **dict.fromkeys(("bytes.Contains", "bytes.HasPrefix"), "contains"),
    **dict.fromkeys(("errors.Is", "errors.As"), "raises"),
}


def read_assertions(syntax: Syntax, read: Chain) -> Iterator[Said]:
    """What the chain asserts; nothing for a plain call."""
    links = read.links
    arguments = without_tester(syntax, links[-1].arguments or ())
    name = links[-1].name
    if is_failure(read):
        yield Said("custom:fail", "")
    elif name in _POSITIVE | _NEGATIVE and len(links) > 1 and links[-2].arguments and arguments:
        target = syntax.short(links[-2].arguments[0])
        yield _constrained(syntax, target, arguments[0], (), negated=name in _NEGATIVE)
    elif len(arguments) > 1 and (name == "So" or (name in ("Assert", "Check") and links[0].name in ("c", "qt"))):
        target = syntax.short(arguments[0])
        yield _constrained(syntax, target, arguments[1], arguments[2:], negated=False)
    else:
        yield from _function(syntax, read, arguments)


def is_failure(read: Chain) -> bool:
    """Whether it fails the test at once: `t.Fatal(…)`, `panic(…)`."""
    return _is_of_tester(read, FAILS) or (len(read.links) == 1 and read.name == "panic")


def is_skip(read: Chain) -> bool:
    return _is_of_tester(read, SKIPS)


def without_tester(syntax: Syntax, arguments: Sequence[Node]) -> Sequence[Node]:
    """The arguments after the `t` that all of testify's functions take first."""
    is_tester = bool(arguments) and syntax.short(arguments[0]).removesuffix("()").rpartition(".")[2] in (
        *_TESTERS,
        "GinkgoT",
    )
    return arguments[1:] if is_tester else arguments


def failing_if(syntax: Syntax, condition: Node, initializer: Node | None) -> Iterator[Said]:
    """What must not hold where a test fails under that condition; names of the initializer are read through."""
    stands_for = _bound(syntax, initializer)
    for said in asserted(syntax, condition, lambda node: known(syntax, node), negated=True):
        call = stands_for.get(said.target)
        read = None if call is None else chain(syntax, SHAPE, call)
        if call is None or read is None:
            yield said
        elif read.name in _DIFFERENCES and len(read.links[-1].arguments or ()) > 1:
            want, got, *_ = read.links[-1].arguments or ()
            yield Said("equal", syntax.short(got), syntax.short(want))
        else:
            yield Said(said.matcher, syntax.short(call), said.expected, said.negated, sign=said.sign)


def known(syntax: Syntax, node: Node) -> Said | None:
    """A call with a meaning of its own as a condition."""
    read = chain(syntax, SHAPE, node)
    arguments = read.links[-1].arguments if read.links else None
    if arguments is None or len(arguments) < 2:
        return None
    first, second = syntax.short(arguments[0]), syntax.short(arguments[1])
    if read.name in _SAME:
        return Said("equal", first, second)
    return Said(_HOLDS[read.name], first, second) if read.name in _HOLDS else None


def _is_of_tester(read: Chain, names: frozenset[str]) -> bool:
    return len(read.links) > 1 and read.links[-1].name in names and read.links[-2].name in _TESTERS


def _bound(syntax: Syntax, initializer: Node | None) -> dict[str, Node]:
    """The value behind each name of `if a, b := f(); …`."""
    left = initializer.child_by_field_name("left") if initializer is not None else None
    right = initializer.child_by_field_name("right") if initializer is not None else None
    if left is None or right is None or not parts(right):
        return {}
    return {syntax.short(name): parts(right)[0] for name in parts(left)}


def _constrained(syntax: Syntax, target: str, matcher: Node, rest: Sequence[Node], *, negated: bool) -> Said:
    """`Equal(1)`, `Not(Equal(1))`, or `qt.Equals` with its arguments behind it."""
    name, own = _matcher(syntax, matcher, rest)
    if name == "Not" and own:
        negated = not negated
        name, own = _matcher(syntax, own[0], own[1:] or rest)
    return of_matcher(syntax, _MATCHERS.get(name, Form(f"custom:{name}", None, 0)), target, own, negated=negated)


def _matcher(syntax: Syntax, matcher: Node, rest: Sequence[Node]) -> tuple[str, Sequence[Node]]:
    read = chain(syntax, SHAPE, matcher)
    last = read.links[-1] if read.links else None
    return ("", rest) if last is None else (last.name, last.arguments or rest)


def _function(syntax: Syntax, read: Chain, arguments: Sequence[Node]) -> Iterator[Said]:
    name = read.links[-1].name
    is_offered = len(read.links) > 1 and read.links[-2].name in _OFFERS
    form = _FUNCTIONS.get(name) or _FUNCTIONS.get(name.removesuffix("f")) if is_offered else None
    if form is None and _CUSTOM.fullmatch(name):
        form = Form(f"custom:{name}", expected=1)
    if form is not None:
        yield from of_function(syntax, form, arguments, lambda node: known(syntax, node))
