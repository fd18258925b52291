"""Which branch names a filter of GitHub's lets in: those of `on:` in a workflow file, and those of environments.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import re2

_QUIET = re2.Options()
_QUIET.log_errors = False
_WILD = re2.compile(r"\*+|\?")
_PART = re2.compile(r"\*\*/|\*\*|\*|\?|\+|\[[^\]]*\]|.")
_MEANT = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "?", "+": "+"}


def names_under(namespace: Sequence[str]) -> tuple[str, ...]:
    """Branch names as agents may have them: what a filter does with these it does with the others of that form."""
    stems = [_WILD.sub("x", pattern) for pattern in namespace if not pattern.startswith("!")]
    return tuple(name for stem in stems for name in (stem, f"{stem}/x"))


def lets_in(patterns: Sequence[str], branch: str) -> bool:
    """Whether the last pattern that matches is no `!` one. One that cannot be read is taken to keep nothing out."""
    verdict = False
    for pattern in patterns:
        keeps_out = pattern.startswith("!")
        if _matches(pattern.removeprefix("!"), branch, unreadable=not keeps_out):
            verdict = not keeps_out
    return verdict


def is_pushed_to(filters: Mapping[str, Sequence[str]], branches: Sequence[str]) -> bool:
    """Whether a push to one of the branches starts a workflow whose `on.push` has these filters.

    With filters of tags alone a push to a branch starts nothing.
    """
    if "branches" in filters:
        return any(lets_in(filters["branches"], branch) for branch in branches)
    if "branches-ignore" in filters:
        return not all(_is_ignored(filters["branches-ignore"], branch) for branch in branches)
    return not {"tags", "tags-ignore"} & set(filters)


def _is_ignored(patterns: Sequence[str], branch: str) -> bool:
    """`branches-ignore` has no `!` patterns."""
    return any(_matches(pattern, branch, unreadable=False) for pattern in patterns)


def _matches(pattern: str, branch: str, *, unreadable: bool) -> bool:
    try:
        return re2.fullmatch("".join(_expression(pattern)), branch, _QUIET) is not None
    except re2.error:
        return unreadable


def _expression(pattern: str) -> Iterator[str]:
    for part in _PART.findall(pattern):
        yield _MEANT.get(part) or (part if part.startswith("[") and len(part) > 1 else re2.escape(part))
