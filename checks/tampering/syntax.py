"""Hostile sources as syntax trees, with bounds on work and depth, and the plain text of what stands in them.

Everything walks with a cursor and never recurses, and asks no node for its parent, which costs the depth every time.
Trees with errors are used as far as they go: the parser repairs what it does not know, and `Syntax.broken` says whether
a part that it could not read may hold a test. What cannot be parsed inside the bounds is None, never half a tree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from typing import Any

from tree_sitter import Language, Node, Parser, Point, TreeCursor

LARGEST_SOURCE = 256 * 1024  # bytes; tests written by people stay far below
DEEPEST_NESTING = 300  # open brackets at one place; the cost of repairing a source grows with the square of it
LONGEST_TEXT = 300  # characters of a text that is compared
LONGEST_VALUE = 4_000  # characters of an expected value, since whole answers are compared
LARGEST_STRAY = 60  # bytes of all unreadable parts that cannot hide a test
_DIGEST = 16
_NO_BRACKET = bytes(set(range(256)) - set(b"()[]{}<>;"))
_READ_AT_ONCE = 64 * 1024
_ERROR_KIND = 65535  # ts_builtin_sym_error of tree-sitter's api.h
_CLOSING = frozenset(")]}")
_NO_TOKEN = frozenset({"", "\n", ";"})
_FORMATTED = b" \t\r\n;,()'\"`"  # what formatters change


class Grammar:
    """One language's grammar and what matters in its trees.

    `atoms` are kinds of node whose source is one piece of text (strings), `comments` those that are none, `wanted`
    those that an adapter looks at.
    """

    def __init__(
        self, pointer: object, *, atoms: Sequence[str], comments: Sequence[str], wanted: Iterable[str]
    ) -> None:
        self.language = Language(pointer)
        self.comments = frozenset(map(self._id, comments))
        self.whole = self.comments | frozenset(map(self._id, atoms))
        self.wanted = {self._id(kind): kind for kind in wanted}

    def _id(self, kind: str) -> int:
        number = self.language.id_for_node_kind(kind, True)
        assert number, f"{self.language.name} has no {kind}"
        return number


@dataclass(slots=True)
class Syntax:
    """A parsed source.

    `steps` are the wanted nodes in the order of the source, each with its kind, and None where the last one open ends.
    """

    source: bytes
    root: Node
    steps: list[tuple[str, Node] | None] = field(default_factory=list)
    strays: list[bytes] = field(default_factory=list)  # what the parser could not read
    starts: list[int] = field(default_factory=list)  # of `tokens`, in bytes
    tokens: list[str] = field(default_factory=list)
    _cut: dict[tuple[object, ...], str] = field(default_factory=dict)  # long texts that were asked for

    def broken(self, sign: Any) -> bool:
        """Whether unreadable parts are long, or match `sign`, a compiled pattern of what belongs to tests."""
        too_long = sum(map(len, self.strays)) > LARGEST_STRAY
        return too_long or any(sign.search(stray) is not None for stray in self.strays)

    def text(self, *nodes: Node, without: Sequence[Node] = ()) -> str:
        """Their source without comments, layout, and what formatters add or drop; quotes are evened.

        `without` are parts to leave out, in the order of the source.
        """
        return "".join("".join(self._kept(self._span(node), without)).lstrip() for node in nodes)

    def _kept(self, span: slice, without: Sequence[Node]) -> list[str]:
        kept: list[str] = []
        start = span.start
        for gap in map(self._span, without):
            if start <= gap.start and gap.stop <= span.stop:
                kept += self.tokens[start : gap.start]
                start = gap.stop
        return kept + self.tokens[start : span.stop]

    def short(self, *nodes: Node, most: int = LONGEST_TEXT) -> str:
        """At most `most` characters of `text`, with commas between; of more the beginning and a digest of all."""
        spans = [self._span(node) for node in nodes]
        start = self._beginning(spans, most)
        if len(start) <= most and all(span.stop - span.start <= most for span in spans):
            return start
        key = (most, *((node.start_byte, node.end_byte) for node in nodes))
        if key not in self._cut:
            whole = b"".join(self.raw(node) for node in nodes).translate(None, _FORMATTED)
            self._cut[key] = f"{start[: most - _DIGEST - 1]}…{sha256(whole).hexdigest()[:_DIGEST]}"
        return self._cut[key]

    def brief(self, node: Node) -> str:
        """At most LONGEST_TEXT characters of `text`, in a time that does not grow with the node's size."""
        return self._beginning([self._span(node)], LONGEST_TEXT)[:LONGEST_TEXT]

    def _beginning(self, spans: Sequence[slice], most: int) -> str:
        cut = (self.tokens[span.start : min(span.stop, span.start + most)] for span in spans)
        return ",".join("".join(tokens).lstrip() for tokens in cut)

    def words(self, node: Node) -> Sequence[str]:
        """Its single tokens."""
        return [token.lstrip() for token in self.tokens[self._span(node)]]

    def before(self, node: Node) -> str:
        """The token before a node; "" at the beginning."""
        return "".join(self.tokens[: self._span(node).start][-1:]).lstrip()

    def has_tokens(self, start: int, end: int) -> bool:
        """Whether anything but comments and layout stands between two bytes."""
        return bisect_left(self.starts, start) < bisect_left(self.starts, end)

    def raw(self, node: Node) -> bytes:
        """Its source as written; cheaper than the node's own text, which copies the tree's whole source first."""
        return self.source[node.start_byte : node.end_byte]

    def _span(self, node: Node) -> slice:
        return slice(bisect_left(self.starts, node.start_byte), bisect_left(self.starts, node.end_byte))

    def add(self, start: int, word: str) -> None:
        """One more token, in the form that all formatters agree on: no comma at the end of a list, `a => b`."""
        tokens = self.tokens
        if word in _CLOSING and tokens and tokens[-1] == ",":
            tokens.pop()
            self.starts.pop()
        elif word == "=>" and _has_one_parameter(tokens):
            self._unwrap()
        if word not in _NO_TOKEN:
            self.starts.append(start)
            tokens.append(f" {word}" if tokens and _is_word(word[0]) and _is_word(tokens[-1][-1]) else word)

    def _unwrap(self) -> None:
        """Takes the only parameter of an arrow function out of its brackets."""
        parameter, start = self.tokens[-2], self.starts[-2]
        del self.tokens[-3:], self.starts[-3:]
        self.add(start, parameter)


