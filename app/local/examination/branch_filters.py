"""Which branch names a filter of GitHub's lets in: those of `on:` in a workflow file, and those of environments.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import re2

_WILD = re2.compile(r"\*+|\?")
_PART = re2.compile(r"\*\*/|\*\*|\*|\?|\+|\[[^\]]*\]|.")
_MEANT = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "?", "+": "+"}


def names_under(namespace: Sequence[str]) -> tuple[str, ...]:
    """Branch names as agents may have them: what a filter does with these it does with the others of that form."""
    stems = [_WILD.sub("x", pattern) for pattern in namespace if not pattern.startswith("!")]
    return tuple(name for stem in stems for name in (stem, f"{stem}/x"))


def lets_in(patterns: Sequence[str], branch: str) -> bool:
    """Whether the last pattern that matches is no `!` one. A pattern that cannot be read is taken to match."""
    verdict = False
    for pattern in patterns:
        if _matches(pattern.removeprefix("!"), branch):
            verdict = not pattern.startswith("!")
    return verdict


def is_pushed_to(filters: Mapping[str, Sequence[str]], branches: Sequence[str]) -> bool:
    """Whether a push to one of the branches starts a workflow whose `on.push` has these filters.

    With filters of tags alone a push to a branch starts nothing.
    """
    if "branches" in filters:
        return any(lets_in(filters["branches"], branch) for branch in branches)
    if "branches-ignore" in filters:
        return not all(lets_in(filters["branches-ignore"], branch) for branch in branches)
    return not {"tags", "tags-ignore"} & set(filters)


def _matches(pattern: str, branch: str) -> bool:
    try:
        return re2.fullmatch("".join(_expression(pattern)), branch) is not None
    except re2.error:
        return True


def _expression(pattern: str) -> Iterator[str]:
    for part in _PART.findall(pattern):
        yield _MEANT.get(part) or (part if part.startswith("[") and len(part) > 1 else re2.escape(part))
