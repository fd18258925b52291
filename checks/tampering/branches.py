"""Branches of languages with braces: what a condition in a test asserts, and what may not be reached or not be noticed.

For grammars whose nodes have the fields `condition`, `consequence`, `alternative` and `body`: JavaScript, TypeScript,
Java and C#.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from checks.tampering.conditions import asserted
from checks.tampering.matchers import Said
from checks.tampering.reading import Reader
from checks.tampering.scopes import Item, Kind, Message, Scope, guard
from checks.tampering.syntax import demanded, first_part, last_part, parts

_BLOCKS = frozenset({"statement_block", "block"})


@dataclass(frozen=True, slots=True)
class Handler:
    """`error` is the class that it catches, as written. `is_general`: also what a failing assertion throws."""

    node: Node
    error: str
    is_general: bool


class BranchReader(Reader, ABC):
    """A visitor that knows branches. `asserting` and `failing` are words of the language's frameworks."""

    asserting: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()  # words in a handler that hands the failure on

    @abstractmethod
    def is_failure(self, call: Node) -> bool:
        """Whether a call always fails the test."""

    @abstractmethod
    def known(self, condition: Node) -> Said | None:
        """See `conditions`."""

    def if_statement(self, node: Node) -> Iterator[Item]:
        """Inside a test, `if (wrong) throw …` asserts; all else under a condition may not run."""
        condition, then = demanded(node, "condition"), demanded(node, "consequence")
        other = node.child_by_field_name("alternative")
        failing = self._failing(then)
        if failing is not None and self.scopes.is_open(Kind.TEST):
            self.taken.add(failing.id)
            yield Message(failing)
            for said in asserted(self.syntax, condition, self.known, negated=True):
                yield self.assertion(condition, said)
        is_split = other is not None
        if other is None or not (self._has(then, self.asserting) and self._has(other, self.asserting)):
            yield guard(node, self.syntax.brief(condition), is_split=is_split)

    def try_statement(self, body: Node, handlers: Sequence[Handler]) -> Iterator[Item]:
        """A handler swallows what it does not hand on; and it runs only if something was thrown.

        `try { f(); fail(); } catch (X e) { … }` asserts that f throws X, so that its handler must run.
        """
        failing = self._failing(body)
        if failing is None:
            yield from (Scope(Kind.GUARD, handler.node) for handler in handlers)
        elif handlers and self.is_failure(failing):
            self.taken.add(failing.id)
            yield Message(failing)
            what = self.syntax.short(*parts(body)[-2:-1])
            said = Said("raises", what, handlers[0].error or None)
            yield self.assertion(failing, said, swallowed=any(map(self._is_silent, handlers)))
        if any(map(self._swallows, handlers)):
            yield Scope(Kind.GUARD, body)

    def _swallows(self, handler: Handler) -> bool:
        return handler.is_general and not self._has(handler.node, self.failing)

    def _is_silent(self, handler: Handler) -> bool:
        """Whether it also swallows that nothing was thrown, since it looks at nothing."""
        return self._swallows(handler) and not self._has(handler.node, self.asserting)

    def _failing(self, block: Node) -> Node | None:
        """The last statement of a block where that fails the test: a `throw`, or a call that does."""
        last = (last_part(block) if block.type in _BLOCKS else block) or block
        call = (first_part(last) if last.type == "expression_statement" else last) or last
        if self.is_failure(call):
            return call
        return last if last.type == "throw_statement" else None

    def _has(self, node: Node, words: frozenset[str]) -> bool:
        return not words.isdisjoint(self.syntax.words(node))


def ended_by_return(finalizer: Node | None) -> Node | None:
    """A `finally` that returns, and with that forgets what was thrown."""
    body = None if finalizer is None else finalizer.child_by_field_name("body") or last_part(finalizer)
    returns = body is not None and any(part.type == "return_statement" for part in parts(body))
    return finalizer if returns else None


def left_at(body: Node) -> int | None:
    """From which byte on a function may have been left: after a `return` on its top level, or one under a condition."""
    for statement in parts(body) if body.type in _BLOCKS else ():
        then = demanded(statement, "consequence") if statement.type == "if_statement" else statement
        last = (last_part(then) if then.type in _BLOCKS else then) or then
        if last.type == "return_statement":
            return statement.end_byte
    return None
