"""GitHub names no account for the commits of an App: the address that it signed for the App does."""

from __future__ import annotations

import pytest

from checks.accounts import Account, Commit, CommitIdentity, Permission
from checks.paths import PathPatterns
from checks.people import AgentMarkers, DependencyBots, PeopleRule, classify, is_dependency_bot
from checks.snapshot import Head
from tests.checks import build

BOT = Account("dependabot[bot]", 49699333, "Bot")
BOTS = DependencyBots(("dependabot",), PathPatterns(["package.json"]))
HEAD = Head("a" * 40, "b" * 40, "refs/heads/dependabot/x", build.snapshot().repository.id, BOT)


@pytest.mark.parametrize(
    ("email", "by_github", "kind"),
    [
        ("49699333+dependabot[bot]@users.noreply.github.com", True, "dependency-bot"),
        ("dependabot[bot]@users.noreply.github.com", True, "dependency-bot"),
        # Anybody can write the address; only GitHub's own signature says that the App did.
        ("49699333+dependabot[bot]@users.noreply.github.com", False, "agent"),
        ("49699333+dependabot@users.noreply.github.com", True, "agent"),
        ("41+other[bot]@users.noreply.github.com", True, "agent"),
        ("support@dependabot.example", True, "agent"),
    ],
)
def test_whose_commit_it_is(email: str, by_github: bool, kind: str) -> None:
    author = CommitIdentity("dependabot[bot]", email)
    commit = Commit("a" * 40, "Bump", author, author, signature_valid=True, signed_by_github=by_github)
    diff = build.diff("package.json")
    of = build.snapshot(
        author=BOT, head=HEAD, commits=(commit,), diff=diff, merge_diff=diff, session_agent=None, operator=None
    )
    people = PeopleRule(Permission.WRITE)
    found = classify(of, AgentMarkers(PathPatterns(["agent/*"])), people, BOTS)
    assert found.kind == kind
    assert is_dependency_bot(of, BOTS)
