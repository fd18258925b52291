"""Which sessions may be opened, by the policy of the default branch."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from app.gate.presets import read_presets
from app.github.installation_models import InstalledRepository
from app.proxy.grant import Right
from app.proxy.opening import Asked, Place, checked
from app.proxy.sessions import CannotOpen
from checks.unread import Unread
from policies.load import PolicySource, read_policy

POLICY = "version: 1\nbranches: [release/*, agent/gated]\nagents: {branches: [agent/*, bot/]}\n"
ASKED = Asked("ACME", "Shop", "agent/work", "claude", "ada")


def place(text: str | Unread | None = POLICY) -> Place:
    state = read_policy(PolicySource(text, "refs/heads/main", "a" * 40), read_presets())
    repository = InstalledRepository(id=42, name="shop", full_name="acme/shop", default_branch="main")
    return Place(7, repository, state)


def test_names_ids_and_refs_are_githubs() -> None:
    asked = replace(ASKED, ticket=3, operator="ada", rights=frozenset({Right.PUSH}), lasts=timedelta(hours=1))
    wanted = checked(place(), asked)
    assert (wanted.installation_id, wanted.repository_id, wanted.owner, wanted.repository) == (7, 42, "acme", "shop")
    assert (wanted.branch, wanted.base) == ("refs/heads/agent/work", "refs/heads/main")
    assert (wanted.ticket, wanted.operator, wanted.lasts) == (3, "ada", timedelta(hours=1))
    assert wanted.rights == frozenset({Right.PUSH})


@pytest.mark.parametrize("branch", ["agent/work", "refs/heads/agent/work", "bot/a/b", "agent/a.b_c+d-e"])
def test_branches_of_the_namespace(branch: str) -> None:
    assert checked(place(), replace(ASKED, branch=branch)).branch == "refs/heads/" + branch.removeprefix("refs/heads/")


@pytest.mark.parametrize(
    ("branch", "why"),
    [
        ("main", "not among the agents' branches"),
        ("feature/x", "not among the agents' branches"),
        ("agent", "not among the agents' branches"),
        ("Agent/work", "not among the agents' branches"),
        ("agent/gated", "gated branch"),
        ("refs/heads/refs/heads/agent/x", "not among"),
        ("refs/tags/agent/work", "not among"),
        ("agent/../main", "a branch's name"),
        ("agent/a..b", "takes no branch"),
        ("agent/x.lock", "takes no branch"),
        ("agent/x.", "takes no branch"),
        ("agent//x", "a branch's name"),
        ("/agent/x", "a branch's name"),
        ("agent/x/", "a branch's name"),
        ("agent/-x", "a branch's name"),
        ("agent/.x", "a branch's name"),
        ("agent/x y", "a branch's name"),
        ("agent/x~1", "a branch's name"),
        ("agent/x^", "a branch's name"),
        ("agent/x:y", "a branch's name"),
        ("agent/*", "a branch's name"),
        ("agent/x\n", "a branch's name"),
        ("agent/x\0", "a branch's name"),
        ("agent/\u0430", "a branch's name"),
        ("agent/" + "x" * 200, "a branch's name"),
        ("", "a branch's name"),
    ],
)
def test_branches_that_are_nobodys(branch: str, why: str) -> None:
    with pytest.raises(CannotOpen, match=why):
        checked(place(), replace(ASKED, branch=branch))


@pytest.mark.parametrize("base", [None, "main", "release/1", "agent/lower"])
def test_bases(base: str | None) -> None:
    assert checked(place(), replace(ASKED, base=base)).base == f"refs/heads/{base or 'main'}"


@pytest.mark.parametrize("base", ["feature/x", "agent/work", "..", "refs/pull/1/head"])
def test_what_is_no_base(base: str) -> None:
    with pytest.raises(CannotOpen):
        checked(place(), replace(ASKED, base=base))


def test_the_default_branch_is_never_an_agents_even_if_the_namespace_has_it() -> None:
    with pytest.raises(CannotOpen, match="gated branch"):
        checked(place("version: 1\nagents: {branches: ['*']}\n"), replace(ASKED, branch="main"))


@pytest.mark.parametrize("text", ["version: 2\n", "nonsense: [", Unread("GitHub did not answer")])
def test_without_a_policy_that_can_be_read_nothing_is_opened(text: str | Unread) -> None:
    with pytest.raises(CannotOpen, match="cannot be used"):
        checked(place(text), ASKED)


def test_a_repository_without_a_policy_has_the_preset() -> None:
    assert checked(place(None), ASKED).branch == "refs/heads/agent/work"


@pytest.mark.parametrize(
    "changes", [{"agent": ""}, {"agent": "a\nb"}, {"agent": "x" * 101}, {"ticket": 0}, {"ticket": -1}]
)
def test_other_words(changes: dict[str, object]) -> None:
    with pytest.raises(CannotOpen):
        checked(place(), replace(ASKED, **changes))  # type: ignore[arg-type]
