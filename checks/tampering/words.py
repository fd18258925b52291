"""The words of normalised source text, the same for every language: values that stand there, and names."""

from __future__ import annotations

import re
from functools import lru_cache

from checks.tampering.units import Assertion, Unit

# Each alternative that begins with a quote succeeds, closed or not, so one pass is linear.
_WORD = re.compile(
    r""""(?:[^"\\]++|\\.)*+"?+|'(?:[^'\\]++|\\.)*+'?+|`(?:[^`\\]++|\\.)*+`?+"""
    r"""|(?:[A-Za-z_]\w*+::){1,5}+[A-Z]\w*+(?!\()|(?<![\w"'\)\]:]):[A-Za-z_]\w*+"""
    r"""|(?<![\w)\]])-\d++(?:\.\d++)?+|\w++(?:\.\d++)?+""",
    re.DOTALL,
)
_FILLED = re.compile(r"\{[^{}]*+\}")
_TEXT = re.compile(r"\w++")
_VALUES = frozenset({"true", "false", "null", "nil", "none", "undefined", "nan"})
# Names that say nothing of what is tested.
_COMMON = frozenset(
    (
        *("self", "this", "len", "str", "int", "list", "dict", "set", "tuple", "float", "bool", "sorted", "sum", "min"),
        *("max", "any", "all", "type", "repr", "range", "print", "open", "zip", "enumerate", "isinstance", "getattr"),
        *("not", "in", "is", "and", "or", "if", "else", "for", "await", "new", "lambda", "expect", "pytest", "mock"),
        *("String", "approx", "raises", "parametrize"),
    )
)
_OF_ASSERTIONS = (
    "assertEqual",
    "assertTrue",
    "assertFalse",
    "assertIs",
    "assertIn",
    "assertRaises",
    "assertNot",
    "assert_eq",
)


@lru_cache(maxsize=4_096)
def words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Values (numbers, texts, `true`, `null`) and other names in it, but those that say nothing."""
    found = frozenset(_WORD.findall(text))
    values = frozenset(filter(is_value, found))
    return values, found - values - _COMMON


def texts_of(text: str) -> tuple[str, ...]:
    """The words inside quotes and the numbers outside, without what a format fills in: in whatever way it does."""
    parts = [word for word in _WORD.findall(text) if is_value(word)]
    quoted = any(part[0] in "\"'`" for part in parts)
    return tuple(found for part in parts for found in _TEXT.findall(_FILLED.sub("", part))) if quoted else ()


def is_value(word: str) -> bool:
    """Whether a word stands for itself: a number, a quoted text, `true`, `None`, `Kind::Sum`, `:name`."""
    return word[0] in "\"'`:" or "::" in word or word[0] == "-" or word[0].isdecimal() or word.lower() in _VALUES


def values_of(assertion: Assertion) -> frozenset[str]:
    """What is compared, and with what it is called."""
    return words(assertion.target)[0] | words(assertion.expected or "")[0]


def names_of(assertion: Assertion) -> frozenset[str]:
    """Names in the checked expression."""
    return words(assertion.target)[1]


def called_names(unit: Unit) -> frozenset[str]:
    """The functions that it calls, by their last names, without those that say nothing of what is tested."""
    return _called(unit.calls)


@lru_cache(maxsize=16_384)
def _called(calls: frozenset[str]) -> frozenset[str]:
    names = frozenset(map(last_part, calls)) - _COMMON
    return frozenset(name for name in names if not name.startswith(_OF_ASSERTIONS))


def last_part(name: str) -> str:
    """`total` of `shop.Cart.total`; `adds an item` of `cart > adds an item`."""
    for mark in (" > ", "::", "#", "/", "."):
        if mark in name and (mark != "." or " " not in name):
            return name.rpartition(mark)[2]
    return name
