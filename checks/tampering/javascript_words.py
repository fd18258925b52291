"""The words by which JavaScript's frameworks declare tests, suites and hooks, and skip, focus, repeat or excuse them.

Sources: https://jestjs.io/docs/api, https://vitest.dev/api/test, https://mochajs.org/declaring/exclusive-tests/,
https://jasmine.github.io/api/edge/global.html, https://nodejs.org/api/test.html, https://bun.sh/docs/test/writing,
https://playwright.dev/docs/api/class-test, https://docs.deno.com/runtime/fundamentals/testing/,
https://github.com/avajs/ava/blob/main/docs/01-writing-tests.md, https://api.qunitjs.com/QUnit/test/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from checks.tampering.branches import left_at
from checks.tampering.chains import Chain, Link, chain
from checks.tampering.javascript_assertions import SHAPE
from checks.tampering.scopes import Item, Kind, Mark, Scope, condition_scope
from checks.tampering.syntax import Syntax, demanded, first_part, parts
from checks.tampering.units import SkipScope

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_STRINGS = frozenset({"string", "template_string"})
_TESTS = frozenset({"it", "test", "specify", "tape"})
_SUITES = frozenset({"describe", "context", "suite", "module"})
_HOOKS = frozenset({"beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after", "setup", "teardown"})
_OWNERS = frozenset({"Deno", "QUnit", "tap", "t", "test"})  # whose members are such words: `Deno.test`, `test.describe`
_MARKED = {
    **dict.fromkeys(("skip", "ignore", "fixme", "todo", "skipIf", "runIf", "if", "todoIf"), "skipped"),
    "only": "focused",
    **dict.fromkeys(("failing", "fails", "fail"), "may_fail"),
}
_CONDITIONS = frozenset({"skipIf", "runIf", "if", "todoIf"})
_BETWEEN = frozenset({*_MARKED, "", "each", "for", "concurrent", "sequential", "serial", "parallel", "shuffle", "cb"})
_OPTIONS = {
    **dict.fromkeys(("skip", "ignore", "fixme"), "skipped"),
    "only": "focused",
    **dict.fromkeys(("todo", "fails", "failing"), "may_fail"),
    **dict.fromkeys(("retry", "retries"), "retries"),
    "timeout": "timeout",
}
# Calls that say something about the test or suite that they stand in.
_CALLS = {
    **dict.fromkeys(
        ("this.skip", "t.skip", "ctx.skip", "context.skip", "test.skip", "test.fixme", "pending"), "skipped"
    ),
    **dict.fromkeys(("test.fail", "t.todo"), "may_fail"),
    **dict.fromkeys(("this.retries", "jest.retryTimes", "test.describe.configure"), "retries"),
    **dict.fromkeys(("this.timeout", "jest.setTimeout", "test.setTimeout", "test.slow", "t.timeout"), "timeout"),
}


Lists = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Word:
    """`it.only.each([…])` as the kind of its word and what stands between that and the call."""

    kind: Kind
    marked: str | None  # by the first letter of `fit`, `xdescribe`
    between: Sequence[Link]
    skip: Mark | None = None  # by its name's own meaning


@dataclass(frozen=True, slots=True)
class Alias:
    """What another name for a declaring word means: of `const maybe = ready ? it : it.skip` the kind and the skip."""

    kind: Kind
    skip: Mark | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """What names of a file stand for: lists, for tests that run once for every element, and other words for tests."""

    lists: Lists
    aliases: dict[str, Alias] = field(default_factory=dict)


def declared(syntax: Syntax, read: Chain, node: Node, names: Names, *, is_collected: bool) -> Iterator[Item]:
    """The test, suite or hook that a call declares, or what it says about those around it; nothing for another call."""
    own = read.links[-1].arguments if read.links else None
    if read.start is not None or own is None:
        return
    if read.name in _CALLS and not (read.name.startswith("test.") and own and own[0].type in _STRINGS):
        yield from _marks_by_call(syntax, read, node, own)
    elif read.links[-1].name in _HOOKS and len(read.links) <= 2 and (function := _function(own)) is not None:
        yield Scope(Kind.HELPER, node, read.links[-1].name, parts=(function,), is_hook=True)
    elif read.name.lower().endswith("ruletester.run") and len(own) > 2:
        yield _rule(syntax, node, own, is_collected=is_collected)
    elif (word := _word(read.links, names.aliases)) is not None and own:
        yield _block(syntax, word, node, own, names.lists, is_collected=is_collected)


def _rule(syntax: Syntax, node: Node, own: Sequence[Node], *, is_collected: bool) -> Scope:
    """ESLint's tests of a rule are two lists: https://eslint.org/docs/latest/integrate/nodejs-api#ruletester"""
    lists = [value for value in _pairs(syntax, own[2:]).values() if value.type == "array"]
    rows = tuple(row for value in lists for row in written_rows(syntax, value, {}) or ())
    return Scope(Kind.TEST, node, _title(syntax, own, {}), rows=rows or None, parts=(own[1],), collected=is_collected)


