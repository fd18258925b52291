"""Hostile sources as syntax trees: texts, limits, what could not be read."""

from __future__ import annotations

import pytest
import re2
import tree_sitter_javascript

from checks.tampering import syntax as module
from checks.tampering.syntax import (
    DEEPEST_NESTING,
    LARGEST_SOURCE,
    LARGEST_STRAY,
    Grammar,
    Syntax,
    demanded,
    first_part,
    joined,
    last_part,
    parse,
    parts,
    shortened,
)

GRAMMAR = Grammar(
    tree_sitter_javascript.language(),
    atoms=("string", "template_string", "regex"),
    comments=("comment",),
    wanted=("call_expression", "arrow_function"),
)
NEVER = re2.compile(rb"\bnever\b")


def _parsed(source: str) -> Syntax:
    found = parse(GRAMMAR, source.encode())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a  +  b ;", "a+b"),
        ("return   x", "return x"),
        ("const a = 1, b = 2;", "const a=1,b=2"),
        ("f(1, 2,)", "f(1,2)"),
        ("[1,\n 2,\n]", "[1,2]"),
        ("x = { a: 1, }", "x={a:1}"),
        ("f(a /* why */, b) // done", "f(a,b)"),
        ("'a'", '"a"'),
        ("`a`", '"a"'),
        ("'a \"b\"'", "'a \"b\"'"),
        ("`a ${b}`", "`a ${b}`"),
        ("`a\nb`", "`a\nb`"),
        ("/'a'/", "/'a'/"),
        ("(a) => b", "a=>b"),
        ("async (a) => b", "async a=>b"),
        ("(a, b) => c", "(a,b)=>c"),
        ("() => c", "()=>c"),
        ("f(() => c)", "f(()=>c)"),
        ("((a) => b)", "(a=>b)"),
        ("$a  _b", "$a _b"),
        ("'ä' + ö", '"ä"+ö'),
        ("", ""),
    ],
)
def test_text_is_what_all_formatters_agree_on(source: str, text: str) -> None:
    parsed = _parsed(source)
    assert parsed.text(parsed.root) == text
    assert parsed.short(parsed.root) == text


def test_single_tokens() -> None:
    parsed = _parsed("return  f(a, 'b')")
    assert parsed.words(parsed.root) == ["return", "f", "(", "a", ",", '"b"', ")"]
    assert joined(parsed.words(parsed.root)) == 'return f(a,"b")'
    assert joined([]) == shortened([]) == ""


def test_long_texts_are_cut_with_a_digest() -> None:
    names = [f"name{number}" for number in range(100)]
    one, other = _parsed(f"f({', '.join(names)})"), _parsed(f"f({', '.join([*names[:-1], 'other'])})")
    formatted = _parsed(f"f(\n  {',  '.join(names)},\n);")
    texts = [parsed.short(parsed.root) for parsed in (one, other, formatted)]
    assert [len(text) for text in texts] == [300] * 3
    assert texts[0][:283] == one.text(one.root)[:283]
    assert texts[0][283] == "…"
    assert texts[0] != texts[1]
    assert texts[0] == texts[2]
    assert one.short(one.root, most=4_000) == one.text(one.root)
    assert one.short(one.root) == texts[0]  # also when it is asked for again
    assert one.brief(one.root) == one.text(one.root)[:300]
    cut = [shortened(parsed.words(parsed.root)) for parsed in (one, other, formatted)]
    assert (len(cut[0]), cut[0] == cut[1], cut[0] == cut[2]) == (300, False, True)


def test_many_short_tokens_are_cut_too() -> None:
    tokens = ["("] * 400
    assert shortened(tokens)[:283] == "(" * 283
    assert len(shortened(tokens)) == 300


def test_texts_of_several_nodes() -> None:
    parsed = _parsed("f(a, b); g(c)")
    calls = [step[1] for step in parsed.steps if step is not None]
    assert parsed.short(*calls) == "f(a,b),g(c)"
    assert parsed.text(*calls) == "f(a,b)g(c)"
    assert parsed.short() == parsed.text() == ""


