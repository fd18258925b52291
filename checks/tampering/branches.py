"""Branches of languages with braces: what a condition in a test asserts, and what may not be reached or not be noticed.

For grammars whose nodes have the fields `condition`, `consequence`, `alternative` and `body`: JavaScript, TypeScript,
Java and C#.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from checks.tampering.conditions import asserted
from checks.tampering.matchers import Said
from checks.tampering.reading import Reader
from checks.tampering.scopes import Item, Kind, Message, Scope, condition_scope

_BLOCKS = frozenset({"statement_block", "block"})


@dataclass(frozen=True, slots=True)
class Handler:
    """`error` is the class that it catches, as written. `is_general`: also what a failing assertion throws."""

    node: Node
    error: str
    is_general: bool


class BranchReader(Reader):
    """A visitor that knows branches. `asserting` and `failing` are words of the language's frameworks."""

    asserting: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()  # words in a handler that hands the failure on

    def is_failure(self, call: Node) -> bool:
        """Whether a call always fails the test."""
        raise NotImplementedError

    def known(self, condition: Node) -> Said | None:
        """See `conditions`."""
        raise NotImplementedError

    def if_statement(self, node: Node) -> Iterator[Item]:
        """Inside a test, `if (wrong) throw …` asserts; all else under a condition may not run."""
        condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        if condition is None or then is None:
            return
        failing = self._failing(then)
        if failing is not None and self.scopes.is_open(Kind.TEST):
            self.taken.add(failing.id)
            yield Message(failing)
            for said in asserted(self.syntax, condition, self.known, negated=True):
                yield self.assertion(condition, said)
        if other is None:
            yield Scope(Kind.GUARD, node, when=condition_scope(self.syntax.short(condition)))
        elif not (self._has(then, self.asserting) and self._has(other, self.asserting)):
            yield Scope(Kind.GUARD, node)

    def try_statement(self, body: Node | None, handlers: Sequence[Handler]) -> Iterator[Item]:
        """A handler swallows what it does not hand on; and it runs only if something was thrown.

        `try { f(); fail(); } catch (X e) { … }` asserts that f throws X, so that its handler must run.
        """
        failing = None if body is None else self._failing(body)
        if body is None or not handlers:
            return
        if failing is None:
            yield from (Scope(Kind.GUARD, handler.node) for handler in handlers)
        elif self.is_failure(failing):
            self.taken.add(failing.id)
            yield Message(failing)
            what = self.syntax.short(*body.named_children[-2:-1])
            yield self.assertion(failing, Said("raises", what, handlers[0].error or None))
        if any(handler.is_general and not self._has(handler.node, self.failing) for handler in handlers):
            yield Scope(Kind.GUARD, body)

    def _failing(self, block: Node) -> Node | None:
        """The last statement of a block where that fails the test: a `throw`, or a call that does."""
        last = block.named_children[-1] if block.type in _BLOCKS and block.named_child_count else block
        call = last.named_child(0) if last.type == "expression_statement" else last
        if call is not None and self.is_failure(call):
            return call
        return last if last.type == "throw_statement" else None

    def _has(self, node: Node, words: frozenset[str]) -> bool:
        return not words.isdisjoint(self.syntax.words(node))


def left_at(body: Node) -> int | None:
    """From which byte on a function may have been left: after a `return` on its top level, or one under a condition."""
    for statement in body.named_children if body.type in _BLOCKS else ():
        then = statement.child_by_field_name("consequence") if statement.type == "if_statement" else statement
        inside = then.named_children[-1:] if then is not None and then.type in _BLOCKS else [then]
        if any(last is not None and last.type == "return_statement" for last in inside):
            return statement.end_byte
    return None
