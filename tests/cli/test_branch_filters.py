"""Which branches a filter of a workflow fits, as GitHub documents it."""

from __future__ import annotations

import pytest

from app.local.examination.branch_filters import is_pushed_to, lets_in, names_under


# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
@pytest.mark.parametrize(
    ("pattern", "fits", "others"),
    [
        ("feature/*", ["feature/my-branch"], ["feature/a/b", "feature"]),
        ("feature/**", ["feature/beta-a/my-branch", "feature/x"], ["other/x"]),
        ("*", ["main", "releases"], ["all/the/branches"]),
        ("**", ["all/the/branches", "main"], []),
        ("*feature", ["mono-feature", "feature"], ["mono/feature"]),
        ("v2*", ["v2", "v2.0"], ["v1"]),
        ("v[12].[0-9]+", ["v1.10", "v2.0"], ["v3.1"]),
        ("a[z-a]", ["agent/x, since it cannot be read"], []),
    ],
)
def test_a_filter_fits_as_github_documents_it(pattern: str, fits: list[str], others: list[str]) -> None:
    assert [name for name in [*fits, *others] if lets_in([pattern], name)] == fits
    assert not lets_in([pattern, "!**"], fits[0])


def test_a_push_is_filtered_by_branches_or_by_what_is_left_out() -> None:
    names = names_under(["agent/*", "!agent/secret"])
    assert names == ("agent/x", "agent/x/x")
    assert is_pushed_to({}, names)
    assert is_pushed_to({"branches": ("**", "!main")}, names)
    assert not is_pushed_to({"branches": ("main",)}, names)
    assert is_pushed_to({"branches-ignore": ("main",)}, names)
    assert is_pushed_to({"branches-ignore": ("agent/*",)}, names), "one of the names is deeper"
    assert not is_pushed_to({"branches-ignore": ("agent/**",)}, names)
    assert not is_pushed_to({"tags": ("v*",)}, names)
