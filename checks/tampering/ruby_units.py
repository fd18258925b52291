"""Tests of Ruby as units: RSpec, Minitest and its specs, Test::Unit, Rails.

Sources: https://rspec.info/features/3-13/rspec-core/, https://docs.seattlerb.org/minitest/, https://test-unit.github.io/,
https://guides.rubyonrails.org/testing.html, https://github.com/NoRedInk/rspec-retry
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2
import tree_sitter_ruby
from tree_sitter import Node

from checks.tampering.chains import Chain, chain
from checks.tampering.conditions import asserted
from checks.tampering.places import is_test_path
from checks.tampering.reading import Language, Reader, names_found
from checks.tampering.ruby_assertions import FAILS, SHAPE, known, read_assertions
from checks.tampering.scopes import Item, Kind, Mark, Message, Mock, Scope, Scopes, condition_scope, guard
from checks.tampering.syntax import Grammar, Syntax, demanded
from checks.tampering.units import FileUnits, SkipScope

_GRAMMAR = Grammar(
    tree_sitter_ruby.language(),
    atoms=("string", "simple_symbol", "regex", "heredoc_body", "subshell"),
    comments=("comment",),
    wanted=(
        *("call", "method", "singleton_method", "class", "module", "if", "unless", "if_modifier", "unless_modifier"),
        *("case", "case_match", "begin", "do_block", "rescue", "rescue_modifier", "binary", "conditional"),
        *("assignment", "block"),
    ),
)
SIGN = re2.compile(
    rb"\b(?:RSpec\b|Minitest\b|Test::Unit|ActiveSupport::TestCase|describe\s|def test_|expect\()"
    rb"|\b(?:it|context|specify)[ (][\"']"
)
_IN_TESTS = re2.compile(rb"\b(?:it|describe|context|def test_\w*|expect|assert\w*|refute\w*|skip|pending|should)\b")
_DEFINES = re2.compile(
    r"(?m)^\s*(?:def\s+(?:self\.)?(\w+[?!=]?)|(?:class|module)\s+(?:\w+::)*(\w+)|([A-Z]\w*)\s*=[^=])"
    r"|\b(?:attr_\w+|define_method|scope|alias_method|delegate)\s*\(?\s*:(\w+)"
)
_TESTS = frozenset({"it", "specify", "example", "scenario", "test", "its"})
_SUITES = frozenset({"describe", "context", "feature", "example_group", "shared_examples", "shared_examples_for"})
_MARKED = {
    **{f"x{word}": "skipped" for word in _TESTS | _SUITES},
    **{f"f{word}": "focused" for word in _TESTS | _SUITES},
    "pending": "may_fail",
    "skip": "skipped",
    "focus": "focused",
}
_SHARED = frozenset({"it_behaves_like", "it_should_behave_like", "include_examples"})
_HOOKS = frozenset({"before", "after", "around", "setup", "teardown"})
_METADATA = {
    **dict.fromkeys(("skip", "if", "unless"), "skipped"),
    "pending": "may_fail",
    **dict.fromkeys(("focus", "only"), "focused"),
    **dict.fromkeys(("retry", "retry_wait"), "retries"),
    "timeout": "timeout",
}
_ENDS = {**dict.fromkeys(("skip", "omit", "pend", "notify"), "skipped"), "pending": "may_fail"}
# https://docs.ruby-lang.org/en/master/Thread.html#class-Thread-label-Exception+handling
_THREADS = frozenset({"Thread.new", "Thread.start", "Thread.fork", "fork", "Process.fork"})
_JOINS = frozenset(
    {"join", "value", "abort_on_exception", "abort_on_exception=", "wait", "wait2", "waitpid", "wait_all"}
)
_GENERAL = frozenset({"StandardError", "Exception", "Assertion", "ExpectationNotMetError", "AssertionFailedError"})
# https://rspec.info/features/3-13/rspec-core/command-line/pattern-option/ and Minitest's `rake test` template
_COLLECTED = re2.compile(r"(?:.*/)?(?:[^/]*_(?:spec|test)|test_[^/]*)\.rb")


def read_units(path: str, source: bytes) -> FileUnits:
    """See `units`. Product code without a sign of tests is not parsed."""
    if not is_test_path(path) and SIGN.search(source) is None:
        return FileUnits(path, defines=_defines(source))
    return _LANGUAGE.read(_GRAMMAR, path, source)


def _defines(source: bytes) -> frozenset[str]:
    return names_found(_DEFINES, source)


class _Reader(Reader):
    """What each wanted node means."""

    def __init__(self, syntax: Syntax, scopes: Scopes, path: str) -> None:
        super().__init__(syntax, scopes)
        self._is_collected = _COLLECTED.fullmatch(path) is not None
        scopes.leave_file_at(self._left_at(syntax.root))

    def visit(self, kind: str, node: Node) -> Iterator[Item]:
        if node.id in self.taken:
            return
        match kind:
            case "call":
                yield from self._chain(node)
            case "method" | "singleton_method":
                yield from self._method(node)
            case "class" | "module":
                name = node.child_by_field_name("name")
                yield Scope(Kind.SUITE, node, "" if name is None else self.syntax.short(name))
            case "if" | "unless" | "if_modifier" | "unless_modifier":
                yield from self._condition(kind, node)
            case "begin" | "do_block" | "block":
                yield from self._rescued(node)
            case "binary":
                yield from self._either(node)
            case "assignment":
                self._assignment(node)
            case _:  # what stands in a `rescue` runs only if something was raised
                yield Scope(Kind.GUARD, node)

    def _method(self, node: Node) -> Iterator[Item]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        title = self.syntax.short(name)
        is_test = title.startswith("test_") and not title.endswith("=") and node.type == "method"
        kind = Kind.TEST if is_test else Kind.HELPER
        yield self._block(kind, node, title, body)
        yield from self._rescued(node)

    def _block(self, kind: Kind, node: Node, name: str, body: Node | None) -> Scope:
        """A test, suite or helper with what its body says at once: a bare `skip`, a `return`."""
        scope = Scope(kind, node, name, collected=self._is_collected)
        if body is not None:
            scope.parts = (body,)
            scope.certain_until = self._left_at(body) if kind is not Kind.SUITE else None
        for statement in body.named_children if body is not None and kind is Kind.TEST else ():
            what = _ENDS.get(self.syntax.short(statement)) if statement.type == "identifier" else None
            if what is not None:
                scope.marks.setdefault(what, Mark(what, self.syntax.short(statement)))
        return scope

    def _chain(self, node: Node) -> Iterator[Item]:
        read = chain(self.syntax, SHAPE, node)
        self.taken.update(inner.id for inner in read.inner)
        declared = self._declared(read, node)
        if declared is not None:
            yield declared
            return
        name = read.name
        if name in _ENDS and len(read.links) == 1:
            yield Mark(_ENDS[name], self.syntax.short(node))
        if name.startswith("allow") and "receive" in self.syntax.words(node):
            owner = self.syntax.short(*read.links[0].arguments or ())
            yield Mock(owner)
            yield from (Mock(f"{owner}.{name}(") for name in self._received(node))
        if name.endswith((".each", ".each_with_index")) or (read.start is not None and name in ("each", "map")):
            yield from self._each(read, node)
        if read.links[-1].name in ("to", "not_to", "to_not"):
            for matcher in read.links[-1].arguments or ():
                self.taken.update(inner.id for inner in chain(self.syntax, SHAPE, matcher).inner)
        if name in _THREADS:
            yield from self.started(node, _JOINS)
        optional = self.syntax.raw(node).partition(b"should")[0].endswith(b"&.")
        yield from self.chain(node, read, read_assertions(self.syntax, read, node), swallowed=optional)

    def _received(self, node: Node) -> list[str]:
        """`total` of `allow(cart).to receive(:total)`."""
        words = self.syntax.words(node)
        return [
            name.lstrip(":") for word, _, name in zip(words, words[1:], words[2:], strict=False) if word == "receive"
        ]

    def _declared(self, read: Chain, node: Node) -> Scope | None:
        """The test, suite or hook that a call with a block declares."""
        names, arguments = [link.name for link in read.links], read.links[-1].arguments or ()
        block = node.child_by_field_name("block")
        word = names[-1]
        if read.start is not None or names[:-1] not in ([], ["RSpec"]) or self.scopes.is_open(Kind.TEST):
            return None
        if word in _ENDS and self.scopes.block() is not None:  # `skip` in a hook is no example
            return None
        if word in _HOOKS and block is not None:
            hook = self._block(Kind.HELPER, node, word, block.child_by_field_name("body"))
            hook.is_hook = True
            return hook
        if word in _SHARED and arguments:
            title = f"{word} {self.syntax.short(arguments[0])}"
            return Scope(Kind.TEST, node, title, parts=tuple(arguments), collected=self._is_collected)
        plain = word[1:] if word in _MARKED and word[1:] in _TESTS | _SUITES else word
        is_suite = plain in _SUITES
        if not is_suite and plain not in _TESTS and (word not in _MARKED or not (arguments or block)):
            return None
        if block is None and (is_suite or not arguments):
            return None
        body = block.child_by_field_name("body") if block is not None else None
        scope = self._block(Kind.SUITE if is_suite else Kind.TEST, node, self._title(arguments), body)
        for mark in (*self._marks_of_word(word, block), *self._metadata(arguments)):
            scope.marks.setdefault(mark.what, mark)
        return scope

    def _title(self, arguments: Sequence[Node]) -> str:
        if not arguments:
            return ""
        text = self.syntax.short(arguments[0])
        return self.syntax.raw(arguments[0]).decode("utf-8", "replace")[1:-1] if arguments[0].type == "string" else text

    def _marks_of_word(self, word: str, block: Node | None) -> Iterator[Mark]:
        if block is None:
            yield Mark("skipped", "no block")
        elif word in _MARKED:
            yield Mark(_MARKED[word], word)

    def _metadata(self, arguments: Sequence[Node]) -> Iterator[Mark]:
        """`it "adds", :skip, retry: 3 do`"""
        for argument in arguments:
            key, value = argument.child_by_field_name("key"), argument.child_by_field_name("value")
            text = self.syntax.short(argument)
            if argument.type == "simple_symbol" and text.lstrip(":") in _METADATA:
                yield Mark(_METADATA[text.lstrip(":")], text)
            elif key is not None and value is not None and value.type not in ("false", "nil"):
                name = self.syntax.short(key).strip(":")
                is_fixed = value.type in ("true", "string", "integer") or name not in ("if", "unless", "skip")
                condition = self.syntax.short(value)
                scope = SkipScope.ALWAYS if is_fixed else condition_scope(condition, runs=name == "if")
                if name in _METADATA:
                    yield Mark(_METADATA[name], text, scope)

    def _each(self, read: Chain, node: Node) -> Iterator[Scope]:
        """Tests in `[…].each do` run once for every element."""
        over = read.start if read.start is not None else read.links[-2].node
        rows = self._rows(over)
        if self.scopes.block() is None:
            yield Scope(Kind.SUITE, node, rows=rows)

    def _rows(self, value: Node) -> tuple[str, ...] | None:
        if value.type in ("array", "string_array", "symbol_array", "hash"):
            return tuple(self.syntax.short(child) for child in value.named_children if not child.is_extra)
        return self.lists.get(self.syntax.short(value))

    def _assignment(self, node: Node) -> None:
        right = demanded(node, "right")
        self.bind(self.syntax.short(demanded(node, "left")), right, self._rows(right))

    def _condition(self, kind: str, node: Node) -> Iterator[Item]:
        """`flunk if wrong` asserts, `skip if …` skips; all else under a condition may not run."""
        condition = node.child_by_field_name("condition")
        then = node.child_by_field_name("consequence") or node.child_by_field_name("body")
        if condition is None or then is None:
            return
        unless = kind.startswith("unless")
        failing = self._failing(then)
        if failing is not None and self.scopes.is_open(Kind.TEST):
            self.taken.add(failing.id)
            yield Message(failing)
            for said in asserted(self.syntax, condition, lambda part: known(self.syntax, part), negated=not unless):
                yield self.assertion(condition, said)
        other = node.child_by_field_name("alternative")
        both = other is not None and self._asserts(then) and self._asserts(other)
        text = f"!({self.syntax.short(condition)})" if unless else self.syntax.short(condition)
        when = condition_scope(text)
        if not both:
            yield guard(node, text, is_split=other is not None)
        for bare in _statements(then):
            what = _ENDS.get(self.syntax.short(bare)) if bare.type == "identifier" else None
            if what is not None:
                yield Mark(
                    what, f"{self.syntax.short(bare)} {kind.partition('_')[0]} {self.syntax.short(condition)}", when
                )

    def _failing(self, then: Node) -> Node | None:
        """The last statement, where it raises or fails."""
        last = _statements(then)[-1:]
        return next((one for one in last if self.syntax.words(one)[:1] and self.syntax.words(one)[0] in FAILS), None)

    def _asserts(self, node: Node) -> bool:
        return any(
            word in ("expect", "should") or word.startswith(("assert", "refute")) for word in self.syntax.words(node)
        )

    def _rescued(self, node: Node) -> Iterator[Scope]:
        """A body whose failures a general `rescue` does not hand on."""
        body = node if node.type == "begin" else node.child_by_field_name("body")
        for part in body.named_children if body is not None else ():
            if part.type == "rescue" and self._is_general(part) and not FAILS & set(self.syntax.words(part)):
                yield Scope(Kind.GUARD, node)
                return

    def _is_general(self, rescue: Node) -> bool:
        errors = rescue.child_by_field_name("exceptions")
        return errors is None or not _GENERAL.isdisjoint(self.syntax.words(errors))

    def _either(self, node: Node) -> Iterator[Scope]:
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in ("&&", "||", "and", "or"):
            yield Scope(Kind.GUARD, node)

    def _left_at(self, body: Node) -> int | None:
        """From which byte on a body may have been left by a `return` or `next`."""
        for statement in body.named_children:
            inside = [statement]
            if statement.type in ("if", "unless", "if_modifier", "unless_modifier"):
                then = statement.child_by_field_name("consequence") or statement.child_by_field_name("body")
                inside = _statements(then)[-1:] if then is not None else []
            if any(last.type in ("return", "next") for last in inside):
                return statement.end_byte
        return None


def _statements(then: Node) -> list[Node]:
    return list(then.named_children) if then.type == "then" else [then]


_LANGUAGE = Language(" > ", lambda syntax, scopes, path: _Reader(syntax, scopes, path).visit, _IN_TESTS, _defines)
