"""The few words that the snapshot's types derive by themselves."""

from __future__ import annotations

import pytest

from checks.accounts import Account, Permission
from checks.diff import ChangedFile, FileStatus
from checks.snapshot import Head, Risk
from tests.checks import build


def test_a_repository_has_a_full_name() -> None:
    assert build.REPOSITORY.full_name == "acme/shop"


def test_risks_and_permissions_are_ordered() -> None:
    assert [risk.word for risk in sorted(Risk)] == ["low", "medium", "high", "critical"]
    # https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories
    words = ["NONE", "READ", "TRIAGE", "WRITE", "MAINTAIN", "ADMIN"]
    assert [permission.name for permission in sorted(Permission)] == words


@pytest.mark.parametrize(
    ("account", "is_bot"),
    [
        (Account("olivia"), False),
        (Account("ci[bot]"), True),
        (Account("ci", None, "Bot"), True),
        (Account("acme", None, "Organization"), True),
        (Account("ci[bot]", None, "Bot"), True),
    ],
)
def test_bots(account: Account, is_bot: bool) -> None:
    assert account.is_bot is is_bot


def test_a_rename_has_two_paths() -> None:
    assert ChangedFile("b", FileStatus.RENAMED, "a").paths == ("b", "a")
    assert ChangedFile("b", FileStatus.MODIFIED).paths == ("b",)


@pytest.mark.parametrize(("repository", "is_fork"), [(700, False), (701, True), (None, True)])
def test_a_fork_has_another_repository(repository: int | None, is_fork: bool) -> None:
    snapshot = build.snapshot(head=Head(build.HEAD, build.TREE, "refs/heads/x", repository))
    assert snapshot.is_fork is is_fork
