"""Which assertions a call of Java makes: JUnit, TestNG, AssertJ, Hamcrest, Truth, Mockito, MockMvc, REST Assured.

From their documentation: https://docs.junit.org/current/api/org.junit.jupiter.api/org/junit/jupiter/api/Assertions.html,
https://junit.org/junit4/javadoc/latest/org/junit/Assert.html (message first),
https://javadoc.io/doc/org.testng/testng/latest/org/testng/Assert.html (actual value first),
https://assertj.github.io/doc/, https://hamcrest.org/JavaHamcrest/javadoc/, https://truth.dev/,
https://javadoc.io/doc/org.mockito/mockito-core/latest/org/mockito/Mockito.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import re2
from tree_sitter import Node

from checks.tampering.chains import Chain, Link, Shape, chain
from checks.tampering.conditions import refined
from checks.tampering.matchers import Form, Said
from checks.tampering.statements import Vocabulary, each, names, of_function, of_matcher, of_words
from checks.tampering.syntax import Syntax, demanded

SHAPE = Shape(
    call="method_invocation",
    callee="",
    members=frozenset({"method_invocation", "field_access"}),
    receiver="object",
    name="name",
    field="field",
    unwrap=frozenset({"parenthesized_expression", "cast_expression"}),
)
_CUSTOM = re2.compile(r"(?:assert|expect|verify|check|should)[A-Z_]\w*")
_NUMBER = re2.compile(r"(?i)-?[\d.][\w.-]*|\w*(?:delta|epsilon|toleran|precision|eps)\w*")
_FUNCTIONS: Mapping[str, Form] = {
    **each(
        "assertEquals assertSame assertArrayEquals assertIterableEquals assertLinesMatch assertEqualsNoOrder",
        Form("equal", 1, 0, tolerance=2),
    ),
    **each("assertNotEquals assertNotSame assertArrayNotEquals", Form("equal", 1, 0, negated=True)),
    **each("assertTrue", Form("truthy")),
    **each("assertFalse", Form("truthy", negated=True)),
    **each("assertNull", Form("none")),
    **each("assertNotNull", Form("none", negated=True)),
    **each("assertThrows assertThrowsExactly expectThrows", Form("raises", 1, 0)),
    **each("assertDoesNotThrow", Form("raises", negated=True)),
    **each("assertInstanceOf", Form("type", 1, 0)),
}
_ASSERTJ = Vocabulary(
    {
        **each(
            "isEqualTo isSameAs containsExactly isEqualByComparingTo hasToString isEqualToIgnoringCase",
            Form("equal", None, 0),
        ),
        **each("containsExactlyInAnyOrder containsOnly hasValue containsExactlyElementsIn", Form("equal", None, 0)),
        **each("isNotEqualTo isNotSameAs", Form("equal", None, 0, negated=True)),
        **each("isCloseTo isCloseToWithin", Form("close", None, 0, tolerance=1)),
        **each(
            "contains containsKey containsEntry containsAnyOf startsWith endsWith hasMessageContaining",
            Form("contains", None, 0),
        ),
        **each("doesNotContain doesNotContainKey", Form("contains", None, 0, negated=True)),
        **each("matches containsPattern", Form("matches", None, 0)),
        **each("isInstanceOf isExactlyInstanceOf isInstanceOfAny", Form("type", None, 0)),
        **each("hasSize hasLength", Form("length", None, 0)),
        **each("isEmpty", Form("length", None, fixed="0")),
        **each("isNotEmpty", Form("length", None, fixed="0", negated=True)),
        "isGreaterThan": Form("compare", None, 0, sign=">"),
        "isGreaterThanOrEqualTo": Form("compare", None, 0, sign=">="),
        "isAtLeast": Form("compare", None, 0, sign=">="),
        "isLessThan": Form("compare", None, 0, sign="<"),
        "isLessThanOrEqualTo": Form("compare", None, 0, sign="<="),
        "isAtMost": Form("compare", None, 0, sign="<="),
        "isPositive": Form("compare", None, fixed="0", sign=">"),
        "isNegative": Form("compare", None, fixed="0", sign="<"),
        "isZero": Form("equal", None, fixed="0"),
        "isBetween": Form("compare", None, 0, sign="within"),
        **each("isTrue", Form("equal", None, fixed="true")),
        **each("isFalse", Form("equal", None, fixed="false")),
        **each("isNull isNotPresent", Form("none", None)),
        **each("isNotNull isPresent", Form("none", None, negated=True)),
        **each("isThrownBy", Form("raises", None, 0)),
        **each("doesNotThrowAnyException", Form("raises", None, negated=True)),
    },
    names(
        "as describedAs withFailMessage overridingErrorMessage extracting usingRecursiveComparison first last element"
        " asString asInstanceOf usingElementComparator and that filteredOn satisfies flatExtracting ignoringFields"
        " usingComparator singleElement"
    ),
)
_HAMCREST: Mapping[str, Form] = {
    **each("equalTo is sameInstance arrayContaining contains containsInAnyOrder theInstance", Form("equal", None, 0)),
    **each("closeTo", Form("close", None, 0, tolerance=1)),
    **each(
        "containsString startsWith endsWith hasItem hasItems hasKey hasEntry hasProperty everyItem",
        Form("contains", None, 0),
    ),
    **each("matchesPattern matchesRegex", Form("matches", None, 0)),
    **each("instanceOf isA any", Form("type", None, 0)),
    **each("hasSize", Form("length", None, 0)),
    **each("empty emptyIterable emptyString emptyArray anEmptyMap", Form("length", None, fixed="0")),
    "greaterThan": Form("compare", None, 0, sign=">"),
    "greaterThanOrEqualTo": Form("compare", None, 0, sign=">="),
    "lessThan": Form("compare", None, 0, sign="<"),
    "lessThanOrEqualTo": Form("compare", None, 0, sign="<="),
    "nullValue": Form("none", None),
    "notNullValue": Form("none", None, negated=True),
    "anything": Form("truthy", None),
}
_METHODS = {
    **dict.fromkeys(("equals", "contentEquals", "equalsIgnoreCase"), "equal"),
    **dict.fromkeys(("contains", "startsWith", "endsWith", "containsKey"), "contains"),
    "matches": "matches",
}
_OPENERS = frozenset({"assertThat", "then", "assertThatThrownBy", "assertThatCode", "assertThatExceptionOfType"})
_SILENT = frozenset({"assertAll", "assertTimeout", "assertTimeoutPreemptively", "assertSoftly"})
_WEB = re2.compile(r"andExpect|expect[A-Z]\w*|statusCode|verifyComplete|verifyError")
_WEB_SILENT = frozenset({"and", "andDo", "andReturn", "log", "print"})
_MATCHES_ALL = frozenset({"is", "not"})


def read_assertions(syntax: Syntax, read: Chain) -> Iterator[Said]:
    """What the chain asserts; nothing for a plain call."""
    links = read.links
    place = next((number for number, link in enumerate(links) if link.name in _OPENERS and link.arguments), None)
    web = next((number for number, link in enumerate(links) if number and _WEB.fullmatch(link.name)), None)
    verified = next((number for number, link in enumerate(links[:2]) if link.name.startswith("verify")), None)
    if is_failure(read):
        yield Said("custom:fail", "")
    elif place is not None:
        yield from _about(syntax, links[place], links[place + 1 :])
    elif verified is not None and links[verified].arguments:
        yield from _verified(syntax, links[verified], links[verified + 1 :])
    elif web is not None:
        yield from _web(syntax, links, web)
    else:
        yield from _function(syntax, links)


def is_failure(read: Chain) -> bool:
    """`fail()`, `Assertions.fail("…")`."""
    return bool(read.links) and read.links[-1].name == "fail" and len(read.links) <= 2 and read.start is None


def known(syntax: Syntax, node: Node) -> Said | None:
    """A condition that is a call or an operator with a meaning of its own."""
    if node.type == "instanceof_expression":
        return Said("type", syntax.short(demanded(node, "left")), syntax.short(demanded(node, "right")))
    read = chain(syntax, SHAPE, node)
    if len(read.links) < 2:
        return None
    last, target = read.links[-1], syntax.short(read.links[-2].node)
    if last.name == "isEmpty":
        return Said("length", target, "0")
    if read.name in ("Objects.equals", "Arrays.equals") and len(last.arguments or ()) > 1:
        first, second, *_ = last.arguments or ()
        return Said("equal", syntax.short(first), syntax.short(second))
    return (
        Said(_METHODS[last.name], target, syntax.short(*last.arguments))
        if last.name in _METHODS and last.arguments
        else None
    )


def _about(syntax: Syntax, link: Link, words: Sequence[Link]) -> Iterator[Said]:
    arguments = link.arguments or ()
    if not words and len(arguments) > 1:
        yield from _constrained(syntax, arguments[-2], arguments[-1])
    elif not words:
        yield Said("constant", syntax.short(arguments[0]))
    elif link.name == "assertThatThrownBy":
        named = [word.arguments for word in words if word.name.endswith("nstanceOf") and word.arguments]
        yield Said("raises", syntax.short(arguments[0]), syntax.short(*named[0]) if named else None)
    elif link.name == "assertThatExceptionOfType":
        yield Said("raises", syntax.short(*words[0].arguments or ()), syntax.short(arguments[0]))
    else:
        for said in of_words(syntax, _ASSERTJ, syntax.short(arguments[0]), words):
            yield from refined(syntax, said, arguments[0], lambda node: known(syntax, node))


def _constrained(syntax: Syntax, about: Node, matcher: Node) -> Iterator[Said]:
    """Hamcrest: `is(equalTo(1))`, `not(1)`."""
    negated = False
    read = chain(syntax, SHAPE, matcher)
    while read.links and read.links[-1].name in _MATCHES_ALL and len(read.links[-1].arguments or ()) == 1:
        negated = negated is not (read.links[-1].name == "not")
        (matcher,) = read.links[-1].arguments or ()
        read = chain(syntax, SHAPE, matcher)
    last = read.links[-1] if read.links else None
    if last is None or last.arguments is None:
        said = Said("equal", syntax.short(about), syntax.short(matcher), negated)
    else:
        form = _HAMCREST.get(last.name, Form(f"custom:{last.name}", None, 0))
        said = of_matcher(syntax, form, syntax.short(about), last.arguments, negated=negated)
    yield from refined(syntax, said, about, lambda node: known(syntax, node))


def _verified(syntax: Syntax, link: Link, calls: Sequence[Link]) -> Iterator[Said]:
    """Mockito: how often which method was called, and with what."""
    mock, *mode = link.arguments or ()
    times = syntax.short(*mode) if mode else None
    is_never = link.name in ("verifyNoMoreInteractions", "verifyNoInteractions") or times in ("never()", "times(0)")
    target = ".".join((syntax.short(mock), *(call.name for call in calls)))
    own = syntax.short(*(argument for call in calls for argument in call.arguments or ()))
    yield Said("called", target, ";".join(filter(None, (own, times))) or None, negated=is_never)


def _web(syntax: Syntax, links: Sequence[Link], first: int) -> Iterator[Said]:
    """Spring's and REST Assured's chains: every link says one thing about the same answer."""
    target = syntax.short(links[first - 1].node)
    for link in links[first:]:
        if link.name not in _WEB_SILENT:
            yield Said(f"custom:{link.name}", target, syntax.short(*link.arguments or ()) or None)


def _function(syntax: Syntax, links: Sequence[Link]) -> Iterator[Said]:
    name, arguments = links[-1].name, links[-1].arguments or ()
    form = _FUNCTIONS.get(name)
    if form is None and _CUSTOM.fullmatch(name) and name not in _SILENT:
        form = Form(f"custom:{name}", expected=1)
    if form is None:
        return
    own, form = _placed(syntax, arguments, form)
    yield from of_function(syntax, form, own, lambda node: known(syntax, node))


def _placed(syntax: Syntax, arguments: Sequence[Node], form: Form) -> tuple[Sequence[Node], Form]:
    """Without JUnit 4's leading message, TestNG's places turned, and a tolerance only where it is one."""
    least = 1 + max(form.target or 0, form.expected or 0)
    has_message = (
        len(arguments) > least and arguments[0].type == "string_literal" and b"org.junit.jupiter" not in syntax.source
    )
    own = arguments[1:] if has_message else arguments
    if b"org.testng" in syntax.source and form.matcher == "equal":
        own, form = arguments, replace(form, target=0, expected=1)
    if form.tolerance is not None:
        bounded = len(own) > form.tolerance and _NUMBER.fullmatch(syntax.short(own[form.tolerance])) is not None
        form = replace(form, matcher="close") if bounded else replace(form, tolerance=None)
    return own, form
