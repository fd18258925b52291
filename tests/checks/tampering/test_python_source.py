"""Python sources: what is read, and one form of text whatever a formatter did."""

from __future__ import annotations

import ast

import pytest

from checks.tampering.python.source import (
    dotted,
    expression,
    is_literal,
    is_plainly_encoded,
    last_name,
    nodes,
    normal,
    parse,
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("a  ==\n   b", "a==b"),
        ("f(a,\n  b,\n)", "f(a,b)"),
        ("[1, 2,]", "[1,2]"),
        ("{'a': 1,}", '{"a":1}'),
        ("(a,)", "(a)"),
        ("x = 1  # why", "x=1"),
        ("# why\nx", "x"),
        ("'a'", '"a"'),
        ("u'a'", '"a"'),
        ("U'a' R'b'", '"a"r"b"'),
        ("rb'a'", 'rb"a"'),
        ("'a\"b'", "'a\"b'"),
        ("'a\\n'", "'a\\n'"),
        ('"a  b"', '"a  b"'),
        ("'''a'''", "'''a'''"),
        ('"""a "quoted" text"""', '"""a "quoted" text"""'),
        ("'''it''s'''", "'''it''s'''"),
        ("'# no comment'", '"# no comment"'),
        ("1_000", "1000"),
        ("0XFF", "0xff"),
        ("a if b else c", "a if b else c"),
        ("x in'abc'", 'x in"abc"'),
        ("return (yield)", "return(yield)"),
        ("self.a + cls.b", "a+b"),
        ("a.b . c", "a.b.c"),
        ("f'{a}' == b", 'f"{a}"==b'),
        ("größe", "größe"),
        ("'open", "'open"),
        ("", ""),
    ],
)
def test_one_form(text: str, form: str) -> None:
    assert normal(text) == form


def test_very_long_texts_count_as_their_beginning_and_a_mark() -> None:
    one, other = (normal("a" * 30_000 + end) for end in "bc")
    assert one[:20_000] == other[:20_000] == "a" * 20_000
    assert one != other
    assert len(one) == 20_017


@pytest.mark.parametrize(
    "source",
    [
        b"x = 1\n",
        b"\xef\xbb\xbfx = 1\n",
        b"# -*- coding: utf-8 -*-\nx = 1\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx = '\xe9'\n",
        b"# coding: ISO_8859-15\nx = '\xe9'\n",
        b"# encoding=ascii\nx = 1\n",
        b"x = 1\r\ny = 2\r",
        b"x = '\\d'\n",
        b"\n\n# coding: utf-7\nx = 1\n",
        b"",
    ],
)
def test_what_is_read(source: bytes) -> None:
    assert parse(source) is not None
    assert is_plainly_encoded(source)


@pytest.mark.parametrize("source", [b"# coding: utf-7\nx = 1\n", b"#\n# coding=rot13\nx = 1\n", b"x = '\xe9'\n"])
def test_what_people_and_python_would_read_differently(source: bytes) -> None:
    assert parse(source) is None
    assert not is_plainly_encoded(source)


@pytest.mark.parametrize(
    "source",
    [
        b"def",
        b"x = 1\0",
        b"x = " + b"(" * 500,
        b"x = " + b"-" * 20_000 + b"1",
        b"x = f'" + b"{a}" * 40_001 + b"'",
    ],
)
def test_what_is_no_python_or_too_much(source: bytes) -> None:
    assert parse(source) is None
    assert is_plainly_encoded(source)


def test_many_braces_without_a_format_are_read() -> None:
    assert parse(b"x = [" + b"{}," * 40_001 + b"]") is not None


def test_texts_of_nodes() -> None:
    source = parse("x = [\n  'ä',\n  2,\n]\nif x:\n    f(x,\n      'b')\n".encode())
    assert source is not None
    first, second = source.tree.body
    assert isinstance(second, ast.If)
    assert (source.raw(first), source.text(first)) == ("x = [\n  'ä',\n  2,\n]", 'x=["ä",2]')
    assert source.quote(second.body[0]) == "f(x, 'b')"
    assert source.raw(first, second.test) == "x = [\n  'ä',\n  2,\n]\nif x"
    assert source.functions == 0


def test_quotes_are_cut() -> None:
    source = parse(f"f({'a ,' * 400})".encode())
    assert source is not None
    assert source.quote(source.tree.body[0]) == ("f(" + "a ," * 400)[:300]


def test_functions_are_counted() -> None:
    source = parse(b"def f(): pass\nasync def g(): pass\nclass A:\n    def h(self): pass\n")
    assert source is not None
    assert source.functions == 3


@pytest.mark.parametrize("text", ["(", "x = 1", "\0", "(" * 300, "a " + "b" * 400])
def test_conditions_in_texts_that_are_none(text: str) -> None:
    assert expression(text) is None


def test_conditions_in_texts() -> None:
    found = expression("  sys.platform == 'win32' ")
    assert found is not None
    assert ast.unparse(found) == "sys.platform == 'win32'"


@pytest.mark.parametrize(
    ("text", "names", "last"),
    [
        ("a", "a", "a"),
        ("a.b.c", "a.b.c", "c"),
        ("f(x).b.c", "b.c", "c"),
        ("a[0].c", "c", "c"),
        ("f(x)", "", ""),
        ("'a'", "", ""),
    ],
)
def test_dotted_names(text: str, names: str, last: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert (dotted(node), last_name(node)) == (names, last)


@pytest.mark.parametrize("text", ["1", "-1", "'a'", "None", "(1, [2, {3}])", "{'a': [1]}", "()"])
def test_literals(text: str) -> None:
    assert is_literal(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize("text", ["a", "-a", "f(1)", "[a]", "{**a}", "{a: 1}", "{1: a}", "f'{a}'", "1 + 1"])
def test_what_is_no_literal(text: str) -> None:
    assert not is_literal(ast.parse(text, mode="eval").body)


def test_all_nodes_but_what_says_whether_a_name_is_read() -> None:
    tree = ast.parse("def f(a, *b):\n    return [a for a in b if a > 1]\n")
    wanted = [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]
    assert sorted(map(ast.dump, nodes(tree))) == sorted(map(ast.dump, wanted))
