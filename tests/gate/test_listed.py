"""A listing against what the last looks saw: who is looked at, and how soon."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.gate.listed import priorities
from app.github.pull_models import OpenPull
from app.priorities import BRANCH_MOVED, CHANGED, NEVER_SEEN, UNCHANGED
from app.store.pulls import Stamps

OWN_APP, CI_APP = 1, 2
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HEAD, OTHER, TIP = "a" * 40, "b" * 40, "c" * 40
KEPT = Stamps(7, HEAD, "refs/heads/main", NOON + timedelta(minutes=1), NOON, TIP, queued=False)


def listed(
    number: int = 7, *, head: str = HEAD, suites: dict[int | None, datetime] | None = None, **changed: Any
) -> OpenPull:
    """As GraphQL answers; `suites` maps the id of an App to the time of its suite's last change."""
    nodes = [
        {"app": None if app is None else {"databaseId": app, "slug": "x"}, "updatedAt": at.isoformat()}
        for app, at in (suites or {}).items()
    ]
    commit = {"oid": changed.pop("shown", head), "checkSuites": {"totalCount": len(nodes), "nodes": nodes}}
    answer: dict[str, Any] = {
        "id": "PR",
        "number": number,
        "headRefOid": head,
        "headRefName": "agent/x",
        "baseRefName": "main",
        "baseRef": {"name": "main", "target": {"oid": TIP}},
        "isDraft": False,
        "isCrossRepository": False,
        "updatedAt": NOON.isoformat(),
        "mergeQueueEntry": None,
        "head": {"totalCount": 1, "nodes": [{"commit": commit}]},
    }
    return OpenPull.model_validate(answer | changed)


def look(pull: OpenPull | None, kept: Stamps | None = KEPT, *, told: bool = True, unchanged: int = 0) -> dict[int, int]:
    return priorities(
        [pull] if pull else [],
        {kept.number: kept} if kept else {},
        OWN_APP,
        complete=True,
        every_change_is_told=told,
        unchanged=unchanged,
    )


LATER = NOON + timedelta(seconds=1)


@pytest.mark.parametrize(
    ("pull", "kept", "priority"),
    [
        (listed(), KEPT, None),
        (listed(), None, NEVER_SEEN),
        (None, KEPT, CHANGED),
        (listed(head=OTHER), KEPT, CHANGED),
        (listed(baseRefName="release"), KEPT, CHANGED),
        (listed(updatedAt=LATER.isoformat()), KEPT, CHANGED),
        (listed(suites={CI_APP: LATER}), KEPT, CHANGED),
        (listed(suites={None: LATER}), KEPT, CHANGED),
        (listed(suites={OWN_APP: LATER, CI_APP: NOON}), KEPT, None),
        (listed(suites={CI_APP: LATER}, shown=OTHER), KEPT, None),
        (listed(), replace(KEPT, changed_at=None), CHANGED),
        (listed(), replace(KEPT, queued=True), CHANGED),
        (listed(mergeQueueEntry={"headCommit": None}), replace(KEPT, queued=True), None),
        (listed(), replace(KEPT, target_sha=OTHER), BRANCH_MOVED),
        (listed(baseRef=None), KEPT, BRANCH_MOVED),
        (listed(updatedAt=LATER.isoformat()), replace(KEPT, target_sha=OTHER), CHANGED),
    ],
    ids=[
        *(
            "unchanged",
            "never seen",
            "closed",
            "other head",
            "other base",
            "updated",
            "CI moved",
            "deleted App's suite",
        ),
        *("only our own suite", "the list lags behind the head", "looked at by an older version"),
        *("left the queue", "still queued", "target moved", "target gone", "updated and target moved"),
    ],
)
def test_what_happened_decides_how_soon(pull: OpenPull | None, kept: Stamps | None, priority: int | None) -> None:
    assert look(pull, kept) == ({} if priority is None else {7: priority})


@pytest.mark.parametrize(("seconds", "again"), [(0, True), (9, True), (10, False)])
def test_without_webhooks_a_look_in_the_same_moment_does_not_count(seconds: int, again: bool) -> None:
    kept = replace(KEPT, seen_at=NOON + timedelta(seconds=seconds))
    assert bool(look(listed(), kept, told=False)) is again
    assert not look(listed(), kept, told=True)


def test_of_the_unchanged_those_come_first_that_were_looked_at_longest_ago() -> None:
    ages = {1: 5, 2: 50, 3: 20, 4: 50}
    known = {n: replace(KEPT, number=n, seen_at=NOON - timedelta(hours=hours)) for n, hours in ages.items()}
    pulls = [listed(number) for number in known]
    found = priorities(pulls, known, OWN_APP, complete=True, every_change_is_told=True, unchanged=3)
    assert found == {2: UNCHANGED, 4: UNCHANGED, 3: UNCHANGED}


def test_what_an_incomplete_listing_does_not_show_was_not_closed() -> None:
    found = priorities([], {7: KEPT}, OWN_APP, complete=False, every_change_is_told=True, unchanged=1)
    assert found == {7: UNCHANGED}