def test_text_without_parts() -> None:
    parsed = _parsed("f(a(1), b(2), c(3)); d(4)")
    f, a, b, _, d = (step[1] for step in parsed.steps if step is not None)
    assert parsed.text(f, without=[a, b]) == "f(,,c(3))"
    assert parsed.text(f, without=[d]) == "f(a(1),b(2),c(3))"
    assert parsed.text(a, without=[f]) == "a(1)"


def test_steps_are_in_order_and_end_where_their_nodes_end() -> None:
    parsed = _parsed("a(b(c), () => d()); e()")
    told = [None if step is None else (step[0], parsed.text(step[1])) for step in parsed.steps]
    assert told == [
        ("call_expression", "a(b(c),()=>d())"),
        ("call_expression", "b(c)"),
        None,
        ("arrow_function", "()=>d()"),
        ("call_expression", "d()"),
        None,
        None,
        None,
        ("call_expression", "e()"),
        None,
    ]


def test_whether_tokens_stand_between() -> None:
    source = "a /* b */\n c"
    parsed = _parsed(source)
    assert parsed.has_tokens(1, source.index("c")) is False
    assert parsed.has_tokens(0, source.index("c")) is True


@pytest.mark.parametrize(
    ("source", "broken"),
    [
        ("f(a)", False),
        ("f(a); @ ; g(b)", False),
        ("f(a); @never ) ; g(b)", True),
        ("f(a); " + "@ ] " * 40, True),
    ],
)
def test_unreadable_parts(source: str, broken: bool) -> None:
    assert _parsed(source).broken(NEVER) is broken


def test_how_much_may_be_unreadable() -> None:
    parsed = _parsed("f(a)")
    parsed.strays[:] = [b"a" * LARGEST_STRAY]
    assert parsed.broken(NEVER) is False
    parsed.strays.append(b"a")
    assert parsed.broken(NEVER) is True


def _nested(opening: str, depth: int, closing: str) -> bytes:
    return (opening * depth + closing * depth).encode()


def test_limits() -> None:
    assert parse(GRAMMAR, b" " * LARGEST_SOURCE) is not None
    assert parse(GRAMMAR, b" " * (LARGEST_SOURCE + 1)) is None
    assert parse(GRAMMAR, _nested("[", DEEPEST_NESTING, "]")) is not None
    assert parse(GRAMMAR, _nested("[", DEEPEST_NESTING + 1, "]")) is None
    assert parse(GRAMMAR, b"[({" * 101) is None
    assert parse(GRAMMAR, b"a<b," * (DEEPEST_NESTING + 1)) is None
    assert parse(GRAMMAR, b"a<b;" * (DEEPEST_NESTING + 1)) is not None
    assert parse(GRAMMAR, b"<a></a>" * DEEPEST_NESTING) is not None
    assert parse(GRAMMAR, b">" * 400 + b"a<b," * DEEPEST_NESTING) is not None
    assert parse(GRAMMAR, b"()" * 1_000 + b"}" * 1_000) is not None
    assert parse(GRAMMAR, b"case a:" * 1_000) is None


def test_sources_in_several_chunks() -> None:
    source = "f(a);\n" * 20_000
    assert len(source) > 64 * 1024
    assert len(_parsed(source).steps) == 40_000


def test_a_grammar_knows_its_kinds() -> None:
    with pytest.raises(AssertionError, match="javascript has no nonsense"):
        Grammar(tree_sitter_javascript.language(), atoms=(), comments=(), wanted=("nonsense",))


def test_parts_of_a_node() -> None:
    parsed = _parsed("f(/* one */ a, b /* two */)")
    (call,) = (step[1] for step in parsed.steps if step is not None)
    arguments = demanded(call, "arguments")
    assert [parsed.text(part) for part in parts(arguments)] == ["a", "b"]
    first, last = first_part(arguments), last_part(arguments)
    assert first is not None
    assert last is not None
    assert (parsed.text(first), parsed.text(last)) == ("a", "b")
    assert demanded(call, "nothing") == call
    assert first_part(first) is last_part(first) is None


def test_invalid_utf_8_is_replaced() -> None:
    parsed = parse(GRAMMAR, b"f('\xff')")
    assert parsed is not None
    assert parsed.text(parsed.root) == 'f("�")'


def test_the_size_limit_lies_far_above_what_people_write() -> None:
    assert module.LARGEST_SOURCE == 256 * 1024