def parse(grammar: Grammar, source: bytes) -> Syntax | None:
    """The tree of a source in UTF-8, or None where it is too large, nested too deeply, or too costly to parse."""
    if len(source) > LARGEST_SOURCE or _depth(source) > DEEPEST_NESTING:
        return None
    budget = iter(range(1000 + len(source) // 4))  # a call every hundred operations; sources need 0.03 a byte

    def chunk(start: int, _: Point) -> bytes:
        return source[start : start + _READ_AT_ONCE]

    def spent(_: int, __: bool) -> bool:
        return next(budget, None) is None

    try:
        tree = Parser(grammar.language).parse(chunk, progress_callback=spent)
    except ValueError:  # what the binding raises for a parse that was called off
        return None
    syntax = Syntax(source, tree.root_node)
    _read(syntax, grammar)
    return syntax


def _depth(source: bytes) -> int:
    """The most brackets open at once. `<` counts inside one statement only, where it may open type arguments."""
    open_brackets = open_angles = deepest = 0
    for sign in source.translate(None, _NO_BRACKET):
        if sign in b"<>":
            open_angles = max(0, open_angles + (1 if sign == b"<"[0] else -1))
        else:
            open_angles = 0
            open_brackets += (sign in b"([{") - (sign in b")]}")
        deepest = max(deepest, open_brackets, open_angles)
    return deepest


def _read(syntax: Syntax, grammar: Grammar) -> None:
    """One walk over the whole tree, and the most costly part of the analysis: so it is one function, and flat."""
    wanted, whole, comments, steps = grammar.wanted, grammar.whole, grammar.comments, syntax.steps
    source = syntax.source
    cursor, above = syntax.root.walk(), list[bool]()
    while True:
        node = cursor.node
        assert node is not None
        kind = node.kind_id
        if kind in wanted:
            steps.append((wanted[kind], node))
        elif kind == _ERROR_KIND:
            syntax.strays.append(syntax.raw(node))
        if kind not in whole and cursor.goto_first_child():
            above.append(kind in wanted)
            continue
        if kind not in comments:
            start = node.start_byte
            token = source[start : node.end_byte].decode("utf-8", "replace")
            syntax.add(start, _evened(token) if kind in whole else token)
        if kind in wanted:
            steps.append(None)
        if not _next(cursor, above, steps):
            return


def _next(cursor: TreeCursor, above: list[bool], steps: list[tuple[str, Node] | None]) -> bool:
    """To the next node that lies not inside this one, past the ends of those that this one is the last of."""
    while not cursor.goto_next_sibling():
        if not cursor.goto_parent():
            return False
        if above.pop():
            steps.append(None)
    return True


def _evened(string: str) -> str:
    """In double quotes where that changes nothing."""
    inside = string[1:-1]
    plain = string[0] in "'`" and string[-1] == string[0] and not any(sign in inside for sign in '"\n$')
    return f'"{inside}"' if plain else string


def demanded(node: Node, field_name: str) -> Node:
    """The child that the grammar demands; in a broken tree, where it may be missing, the node itself."""
    return node.child_by_field_name(field_name) or node


def parts(node: Node) -> list[Node]:
    """Its named children but for comments."""
    return [child for child in node.named_children if not child.is_extra]


def first_part(node: Node) -> Node | None:
    return next(iter(parts(node)), None)


def last_part(node: Node) -> Node | None:
    return next(iter(parts(node)[-1:]), None)


def joined(tokens: Sequence[str]) -> str:
    """Single tokens as text, with a blank where two words would become one."""
    parts = list(tokens[:1])
    for before, token in pairwise(tokens):
        parts.append(f" {token}" if _is_word(before[-1]) and _is_word(token[0]) else token)
    return "".join(parts)


def shortened(tokens: Sequence[str], most: int = LONGEST_TEXT) -> str:
    """As `Syntax.short`, of single tokens."""
    start = joined(tokens[:most])
    if len(start) <= most and len(tokens) <= most:
        return start
    return f"{start[: most - _DIGEST - 1]}…{sha256(''.join(tokens).encode()).hexdigest()[:_DIGEST]}"


def _has_one_parameter(tokens: Sequence[str]) -> bool:
    """Whether they end with `(a)`, of a function and not of a pattern."""
    if len(tokens) < 3 or tokens[-1] != ")" or tokens[-3] != "(" or not _is_word(tokens[-2][0]):
        return False
    return len(tokens) == 3 or not _is_word(tokens[-4][-1]) or tokens[-4].lstrip() == "async"


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$"
