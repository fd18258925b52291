"""What an assertion says, in the canonical words that all languages share, and how much that is.

Frameworks say the same thing in many ways (`expect(x.length).toBe(3)`, `toHaveLength(3)`); these are made one here, so
that a rewrite from one to the other is no change and a weaker word is one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import re2

from checks.tampering.units import Assertion, Strength

_STRENGTHS: Mapping[str, Strength] = {
    "equal": Strength.EXACT,
    "snapshot": Strength.EXACT,
    "close": Strength.CLOSE,
    "contains": Strength.SHAPE,
    "matches": Strength.SHAPE,
    "type": Strength.SHAPE,
    "length": Strength.SHAPE,
    "compare": Strength.SHAPE,
    "any": Strength.SHAPE,
    "truthy": Strength.EXISTS,
}
_ANY_ERROR = frozenset({"Exception", "System.Exception", "Throwable", "Error", "StandardError", "AssertionError"})
_NULLS = frozenset({"null", "nil", "None", "undefined"})
# Every alternative begins and goes on with characters that no other one takes, so this is linear.
_LITERAL = re.compile(r'"[^"]*"|[\'`:][\w ]*\'?|-?\.?\d[\w.]*|true|false|null|nil|None|undefined|NaN|\[\]|\{\}|\(\)')
_SIZES = (".length", ".length()", ".size", ".size()", ".count", ".count()", ".Length", ".Count", ".Count()", ".len()")
_LEN = re2.compile(r"len\(([^()]*(?:\([^()]*\))*[^()]*)\)")  # Go
_DISTANCE = re2.compile(r"(?:[Mm]ath\.)?[Aa]bs\(([^-]+)-(.+)\)|\(([^-]+)-(.+)\)\.abs(?:\(\))?")
_LAMBDA = re2.compile(r"(?:async ?)?\(\)(?:=>|->)(?:await )?|function\(\)|(?:proc|lambda|->) ?")
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Form:
    """One assertion of a framework: its canonical word and the places of its arguments. None: it has no such argument.

    `sign` is the comparison of `compare` (`<`), `fixed` what it expects where no argument says so (`0` of "is empty"),
    `places` the decimal places that `close` compares by default where its tolerance is given as such a number.
    """

    matcher: str
    target: int | None = 0
    expected: int | None = None
    negated: bool = False
    tolerance: int | None = None
    sign: str = ""
    fixed: str | None = None
    places: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """An assertion as read, before it is brought into its canonical form."""

    matcher: str
    target: str
    expected: str | None = None
    negated: bool = False
    tolerance: str | None = None
    sign: str = ""


def assertion(line: int, text: str, said: Said, *, swallowed: bool = False) -> Assertion:
    """The canonical form: literals stand on the expected side, sizes and nothingness have words of their own."""
    said = _raised(_close(_sized(_turned(said))))
    if said.matcher == "equal" and said.expected in _NULLS:
        said = replace(said, matcher="none", expected=None)
    expected = f"{said.sign} {said.expected}" if said.sign and said.expected is not None else said.expected
    if _is_constant(said):
        return Assertion(line, text, "constant", said.target, expected, Strength.NOTHING, swallowed=swallowed)
    return Assertion(
        line, text, said.matcher, said.target, expected, _strength(said), said.negated, said.tolerance, swallowed
    )


def bound(digits: str) -> str | None:
    """The tolerance of "equal to that many decimal places", as a number; None where it is computed."""
    return repr(0.5 * 10.0 ** -int(digits)) if digits.isdecimal() and len(digits) < 3 else None


def is_literal(text: str) -> bool:
    """Whether a normalised text is a constant of any of the languages."""
    return _LITERAL.fullmatch(text) is not None


def _turned(said: Said) -> Said:
    if said.matcher not in ("equal", "close", "compare") or said.expected is None:
        return said
    if not _is_expected(said.target) or _is_expected(said.expected):
        return said
    return replace(said, target=said.expected, expected=said.target, sign=_TURNED.get(said.sign, said.sign))


def _is_expected(text: str) -> bool:
    """Whether it looks like what something is compared with, rather than like what is checked."""
    return is_literal(text) or text.lower().startswith(("expected", "want")) or (text.isidentifier() and text.isupper())


def _sized(said: Said) -> Said:
    if said.matcher != "equal":
        return said
    if said.target.endswith(_SIZES):
        return replace(said, matcher="length", target=said.target.rpartition(".")[0].removesuffix("?"))
    size = _LEN.fullmatch(said.target) if said.target.startswith("len(") else None
    return said if size is None else replace(said, matcher="length", target=size[1])


def _close(said: Said) -> Said:
    """`abs(a - b) < bound` is equality within that bound."""
    distance = _DISTANCE.fullmatch(said.target) if said.sign in ("<", "<=") else None
    if distance is None:
        return said
    target, expected = (distance[1], distance[2]) if distance[1] else (distance[3], distance[4])
    return Said("close", target, expected, tolerance=said.expected)


def _raised(said: Said) -> Said:
    """An error is expected of what a function does, whichever way it is handed over."""
    if said.matcher != "raises":
        return said
    lambda_ = _LAMBDA.match(said.target)
    target = said.target if lambda_ is None else said.target[lambda_.end() :]
    target = target[1:-1] if target[:1] == "{" and target[-1:] == "}" else target
    error = said.expected.removesuffix(".class") if said.expected else None
    return replace(said, target=target.removeprefix("await "), expected=error)


def _is_constant(said: Said) -> bool:
    """Whether it cannot fail: it asserts nothing, a constant, or a thing about itself."""
    if said.matcher == "constant":
        return True
    if said.matcher in ("equal", "close", "compare") and said.target == said.expected:
        return said.sign not in ("<", ">")
    checks_value = said.matcher in _STRENGTHS or said.matcher == "none"
    return checks_value and is_literal(said.target) and (said.expected is None or is_literal(said.expected))


def _strength(said: Said) -> Strength:
    if said.matcher == "none":
        return Strength.EXISTS if said.negated else Strength.EXACT
    if said.matcher == "raises":
        named = said.expected is not None and said.expected not in _ANY_ERROR
        return Strength.EXISTS if said.negated else Strength.CLOSE if named else Strength.SHAPE
    if said.matcher == "called":
        return Strength.EXACT if said.expected is not None else Strength.EXISTS
    strength = _STRENGTHS.get(said.matcher, Strength.CLOSE)  # a custom one is taken at its word
    return min(strength, Strength.SHAPE) if said.negated else strength
