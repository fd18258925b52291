"""Risk of files that have other names: behind symbolic links, and on file systems that take one name for another."""

from __future__ import annotations

import pytest

from checks.paths import PathPatterns
from checks.risk import PathRule, RiskReason, RiskResult, check
from checks.snapshot import Risk
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import diff

LOGIN = PathRule("authentication", Risk.HIGH, PathPatterns(["/auth/"]))
PRICES = PathRule("payment", Risk.MEDIUM, PathPatterns(["/price.py"]))


def _check(
    *paths: str,
    aliases: dict[str, str] | Unread | None = None,
    twins: tuple[tuple[str, str], ...] = (),
    contents: tuple[RiskReason, ...] = (),
) -> RiskResult:
    both = diff(*paths)
    snapshot = build.snapshot(diff=both, merge_diff=both, aliases={} if aliases is None else aliases, twins=twins)
    return check(snapshot, (LOGIN, PRICES), None, contents=contents)


@pytest.mark.parametrize(
    ("path", "aliases", "areas"),
    [
        ("lib/key.py", {"auth": "lib"}, ("authentication",)),
        ("lib/a/b/key.py", {"auth": "lib"}, ("authentication",)),
        ("lib/key.py", {"auth/key.py": "lib/key.py"}, ("authentication",)),
        ("lib/key.py", {"auth/key.py": "lib/other.py"}, ()),
        ("library/key.py", {"auth": "lib"}, ()),
        ("lib", {"auth": "lib/a"}, ()),
        ("x.py", {"auth": "."}, ("authentication",)),
        ("a/b.py", {"auth/all": "."}, ("authentication",)),
        ("lib/key.py", {"auth": "middle", "middle": "lib"}, ("authentication",)),
        ("lib/key.py", {"auth": "middle/deep", "middle": "lib", "lib/deep": "lib"}, ("authentication",)),
        ("lib/key.py", {"other": "lib", "price.py": "lib/key.py"}, ("payment",)),
        ("lib/key.py", {"auth": "lib", "price.py": "lib/key.py"}, ("authentication", "payment")),
        ("lib/key.py", {}, ()),
        ("auth2/x", {"auth2": "auth"}, ()),
    ],
)
def test_rules_see_the_other_names(path: str, aliases: dict[str, str], areas: tuple[str, ...]) -> None:
    assert _check(path, aliases=aliases).areas == areas


def test_the_reason_names_the_way() -> None:
    assert _check("lib/key.py", aliases={"auth": "lib"}).reasons == (
        RiskReason(
            Risk.HIGH,
            "a path of the area authentication changes through a symbolic link",
            "authentication",
            "auth/key.py",
        ),
    )


def test_instructions_of_agents_behind_a_link_are_high() -> None:
    result = _check("docs/agents.md", aliases={"CLAUDE.md": "docs/agents.md"})
    assert (result.level, result.areas) == (Risk.HIGH, ("agent-instructions",))


def test_links_that_could_not_be_read_are_high() -> None:
    result = _check("a.py", aliases=Unread("too many"))
    assert (result.level, result.reasons[0].text) == (
        Risk.HIGH,
        "the symbolic links that lead to its files could not be read",
    )


def test_a_link_to_what_it_lies_in_ends() -> None:
    assert _check("a.py", aliases={"self": "."}).level is Risk.LOW
    assert _check("pkg/a.py", aliases={"pkg/pkg": "pkg"}).level is Risk.LOW


@pytest.mark.parametrize(
    "aliases",
    [
        {"one": ".", "two": "."},
        {f"link{number}": "." for number in range(60)},
        {"e": "d", "d": "c", "c": "b", "b": "a"},
    ],
)
def test_links_without_end_are_high(aliases: dict[str, str]) -> None:
    result = _check("a/x.py", "b.py", aliases=aliases)
    assert (result.level, [reason.text for reason in result.reasons]) == (
        Risk.HIGH,
        ["more symbolic links lead to its files than are followed"],
    )


def test_a_chain_of_three_links_is_followed_to_its_end() -> None:
    result = _check("a/x.py", aliases={"d": "c", "c": "b", "b": "a"})
    assert result.level is Risk.LOW
    assert _check("a/x.py", aliases={"auth": "c", "c": "b", "b": "a"}).areas == ("authentication",)


def test_twins_are_high() -> None:
    result = _check("a/B.py", twins=(("a/b.py", "a/B.py"),))
    assert result.reasons == (RiskReason(Risk.HIGH, "some file systems take a path for a/B.py", path="a/b.py"),)


def test_reasons_from_the_contents_count_like_any_other() -> None:
    given = RiskReason(Risk.CRITICAL, "a secret is added", "secrets", "a.py")
    result = _check("a.py", contents=(given, given))
    assert (result.level, result.areas, result.reasons) == (Risk.CRITICAL, ("secrets",), (given,))
