"""The bundle in the commit message: said where the repository's setting would carry it there."""

from __future__ import annotations

import pytest

from checks.bundle import read_bundle
from checks.finding import Finding, Status
from checks.history import check
from checks.snapshot import Snapshot
from tests.checks import build


def _told(snapshot: Snapshot) -> tuple[Finding, ...]:
    return check(snapshot, read_bundle(snapshot))


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        (("squash",), "a squash commit"),
        (("merge",), "a merge commit"),
        (("merge", "squash"), "a merge or squash commit"),
    ],
)
def test_a_message_made_of_the_text_is_said(methods: tuple[str, ...], words: str) -> None:
    assert _told(build.snapshot(methods_with_body=methods)) == (
        Finding(
            "bundle.history",
            Status.SKIPPED,
            f"The pull request's text becomes the message of {words} here, and the bundle with it. "
            "An administrator can choose another default message in Settings, General, Pull Requests; "
            "a bundle in a comment stays out as well.",
        ),
    )


@pytest.mark.parametrize(
    "snapshot",
    [
        build.snapshot(),
        build.snapshot(body="", methods_with_body=("squash",)),
        build.snapshot(body="", comments=(build.comment(build.body()),), methods_with_body=("squash",)),
        build.snapshot(number=None, methods_with_body=("squash",)),
    ],
    ids=["another setting", "no bundle", "in a comment", "a file"],
)
def test_nothing_else_is(snapshot: Snapshot) -> None:
    assert _told(snapshot) == ()
