"""From a framework's `Form` and the arguments of a call to what is said, the same for every grammar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from checks.tampering.chains import Link
from checks.tampering.conditions import Known, refined
from checks.tampering.matchers import Form, Said, bound
from checks.tampering.syntax import LONGEST_VALUE, Syntax


def names(text: str) -> frozenset[str]:
    """Names that are divided by blanks."""
    return frozenset(text.split())


def each(names: str, form: Form) -> Mapping[str, Form]:
    """The same form for several names, which are divided by blanks."""
    return dict.fromkeys(names.split(), form)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that follow a target: `isEqualTo` after `assertThat(x)`.

    `forms` count their arguments from the word's own first one. `silent` words say nothing by themselves. Another word
    that is called is an assertion of the project's own.
    """

    forms: Mapping[str, Form]
    silent: frozenset[str]


def of_words(syntax: Syntax, vocabulary: Vocabulary, target: str, links: Sequence[Link]) -> Iterator[Said]:
    """One statement for every word that says something."""
    for link in links:
        form = form_of(vocabulary, link, is_last=link is links[-1])
        if form is not None:
            yield of_matcher(syntax, form, target, link.arguments or (), negated=False)


def form_of(vocabulary: Vocabulary, link: Link, *, is_last: bool) -> Form | None:
    """None for a word that says nothing: between others, or one that would need arguments."""
    is_called = link.arguments is not None
    known = vocabulary.forms.get(link.name)
    if known is not None:
        return known if is_called or known.expected is None or known.matcher == "called" else None
    if link.name in vocabulary.silent or not (is_called or is_last):
        return None
    return Form(f"custom:{link.name}", None, 0)


def of_matcher(syntax: Syntax, form: Form, target: str, own: Sequence[Node], *, negated: bool) -> Said:
    """`own` are the arguments of the matcher alone. Without a tolerance, all of them are what is expected."""
    if form.tolerance is not None:
        expected, tolerance = _at(syntax, own, form.expected), _at(syntax, own, form.tolerance)
        tolerance = tolerance if form.places is None else bound(tolerance or form.places)
    else:
        expected = None if form.expected is None else syntax.short(*own[form.expected :], most=LONGEST_VALUE) or None
        tolerance = None
    return Said(form.matcher, target, expected or form.fixed, form.negated is not negated, tolerance, form.sign)


def of_function(syntax: Syntax, form: Form, arguments: Sequence[Node], known: Known) -> Iterator[Said]:
    """`assertEquals(1, x)`: target and expected value by their places; nothing without a target."""
    about = arguments[form.target or 0 :][:1]
    tolerance = _at(syntax, arguments, form.tolerance)
    if form.places is not None:
        tolerance = bound(tolerance or form.places)
    expected = _at(syntax, arguments, form.expected) or form.fixed
    for node in about:
        said = Said(form.matcher, syntax.short(node), expected, form.negated, tolerance, form.sign)
        yield from refined(syntax, said, node, known)


def _at(syntax: Syntax, arguments: Sequence[Node], place: int | None) -> str | None:
    return None if place is None or place >= len(arguments) else syntax.short(arguments[place], most=LONGEST_VALUE)
