"""The verdict's key, its status over both checks, and what its tree holds."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from checks.finding import Fix, Status, errored, failed, needs_person, passed, pending, skipped
from policies.tree import group, leaf, required
from policies.verdict import Node
from tests.policies.build import HEAD, verdict

FIX = Fix("wait", "Wait.")
GOOD = passed("ci", "Fine.")
BAD = failed("scope", "Bad.", fix=FIX)
SOON = pending("ci", "Soon.", fix=FIX)
DARK = errored("ci", "Dark.", fix=FIX)
NONE = skipped("ticket", "None.")
ASK = needs_person("review", "Ask.", fix=FIX)


def test_the_key_is_a_hash_of_what_was_judged() -> None:
    judged = verdict((GOOD,), (GOOD,), ticket_digest="sha256:t")
    parts = (HEAD, "refs/heads/main", judged.policy_digest, judged.bundle_digest or "", "sha256:t")
    assert judged.key == "mg1:" + hashlib.sha256("\0".join(parts).encode()).hexdigest()
    assert verdict((GOOD,), (GOOD,), bundle_digest=None).key == (
        "mg1:" + hashlib.sha256("\0".join((*parts[:3], "", "")).encode()).hexdigest()
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"head_sha": "f" * 40},
        {"target_ref": "refs/heads/x"},
        {"policy_digest": "sha256:x"},
        {"bundle_digest": None},
        {"ticket_digest": "sha256:x"},
    ],
)
def test_each_part_changes_the_key(changes: dict[str, Any]) -> None:
    judged = verdict((GOOD,), (GOOD,))
    assert replace(judged, **changes).key != judged.key


def test_the_outcome_does_not_change_the_key() -> None:
    assert verdict((GOOD,), (GOOD,)).key == verdict((BAD,), (ASK,)).key


STATUS = [
    (GOOD, GOOD, Status.PASSED),
    (GOOD, ASK, Status.PENDING),
    (SOON, GOOD, Status.PENDING),
    (BAD, ASK, Status.FAILED),
    (GOOD, BAD, Status.FAILED),
    (DARK, ASK, Status.ERRORED),
    (GOOD, DARK, Status.ERRORED),
    (BAD, DARK, Status.FAILED),
    (NONE, GOOD, Status.FAILED),
]


@pytest.mark.parametrize(("evidence", "review", "status"), STATUS)
def test_the_status_is_the_worst_of_both(evidence: Any, review: Any, status: Status) -> None:
    judged = verdict((evidence,), (review,))
    assert judged.status is status
    root = judged.root("observe")
    assert (root.name, root.status) == ("observe", status)
    assert root.children == judged.evidence.children + judged.review.children


def test_observe_speaks_with_the_worse_of_both() -> None:
    assert verdict((GOOD,), (BAD,)).root("observe").reason == "Bad."
    assert verdict((SOON,), (GOOD,)).root("observe").reason == "Soon."


def test_roots() -> None:
    judged = verdict((GOOD,), (ASK,))
    assert judged.root("evidence") is judged.evidence
    assert judged.root("review") is judged.review


def test_findings_are_flat_and_in_order() -> None:
    judged = verdict((GOOD, BAD, NONE), (ASK,))
    assert judged.findings == (GOOD, BAD, NONE, ASK)
    assert judged.evidence.findings == (GOOD, BAD, NONE)


NEEDS = [
    ((GOOD,), (ASK,), True),
    ((GOOD,), (GOOD,), False),
    ((GOOD,), (SOON,), False),
    ((GOOD,), (replace(ASK, status=Status.PASSED),), False),
    ((ASK,), (GOOD,), True),
]


@pytest.mark.parametrize(("evidence", "review", "expected"), NEEDS)
def test_needs_person(evidence: Any, review: Any, expected: bool) -> None:
    assert verdict(evidence, review).needs_person is expected


def test_defaults() -> None:
    judged = verdict((GOOD,), (GOOD,))
    assert (judged.needed, judged.approved_by, judged.may_enqueue) == ((), (), False)


class TestTree:
    def test_leaf(self) -> None:
        assert leaf(BAD) == Node("scope", Status.FAILED, "Bad.", (), BAD)

    def test_group_speaks_with_the_first_that_has_its_status(self) -> None:
        other = failed("scope", "Worse.", fix=FIX)
        node = group("x", (GOOD, BAD, other))
        assert (node.name, node.status, node.reason) == ("x", Status.FAILED, "Bad.")
        assert node.children == (leaf(GOOD), leaf(BAD), leaf(other))
        assert node.finding is None

    def test_an_empty_group_fails(self) -> None:
        assert group("x", ()) == Node("x", Status.FAILED, "Nothing was looked at.")

    def test_a_required_root_is_never_skipped(self) -> None:
        node = required("evidence", [group("ticket", (NONE,))])
        assert (node.name, node.status, node.reason) == ("evidence", Status.FAILED, "Nothing was looked at.")
        assert len(node.children) == 1

    def test_a_required_root_speaks_with_the_first_that_has_its_status(self) -> None:
        node = required("evidence", [group("a", (GOOD,)), group("b", (SOON,)), group("c", (DARK,))])
        assert (node.status, node.reason) == (Status.ERRORED, "Dark.")
        assert required("evidence", []).status is Status.FAILED
