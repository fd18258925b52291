"""Commands of the bundle that ran on other files than this head's, or before it was committed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from checks.bundle import BundleFaults, parse_bundle, read_bundle
from checks.claims import check
from checks.finding import Finding, Fix, Status
from tests.checks.build import NOON, OTHER, TREE, body, command, fields, snapshot

FIX = Fix("correct-bundle", "Run it again on this head and give what it did then.", "commands")


def stale(head: dict[str, Any] | None = None, **more: Any) -> list[Finding]:
    base = snapshot(body=body(commands=[command(where="local", **more)]))
    seen = replace(base, head=replace(base.head, **({"committed_at": NOON} | (head or {}))))
    return [finding for finding in check(seen, read_bundle(seen), ()) if finding.check == "claims.stale"]


def test_a_command_on_this_head_s_tree_is_fresh_whenever_it_ran() -> None:
    assert stale(tree=TREE) == []
    assert stale(tree=TREE, started_at="2001-01-01T00:00:00Z") == []
    assert stale() == []


def test_a_command_on_another_tree_is_stale() -> None:
    reason = "The bundle's `pytest -q` ran on the tree 0d0d0d0d0d0d, which is not this head's."
    assert stale(tree=OTHER) == [Finding("claims.stale", Status.FAILED, reason, fix=FIX)]
    assert stale({"tree": None}, tree=OTHER) == []


def test_a_command_from_before_the_commit_is_stale() -> None:
    before = "2026-05-04T13:59:59.5+02:00"
    reason = f"The bundle's `pytest -q` ran at {before}, before this head was committed."
    assert stale(started_at=before) == [Finding("claims.stale", Status.FAILED, reason, fix=FIX)]
    assert stale(started_at="2026-05-04T12:00:00Z") == []
    assert stale({"committed_at": None}, started_at=before) == []
    assert stale({"committed_at": NOON - timedelta(hours=1)}, started_at=before) == []


@pytest.mark.parametrize(
    "moment", ["2026-02-30T00:00:00Z", "2026-05-04", "2026-05-04T12:00:00", "2026-05-04T25:00:00Z", "now", 5]
)
def test_a_moment_that_is_none_is_refused(moment: Any) -> None:
    read = parse_bundle(json.dumps(fields(commands=[command(started_at=moment)])))
    assert isinstance(read, BundleFaults)
    assert [fault.field for fault in read.faults] == ["commands.0.started_at"]
