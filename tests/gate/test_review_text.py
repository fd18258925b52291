"""`/approve` in a review's text: the grammar of comments, and only what the review was and still is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.gate.comment_approvals import approvals_in_reviews
from app.github.models import Actor, Oid
from app.github.pull_models import Review as Listed
from app.store.comment_approvals import ShownCode
from checks.accounts import Review
from checks.finding import Status
from checks.unread import Unread
from policies.evaluate import evaluate
from tests.policies.build import ADA, COURIER, HEAD, NOW, approval, snapshot, state

OLD = "9" * 40
POLICY = "version: 1\nrequirements: {low: {approvals: 1}}\n"
BUNDLE = approval(ADA).bundle_digest
assert isinstance(BUNDLE, str)
CODES = (
    ShownCode("KHJT", "mg1:old", OLD, "refs/heads/main", BUNDLE, None),
    ShownCode("QRSV", "mg1:now", HEAD, "refs/heads/main", BUNDLE, None),
    ShownCode("WXZG", "mg1:earlier", HEAD, "refs/heads/main", "sha256:another", None),
)


def listed(body: str, **changes: Any) -> Listed:
    review = Listed(
        id="PRR_1",
        full_database_id=5,
        state="COMMENTED",
        body=body,
        submitted_at=NOW,
        updated_at=NOW,
        last_edited_at=None,
        commit=Oid(oid=HEAD),
        author=Actor.model_validate({"__typename": "User", "login": "ada"}),
        author_can_push_to_repository=True,
        author_association="MEMBER",
    )
    return review.model_copy(update=changes)


def said(body: str, given: dict[str, Any] | None = None, **changes: Any) -> tuple[Review, ...]:
    own = replace(approval(ADA, state="COMMENTED", given="COMMENTED"), **(given or {}))
    return approvals_in_reviews((own,), [listed(body, **changes)], CODES)


@pytest.mark.parametrize(
    "body", ["/approve QRSV", "／approve qrsv \r\nRead it.", "/gate approve QRSV", f"/approve {HEAD[:7]}"]
)
@pytest.mark.parametrize("status", ["COMMENTED", "APPROVED"])
def test_it_approves_what_its_code_or_commit_stands_for(body: str, status: str) -> None:
    (found,) = said(body, {"state": status})
    assert (found.state, found.comment, found.commit, found.bundle_digest) == ("APPROVED", True, HEAD, BUNDLE)
    assert evaluate(state(POLICY), snapshot(reviews=(found,))).status is Status.PASSED


@pytest.mark.parametrize(
    ("body", "given", "changes"),
    [
        ("Looks good", {}, {}),
        ("> /approve QRSV", {}, {}),
        ("I would not\n/approve QRSV", {}, {}),
        ("/approve ZZZZ", {}, {}),
        ("/approve", {}, {}),
        (f"/approve {'0' * 12}", {}, {}),
        ("/approve QRSV", {}, {"last_edited_at": NOW}),
        ("/approve QRSV", {"state": "CHANGES_REQUESTED"}, {}),
        ("/approve QRSV", {"state": "DISMISSED"}, {}),
        ("/approve QRSV", {"state": "PENDING"}, {}),
        ("/approve QRSV", {"author": COURIER}, {}),
        ("/approve QRSV", {"id": 6}, {}),
        # A code that was made to fit afterwards, by another commit, bundle or base than the review is about.
        ("/approve QRSV", {"commit": OLD}, {}),
        ("/approve QRSV", {"bundle_digest": "sha256:another"}, {}),
        ("/approve QRSV", {"bundle_digest": Unread("it is not certain")}, {}),
        ("/approve QRSV", {"base_ref": "refs/heads/x"}, {}),
        ("/approve KHJT", {}, {}),
    ],
)
def test_it_approves_nothing(body: str, given: dict[str, Any], changes: dict[str, Any]) -> None:
    assert said(body, given, **changes) == ()


@pytest.mark.parametrize(
    ("body", "given", "why"),
    [
        ("/approve KHJT", {"commit": OLD}, "approved the earlier commit"),
        (f"/approve {OLD[:9]}", {"commit": OLD}, "approved the earlier commit"),
        ("/approve WXZG", {"bundle_digest": "sha256:another"}, "approved before the bundle was changed"),
        (f"/approve {HEAD[:9]}", {"bundle_digest": Unread("it is not certain")}, "a bundle that is not known any more"),
        (f"/approve {HEAD[:9]}", {"base_ref": "refs/heads/x"}, "approved a merge into x"),
    ],
)
def test_what_has_changed_since_is_told(body: str, given: dict[str, Any], why: str) -> None:
    (found,) = said(body, given)
    verdict = evaluate(state(POLICY), snapshot(reviews=(found,)))
    assert verdict.review.status is Status.PENDING
    assert any(why in finding.reason for finding in verdict.findings)


def test_a_later_request_for_changes_ends_it() -> None:
    (found,) = said("/approve QRSV")
    asked = approval(ADA, id=6, state="CHANGES_REQUESTED", submitted_at=NOW + timedelta(minutes=1))
    assert evaluate(state(POLICY), snapshot(reviews=(found, asked))).review.status is Status.FAILED


def test_of_reviews_that_could_not_be_read_none_is() -> None:
    assert approvals_in_reviews(Unread("cut"), [listed("/approve QRSV")], CODES) == ()
