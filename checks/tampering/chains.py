"""Chained calls (`expect(x).not.toBe(1)`, `assertThat(x).isEqualTo(1)`) as a list of their links, in any grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from checks.tampering.syntax import Syntax, first_part, parts


@dataclass(frozen=True, slots=True)
class Link:
    """A name with the arguments that it is called with. `arguments` is None for a name that is not called."""

    name: str
    arguments: tuple[Node, ...] | None
    node: Node  # from the beginning of the chain up to here


@dataclass(frozen=True, slots=True)
class Shape:
    """How a grammar writes chains.

    `callee` is the field of a call that holds what is called; "" where the call itself has receiver and name, as in
    Java. `receiver` and `name` are fields of a member, `members` the kinds that are one. `field` is what a grammar
    calls the name of a member that is no call, where that differs.
    """

    call: str
    callee: str
    members: frozenset[str]
    receiver: str
    name: str
    arguments: str = "arguments"
    field: str = ""
    unwrap: frozenset[str] = frozenset()  # kinds whose only named child stands for them (`(x)`, `x!`)


@dataclass(frozen=True, slots=True)
class Chain:
    """`start` is the innermost expression where that is no name. `inner` are the calls and members of the chain."""

    start: Node | None
    links: Sequence[Link]
    inner: Sequence[Node]

    @property
    def calls(self) -> Iterator[tuple[str, Link]]:
        """Every call in it with its name: of `cart.items().add(1)` that is `cart.items` and `cart.items.add`."""
        name = ""
        for link in self.links:
            name = f"{name}.{link.name}" if name and link.name else name or link.name
            if link.arguments is not None and name:
                yield name, link

    @property
    def name(self) -> str:
        """As written, without arguments: `cart.items.add`. Parts of other expressions are left out."""
        return ".".join(link.name for link in self.links if link.name)


_NAMES = ("identifier", "constant", "this", "self")


def chain(syntax: Syntax, shape: Shape, node: Node) -> Chain:
    """The chain that ends with this call or member."""
    links: list[Link] = []
    inner: list[Node] = []
    start: Node | None = None
    called: tuple[tuple[Node, ...], Node] | None = None  # arguments whose name is still to come, and their call
    current: Node | None = node
    while current is not None:
        kind = current.type
        if kind == shape.call or kind in shape.members:
            inner.append(current)
        if kind in shape.unwrap:
            current = first_part(current)
        elif kind == shape.call and shape.callee:
            if called is not None:
                links.append(Link("", *called))
            called = _arguments(shape, current), current
            current = current.child_by_field_name(shape.callee)
        elif kind in shape.members:
            name = current.child_by_field_name(shape.name) or current.child_by_field_name(shape.field)
            if not shape.callee:
                called = (_arguments(shape, current), current) if kind == shape.call else None
            links.append(Link(_name(syntax, name), *(called or (None, current))))
            called, current = None, current.child_by_field_name(shape.receiver)
        else:
            start = None if kind.endswith(_NAMES) else current
            if start is None or called is not None:
                links.append(Link("" if start else _name(syntax, current), *(called or (None, current))))
            called = None
            break
    nameless = [] if called is None else [Link("", *called)]  # in a broken tree, where what is called is missing
    return Chain(start, [*nameless, *links[::-1]], inner)


def _arguments(shape: Shape, call: Node) -> tuple[Node, ...]:
    written = call.child_by_field_name(shape.arguments)
    if written is None:
        return ()
    if not written.type.startswith("argument"):  # a tagged template
        return (written,)
    return tuple(parts(written))


def _name(syntax: Syntax, node: Node | None) -> str:
    return "" if node is None else syntax.short(node)
