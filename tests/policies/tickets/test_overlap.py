"""Which patterns may meet: a pair that both match one path must be said to meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.paths import PathPatterns
from policies.tickets.overlap import overlapping


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("src/cart/**", "src/search/**", False),
        ("src/cart/**", "src/cart/tests/**", True),
        ("src/cart/", "src/cart/price.py", True),
        ("src/Cart/", "src/cart/price.py", True),
        ("*.md", "src/cart/price.py", True),
        ("**/tests/**", "src/", True),
        ("docs", "src/cart/", True),
        ("/docs", "/src", False),
        ("/docs", "src/cart/", False),
        ("src/*/a.py", "src/cart/**", True),
        ("src/*/a.py", "docs/x", False),
        ("**", "docs/x", True),
    ],
)
def test_pairs(one: str, other: str, meet: bool) -> None:
    assert bool(overlapping([one], [other])) is meet
    assert bool(overlapping([other], [one])) is meet


def test_what_takes_paths_out_is_not_counted() -> None:
    assert overlapping(["!src/a", "src/b/c"], ["!src/b/c", "src/b/"]) == (("src/b/c", "src/b/"),)


_NAMES = st.sampled_from(["a", "b", "A", "*", "**", "a*", "?"])
_PATTERN = st.tuples(st.sampled_from(["", "/"]), st.lists(_NAMES, min_size=1, max_size=3), st.sampled_from(["", "/"]))
_PATHS = ["a", "b", "a/a", "a/b", "b/a", "a/b/a", "b/b/b", "a/a/a", "ab", "ab/a"]


@given(_PATTERN, _PATTERN)
def test_two_that_match_one_path_are_never_said_to_part(
    one: tuple[str, list[str], str], other: tuple[str, list[str], str]
) -> None:
    written = [f"{lead}{'/'.join(parts)}{end}" for lead, parts, end in (one, other)]
    try:
        mine, theirs = (PathPatterns([pattern]) for pattern in written)
    except ValueError:
        return
    if any(mine.matches_exactly(path) and theirs.matches_exactly(path) for path in _PATHS):
        assert overlapping(written[:1], written[1:])
