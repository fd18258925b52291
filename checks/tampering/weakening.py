"""Two lists of assertions of one test: which are weaker now, which expect something else, which are gone.

Kinds of matchers are compared, not only their number, and only on the same target; messages do not count
(https://github.com/topcheer/ggcode/issues/503).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from http import HTTPStatus
from math import isclose

from checks.tampering.units import Assertion, Strength
from checks.tampering.words import is_value, texts_of, words

Key = tuple[str | bool | int | None, ...]
_VARIABLE = re.compile(
    r""""[^"]*+"?+|'[^']*+'?+|(?:\w++::){1,5}+\w++|(?<![\w"'\)\]:]):[A-Za-z_]\w*+|(?<![.\w])[A-Za-z_]\w*+(?!\()"""
)
_NUMBER = re.compile(r"\d++(?:\.\d++)?+(?:[eE][+-]?+\d++)?+")
# Matchers that say what a value is not or roughly is; from them to a value is a gain.
_ROUGH = frozenset({"truthy", "type", "length", "contains", "compare", "matches", "called", "any", "constant"})
_MOST_LOOKED_AT = 50  # assertions on one target
_PARTS = frozenset({"contains", "matches"})
_QUOTES = "\"'`"
_DECIMAL = re.compile(r"-?\d{1,30}\.\d{1,30}")
_ACCESS = re.compile(r"\[\"(\w++)\"\]|\.get\"(\w++)\"")  # without the brackets of calls
_LITERAL = r"(\"[^\"]*+\"|-?[\w.]++|\[\]|\{\})"
# `x or 1`, `x ?? 1`, `x and 1`, `.get("x", 1)`, `unwrap_or(1)`, `orElse(1)`
_FALLBACK = re.compile(
    rf"(?:\bor |\band |\|\||&&|\?\?){_LITERAL}(?=\)|$)"
    rf"|\b(?:get|getOrDefault|getattr|fetch|next|get_or|dig)\((?:[^(),]++,){{1,2}}{_LITERAL}\)"
    rf"|\b(?:unwrap_or|orElse|valueOr|value_or|GetValueOrDefault|ValueOr|getOrElse)\({_LITERAL}\)"
)
# Parts of an expected value that fit more than one: https://jestjs.io/docs/expect#expectanything
_OPEN = re.compile(
    r"\b(?:expect\.(?:not\.)?(?:any|anything|objectContaining|arrayContaining|stringContaining|stringMatching)\(|"
    r"match\.(?:any|Any|instanceOf)\(|ANY\b|an_instance_of\(|anything\b|hash_including\(|array_including\()"
)
_TIGHT = "1e-6"  # no default bound is much wider
_LOOSENING = re.compile(
    r"\b(?:round|int|abs|sorted|bool|lower|upper|casefold|strip|rstrip|lstrip|trim|toLowerCase|toUpperCase|"
    r"sort|floor|ceil|trunc)(?=\()"
)
# https://docs.python.org/3/library/http.html#http.HTTPStatus, https://www.django-rest-framework.org/api-guide/status-codes/
_STATUS = re.compile(r"\bHTTPStatus\.([A-Z_]++)(?:\.value\b)?+|\bstatus\.HTTP_(\d{3})_[A-Z_]++")
_FALSE = frozenset({"false", "none", "null", "nil", "0", '""', "[]", "{}", "()"})


class Turn(Enum):
    """What became of an assertion, on the same target."""

    SAME = "same"  # or stronger
    WEAKER = "weaker"
    LOOSER = "looser"  # equal within a bound, or within a wider one
    CHANGED = "changed"  # another value is expected, or the opposite
    SWALLOWED = "swallowed"  # its failure does not fail the test any more


@dataclass(slots=True)
class Turns:
    """`turned` are pairs that are not the same. `lost` have no counterpart on their target, and `gained` are new."""

    turned: list[tuple[Turn, Assertion, Assertion]] = field(default_factory=list)
    lost: list[Assertion] = field(default_factory=list)
    gained: list[Assertion] = field(default_factory=list)


