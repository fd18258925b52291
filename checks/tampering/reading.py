"""What the adapters of all languages with a grammar share: from a file to its units, and what a name stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tree_sitter import Node

from checks.tampering.chains import Chain
from checks.tampering.matchers import Said, assertion, is_literal
from checks.tampering.places import is_test_path
from checks.tampering.scopes import Call, Item, Kind, Scope, Scopes, Visit
from checks.tampering.syntax import Grammar, Syntax, parse, parts
from checks.tampering.units import Assertion, FileUnits


class Reader:
    """The beginning of an adapter's visitor."""

    def __init__(self, syntax: Syntax, scopes: Scopes) -> None:
        self.syntax = syntax
        self.scopes = scopes
        self.taken: set[int] = set()  # nodes that a chain or a condition around them has said all about
        self.lists: dict[str, tuple[str, ...]] = {}  # the elements of named lists, the latest before this place
        self._values: dict[str, str] = {}  # named literals of the file, likewise
        self._local: dict[str, str] = {}  # those of the test or helper that is open
        self._open: Scope | None = None
        self._count: Counter[str] = Counter()  # of the words of a test or helper
        self._counted_for: Scope | None = None

    def bind(self, name: str, value: Node, rows: tuple[str, ...] | None) -> None:
        """A name stands for that value from here on; `rows` are its elements where it is a list."""
        text = self.syntax.short(value)
        values = self._values if self.scopes.block() is None else self._locals()
        values[name] = text if is_literal(text) or text.isidentifier() else name
        if rows is not None:
            self.lists[name] = rows

    def chain(self, node: Node, read: Chain, statements: Iterable[Said], *, swallowed: bool = False) -> Iterator[Item]:
        """The assertions that a chained call makes, else the names that it calls; both for functions of the project."""
        made = list(statements)
        if all(said.matcher.startswith("custom:") for said in made):
            yield from (Call(name) for name, _ in read.calls)
        for said in made:
            yield self.assertion(node, said, swallowed=swallowed)

    def last_statement(self, body: Node) -> str:
        """What a whole function is expected to fail with."""
        return self.syntax.short(*parts(body)[-1:])

    def is_used(self, name: str) -> bool:
        """Whether a name that the open test or helper defines stands anywhere else in it."""
        return self._words()[name] > 1

    def has_word(self, words: Iterable[str]) -> bool:
        """Whether one of the words stands in the open test or helper."""
        counted = self._words()
        return any(counted[word] for word in words)

    def started(self, node: Node, waiting: Iterable[str]) -> Iterator[Scope]:
        """What runs beside a test cannot fail it, unless the test has one of the words that wait for how it ended."""
        if not self.has_word(waiting):
            yield Scope(Kind.GUARD, node)

    def unless_used(self, name: str, function: Node) -> Iterator[Scope]:
        """A function that the open test keeps under a name and never names again does not run."""
        if self.scopes.block() is not None and not self.is_used(name):
            yield Scope(Kind.GUARD, function)

    def _words(self) -> Counter[str]:
        block = self.scopes.block()
        if block is not self._counted_for and block is not None:
            self._counted_for, self._count = block, Counter(self.syntax.words(block.node))
        return self._count

    def _stands_for(self, name: str) -> str:
        return self._locals().get(name, self._values.get(name, name))

    def _locals(self) -> dict[str, str]:
        if self.scopes.block() is not self._open:
            self._open, self._local = self.scopes.block(), {}
        return self._local

    def assertion(self, node: Node, said: Said, *, swallowed: bool = False) -> Assertion:
        """At a node. An expected name is replaced by the literal that it stands for."""
        expected = None if said.expected is None else self._stands_for(said.expected)
        text = self.syntax.short(node)
        return assertion(node.start_point.row + 1, text, replace(said, expected=expected), swallowed=swallowed)


@dataclass(frozen=True, slots=True)
class Language:
    """How one language is read.

    `visitor` makes the visitor of a file's path. `in_tests` is a pattern of what stands in tests: an unreadable part
    that matches it may hide one, so the file counts as not parsed. `defines` finds names of product code.
    """

    separator: str  # between the parts of a test's name
    visitor: Callable[[Syntax, Scopes, str], Visit]
    in_tests: Any
    defines: Callable[[bytes], frozenset[str]]

    def read(self, grammar: Grammar, path: str, source: bytes) -> FileUnits:
        """The units of a file that may hold tests."""
        is_test_file = is_test_path(path)
        syntax = parse(grammar, source)
        if syntax is None:
            return FileUnits(path, parsed=False, is_test_file=is_test_file)
        scopes = Scopes(path, syntax, self.separator)
        scopes.read(self.visitor(syntax, scopes, path))
        defines = frozenset[str]() if is_test_file else self.defines(source)
        units, helpers = tuple(scopes.units), tuple(scopes.helpers)
        return FileUnits(path, units, helpers, defines, not syntax.broken(self.in_tests), is_test_file)


def names_found(pattern: Any, source: bytes, *, but: frozenset[str] = frozenset()) -> frozenset[str]:
    """What the groups of a compiled pattern match in a source."""
    found = pattern.findall(source.decode("utf-8", "replace"))
    parts = (part for match in found for part in ((match,) if isinstance(match, str) else match))
    return frozenset(part for part in parts if part) - but
