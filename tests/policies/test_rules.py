"""The policy's words as the checks' parameters, and who must be asked about."""

from __future__ import annotations

from typing import Any

import pytest

from checks.accounts import Account, CommitIdentity, Permission
from checks.snapshot import Risk
from checks.unread import Unread
from policies import rules
from policies.load import load
from policies.schema import Policy
from tests.policies.build import ADA, BEA, COURIER, approval, commit, person_snapshot, presets, snapshot


def read(text: str) -> Policy:
    return load(f"version: 1\n{text}", presets())


GATED = [
    ("", "refs/heads/main", True),
    ("", "refs/heads/release/1", False),
    ("branches: [release/*]", "refs/heads/release/1", True),
    ("branches: [release/*]", "refs/heads/Release/1", True),
    ("branches: [release/*]", "refs/heads/main", True),
    ("branches: [release/*]", "refs/tags/release/1", False),
    ("branches: ['*']", "refs/tags/v1", False),
    ("branches: [stable]", "refs/heads/unstable", False),
]


@pytest.mark.parametrize(("text", "ref", "expected"), GATED)
def test_gated(text: str, ref: str, expected: bool) -> None:
    assert rules.gated_ref(read(text), ref, "refs/heads/main") is expected


def test_the_default_branch_is_always_gated() -> None:
    assert rules.gated_ref(read(""), "refs/heads/trunk", "refs/heads/trunk")
    assert not rules.gated_ref(read(""), "refs/heads/main", "refs/heads/trunk")


def test_teams_named_anywhere_are_asked_for_once() -> None:
    assert rules.teams_named(read("")) == ()
    policy = read(
        "people: {teams: [staff]}\napprovers: {teams: [core, staff]}\n"
        "requirements: {high: {approvers: {teams: [security]}}, low: {approvers: {teams: [core]}}}"
    )
    assert rules.teams_named(policy) == ("core", "security", "staff")


def test_approvers_by_risk() -> None:
    policy = read("approvers: {users: [ada]}\nrequirements: {critical: {approvers: {users: [bea]}}}")
    assert [rules.approvers_at(policy, risk).users for risk in Risk] == [("ada",), ("ada",), ("ada",), ("bea",)]


class TestLogins:
    def test_everybody_who_touched_it_and_every_reviewer(self) -> None:
        mixed = commit(Account("cy", 3), committer=CommitIdentity("d", "d@example.org", Account("Dan", 4)))
        of = person_snapshot(commits=(mixed, commit(ADA)), reviews=(approval(BEA), approval(Account("eve", 5))))
        assert rules.logins_to_ask(of) == ("ada", "bea", "cy", "Dan", "eve")

    def test_bots_are_not_asked_about(self) -> None:
        assert rules.logins_to_ask(snapshot()) == ()
        assert rules.logins_to_ask(snapshot(reviews=(approval(COURIER), approval(BEA)))) == ("bea",)

    def test_one_account_in_two_spellings_is_one(self) -> None:
        of = person_snapshot(reviews=(approval(Account("ADA", 1)),))
        assert [login.lower() for login in rules.logins_to_ask(of)] == ["ada"]

    def test_what_is_unread_or_unknown_names_nobody(self) -> None:
        nobody = commit(ADA, author=CommitIdentity("x", "x@y"), committer=CommitIdentity("x", "x@y"))
        of = snapshot(author=Unread("away"), reviews=Unread("away"), commits=(nobody,))
        assert rules.logins_to_ask(of) == ()
        assert rules.logins_to_ask(person_snapshot(commits=Unread("away"))) == ("ada",)


class TestParameters:
    def test_ci(self) -> None:
        found = rules.ci_requirement(
            read("ci: {workflows: [ci.yml], jobs: [test], commands: [make], allow_push: true}")
        )
        assert found.workflows is not None
        assert found.workflows.patterns == ("ci.yml",)
        assert (found.jobs, found.commands, found.allow_push) == (("test",), ("make",), True)

    def test_no_workflow_named_means_all(self) -> None:
        assert rules.ci_requirement(read("")).workflows is None

    def test_paths(self) -> None:
        policy = read(
            "risk: {areas: {ci: {risk: critical, paths: [a], more_paths: [b]}, mine: {risk: low, paths: [c]}}}"
        )
        found = {rule.area: rule for rule in rules.path_rules(policy)}
        assert (found["ci"].level, found["ci"].patterns.patterns) == (Risk.CRITICAL, ("a", "b"))
        assert found["mine"].level is Risk.LOW
        assert len(found) == 13
        assert {rule.area for rule in rules.path_rules(policy, ("ci", "mine"))} == set(found) - {"ci", "mine"}

    def test_people(self) -> None:
        found = rules.people_rule(read("people: {permission: admin, users: [ada], teams: [core]}"))
        assert (found.permission, found.users, found.teams) == (Permission.ADMIN, ("ada",), ("core",))

    def test_agents_and_bots(self) -> None:
        policy = read(
            "agents: {branches: [bot/*], apps: ['x[bot]'], trailers: [T]}\n"
            "dependency_bots: {accounts: ['d[bot]'], paths: [go.sum]}"
        )
        marks, bots = rules.agent_markers(policy), rules.dependency_bots(policy)
        assert (marks.branches.patterns, marks.logins, marks.trailers) == (("bot/*",), ("x[bot]", "d[bot]"), ("T",))
        assert (bots.logins, bots.paths.patterns) == (("d[bot]",), ("go.sum",))


SENSIBLE: list[tuple[str, Any]] = [
    ("src/auth/token.py", "authentication"),
    ("src/author.py", None),
    ("app/billing/invoice.py", "payment"),
    ("app/permissions.py", "permissions"),
    ("jobs/purge_users.py", "data-deletion"),
    ("db/migrations/0001.py", "migration"),
    ("schema/x.SQL", "migration"),
    (".gitlab/ci.yml", "ci"),
    ("requirements/base.txt", "dependencies"),
    ("deploy/.env.production", "secrets"),
    ("certs/server.pem", "secrets"),
    ("infra/main.tf", "infrastructure"),
    ("Dockerfile.prod", "infrastructure"),
    ("tests/golden/x.md", "tests"),
    ("AGENT.md", "agent-instructions"),
    ("src/total.py", None),
    ("tests/test_total.py", None),
    ("README.md", None),
    ("docs/checkout.md", None),
]


@pytest.mark.parametrize(("path", "area"), SENSIBLE)
def test_the_default_areas_are_sensible(path: str, area: str | None) -> None:
    hit = {rule.area for rule in rules.path_rules(read("")) if rule.patterns.matches(path)}
    assert (area in hit) if area else (hit == set())


def test_of_long_lists_of_patterns_few_are_kept() -> None:
    """A compiled one is up to one and a half megabytes, and anybody's policy may have many."""
    long = [tuple(f"{number}-{part}/{'y' * 400}" for part in range(3)) for number in range(100)]
    first = [("docs/only-here", "src/*.py"), long[0]]
    compiled = [rules.patterns(each) for each in first]
    for each in long[1:]:
        rules.patterns(each)
    assert [rules.patterns(each) is before for each, before in zip(first, compiled, strict=True)] == [True, False]
