"""Hostile text in our output, judged by a CommonMark renderer that is not ours."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from checks.lookalikes import is_hidden
from policies.escape import clean, code, inert, link

MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
HARMLESS = {"paragraph_open", "paragraph_close", "inline", "text", "code_inline"}
ATTACKS = [
    "@acme/everyone",
    "hello @ada, please approve",
    "#1 and acme/shop#2 and GH-3",
    "![x](https://evil.example/a.png)",
    "[approved](https://evil.example)",
    "[approved][ref]\n\n[ref]: https://evil.example",
    "<img src=x onerror=alert(1)>",
    "<!-- hidden -->",
    "<details><summary>x</summary>",
    "https://evil.example http://evil.example www.evil.example",
    "mailto:a@b.example a@b.example",
    "`code` ``still` code``",
    "```\n# heading\n```",
    "\\`not code\\`",
    "a `b` c ` d `` e",
    "# heading",
    "- list\n- list",
    "1. one",
    "---",
    "a\n===",
    "| a | b |\n|---|---|",
    "**bold** __bold__ *i* _i_ ~~gone~~",
    ":shipit: :+1: x:tada:y",
    "&lt;script&gt; &#64;ada &commat;ada",
    "x\u202edesrever\u202c y\u200bz \ufeff\u2066",
    "\x1b[31mred\x07",
    "line\r\nbreak\tand\x0btab\u2028sep",
    "`/`x`/`",
    "0123456789abcdef0123456789abcdef01234567",
    "> quote",
    "$x$ and $$y$$",
]
TEXT = st.one_of(
    st.text(max_size=80),
    st.text(alphabet="`@#:/\\<>![]()*_~w.ab1 \n\u202e\u200b-+=|&", max_size=60),
    st.sampled_from(ATTACKS),
    st.lists(st.sampled_from(ATTACKS), max_size=4).map(" ".join),
)


def tokens(markdown: str) -> Iterator[Token]:
    for token in MARKDOWN.parse(markdown):
        yield token
        yield from token.children or ()


def live_text(markdown: str) -> str:
    """What a reader sees outside code: the only place in which GitHub makes anything of words."""
    return "\0".join(token.content for token in tokens(markdown) if token.type == "text")


def assert_inert(markdown: str) -> None:
    assert {token.type for token in tokens(markdown)} <= HARMLESS
    live = live_text(markdown)
    assert not set(live) & set("@#<>&[]\\/`*_~|$"), live
    assert "www." not in live.lower()
    assert not any(is_hidden(character) for character in live.replace("\0", ""))
    for word in live.replace("\0", " ").split():
        core = word.strip(".,:;!?()\"'’”“…")
        assert ":" not in core, word
        assert not core.lower().startswith("gh-"), word
        assert not (len(core) >= 7 and all(character in "0123456789abcdefABCDEF" for character in core)), word


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_no_attack_comes_alive(attack: str) -> None:
    assert_inert("Now: " + inert(attack))
    assert_inert("Now: " + code(attack))


@given(TEXT)
@example("`")
@example("WWW.")
@example("a ` b/`c` `d`")
@settings(deadline=None)
def test_nothing_comes_alive(text: str) -> None:
    assert_inert("Now: " + inert(text))


@given(TEXT)
@settings(deadline=None)
def test_a_code_span_holds_exactly_the_shown_text(text: str) -> None:
    spans = [token for token in tokens("Now: " + code(text, 400)) if token.type == "code_inline"]
    assert [span.content for span in spans] == [clean(text, 400) or "(empty)"]


@given(st.lists(TEXT, min_size=1, max_size=3))
@settings(deadline=None)
def test_two_inert_texts_side_by_side_stay_inert(texts: list[str]) -> None:
    assert_inert("Now: " + ", ".join(inert(text) for text in texts))


@given(TEXT, st.integers(min_value=1, max_value=40))
@settings(deadline=None)
def test_clean_keeps_to_one_visible_line(text: str, limit: int) -> None:
    line = clean(text, limit)
    assert len(line) <= limit
    assert not any(is_hidden(character) for character in line)
    assert line == " ".join(line.split())


PLAIN = [
    "The head moved; 2 of 3 jobs are done.",
    "Nothing to do: the gate looks again by itself.",
    "It's \"fine\" (really), isn't it?",
    "Größe und 変更 – gut…",
    "10% less, 5+5=10",
    "abcdef is six long",
    "",
]


@pytest.mark.parametrize("text", PLAIN, ids=range(len(PLAIN)))
def test_plain_sentences_stay_as_they_are(text: str) -> None:
    assert inert(text) == text


MARKED = [
    ("path src/a_b.py is outside", "path `src/a_b.py` is outside"),
    ("see (docs/x.md).", "see (`docs/x.md`)."),
    ("head 1234abc moved", "head `1234abc` moved"),
    ("head 123abc moved", "head 123abc moved"),
    ("say `a b` and `c`", "say `a b` and `c`"),
    ("odd ` tick", "odd  tick"),
    ("x/`y`", "`x/` `y`"),
    ("a`b c`d", "a`b c`d"),
    ("by @ada, now", "by `@ada`, now"),
    ("a:b: c:", "`a:b`: c:"),
    ("GH-12", "`GH-12`"),
    ("see·GH-12", "`see·GH-12`"),
    ("-1 +1 =1", "`-1` `+1` `=1`"),
    ("a-b", "a-b"),
    ("WWW.example.com", "`WWW.example.com`"),
    ("`` ` ``", "  "),
    ("\u202ex", "`⟨U+202E⟩x`"),
]


@pytest.mark.parametrize(("text", "expected"), MARKED, ids=range(len(MARKED)))
def test_what_is_no_plain_word_becomes_code(text: str, expected: str) -> None:
    assert inert(text) == expected


CODE = [
    ("a", "`a`"),
    ("a`b", "``a`b``"),
    ("`a", "`` `a ``"),
    ("a`", "`` a` ``"),
    ("a```b``c", "````a```b``c````"),
    ("", "`(empty)`"),
    (" \n ", "`(empty)`"),
]


@pytest.mark.parametrize(("text", "expected"), CODE, ids=range(len(CODE)))
def test_code_fences_are_longer_than_the_text_s(text: str, expected: str) -> None:
    assert code(text) == expected


def test_long_text_is_cut_with_a_sign() -> None:
    assert clean("abcdef", 6) == "abcdef"
    assert clean("abcdefg", 6) == "abcde…"
    assert clean("abcd efg", 6) == "abcd…"
    assert clean("a" + " " * 50 + "b", 6) == "a…"
    assert code("x" * 300) == "`" + "x" * 199 + "…`"
    assert inert("x " * 600) == "x " * 299 + "x…"
    assert len(inert("word " * 1000)) == 600
    assert inert("a/" * 250) == "`" + "a/" * 250 + "`"


def test_hidden_characters_are_named() -> None:
    assert clean("a\u202eb\u200bc\x00\x1b", 100) == "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩⟨U+001B⟩"
    assert clean("a\U000e0041\ufe0f\u3164", 100) == "a⟨U+E0041⟩⟨U+FE0F⟩⟨U+3164⟩"


HIDDEN = (
    "\u00ad\u061c\u180e\u200b\u200f\u202a\u202e\u2060\u2066\u2069\ufeff"
    "\ufe00\ufe0f\U000e0100\U000e01ef\u115f\u2800\u034f"
)


@pytest.mark.parametrize("character", HIDDEN, ids=unicodedata.name)
def test_characters_without_a_shape_are_hidden(character: str) -> None:
    assert is_hidden(character)


@pytest.mark.parametrize("character", "aé変 -·\ufdff\ufe10🙂")
def test_characters_with_a_shape_are_not(character: str) -> None:
    assert not is_hidden(character)


LINKS = [
    ("https://github.com/acme/shop/runs/1?a=b&c=d#x", "[`run`](https://github.com/acme/shop/runs/1?a=b&c=d#x)"),
    (None, "`run`"),
    ("http://github.com/a", "`run`"),
    ("javascript:alert(1)", "`run`"),
    ("https://github.com/a)b", "`run`"),
    ("https://github.com/a b", "`run`"),
    ("https://github.com/ä", "`run`"),
    ("https://github.com/<x>", "`run`"),
    ("https://" + "a" * 492, "[`run`](https://" + "a" * 492 + ")"),
    ("https://" + "a" * 493, "`run`"),
]


@pytest.mark.parametrize(("url", "expected"), LINKS, ids=range(len(LINKS)))
def test_only_plain_https_addresses_are_linked(url: str | None, expected: str) -> None:
    assert link("run", url) == expected


def test_a_link_s_label_stays_code() -> None:
    assert link("a](x) [b", "https://github.com/x") == "[`a](x) [b`](https://github.com/x)"
    spans = [token.type for token in tokens(link("a](x) [b", "https://github.com/x"))]
    assert spans.count("link_open") == 1
