"""Which assertions a call of Ruby makes: RSpec, Minitest with its specs, Test::Unit, Rails.

From their documentation: https://rspec.info/features/3-13/rspec-expectations/built-in-matchers/,
https://docs.seattlerb.org/minitest/Minitest/Assertions.html and …/Expectations.html,
https://test-unit.github.io/test-unit/en/Test/Unit/Assertions.html,
https://guides.rubyonrails.org/testing.html#rails-specific-assertions
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import re2
from tree_sitter import Node

from checks.tampering.chains import Chain, Link, Shape, chain
from checks.tampering.conditions import refined
from checks.tampering.matchers import Form, Said
from checks.tampering.statements import each, of_function, of_matcher
from checks.tampering.syntax import Syntax

SHAPE = Shape(
    call="call",
    callee="",
    members=frozenset({"call"}),
    receiver="receiver",
    name="method",
    unwrap=frozenset({"parenthesized_statements"}),
)
_CUSTOM = re2.compile(r"(?:assert|refute|expect|verify|check|should|must|wont)_\w+[?!]?")
_POSITIVE, _NEGATIVE = frozenset({"to", "should"}), frozenset({"not_to", "to_not", "should_not"})
FAILS = frozenset({"flunk", "raise", "fail"})
# RSpec's matchers after `expect(x).to`; `be_…` of an unknown name is a question to the target.
_MATCHERS: Mapping[str, Form] = {
    **each("eq eql equal be match_array contain_exactly", Form("equal", None, 0)),
    **each("be_within", Form("close", None, 1, tolerance=0)),
    **each("include start_with end_with have_key have_attributes a_hash_including cover", Form("contains", None, 0)),
    **each("match", Form("matches", None, 0)),
    **each("be_a be_an be_kind_of be_instance_of be_a_kind_of respond_to", Form("type", None, 0)),
    **each("be_empty", Form("length", None, fixed="0")),
    **each("be_nil", Form("none", None)),
    **each("be_truthy be_present exist", Form("truthy", None)),
    **each("be_falsey be_falsy", Form("truthy", None, negated=True)),
    **each("raise_error raise_exception", Form("raises", None, 0)),
    **each("receive have_received", Form("called", None, 0)),
    **each("match_snapshot", Form("snapshot", None)),
}
_FUNCTIONS: Mapping[str, Form] = {
    **each("assert assert_predicate", Form("truthy")),
    **each("refute assert_not deny", Form("truthy", negated=True)),
    **each("assert_equal assert_same", Form("equal", 1, 0)),
    **each("refute_equal assert_not_equal refute_same assert_not_same", Form("equal", 1, 0, negated=True)),
    **each("assert_nil", Form("none")),
    **each("refute_nil assert_not_nil", Form("none", negated=True)),
    **each("assert_empty", Form("length", fixed="0")),
    **each("refute_empty assert_not_empty", Form("length", fixed="0", negated=True)),
    **each("assert_includes", Form("contains", 0, 1)),
    **each("refute_includes assert_not_includes", Form("contains", 0, 1, negated=True)),
    **each("assert_match", Form("matches", 1, 0)),
    **each("refute_match assert_no_match", Form("matches", 1, 0, negated=True)),
    **each("assert_in_delta assert_in_epsilon", Form("close", 1, 0, tolerance=2)),
    **each("assert_kind_of assert_instance_of", Form("type", 1, 0)),
    **each("assert_respond_to", Form("type", 0, 1)),
    **each("assert_true", Form("equal", fixed="true")),
    **each("assert_false", Form("equal", fixed="false")),
}
# Minitest's specs: `_(x).must_equal 1`, and `wont_…` for the opposite.
_SPECS: Mapping[str, Form] = {
    **each("equal be_same_as", Form("equal", None, 0)),
    **each("be_close_to be_within_delta be_within_epsilon", Form("close", None, 0, tolerance=1)),
    **each("include", Form("contains", None, 0)),
    **each("match", Form("matches", None, 0)),
    **each("be_kind_of be_instance_of respond_to", Form("type", None, 0)),
    **each("be_empty", Form("length", None, fixed="0")),
    **each("be_nil", Form("none", None)),
    **each("be", Form("truthy", None)),
    **each("raise", Form("raises", None, 0)),
}
_RAISES = frozenset({"assert_raises", "assert_raise", "assert_raises_with_message", "assert_throws"})
_HOLDS = {
    **dict.fromkeys(("include?", "key?", "start_with?", "end_with?"), "contains"),
    **dict.fromkeys(("is_a?", "kind_of?", "instance_of?", "respond_to?"), "type"),
    **dict.fromkeys(("eql?", "equal?"), "equal"),
    "match?": "matches",
}


def read_assertions(syntax: Syntax, read: Chain, node: Node) -> Iterator[Said]:
    """What the chain asserts; nothing for a plain call. `node` is the whole of it."""
    links = read.links
    if not links or links[0].name.startswith("allow"):
        return
    name, arguments = links[-1].name, links[-1].arguments or ()
    negated = name in _NEGATIVE
    if len(links) == 1 and name in ("should", "should_not") and arguments:  # `it { should be_valid }`
        yield from _matched(syntax, "subject", arguments[0], negated=negated)
        return
    if len(links) > 1 and name in _POSITIVE | _NEGATIVE and arguments:
        about, target = _about(syntax, links[-2])
        for said in _matched(syntax, target, arguments[0], negated=negated):
            yield from [said] if about is None else refined(syntax, said, about, lambda part: known(syntax, part))
    elif len(links) > 1 and name.partition("_")[0] in ("must", "wont"):
        yield _spec(syntax, links, name, arguments)
    elif len(links) == 1 and name in _RAISES:
        block = node.child_by_field_name("block")
        yield Said("raises", "" if block is None else syntax.short(block), syntax.short(*arguments) or None)
    elif len(links) == 1 and name == "flunk":
        yield Said("custom:fail", "")
    elif len(links) == 1 and arguments:
        yield from _function(syntax, name, arguments)
    elif len(links) == 1 and _CUSTOM.fullmatch(name):
        yield from _of_block(syntax, name, node)


def known(syntax: Syntax, node: Node) -> Said | None:
    """A condition that is a question with a meaning of its own."""
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type == "=~":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return None if left is None or right is None else Said("matches", syntax.short(left), syntax.short(right))
    links = chain(syntax, SHAPE, node).links
    if len(links) < 2:
        return None
    name, target = links[-1].name, syntax.short(links[-2].node)
    if name == "nil?":
        return Said("none", target)
    if name == "empty?":
        return Said("length", target, "0")
    return (
        Said(_HOLDS[name], target, syntax.short(*links[-1].arguments))
        if name in _HOLDS and links[-1].arguments
        else None
    )


def _about(syntax: Syntax, before: Link) -> tuple[Node | None, str]:
    """What `expect(x)`, `expect { x }`, `is_expected` and `x.should` are about."""
    if before.name not in ("expect", "is_expected", "_", "value"):
        return None, syntax.short(before.node)
    block = before.node.child_by_field_name("block")
    if before.arguments:
        return before.arguments[0], syntax.short(before.arguments[0])
    body = block.child_by_field_name("body") if block is not None else None
    return None, "subject" if body is None else syntax.short(body)


def _matched(syntax: Syntax, target: str, matcher: Node, *, negated: bool) -> Iterator[Said]:
    """`eq(1)`, `be > 3`, `be_within(0.1).of(3)`, `eq(1).and include(2)`."""
    operator, right = matcher.child_by_field_name("operator"), matcher.child_by_field_name("right")
    if matcher.type == "binary" and operator is not None and right is not None:
        equals = operator.type in ("==", "eq")
        yield Said(
            "equal" if equals else "compare", target, syntax.short(right), negated, sign="" if equals else operator.type
        )
        return
    read = chain(syntax, SHAPE, matcher)
    first = read.links[0] if read.links else Link(syntax.short(matcher), None, matcher)
    more = [link for link in read.links[1:] if link.name in ("and", "or") and link.arguments]
    if any(link.name == "or" for link in more):
        yield Said("any", target, syntax.short(matcher), negated)
        return
    own = [
        *(first.arguments or ()),
        *(one for link in read.links[1:] if link not in more for one in link.arguments or ()),
    ]
    yield _said(syntax, target, first.name, own, read, negated=negated)
    for link in more:
        yield from _matched_once(syntax, target, (link.arguments or ())[0], negated=negated)


def _matched_once(syntax: Syntax, target: str, matcher: Node, *, negated: bool) -> Iterator[Said]:
    read = chain(syntax, SHAPE, matcher)
    if read.links:
        yield _said(syntax, target, read.links[0].name, read.links[0].arguments or (), read, negated=negated)


def _said(syntax: Syntax, target: str, name: str, own: Sequence[Node], read: Chain, *, negated: bool) -> Said:
    if name == "change":
        return Said("custom:change", target, syntax.short(read.links[-1].node), negated)
    if name in ("receive", "have_received"):
        target = ".".join((target, syntax.short(*own[:1]).lstrip(":")))
        own = own[1:]
        times = [link.name for link in read.links[1:] if link.name in ("once", "twice", "never", "exactly", "at_least")]
        said = of_matcher(syntax, _MATCHERS[name], target, own, negated=negated)
        return replace(said, expected=";".join(filter(None, (said.expected, *times))) or None)
    return of_matcher(syntax, _MATCHERS.get(name, Form(f"custom:{name}", None, 0)), target, own, negated=negated)


def _spec(syntax: Syntax, links: Sequence[Link], name: str, arguments: Sequence[Node]) -> Said:
    _, target = _about(syntax, links[-2])
    word = name.partition("_")[2]
    form = _SPECS.get(word, Form(f"custom:{word}", None, 0))
    return of_matcher(syntax, form, target, arguments, negated=name.startswith("wont"))


def _of_block(syntax: Syntax, name: str, node: Node) -> Iterator[Said]:
    """`assert_nothing_raised { … }` and the project's own like it."""
    block = node.child_by_field_name("block")
    body = block.child_by_field_name("body") if block is not None else None
    if body is not None:
        is_calm = name in ("assert_nothing_raised", "assert_nothing_thrown")
        yield Said("raises" if is_calm else f"custom:{name}", syntax.short(body), negated=is_calm)


def _function(syntax: Syntax, name: str, arguments: Sequence[Node]) -> Iterator[Said]:
    form = _FUNCTIONS.get(name)
    if form is None and _CUSTOM.fullmatch(name):
        form = Form(f"custom:{name}", expected=1)
    if form is None:
        return
    for said in of_function(syntax, form, arguments, lambda node: known(syntax, node)):
        by_default = name == "assert_in_delta" and said.tolerance is None
        yield replace(said, tolerance="0.001") if by_default else said  # Minitest's default
