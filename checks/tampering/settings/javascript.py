"""Settings files in JavaScript and TypeScript (jest, vitest, eslint, …) read from their syntax tree.

Object literals give dotted keys wherever they stand: in `export default`, in `defineConfig(…)`, in a variable. What
is computed is kept as its source, so that a change of it is seen although its result is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from checks.tampering.settings.flat import Settings, TooMuch, collect
from checks.tampering.settings.yaml_values import DEEPEST

_LARGEST = 64 * 1024  # bytes; the parser takes ten microseconds a byte to repair what is no JavaScript
_LONGEST_SOURCE = 300
_CONSTANTS = frozenset({"number", "true", "false", "null", "undefined"})


def javascript_settings(source: bytes, *, typescript: bool) -> Settings:
    """`{test: {exclude: ["a", "b"]}}` gives `test.exclude` with two texts; `x.y = 1` gives `x.y`. Raises TooMuch."""
    if len(source) > _LARGEST:
        raise TooMuch(f"it is larger than {_LARGEST} bytes")
    _refuse_depth(source)
    return collect(_settings(_parser(typescript).parse(source).root_node))


def _refuse_depth(source: bytes) -> None:
    """The parser is recursive in C: tens of thousands of open brackets end the process."""
    depth = 0
    for bracket in _BRACKET.findall(source):
        depth += 1 if bracket in b"([{" else -1
        if depth > _MOST_BRACKETS:
            raise TooMuch(f"more than {_MOST_BRACKETS} open brackets")


_MOST_BRACKETS = 500
_BRACKET = re.compile(rb"[()\[\]{}]")


@cache
def _parser(typescript: bool) -> Parser:
    language = tree_sitter_typescript.language_typescript() if typescript else tree_sitter_javascript.language()
    return Parser(Language(language))


def _settings(root: Node) -> Iterator[tuple[str, str]]:
    """Every node is visited once; `key` is that of the pair which it stands in."""
    waiting: list[tuple[str, Node]] = [("", root)]
    while waiting:
        key, node = waiting.pop()
        if key.count(".") > DEEPEST:
            raise TooMuch(f"nested deeper than {DEEPEST} levels")
        name, value = _named(node)
        if name is not None:
            key = f"{key}.{name}" if key and node.type != "assignment_expression" else name
        if value is None:
            waiting += [(key, child) for child in reversed(node.named_children)]
            continue
        for item in value.named_children if value.type == "array" else (value,):
            if item.type == "comment":
                continue
            if item.type not in ("object", "array"):
                yield key, _text(item)
            waiting.append((key, item))


def _named(node: Node) -> tuple[str | None, Node | None]:
    """The name and the value that a node gives to it; (None, None) for what names nothing."""
    if node.type == "pair":
        key = node.child_by_field_name("key")
        return (None, None) if key is None else (_text(key), node.child_by_field_name("value"))
    if node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        assert left is not None
        name = _text(left).removeprefix("module.exports").removeprefix("exports").lstrip(".")
        return name, node.child_by_field_name("right")
    return None, None


def _text(node: Node) -> str:
    source = (node.text or b"").decode("utf-8", "replace")
    if node.type in ("string", "template_string"):
        return source[1:-1]
    if node.type in _CONSTANTS:
        return source.replace("_", "")
    return source[:_LONGEST_SOURCE]
