"""Python source as a syntax tree, with the text of its nodes in one form whatever a formatter did to them."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

from checks.tampering.alteration import LONGEST_QUOTE

# Encodings that a source may declare and that mean the same to every reader (https://peps.python.org/pep-0263/).
# Others, such as UTF-7, can hide code from people and are not read.
_ENCODINGS = {"utf-8": "utf-8-sig", "utf8": "utf-8-sig", "ascii": "ascii", "us-ascii": "ascii"} | dict.fromkeys(
    ("latin-1", "latin1", "iso-8859-1", "iso8859-1", "iso-8859-15", "cp1252"), "latin-1"
)
_COOKIE = re.compile(rb"^[ \t\f]*+#.*?coding[:=][ \t]*+([-\w.]++)")
# Before Python 3.12 the time for a text grows with the square of the fields in it.
_FILLED = re.compile(rb"[fF][rR]?[\"']")
_MOST_BRACES = 40_000
_LONGEST_NORMALISED = 20_000  # characters; what follows counts as one token
# Every alternative that begins with a quote succeeds, closed or not, so one pass is linear (possessive throughout).
_TOKEN = re.compile(
    r"""
    \#[^\n]*+
    | (?:[rRbBuUfFtT]{1,2}(?=["']))?+ (?:
        \"{3} (?: [^"\\]++ | \\. | "(?!"") )*+ (?: \"{3} | \\?\Z )
      | '{3} (?: [^'\\]++ | \\. | '(?!'') )*+ (?: '{3} | \\?\Z )
      | " (?: [^"\\\n]++ | \\. )*+ "?+
      | ' (?: [^'\\\n]++ | \\. )*+ '?+
    )
    | \w++ | [^\w\s]
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTES = "\"'"
_CLOSING = frozenset(")]}")


class TooMuch(Exception):
    """A source has more of something than anybody writes; it is not read."""


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed source. `lines` are its lines in UTF-8, as the positions of the tree's nodes count them."""

    tree: ast.Module
    lines: tuple[bytes, ...]

    @property
    def functions(self) -> int:
        """How many functions it may define."""
        return sum(b"def " in line for line in self.lines)

    def raw(self, first: ast.expr | ast.stmt, last: ast.expr | ast.stmt | None = None) -> str:
        """The text from the beginning of one node to the end of another, or of the same."""
        last = last or first
        start, end = first.lineno - 1, (last.end_lineno or last.lineno) - 1
        if start == end:
            return self.lines[start][first.col_offset : last.end_col_offset].decode(errors="replace")
        middle = self.lines[start + 1 : end]
        parts = (self.lines[start][first.col_offset :], *middle, self.lines[end][: last.end_col_offset])
        return b"\n".join(parts).decode(errors="replace")

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The node's text in its normal form."""
        return normal(self.raw(node))

    def quote(self, node: ast.expr | ast.stmt) -> str:
        """The node's text for people: blanks evened, cut."""
        return " ".join(self.raw(node)[: 2 * LONGEST_QUOTE].split())[:LONGEST_QUOTE]


def parse(source: bytes) -> Source | None:
    """None for what this Python cannot parse: no Python, too deeply nested, a newer grammar, an odd encoding."""
    text = _decoded(source)
    if text is None or (source.count(b"{") > _MOST_BRACES and _FILLED.search(source)):
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stranger's invalid escape is no news
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return Source(tree, tuple(text.encode().split(b"\n")))


def expression(text: str) -> ast.expr | None:
    """A condition that stands in a string, as `skipif("sys.platform == 'win32'")` allows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text[:LONGEST_QUOTE].strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_plainly_encoded(source: bytes) -> bool:
    """Whether people, Python and this analysis read the same characters."""
    return _decoded(source) is not None


def _decoded(source: bytes) -> str | None:
    declared = next(filter(None, (_COOKIE.match(line) for line in source.split(b"\n", 2)[:2])), None)
    name = declared.group(1).decode("ascii", "replace").lower().replace("_", "-") if declared else "utf-8"
    if name not in _ENCODINGS:
        return None
    try:
        return source.decode(_ENCODINGS[name])
    except UnicodeDecodeError:
        return None


def cut(text: str, longest: int) -> str:
    """At most about that many characters; what is longer ends with a digest, so that it stays one of a kind."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}…{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:16]}"


@lru_cache(maxsize=2_048)
def normal(text: str) -> str:
    """One form for what a formatter may write in several: blanks, comments, quotes, trailing commas, `self.`."""
    out: list[str] = []
    in_word = False
    for token in _TOKEN.findall(cut(text, _LONGEST_NORMALISED)):
        if token[0] == "#":
            continue
        if token in _CLOSING and out and out[-1] == ",":
            out.pop()
        is_word = token[0].isalnum() or token[0] == "_"
        if is_word and in_word:
            out.append(" ")
        in_word = is_word and token[-1] not in _QUOTES
        out.append(_normal_token(token))
    return "".join(out).replace("self.", "").replace("cls.", "")


def _normal_token(token: str) -> str:
    if token[0].isdecimal():
        return token.replace("_", "").lower()
    if token[-1] != "'" or '"' in token or "\\" in token or token.endswith("'''"):
        return token
    prefix, _, content = token.partition("'")
    return f'{prefix.lower().replace("u", "")}"{content[:-1]}"'


def children(node: ast.AST) -> list[ast.AST]:
    """Like `ast.iter_child_nodes`, in a third of its time, without what says whether a name is read or set."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and name != "ctx":
            found.append(value)
    return found


def nodes(root: ast.AST) -> list[ast.AST]:
    """The node and all below it."""
    found = [root]
    for node in found:
        found += children(node)
    return found


def dotted(node: ast.expr) -> str:
    """`a.b.c` of a name or an attribute; of an attribute of something else only its names (`Cart().total` is `total`).

    Nothing for other expressions.
    """
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        names.append(node.id)
    return ".".join(reversed(names))


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`."""
    return dotted(node).rpartition(".")[2]


def is_literal(node: ast.expr) -> bool:
    """Whether its value stands there: numbers, texts and containers of such."""
    if isinstance(node, ast.UnaryOp):
        return is_literal(node.operand)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(is_literal, node.elts))
    if isinstance(node, ast.Dict):
        return all(key is not None and is_literal(key) for key in node.keys) and all(map(is_literal, node.values))
    return isinstance(node, ast.Constant)