def alias_of(syntax: Syntax, value: Node, aliases: Mapping[str, Alias]) -> Alias | None:
    """What a name means that is given this value: `it`, `test.extend({…})`, `ready ? it : it.skip`."""
    if value.type == "ternary_expression":
        sides = [chain(syntax, SHAPE, demanded(value, side)) for side in ("consequence", "alternative")]
        words = [_word(side.links, aliases) for side in sides if side.start is None]
        condition = syntax.short(demanded(value, "condition"))
        kinds = {word.kind for word in words if word is not None}
        skip = Mark("skipped", syntax.short(value), condition_scope(condition, runs=sides[1].name.endswith("skip")))
        return Alias(kinds.pop(), skip) if len(words) == 2 and None not in words and len(kinds) == 1 else None
    read = chain(syntax, SHAPE, value)
    if read.name == "suite" and read.links[-1].arguments and _function(read.links[-1].arguments) is None:
        return Alias(
            Kind.TEST
        )  # https://github.com/lukeed/uvu/blob/master/docs/api.uvu.md#uvusuitename-string-context-t
    links = [link for link in read.links if link.name != "extend"]
    word = _word(links, aliases) if read.start is None and links else None
    return None if word is None or any(link.arguments is not None for link in links) else Alias(word.kind, word.skip)


def written_rows(syntax: Syntax, node: Node, lists: Lists) -> tuple[str, ...] | None:
    """The rows of a written list or table; None for what is computed."""
    match node.type:
        case "array":
            return tuple(map(syntax.short, parts(node)))
        case "template_string":
            return _table(syntax, node)
        case "arguments" | "as_expression" | "satisfies_expression":
            inside = first_part(node)
            return None if inside is None else written_rows(syntax, inside, lists)
        case _:
            return lists.get(syntax.short(node))


def property_bound(syntax: Syntax, read: Chain) -> Iterator[Mark]:
    """fast-check's number of examples: https://fast-check.dev/docs/core-blocks/runners/"""
    runs = _pairs(syntax, read.links[-1].arguments or ()).get("numRuns")
    if runs is not None:
        yield Mark("examples", syntax.short(runs))


def _table(syntax: Syntax, table: Node) -> tuple[str, ...]:
    """A header, then rows of values: https://jestjs.io/docs/api#testeachtablename-fn-timeout"""
    columns = syntax.raw(table).partition(b"${")[0].count(b"|") + 1
    cells = [
        syntax.raw(child).decode("utf-8", "replace")
        for child in table.named_children
        if child.type != "string_fragment"
    ]
    return tuple(",".join(cells[start : start + columns]) for start in range(0, len(cells), columns))


def _word(links: Sequence[Link], aliases: Mapping[str, Alias]) -> _Word | None:
    names = [link.name for link in links]
    if names[0] in aliases:
        alias = aliases[names[0]]
        known = all(link.name in _BETWEEN for link in links[1:])
        return _Word(alias.kind, None, links[1:], alias.skip) if known else None
    is_owned = len(names) > 1 and names[0] in _OWNERS and names[1] in _TESTS | _SUITES
    first, between = (names[1], links[2:]) if is_owned else (names[0], links[1:])
    marked = {"f": "focused", "x": "skipped"}.get(first[:1]) if first[1:] in _TESTS | _SUITES else None
    word = first[1:] if marked else first
    if word not in _TESTS | _SUITES or (word == "module" and not is_owned):
        return None
    is_table_alone = bool(between) and between[-1].name in ("each", "for")
    if is_table_alone or not all(link.name in _BETWEEN for link in between):
        return None
    return _Word(Kind.TEST if word in _TESTS else Kind.SUITE, marked, between)


