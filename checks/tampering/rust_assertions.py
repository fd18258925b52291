"""Which assertions Rust's macros make. Their arguments are tokens, so conditions are read from tokens too.

Sources: https://doc.rust-lang.org/std/macro.assert_eq.html and its neighbours, https://docs.rs/pretty_assertions,
https://docs.rs/proptest/latest/proptest/#macros, https://docs.rs/insta, https://docs.rs/approx, https://docs.rs/googletest
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import re2

from checks.tampering.matchers import Form, Said, is_literal
from checks.tampering.statements import each
from checks.tampering.syntax import LONGEST_VALUE, shortened

Tokens = Sequence[str]
FAILS = frozenset({"panic", "unreachable", "unimplemented", "todo", "fail", "prop_assert_fail"})
_CUSTOM = re2.compile(r"(?:.*::)?(?:assert|expect|verify|check|prop_assert|debug_assert|ensure|require)(?:_\w+)?")
_MACROS: Mapping[str, Form] = {
    **each("assert debug_assert prop_assert check verify_true expect_true", Form("truthy")),
    **each("expect_false verify_false", Form("truthy", negated=True)),
    **each("assert_eq debug_assert_eq prop_assert_eq assert_str_eq expect_eq verify_eq", Form("equal", 0, 1)),
    **each("assert_ne debug_assert_ne prop_assert_ne expect_ne verify_ne", Form("equal", 0, 1, negated=True)),
    **each("assert_matches assert_let debug_assert_matches", Form("matches", 0, 1)),
    **each(
        "assert_relative_eq assert_abs_diff_eq assert_ulps_eq assert_approx_eq assert_float_eq",
        Form("close", 0, 1, tolerance=2),
    ),
    **each("assert_ok", Form("raises", negated=True)),
    **each("assert_err", Form("raises")),
    **each(
        "assert_snapshot assert_debug_snapshot assert_json_snapshot assert_yaml_snapshot assert_display_snapshot"
        " assert_ron_snapshot assert_toml_snapshot assert_csv_snapshot",
        Form("snapshot"),
    ),
}
_COMPARED = {"==": False, "!=": True}
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
_SIGNS = (*_COMPARED, *_OPPOSITE)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
# Methods that make a condition of a value, with the word, and whether it is the word's opposite.
_METHODS: Mapping[str, tuple[str, bool]] = {
    "is_some": ("none", True),
    "is_none": ("none", False),
    "is_ok": ("raises", True),
    "is_err": ("raises", False),
    "contains": ("contains", False),
    "contains_key": ("contains", False),
    "starts_with": ("contains", False),
    "ends_with": ("contains", False),
    "is_match": ("matches", False),
    "eq": ("equal", False),
}
_LONGEST = 1_000  # tokens of a condition that is taken apart


def of_macro(name: str, arguments: Tokens) -> Iterator[Said]:
    """What a macro of that name asserts; `arguments` are the tokens in its brackets."""
    plain = name.rpartition("::")[2]
    parts = split(arguments, ",")
    form = _MACROS.get(plain)
    if plain in FAILS:
        yield Said("custom:fail", "")
    elif form is not None and form.matcher == "truthy":
        yield from asserted(parts[0], negated=form.negated)
    elif form is not None:
        if parts[0]:
            expected, tolerance = _at(parts, form.expected), _at(parts, form.tolerance)
            yield Said(form.matcher, shortened(parts[0]), expected, form.negated, tolerance)
    elif _CUSTOM.fullmatch(plain) and parts[0]:
        yield Said(f"custom:{plain}", shortened(parts[0]), _at(parts, 1))


def asserted(condition: Tokens, *, negated: bool = False) -> Iterator[Said]:
    """As `conditions.asserted`, from tokens."""
    if len(condition) > _LONGEST:
        yield Said("truthy", shortened(condition), negated=negated)
        return
    rest = [(condition, negated)]
    while rest:
        tokens, is_negated = rest.pop()
        tokens = _without_brackets(tokens)
        if tokens[:1] == ["!"] and not any(len(split(tokens, sign)) > 1 for sign in ("&&", "||", *_SIGNS)):
            rest.append((tokens[1:], not is_negated))
            continue
        parts = split(tokens, "||" if is_negated else "&&")
        if len(parts) > 1:
            rest += [(part, is_negated) for part in reversed(parts)]
        else:
            yield _said(tokens, negated=is_negated)


def split(tokens: Tokens, sign: str) -> list[list[str]]:
    """At every such token that stands in no brackets. `::<` opens one, which its `>` closes."""
    parts: list[list[str]] = [[]]
    depth = angles = 0
    before = ""
    for word in tokens:
        depth += (word in _OPENING) - (word in _CLOSING)
        angles += word == "<" and (before == "::" or angles > 0)
        if word == sign and not depth and not angles:
            parts.append([])
        else:
            parts[-1].append(word)
        angles -= word == ">" and angles > 0
        before = word
    return parts


def closing(tokens: Tokens, start: int) -> int:
    """Where the bracket at `start` closes; the end where it does not."""
    depths = accumulate((word in _OPENING) - (word in _CLOSING) for word in tokens[start:])
    return next((start + number for number, depth in enumerate(depths) if not depth), len(tokens))


def _said(tokens: Tokens, *, negated: bool) -> Said:
    either = split(tokens, "&&" if negated else "||")
    if len(either) > 1:
        constant = next(filter(is_literal, map(shortened, either)), None)
        about = next((sides[0] for sign in _SIGNS if len(sides := split(either[0], sign)) > 1), either[0])
        return Said("any", constant or shortened(about), None if constant else shortened(tokens), negated)
    for sign in _SIGNS:
        sides = split(tokens, sign)
        if len(sides) > 1:
            return _compared(sign, shortened(sides[0]), shortened(sides[1], LONGEST_VALUE), negated=negated)
    return _known(tokens, negated=negated)


def _compared(sign: str, left: str, right: str, *, negated: bool) -> Said:
    if sign in _COMPARED:
        return Said("equal", left, right, _COMPARED[sign] is not negated)
    return Said("compare", left, right, sign=_OPPOSITE[sign] if negated else sign)


def _known(tokens: Tokens, *, negated: bool) -> Said:
    """`matches!(x, P)`, `x.is_some()`, or else a value that must be true."""
    if tokens[:2] == ["matches", "!"]:
        parts = split(tokens[3:-1], ",")
        return Said("matches", shortened(parts[0]), _at(parts, 1), negated)
    start = _last_call(tokens)
    name = tokens[start - 1] if start > 1 and tokens[start - 2] == "." else ""
    target, own = shortened(tokens[: max(0, start - 2)]), shortened(tokens[start + 1 : -1]) or None
    if name == "is_empty":
        return Said("length", target, "0", negated)
    if name in _METHODS:
        matcher, is_other = _METHODS[name]
        return Said(matcher, target, own, is_other is not negated)
    return Said("truthy", shortened(tokens), negated=negated)


def _last_call(tokens: Tokens) -> int:
    """Where the brackets open that the tokens end with; 0 without such brackets."""
    depth = 0
    for place in range(len(tokens) - 1, 0, -1):
        depth += (tokens[place] in _CLOSING) - (tokens[place] in _OPENING)
        if depth == 0:
            return place if tokens[-1] == ")" else 0
    return 0


def _without_brackets(tokens: Tokens) -> list[str]:
    inside = list(tokens)
    while inside[:1] == ["("] and inside[-1:] == [")"] and _last_call(["", *inside]) == 1:
        inside = inside[1:-1]
    return inside


def _at(parts: Sequence[Tokens], place: int | None) -> str | None:
    return shortened(parts[place], LONGEST_VALUE) or None if place is not None and place < len(parts) else None
