"""Regular expressions on paths and branches as gitignore-style patterns, where both say the same.

Only plain forms are turned over: anchors, literal text, `.*`, `.+`, `[^/]*`, `[^/]+` and groups of alternatives. A dot
alone is taken for one character of a name, as it is mostly meant, never for a slash, and `.+` before the end of a name
also for nothing. What has another form is None; it
is for the caller to be strict then.
"""

from __future__ import annotations

import re

from checks.paths import PathPatterns

_MOST = 60  # patterns from the alternatives of one expression
_SPECIAL = frozenset("*?[]!#\\")
_GROUP = re.compile(r"\((?:\?:)?([^()]*)\)(?![*+?{])")
_TOKEN = re.compile(r"\.[*+]|\[\^/\][*+]|\\[^A-Za-z0-9]|[^\\.*+?{}\[\]()|^$]|\.(?![*+?{])")


def gitignore_of(expression: str) -> tuple[str, ...] | None:
    """Patterns that together match what the expression finds anywhere in a path; None where there are none."""
    found = [_pattern(plain) for plain in _alternatives(expression)]
    patterns = tuple(dict.fromkeys(each for each in found if each))
    return patterns if found and all(found) and _is_usable(patterns) else None


def words_of(expression: str) -> tuple[str, ...] | None:
    """The texts that an expression matches as a whole, where these are few and written out; None where they are not."""
    if not expression.startswith("^") or not expression.endswith("$"):
        return None
    found = [_tokens(plain.removeprefix("^").removesuffix("$")) for plain in _alternatives(expression)]
    if not found or any(tokens is None or not all(map(_is_literal, tokens)) for tokens in found):
        return None
    return tuple(dict.fromkeys("".join(token[-1] for token in tokens or ()) for tokens in found))


def _is_literal(token: str) -> bool:
    return token not in (".*", ".+", "*", "?*", "?")


def _is_usable(patterns: tuple[str, ...]) -> bool:
    try:
        PathPatterns(patterns)
    except ValueError:
        return False
    return True


def _alternatives(expression: str) -> list[str]:
    """The expression without groups, once for each choice of their alternatives; empty where those are too many."""
    waiting, done = [expression], list[str]()
    while waiting and len(waiting) + len(done) <= _MOST:
        one = waiting.pop(0)
        group = _GROUP.search(one)
        if group is None:
            done += one.split("|")
            continue
        waiting += [one[: group.start()] + choice + one[group.end() :] for choice in group[1].split("|")]
    return [] if waiting else done


def _pattern(plain: str) -> str | None:
    starts, ends = plain.startswith("^"), plain.endswith("$") and not plain.endswith("\\$")
    tokens = _tokens(plain.removeprefix("^").removesuffix("$") if ends else plain.removeprefix("^"))
    if tokens is None:
        return None
    while tokens and (tokens[0] == ".*" or tokens[:2] == [".+", "/"]):
        starts, tokens = False, tokens[1:]
    while tokens and (tokens[-1] == ".*" or tokens[-2:] == ["/", ".+"]):
        ends, tokens = False, tokens[:-1]
    if tokens in ([], [".+"]):
        return "*"
    body = _body(tokens)
    if body is None or "//" in body or (starts and body.startswith("/")) or (ends and body.endswith("/")):
        return None  # no path is written so
    return _front(body, starts=starts) + _back(body, ends=ends)


def _tokens(text: str) -> list[str] | None:
    """The expression's parts: literal characters (escaped for gitignore), and what stands for many."""
    parts, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return None
        parts.append(_part(found[0]))
        at = found.end()
    return parts


def _part(found: str) -> str:
    if found in (".*", ".+"):
        return found
    if found.startswith("[^/]"):
        return "*" if found.endswith("*") else "?*"
    if found == ".":
        return "?"
    literal = found[-1]
    return f"\\{literal}" if literal in _SPECIAL else literal


def _body(tokens: list[str]) -> str | None:
    """Inside of a path `.*` is only turned over where it fills whole folders or the beginning of a name."""
    text = ""
    for number, part in enumerate(tokens):
        if part not in (".*", ".+"):
            text += "" if part == "*" and _ends_open(text) else part
        elif text.endswith("/") and number + 1 < len(tokens):
            rest = tokens[number + 1 :]
            text += "*/**" if rest[0] == "/" else "**/" + _star(rest[0])
            if rest[0] != "/" and ("/" in rest or ".*" in rest or ".+" in rest):
                return None
        else:
            return None
    return text


def _front(body: str, *, starts: bool) -> str:
    if starts:
        return "/"
    if body.startswith("/"):
        return "*/**"  # something before the slash
    return ("**/" if "/" in body.rstrip("/") else "") + _star(body)


def _star(before: str) -> str:
    """`*` before a text, where that does not begin with one: two would cross folders."""
    return "" if before.startswith("*") else "*"


def _back(body: str, *, ends: bool) -> str:
    """What follows the literal text; below a matched folder everything matches anyway."""
    return body if ends or body.endswith("/") or _ends_open(body) else f"{body}*"


def _ends_open(text: str) -> bool:
    """Whether it ends with a `*` that stands for many, so that a second one would cross folders."""
    return text.endswith("*") and not text.endswith("\\*")