def compare_assertions(before: Iterable[Assertion], after: Iterable[Assertion], values: frozenset[str]) -> Turns:
    """`values` are the values that the new side's test holds anywhere, as rows of a table or arguments."""
    old, new = _without_common([one for one in before if holds(one)], list(map(_disarmed, after)))
    turns = Turns()
    for same in (_target, _tail, _without_loosening, _without_access):
        old, new = _pair_on_target(old, new, same, values, turns)
    old, new = _pair_uncalled(old, new, turns)
    turns.lost, turns.gained = old, [one for one in new if holds(one)]
    return turns


def _pair_uncalled(old: list[Assertion], new: list[Assertion], turns: Turns) -> tuple[list[Assertion], list[Assertion]]:
    """`assert is_valid` of `assert is_valid(cart)`: a function is always true."""
    names = {one.target: one for one in new if one.matcher == "truthy" and one.target.isidentifier()}
    pairs = [(one, names.get(one.target.partition("(")[0])) for one in old if "(" in one.target]
    found = {id(one): (one, other) for one, other in pairs if other is not None and one.matcher == "truthy"}
    turns.turned += [(Turn.WEAKER, one, other) for one, other in found.values()]
    taken = {id(other) for _, other in found.values()}
    return [one for one in old if id(one) not in found], [one for one in new if id(one) not in taken]


def _disarmed(assertion: Assertion) -> Assertion:
    """One whose target falls back to just what is expected cannot tell that it is missing: `get("sum", 1) == 1`."""
    expected = assertion.expected
    if not expected or not is_value(expected) or assertion.negated:
        return assertion
    found = (next(filter(None, match.groups())) for match in _FALLBACK.finditer(assertion.target))
    return replace(assertion, swallowed=True) if expected in found else assertion


def holds(assertion: Assertion) -> bool:
    """Whether it can fail the test."""
    return not assertion.swallowed and assertion.strength > Strength.NOTHING


def rank(assertion: Assertion) -> int:
    """How much it says; a type says least among shapes, and an assertion of the project's own is taken at its word."""
    if assertion.matcher.startswith("custom:"):
        return 2 * Strength.EXACT
    return 2 * assertion.strength - (assertion.matcher == "type")


def identity(assertion: Assertion) -> Key:
    """What makes two assertions one, wherever they stand and whatever the names of local variables."""
    return (assertion.matcher, _tail(assertion), assertion.expected, assertion.negated, assertion.tolerance)


def _without_common(old: list[Assertion], new: list[Assertion]) -> tuple[list[Assertion], list[Assertion]]:
    common = Counter(map(_key, old)) & Counter(map(_key, new))
    return _without(old, Counter(common)), _without(new, Counter(common))


def _without(assertions: list[Assertion], common: Counter[Key]) -> list[Assertion]:
    left = []
    for one in assertions:
        if common[_key(one)]:
            common[_key(one)] -= 1
        else:
            left.append(one)
    return left


def _key(one: Assertion) -> Key:
    return (one.matcher, one.target, one.expected, one.negated, one.tolerance, one.swallowed, one.strength)


def _target(assertion: Assertion) -> str:
    return assertion.target


def _tail(assertion: Assertion) -> str:
    """The target without the names of variables: `_.total()` of `cart.total()`, `total(_)` of `total(cart)`."""
    return _without_variables(assertion.target)


def _without_variables(text: str) -> str:
    """The text with one name for all variables; values stay, also those that are words."""
    return _VARIABLE.sub(lambda found: found[0] if is_value(found[0]) else "_", text)


def _without_loosening(assertion: Assertion) -> str:
    """The tail without calls that make different values one: `_.name` of `sorted(_.name)` and of `_.name.lower()`.

    Of two such targets the one with more of these calls says less.
    """
    return _LOOSENING.sub("", _tail(assertion)).replace("(", "").replace(")", "").rstrip(".")


def _without_access(assertion: Assertion) -> str:
    """The same for `_["total"]`, `_.get("total")` and `_.total`."""
    return _ACCESS.sub(lambda found: f".{found[1] or found[2]}", _without_loosening(assertion))


def _pair_on_target(
    old: list[Assertion], new: list[Assertion], same: Callable[[Assertion], str], values: frozenset[str], turns: Turns
) -> tuple[list[Assertion], list[Assertion]]:
    """Pairs what has the same target, and gives what is left of both lists."""
    candidates: dict[str, list[Assertion]] = defaultdict(list)
    for one in new:
        candidates[same(one)].append(one)
    unpaired = []
    for one in old:
        others = candidates.get(same(one))
        if not others:
            unpaired.append(one)
            continue
        at = max(range(len(others))[:_MOST_LOOKED_AT], key=lambda place: _likeness(one, others[place]))
        best = others.pop(at)
        turn = _turn(one, best, values)
        if turn is not Turn.SAME:
            turns.turned.append((turn, one, best))
    return unpaired, [one for others in candidates.values() for one in others]