def _block(syntax: Syntax, word: _Word, node: Node, own: Sequence[Node], lists: Lists, *, is_collected: bool) -> Scope:
    pairs = _pairs(syntax, own)
    function = _function(own) or pairs.get("fn")
    tables = [link.node.child_by_field_name("arguments") for link in word.between if link.name in ("each", "for")]
    written = [table for table in tables if table is not None]
    body = function.child_by_field_name("body") if function is not None else None
    scope = Scope(word.kind, node, _title(syntax, own, pairs), collected=is_collected)
    scope.parts = tuple(own[1:]) if body is None else (body,)
    scope.certain_until = None if body is None else left_at(body)
    scope.rows = written_rows(syntax, written[0], lists) if written else None
    empty = [Mark("skipped", "no rows")] if scope.rows == () else []
    marks = [
        *empty,
        *_marks_of_word(syntax, word, node),
        *_marks_of_options(syntax, pairs),
        *_marks_of_rest(syntax, own),
    ]
    scope.marks = {mark.what: mark for mark in reversed(marks)}
    return scope


def _function(arguments: Sequence[Node]) -> Node | None:
    """The last argument that is one, or the one that a wrapper of it has: `fakeAsync(() => …)`."""
    for argument in reversed(arguments):
        if argument.type in FUNCTIONS:
            return argument
        inside = argument.child_by_field_name("arguments") if argument.type == "call_expression" else None
        wrapped = [child for child in inside.named_children if child.type in FUNCTIONS] if inside is not None else []
        if wrapped:
            return wrapped[-1]
    return None


def _pairs(syntax: Syntax, arguments: Sequence[Node]) -> dict[str, Node]:
    """The options, of an object literal among the arguments; a method stands for its own value."""
    found: dict[str, Node] = {}
    for options in arguments:
        for pair in options.named_children if options.type == "object" else ():
            key = pair.child_by_field_name("key") or demanded(pair, "name")
            found[syntax.short(key)] = demanded(pair, "value")
    return found


def _title(syntax: Syntax, own: Sequence[Node], pairs: Mapping[str, Node]) -> str:
    title = pairs.get("name", own[0])
    if title.type in FUNCTIONS:
        named = title.child_by_field_name("name")
        return "" if named is None else syntax.short(named)
    return syntax.raw(title).decode("utf-8", "replace")[1:-1] if title.type in _STRINGS else syntax.short(title)


def _marks_of_word(syntax: Syntax, word: _Word, node: Node) -> Iterator[Mark]:
    source = syntax.short(node).partition("(")[0]
    if word.skip is not None:
        yield word.skip
    if word.marked is not None:
        yield Mark(word.marked, source)
    for link in word.between:
        if link.name in _CONDITIONS and link.arguments:
            condition = syntax.short(link.arguments[0])
            runs = link.name in ("runIf", "if")
            yield Mark("skipped", f"{link.name}({condition})", condition_scope(condition, runs=runs))
        elif link.name in _MARKED:
            yield Mark(_MARKED[link.name], source)


def _marks_of_options(syntax: Syntax, pairs: Mapping[str, Node]) -> Iterator[Mark]:
    for key, value in pairs.items():
        text = syntax.short(value)
        if key in _OPTIONS and value.type not in ("false", "null", "undefined") and text != "0":
            is_plain = value.type in ("true", "number", *_STRINGS)
            yield Mark(_OPTIONS[key], f"{key}:{text}", SkipScope.ALWAYS if is_plain else condition_scope(text))


def _marks_of_rest(syntax: Syntax, own: Sequence[Node]) -> Iterator[Mark]:
    """No function at all is a test that is still to be written; a number after it is a limit in milliseconds."""
    if len(own) == 1 and own[0].type in _STRINGS:
        yield Mark("skipped", "no body")
    if len(own) > 2 and own[-1].type == "number":
        yield Mark("timeout", syntax.short(own[-1]))


def _marks_by_call(syntax: Syntax, read: Chain, node: Node, own: Sequence[Node]) -> Iterator[Mark]:
    if read.name == "test.describe.configure":
        yield from _marks_of_options(syntax, _pairs(syntax, own))
        return
    is_conditional = bool(own) and read.name in ("test.skip", "test.fixme", "test.fail")
    scope = condition_scope(syntax.short(own[0])) if is_conditional else SkipScope.ALWAYS
    yield Mark(_CALLS[read.name], syntax.short(node), scope)