def is_generalised(old: Assertion, new: Assertion) -> bool:
    """Whether a name stands on both sides for what stood there: `rev(rev(xs)) == xs` of `rev(rev([1])) == [1]`."""
    name, value = new.expected or "", old.expected or ""
    same = name.isidentifier() and not is_value(name) and value in old.target
    return same and old.target.replace(value, name) == new.target and old.matcher == new.matcher


def _bracket(text: str) -> str:
    """The kind of container that a value is: a list says more than a set."""
    return text[:1] if text[:1] in "[{(" else ""


def _likeness(one: Assertion, other: Assertion) -> tuple[bool, bool, int]:
    return other.expected == one.expected, other.matcher == one.matcher, rank(other)


def _turn(old: Assertion, new: Assertion, values: frozenset[str]) -> Turn:
    if new.swallowed:
        return Turn.SWALLOWED
    if rank(new) < rank(old):
        return _weaker(old, new)
    if new.negated is not old.negated and new.matcher == old.matcher:
        return Turn.CHANGED
    if _is_wider(old, new) or len(_LOOSENING.findall(new.target)) > len(_LOOSENING.findall(old.target)):
        return Turn.LOOSER
    if old.matcher == "truthy" and _contradicts(old, new):
        return Turn.CHANGED
    if len(_OPEN.findall(new.expected or "")) > len(_OPEN.findall(old.expected or "")):
        return Turn.LOOSER
    is_rough = old.matcher in _ROUGH or (old.matcher == "none" and old.negated)
    gained = is_rough and rank(new) > rank(old)
    return Turn.SAME if gained or _expects_same(old, new, values) else Turn.CHANGED


def _weaker(old: Assertion, new: Assertion) -> Turn:
    if new.strength is Strength.NOTHING:
        return Turn.WEAKER
    if new.negated is not old.negated and new.matcher == old.matcher != "equal":
        return Turn.CHANGED
    return Turn.LOOSER if new.strength is Strength.CLOSE else Turn.WEAKER


def _is_wider(old: Assertion, new: Assertion) -> bool:
    """A bound that is computed may be any; one that is not written is tight."""
    if new.matcher != "close" or old.matcher != "close" or new.tolerance is None or new.tolerance == old.tolerance:
        return False
    before, after = _NUMBER.search(old.tolerance or _TIGHT), _NUMBER.search(new.tolerance)
    return before is None or after is None or float(after[0]) > float(before[0])


def _contradicts(old: Assertion, new: Assertion) -> bool:
    """`assert ok` has become `assert ok is False`, or the other way round."""
    return new.expected is not None and (new.expected.lower() in _FALSE) is not old.negated


def _expects_same(old: Assertion, new: Assertion, values: frozenset[str]) -> bool:
    """The same text but for variables' names, a longer part, or a name for values that the test still holds."""
    before, after = _with_codes(old.expected or ""), _with_codes(new.expected or "")
    if _without_variables(before) == _without_variables(after) or _is_rounded(before, after):
        return True
    if old.matcher in _PARTS and before[:1] == after[:1] and before.strip(_QUOTES) in after:
        return True
    if _bracket(before) == _bracket(after) and texts_of(before) == texts_of(after) != ():
        return True
    wanted = words(before)[0]
    return bool(wanted) and not words(after)[0] and wanted <= values


def _is_rounded(before: str, after: str) -> bool:
    """`0.3` of `0.30000000000000004`."""
    both = _DECIMAL.fullmatch(before) and _DECIMAL.fullmatch(after)
    return bool(both) and isclose(float(before), float(after), rel_tol=1e-12)


def _with_codes(expected: str) -> str:
    """The text with the numbers of HTTP's statuses for their names."""
    return _STATUS.sub(lambda found: found[2] or _code(found[1]) or found[0], expected)


def _code(name: str) -> str:
    return str(HTTPStatus[name].value) if name in HTTPStatus.__members__ else ""
